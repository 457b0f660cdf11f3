"""Sends the events of runs. A run is on disk before it is reported: if this process is killed, others can end it."""

from headwater.emit.delivery import Delivery
from headwater.emit.events import Json
from headwater.emit.open_runs import OpenRuns


class RunReporter:
    def __init__(self, delivery: Delivery, open_runs: OpenRuns) -> None:
        self.delivery, self.open_runs = delivery, open_runs

    def start(self, event: Json) -> None:
        """An event with all that is known of the run: the first, or a later one that adds to it."""
        self.open_runs.save(event)
        self.delivery.send(event)

    def running(self, event: Json) -> None:
        self.open_runs.touch(event)
        self.delivery.send(event)

    def end(self, event: Json) -> None:
        self.open_runs.save(event)
        self.delivery.send(event, lambda: self.open_runs.remove(event["run"]["runId"]))
