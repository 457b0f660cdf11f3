"""The documentation names every route, setting, command and metric."""

from dataclasses import fields
from pathlib import Path

import pytest

from headwater.api.routes import api_router
from headwater.api.search import beta_router
from headwater.api.system import healthz, metrics
from headwater.cli.main import app
from headwater.config import Settings
from headwater.service import Counters

DOCS = Path(__file__).parents[2] / "docs"
API, RUNNING = (DOCS / "api.md").read_text(), (DOCS / "running.md").read_text()


def test_every_route_is_documented() -> None:
    paths = {route.path.removeprefix("/api/v1") for route in api_router.routes}
    paths |= {*healthz.paths, *metrics.paths, *(route.path for route in beta_router.routes)}
    assert len(paths) > 10
    for path in paths:
        assert path.replace(":str", "") in API


@pytest.mark.parametrize("setting", [field.name for field in fields(Settings)])
def test_every_setting_is_documented(setting: str) -> None:
    assert f"HEADWATER_{setting.upper()}" in RUNNING


def test_every_command_is_documented() -> None:
    commands = [name for name in app if not name.startswith("-")]
    assert commands
    for command in commands:
        assert f"headwater {command}" in RUNNING


def test_counters_are_shown_as_metrics() -> None:
    shown = (Path(__file__).parents[2] / "headwater/api/system.py").read_text()
    for counter in fields(Counters):
        assert f"counters.{counter.name}" in shown
