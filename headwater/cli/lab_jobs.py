"""`headwater lab run` and `headwater lab env`: jobs with the lab's endpoints."""

import os
import shlex
import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter

from headwater.cli import console
from headwater.cli.asking import Flag
from headwater.cli.lab_options import HERE, Which, downloads
from headwater.errors import BadRequest
from headwater.lab import jars, needs, state
from headwater.lab.pipeline import JOBS, OF_STREAMS, environment
from headwater.lab.state import Lab


def run(
    job: str,
    /,
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True)],
    which: Which = HERE,
) -> None:
    """Run a job of the orders pipeline in the foreground, with the lab's endpoints.

    Parameters
    ----------
    job
        produce, streams, supplier_stats, supplier_stats_stream, iceberg_ingestion or orders_archive.
    arguments
        Its own options.
    """
    if job not in JOBS:
        raise BadRequest(f"no job {job!r}; there are {', '.join(JOBS)}")
    root = needs.pipeline()
    found = which.read()
    if not state.is_running(which.folder):
        raise BadRequest(f"the lab {found.name} is not running: start it with `headwater lab up{which.again}`")
    if job in OF_STREAMS and any(s.name == "streams" and s.pid for s in found.services):
        raise BadRequest(
            f"this lab runs {job} already, with the same checkpoints: stop that first with "
            f"`headwater lab stop streams{which.again}`"
        )
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    more = {"PYTHONPATH": path, "SPARK_LOCAL_IP": found.values["host"]}
    sys.stdout.flush()
    # In place of this process, so that Ctrl-C and the exit code are the job's own.
    words = [sys.executable, "-m", f"pipeline.{job}", *arguments]
    os.execve(sys.executable, words, {**os.environ, **_environment(which, found), **more})  # noqa: S606


def env(*, json: Flag = False, which: Which = HERE) -> None:
    """Print the lab's endpoints as variables, for jobs of your own: `eval "$(headwater lab env)"`.

    Parameters
    ----------
    json
        Print JSON.
    """
    found = _environment(which, which.read())
    if json:
        console.write(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    else:
        console.write("".join(f"export {name}={shlex.quote(value)}\n" for name, value in found.items()))


def _environment(which: Which, found: Lab) -> dict[str, str]:
    """The variables of the pipeline's jobs; the jars that they name are there when this returns."""
    programs = jars.home(jars.cache())
    with downloads() as report:
        jars.ensure(programs, [jars.SPARK], os.environ, report)
    values = {**found.values, "folder": str(which.folder), "jars": str(programs)}
    return environment([service.name for service in found.services], values)
