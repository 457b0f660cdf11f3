"""All settings, in one frozen object. Nothing else reads the environment."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path


@dataclass(frozen=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 5000
    data: Path = field(default_factory=lambda: user_data_path("headwater", appauthor=False))
    store: str = "sqlite"
    # How long a client may take to send its headers, and then its body.
    header_seconds: float = 15.0
    body_seconds: float = 60.0

    @classmethod
    def from_environment(cls) -> "Settings":
        """`HEADWATER_HOST`, `HEADWATER_PORT`, `HEADWATER_DATA`, … over the defaults."""
        default = cls()
        env = os.environ.get
        return cls(
            host=env("HEADWATER_HOST", default.host),
            port=int(env("HEADWATER_PORT", str(default.port))),
            data=Path(env("HEADWATER_DATA", str(default.data))),
            store=env("HEADWATER_STORE", default.store),
            header_seconds=float(env("HEADWATER_HEADER_SECONDS", str(default.header_seconds))),
            body_seconds=float(env("HEADWATER_BODY_SECONDS", str(default.body_seconds))),
        )
