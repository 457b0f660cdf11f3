"""`headwater impact`"""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime

from headwater.cli import console
from headwater.cli.exits import CHECK_FAILED
from headwater.cli.query_options import DEFAULT, Flag, QueryOptions, Repeatable, Time, resolve
from headwater.client import Client, names, queries
from headwater.errors import BadRequest, NotFound
from headwater.shapes.impact import Impact, Impacted
from headwater.show import results
from headwater.show.format import plural

_USES = {"direct": ("DIRECT",), "indirect": ("INDIRECT",), "unknown": ("UNKNOWN",), "any": None}
_LIMIT = 100  # for reading; a check looks at everything


def impact(
    *name: str,
    fail_on: Repeatable = (),
    ignore: Repeatable = (),
    active_since: Time | None = None,
    missing_ok: Flag = False,
    depth: int | None = None,
    limit: int | None = None,
    at: Time | None = None,
    options: QueryOptions = DEFAULT,
) -> None:
    """Show what a change would affect: everything downstream of jobs, datasets or columns.

    With --fail-on it is a check for CI: `headwater impact orders.price --fail-on direct`.

    Parameters
    ----------
    name
        Names or node ids; a column as `orders.price`.
    fail_on
        Exit with code 3 if something is affected: by `direct` use (values are copied or computed), `indirect` use
        (rows are filtered, joined, grouped or sorted), `unknown` use, `any` use, or if it belongs to `owner:NAME`.
        Repeatable.
    ignore
        Do not count `owner:NAME`, `namespace:NAME` or a node id. Repeatable.
    active_since
        Count only what ran or was written since then: a time, or how long ago (`30d`).
    missing_ok
        An unknown name affects nothing: exit with code 0 instead of 4.
    depth
        How many jobs away to look.
    limit
        How many jobs and datasets to show.
    at
        The graph at this time: a time, or how long ago (`2h`, `7d`).
    """
    rules = [_rule(text) for text in fail_on]
    ignored = [_ignored(text) for text in ignore]
    if not name:
        raise BadRequest("a name is missing: headwater impact NAME…")
    if limit is None and not rules:
        limit = _LIMIT
    failures: list[str] = []
    with options.client() as client:
        for text in name:
            try:
                node = _unambiguous(client, text) if rules else resolve(client, text)
                answer = client.ask(queries.impact(node, depth=depth, limit=limit, at=at))
            except NotFound as e:
                if not missing_ok:
                    raise
                console.note(f"{text}: {e}")
                continue
            value = answer.value
            if options.json:
                console.write(answer.body + b"\n")
            else:
                console.show(results.impact(value))
            if rules:
                failures += _failures(text, value, rules, ignored, active_since)
    for failure in failures:
        console.err.print(failure, style="bold red", markup=False, soft_wrap=True)
    if failures:
        sys.exit(CHECK_FAILED)


def _unambiguous(client: Client, text: str) -> str:
    """A check does not guess."""
    match = names.resolve(client, text)
    if match.others:
        candidates = "\n  ".join((match.node_id, *match.others))
        raise BadRequest(f"{text!r} is ambiguous; give one of these node ids:\n  {candidates}")
    return match.node_id


class _Rule:
    def __init__(self, text: str, uses: tuple[str, ...] | None, owner: str | None) -> None:
        self.text, self._uses, self._owner = text, uses, owner

    def matches(self, node: Impacted) -> bool:
        if self._owner is not None:
            return self._owner in node.owners
        return self._uses is None or node.use in self._uses


def _rule(text: str) -> _Rule:
    kind, _, owner = text.partition(":")
    if kind == "owner" and owner:
        return _Rule(text, None, owner)
    if text not in _USES:
        raise BadRequest(f"--fail-on {text!r}: choose one of {', '.join(_USES)}, owner:NAME")
    return _Rule(text, _USES[text], None)


def _ignored(text: str) -> tuple[str, str]:
    kind, _, value = text.partition(":")
    if kind not in ("owner", "namespace", "job", "dataset", "datasetField") or not value:
        raise BadRequest(f"--ignore {text!r}: give owner:NAME, namespace:NAME or a node id")
    return (kind, value) if kind in ("owner", "namespace") else ("node", text)


def _is_ignored(node: Impacted, ignored: Iterable[tuple[str, str]]) -> bool:
    return any(
        {"owner": value in node.owners, "namespace": value == node.namespace, "node": value == node.nodeId}[kind]
        for kind, value in ignored
    )


def _failures(
    name: str,
    answer: Impact,
    rules: list[_Rule],
    ignored: list[tuple[str, str]],
    active_since: datetime | None,
) -> Iterable[str]:
    counted = [
        node
        for level in answer.levels
        for node in level.nodes
        if not _is_ignored(node, ignored) and (active_since is None or _last_active(node) >= active_since)
    ]
    failed = False
    for rule in rules:
        affected = [node for node in counted if rule.matches(node)]
        if affected:
            failed = True
            owners = sorted({owner for node in affected for owner in node.owners})
            ask = f"ask {', '.join(owners)}" if owners else "no owner known"
            count = plural(len(affected), "node")
            yield f"{name}: {rule.text}: {count} affected, the first is {affected[0].nodeId}; {ask}"
    if answer.truncated and not failed:
        yield f"{name}: not everything downstream was checked; use a larger --limit or --depth"


def _last_active(node: Impacted) -> datetime:
    run = node.latestRun
    return (run and (run.endedAt or run.startedAt)) or datetime.min.replace(tzinfo=UTC)
