"""What a lab is going to run. Everything that the machine and the folder must have is checked here, before anything
is downloaded or started."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from headwater.errors import BadRequest
from headwater.lab import folder as lab_folder
from headwater.lab import jars, requirements
from headwater.lab.metastore import POSTGRES, Database
from headwater.lab.service_spec import ServiceSpec, choose
from headwater.lab.services import services

RATE = 100
"""Orders a second: enough to see the windows move, at a tenth of a core."""
PLUGINS = Path(__file__).parent / "plugins"
"""What `make connect` builds for the Connect worker."""
_DISK_SPACE = 500  # megabytes that a fresh lab fills before anyone puts data into it


class Plan(msgspec.Struct, frozen=True):
    """Everything that a supervisor needs to know. It can be sent to another process."""

    name: str
    folder: Path
    services: tuple[str, ...]
    jars: Path
    java: str | None = None
    spark: Path | None = None
    pinned: dict[str, int] = {}
    database: Database = "derby"
    postgresql: Path | None = None
    unprivileged_user: str | None = None
    """The user for services that refuse to run as root."""
    root: Path | None = None
    """The folder with the package `pipeline`."""
    rate: int = RATE

    def specs(self) -> list[ServiceSpec]:
        return choose(services(self.database), self.services)


def make_plan(
    name: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    names: Sequence[str] | None = None,
    pipeline: bool = False,
    rate: int = RATE,
    metastore: Database | None = None,
    pinned: dict[str, int] | None = None,
) -> Plan:
    """`names` are those of services; by default all that can run here, without the pipeline."""
    if rate < 1:
        raise BadRequest("--rate must be 1 or more orders a second")
    database = _database(folder, metastore)
    spark = requirements.spark()
    chosen = _choose(services(database), names, pipeline=pipeline, spark=spark is not None)
    root = requirements.pipeline() if any(service.pipeline for service in chosen) else None
    if root:
        requirements.check_plugins(PLUGINS)
    if not spark and any(service.spark for service in chosen):
        raise BadRequest("the Spark history needs pyspark; run `make setup-lab`")
    java = requirements.java(environment) if any(service.java for service in chosen) else None
    postgresql = requirements.postgresql(environment) if POSTGRES in chosen else None
    lab_folder.claim(folder)
    requirements.check_disk_space(folder, _DISK_SPACE, "the lab")
    return Plan(
        name=name,
        folder=folder,
        services=tuple(service.name for service in chosen),
        jars=jars.home(jars.cache()),
        java=java,
        spark=spark,
        pinned=pinned or {},
        database=database,
        postgresql=postgresql,
        unprivileged_user=requirements.unprivileged_user(folder, POSTGRES.title) if POSTGRES in chosen else None,
        root=root,
        rate=rate,
    )


def _database(folder: Path, option: Database | None) -> Database:
    existing = lab_folder.database(folder)
    if option and existing and option != existing:
        raise BadRequest(
            f"the catalog of the lab in {folder} is on {existing}, which cannot change: use another lab (--name, "
            "--data), or remove the data of this one (`headwater lab reset`)"
        )
    return option or existing or "derby"


def _choose(
    specs: Sequence[ServiceSpec], names: Sequence[str] | None, *, pipeline: bool, spark: bool
) -> list[ServiceSpec]:
    if names is None:
        names = [spec.name for spec in specs if not spec.pipeline and (spark or not spec.spark)]
    return choose(specs, [*names, *(spec.name for spec in specs if pipeline and spec.pipeline)])
