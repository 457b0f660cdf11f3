"""`headwater mcp`"""

from headwater.cli.query_options import Flag, Url
from headwater.client import Client
from headwater.defaults import DEFAULT_URL
from headwater.errors import HeadwaterError


class NotInstalled(HeadwaterError):
    pass


def mcp(*, http: Flag = False, host: str = "127.0.0.1", port: int = 5050, url: Url = DEFAULT_URL) -> None:
    """Answer lineage questions of AI assistants (Model Context Protocol).

    Over standard input and output, for assistants that start it themselves, or over HTTP at /mcp.

    Parameters
    ----------
    http
        Listen on a port instead of standard input.
    host
        Address to listen on.
    port
        Port to listen on.
    """
    try:
        from headwater.mcp.server import mcp_server
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        raise NotInstalled("the MCP library is not installed; run pip install 'headwater[mcp]'") from None
    with Client(url) as client:
        server = mcp_server(client)
        if http:
            server.run("streamable-http", host=host, port=port)
        else:
            server.run("stdio")
