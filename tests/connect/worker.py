"""Workers of a Connect cluster of their own, which may be killed without the lab ending with them."""

import os
import signal
import subprocess
import time
from pathlib import Path

import httpx

from tests.connect.cluster import PATIENCE, Cluster
from tests.support.server import free_port, wait_for


class Worker:
    """Runs as the lab's worker does, in another group. Ends its rebalances soon, so that nobody waits for minutes."""

    def __init__(self, cluster: Cluster, folder: Path, group: str) -> None:
        self.port = free_port()
        self._log = folder / f"worker-{self.port}.log"
        template = (cluster.lab.data / "connect" / "connect.properties").read_text()
        lines = []
        for line in template.splitlines():
            name, _, value = line.partition("=")
            value = {
                "group.id": group,
                "listeners": f"http://127.0.0.1:{self.port}",
                "rest.advertised.port": str(self.port),
            }.get(name, value)
            if name.endswith(".storage.topic"):
                value = f"{group}-{value}"
            lines.append(f"{name}={value}")
        lines += ["scheduled.rebalance.max.delay.ms=3000", "session.timeout.ms=6000", "heartbeat.interval.ms=1000"]
        properties = folder / f"worker-{self.port}.properties"
        properties.write_text("\n".join(lines) + "\n")
        command = Path(f"/proc/{cluster.lab.pid('connect')}/cmdline").read_text().split("\0")[:-1]
        self._command = [*command[:-1], str(properties)]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> "Worker":
        with self._log.open("ab") as output:
            self.process = subprocess.Popen(self._command, stdout=output, stderr=subprocess.STDOUT)
        wait_for(self._answers, f"the worker {self.name}", PATIENCE)
        return self

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self._log.read_text()[-3000:]
        try:
            return httpx.get(f"{self.url}/health", timeout=5).status_code == 200
        except httpx.HTTPError:
            time.sleep(0.5)
            return False

    def end(self, number: int = signal.SIGTERM) -> None:
        if self.process is not None and self.process.poll() is None:
            os.kill(self.process.pid, number)
            self.process.wait(120)
