"""`headwater demo`"""

import tempfile
import threading
from importlib import resources
from pathlib import Path

from headwater.cli import console
from headwater.cli.serve import Port, loading
from headwater.client import Client
from headwater.config import Settings
from headwater.server import serve as run_server

_EXAMPLE = "dataset:s3://warehouse:rest/default/supplier_stats"


def demo(*, port: Port = None, data: Path | None = None) -> None:
    """Start a server with recorded events of an orders pipeline.

    Parameters
    ----------
    data
        Folder for the data; by default a temporary one, removed when the server stops.
    """
    with tempfile.TemporaryDirectory(prefix="headwater-demo-") as folder:
        settings = Settings.from_environment(port=port, data=data or Path(folder))
        url = f"http://{settings.host}:{settings.port}"

        def fill() -> None:
            events = recorded_events()
            with Client(url) as client:
                client.send(events)
            console.out.print(
                f"[bold]{len(events)} recorded events[/] of Spark and Flink jobs are loaded. "
                f"Headwater listens on [bold]{url}[/]\n\n"
                "Where does the supplier statistics table come from?\n\n"
                f"  curl -s '{url}/api/v1/lineage?direction=upstream&nodeId={_EXAMPLE}'\n\n"
                "And its columns?\n\n"
                f"  curl -s '{url}/api/v1/column-lineage?nodeId={_EXAMPLE}'\n\n"
                "Or with the command line, in another terminal:\n\n"
                f"  headwater lineage supplier_stats --url {url}\n\n"
                "Press Ctrl-C to stop.",
                soft_wrap=True,
            )

        # The server runs on the main thread, so the events are sent from another one.
        run_server(settings, lambda _: threading.Thread(target=fill).start(), loading)


def recorded_events() -> list[bytes]:
    folder = resources.files("headwater.demo")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".jsonl")), key=lambda f: f.name)
    return [line for file in files for line in file.read_bytes().splitlines() if line.strip()]
