"""Events of runs on their way out. A run is on disk before it is told: who kills us leaves it to others to end."""

from headwater.emit.delivery import Delivery
from headwater.emit.events import Json
from headwater.emit.open_runs import OpenRuns


class Telling:
    def __init__(self, delivery: Delivery, runs: OpenRuns) -> None:
        self.delivery, self.runs = delivery, runs

    def begins(self, event: Json) -> None:
        """An event that tells the whole run."""
        self.runs.keep(event)
        self.delivery.send(event)

    def goes_on(self, event: Json) -> None:
        self.runs.heard(event)
        self.delivery.send(event)

    def ends(self, event: Json) -> None:
        self.runs.keep(event)
        self.delivery.send(event, lambda: self.runs.forget(event["run"]["runId"]))
