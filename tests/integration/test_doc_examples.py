"""The examples in the documentation are true: commands say what is shown there, and Python code runs."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.defaults import DEFAULT_URL
from tests.integration.samples import recorded
from tests.support.server import Server, headwater

ROOT = Path(__file__).parents[2]


def blocks(name: str, language: str) -> list[str]:
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    return blocks


def commands() -> Iterator[tuple[str, str]]:
    """Commands that ask, and what they say."""
    for name in ("docs/cli.md", "README.md"):
        for block in blocks(name, "console"):
            command, _, output = block.removeprefix("$ ").partition("\n")
            if command.startswith("headwater ") and "serve" not in command:
                yield command, output


@pytest.fixture(scope="module")
def demo(shared_server: Server) -> Server:
    assert shared_server.post_batch(recorded()).status_code == 204
    return shared_server


@pytest.mark.parametrize(("command", "output"), list(commands()), ids=lambda text: text[:60])
def test_commands_say_what_is_shown(demo: Server, command: str, output: str) -> None:
    done = headwater(*shlex.split(command)[1:], env={"HEADWATER_URL": demo.url})
    assert done.stdout + done.stderr == output


@pytest.mark.parametrize("code", blocks("docs/client.md", "python"), ids=lambda code: code.split("\n")[0])
def test_python_code_runs(server: Server, code: str) -> None:
    assert server.post_batch(recorded()).status_code == 204
    script = code.replace(DEFAULT_URL, server.url)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
