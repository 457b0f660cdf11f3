"""What the live stream sends, one message for each event that was ingested.

Whoever knows the nodes, edges and runs as of one position and applies the messages after it,
each as sets to add and to remove, knows them as of the last. Applying one twice does no harm.
"""

from datetime import datetime

import msgspec

from headwater.shapes.common import EdgeRef, NodeRef


class LiveRun(msgspec.Struct, gc=False):
    id: str
    job: str  # node id
    state: str
    before: str | None  # the state before this event; None for a run that is new
    startedAt: datetime | None
    endedAt: datetime | None


class LiveChange(msgspec.Struct):
    """`event: change`, with the position as its id."""

    position: int
    eventTime: datetime
    # START, RUNNING, COMPLETE, ABORT, FAIL, OTHER; STATIC for job and dataset events, EDIT for
    # what people change through the API.
    eventType: str
    run: LiveRun | None
    job: str | None  # node id
    dataset: str | None  # node id, of a dataset event
    inputs: list[str]
    outputs: list[str]
    addedNodes: list[NodeRef] = []
    addedEdges: list[EdgeRef] = []
    removedNodes: list[str] = []  # they go by another name now, or were deleted
    removedEdges: list[EdgeRef] = []
    schemas: list[str] = []  # datasets whose schema changed
    columns: list[str] = []  # datasets whose column lineage changed
    changed: list[str] = []  # other nodes that look different now: facets, names, tags


class LiveHello(msgspec.Struct):
    """`event: hello`, the first message to a new subscriber: changes after `position` follow."""

    position: int


class LiveResync(msgspec.Struct):
    """`event: resync`: changes were missed; ask again for what is shown and go on from `position`."""

    position: int
    reason: str
