"""Results of Headwater's own questions: impact, why, diff, freshness, gaps, search."""

import re
from collections.abc import Callable, Iterable
from html import unescape
from typing import TypeVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from headwater.shapes.common import EdgeRef
from headwater.shapes.diff import Diff, FieldRef, FieldRetyped
from headwater.shapes.freshness import Freshness, Gaps
from headwater.shapes.impact import Impact, Impacted
from headwater.shapes.search import Highlight, SearchAnswer
from headwater.shapes.why import Evidence, Why
from headwater.show.format import duration, error_summary, node, plural, properties, ref, state, table, timestamp

T = TypeVar("T")

_USES = {"DIRECT": "bold red", "INDIRECT": "yellow", "UNKNOWN": "dim"}


def impact(answer: Impact) -> RenderableType:
    counts = [plural(answer.jobs, "job"), plural(answer.datasets, "dataset"), plural(answer.columns, "column")]
    if not answer.levels:
        return Text.assemble(node(answer.nodeId), " feeds nothing")
    rows = table("distance", "use", "last run", "every", "owners", "affected")
    for level in answer.levels:
        for hit in level.nodes:
            rows.add_row(str(hit.distance), Text(hit.use, _USES.get(hit.use, "")), *_run(hit), ref(hit))
    parts: list[RenderableType] = [Text.assemble(node(answer.nodeId), " feeds ", ", ".join(counts)), rows]
    if answer.owners:
        owners = ", ".join(f"{owner} ({count})" for owner, count in sorted(answer.owners.items()))
        parts.append(Text.assemble(("owners: ", "dim"), owners))
    if answer.truncated:
        shown = answer.jobs + answer.datasets
        parts.append(Text(f"showing the nearest {shown:,} jobs and datasets; use a larger limit for more", "dim"))
    return Group(*parts)


def _run(hit: Impacted) -> tuple[Text, str, str]:
    run = hit.latestRun
    last = Text.assemble(state(run.state), " ", timestamp(run.endedAt or run.startedAt)) if run else Text("")
    return last, duration(hit.everySeconds), ", ".join(hit.owners)


def why(answer: Why) -> RenderableType:
    counts = answer.examined
    jobs, datasets = plural(counts.jobs, "job"), plural(counts.datasets, "dataset")
    examined = (
        f"{jobs}, {datasets} and {plural(counts.runs, 'run')} upstream, "
        f"from {timestamp(answer.since)} to {timestamp(answer.at)}"
    )
    parts: list[RenderableType] = [Text.assemble(node(answer.nodeId), (f"  examined {examined}", "dim"))]
    if not answer.suspects:
        parts.append(Text("no suspects: nothing failed, was late, or changed its schema", "green"))
    for number, suspect in enumerate(answer.suspects, 1):
        parts.append(
            Text.assemble(
                (f"{number}. ", "bold"),
                (f"{suspect.suspicion:.2f} ", "bold red" if suspect.suspicion >= 0.5 else "yellow"),
                (suspect.kind, "bold"),
                f"  {suspect.summary}",
            )
        )
        away = "itself" if suspect.distance == 0 else f"{plural(suspect.distance, 'job')} away"
        parts.append(
            Padding(
                properties(
                    ("where", Text.assemble(node(suspect.nodeId), (f"  {away}", "dim"))),
                    ("when", timestamp(suspect.at)),
                    *_evidence(suspect.evidence),
                ),
                (0, 0, 0, 3),
            )
        )
    if answer.truncated:
        parts.append(Text("there is more upstream; only the nearest nodes were examined", "dim"))
    return Group(*parts)


def _evidence(evidence: Evidence) -> Iterable[tuple[str, RenderableType | None]]:
    run = evidence.runId and Text.assemble(evidence.runId, "  ", state(evidence.state))
    yield "run", run or None
    yield "started", timestamp(evidence.startedAt)
    yield "ended", timestamp(evidence.endedAt)
    yield "last event", timestamp(evidence.lastSign)
    yield "expected", timestamp(evidence.expectedAt)
    yield "every", duration(evidence.everySeconds)
    yield "error", error_summary(evidence.error)
    yield "schema", fields(evidence.added, evidence.removed, evidence.retyped)
    yield "was", evidence.previousName
    if evidence.statistic:
        yield evidence.statistic, f"{_number(evidence.before)} → {_number(evidence.after)}"
    yield "events", ", ".join(map(str, evidence.positions))


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:,.15g}"


def fields(
    added: Iterable[FieldRef], removed: Iterable[FieldRef], retyped: Iterable[FieldRetyped]
) -> RenderableType | None:
    changes = [Text(f"+ {f.name} {f.type or ''}".rstrip(), "green") for f in added]
    changes += [Text(f"- {f.name} {f.type or ''}".rstrip(), "red") for f in removed]
    changes += [Text(f"~ {f.name} {f.before} → {f.after}", "yellow") for f in retyped]
    return Text("  ").join(changes) if changes else None


def diff(answer: Diff) -> RenderableType:
    lead = Text(f"from {timestamp(answer.since)} to {timestamp(answer.until)}", "dim")
    if answer.nodeId:
        lead = Text.assemble(node(answer.nodeId), "  ", lead)
    parts: list[RenderableType] = [lead]
    parts += _signed(answer.nodes.added, answer.nodes.removed, ref)
    parts += _signed(answer.edges.added, answer.edges.removed, _edge)
    parts += _signed(answer.columns.added, answer.columns.removed, _edge)
    for change in answer.schemas:
        changes = fields(change.added, change.removed, change.retyped)
        parts.append(Text.assemble(("~ ", "yellow"), node(change.nodeId), (f"  {timestamp(change.at)}", "dim")))
        if changes is not None:
            parts.append(Padding(changes, (0, 0, 0, 4)))
    if len(parts) == 1:
        parts.append(Text("nothing changed", "green"))
    if answer.truncated:
        parts.append(Text("there are more changes; use a larger limit", "dim"))
    return Group(*parts)


def _signed(added: list[T], removed: list[T], text: Callable[[T], Text]) -> list[Text]:
    return [
        *(Text.assemble(("+ ", "bold green"), text(one)) for one in added),
        *(Text.assemble(("- ", "bold red"), text(one)) for one in removed),
    ]


def _edge(edge: EdgeRef) -> Text:
    return Text.assemble(node(edge.origin), (" → ", "dim"), node(edge.destination))


def freshness(answer: Freshness) -> RenderableType:
    late = Text("late", "bold red") if answer.late else Text("on time", "green")
    run = answer.run
    about = properties(
        (
            "written",
            f"{timestamp(answer.lastWrittenAt)}  {_age(answer.ageSeconds)}" if answer.lastWrittenAt else "never",
        ),
        ("by", node(answer.job) if answer.job else None),
        ("run", Text.assemble(run.id, "  ", state(run.state)) if run else None),
        ("every", duration(answer.everySeconds)),
        ("expected", Text.assemble(timestamp(answer.expectedAt), "  ", late) if answer.expectedAt else None),
    )
    parts: list[RenderableType] = [node(answer.nodeId), about]
    if answer.inputs:
        rows = table("age", "written", "", "made from")
        for one in answer.inputs:
            late = Text("late", "bold red") if one.late else Text("")
            rows.add_row(duration(one.ageSeconds), timestamp(one.lastWrittenAt) or "never", late, ref(one))
        parts.append(rows)
    if answer.truncated:
        parts.append(Text(f"showing the {len(answer.inputs)} oldest inputs; there are more", "dim"))
    return Group(*parts)


def _age(seconds: float | None) -> str:
    return f"{duration(seconds)} ago" if seconds is not None else ""


def gaps(answer: Gaps) -> RenderableType:
    kind = re.sub("[A-Z]", lambda letter: f" {letter[0].lower()}", answer.kind)  # jobsWithoutOwner
    if not answer.totalCount:
        return Text(f"no {kind}", "green")
    parts: list[RenderableType] = [Text(f"{answer.totalCount:,} {kind}"), *(ref(one) for one in answer.nodes)]
    if len(answer.nodes) < answer.totalCount:
        parts.append(Text(f"{len(answer.nodes)} of {answer.totalCount:,} shown", "dim"))
    return Group(*parts)


def search(answer: SearchAnswer) -> RenderableType:
    if not answer.results:
        return Text("no matches", "dim")
    rows = table("updated", "node", "match")
    for hit in answer.results:
        rows.add_row(timestamp(hit.updatedAt), node(hit.nodeId, name=hit.name), _highlights(hit.highlights))
    parts: list[RenderableType] = [rows]
    if len(answer.results) < answer.totalCount:
        parts.append(Text(f"{len(answer.results)} of {answer.totalCount:,} shown", "dim"))
    return Group(*parts)


def _highlights(highlights: Iterable[Highlight]) -> Text:
    """Matches outside the name, which is shown anyway."""
    parts = [Text.assemble((f"{one.field}: ", "dim"), _marked(one.text)) for one in highlights if one.field != "name"]
    return Text(" · ", "dim").join(parts)


def _marked(text: str) -> Text:
    """`the <em>price</em> column` with the match in colour."""
    marked = Text()
    for part in re.split(r"(<em>.*?</em>)", text):
        hit = part.startswith("<em>")
        marked.append(unescape(part.removeprefix("<em>").removesuffix("</em>")), "bold green" if hit else "")
    return marked
