"""The derived tables, described once for every database.

`merge` says how a new row is merged into one that is there already; columns without a rule are
replaced. The rules are the same folds as in the model, so rows may be written again freely.
"""

from dataclasses import dataclass, field

# Raise it whenever a table or the meaning of a column changes: the tables are then rebuilt
# from the log at the next start.
TABLES_VERSION = 4

INT, TEXT, BLOB = "INTEGER", "TEXT", "BLOB"

_EARLIER = "CASE WHEN excluded.{c} < {t}.{c} THEN excluded.{c} ELSE {t}.{c} END"
_LATER = "CASE WHEN excluded.{c} > {t}.{c} THEN excluded.{c} ELSE {t}.{c} END"
_FIRST_WRITTEN = (
    "CASE WHEN excluded.written IS NOT NULL AND ({t}.written IS NULL OR excluded.written < {t}.written)"
    " THEN excluded.{c} ELSE {t}.{c} END"
)
_SOME_SCHEMA = (
    "CASE WHEN excluded.{c} = 0 THEN {t}.{c} WHEN {t}.{c} = 0 OR excluded.{c} > {t}.{c}"
    " THEN excluded.{c} ELSE {t}.{c} END"
)
_SPAN = {"first": _EARLIER, "last": _LATER}


@dataclass(frozen=True)
class Table:
    name: str
    columns: dict[str, str]
    key: tuple[str, ...]
    merge: dict[str, str] = field(default_factory=dict)
    indexes: tuple[tuple[str, ...], ...] = ()  # of columns, or of what is made from columns
    unique: tuple[str, ...] = ()

    def on_conflict(self) -> str:
        updates = ", ".join(
            f"{c} = " + self.merge.get(c, "excluded.{c}").format(c=c, t=self.name)
            for c in self.columns
            if c not in self.key
        )
        return f"ON CONFLICT ({', '.join(self.key)}) DO UPDATE SET {updates}"


TABLES = (
    Table("namespaces", {"name": TEXT, "first": INT, "last": INT}, ("name",)),
    Table(
        "sources",
        {"name": TEXT, "uri": TEXT, "stamp": INT, "first": INT, "last": INT},
        ("name",),
    ),
    Table(
        "jobs",
        {
            "node": INT,
            "namespace": TEXT,
            "name": TEXT,
            "first": INT,
            "last": INT,
            "facets": BLOB,
            "parent": BLOB,
            "declared": BLOB,
            "latest_run": INT,
            "runs": INT,
            "named": INT,
        },
        ("node",),
    ),
    Table(
        "datasets",
        {
            "node": INT,
            "namespace": TEXT,
            "name": TEXT,
            "first": INT,
            "last": INT,
            "facets": BLOB,
            "aliases": BLOB,
            "renamed": BLOB,
            "lifecycle": BLOB,
            "declared": INT,
        },
        ("node",),
    ),
    Table(
        "edges",
        {"src": INT, "dst": INT, "first": INT, "last": INT, "spans": BLOB},
        ("src", "dst"),
    ),
    Table(
        "column_sets",
        {
            "src": INT,
            "dst": INT,
            "kind": TEXT,
            "content": INT,
            "first": INT,
            "last": INT,
            "sources": BLOB,
        },
        ("src", "dst", "kind", "content"),
        _SPAN,
    ),
    Table(
        "past_facets",
        {"node": INT, "name": TEXT, "content": INT, "first": INT, "last": INT},
        ("node", "name", "content"),
        _SPAN,
    ),
    Table(
        "runs",
        {
            "row": INT,
            "id": TEXT,
            "job": INT,
            "started": INT,
            "version": INT,
            "told": BLOB,  # see `rows._PackedRun`
        },
        ("row",),
        indexes=(("job", "started", "id"), ("job", "version", "started")),
        unique=("id",),
    ),
    Table(
        "uses",
        {
            "run": INT,
            "dataset": INT,
            "output": INT,
            "first": INT,
            "last": INT,
            "facets": BLOB,
            "versions": BLOB,
        },
        ("run", "dataset", "output"),
        indexes=(("dataset", "output", "first"),),
    ),
    Table(
        "dataset_versions",
        {
            "uuid": BLOB,
            "dataset": INT,
            "version": TEXT,
            "schema": INT,
            "first": INT,
            "last": INT,
            "run": INT,
            "written": INT,
        },
        ("uuid",),
        {**_SPAN, "schema": _SOME_SCHEMA, "run": _FIRST_WRITTEN, "written": _FIRST_WRITTEN},
        indexes=(("dataset", "first"), ("dataset", "coalesce(written, first)", "uuid")),
    ),
    Table(
        "events",
        {"position": INT, "time": INT, "kind": INT, "run": INT, "job": INT},
        ("position",),
        indexes=(("time",), ("run", "time")),
    ),
    Table("event_counts", {"quarter": INT, "kind": INT, "count": INT}, ("quarter", "kind")),
    # The positions of edits in the log, numbered, so that the last number is their count.
    Table("edits", {"position": INT, "number": INT}, ("position",), unique=("number",)),
    Table("edited", {"register": TEXT, "key": TEXT, "value": BLOB}, ("register", "key")),
)
