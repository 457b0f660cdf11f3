"""Where a lab runs: its folder, its services, and what the names in their commands stand for."""

import base64
import hashlib
import secrets
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from headwater.errors import BadRequest
from headwater.lab import leash, needs
from headwater.lab.metastore import POSTGRES, Database
from headwater.lab.pipeline import CONNECT
from headwater.lab.services import S3_KEY, S3_SECRET, SERVICES, services
from headwater.lab.spec import Service, choose
from headwater.lab.state import FILE, LOCK, STOPPED

HOST = "127.0.0.1"
RATE = 100
"""Orders a second: enough to see the windows move, at a tenth of a core."""
ODD = 0.012
"""The share of orders that are broken or late, on purpose."""
PLUGINS = Path(__file__).parent / "plugins"
"""What `make connect` has built for the Connect worker."""
_SECRET = "secret"  # noqa: S105 (a file)


class Plan(msgspec.Struct, frozen=True):
    """All that a supervisor has to know, so that it can be handed to another process."""

    name: str
    folder: Path
    services: tuple[str, ...]
    jars: Path
    java: str | None = None
    spark: Path | None = None
    pinned: dict[str, int] = {}
    database: Database = "derby"
    postgresql: Path | None = None
    somebody: str | None = None
    """Whom services become that refuse to run as root."""
    root: Path | None = None
    """Where the package `pipeline` is."""
    rate: int = RATE

    def specs(self) -> list[Service]:
        return choose(services(self.database), self.services)


def values(plan: Plan, ports: Mapping[str, int]) -> dict[str, str]:
    """For the texts of the specs; `here` is added for each service."""
    return {
        "host": HOST,
        "java": plan.java or "java",
        "python": sys.executable,
        "leash": leash.__file__,
        "jars": str(plan.jars),
        "plugins": str(PLUGINS),
        "spark": str(plan.spark or ""),
        "postgresql": str(plan.postgresql or ""),
        "root": str(plan.root or ""),
        "folder": str(plan.folder),
        "rate": str(plan.rate),
        "odd": f"{plan.rate * ODD:g}",
        "secret": _secret(plan.folder),
        "id": _cluster_id(plan),
        "s3-key": S3_KEY,
        "s3-secret": S3_SECRET,
        "clusters": f"{CONNECT}=http://{HOST}:{ports['connect']}" if "connect" in ports else "",
        **{name: str(port) for name, port in ports.items()},
    }


def for_clients(known: Mapping[str, str], ports: Mapping[str, int]) -> dict[str, str]:
    """Without the paths of this installation, and without what is kept secret."""
    return {name: known[name] for name in ("host", "s3-key", "s3-secret", *ports)}


def fill(texts: Sequence[str], service: Service, known: Mapping[str, str], folder: Path) -> list[str]:
    here = {**known, "here": str(folder / service.name), "memory": str(service.memory)}
    return [text.format_map(here) for text in texts]


def lay_out(service: Service, known: Mapping[str, str], folder: Path, somebody: str | None = None) -> None:
    """Its folders, and its files as the ports are today."""
    here = folder / service.name
    here.mkdir(parents=True, exist_ok=True)
    (folder / service.log).parent.mkdir(exist_ok=True)
    for name in service.folders:
        # For nobody else: the store takes a folder that others may read for a public bucket.
        (here / name).mkdir(0o700, parents=True, exist_ok=True)
    for name, text in service.files.items():
        path = here / name
        path.parent.mkdir(exist_ok=True)
        path.touch(0o600)
        path.write_text(fill([text], service, known, folder)[0])
    if service.unprivileged and somebody:
        for path in (here, *(here / name for name in (*service.folders, *service.files))):
            shutil.chown(path, somebody)


def claim(folder: Path) -> None:
    """Makes it a lab's folder, unless it has something else in it."""
    if folder.is_dir() and any(folder.iterdir()) and not (folder / LOCK).exists():
        raise BadRequest(f"{folder} is not empty and not a lab's folder: choose another one with --data")
    needs.folder(folder, "the lab's folder")
    (folder / LOCK).touch()


def remove(folder: Path) -> None:
    """What a lab has put there, and the folder itself if that was all."""
    for name in (*(service.name for service in (*SERVICES, POSTGRES)), "logs"):
        shutil.rmtree(folder / name, ignore_errors=True)
    for name in (FILE, f"{FILE}.part", _SECRET, STOPPED, LOCK):
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def database(folder: Path) -> Database | None:
    """What the lab's catalog is on; None where it has none yet."""
    if (folder / POSTGRES.name).exists():
        return "postgres"
    return "derby" if (folder / "metastore").exists() else None


def size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _secret(folder: Path) -> str:
    """For what must not be open to everybody on this machine; the same one as long as the lab's data is there."""
    path = folder / _SECRET
    if not path.exists():
        path.touch(0o600)
        path.write_text(secrets.token_urlsafe(24))
    return path.read_text()


def _cluster_id(plan: Plan) -> str:
    """Kafka wants 16 bytes in base 64; the same lab has the same ones. It must not look like an option."""
    digest = hashlib.sha256(str(plan.folder).encode()).digest()[:16]
    digest = bytes([digest[0] & 0x7F]) + digest[1:]  # so the first character is no dash
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
