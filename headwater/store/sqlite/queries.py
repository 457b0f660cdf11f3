"""Queries to the derived tables in SQLite."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headwater.ids import Micros, Node, Position, RunId
from headwater.model.entities import Register, Run
from headwater.model.state import QUARTER
from headwater.model.versions import Version
from headwater.store import rows as r
from headwater.store.protocol import EventFilter, JobVersion, Read, Sign
from headwater.store.sqlite.files import FileReader, chunks, explained, values_of

_MIN_TIME, _MAX_TIME = -(1 << 62), 1 << 62

_COUNT_EVENTS = """
    SELECT (SELECT coalesce(sum(count), 0) FROM event_counts WHERE quarter >= ?1 AND quarter < ?2)
        + (SELECT count(*) FROM events WHERE time >= ?3 AND time < ?4)
        + (SELECT count(*) FROM events WHERE time >= ?5 AND time < ?6)
"""

_COUNT_ALL_EVENTS = """
    SELECT max((SELECT coalesce(max(position), 0) FROM events), (SELECT coalesce(max(position), 0) FROM edits))
        - (SELECT coalesce(max(number), 0) FROM edits)
"""

# SQLite does not skip from one value of an index to the next by itself, so the query does it.
_JOB_VERSIONS = """
    WITH RECURSIVE each_version (job, version) AS (
        SELECT ?1, (SELECT min(version) FROM runs WHERE job = ?1 AND version IS NOT NULL)
        UNION ALL
        SELECT job, (SELECT min(version) FROM runs WHERE job = each_version.job AND version > each_version.version)
        FROM each_version WHERE version IS NOT NULL
    )
    SELECT
        version,
        (SELECT min(started) FROM runs WHERE job = each_version.job AND version = each_version.version) AS first,
        (SELECT row FROM runs WHERE job = each_version.job AND version = each_version.version
            ORDER BY started DESC, id DESC LIMIT 1)
    FROM each_version WHERE version IS NOT NULL ORDER BY first DESC, version
"""


class SqliteQueries(FileReader):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "tables.db")

    def _query(self, sql: str, *parameters: Any) -> list[r.Row]:
        with explained(self._path):
            return self._rows(self._readers.mine(), sql, parameters)

    def runs(self, ids: Sequence[RunId]) -> list[Run]:
        return self._runs("id", ids)

    def runs_by_row(self, rows: Sequence[int]) -> list[Run]:
        runs = {run.row: run for run in self._runs("row", rows)}
        return [runs[row] for row in rows if row in runs]

    def _runs(self, column: str, values: Sequence[Any]) -> list[Run]:
        runs: list[Run] = []
        for marks, part in chunks(values):
            rows = self._query(f"SELECT * FROM runs WHERE {column} IN ({marks})", *part)
            numbers = [row[0] for row in rows]
            uses: dict[int, list[r.Row]] = {number: [] for number in numbers}
            for marks, part in chunks(numbers):
                for use in self._query(f"SELECT * FROM uses WHERE run IN ({marks})", *part):
                    uses[use[0]].append(use)
            runs += [r.run_from(row, uses[row[0]]) for row in rows]
        return runs

    def runs_of_job(self, job: Node, limit: int, offset: int) -> list[Run]:
        rows = self._query(
            "SELECT row FROM runs WHERE job = ? ORDER BY started DESC, id DESC LIMIT ? OFFSET ?",
            job,
            limit,
            offset,
        )
        return self.runs_by_row([row[0] for row in rows])

    def latest_runs(self, jobs: Sequence[Node], limit: int) -> dict[Node, list[r.StoredRun]]:
        runs: dict[Node, list[r.StoredRun]] = {}
        for values, part in values_of([(job,) for job in jobs]):
            for row in self._query(
                f"WITH given(job) AS ({values}) SELECT runs.* FROM given CROSS JOIN runs WHERE runs.row IN ("
                "SELECT row FROM runs AS r WHERE r.job = given.job ORDER BY r.started DESC, r.id DESC LIMIT ?) "
                "ORDER BY runs.started DESC, runs.id DESC",
                *part,
                limit,
            ):
                run = r.StoredRun(*row)
                runs.setdefault(run.job, []).append(run)
        return runs

    def job_versions(self, job: Node) -> list[JobVersion]:
        """Newest first. However many runs a version has, it costs a few look-ups."""
        return [JobVersion(*row) for row in self._query(_JOB_VERSIONS, job)]

    def recent_runs(self, jobs: Sequence[Node], at: Micros, limit: int) -> dict[Node, list[Run]]:
        rows: list[int] = []
        for values, part in values_of([(job,) for job in jobs]):
            rows += (
                row
                for (row,) in self._query(
                    f"WITH given(job) AS ({values}) SELECT runs.row FROM given CROSS JOIN runs WHERE runs.row IN ("
                    "SELECT row FROM runs AS r WHERE r.job = given.job AND r.started <= ? "
                    "ORDER BY r.started DESC, r.id DESC LIMIT ?)",
                    *part,
                    at,
                    limit,
                )
            )
        runs: dict[Node, list[Run]] = {}
        for run in sorted(self.runs_by_row(rows), key=lambda run: run.order, reverse=True):
            runs.setdefault(run.job, []).append(run)
        return runs

    def run_signs(self, rows: Sequence[int], at: Micros, limit: int) -> dict[int, list[Sign]]:
        signs: dict[int, list[Sign]] = {}
        for values, part in values_of([(row,) for row in rows]):
            for run, position, time, kind in self._query(
                f"WITH given(run) AS ({values}) SELECT given.run, position, time, kind FROM given CROSS JOIN events "
                "WHERE position IN (SELECT position FROM events AS e WHERE e.run = given.run "
                "AND e.time <= ? ORDER BY e.time DESC, e.kind DESC LIMIT ?) ORDER BY time DESC, kind DESC",
                *part,
                at,
                limit,
            ):
                signs.setdefault(run, []).append(Sign(Position(position), Micros(time), kind))
        return signs

    def events(self, criteria: EventFilter) -> list[Position]:
        where, parameters = _time_range(criteria)
        order = "DESC" if criteria.newest_first else "ASC"
        rows = self._query(
            f"SELECT position FROM events {where} ORDER BY time {order}, position {order} LIMIT ? OFFSET ?",
            *parameters,
            criteria.limit,
            criteria.offset,
        )
        return [Position(row[0]) for row in rows]

    def count_events(self, criteria: EventFilter) -> int:
        if criteria.after is None and criteria.before is None:
            # Positions have no gaps, so the last one is the count, of edits too.
            return int(self._query(_COUNT_ALL_EVENTS)[0][0])
        after = _MIN_TIME if criteria.after is None else criteria.after
        before = _MAX_TIME if criteria.before is None else criteria.before
        # Whole quarters of an hour are counted already.
        first, last = -(-after // QUARTER), before // QUARTER
        if first >= last:
            return int(self._query("SELECT count(*) FROM events WHERE time >= ? AND time < ?", after, before)[0][0])
        return int(self._query(_COUNT_EVENTS, first, last, after, first * QUARTER, last * QUARTER, before)[0][0])

    def run_history(self, row: int) -> list[tuple[Position, Micros, int]]:
        sql = "SELECT position, time, kind FROM events WHERE run = ? ORDER BY time, kind"
        return [(Position(p), Micros(t), k) for p, t, k in self._query(sql, row)]

    def version(self, uuid: bytes) -> Version | None:
        rows = self._query("SELECT * FROM dataset_versions WHERE uuid = ?", uuid)
        return r.version_from(rows[0]) if rows else None

    def versions(self, datasets: Sequence[Node], limit: int, offset: int) -> list[Version]:
        order = "ORDER BY coalesce(written, first) DESC, uuid DESC LIMIT ?"
        sql, parameters = f"SELECT * FROM dataset_versions WHERE dataset = ? {order}", list[int](datasets)
        if len(datasets) > 1:
            # With `IN (…)` SQLite would sort them all; of each only so many can be on the page.
            sql = f"SELECT * FROM ({' UNION ALL '.join([f'SELECT * FROM ({sql})'] * len(datasets))}) {order}"
            parameters = [value for dataset in datasets for value in (dataset, offset + limit)]
        return [r.version_from(row) for row in self._query(f"{sql} OFFSET ?", *parameters, limit, offset)]

    def count_versions(self, datasets: Sequence[Node]) -> int:
        marks = ",".join("?" * len(datasets))
        sql = f"SELECT count(*) FROM dataset_versions WHERE dataset IN ({marks})"
        return int(self._query(sql, *datasets)[0][0])

    def current_versions(self, datasets: Sequence[Node], at: Micros | None) -> dict[Node, Version]:
        """For each dataset the version that was the newest at a moment."""
        versions: dict[Node, Version] = {}
        for values, part in values_of([(dataset,) for dataset in datasets]):
            for row in self._query(
                f"WITH given(dataset) AS ({values}) SELECT v.* FROM given CROSS JOIN dataset_versions AS v "
                "WHERE v.uuid = (SELECT uuid FROM dataset_versions AS w WHERE w.dataset = given.dataset "
                "AND w.first <= ? ORDER BY w.first DESC, w.uuid DESC LIMIT 1)",
                *part,
                _MAX_TIME if at is None else at,
            ):
                versions[row[1]] = r.version_from(row)
        return versions

    def versions_by_id(self, ids: Sequence[bytes]) -> dict[bytes, Version]:
        versions: dict[bytes, Version] = {}
        for marks, part in chunks(ids):
            for row in self._query(f"SELECT * FROM dataset_versions WHERE uuid IN ({marks})", *part):
                versions[row[0]] = r.version_from(row)
        return versions

    def versions_read(self, reads: Sequence[Read]) -> dict[Read, Version]:
        newest: dict[Read, bytes] = {}
        for values, part in values_of(reads):
            for dataset, at, run, uuid in self._query(
                f"WITH given(dataset, at, run) AS ({values}) SELECT dataset, at, run, (SELECT uuid "
                "FROM dataset_versions AS v WHERE v.dataset = given.dataset AND v.first <= given.at "
                "AND (v.run IS NULL OR v.run <> given.run) ORDER BY v.first DESC, v.uuid DESC LIMIT 1) FROM given",
                *part,
            ):
                if uuid is not None:
                    newest[Read(dataset, at, run)] = uuid
        versions = self.versions_by_id(list(set(newest.values())))
        return {read: versions[uuid] for read, uuid in newest.items()}

    def next_versions(self, versions: Sequence[Version]) -> dict[bytes, Micros]:
        rows: list[r.Row] = []
        for values, part in values_of([(v.uuid, v.dataset, v.first) for v in versions]):
            rows += self._query(
                f"WITH given(uuid, dataset, first) AS ({values}) SELECT uuid, (SELECT min(v.first) "
                "FROM dataset_versions AS v WHERE v.dataset = given.dataset AND v.first > given.first) FROM given",
                *part,
            )
        return {uuid: first for uuid, first in rows if first is not None}

    def readers(self, dataset: Node, since: Micros, until: Micros, limit: int) -> list[int]:
        sql = (
            "SELECT run FROM uses WHERE dataset = ? AND output = 0 AND first >= ? AND first < ? "
            "ORDER BY first, run LIMIT ?"
        )
        return [row[0] for row in self._query(sql, dataset, since, until, limit)]

    def runs_using(self, datasets: Sequence[Node], output: bool, limit: int) -> list[int]:
        marks = ",".join("?" * len(datasets))
        sql = f"SELECT run FROM uses WHERE dataset IN ({marks}) AND output = ? ORDER BY first DESC, run DESC LIMIT ?"
        return [row[0] for row in self._query(sql, *datasets, int(output), limit)]

    def past_facets(self, node: Node) -> list[tuple[str, Register]]:
        sql = "SELECT name, first, last, content FROM past_facets WHERE node = ? ORDER BY first"
        return [(name, (first, last, content)) for name, first, last, content in self._query(sql, node)]

    def past_values(self, nodes: Sequence[Node], names: Sequence[str]) -> dict[Node, list[tuple[str, Register]]]:
        values_by_node: dict[Node, list[tuple[str, Register]]] = {}
        for values, part in values_of([(node, name) for node in nodes for name in names]):
            for node, name, first, last, content in self._query(
                f"WITH given(node, name) AS ({values}) SELECT node, name, first, last, content "
                "FROM given CROSS JOIN past_facets USING (node, name) ORDER BY first, content",
                *part,
            ):
                values_by_node.setdefault(node, []).append((name, (first, last, content)))
        return values_by_node


def _time_range(criteria: EventFilter) -> tuple[str, list[int]]:
    parts, parameters = [], []
    if criteria.after is not None:
        parts.append("time >= ?")
        parameters.append(int(criteria.after))
    if criteria.before is not None:
        parts.append("time < ?")
        parameters.append(int(criteria.before))
    return ("WHERE " + " AND ".join(parts) if parts else ""), parameters
