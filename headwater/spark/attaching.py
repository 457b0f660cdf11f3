"""Attaches the agent to every session whose configuration has `spark.headwater.url`, as soon as it is made. If
OpenLineage's listener is among the jars, it is added, too."""

import functools
import importlib.util
import logging
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from headwater.spark import openlineage_listener

log = logging.getLogger("headwater.spark")

_MODULE = "pyspark.sql.session"


def install() -> None:
    """PySpark is not imported here: that takes a while, and not every Python process wants it."""
    sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, real: Loader) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._real.exec_module(module)
        from pyspark import SparkContext

        _add_listener_to(SparkContext)
        _attach_to(module.SparkSession)

    def __getattr__(self, name: str) -> Any:  # what inspect and others ask a loader
        return getattr(self._real, name)


def _add_listener_to(context: Any) -> None:
    before = context._initialize_context

    @functools.wraps(before)
    def initialize(self: Any, settings: Any) -> Any:
        try:
            openlineage_listener.add(settings, self._jvm)
        except Exception:
            log.exception("batches are not reported: cannot set up the listener")
        return before(self, settings)

    context._initialize_context = initialize


def _attach_to(session: Any) -> None:
    before = session.__init__

    @functools.wraps(before)
    def init(self: Any, *arguments: Any, **named: Any) -> None:
        before(self, *arguments, **named)
        try:
            _attach(self)
        except Exception:
            log.exception("lineage is not reported: cannot attach the agent")

    session.__init__ = init


def _attach(spark: Any) -> None:
    from headwater.spark import agent, settings

    if not agent.is_attached(spark) and settings.url_of(spark) is not None:
        agent.attach(spark)
