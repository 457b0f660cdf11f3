"""Fills in the `{placeholders}` in the commands, files and URLs of service specs."""

import base64
import hashlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from headwater.emit import die_with_parent
from headwater.lab import folder
from headwater.lab.pipeline import CONNECT
from headwater.lab.plan import PLUGINS, Plan
from headwater.lab.service_spec import ServiceSpec
from headwater.lab.services import S3_KEY, S3_SECRET

HOST = "127.0.0.1"
ODD_ORDERS = 0.012
"""The share of orders that are broken or late, on purpose."""


def values(plan: Plan, ports: Mapping[str, int]) -> dict[str, str]:
    """For all services of a lab; `fill` adds `here` and `memory` for each one."""
    return {
        "host": HOST,
        "java": plan.java or "java",
        "python": sys.executable,
        "die_with_parent": die_with_parent.__file__,
        "jars": str(plan.jars),
        "plugins": str(PLUGINS),
        "spark": str(plan.spark or ""),
        "postgresql": str(plan.postgresql or ""),
        "root": str(plan.root or ""),
        "folder": str(plan.folder),
        "rate": str(plan.rate),
        "odd": f"{plan.rate * ODD_ORDERS:g}",
        "secret": folder.secret(plan.folder),
        "id": _cluster_id(plan),
        "s3-key": S3_KEY,
        "s3-secret": S3_SECRET,
        "clusters": f"{CONNECT}=http://{HOST}:{ports['connect']}" if "connect" in ports else "",
        **{name: str(port) for name, port in ports.items()},
    }


def for_clients(values: Mapping[str, str], ports: Mapping[str, int]) -> dict[str, str]:
    """What clients need: no paths of this installation, and no secrets."""
    return {name: values[name] for name in ("host", "s3-key", "s3-secret", *ports)}


def fill(texts: Sequence[str], spec: ServiceSpec, values: Mapping[str, str], lab_folder: Path) -> list[str]:
    own = {**values, "here": str(lab_folder / spec.name), "memory": str(spec.memory)}
    return [text.format_map(own) for text in texts]


def write_files(
    spec: ServiceSpec, values: Mapping[str, str], lab_folder: Path, unprivileged_user: str | None = None
) -> None:
    """Makes the folders of a service, and writes its files with the current ports."""
    here = lab_folder / spec.name
    here.mkdir(parents=True, exist_ok=True)
    (lab_folder / spec.log).parent.mkdir(exist_ok=True)
    for name in spec.folders:
        # 0o700, as S3Proxy takes a folder that others can read for a public bucket.
        (here / name).mkdir(0o700, parents=True, exist_ok=True)
    for name, text in spec.files.items():
        path = here / name
        path.parent.mkdir(exist_ok=True)
        path.touch(0o600)
        path.write_text(fill([text], spec, values, lab_folder)[0])
    if spec.unprivileged and unprivileged_user:
        for path in (here, *(here / name for name in (*spec.folders, *spec.files))):
            shutil.chown(path, unprivileged_user)


def _cluster_id(plan: Plan) -> str:
    """16 bytes in base64, as Kafka wants them; always the same for one lab."""
    digest = hashlib.sha256(str(plan.folder).encode()).digest()[:16]
    digest = bytes([digest[0] & 0x7F]) + digest[1:]  # no leading dash, which would look like an option
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
