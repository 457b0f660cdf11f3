"""Asking a world why, without a server."""

from typing import Any

import msgspec

from headwater.answers.why import judge
from headwater.ids import Micros, Node, RunId
from headwater.model.entities import INPUT
from headwater.openlineage.timestamps import parse
from headwater.shapes.why import Suspect
from headwater.why.upstream import Scope, Upstream
from tests.support.world import World


class Answer(msgspec.Struct):
    scope: Scope
    suspects: list[Suspect]

    def listed(self) -> list[str]:
        """`RUN_FAILED clean`, in order."""
        return [f"{s.kind} {s.nodeId.rpartition(':')[2]}" for s in self.suspects]

    def one(self, kind: str, name: str) -> Suspect:
        (suspect,) = [s for s in self.suspects if s.kind == kind and s.nodeId.endswith(f":{name}")]
        return suspect

    def dump(self) -> Any:
        return msgspec.to_builtins(self.suspects)


def why(world: World, name: str, at: str, *, days: float = 7, depth: int = 20) -> Answer:
    """`name` as `World` has them: `orders`, `clean()`, `orders.price`, or `run:ID`."""
    moment = parse(at)
    about = world.tables.runs([RunId(name[4:])])[0] if name.startswith("run:") else None
    table, _, column = name.rpartition(".")
    kind_of = world.renderer.jobs.job_type
    upstream = Upstream(world.state, world.contents, moment, depth, kind_of, strict=bool(table))
    if about is not None:
        read = {Node(key >> 1) for key in about.uses if key & 1 == INPUT}
        upstream.from_job(world.state.job_of(about.job), read or None)
    elif table:
        upstream.from_dataset(world.node(table), {column})
    elif name.endswith("()"):
        upstream.from_job(world.state.job_of(world.node(name)))
    else:
        upstream.from_dataset(world.node(name), None)
    for _ in upstream.walk():
        pass
    since = Micros(moment - round(days * 86_400_000_000))
    suspects, _ = judge(world.tables, world.log, upstream.scope, since, about)
    return Answer(upstream.scope, suspects)
