"""`headwater impact`"""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from headwater.cli import console
from headwater.cli.asking import DEFAULT, Asking, Flag, Several, When, find
from headwater.cli.exits import FOUND
from headwater.client import Client, calls, names
from headwater.errors import BadRequest, NotFound
from headwater.shapes.impact import Impact, Impacted
from headwater.show import answers
from headwater.show.words import many

_USES = {"direct": ("DIRECT",), "indirect": ("INDIRECT",), "unknown": ("UNKNOWN",), "any": None}
_LIMIT = 100  # as much as anyone reads


def impact(
    *name: str,
    fail_on: Several = (),
    ignore: Several = (),
    active_since: When | None = None,
    missing_ok: Flag = False,
    depth: int | None = None,
    limit: int | None = None,
    at: When | None = None,
    asking: Asking = DEFAULT,
) -> None:
    """Show whom a change would hit: everything downstream of jobs, datasets or columns.

    With --fail-on it is a check for a pipeline: `headwater impact orders.price --fail-on direct`.

    Parameters
    ----------
    name
        Names or node ids; a column as `orders.price`.
    fail_on
        End with 3 when something is hit: `direct` use (values are copied or computed), `indirect` use (rows
        are filtered, joined, grouped or sorted), `unknown` use, `any`, or `owner:NAME`. May be given again.
    ignore
        Do not count what this names: `owner:NAME`, `namespace:NAME`, or a node id. May be given again.
    active_since
        Count only what ran or was written since: a time, or how long ago (`30d`).
    missing_ok
        A name that nobody has heard of hits nobody: end with 0 instead of 4.
    depth
        How many jobs away.
    limit
        How many to show.
    at
        The graph as it was then: a time, or how long ago (`2h`, `7d`).
    """
    rules = [_rule(text) for text in fail_on]
    spared = [_spared(text) for text in ignore]
    if not name:
        raise BadRequest("say what would change: headwater impact NAME…")
    if limit is None and not rules:  # a check looks at all that the server tells
        limit = _LIMIT
    failures: list[str] = []
    with asking.client() as client:
        for one in name:
            try:
                node = _only(client, one) if rules else find(client, one)
                answer = client.ask(calls.impact(node, depth=depth, limit=limit, at=at))
            except NotFound as e:
                if not missing_ok:
                    raise
                console.note(f"{one}: {e}")
                continue
            value = answer.value
            if asking.json:
                console.write(answer.body + b"\n")
            else:
                console.show(answers.impact(value))
            if rules:
                failures += _failures(one, value, rules, spared, active_since)
    for failure in failures:
        console.err.print(failure, style="bold red", markup=False, soft_wrap=True)
    if failures:
        sys.exit(FOUND)


def _only(client: Client, text: str) -> str:
    """For a check, a good guess is not good enough."""
    found = names.find(client, text)
    if found.others:
        others = "\n  ".join((found.node_id, *found.others))
        raise BadRequest(f"{text!r} may be any of these; a check needs to know which:\n  {others}")
    return found.node_id


class _Rule:
    def __init__(self, text: str, uses: tuple[str, ...] | None, owner: str | None) -> None:
        self.text, self._uses, self._owner = text, uses, owner

    def hits(self, found: Impacted) -> bool:
        if self._owner is not None:
            return self._owner in found.owners
        return self._uses is None or found.use in self._uses


def _rule(text: str) -> _Rule:
    kind, _, owner = text.partition(":")
    if kind == "owner" and owner:
        return _Rule(text, None, owner)
    if text not in _USES:
        raise BadRequest(f"--fail-on {text!r} is none of {', '.join(_USES)} and owner:NAME")
    return _Rule(text, _USES[text], None)


def _spared(text: str) -> tuple[str, str]:
    kind, _, value = text.partition(":")
    if kind not in ("owner", "namespace", "job", "dataset", "datasetField") or not value:
        raise BadRequest(f"--ignore {text!r} is none of owner:NAME, namespace:NAME and a node id")
    return (kind, value) if kind in ("owner", "namespace") else ("node", text)


def _is_spared(found: Impacted, spared: Iterable[tuple[str, str]]) -> bool:
    return any(
        {"owner": value in found.owners, "namespace": value == found.namespace, "node": value == found.nodeId}[kind]
        for kind, value in spared
    )


def _failures(
    name: str,
    answer: Impact,
    rules: list[_Rule],
    spared: list[tuple[str, str]],
    active_since: datetime | None,
) -> Iterable[str]:
    counted = [
        found
        for level in answer.levels
        for found in level.nodes
        if not _is_spared(found, spared) and (active_since is None or _last_sign(found) >= active_since)
    ]
    failed = False
    for rule in rules:
        hit = [found for found in counted if rule.hits(found)]
        if hit:
            failed = True
            owners = sorted({owner for found in hit for owner in found.owners})
            ask = f"; ask {', '.join(owners)}" if owners else "; nobody is named as owner"
            yield f"{name}: {rule.text}: {many(len(hit), 'node')} hit, the first is {hit[0].nodeId}{ask}"
    if answer.truncated and not failed:
        yield f"{name}: more is hit than was looked at; give a larger --limit, or --depth"


def _last_sign(found: Impacted) -> datetime:
    run = found.latestRun
    return (run and (run.endedAt or run.startedAt)) or datetime.min.replace(tzinfo=UTC)
