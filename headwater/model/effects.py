"""Rare effects of events on the state, noted as they occur, for live updates.

Most events bring nothing new: the same job reads and writes the same datasets once more. So it
costs nothing to note what is new just where it is made (`State.note_effect`).
"""

import msgspec

from headwater.ids import Node


class Appeared(msgspec.Struct, frozen=True, gc=False):
    """A job or dataset was seen for the first time."""

    node: Node


class Linked(msgspec.Struct, frozen=True, gc=False):
    """A new edge."""

    src: Node
    dst: Node


class FacetSet(msgspec.Struct, frozen=True, gc=False):
    """A facet of a job or dataset has another content than before."""

    node: Node
    name: str


class ColumnsChanged(msgspec.Struct, frozen=True, gc=False):
    """Another column set of some producer of the dataset counts now."""

    node: Node


class Regrouped(msgspec.Struct, frozen=True, gc=False):
    """A dataset goes by other names now. `before`: the canonical one until then."""

    node: Node
    before: Node


class Altered(msgspec.Struct, frozen=True, gc=False):
    """A job or dataset looks different in some other way."""

    node: Node


class Overturned(msgspec.Struct, frozen=True, gc=False):
    """Something was deleted, or came back after that: too rare to work out what is different now."""


Effect = Appeared | Linked | FacetSet | ColumnsChanged | Regrouped | Altered | Overturned
