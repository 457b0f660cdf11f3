"""A fuzzer over all that reads what clients send: `make fuzz`.

    python -m bench.fuzz -max_total_time=60        and any other option of libFuzzer

Bytes go through the decoder, the interpreter, the fold, the rows of the tables and the
answers. Only `BadEvent` may come out, and what is accepted must come back byte for byte. An
input that breaks this is left in bench/out/fuzz/failures; give its path as an argument to try it again.
"""

import importlib
import json
import sys
from collections.abc import Coroutine, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

try:
    atheris: Any = importlib.import_module("atheris")
except ImportError:
    sys.exit("atheris is not installed; `make fuzz` installs it and starts this")

# Only code that is imported in here reports to the fuzzer which lines an input reaches.
with atheris.instrument_imports(include=["headwater"]):
    import headwater.demo
    from headwater.answers.graphs import GraphWriter
    from headwater.answers.large_answers import LargeAnswers
    from headwater.answers.render import Renderer
    from headwater.errors import BadEvent
    from headwater.facet_contents import Contents
    from headwater.graph.columns import columns_of
    from headwater.graph.slices import finish
    from headwater.graph.traverse import CONNECTED
    from headwater.graph.when import Always
    from headwater.ids import ContentId, Node, Position
    from headwater.interpret import interpret
    from headwater.interpret.known_facets import KnownFacets
    from headwater.model.apply import apply_event
    from headwater.model.entities import Dataset
    from headwater.model.state import State
    from headwater.openlineage.event import decode, split_batch
    from headwater.openlineage.skeleton import put_back
    from headwater.store.rows import take

_OUT = Path(__file__).parent / "out" / "fuzz"
ARTIFACTS, CORPUS, SEEDS = _OUT / "failures", _OUT / "corpus", _OUT / "seeds"
_SEED_EVENTS = 100
_MAX_BYTES = 20_000
_DEPTH = 3

# What clients get wrong, and what sits at the edges of the formats that are read.
_ODD_VALUES: list[Any] = json.loads(r"""[
    null, true, 0, -1, 9223372036854775808, 1180591620717411303424, 1e308, [], {}, [[]], [null], {"": {}},
    {"_deleted": true}, "", " ", "\u0000", "/", ":", "#", "://", "é\u2028", "kafka://a,b,,", "s3a:///",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999-23:59", "2026-02-30T00:00:00Z",
    "START", "RUNNING", "COMPLETE", "FAIL", "DROP", "RENAME", "TRUNCATE", "JOB", "DATASET", "MASKED",
    "default_catalog.default_database.t"
]""")

# One of each facet that is interpreted; the recorded events lack some.
_A, _B = {"namespace": "kafka://a:9092,b:9092", "name": "t"}, {"namespace": "s3://w", "name": "u"}
_INPUT = {"type": "DATASET", **_A, "field": "c", "transformations": [{"type": "DIRECT", "masking": True}]}
_EVERY_FACET: dict[str, Any] = {
    "eventType": "RUNNING",
    "eventTime": "2026-01-01T00:00:00.123456789Z",
    "run": {
        "runId": "r",
        "facets": {
            "parent": {"run": {"runId": "p"}, "job": _B, "root": {"run": {"runId": "q"}, "job": _A}},
            "nominalTime": {"nominalStartTime": "2026-01-01T00:00:00Z", "nominalEndTime": "2026-01-01T01:00:00Z"},
        },
    },
    "job": {
        "namespace": "n",
        "name": "j",
        "facets": {
            "lineage": {
                "entries": [{"type": "DATASET", **_B, "inputs": [_INPUT], "fields": {"d": {"inputs": [_INPUT]}}}]
            },
            "jobType": {"processingType": "STREAMING"},
        },
    },
    "inputs": [
        {
            **_A,
            "facets": {"version": {"datasetVersion": "1"}, "dataSource": {"name": "s", "uri": "x"}},
            "inputFacets": {"inputStatistics": {"rowCount": 1}},
        }
    ],
    "outputs": [
        {
            **_B,
            "facets": {
                "schema": {"fields": [{"name": "d", "type": "INT", "fields": [{"name": "e"}]}]},
                "columnLineage": {"fields": {"d": {"inputFields": [_INPUT]}}, "dataset": [_INPUT]},
                "symlinks": {"identifiers": [{"namespace": "hive://h", "name": "d.u"}]},
                "lifecycleStateChange": {"lifecycleStateChange": "RENAME", "previousIdentifier": _A},
                "lineage": {"inputs": [_INPUT], "fields": {"d": {"inputs": [_INPUT]}}},
            },
        }
    ],
}


class _FakeLog(dict[ContentId, bytes]):
    """Stands for the log where facets are read."""

    def contents(self, ids: Iterable[ContentId]) -> dict[ContentId, bytes]:
        return {content: self[content] for content in ids}


def one_input(data: bytes) -> None:
    try:
        bodies = split_batch(data)
    except BadEvent:
        bodies = [data]
    state, log, known = State(), _FakeLog(), KnownFacets()
    for position, body in enumerate(bodies, 1):
        try:
            event = decode(body)
        except BadEvent:
            continue
        log.update((facet.content_id, facet.content) for facet in event.facets)
        assert put_back(event.skeleton, log.__getitem__) == body, "the event does not come back as it was sent"
        apply_event(state, Position(position), event, interpret(event, known))
    take(state)
    show(state, Contents(log))  # type: ignore[arg-type]


def show(state: State, contents: Contents) -> None:
    """Every answer about every node: what was accepted must never break a question."""
    renderer = Renderer(state, contents)
    graphs = GraphWriter(renderer, LargeAnswers(lambda: False))
    for node in map(Node, range(len(state.nodes))):
        msgspec.json.decode(_result(graphs.lineage(node, _DEPTH, CONNECTED, Always())))
        if isinstance(state.nodes[node], Dataset):
            msgspec.json.encode(renderer.datasets.dataset(node, None))
            columns = finish(columns_of(state, contents, state.aliases.canonical(node)))
            msgspec.json.decode(_result(graphs.column_lineage(columns, _DEPTH, down=True, when=Always())))
        else:
            msgspec.json.encode(renderer.jobs.job(node))


def _result(work: Coroutine[Any, Any, bytes]) -> bytes:
    """Runs a coroutine that only ever lets others go first; an event loop costs more than it."""
    while True:
        try:
            work.send(None)
        except StopIteration as done:
            answer: bytes = done.value
            return answer


def mutated(data: bytes, max_size: int, seed: int) -> bytes:
    """Every other time a change of the JSON value, else of the bytes: bytes alone seldom stay
    JSON, and then only the first step of the decoder is tried."""
    random = Random(seed)
    if random.random() < 0.5:
        try:
            changed = json.dumps(_changed(json.loads(data), random)).encode()
        except (ValueError, RecursionError):
            changed = b""
        if 0 < len(changed) <= max_size:
            return changed
    mutated: bytes = atheris.Mutate(data, max_size)
    return mutated


def _changed(value: Any, random: Random) -> Any:
    places = list(_places(value))
    if not places:
        return random.choice(_ODD_VALUES)
    holder, key = random.choice(places)
    donor, donor_key = random.choice(places)
    match random.randrange(5):
        case 0:
            holder[key] = random.choice(_ODD_VALUES)
        case 1:
            # A copy: a value that held itself could not be written.
            holder[key] = json.loads(json.dumps(donor[donor_key]))
        case 2:
            del holder[key]
        case 3 if isinstance(holder, dict):
            holder[str(donor_key)] = holder.pop(key)
        case 3:
            holder.append(json.loads(json.dumps(holder[key])))
        case _:
            return [value, json.loads(json.dumps(value))]
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything inside a JSON value, as the object or array that holds it and its key."""
    keys: Any = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


def write_seeds(folder: Path) -> None:
    """Recorded events of real clients, the smaller ones as the fuzzer is faster with them, and
    events about a run, a job and a dataset with every facet that is understood."""
    lines = [line for file in sorted(_demo().glob("*.jsonl")) for line in file.read_bytes().splitlines()]
    seeds = sorted(set(lines), key=len)[:_SEED_EVENTS]
    of_job = {key: value for key, value in _EVERY_FACET.items() if key != "run"}
    of_dataset = {"eventTime": _EVERY_FACET["eventTime"], "dataset": _EVERY_FACET["outputs"][0]}
    made = [json.dumps(event, separators=(",", ":")).encode() for event in (_EVERY_FACET, of_job, of_dataset)]
    for number, event in enumerate((*made, *seeds, b"[" + b",".join((*made, *seeds[:2])) + b"]")):
        (folder / f"seed{number}").write_bytes(event)


def _demo() -> Path:
    assert headwater.demo.__file__ is not None
    return Path(headwater.demo.__file__).parent


def main() -> None:
    # The corpus stays, so that the next run goes on from the inputs that reached something new.
    for folder in (ARTIFACTS, CORPUS, SEEDS):
        folder.mkdir(parents=True, exist_ok=True)
    write_seeds(SEEDS)
    options = [f"-artifact_prefix={ARTIFACTS}/", f"-max_len={_MAX_BYTES}", *sys.argv[1:]]
    if all(option.startswith("-") for option in options):  # else files were given, to be tried once
        options += [str(CORPUS), str(SEEDS)]
    atheris.Setup([sys.argv[0], *options], one_input, custom_mutator=mutated)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
