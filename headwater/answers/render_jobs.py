"""Jobs of the state → shapes, and their runs as far as these are in memory."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from headwater.answers.facet_json import shown_facets
from headwater.answers.run_json import job_uuid, run_shown, to_moment
from headwater.facet_contents import Contents
from headwater.ids import ContentId, Node
from headwater.model.entities import Dataset, Job, Run
from headwater.model.state import State
from headwater.model.tagging import WHOLE, labels, tags_by_field
from headwater.openlineage import facets as f
from headwater.shapes import marquez as shapes

_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "STREAM": "STREAM", "SERVICE": "SERVICE"}

# Facets that the data of a job is made from.
FACETS_READ = ("documentation", "sourceCodeLocation", "jobType")

J = TypeVar("J", bound=shapes.JobData)


class JobRenderer:
    def __init__(self, state: State, contents: Contents) -> None:
        self._state, self._contents = state, contents

    def job(self, node: Node, contents: Mapping[ContentId, bytes] | None = None) -> shapes.Job:
        """Without its runs and its version, of which the tables know more."""
        job = self._state.job_of(node)
        reported = self._contents.facet(f.Tags, job.facets, "tags")
        tags = tags_by_field(reported, self._state.edited.tags_on([("job", job.namespace, job.name)]))
        answer = self.data(node, shapes.Job)
        answer.facets = shown_facets(self._contents, job.facets, contents)
        answer.labels = labels(self._contents.facet(f.JobType, job.facets, "jobType"))
        answer.tags = tags.get(WHOLE, [])
        return answer

    def data(self, node: Node, shape: type[J]) -> J:
        state, contents = self._state, self._contents
        job = state.job_of(node)
        about = contents.facet(f.Documentation, job.facets, "documentation")
        code = contents.facet(f.SourceCodeLocation, job.facets, "sourceCodeLocation")
        parent = state.job_of(job.parent[1]) if job.parent else None
        simple = job.name
        if parent is not None:
            simple = simple.removeprefix(parent.name + ".")
        into, out = job.into, job.out
        if state.gone:
            into = [edge for edge in into if not state.is_gone(edge)]
            out = [edge for edge in out if not state.is_gone(edge)]
        return shape(
            id=shapes.Name(job.namespace, job.name),
            type=self.job_type(job),
            name=job.name,
            simpleName=simple,
            parentJobName=parent.name if parent else None,
            parentJobUuid=job_uuid(parent.namespace, parent.name) if parent else None,
            createdAt=to_moment(job.first),
            updatedAt=to_moment(job.last),
            namespace=job.namespace,
            inputs=self.dataset_names([edge.src for edge in into]),
            outputs=self.dataset_names([edge.dst for edge in out]),
            location=code.url if code else None,
            description=about.description if about else None,
        )

    def job_type(self, job: Job) -> str:
        reported = self._contents.facet(f.JobType, job.facets, "jobType")
        return _JOB_TYPES.get((reported.processingType or "").upper(), "BATCH") if reported else "BATCH"

    def dataset_names(self, nodes: Iterable[Node]) -> list[shapes.Name]:
        entities, grouped = self._state.nodes, self._state.aliases.grouped
        names: dict[Node, shapes.Name] = {}
        for node in nodes:
            if node in grouped:
                node = grouped[node].canonical
            entity = entities[node]
            if isinstance(entity, Dataset) and node not in names:
                names[node] = shapes.Name(entity.namespace, entity.name)
        return list(names.values())

    def latest_run(self, job: Job) -> shapes.Run | None:
        return self.run(job.latest) if job.latest is not None else None

    def run(self, run: Run) -> shapes.Run:
        """Without facets and dataset versions."""
        job = self._state.nodes[run.job]
        args = self._contents.facet(f.RunArgs, run.facets, f.RUN_ARGS)
        return run_shown(run, shapes.Name(job.namespace, job.name), args)
