"""Datasets with their newest versions and what feeds their columns, page by page."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from headwater.answers.dataset_json import ColumnContents, ColumnJson, DatasetPage, read_page
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
        columns = {node: self._column_contents(node) for node in nodes}
        shown = {content for node in nodes for content in contents_shown(facets_of(self._state, node)).values()}
        page = await self._read(members, list(columns.values()), shown)
        self._renderer.contents.prefetched(page.contents)
        answer = []
        for (node, known), column_json in zip(columns.items(), page.columns, strict=True):
            versions = [page.newest[member] for member in names[node] if member in page.newest]
            newest = max(versions, key=lambda v: (v.first, v.uuid), default=None)
            if known != self._column_contents(node):  # something came in since
                column_json = ColumnJson()
            answer.append(self._shown(node, newest, column_json, page.contents))
        return answer

    def _column_contents(self, node: Node) -> ColumnContents:
        schema = self._renderer.contents.schema_content(self._state, node)
        if node in self._state.aliases.grouped:
            return ColumnContents(schema, None)
        sets = [reported for _, reported in ColumnWalk(self._state, self._renderer.contents, None).sets(node)]
        return ColumnContents(schema, sets[0].content if len(sets) == 1 and sets[0].kind == COLUMNS else None)

    async def _read(
        self, datasets: Sequence[Node], columns: Sequence[ColumnContents], contents: set[ContentId]
    ) -> DatasetPage:
        """What the tables do not have yet of versions is laid over: in a list of any datasets there is often one
        that was written just now, and a write takes longer than the list."""
        service = self._service
        unwritten, gone = service.unwritten_versions(set(datasets))
        ids = [version.uuid for version in unwritten]
        page = await service.run_query(read_page, service.tables, service.log, datasets, ids, columns, contents)
        newest = page.newest
        is_unsure = any(version.uuid in gone for version in newest.values())
        for version in unwritten:
            stored = page.versions.get(version.uuid)
            first = version.first if stored is None else min(version.first, stored.first)
            known = newest.get(version.dataset)
            if known is None or (first, version.uuid) > (known.first, known.uuid):
                newest[version.dataset] = replace(version, first=first)
            # The newest one turned out to be older: another may be the newest now.
            is_unsure = is_unsure or (known is not None and known.uuid == version.uuid and first < known.first)
        if is_unsure:
            await service.catch_up(datasets)
            newest = await service.run_query(service.tables.current_versions, datasets, None)
        return page._replace(newest=newest)

    def _shown(
        self, node: Node, newest: Version | None, columns: ColumnJson, contents: Mapping[ContentId, bytes]
    ) -> shapes.Dataset:
        lineage = columns.lineage if all(self._is_known(*source) for source in columns.sources) else None
        version = uuid_text(newest.uuid) if newest else None
        return self._renderer.datasets.dataset(node, version, contents, columns.fields, lineage)

    def _is_known(self, namespace: str, name: str) -> bool:
        """Whether a dataset goes by just this name, and was never deleted."""
        node = self._state.datasets.get(namespace, {}).get(name)
        if node is None or node in self._state.aliases.grouped or node in self._state.gone:
            return False
        return naming.canonical(namespace, name) == (namespace, name)
