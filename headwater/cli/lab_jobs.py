"""`headwater lab run` and `headwater lab env`: jobs that use the lab's endpoints."""

import os
import shlex
import sys
from typing import Annotated

import msgspec
from cyclopts import Parameter

from headwater.cli import console
from headwater.cli.lab_options import DEFAULT, LabOptions, downloads
from headwater.cli.query_options import Flag
from headwater.errors import BadRequest
from headwater.lab import jars, requirements, state
from headwater.lab.pipeline import JOBS, SHARES_CHECKPOINTS, environment
from headwater.lab.state import Lab


def run(
    job: str,
    /,
    *arguments: Annotated[str, Parameter(allow_leading_hyphen=True)],
    options: LabOptions = DEFAULT,
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
        raise BadRequest(f"no job {job!r}; available: {', '.join(JOBS)}")
    root = requirements.pipeline()
    lab = options.read_lab()
    if not state.is_running(options.folder):
        raise BadRequest(f"the lab {lab.name} is not running; start it with `headwater lab up{options.arguments}`")
    if job in SHARES_CHECKPOINTS and any(s.name == "streams" and s.pid for s in lab.services):
        raise BadRequest(
            f"the lab already runs {job} with the same checkpoints; stop it first with "
            f"`headwater lab stop streams{options.arguments}`"
        )
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH"))))
    more = {"PYTHONPATH": path, "SPARK_LOCAL_IP": lab.values["host"]}
    sys.stdout.flush()
    # Replaces this process, so that Ctrl-C and the exit code are the job's own.
    command = [sys.executable, "-m", f"pipeline.{job}", *arguments]
    os.execve(sys.executable, command, {**os.environ, **_environment(options, lab), **more})  # noqa: S606


def env(*, json: Flag = False, options: LabOptions = DEFAULT) -> None:
    """Print the lab's endpoints as environment variables for your own jobs: `eval "$(headwater lab env)"`.

    Parameters
    ----------
    json
        Print JSON.
    """
    variables = _environment(options, options.read_lab())
    if json:
        console.write(msgspec.json.format(msgspec.json.encode(variables)) + b"\n")
    else:
        console.write("".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()))


def _environment(options: LabOptions, lab: Lab) -> dict[str, str]:
    """The variables of the pipeline's jobs. Downloads the jars that they name."""
    programs = jars.home(jars.cache())
    with downloads() as report:
        jars.ensure(programs, [jars.SPARK], os.environ, report)
    values = {**lab.values, "folder": str(options.folder), "jars": str(programs)}
    return environment([service.name for service in lab.services], values)
