"""Compares Headwater with OpenLineage's own schemas: `python -m tests.conformance PATH`.

PATH is a folder with the specification: OpenLineage.json, facets/ and tests/. Two things are
shown. Every sample there is accepted, comes back byte for byte and can be folded. And for
thousands of variants of events, valid and broken, the decoder's verdict is the schema's, but
for the leniences and strictnesses that are named below (and described in docs/openlineage.md).
"""

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from rich.console import Console
from rich.table import Table

from headwater.errors import BadEvent
from headwater.ids import Micros, Position
from headwater.ingest.folding import fold, replay
from headwater.interpret.known_facets import KnownFacets
from headwater.model.state import State
from headwater.openlineage import facets as f
from headwater.openlineage.event import Event, decode
from headwater.store.sqlite.log import SqliteLog
from headwater.store.sqlite.tables import SqliteTables
from tests.support import make

Json = dict[str, Any]
Verdict = Callable[[Any], bool]
FORMATS = Draft202012Validator.FORMAT_CHECKER
URI, UUID = "https://example.test/x", "01a1dde6-0049-7961-ba3e-6e38cab984ae"
FACET_KINDS = ("facets", "inputFacets", "outputFacets")
PAIRS = 5000

# Leniences. Each mends what it forgives: an event that the schema refuses must be accepted
# if it is valid when mended.


def entities(event: Json) -> list[Json]:
    lists = [event[k] for k in ("inputs", "outputs") if isinstance(event.get(k), list)]
    entities = [event.get("run"), event.get("job"), event.get("dataset"), *(d for listed in lists for d in listed)]
    return [e for e in entities if isinstance(e, dict)]


def facet_holders(event: Json) -> list[Json]:
    return [e[kind] for e in entities(event) for kind in FACET_KINDS if isinstance(e.get(kind), dict)]


def mend_null(event: Json) -> None:
    for holder, may_go in (
        (event, {"eventType", "producer", "schemaURL", "run", "job", "dataset", "inputs", "outputs"}),
        *((entity, set(FACET_KINDS)) for entity in entities(event)),
        *((holder, set(holder)) for holder in facet_holders(event)),
    ):
        for key in [k for k in may_go if k in holder and holder[k] is None]:
            del holder[key]


def mend_uris(event: Json) -> None:
    for key in ("producer", "schemaURL"):
        if isinstance(event.setdefault(key, URI), str) and not FORMATS.conforms(event[key], "uri"):
            event[key] = URI


TIME = re.compile(r"(\d{4}-\d\d-\d\d).(\d\d:\d\d)(:\d\d)?([.,]\d+)?([Zz]|[+-]\d\d(?::?\d\d)?)?", re.DOTALL)


def mend_time(event: Json) -> None:
    value = event.get("eventTime")
    match = TIME.fullmatch(value) if isinstance(value, str) else None
    if match and not FORMATS.conforms(value, "date-time"):
        day, hour, seconds, fraction, zone = match.groups("")
        zone = f"{zone[:3]}:{zone[3:].strip(':') or '00'}" if zone.strip("Zz") else "Z"
        event["eventTime"] = f"{day}T{hour}{seconds or ':00'}{fraction.replace(',', '.')}{zone}"


def mend_run_id(event: Json) -> None:
    run = event.get("run")
    if isinstance(run, dict) and isinstance(run.get("runId"), str) and run["runId"]:
        run["runId"] = run["runId"] if FORMATS.conforms(run["runId"], "uuid") else UUID


def mend_type(event: Json) -> None:
    if isinstance(event.get("eventType"), str):
        event["eventType"] = event["eventType"].upper()


def mend_facets(event: Json) -> None:
    for holder in facet_holders(event):
        for name, facet in holder.items():
            if isinstance(facet, dict):
                uris = [facet.get(key) for key in ("_producer", "_schemaURL")]
                right = all(isinstance(uri, str) and FORMATS.conforms(uri, "uri") for uri in uris)
                if not right or not isinstance(facet.get("_deleted", True), bool):
                    holder[name] = make.facet()


LENIENCES: tuple[tuple[str, str, Callable[[Json], None]], ...] = (
    ("null for what is not there", "many serializers write it", mend_null),
    ("producer or schemaURL missing or no URI", "nothing depends on them", mend_uris),
    ("eventTime without zone, seconds or T, or with a comma", "it is ISO 8601, in UTC", mend_time),
    ("runId that is no UUID", "schedulers have ids of their own", mend_run_id),
    ("eventType in lower case", "the meaning is clear", mend_type),
    ("facet without _producer and _schemaURL, or with a wrong _deleted", "facets are kept as they come", mend_facets),
)

# Strictnesses. Each names an event that the schema allows and that must be refused.

OBJECT: Json = {"type": ["object", "null"]}
TEXT, FACETS = {"type": "string"}, dict.fromkeys(FACET_KINDS, OBJECT)
JOB = {**OBJECT, "required": ["namespace", "name"], "properties": {"namespace": TEXT, "name": TEXT, "facets": OBJECT}}
NAMED = {**JOB, "properties": {"namespace": TEXT, "name": TEXT, **FACETS}}
RUN = {**OBJECT, "required": ["runId"], "properties": {"runId": TEXT, "facets": OBJECT}}
LISTED = {"type": ["array", "null"], "items": {**NAMED, "type": "object"}}
TYPES: Json = {"eventType": {"type": ["string", "null"]}, "run": RUN, "job": JOB, "dataset": NAMED}
has_right_types = Draft202012Validator({"properties": {**TYPES, "inputs": LISTED, "outputs": LISTED}}).is_valid


def used_datasets(event: Json) -> list[Json]:
    return [*(event.get("inputs") or []), *(event.get("outputs") or [])] if event.get("job") else [event["dataset"]]


def has_empty_name(event: Json) -> bool:
    return any(named.get("name") == "" for named in (event.get("job") or {}, *used_datasets(event)))


def has_facet_of_other_type(event: Json) -> bool:
    holders = [
        h for d in used_datasets(event) for h in (d.get("facets"), d.get("inputFacets") or d.get("outputFacets"))
    ]
    values = [v for holder in holders if holder for v in holder.values()]
    return any(v is not None and not isinstance(v, dict) for v in values)


def is_out_of_range(event: Json) -> bool:
    return re.fullmatch(r"0001-01-01.*\+..:..|9999-12-31.*-..:..", event["eventTime"]) is not None


def has_half_pair(event: Json) -> bool:
    return re.search("[\ud800-\udfff]", json.dumps(event, ensure_ascii=False)) is not None


STRICTNESSES: dict[str, Verdict] = {
    "wrong type where the schema does not look": lambda event: not has_right_types(event),
    "empty name": has_empty_name,
    "facet that is no object where the schema does not look": has_facet_of_other_type,
    "eventTime outside the years 1 to 9999 in UTC": is_out_of_range,
    "half of a surrogate pair": has_half_pair,
}

# Variants

DROP = object()
VALUES: tuple[Any, ...] = (DROP, None, "", "x", 0, 1.5, True, [], {}, [None], {"x": 1}, {"x": None}, [{"name": "n"}])
ZONED = "10:00:00.123456789+02:00|10:00:00z|10:00:00Z|10:00:00|10:00|10:00:00,5Z|10:00:00+0200|10:00:00-00:00"
TIMES = (
    f"2026-13-02T10:00:00Z|2026-02-29T10:00:00Z|2026-03-02T25:00:00Z|2026-03-02|1772445600|soon|{make.time(0)[:-1]}+99"
)
EDGES = "0001-01-01T00:00:00+01:00|0001-01-01T00:00:00Z|9999-12-31T23:59:59-01:00|9999-12-31T23:59:59Z"
SPECIAL: dict[Any, list[Any]] = {
    "eventTime": [f"2026-03-02{t}{z}" for t in "Tt " for z in ZONED.split("|")] + f"{TIMES}|{EDGES}".split("|"),
    "eventType": ["start", "Complete", "FINISHED", "START ", "RUNNING", "other"],
    "runId": ["run 7", UUID.upper(), UUID.replace("-", "")],
    "producer": ["no uri", "urn:x:y", "relative/path"],
    "schemaURL": ["no uri"],
    "_deleted": [False, "yes"],
}
ADDED: dict[str, Any] = {
    "extra": {"deep": [1]},
    "run": {"runId": UUID},
    "job": {"namespace": "jobs", "name": "other"},
    "dataset": {"namespace": "db", "name": "other"},
    "inputs": [{"namespace": "db", "name": "i"}],
    "facets": {"own": make.facet()},
    "inputFacets": {"own": 5},
    "outputFacets": {"own": make.facet()},
}
# What no JSON library writes, each in place of a piece of the first event.
ODD_NUMBERS = ("NaN", "-Infinity", "01", "1.", ".5", "1e400", "9" * 400, "1,", "[1,]")
ODD_STRINGS = (r'"\ud800"', r'"\udfff\ud800"', r'"\ud83d\ude00 \u0000"', r'"\q"', '"\0"', '"\n"', "'x'", '"é 😀"')
ODD_TEXTS = ("\ufeff{}", "{} // done", "{}{}", "[{}]", "\t\r\n {} ", "", "null", "[]", '"x"', "{}\0")


def bases() -> list[Json]:
    fit = make.facet(x=1)
    used = make.dataset("a", {"own": fit}, inputFacets={"own": fit})
    made = make.dataset("b", {"own": {**fit, "_deleted": True}}, outputFacets={"own": fit})
    whole = make.run("START", "load", 0, UUID, [used, "c"], [made], {"own": fit}, {"own": fit})
    job = make.job_event("load", 0, {"own": fit}, [used], [made])
    dataset = {**make.dataset_event("a", 0, {"own": fit}), "schemaURL": URI}
    small = {"eventTime": make.time(0), "job": {"namespace": "", "name": "j"}, "producer": URI, "schemaURL": URI}
    return [whole, job, dataset, small, {**whole, "dataset": used}]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        yield from places(inner, (*path, key))


def changes(event: Json) -> Iterator[tuple[tuple[Any, ...], Any]]:
    for path, value in places(event):
        if isinstance(value, dict):
            # A dataset is read or written in one place: never facets of both kinds.
            present = {*value, *(FACET_KINDS[1:] if {*FACET_KINDS[1:]} & {*value} else ())}
            yield from (((*path, key), added) for key, added in ADDED.items() if key not in present)
        if path and "x" not in path:
            yield from ((path, new) for new in (*VALUES, *SPECIAL.get(path[-1], ())))


def changed(event: Json, path: tuple[Any, ...], value: Any) -> Json:
    event = json.loads(json.dumps(event))
    holder: Any = event
    for step in path[:-1]:
        holder = holder[step]
    if value is DROP:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return event


def variants() -> Iterator[bytes]:
    rng = random.Random(7)
    for event in bases():
        yield json.dumps(event).encode()
        yield from (json.dumps(changed(event, *change)).encode() for change in changes(event))
    for _ in range(PAIRS):
        event = rng.choice(bases())
        for _ in range(rng.choice((2, 2, 3, 4))):
            event = changed(event, *rng.choice(list(changes(event))))
        yield json.dumps(event).encode()
    text = json.dumps(bases()[0])
    yield from (text.replace('"x": 1', f'"x": {odd}').encode() for odd in (*ODD_NUMBERS, *ODD_STRINGS))
    yield from (text.replace('"load"', odd).encode() for odd in ODD_STRINGS)
    yield from (odd.replace("{}", text).encode() for odd in ODD_TEXTS)
    yield from (text.replace("load", "é").encode(encoding) for encoding in ("latin-1", "utf-16"))


# Verdicts


def parsed(body: bytes) -> Any:
    """The value, or None when it is no JSON."""
    try:
        return json.loads(body.decode(), parse_constant=int)  # int("NaN") fails, as it should
    except ValueError:
        return None


def mended(event: Json, is_valid: Verdict) -> tuple[bool, list[str]]:
    """Whether the event is valid once the leniences have mended it, and which of them did."""
    names, before = [], json.dumps(event)
    event = json.loads(before)
    for name, _, mend in LENIENCES:
        mend(event)
        after = json.dumps(event)
        if after != before:
            names.append(name)
        before = after
    return is_valid(event), names


def refusal(body: bytes) -> str | None:
    try:
        decode(body)
    except BadEvent as e:
        return f"refused ({e})"
    return None


class Tally:
    def __init__(self) -> None:
        self.compared = self.accepted = self.agreed = 0
        self.named: Counter[str] = Counter()
        self.unexplained: list[str] = []

    def compare(self, body: bytes, is_valid: Verdict) -> None:
        event = parsed(body)
        known = isinstance(event, dict)
        valid = known and is_valid(event)
        mendable, leniences = mended(event, is_valid) if known else (False, [])
        strictness = next((name for name, refuses in STRICTNESSES.items() if mendable and refuses(event)), None)
        problem = refusal(body)
        accepted = problem is None
        self.compared, self.accepted = self.compared + 1, self.accepted + accepted
        if accepted != (mendable and strictness is None):
            self.unexplained.append(f"{problem or 'accepted'}, by the schema {valid=}: {body.decode(errors='replace')}")
        elif accepted == valid:
            self.agreed += 1
        else:
            self.named.update(leniences if accepted else [strictness or ""])


# Samples

UNDERSTOOD = {kind.__name__[0].lower() + kind.__name__[1:]: kind for kind in f.TypedFacet.__subclasses__()}
UNDERSTOOD |= {"lifecycleStateChange": f.Lifecycle, "parent": f.ParentRun}


def sample_event(place: str, facets: Json) -> Json:
    """An event with the facets where they belong; a definition in OpenLineage.json names the place."""
    key = {"InputDatasetFacet": "inputFacets", "OutputDatasetFacet": "outputFacets"}.get(place, "facets")
    datasets = [make.dataset("sample") | {key: facets}] if place.endswith("DatasetFacet") else []
    inputs, outputs = (
        datasets if place != "OutputDatasetFacet" else [],
        datasets if place != "InputDatasetFacet" else [],
    )
    run, job = (facets if place == kind else {} for kind in ("RunFacet", "JobFacet"))
    return make.run("COMPLETE", "sample", 0, "run-1", inputs, outputs, run, job)


def samples(spec: Path, registry: "Registry[Any]") -> Iterator[tuple[str, bytes]]:
    for path in sorted(spec.glob("tests/*.json")):
        yield path.name, path.read_bytes()
    for path in sorted(spec.glob("tests/*/*.json")):
        facets = json.loads(path.read_bytes())
        schema = json.loads((spec / "facets" / f"{path.parent.name}.json").read_bytes())
        bases_of = {kind: [b.get("$ref", "") for b in d.get("allOf", ())] for kind, d in schema["$defs"].items()}
        forms = [(kind, ref) for kind, refs in bases_of.items() for ref in refs if "/OpenLineage.json#" in ref]
        for kind, ref in forms:
            check = Draft202012Validator({"$ref": f"{schema['$id']}#/$defs/{kind}"}, registry=registry)
            if len(forms) == 1 or all(map(check.is_valid, facets.values())):
                event = sample_event(ref.rpartition("/")[2], facets)
                yield f"{path.parent.name}/{path.name}", json.dumps(event, indent=2).encode()


def sample_problems(given: list[tuple[str, bytes]], folder: Path) -> Iterator[str]:
    log, tables, state, known = SqliteLog(folder), SqliteTables(folder), State(), KnownFacets()
    sent: dict[Position, tuple[str, bytes]] = {}
    for name, body in given:
        try:
            event = decode(body)
            position = log.append([event], Micros(0))[0].position
            sent[position] = (name, body)
            fold(state, tables, [(position, event)], known)
            yield from (f"{name}: {facet} is not understood" for facet in not_understood(event))
        except Exception as e:
            yield f"{name}: {type(e).__name__}: {e}"
    back = {stored.position: stored.body for stored in log.read(Position(0))}
    yield from (f"{name}: came back changed" for at, (name, body) in sent.items() if back.get(at) != body)
    replay(log, tables, State())
    log.close()
    tables.close()


def not_understood(event: Event) -> Iterator[str]:
    mentioned = [mention.facets for mention in (*event.inputs, *event.outputs)]
    for facets, lineage in (
        (event.run_facets, None),
        (event.job_facets, f.JobLineage),
        *((m, f.DatasetLineage) for m in mentioned),
    ):
        for name, facet in facets.items():
            kind = lineage if name == "lineage" else UNDERSTOOD.get(name)
            if kind is not None and f.read(kind, facet.content) is None:
                yield name


def main(spec: Path) -> int:
    paths = [spec / "OpenLineage.json", *spec.glob("facets/*.json")]
    schemas = [json.loads(path.read_bytes()) for path in paths]
    registry: Registry[Any] = Registry().with_resources((s["$id"], DRAFT202012.create_resource(s)) for s in schemas)
    given = list(samples(spec, registry))
    with tempfile.TemporaryDirectory(prefix="headwater-conformance-") as folder:
        problems = list(sample_problems(given, Path(folder)))
    validator, tally = Draft202012Validator(schemas[0], registry=registry, format_checker=FORMATS), Tally()
    for body in dict.fromkeys(variants()):
        tally.compare(body, validator.is_valid)

    table = Table("", "", "count", box=None, highlight=False)
    table.add_row("samples", "accepted, understood, folded, back byte for byte", str(len(given) - len(problems)))
    table.add_row("variants", f"compared with OpenLineage.json; {tally.accepted:,} accepted", f"{tally.compared:,}")
    table.add_row("agreed", "", f"{tally.agreed:,}")
    for name, reason, _ in LENIENCES:
        table.add_row("lenience", f"{name}: {reason}", f"{tally.named[name]:,}")
    for name in STRICTNESSES:
        table.add_row("strictness", name, f"{tally.named[name]:,}")
    table.add_row("unexplained", "", f"{len(tally.unexplained):,}")
    console = Console(width=120, markup=False, emoji=False, highlight=False, soft_wrap=True)
    console.print(table)
    # A lenience that never shows is not one, or is not tried.
    idle = [name for name in (*(name for name, _, _ in LENIENCES), *STRICTNESSES) if not tally.named[name]]
    unexplained = sorted(tally.unexplained, key=len)[:20]
    for line in (*problems, *(f"never seen: {name}" for name in idle), *(line[:600] for line in unexplained)):
        console.print(line)
    passed = len(given) - len(problems) + tally.compared - len(tally.unexplained)
    failed = len(problems) + len(tally.unexplained) + len(idle)
    console.print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "OpenLineage.json").is_file():
        sys.exit("usage: python -m tests.conformance PATH (a folder with OpenLineage.json, facets/ and tests/)")
    sys.exit(main(Path(sys.argv[1])))
