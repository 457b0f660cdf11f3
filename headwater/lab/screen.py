"""Shows a lab that starts or stops: a live table in a terminal, else a line for each change."""

from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.table import Table

from headwater.lab import table
from headwater.lab.state import Lab


class Screen:
    """Call it with the lab whenever it may have changed. While the lab runs, only changes are shown."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._latest: Lab | None = None
        self._phases: dict[str, str] = {}

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        self._stop()

    def __call__(self, lab: Lab) -> None:
        self._latest = lab
        in_table = self._console.is_terminal and lab.phase in ("starting", "stopping")
        self._print_changes(lab, printed=not in_table)
        if not in_table:
            self._stop()
        elif self._live is None:
            self._live = Live(console=self._console, get_renderable=self._table, refresh_per_second=8, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _table(self) -> Table:
        assert self._latest is not None
        return table.progress(self._latest)

    def _print_changes(self, lab: Lab, *, printed: bool) -> None:
        for service in lab.services:
            before = self._phases.get(service.name, service.phase)
            self._phases[service.name] = service.phase
            if before != service.phase and printed:
                self._console.print(table.line(service), style="dim", markup=False, soft_wrap=True)
