"""A job, dataset, column or run as a card; lists of runs; one line for each live update."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from headwater.ids import dataset_node_id, field_node_id, job_node_id
from headwater.shapes.live import LiveChange, LiveResync
from headwater.shapes.marquez import Dataset, Field, Job, Name, Run, Runs
from headwater.show.format import duration_ms, error_summary, node, plural, properties, state, table, timestamp

_STEPS = {"START": "blue", "RUNNING": "blue", "COMPLETE": "green", "FAIL": "bold red", "ABORT": "yellow"}


def job(answer: Job) -> RenderableType:
    parts: list[RenderableType] = [
        node(job_node_id(answer.namespace, answer.name), name=answer.name),
        properties(
            ("type", answer.type),
            ("description", answer.description),
            ("owners", _owners(answer.facets)),
            ("tags", ", ".join(answer.tags)),
            ("location", answer.location),
            ("parent", answer.parentJobName),
            ("seen", f"{timestamp(answer.createdAt)} to {timestamp(answer.updatedAt)}"),
            ("reads", _names(answer.inputs)),
            ("writes", _names(answer.outputs)),
        ),
    ]
    if answer.latestRuns:
        parts.append(_run_table(answer.latestRuns))
    return Group(*parts)


def dataset(answer: Dataset) -> RenderableType:
    about = properties(
        ("type", answer.type),
        ("description", answer.description),
        ("owners", _owners(answer.facets)),
        ("tags", ", ".join(answer.tags)),
        ("also known as", _names(answer.aliases)),
        ("written", timestamp(answer.lastModifiedAt)),
        ("lifecycle", answer.lastLifecycleState),
        ("version", answer.currentVersion),
    )
    parts: list[RenderableType] = [node(dataset_node_id(answer.namespace, answer.name), name=answer.name), about]
    sources = {one.name: one.inputFields for one in answer.columnLineage or ()}
    if answer.fields:
        rows = table("column", "type", "tags", "made from", "description")
        for field in answer.fields:
            made = ", ".join(f"{i.dataset}:{i.field}" for i in sources.get(field.name, ()) if not _indirect(i))
            rows.add_row(field.name, field.type or "", ", ".join(field.tags), made, field.description or "")
        parts.append(rows)
    return Group(*parts)


def column(answer: Dataset, name: str) -> RenderableType:
    field = next((f for f in answer.fields if f.name == name), Field(name, None, [], None))
    inputs = next((one.inputFields for one in answer.columnLineage or () if one.name == name), [])
    rows = table("how", "made from")
    for one in inputs:
        how = ", ".join(f"{t.get('type')} {t.get('subtype') or ''}".strip() for t in one.transformations)
        rows.add_row(how or one.transformationType or "", node(field_node_id(one.namespace, one.dataset, one.field)))
    return Group(
        node(field_node_id(answer.namespace, answer.name, name), name=f"{answer.name}:{name}"),
        properties(("type", field.type), ("tags", ", ".join(field.tags)), ("description", field.description)),
        *((rows,) if inputs else ()),
    )


def run(answer: Run) -> RenderableType:
    error = answer.facets.get("errorMessage") or {}
    about = properties(
        ("state", state(answer.state)),
        ("job", node(job_node_id(answer.job.namespace, answer.job.name)) if answer.job else None),
        ("started", timestamp(answer.startedAt)),
        ("ended", timestamp(answer.endedAt)),
        ("took", duration_ms(answer.durationMs)),
        ("nominal", timestamp(answer.nominalStartTime)),
        ("parent", answer.parentRunId),
        ("error", error_summary(error.get("message")) if isinstance(error, dict) else None),
        ("read", _versions(answer.inputDatasetVersions)),
        ("wrote", _versions(answer.outputDatasetVersions)),
        ("facets", ", ".join(sorted(answer.facets))),
    )
    parts: list[RenderableType] = [node(f"run:{answer.id}"), about]
    if answer.states:
        rows = table("event", "at", "position")
        for step in answer.states:
            rows.add_row(Text(step.type, _STEPS.get(step.type, "")), timestamp(step.at), str(step.position))
        parts.append(rows)
    return Group(*parts)


def runs(page: Runs) -> RenderableType:
    if not page.runs:
        return Text("no runs", "dim")
    parts: list[RenderableType] = [_run_table(page.runs)]
    if len(page.runs) < page.totalCount:
        parts.append(Text(f"the latest {len(page.runs)} of {page.totalCount:,} shown", "dim"))
    return Group(*parts)


def _run_table(runs: list[Run]) -> RenderableType:
    rows = table("state", "started", "took", "run")
    for one in runs:
        rows.add_row(state(one.state), timestamp(one.startedAt), duration_ms(one.durationMs), one.id)
    return rows


def live(update: LiveChange | LiveResync) -> Text:
    if isinstance(update, LiveResync):
        return Text(f"{update.position}  updates were missed ({update.reason})", "yellow")
    changes = [
        *(Text.assemble("new ", node(one.nodeId)) for one in update.addedNodes),
        *(Text.assemble("removed ", node(one)) for one in update.removedNodes),
        *((Text(f"{plural(len(update.addedEdges), 'new edge')}"),) if update.addedEdges else ()),
        *((Text(f"{plural(len(update.removedEdges), 'edge')} removed"),) if update.removedEdges else ()),
        *(Text.assemble("schema of ", node(one), " changed") for one in update.schemas),
    ]
    about = update.job or update.dataset or next(iter((*update.outputs, *update.inputs, *update.changed)), None)
    line = Text.assemble(
        (timestamp(update.eventTime), "dim"), "  ", (f"{update.eventType:<8}", _STEPS.get(update.eventType, "")), "  "
    )
    if about:
        line.append_text(node(about))
    if update.run and update.run.before != update.run.state:
        before = (state(update.run.before), " → ") if update.run.before else ()
        line.append_text(Text.assemble("  ", *before, state(update.run.state)))
    for one in changes:
        line.append_text(Text.assemble("  ", one))
    return line


def _names(names: list[Name]) -> RenderableType | None:
    return Text("\n").join(node(f"{n.namespace}:{n.name}", name=n.name) for n in names) if names else None


def _versions(versions: list[Any]) -> RenderableType | None:
    ids = [one.datasetVersionId for one in versions]
    return (
        Text("\n").join(
            Text.assemble(node(f"{i.namespace}:{i.name}", name=i.name), (f"  version {i.version}", "dim")) for i in ids
        )
        or None
    )


def _owners(facets: dict[str, Any]) -> str:
    owners = (facets.get("ownership") or {}).get("owners") or ()
    return ", ".join(str(owner.get("name")) for owner in owners)


def _indirect(field: Any) -> bool:
    return bool(field.transformations) and {t.get("type") for t in field.transformations} == {"INDIRECT"}
