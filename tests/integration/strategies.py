"""Events that nobody wrote: valid ones with odd names and facets, and broken ones."""

import copy
from typing import Any

from hypothesis import strategies as st

from tests.integration.samples import PRODUCER

Json = Any

# Few and odd, so that events meet each other, each odd for a reason of its own.
NAMESPACES = (
    "",
    "ns",
    "a:b",
    "s3://bucket",
    "s3a://bucket/",
    "kafka://b:9092,a:9092",
    "kafka://b:9092/,a:9092/",
    "kafka://a:9092",
    "file",
    "🌊/ø:%2F?q=1#f",
    "..",
    " ",
    "A://",
)
NAMES = (
    "orders",
    "/orders/",
    "a/b/c",
    "a:b#c",
    ".",
    "..",
    "//",
    "%2e%2E",
    "💧 \u202e\ufeff",
    "with\nnewline\tand\u0000nul",
    "'; DROP TABLE jobs; --",
    "runs",
    "default_catalog.default_database.t",
)
RUNS = ("01a1dde6-0049-7961-ba3e-6e38cab984ae", "run/1", "", "..", "ü", "run 2", "run-3")
TIMES = (
    "2026-11-15T06:30:06.726131202Z",
    "2026-11-15T06:30:06",
    "2026-11-14T06:30:06.7+02:00",
    "2026-11-16 06:30:06Z",
    "1970-01-01T00:00:00Z",
    "1969-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
)
# Within the calendar where they were written, beyond it in UTC.
BEYOND = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00")

_text = st.text(max_size=30)
_numbers = st.one_of(
    st.integers(), st.just(10**400), st.just(-(1 << 63) - 1), st.floats(allow_nan=False, allow_infinity=False)
)
_plain = st.one_of(st.none(), st.booleans(), _numbers, _text, st.sampled_from(NAMES))
junk: st.SearchStrategy[Json] = st.recursive(
    _plain,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_text, inner, max_size=4)),
    max_leaves=8,
)

namespaces = st.one_of(st.sampled_from(NAMESPACES), _text)
names = st.one_of(st.sampled_from(NAMES), st.text(min_size=1, max_size=30))
any_names = st.one_of(names, st.just(""))
runs = st.one_of(st.sampled_from(RUNS), st.text(min_size=1, max_size=20))
times = st.one_of(st.sampled_from(TIMES), st.datetimes().map(lambda at: at.isoformat() + "Z"))


time_texts = st.one_of(times, st.sampled_from(BEYOND), _text)


def some(required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional or {})


identifiers = some({"namespace": namespaces, "name": any_names})
_transformations = st.lists(
    some({"type": st.sampled_from(("DIRECT", "INDIRECT"))}, {"subtype": _text, "masking": st.booleans()}), max_size=2
)
_columns = st.sampled_from(("id", "price", "a:b", "", "ü"))
_input_fields = st.lists(
    some({"namespace": namespaces, "name": any_names, "field": _columns}, {"transformations": _transformations}),
    max_size=3,
)
_lineage_inputs = st.lists(
    some(
        {"type": st.sampled_from(("DATASET", "JOB", "other"))},
        {"namespace": namespaces, "name": any_names, "field": _columns, "transformations": _transformations},
    ),
    max_size=3,
)
_lineage_fields = st.dictionaries(_columns, some({"inputs": _lineage_inputs}), max_size=2)

_BODIES: dict[str, dict[str, dict[str, st.SearchStrategy[Any]]]] = {
    "run": {
        "nominalTime": {"nominalStartTime": time_texts, "nominalEndTime": time_texts},
        "parent": {
            "run": some({"runId": runs}),
            "job": identifiers,
            "root": some({"run": some({"runId": runs}), "job": identifiers}),
        },
        "errorMessage": {"message": _text},
    },
    "job": {
        "jobType": {"processingType": st.sampled_from(("BATCH", "STREAMING", "odd")), "integration": _text},
        "documentation": {"description": _text},
        "sourceCodeLocation": {"url": _text},
        "tags": {"tags": st.lists(some({"key": _text}, {"value": _text, "field": _columns}), max_size=2)},
        "lineage": {
            "entries": st.lists(
                some(
                    {"type": st.sampled_from(("DATASET", "JOB"))},
                    {"namespace": namespaces, "name": any_names, "inputs": _lineage_inputs, "fields": _lineage_fields},
                ),
                max_size=3,
            )
        },
    },
    "dataset": {
        "schema": {"fields": st.lists(some({"name": _columns}, {"type": _text, "description": _text}), max_size=3)},
        "columnLineage": {
            "fields": st.dictionaries(_columns, some({"inputFields": _input_fields}), max_size=3),
            "dataset": _input_fields,
        },
        "symlinks": {"identifiers": st.lists(identifiers, max_size=3)},
        "lifecycleStateChange": {
            "lifecycleStateChange": st.sampled_from(("CREATE", "DROP", "RENAME", "TRUNCATE", "OVERWRITE", "")),
            "previousIdentifier": identifiers,
        },
        "version": {"datasetVersion": _text},
        "dataSource": {"name": _text, "uri": _text},
        "tags": {"tags": st.lists(some({"key": _text}, {"value": _text, "field": _columns}), max_size=2)},
        "lineage": {"inputs": _lineage_inputs, "fields": _lineage_fields},
    },
}


def facets(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Known facets with all, some or wrong fields, and unknown ones."""
    known = {
        name: st.one_of(
            some({"_producer": st.just(PRODUCER)}, {**fields, "_deleted": st.booleans()}),
            some({}, dict.fromkeys(fields, junk)),
        )
        for name, fields in _BODIES[kind].items()
    }
    unknown = st.dictionaries(_text, st.dictionaries(_text, junk, max_size=3), max_size=1)
    return st.builds(lambda odd, usual: {**odd, **usual}, unknown, some({}, known))


def _datasets(extra: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    one = some(
        {"namespace": namespaces, "name": names},
        {"facets": facets("dataset"), extra: st.dictionaries(_text, st.dictionaries(_text, junk), max_size=1)},
    )
    return st.lists(one, max_size=3)


_jobs = some({"namespace": namespaces, "name": names}, {"facets": facets("job")})
_around = {
    "producer": _text,
    "schemaURL": _text,
    "inputs": _datasets("inputFacets"),
    "outputs": _datasets("outputFacets"),
}

valid_events: st.SearchStrategy[dict[str, Any]] = st.one_of(
    some(
        {
            "eventTime": times,
            "run": some({"runId": runs.filter(bool)}, {"facets": facets("run")}),
            "job": _jobs,
        },
        {
            **_around,
            "eventType": st.sampled_from(("START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER", "complete")),
            "unknown": junk,
        },
    ),
    some({"eventTime": times, "job": _jobs}, _around),
    some(
        {"eventTime": times, "dataset": some({"namespace": namespaces, "name": names}, {"facets": facets("dataset")})}
    ),
)


@st.composite
def broken_events(draw: st.DrawFn) -> Json:
    """A valid event with one to three places deleted or replaced by anything."""
    event = copy.deepcopy(draw(valid_events))
    for _ in range(draw(st.integers(1, 3))):
        at: Any = event
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(at[key], (dict, list)) and draw(st.integers(0, 3)):
                at = at[key]
                continue
            if draw(st.booleans()):
                del at[key]
            else:
                at[key] = draw(junk)
            break
    return event
