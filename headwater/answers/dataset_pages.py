"""Datasets with their newest versions and what feeds their columns, page by page."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from headwater.answers.dataset_json import Page, Told, Written, read_page
from headwater.answers.facet_json import contents_shown
from headwater.answers.render import Renderer
from headwater.answers.run_json import uuid_text
from headwater.graph.columns import ColumnWalk
from headwater.ids import ContentId, Node
from headwater.ingest.service import Service
from headwater.model.entities import COLUMNS
from headwater.model.shown import facets_of
from headwater.model.versions import Version
from headwater.openlineage import naming
from headwater.shapes import marquez as shapes


class DatasetPages:
    def __init__(self, renderer: Renderer, service: Service) -> None:
        self._renderer, self._service, self._state = renderer, service, renderer.state

    async def page(self, nodes: Sequence[Node]) -> list[shapes.Dataset]:
        names = {node: self._state.aliases.members(node) for node in nodes}
        members = [member for some in names.values() for member in some]
        told = {node: self._told(node) for node in nodes}
        shown = {content for node in nodes for content in contents_shown(facets_of(self._state, node)).values()}
        found = await self._read(members, list(told.values()), shown)
        self._renderer.contents.prefetched(found.bodies)
        answer = []
        for (node, known), written in zip(told.items(), found.written, strict=True):
            versions = [found.newest[member] for member in names[node] if member in found.newest]
            newest = max(versions, key=lambda v: (v.first, v.uuid), default=None)
            if known != self._told(node):  # something came in since
                written = Written()
            answer.append(self._shown(node, newest, written, found.bodies))
        return answer

    def _told(self, node: Node) -> Told:
        schema = self._renderer.contents.schema_content(self._state, node)
        if node in self._state.aliases.grouped:
            return Told(schema, None)
        sets = [told for _, told in ColumnWalk(self._state, self._renderer.contents, None).sets(node)]
        return Told(schema, sets[0].content if len(sets) == 1 and sets[0].kind == COLUMNS else None)

    async def _read(self, datasets: Sequence[Node], told: Sequence[Told], contents: set[ContentId]) -> Page:
        """What the tables do not have yet of versions is laid over: in a list of any datasets there is often one
        that was written just now, and a write takes longer than the list."""
        service = self._service
        fresh, gone = service.unwritten_versions(set(datasets))
        ids = [version.uuid for version in fresh]
        found = await service.run_query(read_page, service.tables, service.log, datasets, ids, told, contents)
        newest = found.newest
        is_unsure = any(version.uuid in gone for version in newest.values())
        for version in fresh:
            known = found.versions.get(version.uuid)
            first = version.first if known is None else min(version.first, known.first)
            held = newest.get(version.dataset)
            if held is None or (first, version.uuid) > (held.first, held.uuid):
                newest[version.dataset] = replace(version, first=first)
            # The newest one turned out to be older: another may be the newest now.
            is_unsure = is_unsure or (held is not None and held.uuid == version.uuid and first < held.first)
        if is_unsure:
            await service.catch_up(datasets)
            newest = await service.run_query(service.tables.current_versions, datasets, None)
        return found._replace(newest=newest)

    def _shown(
        self, node: Node, newest: Version | None, written: Written, bodies: Mapping[ContentId, bytes]
    ) -> shapes.Dataset:
        lineage = written.lineage if all(self._is_known(*source) for source in written.sources) else None
        version = uuid_text(newest.uuid) if newest else None
        return self._renderer.datasets.dataset(node, version, bodies, written.fields, lineage)

    def _is_known(self, namespace: str, name: str) -> bool:
        """Whether a dataset goes by just this name, and was never deleted."""
        node = self._state.datasets.get(namespace, {}).get(name)
        if node is None or node in self._state.aliases.grouped or node in self._state.gone:
            return False
        return naming.canonical(namespace, name) == (namespace, name)
