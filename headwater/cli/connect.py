"""`headwater connect`: connectors, through the server, which writes down who did what."""

import getpass
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter
from rich.console import RenderableType

from headwater.cli import console, exits
from headwater.cli.asking import DEFAULT, Asking, Flag
from headwater.client import Client
from headwater.client import connectors as calls
from headwater.client.call import Call
from headwater.errors import BadRequest, NotFound
from headwater.shapes.connect import ConfigCheck, Operation
from headwater.show import connectors as shown

connect = App(name="connect", help="See and operate connectors of Kafka Connect, through the server.")

Cluster = Annotated[str | None, Parameter(help="Which cluster; may be left out when the server knows only one.")]
User = Annotated[
    str | None, Parameter(env_var="HEADWATER_USER", help="Who does it, for the log; by default your user name.")
]


@connect.command
def clusters(*, asking: Asking = DEFAULT) -> None:
    """Show the Connect clusters that the server knows."""
    with asking.client() as client:
        asking.show(client, calls.clusters(), shown.clusters)


@connect.command(name="list")
def list_(*, cluster: Cluster = None, asking: Asking = DEFAULT) -> None:
    """Show the connectors of one cluster or of all, with their states and what flows."""
    with asking.client() as client:
        asking.show(client, calls.connectors(cluster), shown.connectors)


@connect.command
def show(name: str, /, *, cluster: Cluster = None, asking: Asking = DEFAULT) -> None:
    """Show a connector: its tasks and their errors, configuration without secrets, topics and offsets."""
    with asking.client() as client:
        asking.show(client, calls.connector(_cluster(client, cluster), name), shown.connector)


@connect.command
def offsets(name: str, /, *, cluster: Cluster = None, asking: Asking = DEFAULT) -> None:
    """Show how far a connector is."""
    with asking.client() as client:
        asking.show(client, calls.connector(_cluster(client, cluster), name), shown.offsets)


@connect.command
def plugins(*, cluster: Cluster = None, asking: Asking = DEFAULT) -> None:
    """Show the connector classes that a cluster has."""
    with asking.client() as client:
        asking.show(client, calls.plugins(_cluster(client, cluster)), shown.plugins)


@connect.command
def validate(file: Path, /, *, cluster: Cluster = None, asking: Asking = DEFAULT) -> None:
    """Ask a connector's class what it says of a configuration. Changes nothing; exit code 3 when something is wrong.

    Parameters
    ----------
    file
        JSON, as Connect takes it: {"name": …, "config": {…}}, or the options alone; - is standard input.
    """
    _, config = _read(file)
    with asking.client() as client:
        answer = client.ask(calls.validate(_cluster(client, cluster), config))
    check: ConfigCheck = answer.value
    if asking.json:
        console.write(answer.body + b"\n")
    else:
        console.show(shown.check(check))
    if check.errorCount:
        sys.exit(exits.FOUND)


@connect.command
def create(
    file: Path, /, *, name: str | None = None, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT
) -> None:
    """Make a connector from a JSON file. It is validated first.

    Parameters
    ----------
    file
        JSON, as Connect takes it: {"name": …, "config": {…}}, or the options alone; - is standard input.
    name
        Its name, where the file has none.
    """
    told, config = _read(file)
    given = name or told
    if given is None:
        raise BadRequest(f"{file} has no name; say it with --name")
    _do(asking, cluster, lambda where: calls.create(where, given, config, by=_who(user)))


@connect.command
def configure(
    name: str, file: Path, /, *, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT
) -> None:
    """Give a connector another configuration. Values that are [hidden] stay as they are.

    Parameters
    ----------
    file
        JSON with all options, as `headwater connect show --json` has them under `config`; - is standard input.
    """
    _, config = _read(file)
    _do(asking, cluster, lambda where: calls.configure(where, name, config, by=_who(user)))


@connect.command
def pause(name: str, /, *, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT) -> None:
    """Pause a connector; its tasks stay where they are."""
    _do(asking, cluster, lambda where: calls.change(where, name, "pause", by=_who(user)))


@connect.command
def resume(name: str, /, *, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT) -> None:
    """Let a connector go on that was paused or stopped."""
    _do(asking, cluster, lambda where: calls.change(where, name, "resume", by=_who(user)))


@connect.command
def stop(name: str, /, *, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT) -> None:
    """Stop a connector; its tasks end, its configuration and offsets stay."""
    _do(asking, cluster, lambda where: calls.change(where, name, "stop", by=_who(user)))


@connect.command
def restart(
    name: str,
    /,
    *,
    failed: Flag = False,
    task: int | None = None,
    cluster: Cluster = None,
    user: User = None,
    asking: Asking = DEFAULT,
) -> None:
    """Restart a connector with its tasks.

    Parameters
    ----------
    failed
        Only what has failed.
    task
        Only this task.
    """

    def call(where: str) -> Call[Operation]:
        if task is not None:
            return calls.restart_task(where, name, task, by=_who(user))
        return calls.change(where, name, "restart", by=_who(user), only_failed=failed or None)

    _do(asking, cluster, call)


@connect.command
def delete(
    name: str, /, *, yes: Flag = False, cluster: Cluster = None, user: User = None, asking: Asking = DEFAULT
) -> None:
    """Delete a connector. What the graph knows of it stays.

    Parameters
    ----------
    yes
        Without asking back.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise BadRequest(f"{name} would be deleted: say so with --yes")
        if console.err.input(f"Delete the connector [bold]{name}[/]? Its offsets go with it. (yes/no) ") != "yes":
            raise BadRequest("nothing was deleted")
    _do(asking, cluster, lambda where: calls.delete(where, name, by=_who(user)))


def _do(asking: Asking, cluster: str | None, call: Callable[[str], Call[Operation]]) -> None:
    with asking.client() as client:
        render: Callable[[Operation], RenderableType] = shown.operation
        asking.show(client, call(_cluster(client, cluster)), render)


def _who(user: str | None) -> str:
    return user or getpass.getuser()


def _cluster(client: Client, name: str | None) -> str:
    if name is not None:
        return name
    known = [each.name for each in client.connect_clusters().clusters]
    if not known:
        raise NotFound("the server knows no Connect cluster; start it with --connect NAME=URL")
    if len(known) > 1:
        raise BadRequest(f"the server knows {', '.join(known)}: say which with --cluster")
    return known[0]


def _read(file: Path) -> tuple[str | None, dict[str, str]]:
    """A name, if there is one, and the options as texts, as Connect wants them."""
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        told: Any = msgspec.json.decode(text)
    except OSError as e:
        raise BadRequest(f"{file} cannot be read: {e.strerror}") from None
    except msgspec.DecodeError as e:
        raise BadRequest(f"{file} is not JSON: {e}") from None
    name = told.get("name") if isinstance(told, dict) else None
    config = told.get("config", told) if isinstance(told, dict) else None
    if not isinstance(config, dict) or any(isinstance(value, dict | list) for value in config.values()):
        raise BadRequest(f'{file} has to be {{"name": …, "config": {{…}}}}, with texts and numbers as values')
    return name, {key: _text(value) for key, value in config.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
