"""The documentation names every route, setting, command, option, method, tool and metric."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from headwater.api.routes import api_router
from headwater.api.routes.search import beta_router
from headwater.api.routes.system import healthz, metrics
from headwater.cli import exits
from headwater.cli.main import app
from headwater.client import Client
from headwater.config import Settings
from headwater.ingest.counters import Counters
from headwater.mcp.server import Tools

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
API, RUNNING, CLI, CLIENT, MCP = (
    (DOCS / f"{name}.md").read_text() for name in ("api", "running", "cli", "client", "mcp")
)


def test_every_route_is_documented() -> None:
    paths = {route.path.removeprefix("/api/v1") for route in api_router.routes}
    paths |= {*healthz.paths, *metrics.paths, *(route.path for route in beta_router.routes)}
    assert len(paths) > 10
    for path in paths:
        assert path.replace(":str", "") in API


@pytest.mark.parametrize("setting", [field.name for field in fields(Settings)])
def test_every_setting_is_documented(setting: str) -> None:
    assert f"HEADWATER_{setting.upper()}" in RUNNING


def commands() -> dict[str, set[str]]:
    """Each command with its options, those of its sub-commands too."""
    flags: dict[str, set[str]] = {}
    for name in (name for name in app if not name.startswith("-")):
        parts = [app[name]] if app[name].default_command else [app[name][sub] for sub in app[name] if sub[0] != "-"]
        options = {
            word for part in parts for argument in part.assemble_argument_collection() for word in argument.names
        }
        flags[name] = {word for word in options if word.startswith("-")}
    return flags


@pytest.mark.parametrize("command", commands())
def test_every_command_is_documented_with_its_options(command: str) -> None:
    everywhere, *sections = CLI.split("\n### headwater ")
    described = {name: text for name, _, text in (section.partition("\n") for section in sections)}
    assert set(described) == set(commands())
    for option in commands()[command]:
        assert f"`{option}`" in (everywhere if option in ("--url", "--json") else described[command]), option


def test_every_exit_code_is_documented() -> None:
    for name in ("ERROR", "USAGE", "CHECK_FAILED", "NOT_FOUND", "UNREACHABLE", "INTERRUPTED"):
        assert f"| {getattr(exits, name)} |" in CLI


def test_every_method_of_the_client_is_documented() -> None:
    methods = {name for base in (Client, *Client.__bases__) for name in vars(base) if not name.startswith("_")}
    assert len(methods) > 30
    for method in methods:
        assert f"`{method}`" in CLIENT or f"client.{method}(" in CLIENT, method


def test_every_tool_is_documented() -> None:
    tools = [name for name in vars(Tools) if not name.startswith("_")]
    assert tools
    for tool in tools:
        assert f"| `{tool}` |" in MCP


def test_counters_are_shown_as_metrics() -> None:
    shown = (Path(__file__).parents[2] / "headwater/api/routes/system.py").read_text()
    for counter in fields(Counters):
        assert f"counters.{counter.name}" in shown


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_files_that_newcomers_are_sent_to_exist(page: str) -> None:
    names = re.findall(r"`([\w./-]+(?:/|\.(?:py|toml|ts|in|txt)))`", (ROOT / page).read_text())
    assert len(names) > 20
    code = [path.relative_to(ROOT) for part in ("headwater", "tests", "web/src") for path in (ROOT / part).rglob("*")]
    on_disk = {"search/"}  # of the data folder
    for name in set(names) - on_disk:
        parts = Path(name).parts
        assert (ROOT / name).exists() or any(path.parts[-len(parts) :] == parts for path in code), name


@pytest.mark.parametrize("page", [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))], ids=lambda page: page.stem)
def test_prose_wraps_at_120(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > 120 and not line.startswith("|") and "](" not in line]
    assert not long
