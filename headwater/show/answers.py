"""Answers to Headwater's own questions."""

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
from headwater.show.words import facts, gist, many, moment, node, ref, span, state, table

Told = TypeVar("Told")

_USES = {"DIRECT": "bold red", "INDIRECT": "yellow", "UNKNOWN": "dim"}


def impact(answer: Impact) -> RenderableType:
    hit = [many(answer.jobs, "job"), many(answer.datasets, "dataset"), many(answer.columns, "column")]
    if not answer.levels:
        return Text.assemble(node(answer.nodeId), " feeds nothing")
    rows = table("away", "use", "last run", "every", "owners", "what is hit")
    for level in answer.levels:
        for found in level.nodes:
            rows.add_row(str(found.distance), Text(found.use, _USES.get(found.use, "")), *_run(found), ref(found))
    parts: list[RenderableType] = [Text.assemble(node(answer.nodeId), " feeds ", ", ".join(hit)), rows]
    if answer.owners:
        told = ", ".join(f"{owner} ({count})" for owner, count in sorted(answer.owners.items()))
        parts.append(Text.assemble(("owners: ", "dim"), told))
    if answer.truncated:
        shown = answer.jobs + answer.datasets
        parts.append(Text(f"the nearest {shown:,} jobs and datasets are shown; there are more", "dim"))
    return Group(*parts)


def _run(found: Impacted) -> tuple[Text, str, str]:
    run = found.latestRun
    last = Text.assemble(state(run.state), " ", moment(run.endedAt or run.startedAt)) if run else Text("")
    return last, span(found.everySeconds), ", ".join(found.owners)


def why(answer: Why) -> RenderableType:
    looked = answer.examined
    over = (
        f"{many(looked.jobs, 'job')}, {many(looked.datasets, 'dataset')} and {many(looked.runs, 'run')} upstream, "
        f"from {moment(answer.since)} to {moment(answer.at)}"
    )
    parts: list[RenderableType] = [Text.assemble(node(answer.nodeId), (f"  looked at {over}", "dim"))]
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
        away = "itself" if suspect.distance == 0 else f"{many(suspect.distance, 'job')} away"
        parts.append(
            Padding(
                facts(
                    ("where", Text.assemble(node(suspect.nodeId), (f"  {away}", "dim"))),
                    ("when", moment(suspect.at)),
                    *_evidence(suspect.evidence),
                ),
                (0, 0, 0, 3),
            )
        )
    if answer.truncated:
        parts.append(Text("there is more upstream than was examined; the nearest was", "dim"))
    return Group(*parts)


def _evidence(found: Evidence) -> Iterable[tuple[str, RenderableType | None]]:
    run = found.runId and Text.assemble(found.runId, "  ", state(found.state))
    yield "run", run or None
    yield "started", moment(found.startedAt)
    yield "ended", moment(found.endedAt)
    yield "last sign", moment(found.lastSign)
    yield "expected", moment(found.expectedAt)
    yield "every", span(found.everySeconds)
    yield "error", gist(found.error)
    yield "schema", fields(found.added, found.removed, found.retyped)
    yield "was", found.previousName
    if found.statistic:
        yield found.statistic, f"{_number(found.before)} → {_number(found.after)}"
    yield "events", ", ".join(map(str, found.positions))


def _number(value: float | None) -> str:
    return "?" if value is None else f"{value:,.15g}"


def fields(
    added: Iterable[FieldRef], removed: Iterable[FieldRef], retyped: Iterable[FieldRetyped]
) -> RenderableType | None:
    told = [Text(f"+ {f.name} {f.type or ''}".rstrip(), "green") for f in added]
    told += [Text(f"- {f.name} {f.type or ''}".rstrip(), "red") for f in removed]
    told += [Text(f"~ {f.name} {f.before} → {f.after}", "yellow") for f in retyped]
    return Text("  ").join(told) if told else None


def diff(answer: Diff) -> RenderableType:
    lead = Text(f"from {moment(answer.since)} to {moment(answer.until)}", "dim")
    if answer.nodeId:
        lead = Text.assemble(node(answer.nodeId), "  ", lead)
    parts: list[RenderableType] = [lead]
    parts += _signed(answer.nodes.added, answer.nodes.removed, ref)
    parts += _signed(answer.edges.added, answer.edges.removed, _edge)
    parts += _signed(answer.columns.added, answer.columns.removed, _edge)
    for change in answer.schemas:
        told = fields(change.added, change.removed, change.retyped)
        parts.append(Text.assemble(("~ ", "yellow"), node(change.nodeId), (f"  {moment(change.at)}", "dim")))
        if told is not None:
            parts.append(Padding(told, (0, 0, 0, 4)))
    if len(parts) == 1:
        parts.append(Text("nothing changed", "green"))
    if answer.truncated:
        parts.append(Text("there is more; ask for it with a larger limit", "dim"))
    return Group(*parts)


def _signed(added: list[Told], removed: list[Told], text: Callable[[Told], Text]) -> list[Text]:
    return [
        *(Text.assemble(("+ ", "bold green"), text(one)) for one in added),
        *(Text.assemble(("- ", "bold red"), text(one)) for one in removed),
    ]


def _edge(edge: EdgeRef) -> Text:
    return Text.assemble(node(edge.origin), (" → ", "dim"), node(edge.destination))


def freshness(answer: Freshness) -> RenderableType:
    late = Text("late", "bold red") if answer.late else Text("in time", "green")
    run = answer.run
    about = facts(
        ("written", f"{moment(answer.lastWrittenAt)}  {_age(answer.ageSeconds)}" if answer.lastWrittenAt else "never"),
        ("by", node(answer.job) if answer.job else None),
        ("run", Text.assemble(run.id, "  ", state(run.state)) if run else None),
        ("every", span(answer.everySeconds)),
        ("expected", Text.assemble(moment(answer.expectedAt), "  ", late) if answer.expectedAt else None),
    )
    parts: list[RenderableType] = [node(answer.nodeId), about]
    if answer.inputs:
        rows = table("age", "written", "", "made from")
        for one in answer.inputs:
            late = Text("late", "bold red") if one.late else Text("")
            rows.add_row(span(one.ageSeconds), moment(one.lastWrittenAt) or "never", late, ref(one))
        parts.append(rows)
    if answer.truncated:
        parts.append(Text(f"the {len(answer.inputs)} oldest inputs are shown; there are more", "dim"))
    return Group(*parts)


def _age(seconds: float | None) -> str:
    return f"{span(seconds)} ago" if seconds is not None else ""


def gaps(answer: Gaps) -> RenderableType:
    what = re.sub("[A-Z]", lambda letter: f" {letter[0].lower()}", answer.kind)  # jobsWithoutOwner
    if not answer.totalCount:
        return Text(f"no {what}", "green")
    parts: list[RenderableType] = [Text(f"{answer.totalCount:,} {what}"), *(ref(one) for one in answer.nodes)]
    if len(answer.nodes) < answer.totalCount:
        parts.append(Text(f"{len(answer.nodes)} of {answer.totalCount:,} shown", "dim"))
    return Group(*parts)


def search(answer: SearchAnswer) -> RenderableType:
    if not answer.results:
        return Text("nothing found", "dim")
    rows = table("updated", "found", "where it was found")
    for hit in answer.results:
        rows.add_row(moment(hit.updatedAt), node(hit.nodeId, name=hit.name), _highlights(hit.highlights))
    parts: list[RenderableType] = [rows]
    if len(answer.results) < answer.totalCount:
        parts.append(Text(f"{len(answer.results)} of {answer.totalCount:,} shown", "dim"))
    return Group(*parts)


def _highlights(found: Iterable[Highlight]) -> Text:
    """Where else than in the name, which is shown anyway."""
    parts = [Text.assemble((f"{one.field}: ", "dim"), _marked(one.text)) for one in found if one.field != "name"]
    return Text(" · ", "dim").join(parts)


def _marked(text: str) -> Text:
    """`the <em>price</em> column` with the hit standing out."""
    marked = Text()
    for part in re.split(r"(<em>.*?</em>)", text):
        hit = part.startswith("<em>")
        marked.append(unescape(part.removeprefix("<em>").removesuffix("</em>")), "bold green" if hit else "")
    return marked
