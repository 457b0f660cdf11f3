"""`headwater`: one function a command, each in its own module."""

import logging
import sys

from cyclopts import App
from rich.markup import escape

from headwater import __version__
from headwater.cli import console
from headwater.cli.demo import demo
from headwater.cli.rebuild import rebuild
from headwater.cli.send import send
from headwater.cli.serve import serve
from headwater.errors import HeadwaterError

app = App(
    name="headwater",
    help="Lineage for Kafka, Kafka Connect, Spark, Flink and Iceberg: OpenLineage in, the truth out.",
    version=__version__,
    result_action="return_value",
)
for command in (serve, send, rebuild, demo):
    app.command(command)


def main() -> None:
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        app()
    except HeadwaterError as e:
        console.err.print(f"[bold red]headwater:[/] {escape(str(e))}", soft_wrap=True, highlight=False)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
