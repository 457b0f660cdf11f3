"""The derived tables in SQLite."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.errors import StoreDamaged
from headwater.ids import Position
from headwater.model.entities import MAX_COLUMN_SETS, Run
from headwater.model.state import State
from headwater.store import edit_rows
from headwater.store import rows as r
from headwater.store.schema import TABLES, TABLES_VERSION, Table
from headwater.store.sqlite.files import (
    Tidier,
    connect,
    explained,
    insert,
    rows_of,
    size_on_disk,
    transaction,
)
from headwater.store.sqlite.queries import SqliteQueries

# Checking all pages of a larger file would take longer than loading the state from it, and damage
# in the pages that are loaded shows anyway.
_CHECKED_BYTES = 128 << 20


class SqliteTables(SqliteQueries):
    """For the server: reads and writes beside its event loop."""

    _rows = staticmethod(rows_of)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._on_conflict = {table.name: table.on_conflict() for table in TABLES}
        try:
            self._open()
        except StoreDamaged:
            # Nothing is lost with them: they are rebuilt from the log.
            self.close()
            self._remove()
            self._open()

    def _open(self) -> None:
        self._db = connect(self._path, durable=False)
        with explained(self._path):
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, TABLES_VERSION):
                raise StoreDamaged(f"{self._path} has another format")
            if version == 0:
                self._create()
            elif self._path.stat().st_size < _CHECKED_BYTES:
                result = self._db.execute("PRAGMA quick_check(1)").fetchone()[0]
                if result != "ok":
                    raise StoreDamaged(f"{self._path} is damaged: {result}")
        self._tidier = Tidier(self._path)

    def _create(self) -> None:
        with transaction(self._db, self._path):
            for table in TABLES:
                for statement in _ddl(table):
                    self._db.execute(statement)
            self._db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER)")
            self._db.execute("INSERT INTO meta VALUES ('position', 0)")
            self._db.execute(f"PRAGMA user_version = {TABLES_VERSION}")

    def _remove(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def clear(self) -> None:
        self.close()
        self._remove()
        self._open()

    def close(self) -> None:
        super().close()
        for name in ("_tidier", "_db"):
            if hasattr(self, name):
                getattr(self, name).close()

    def size(self) -> int:
        return size_on_disk(self._path)

    # Writing

    def position(self) -> Position:
        return Position(self._value("SELECT value FROM meta WHERE key = 'position'"))

    def write(self, rows: r.Rows, position: Position) -> None:
        with transaction(self._db, self._path):
            for name, batch in rows.upserts.items():
                insert(self._db, f"INTO {name}", batch, self._on_conflict[name])
            self._db.executemany(
                "DELETE FROM dataset_versions WHERE uuid = ?", [(uuid,) for uuid in rows.versions_gone]
            )
            self._db.execute("UPDATE meta SET value = ? WHERE key = 'position'", (position,))

    def tidy(self) -> None:
        self._tidier.tidy()

    # The whole state

    def load(self) -> State:
        state = State()
        state.position = self.position()
        nodes: dict[int, Any] = {}
        for row in self._each("jobs"):
            job = r.job_from(row)
            nodes[job.node] = job
            state.jobs.setdefault(job.namespace, {})[job.name] = job.node
        for row in self._each("datasets"):
            dataset = r.dataset_from(row)
            nodes[dataset.node] = dataset
            state.datasets.setdefault(dataset.namespace, {})[dataset.name] = dataset.node
        state.nodes = [nodes[i] for i in range(len(nodes))]
        for row in self._each("edges"):
            edge = r.edge_from(row)
            state.edges[edge.key] = edge
            state.nodes[edge.src].out.append(edge)
            state.nodes[edge.dst].into.append(edge)
        for row in self._each("column_sets"):
            key, column_set = r.column_set_from(row)
            edge = state.edges[key]
            if edge.columns is None:
                edge.columns = []
            edge.columns.append(column_set)
        for edge in state.edges.values():
            if edge.columns is not None and len(edge.columns) > MAX_COLUMN_SETS:
                edge.columns = sorted(edge.columns, key=lambda s: (s.last, s.content))[-MAX_COLUMN_SETS:]
        for row in self._each("namespaces"):
            namespace = r.namespace_from(row)
            state.namespaces[namespace.name] = namespace
        for row in self._each("sources"):
            source = r.source_from(row)
            state.sources[source.name] = source
        for run in self._latest_runs():
            state.job_of(run.job).latest = run
        last_run = self._value("SELECT coalesce(max(row), 0) FROM runs")
        state.next_run = last_run + 1
        for quarter, kind, count in self._each("event_counts"):
            state.counts[quarter << 3 | kind] = count
        for row in self._each("edited"):
            edit_rows.restore(state.edited, row)
        for entity in state.edited.deleted:
            state.note_deleted(entity)
        state.edited.count = self._value("SELECT coalesce(max(number), 0) FROM edits")
        state.aliases.restore(state.dataset_of(node) for names in state.datasets.values() for node in names.values())
        return state

    def _each(self, table: str) -> Iterator[r.Row]:
        with explained(self._path):
            yield from self._db.execute(f"SELECT * FROM {table}")

    def _latest_runs(self) -> Iterator[Run]:
        with explained(self._path):
            for row in self._db.execute("SELECT runs.* FROM jobs JOIN runs ON runs.row = jobs.latest_run"):
                yield r.run_from(row, [])

    def _value(self, sql: str) -> int:
        with explained(self._path):
            return int(self._db.execute(sql).fetchone()[0])


def _ddl(table: Table) -> Iterator[str]:
    columns = ", ".join(f"{name} {kind}" for name, kind in table.columns.items())
    plain = len(table.key) == 1 and table.columns[table.key[0]] == "INTEGER"
    # A single integer key is SQLite's own row number; others need no second copy of the key.
    tail = "" if plain else " WITHOUT ROWID"
    yield f"CREATE TABLE {table.name} ({columns}, PRIMARY KEY ({', '.join(table.key)})){tail}"
    for column in table.unique:
        yield f"CREATE UNIQUE INDEX {table.name}_{column} ON {table.name} ({column})"
    for number, index in enumerate(table.indexes, 1):
        yield f"CREATE INDEX {table.name}_{number} ON {table.name} ({', '.join(index)})"
