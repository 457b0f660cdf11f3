"""All settings, in one frozen object. Nothing else reads the environment."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from headwater.defaults import DEFAULT_HOST, DEFAULT_PORT
from headwater.errors import BadRequest


@dataclass(frozen=True)
class Settings:
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    data: Path = field(default_factory=lambda: user_data_path("headwater", appauthor=False))
    store: str = "sqlite"
    # How long a client may take to send its headers, and then its body.
    header_seconds: float = 15.0
    body_seconds: float = 60.0
    # How long a question waits for a position that the server has not reached yet.
    position_seconds: float = 5.0
    # How long a question may take until its answer begins.
    query_seconds: float = 30.0
    # Connect clusters that are shown, as NAME=URL with commas between; NAME is the namespace of their jobs.
    connect: str = ""
    # Whether connectors may be changed through this server.
    operate: bool = False

    @classmethod
    def from_environment(cls, **given: Any) -> "Settings":
        """What was given, else `HEADWATER_HOST`, `HEADWATER_PORT`, …, else the defaults."""
        told = {name: value for name, value in given.items() if value is not None}
        for setting in fields(cls):
            variable = f"HEADWATER_{setting.name.upper()}"
            if setting.name not in told and variable in os.environ:
                text = os.environ[variable]
                try:
                    told[setting.name] = _READERS[str(setting.type)](text)
                except ValueError:
                    wanted = "yes or no" if setting.type in (bool, "bool") else "a number"
                    raise BadRequest(f"{variable}={text!r} is not {wanted}") from None
        return cls(**told)


def _yes(text: str) -> bool:
    if text.lower() not in _WORDS:
        raise ValueError(text)
    return _WORDS[text.lower()]


_WORDS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_READERS: dict[str, Callable[[str], Any]] = {str(kind): kind for kind in (str, int, float, Path)}
_READERS[str(bool)] = _yes
