"""Parts of OpenLineage events, as dictionaries: what all who report lineage have in common."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

Json = dict[str, Any]
SPEC = "https://openlineage.io/spec"
RUN_EVENT_URL = f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent"
JOB_EVENT_URL = RUN_EVENT_URL.replace("RunEvent", "JobEvent")
DATASET_EVENT_URL = RUN_EVENT_URL.replace("RunEvent", "DatasetEvent")
_REPOSITORY = "https://github.com/headwater/headwater/tree/main"


class Producer(NamedTuple):
    """Who reports: the URL that its events and facets carry, and where its own facets are described."""

    url: str
    docs: str

    def facet(self, name: str, version: str, /, **content: Any) -> Json:
        """A facet of OpenLineage's specification."""
        return {"_producer": self.url, "_schemaURL": f"{SPEC}/facets/{version}/{name}.json#/$defs/{name}", **content}

    def own_facet(self, **content: Any) -> Json:
        return {"_producer": self.url, "_schemaURL": self.docs, **content}


SPARK = Producer(f"{_REPOSITORY}/headwater/spark", f"{_REPOSITORY}/docs/spark.md")
WATCH = Producer(f"{_REPOSITORY}/headwater/watch", f"{_REPOSITORY}/docs/connect.md")


def now() -> str:
    return instant(datetime.now(UTC))


def instant(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
