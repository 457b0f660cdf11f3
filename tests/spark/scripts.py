"""Spark jobs as processes of their own, which end in one way or another."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable

from tests.integration.support import wait_for


def run_script(script: str, arguments: list[str], terminate_when: Callable[[], bool] | None = None) -> int:
    """Runs it to its end, or until it is time for SIGTERM; the exit code."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [sys.executable, "-c", script, *arguments], stdout=output, stderr=subprocess.STDOUT, env=os.environ
        )
        try:
            if terminate_when is not None:
                wait_for(lambda: terminate_when() or process.poll() is not None, "the time to end it", 200)
                process.send_signal(signal.SIGTERM)
            return process.wait(200)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            output.seek(0)
            sys.stdout.write(output.read().decode(errors="replace")[-5000:])
