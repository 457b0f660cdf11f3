"""`headwater connect`: connectors, through the server, which logs who did what."""

import getpass
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter
from rich.console import RenderableType

from headwater.cli import console, exits
from headwater.cli.query_options import DEFAULT, Flag, QueryOptions
from headwater.client import Client
from headwater.client import connectors as requests
from headwater.client.request import Request
from headwater.errors import BadRequest, NotFound
from headwater.shapes.connect import ConfigCheck, Operation
from headwater.show import connectors as tables

connect = App(name="connect", help="Show and operate connectors of Kafka Connect, through the server.")

Cluster = Annotated[str | None, Parameter(help="The cluster; needed only if the server knows several.")]
Name = Annotated[str, Parameter(help="The connector.")]
User = Annotated[str | None, Parameter(env_var="HEADWATER_USER", help="The user name for the log; by default yours.")]


@connect.command
def clusters(*, options: QueryOptions = DEFAULT) -> None:
    """Show the Connect clusters that the server knows."""
    with options.client() as client:
        options.show(client, requests.clusters(), tables.clusters)


@connect.command(name="list")
def list_(*, cluster: Cluster = None, options: QueryOptions = DEFAULT) -> None:
    """Show the connectors of one cluster or of all, with state, throughput and lag."""
    with options.client() as client:
        options.show(client, requests.connectors(cluster), tables.connectors)


@connect.command
def show(name: Name, /, *, cluster: Cluster = None, options: QueryOptions = DEFAULT) -> None:
    """Show a connector: tasks and their errors, configuration without secrets, topics and offsets."""
    with options.client() as client:
        options.show(client, requests.connector(_cluster(client, cluster), name), tables.connector)


@connect.command
def offsets(name: Name, /, *, cluster: Cluster = None, options: QueryOptions = DEFAULT) -> None:
    """Show the offsets of a connector."""
    with options.client() as client:
        options.show(client, requests.connector(_cluster(client, cluster), name), tables.offsets)


@connect.command
def plugins(*, cluster: Cluster = None, options: QueryOptions = DEFAULT) -> None:
    """Show the connector classes that a cluster has."""
    with options.client() as client:
        options.show(client, requests.plugins(_cluster(client, cluster)), tables.plugins)


@connect.command
def validate(file: Path, /, *, cluster: Cluster = None, options: QueryOptions = DEFAULT) -> None:
    """Check a configuration with its connector class. Changes nothing; exits with code 3 if it is invalid.

    Parameters
    ----------
    file
        JSON as Connect takes it: {"name": …, "config": {…}}, or the options alone; - for standard input.
    """
    _, config = _read(file)
    with options.client() as client:
        answer = client.ask(requests.validate(_cluster(client, cluster), config))
    check: ConfigCheck = answer.value
    if options.json:
        console.write(answer.body + b"\n")
    else:
        console.show(tables.check(check))
    if check.errorCount:
        sys.exit(exits.CHECK_FAILED)


@connect.command
def create(
    file: Path,
    /,
    *,
    name: str | None = None,
    cluster: Cluster = None,
    user: User = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Create a connector from a JSON file. It is validated first.

    Parameters
    ----------
    file
        JSON as Connect takes it: {"name": …, "config": {…}}, or the options alone; - for standard input.
    name
        Its name, if the file has none.
    """
    name_in_file, config = _read(file)
    connector = name or name_in_file
    if connector is None:
        raise BadRequest(f"{file} has no name; give one with --name")
    _do(options, cluster, lambda where: requests.create(where, connector, config, by=_user(user)))


@connect.command
def configure(
    name: Name, file: Path, /, *, cluster: Cluster = None, user: User = None, options: QueryOptions = DEFAULT
) -> None:
    """Replace the configuration of a connector. Values that are [hidden] stay as they are.

    Parameters
    ----------
    file
        JSON with all options, as under `config` in `headwater connect show --json`; - for standard input.
    """
    _, config = _read(file)
    _do(options, cluster, lambda where: requests.configure(where, name, config, by=_user(user)))


@connect.command
def pause(name: Name, /, *, cluster: Cluster = None, user: User = None, options: QueryOptions = DEFAULT) -> None:
    """Pause a connector; its tasks stay assigned."""
    _do(options, cluster, lambda where: requests.change(where, name, "pause", by=_user(user)))


@connect.command
def resume(name: Name, /, *, cluster: Cluster = None, user: User = None, options: QueryOptions = DEFAULT) -> None:
    """Resume a paused or stopped connector."""
    _do(options, cluster, lambda where: requests.change(where, name, "resume", by=_user(user)))


@connect.command
def stop(name: Name, /, *, cluster: Cluster = None, user: User = None, options: QueryOptions = DEFAULT) -> None:
    """Stop a connector: its tasks end, its configuration and offsets stay."""
    _do(options, cluster, lambda where: requests.change(where, name, "stop", by=_user(user)))


@connect.command
def restart(
    name: Name,
    /,
    *,
    failed: Flag = False,
    task: int | None = None,
    cluster: Cluster = None,
    user: User = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Restart a connector and its tasks.

    Parameters
    ----------
    failed
        Only failed tasks, or the connector if it failed.
    task
        Only this task.
    """

    def request(where: str) -> Request[Operation]:
        if task is not None:
            return requests.restart_task(where, name, task, by=_user(user))
        return requests.change(where, name, "restart", by=_user(user), only_failed=failed or None)

    _do(options, cluster, request)


@connect.command
def delete(
    name: Name, /, *, yes: Flag = False, cluster: Cluster = None, user: User = None, options: QueryOptions = DEFAULT
) -> None:
    """Delete a connector. Its lineage stays in the graph.

    Parameters
    ----------
    yes
        Do not ask for confirmation.
    """
    if not yes:
        if not sys.stdin.isatty():
            raise BadRequest(f"confirm that {name} is to be deleted with --yes")
        if console.err.input(f"Delete the connector [bold]{name}[/]? Its offsets go with it. (yes/no) ") != "yes":
            raise BadRequest("cancelled; nothing was deleted")
    _do(options, cluster, lambda where: requests.delete(where, name, by=_user(user)))


def _do(options: QueryOptions, cluster: str | None, request: Callable[[str], Request[Operation]]) -> None:
    with options.client() as client:
        render: Callable[[Operation], RenderableType] = tables.operation
        options.show(client, request(_cluster(client, cluster)), render)


def _user(user: str | None) -> str:
    return user or getpass.getuser()


def _cluster(client: Client, name: str | None) -> str:
    if name is not None:
        return name
    names = [each.name for each in client.connect_clusters().clusters]
    if not names:
        raise NotFound("no Connect cluster configured; start the server with --connect NAME=URL")
    if len(names) > 1:
        raise BadRequest(f"the server knows several clusters; choose one with --cluster: {', '.join(names)}")
    return names[0]


def _read(file: Path) -> tuple[str | None, dict[str, str]]:
    """The name, if there is one, and the options as strings, as Connect wants them."""
    try:
        text = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        content: Any = msgspec.json.decode(text)
    except OSError as e:
        raise BadRequest(f"cannot read {file}: {e.strerror}") from None
    except msgspec.DecodeError as e:
        raise BadRequest(f"{file} is not JSON: {e}") from None
    name = content.get("name") if isinstance(content, dict) else None
    config = content.get("config", content) if isinstance(content, dict) else None
    if not isinstance(config, dict) or any(isinstance(value, dict | list) for value in config.values()):
        raise BadRequest(f'{file} must be {{"name": …, "config": {{…}}}} with strings and numbers as values')
    return name, {key: _text(value) for key, value in config.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
