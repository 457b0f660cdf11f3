"""What a lab is going to be. All that the machine and the folder must have is looked at here, before anything is
downloaded or started."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from headwater.errors import BadRequest
from headwater.lab import jars, needs, site
from headwater.lab.metastore import POSTGRES, Database
from headwater.lab.services import services
from headwater.lab.site import Plan
from headwater.lab.spec import Service, choose

_ROOM = 500  # megabytes that a fresh lab may fill before anyone puts data into it


def plan(
    name: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    wanted: Sequence[str] | None = None,
    pipeline: bool = False,
    rate: int = site.RATE,
    metastore: Database | None = None,
    pinned: dict[str, int] | None = None,
) -> Plan:
    """`wanted` are services by name; by default all that can run here, but not the pipeline."""
    if rate < 1:
        raise BadRequest("the rate is a number of orders a second, 1 or more")
    database = _database(folder, metastore)
    spark = needs.spark()
    chosen = _choose(services(database), wanted, pipeline=pipeline, spark=spark is not None)
    root = needs.pipeline() if any(service.pipeline for service in chosen) else None
    if root:
        needs.plugins(site.PLUGINS)
    if not spark and any(service.spark for service in chosen):
        raise BadRequest("the Spark history needs pyspark, which is not installed here (`make setup-lab` installs it)")
    java = needs.java(environment) if any(service.java for service in chosen) else None
    postgresql = needs.postgresql(environment) if POSTGRES in chosen else None
    site.claim(folder)
    needs.room(folder, _ROOM, "the lab")
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
        somebody=needs.somebody(folder, POSTGRES.title) if POSTGRES in chosen else None,
        root=root,
        rate=rate,
    )


def _database(folder: Path, wanted: Database | None) -> Database:
    began = site.database(folder)
    if wanted and began and wanted != began:
        raise BadRequest(
            f"the catalog of the lab in {folder} is on {began} and stays there: take another lab (--name, --data), or "
            "remove the data of this one (`headwater lab reset`)"
        )
    return wanted or began or "derby"


def _choose(known: Sequence[Service], wanted: Sequence[str] | None, *, pipeline: bool, spark: bool) -> list[Service]:
    names = [service.name for service in known if not service.pipeline and (spark or not service.spark)]
    if wanted is not None:
        names = list(wanted)
    return choose(known, names + [service.name for service in known if pipeline and service.pipeline])
