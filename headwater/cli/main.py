"""`headwater`: one function for each command, in a module that is imported when it is needed."""

import logging
import os
import sys

from cyclopts import App, Group
from rich.markup import escape

from headwater import __version__
from headwater.cli import console, exits
from headwater.errors import HeadwaterError

app = App(
    name="headwater",
    help="Lineage for Kafka, Kafka Connect, Spark, Flink and Iceberg, from OpenLineage events.",
    version=__version__,
    result_action="return_value",
)

_COMMANDS = {
    "Ask": ("search", "show", "lineage", "impact", "why", "path", "diff", "freshness", "gaps", "runs", "tail"),
    "Move data": ("send", "export"),
    "Run": ("serve", "demo", "watch", "connect", "lab", "rebuild", "mcp", "doctor", "completion"),
}
for number, (title, commands) in enumerate(_COMMANDS.items()):
    group = Group(title, sort_key=number)
    for command in commands:
        app.command(f"headwater.cli.{command}:{command}", name=command, group=group)


def import_all() -> None:
    """For the list of commands, which shows what each one does."""
    for name in app:
        app[name]


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    if sys.argv[1:] in ([], ["-h"], ["--help"]):
        import_all()
    try:
        app()
    except HeadwaterError as e:
        console.err.print(f"[bold red]headwater:[/] {escape(str(e))}", soft_wrap=True)
        sys.exit(exits.code_of(e))
    except KeyboardInterrupt:
        sys.exit(exits.INTERRUPTED)
    except BrokenPipeError:
        # The reader closed the pipe (`| head`). Without this, flushing standard output at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
