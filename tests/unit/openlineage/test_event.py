"""Bytes → event: what is taken, what is refused, and what the refusal says."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.errors import BadEvent, Problem
from headwater.openlineage import event as event_module
from headwater.openlineage.event import (
    MAX_EVENT_BYTES,
    Event,
    EventType,
    content_id,
    decode,
    split_batch,
    stamp_time,
)
from headwater.openlineage.skeleton import put_back
from tests.support import make
from tests.support.examples import examples
from tests.unit.openlineage import strategies as some

Json = dict[str, Any]
many = examples(150)


def decoded(event: Json) -> Event:
    return decode(json.dumps(event).encode())


def refused(event: Json | bytes) -> Problem:
    with pytest.raises(BadEvent) as caught:
        decode(event if isinstance(event, bytes) else json.dumps(event).encode())
    assert len(caught.value.problems) == 1
    return caught.value.problems[0]


def run_event(**changes: Any) -> Json:
    return {**make.run("START", "load", inputs=["raw"], outputs=["clean"]), **changes}


def from_deep(frames: int, call: Callable[[], Any]) -> Any:
    return from_deep(frames - 1, call) if frames else call()


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


# What is taken


def test_a_run_event_has_run_job_and_datasets() -> None:
    fit = make.facet(x=1)
    event = decoded(
        make.run(
            "COMPLETE",
            "load",
            inputs=[make.dataset("raw", {"own": fit}, inputFacets={"seen": fit})],
            outputs=[make.dataset("clean", outputFacets={"made": fit})],
            facets={"r": fit},
            job_facets={"j": fit},
        )
    )
    assert (event.type, event.run, event.job) == (EventType.COMPLETE, "run-1", ("jobs", "load"))
    assert event.producer == make.PRODUCER
    assert [(d.namespace, d.name) for d in (*event.inputs, *event.outputs)] == [("db", "raw"), ("db", "clean")]
    assert (set(event.run_facets), set(event.job_facets)) == ({"r"}, {"j"})
    assert (set(event.inputs[0].facets), set(event.inputs[0].run_facets)) == ({"own"}, {"seen"})
    assert set(event.outputs[0].run_facets) == {"made"}
    assert event.dataset is None


def test_facets_of_the_use_are_those_of_the_side_on_which_the_dataset_stands() -> None:
    both = make.dataset("a", inputFacets={"read": {}}, outputFacets={"written": {}})
    event = decoded(make.run("START", "load", inputs=[both], outputs=[both]))
    assert (set(event.inputs[0].run_facets), set(event.outputs[0].run_facets)) == ({"read"}, {"written"})


def test_a_job_event_has_no_run() -> None:
    event = decoded(make.job_event("load", inputs=["raw"]))
    assert (event.type, event.run, event.job) == (EventType.STATIC, None, ("jobs", "load"))
    assert [d.name for d in event.inputs] == ["raw"]


def test_a_dataset_event_has_only_its_dataset() -> None:
    event = decoded({**make.dataset_event("raw", facets=make.schema("id")), "inputs": [make.dataset("other")]})
    assert event.dataset is not None
    assert (event.type, event.run, event.job) == (EventType.STATIC, None, None)
    assert (event.dataset.name, set(event.dataset.facets)) == ("raw", {"schema"})
    assert event.inputs == ()


def test_a_dataset_beside_run_and_job_is_left_aside() -> None:
    event = decoded(run_event(dataset=make.dataset("x")))
    assert (event.type, event.dataset) == (EventType.START, None)


def test_a_run_beside_a_dataset_is_left_aside() -> None:
    event = decoded({**make.dataset_event("raw"), "run": {"runId": "r"}})
    assert (event.type, event.run) == (EventType.STATIC, None)


def test_facets_keep_their_text() -> None:
    body = b'{ "b":1,\t"a" : [ 1.0, 1e2, "\\u00e9" ] , "a":2}'
    text = json.dumps(run_event(run={"runId": "r", "facets": {"own": "HERE"}})).encode().replace(b'"HERE"', body)
    facet = decode(text).run_facets["own"]
    assert (facet.content, facet.content_id) == (body, content_id(body))


def test_unknown_fields_are_kept_in_the_text() -> None:
    event = run_event(extra={"deep": [1, None]}, transportId="t")
    body = json.dumps(event).encode()
    assert put_back(decode(body).skeleton, _bodies(decode(body)).__getitem__) == body


def test_dataset_names_are_made_canonical_and_job_names_are_not() -> None:
    event = decoded(make.run("START", ("s3a://x/", "/load/"), inputs=[make.dataset(("s3a://bucket/", "/raw/"))]))
    assert event.job == ("s3a://x/", "/load/")
    assert (event.inputs[0].namespace, event.inputs[0].name) == ("s3://bucket", "raw")


def test_the_later_step_wins_at_the_same_moment() -> None:
    kinds = ["OTHER", "START", "RUNNING", "COMPLETE", "ABORT", "FAIL"]
    stamps = [decoded(make.run(kind, "load")).stamp for kind in kinds]
    assert stamps == sorted(stamps)
    assert len(set(stamps)) == len(kinds)
    assert decoded(make.job_event("load")).stamp < stamps[0]
    assert max(stamps) < decoded(make.run("OTHER", "load", at=1 / 60e6)).stamp
    assert {stamp_time(s) for s in stamps} == {decoded(make.run("START", "load")).time}


def test_the_digest_tells_different_texts_apart() -> None:
    texts = [
        json.dumps(run_event()),
        json.dumps(run_event(), indent=1),
        json.dumps(run_event(extra=1)),
        json.dumps(run_event(run={"runId": "run-1", "facets": {"own": make.facet(x=1)}})),
        json.dumps(run_event(run={"runId": "run-1", "facets": {"own": make.facet(x=2)}})),
    ]
    assert len({decode(t.encode()).digest for t in texts}) == len(texts)
    assert decode(texts[3].encode()).digest == decode(texts[3].encode()).digest


def test_the_same_facet_twice_is_one_content() -> None:
    event = decoded(make.run("START", "load", inputs=[make.dataset(n, {"own": make.facet(x=1)}) for n in "ab"]))
    assert len(event.facets) == 2
    assert len({facet.content_id for facet in event.facets}) == 1


def test_more_facets_than_are_remembered_change_nothing() -> None:
    one = run_event(run={"runId": "r", "facets": {"own": make.facet(x="first")}})
    before = decoded(one)
    for start in range(0, event_module._CACHE_ENTRIES + 100, 500):
        decoded(run_event(run={"runId": "r", "facets": {f"f{n}": make.facet(n=n) for n in range(start, start + 500)}}))
    assert decoded(one) == before


def test_the_same_facets_in_another_event_are_the_same_facets() -> None:
    facets = make.schema("a") | {"own": make.facet(x=1)}
    first, second = (decoded(make.run("START", "load", n, inputs=[make.dataset("in", facets)])) for n in range(2))
    event_module._facet_group_cache.clear()
    event_module._facet_cache.clear()
    again = decoded(make.run("START", "load", 1, inputs=[make.dataset("in", facets)]))
    assert second == again
    assert first.inputs == again.inputs
    assert [facet.content for facet in again.facets] == [facet.content for facet in again.inputs[0].facets.values()]


@pytest.mark.parametrize("wrong", [[], "text", 1, True])
def test_facets_that_are_no_object_are_refused_by_their_place(wrong: object) -> None:
    job = {"namespace": "jobs", "name": "load", "facets": wrong}
    assert refused(run_event(job=job)).path == "job.facets"
    assert (
        refused(run_event(inputs=[make.dataset("a"), make.dataset("b") | {"facets": wrong}])).path == "inputs[1].facets"
    )


@pytest.mark.parametrize("nothing", [None, {}])
def test_facets_may_be_nothing(nothing: object) -> None:
    job = {"namespace": "jobs", "name": "load", "facets": nothing}
    assert decoded(run_event(job=job)).job_facets == {}


# Leniences


@pytest.mark.parametrize("run_id", ["42", "manual__2026-03-02T10:00:00+00:00", "läuft", " "])
def test_a_run_id_need_not_be_a_uuid(run_id: str) -> None:
    assert decoded(run_event(run={"runId": run_id})).run == run_id


@pytest.mark.parametrize("producer", ["airflow", "", None])
def test_a_producer_need_not_be_a_uri(producer: str | None) -> None:
    assert decoded(run_event(producer=producer, schemaURL=producer)).producer == (producer or "")


def test_producer_and_schema_may_be_missing() -> None:
    event = run_event()
    del event["producer"], event["schemaURL"]
    assert decoded(event).producer == ""


@pytest.mark.parametrize("event", [run_event(eventType=None), make.run(None, "load")])
def test_a_missing_event_type_is_other(event: Json) -> None:
    assert decoded(event).type is EventType.OTHER


@pytest.mark.parametrize("text", ["complete", "Complete", "COMPLETE"])
def test_an_event_type_may_be_in_any_case(text: str) -> None:
    assert decoded(run_event(eventType=text)).type is EventType.COMPLETE


def test_the_type_of_an_event_without_run_does_not_matter() -> None:
    assert decoded({**make.job_event("load"), "eventType": "WHATEVER"}).type is EventType.STATIC


@pytest.mark.parametrize(
    "text", ["2026-03-02T10:00:00", "2026-03-02 10:00:00", "2026-03-02T10:00", "2026-03-02T10:00:00,0"]
)
def test_a_time_without_zone_is_utc(text: str) -> None:
    assert decoded(run_event(eventTime=text)).time == decoded(run_event(eventTime="2026-03-02T10:00:00Z")).time


def test_namespaces_may_be_empty() -> None:
    event = decoded(make.run("START", ("", "load"), inputs=[make.dataset(("", "raw"))]))
    assert event.job == ("", "load")
    assert (event.inputs[0].namespace, event.inputs[0].name) == ("", "raw")


def test_facets_need_no_producer_and_no_schema() -> None:
    assert set(decoded(run_event(run={"runId": "r", "facets": {"own": {}, "two": {"x": 1}}})).run_facets) == {
        "own",
        "two",
    }


def test_known_facets_that_break_their_schema_are_kept() -> None:
    facets = {"nominalTime": {"nominalStartTime": 5}, "parent": {"run": []}}
    assert set(decoded(run_event(run={"runId": "r", "facets": facets})).run_facets) == set(facets)


def test_null_stands_for_what_is_not_there() -> None:
    whole = run_event(inputs=None, outputs=None, dataset=None)
    whole["run"]["facets"] = None
    whole["job"]["facets"] = {"gone": None, "own": {}}
    event = decoded(whole)
    assert (event.inputs, event.outputs, event.run_facets) == ((), (), {})
    assert set(event.job_facets) == {"own"}
    assert decoded({**make.job_event("load"), "run": None}).type is EventType.STATIC
    assert decoded({**make.dataset_event("raw"), "job": None, "run": None}).dataset is not None


# Refusals, with the path of the field

_RAW = {"namespace": "db", "name": "raw"}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"eventTime": 5}, "eventTime"),
        ({"eventTime": None}, "eventTime"),
        ({"eventTime": ""}, "eventTime"),
        ({"eventTime": "yesterday"}, "eventTime"),
        ({"eventTime": "2026-03-02"}, "eventTime"),
        ({"eventTime": "2026-02-29T10:00:00Z"}, "eventTime"),
        ({"eventType": 5}, "eventType"),
        ({"eventType": "FINISHED"}, "eventType"),
        ({"eventType": ""}, "eventType"),
        ({"producer": 5}, "producer"),
        ({"run": "r"}, "run"),
        ({"run": {"runId": 5}}, "run.runId"),
        ({"run": {"runId": None}}, "run.runId"),
        ({"run": {"runId": ""}}, "run.runId"),
        ({"run": {"runId": "r", "facets": []}}, "run.facets"),
        ({"run": {"runId": "r", "facets": {"own": "x"}}}, "run.facets.own"),
        ({"job": []}, "job"),
        ({"job": None}, "job"),
        ({"job": {"namespace": None, "name": "j"}}, "job.namespace"),
        ({"job": {"namespace": "n", "name": 5}}, "job.name"),
        ({"job": {"namespace": "n", "name": ""}}, "job.name"),
        ({"job": {"namespace": "n", "name": "j", "facets": {"a.b": []}}}, "job.facets.a.b"),
        ({"inputs": {}}, "inputs"),
        ({"inputs": [_RAW, "x"]}, "inputs[1]"),
        ({"inputs": [_RAW, None]}, "inputs[1]"),
        ({"inputs": [_RAW, {"namespace": "db", "name": True}]}, "inputs[1].name"),
        ({"inputs": [_RAW, {"namespace": "db", "name": ""}]}, "inputs[1].name"),
        ({"inputs": [_RAW, {**_RAW, "facets": 5}]}, "inputs[1].facets"),
        ({"inputs": [_RAW, {**_RAW, "facets": {"x": 5}}]}, "inputs[1].facets.x"),
        ({"inputs": [{**_RAW, "inputFacets": {"x": 5}}]}, "inputs[0].inputFacets.x"),
        ({"outputs": [_RAW, _RAW, {**_RAW, "outputFacets": {"x": True}}]}, "outputs[2].outputFacets.x"),
        ({"dataset": 5}, "dataset"),
    ],
)
def test_a_refusal_names_the_field(changes: Json, path: str) -> None:
    problem = refused(run_event(**changes))
    assert problem.path == path
    assert problem.message


@pytest.mark.parametrize(
    ("missing", "path"),
    [
        (("eventTime",), "eventTime"),
        (("run", "runId"), "run.runId"),
        (("job", "name"), "job.name"),
        (("job", "namespace"), "job.namespace"),
        (("inputs", 0, "name"), "inputs[0].name"),
        (("outputs", 0, "namespace"), "outputs[0].namespace"),
    ],
)
def test_a_refusal_names_the_field_that_is_missing(missing: tuple[Any, ...], path: str) -> None:
    event = run_event()
    holder: Any = event
    for step in missing[:-1]:
        holder = holder[step]
    del holder[missing[-1]]
    assert refused(event).path == path


def test_a_dataset_of_its_own_needs_a_name() -> None:
    assert refused({**make.dataset_event("raw"), "dataset": {"namespace": "db", "name": ""}}).path == "dataset.name"


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ({}, ""),
        ({"run": {"runId": "r"}}, "job"),
        ({"job": {"namespace": "n", "name": "j"}, "dataset": _RAW}, "dataset"),
        ({"job": None, "run": None, "dataset": None}, ""),
    ],
)
def test_an_event_is_about_a_run_a_job_or_a_dataset(parts: Json, path: str) -> None:
    assert refused({"eventTime": make.time(0), **parts}).path == path


@pytest.mark.parametrize("text", [b"[]", b"null", b'"x"', b"5", b"[{}]"])
def test_an_event_is_an_object(text: bytes) -> None:
    assert refused(text).path == ""


_TEXT = json.dumps(run_event(run={"runId": "r", "facets": {"own": {"x": "VALUE"}}})).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"{",
        b"eventTime",
        _TEXT[:-1],
        _TEXT + b"x",
        _TEXT + _TEXT,
        b"\xef\xbb\xbf" + _TEXT,
        _TEXT.replace(b'"VALUE"', b"NaN"),
        _TEXT.replace(b'"VALUE"', b"-Infinity"),
        _TEXT.replace(b'"VALUE"', b"01"),
        _TEXT.replace(b'"VALUE"', b"[1,]"),
        _TEXT.replace(b"VALUE", b"\x005\x00"),
        _TEXT.replace(b"VALUE", b"a\nb"),
        _TEXT.replace(b"VALUE", b"\\x41"),
        _TEXT.replace(b"VALUE", b"\\ud800"),
        _TEXT.replace(b"VALUE", b"\xff\xfe"),
        _TEXT.replace(b"VALUE", b"\xed\xa0\x80"),
        _TEXT.replace(b"load", b"\\udfff"),
        _TEXT.decode().encode("utf-16"),
    ],
)
def test_what_is_no_json_is_malformed(text: bytes) -> None:
    with pytest.raises(BadEvent) as caught:
        decode(text)
    assert caught.value.malformed
    assert caught.value.problems[0].message


def test_json_that_says_too_little_is_not_malformed() -> None:
    with pytest.raises(BadEvent) as caught:
        decode(b"{}")
    assert not caught.value.malformed


@pytest.mark.parametrize(
    "changes",
    [
        {"eventTime": "x" * 100_000},
        {"eventType": "x" * 100_000},
        {"run": {"runId": "r", "facets": {"x" * 100_000: 5}}},
    ],
)
def test_a_refusal_is_short_however_long_the_field_is(changes: Json) -> None:
    problem = refused(run_event(**changes))
    assert len(problem.path) + len(problem.message) < 1000


def test_an_event_over_the_limit_is_refused() -> None:
    spaces = b" " * (MAX_EVENT_BYTES - len(_TEXT))
    assert decode(_TEXT + spaces).run == "r"
    assert "32 MiB" in refused(_TEXT + spaces + b" ").message


# Depth and width


@pytest.mark.parametrize("depth", [1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("holder", ['"facets":{"own":{"x":%s}}', '"extra":%s'])
def test_depth_bombs_are_refused(holder: str, depth: int) -> None:
    text = '{"eventTime":"2026-03-02T10:00:00Z","job":{"namespace":"n","name":"j"},"run":{"runId":"r",%s}}'
    assert "deep" in refused((text % (holder % nested(depth))).encode()).message


def test_a_depth_bomb_in_a_batch_is_refused() -> None:
    with pytest.raises(BadEvent):
        split_batch(f"[{nested(100_000)}]".encode())


@pytest.mark.parametrize("place", ["facet", "top", "run", "dataset"])
def test_what_is_accepted_once_is_accepted_on_replay(place: str) -> None:
    """A replay runs at another depth of Python's stack than the request did."""
    for depth in range(50, 1_000, 50):
        deep = "DEEP"  # put in as text: Python's own encoder may not go so deep
        event = run_event()
        match place:
            case "facet":
                event["run"]["facets"] = {"own": {"x": deep}}
            case "top":
                event["extra"] = deep
            case "run":
                event["run"]["extra"] = deep
            case _:
                event["inputs"][0]["extra"] = deep
        body = json.dumps(event).replace('"DEEP"', nested(depth)).encode()
        try:
            first = decode(body)
        except BadEvent:
            continue
        event_module._facet_cache.clear()
        assert from_deep(400, lambda body=body: decode(body)) == first, depth  # type: ignore[misc]


def test_wide_facets_are_not_deep() -> None:
    fields = [{"name": f"c{n}", "fields": [{"name": "x"}]} for n in range(2_000)]
    event = decoded(make.run("START", "load", outputs=[make.dataset("clean", {"schema": make.facet(fields=fields)})]))
    assert set(event.outputs[0].facets) == {"schema"}


def test_thousands_of_datasets_are_decoded_at_once_whatever_the_order_of_keys() -> None:
    """It takes some 20 ms; a search that starts over for each dataset takes seconds."""
    inputs = [
        {"inputFacets": {"s": make.facet(rows=n)}, "facets": {"own": make.facet(n=n)}, **_RAW} for n in range(2_000)
    ]
    body = json.dumps(run_event(inputs=inputs)).encode()
    started = time.perf_counter()
    decode(body)
    assert time.perf_counter() - started < 1


# Batches


def test_a_batch_is_split_into_the_texts_that_were_sent() -> None:
    parts = [b'{"a" : 1}', b"5", b"null", b'[ {"b":2} ]', b'"x"']
    assert split_batch(b"\n[ " + b" ,\t".join(parts) + b" ]\n") == parts
    assert split_batch(b"[]") == []


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        (b"{}", False),
        (b"null", False),
        (b"[1,", True),
        (b"", True),
        (b"[1 2]", True),
        (b"[NaN]", True),
        (b"[\xff]", True),
    ],
)
def test_what_is_no_array_is_no_batch(text: bytes, malformed: bool) -> None:
    with pytest.raises(BadEvent) as caught:
        split_batch(text)
    assert caught.value.malformed is malformed


# Properties


def _bodies(event: Event) -> dict[int, bytes]:
    return {facet.content_id: facet.content for facet in event.facets}


@many
@given(some.event_texts())
def test_any_event_comes_back_byte_for_byte(body: bytes) -> None:
    event = decode(body)
    assert put_back(event.skeleton, _bodies(event).__getitem__) == body


@many
@given(some.event_texts())
def test_the_same_bytes_always_say_the_same(body: bytes) -> None:
    assert decode(body) == decode(bytes(bytearray(body)))


def _decoded(body: bytes) -> Event | None:
    """The event, or None if it was refused; anything else is raised."""
    try:
        return decode(body)
    except BadEvent as e:
        return None if all(problem.message for problem in e.problems) else pytest.fail("no reason is given")


@many
@given(st.one_of(st.binary(), st.text().map(str.encode), some.values.map(lambda v: json.dumps(v).encode())))
@example(b'{"eventTime":"0001-01-01T00:00:00+23:59","job":{"namespace":"","name":"j"}}')
def test_any_bytes_give_an_event_or_a_refusal(body: bytes) -> None:
    _decoded(body)


@examples(300)
@given(st.one_of(some.broken_texts(), some.misshapen_events()))
def test_any_broken_event_gives_an_event_or_a_refusal(body: bytes) -> None:
    event = _decoded(body)
    if event is not None:
        assert put_back(event.skeleton, _bodies(event).__getitem__) == body


@many
@given(st.lists(st.one_of(some.event_texts(), some.values.map(lambda v: json.dumps(v).encode())), max_size=5))
def test_any_batch_is_split_as_it_was_put_together(parts: list[bytes]) -> None:
    assert split_batch(b"[" + b" , ".join(parts) + b"]") == parts
