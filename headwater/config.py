"""The settings of the server, in one frozen object: the only place where the server reads the environment.

Clients (`HEADWATER_URL`), agents and watchers (`OPENLINEAGE_*`, `XDG_STATE_HOME`) and the lab read their own variables.
"""

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
    # How long a query waits for a position that the server has not reached yet.
    position_seconds: float = 5.0
    # How long a query may take until its answer begins.
    query_seconds: float = 30.0
    # Connect clusters to show, as NAME=URL, separated by commas; NAME is the namespace of their jobs.
    connect: str = ""
    # Whether connectors may be operated through this server.
    operate: bool = False

    @classmethod
    def from_environment(cls, **given: Any) -> "Settings":
        """From the options that were given, else from `HEADWATER_HOST`, `HEADWATER_PORT`, …, else the defaults."""
        values = {name: value for name, value in given.items() if value is not None}
        for setting in fields(cls):
            variable = f"HEADWATER_{setting.name.upper()}"
            if setting.name not in values and variable in os.environ:
                text = os.environ[variable]
                try:
                    values[setting.name] = _PARSERS[str(setting.type)](text)
                except ValueError:
                    expected = "yes or no" if setting.type in (bool, "bool") else "a number"
                    raise BadRequest(f"{variable}={text!r} is not {expected}") from None
        return cls(**values)


def _parse_bool(text: str) -> bool:
    if text.lower() not in _BOOLS:
        raise ValueError(text)
    return _BOOLS[text.lower()]


_BOOLS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_PARSERS: dict[str, Callable[[str], Any]] = {str(kind): kind for kind in (str, int, float, Path)}
_PARSERS[str(bool)] = _parse_bool
