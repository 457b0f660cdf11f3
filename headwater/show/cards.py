"""A job, dataset, column or run as a card; lists of runs; one line for each live change."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from headwater.ids import dataset_node_id, field_node_id, job_node_id
from headwater.shapes.live import LiveChange, LiveResync
from headwater.shapes.marquez import Dataset, Field, Job, Name, Run, Runs
from headwater.show.words import facts, gist, many, moment, node, state, table, took

_STEPS = {"START": "blue", "RUNNING": "blue", "COMPLETE": "green", "FAIL": "bold red", "ABORT": "yellow"}


def job(found: Job) -> RenderableType:
    parts: list[RenderableType] = [
        node(job_node_id(found.namespace, found.name), name=found.name),
        facts(
            ("type", found.type),
            ("description", found.description),
            ("owners", _owners(found.facets)),
            ("tags", ", ".join(found.tags)),
            ("location", found.location),
            ("parent", found.parentJobName),
            ("seen", f"{moment(found.createdAt)} to {moment(found.updatedAt)}"),
            ("reads", _names(found.inputs)),
            ("writes", _names(found.outputs)),
        ),
    ]
    if found.latestRuns:
        parts.append(_run_table(found.latestRuns))
    return Group(*parts)


def dataset(found: Dataset) -> RenderableType:
    about = facts(
        ("type", found.type),
        ("description", found.description),
        ("owners", _owners(found.facets)),
        ("tags", ", ".join(found.tags)),
        ("also known as", _names(found.aliases)),
        ("written", moment(found.lastModifiedAt)),
        ("lifecycle", found.lastLifecycleState),
        ("version", found.currentVersion),
    )
    parts: list[RenderableType] = [node(dataset_node_id(found.namespace, found.name), name=found.name), about]
    sources = {one.name: one.inputFields for one in found.columnLineage or ()}
    if found.fields:
        rows = table("column", "type", "tags", "made from", "description")
        for field in found.fields:
            made = ", ".join(f"{i.dataset}:{i.field}" for i in sources.get(field.name, ()) if not _indirect(i))
            rows.add_row(field.name, field.type or "", ", ".join(field.tags), made, field.description or "")
        parts.append(rows)
    return Group(*parts)


def column(found: Dataset, name: str) -> RenderableType:
    field = next((f for f in found.fields if f.name == name), Field(name, None, [], None))
    inputs = next((one.inputFields for one in found.columnLineage or () if one.name == name), [])
    rows = table("how", "made from")
    for one in inputs:
        how = ", ".join(f"{t.get('type')} {t.get('subtype') or ''}".strip() for t in one.transformations)
        rows.add_row(how or one.transformationType or "", node(field_node_id(one.namespace, one.dataset, one.field)))
    return Group(
        node(field_node_id(found.namespace, found.name, name), name=f"{found.name}:{name}"),
        facts(("type", field.type), ("tags", ", ".join(field.tags)), ("description", field.description)),
        *((rows,) if inputs else ()),
    )


def run(found: Run) -> RenderableType:
    error = found.facets.get("errorMessage") or {}
    about = facts(
        ("state", state(found.state)),
        ("job", node(job_node_id(found.job.namespace, found.job.name)) if found.job else None),
        ("started", moment(found.startedAt)),
        ("ended", moment(found.endedAt)),
        ("took", took(found.durationMs)),
        ("nominal", moment(found.nominalStartTime)),
        ("parent", found.parentRunId),
        ("error", gist(error.get("message")) if isinstance(error, dict) else None),
        ("read", _versions(found.inputDatasetVersions)),
        ("wrote", _versions(found.outputDatasetVersions)),
        ("facets", ", ".join(sorted(found.facets))),
    )
    parts: list[RenderableType] = [node(f"run:{found.id}"), about]
    if found.states:
        rows = table("event", "at", "position")
        for step in found.states:
            rows.add_row(Text(step.type, _STEPS.get(step.type, "")), moment(step.at), str(step.position))
        parts.append(rows)
    return Group(*parts)


def runs(page: Runs) -> RenderableType:
    if not page.runs:
        return Text("no runs", "dim")
    parts: list[RenderableType] = [_run_table(page.runs)]
    if len(page.runs) < page.totalCount:
        parts.append(Text(f"{len(page.runs)} of {page.totalCount:,} shown, the latest", "dim"))
    return Group(*parts)


def _run_table(found: list[Run]) -> RenderableType:
    rows = table("state", "started", "took", "run")
    for one in found:
        rows.add_row(state(one.state), moment(one.startedAt), took(one.durationMs), one.id)
    return rows


def live(change: LiveChange | LiveResync) -> Text:
    if isinstance(change, LiveResync):
        return Text(f"{change.position}  some changes were missed ({change.reason})", "yellow")
    news = [
        *(Text.assemble("new ", node(one.nodeId)) for one in change.addedNodes),
        *(Text.assemble("gone ", node(one)) for one in change.removedNodes),
        *((Text(f"{many(len(change.addedEdges), 'edge')} new"),) if change.addedEdges else ()),
        *((Text(f"{many(len(change.removedEdges), 'edge')} gone"),) if change.removedEdges else ()),
        *(Text.assemble("schema of ", node(one), " changed") for one in change.schemas),
    ]
    about = change.job or change.dataset or next(iter((*change.outputs, *change.inputs, *change.changed)), None)
    line = Text.assemble(
        (moment(change.eventTime), "dim"), "  ", (f"{change.eventType:<8}", _STEPS.get(change.eventType, "")), "  "
    )
    if about:
        line.append_text(node(about))
    if change.run and change.run.before != change.run.state:
        before = (state(change.run.before), " → ") if change.run.before else ()
        line.append_text(Text.assemble("  ", *before, state(change.run.state)))
    for one in news:
        line.append_text(Text.assemble("  ", one))
    return line


def _names(found: list[Name]) -> RenderableType | None:
    return Text("\n").join(node(f"{n.namespace}:{n.name}", name=n.name) for n in found) if found else None


def _versions(found: list[Any]) -> RenderableType | None:
    ids = [one.datasetVersionId for one in found]
    return (
        Text("\n").join(
            Text.assemble(node(f"{i.namespace}:{i.name}", name=i.name), (f"  version {i.version}", "dim")) for i in ids
        )
        or None
    )


def _owners(facets: dict[str, Any]) -> str:
    told = (facets.get("ownership") or {}).get("owners") or ()
    return ", ".join(str(owner.get("name")) for owner in told)


def _indirect(field: Any) -> bool:
    return bool(field.transformations) and {t.get("type") for t in field.transformations} == {"INDIRECT"}
