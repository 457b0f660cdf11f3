"""Bytes → `Event`. Facets stay raw here; `facets.py` types those that someone asks for.

Lenient where real clients are sloppy, strict where meaning would be lost. The leniences are
listed in docs/openlineage.md and checked against the JSON Schemas by `make conformance`.
"""

import re
from enum import IntEnum
from hashlib import blake2b
from itertools import accumulate
from typing import NoReturn

import msgspec

from headwater.caches import TwoGenerationCache
from headwater.errors import BadEvent, Problem
from headwater.ids import DELETED, ContentId, Micros, RunId, Stamp
from headwater.openlineage import naming, timestamps
from headwater.openlineage.facets import is_deleted
from headwater.openlineage.skeleton import Facet, cut_out


class EventType(IntEnum):
    """The value is the rank: at the same moment the later step of a run wins."""

    STATIC = 0  # job and dataset events, which have no run
    OTHER = 1
    START = 2
    RUNNING = 3
    COMPLETE = 4
    ABORT = 5
    FAIL = 6


TERMINAL = frozenset({EventType.COMPLETE, EventType.ABORT, EventType.FAIL})
_TYPES = {t.name: t for t in EventType if t is not EventType.STATIC}
_RANKS = 8  # room for the ranks above below each microsecond

MAX_EVENT_BYTES = 32 << 20

# Walking through a facet uses the stack, and a replay may have less of it left than the ingest
# had, so the limit is a number and not what happens to work. Real events have some thirty levels.
_MAX_DEPTH = 256

# Facets repeat from event to event, and looking one up costs a quarter of hashing it. Mostly all facets of a job or
# dataset repeat together, and are looked up together.
_CACHE_ENTRIES, _CACHED_MAX_BYTES = 4096, 16 << 10


Facets = dict[str, Facet]
_NO_FACETS: Facets = {}


_facet_cache: TwoGenerationCache[bytes, Facet] = TwoGenerationCache(_CACHE_ENTRIES)
_facet_group_cache: TwoGenerationCache[bytes, Facets] = TwoGenerationCache(_CACHE_ENTRIES)


class DatasetMention(msgspec.Struct, frozen=True, gc=False):
    namespace: str
    name: str
    facets: Facets
    run_facets: Facets  # inputFacets or outputFacets: they belong to this run's use of it


class Event(msgspec.Struct, frozen=True, gc=False):
    """A decoded event. `skeleton` is its text with the facets cut out (see skeleton.py);
    `digest` identifies the whole."""

    skeleton: bytes
    digest: bytes
    facets: tuple[Facet, ...]  # all of them: of the run, the job and the datasets
    type: EventType
    time: Micros
    stamp: Stamp
    producer: str
    run: RunId | None
    run_facets: Facets
    job: tuple[str, str] | None
    job_facets: Facets
    inputs: tuple[DatasetMention, ...]
    outputs: tuple[DatasetMention, ...]
    dataset: DatasetMention | None


def stamp_time(stamp: Stamp) -> Micros:
    return Micros(stamp // _RANKS)


def last_stamp(at: Micros) -> Stamp:
    """Above the stamps of all events of that moment."""
    return Stamp(at * _RANKS + _RANKS - 1)


RawFacets = dict[str, msgspec.Raw] | None
_NOTHING = msgspec.Raw()


class _Run(msgspec.Struct, gc=False):
    runId: str
    facets: RawFacets = None


class _Job(msgspec.Struct, gc=False):
    namespace: str
    name: str
    facets: msgspec.Raw = _NOTHING


class _Dataset(msgspec.Struct, gc=False):
    namespace: str
    name: str
    facets: msgspec.Raw = _NOTHING
    inputFacets: RawFacets = None
    outputFacets: RawFacets = None


class _Event(msgspec.Struct, gc=False):
    eventTime: str
    eventType: str | None = None
    producer: str | None = None
    schemaURL: str | None = None
    run: _Run | None = None
    job: _Job | None = None
    dataset: _Dataset | None = None
    inputs: list[_Dataset] | None = None
    outputs: list[_Dataset] | None = None


_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"')
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_NO_BRACKET = bytes(set(range(256)) - _STEPS.keys())
_BRACE = ord("{")
_MISSING = re.compile("Object missing required field `(.*)`")
# Refusals quote this much of the text that they are about.
_SHOWN = 80

_decoder = msgspec.json.Decoder(_Event)
_list_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_facets_decoder: msgspec.json.Decoder[RawFacets] = msgspec.json.Decoder(RawFacets)


def content_id(content: bytes) -> ContentId:
    number = int.from_bytes(blake2b(content, digest_size=8).digest(), "big", signed=True)
    return ContentId(number or 1)  # 0 is DELETED


def split_batch(body: bytes) -> list[bytes]:
    """The events of a batch, each as it was sent. Raises BadEvent when the batch is no JSON array."""
    _check_text(body)
    try:
        return [bytes(raw) for raw in _list_decoder.decode(body)]
    except (msgspec.MsgspecError, RecursionError) as e:
        _fail(e)


def decode_batch(body: bytes) -> list[Event | str]:
    """The events of a batch, or why one is refused. Raises BadEvent when the batch is no JSON array."""
    return [decode_or_refuse(text) for text in split_batch(body)]


def decode_or_refuse(text: bytes) -> Event | str:
    """One event of a batch, or why it is refused."""
    try:
        return decode_text(text)
    except BadEvent as e:
        return str(e)


def decode(body: bytes) -> Event:
    """One event. Raises BadEvent with the path of each field that cannot be accepted."""
    _check_text(body)
    return decode_text(body)


def decode_text(body: bytes) -> Event:
    """One event whose size and UTF-8 were checked already, with its batch."""
    try:
        raw = _decoder.decode(body)
    except (msgspec.MsgspecError, RecursionError) as e:
        _fail(e)
    time = _time(raw.eventTime)
    run, job, dataset = raw.run, raw.job, raw.dataset
    if run is not None and job is not None:
        kind = _type(raw.eventType)
        if not run.runId:
            _reject("run.runId", "is empty")
        if dataset is not None:  # it is ignored, but must have the right shape
            _read_facets(bytes(dataset.facets), "dataset.facets")
    elif dataset is not None and job is None:
        kind, run = EventType.STATIC, None
    elif job is not None and dataset is None:
        kind = EventType.STATIC
    elif job is not None:
        _reject("dataset", "an event is about a job or about a dataset, not both")
    elif run is not None:
        _reject("job", "is required beside run")
    else:
        _reject("", "one of run with job, job, or dataset is required")
    if job is not None and not job.name:
        _reject("job.name", "is empty")
    facets: list[Facet] = []
    run_facets = _facets(run.facets, "run.facets", facets) if run else _NO_FACETS
    job_facets = _lasting_facets(job.facets, "job.facets", facets) if job else _NO_FACETS
    inputs = _mentions(raw.inputs, "inputs", facets) if job else ()
    outputs = _mentions(raw.outputs, "outputs", facets) if job else ()
    about = _mention(dataset, "dataset", facets) if dataset and not job else None
    skeleton = cut_out(body, facets)
    # Facets were checked one by one; fields that nobody knows may be deep too.
    _check_depth(skeleton, "")
    return Event(
        skeleton=skeleton,
        digest=blake2b(skeleton, digest_size=16).digest(),
        facets=tuple(facets),
        type=kind,
        time=time,
        stamp=Stamp(time * _RANKS + kind),
        producer=raw.producer or "",
        run=RunId(run.runId) if run else None,
        run_facets=run_facets,
        job=(job.namespace, job.name) if job else None,
        job_facets=job_facets,
        inputs=inputs,
        outputs=outputs,
        dataset=about,
    )


def _check_text(body: bytes) -> None:
    if len(body) > MAX_EVENT_BYTES:
        _reject("", f"is larger than {MAX_EVENT_BYTES >> 20} MiB")
    try:
        body.decode()  # facets are stored unread, so bad UTF-8 in them would go unnoticed
    except UnicodeDecodeError as e:
        raise BadEvent(Problem("", f"is not UTF-8 (byte {e.start})"), malformed=True) from None


def _type(text: str | None) -> EventType:
    if text is None:
        return EventType.OTHER
    try:
        return _TYPES[text.upper()]
    except KeyError:
        _reject("eventType", f"{text[:_SHOWN]!r} is none of {', '.join(_TYPES)}")


def _time(text: str) -> Micros:
    try:
        return timestamps.parse(text)
    except (ValueError, OverflowError):
        _reject("eventTime", f"{text[:40]!r} is not an ISO 8601 date-time")


def _mentions(datasets: list[_Dataset] | None, path: str, collected: list[Facet]) -> tuple[DatasetMention, ...]:
    if not datasets:
        return ()
    return tuple([_mention(d, f"{path}[{i}]", collected) for i, d in enumerate(datasets)])


def _mention(dataset: _Dataset, path: str, collected: list[Facet]) -> DatasetMention:
    namespace, name = naming.canonical(dataset.namespace, dataset.name)
    if not name:
        _reject(f"{path}.name", "is empty")
    own, other = ("outputFacets", "inputFacets") if path.startswith("out") else ("inputFacets", "outputFacets")
    kind = own if getattr(dataset, own) else other
    return DatasetMention(
        namespace,
        name,
        _lasting_facets(dataset.facets, f"{path}.facets", collected),
        _facets(getattr(dataset, kind), f"{path}.{kind}", collected),
    )


def _lasting_facets(raw: msgspec.Raw, path: str, collected: list[Facet]) -> Facets:
    """Facets of a job or dataset itself."""
    body = bytes(raw)
    cached = _facet_group_cache.get(body)
    if cached is not None:
        collected += cached.values()
        return cached
    facets = _facets(_read_facets(body, path), path, collected)
    if len(body) <= _CACHED_MAX_BYTES:
        _facet_group_cache.put(body, facets)
    return facets


def _read_facets(body: bytes, path: str) -> RawFacets:
    try:
        return _facets_decoder.decode(body) if body else None
    except msgspec.ValidationError as e:
        _reject(path, str(e))


def _facets(raw: RawFacets, path: str, collected: list[Facet]) -> Facets:
    if not raw:
        return _NO_FACETS
    facets: Facets = {}
    for name, value in raw.items():
        content = bytes(value)
        if content[0] == _BRACE:
            facet = _facet_cache.get(content) or _new_facet(content, f"{path}.{name}")
            facets[name] = facet
            collected.append(facet)
        elif content != b"null":  # some serializers write null for what they do not have
            _reject(f"{path}.{name[:_SHOWN]}", "is not an object")
    return facets


def _new_facet(content: bytes, path: str) -> Facet:
    _check_depth(content, path)
    number = content_id(content)
    facet = Facet(number, content, DELETED if is_deleted(content) else number)
    if len(content) <= _CACHED_MAX_BYTES:
        _facet_cache.put(content, facet)
    return facet


def _check_depth(text: bytes, path: str) -> None:
    if text.count(b"{") + text.count(b"[") > _MAX_DEPTH:
        brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKET)
        if max(accumulate(map(_STEPS.__getitem__, brackets))) > _MAX_DEPTH:
            _reject(path, "is nested too deeply")


def _reject(path: str, message: str) -> NoReturn:
    raise BadEvent(Problem(path, message)) from None


def _fail(error: Exception) -> NoReturn:
    if isinstance(error, RecursionError):
        raise BadEvent(Problem("", "is nested too deeply"), malformed=True) from None
    if isinstance(error, msgspec.ValidationError):
        # msgspec says: Expected `str`, got `int` - at `$.job.name`
        message, _, at = str(error).partition(" - at `$")
        path = at.rstrip("`")
        if missing := _MISSING.fullmatch(message):
            path, message = f"{path}.{missing[1]}", "is required"
        _reject(path.lstrip("."), message)
    raise BadEvent(Problem("", str(error)), malformed=True) from None
