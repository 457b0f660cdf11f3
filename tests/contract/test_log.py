"""The log: events in one order, each stored byte for byte."""

import json
import random
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.ids import ContentId, Micros, Position
from headwater.openlineage.event import Event, content_id, decode
from headwater.store.protocol import Appended, Log
from tests.contract.conftest import LOGS, OpenLog
from tests.support import make
from tests.support.examples import examples

NOW = Micros(1_772_445_600_000_000)
START = Position(0)


def body(number: int, **facets: Any) -> bytes:
    return make.encoded(make.run("START", "load", number, f"run-{number}", facets=facets))


def event(number: int, **facets: Any) -> Event:
    return decode(body(number, **facets))


def positions(appended: list[Appended]) -> list[int]:
    return [a.position for a in appended]


def bodies(log: Log, after: int = 0) -> list[bytes]:
    return [stored.body for stored in log.read(Position(after))]


def test_a_new_log_is_empty(log: Log) -> None:
    assert log.last() == 0
    assert list(log.read(START)) == []
    assert log.events([]) == []
    assert log.events([Position(1)]) == []
    assert dict(log.contents([])) == {}
    assert log.append([], NOW) == []
    assert log.last() == 0


def test_positions_grow_by_one(log: Log) -> None:
    assert positions(log.append([event(1)], NOW)) == [1]
    assert positions(log.append([event(2), event(3), event(4)], NOW)) == [2, 3, 4]
    assert positions(log.append([event(5)], NOW)) == [5]
    assert log.last() == 5


def test_a_duplicate_gets_the_position_of_the_first(log: Log) -> None:
    log.append([event(1), event(2)], NOW)
    assert log.append([event(2), event(3), event(1)], NOW) == [
        Appended(Position(2), duplicate=True),
        Appended(Position(3), duplicate=False),
        Appended(Position(1), duplicate=True),
    ]
    assert bodies(log) == [body(1), body(2), body(3)]


def test_a_duplicate_within_one_batch_is_stored_once(log: Log) -> None:
    appended = log.append([event(1), event(2), event(1), event(1)], NOW)
    assert positions(appended) == [1, 2, 1, 1]
    assert [a.duplicate for a in appended] == [False, False, True, True]
    assert positions(log.append([event(3)], NOW)) == [3]


def test_texts_that_differ_in_a_space_are_different_events(log: Log) -> None:
    texts = [
        body(1),
        body(1) + b" ",
        body(1).replace(b":", b": ", 1),
        json.dumps(json.loads(body(1)), indent=1).encode(),
    ]
    assert positions(log.append([decode(t) for t in texts], NOW)) == [1, 2, 3, 4]
    assert bodies(log) == texts


def test_events_that_differ_in_a_facet_only_are_different(log: Log) -> None:
    appended = log.append([event(1, own=make.facet(x=n)) for n in range(3)], NOW)
    assert positions(appended) == [1, 2, 3]


def test_a_large_batch_with_duplicates_of_a_large_batch(log: Log) -> None:
    first = [event(n) for n in range(1_500)]
    assert positions(log.append(first, NOW)) == list(range(1, 1_501))
    again = log.append([event(n) for n in range(1_000, 2_500)], NOW)
    assert positions(again) == list(range(1_001, 2_501))
    assert [a.duplicate for a in again] == [n < 1_500 for n in range(1_000, 2_500)]


def test_reading_begins_after_a_position(log: Log) -> None:
    log.append([event(n) for n in range(1, 6)], NOW)
    assert [s.position for s in log.read(START)] == [1, 2, 3, 4, 5]
    assert [s.position for s in log.read(Position(3))] == [4, 5]
    assert bodies(log, 4) == [body(5)]
    assert bodies(log, 5) == bodies(log, 50) == []


def test_a_long_log_is_read_in_order(log: Log) -> None:
    log.append([event(n) for n in range(1_300)], NOW)
    stored = list(log.read(Position(7)))
    assert [s.position for s in stored] == list(range(8, 1_301))
    assert [s.body for s in stored] == [body(n) for n in range(7, 1_300)]


def test_appending_does_not_disturb_who_reads(log: Log) -> None:
    log.append([event(n) for n in range(600)], NOW)
    reading = log.read(START)
    seen = [next(reading).position for _ in range(10)]
    log.append([event(n) for n in range(600, 1_200)], NOW)
    seen += [stored.position for stored in reading]
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) >= 600


def test_a_reader_may_leave_early(log: Log) -> None:
    log.append([event(n) for n in range(600)], NOW)
    assert next(iter(log.read(START))).position == 1
    assert positions(log.append([event(600)], NOW)) == [601]


def test_events_come_in_the_requested_order(log: Log) -> None:
    log.append([event(n) for n in range(1, 1_301)], NOW)
    positions = [3, 1, 1_300, 2, 999_999, 7]
    assert [s.position for s in log.events([Position(p) for p in positions])] == [3, 1, 1_300, 2, 7]
    backwards = list(range(1_300, 0, -1))
    assert [s.position for s in log.events([Position(p) for p in backwards])] == backwards


def test_the_time_of_receipt_is_stored_even_if_the_clock_goes_back(log: Log) -> None:
    for number, received in enumerate((NOW, NOW - 5_000_000, 0, NOW + 1)):
        log.append([event(number)], Micros(received))
    assert [s.received for s in log.read(START)] == [NOW, NOW - 5_000_000, 0, NOW + 1]
    assert [s.position for s in log.read(START)] == [1, 2, 3, 4]


_RANDOM = random.Random(7).randbytes(300_000).hex()
_DEEP = {"x": {"own": make.facet(x=1), "again": {"own": make.facet(x=1)}}}


@pytest.mark.parametrize(
    "text",
    [
        body(1),
        b" \n\t" + body(1) + b"\r\n ",
        json.dumps(make.run("START", "lädt 😀", facets={"é": make.facet(x="ü\u0000")}), indent="\t").encode(),
        json.dumps(make.run("START", "lädt 😀", facets={"é": make.facet(x="ü")}), ensure_ascii=False).encode(),
        json.dumps(dict(reversed(make.run("START", "load", facets=make.parent("p", "r")).items()))).encode(),
        json.dumps(make.run("START", "load", facets={"own": make.facet(x=1), "outer": make.facet(**_DEEP)})).encode(),
        json.dumps(make.run("START", "load", facets={"outer": make.facet(**_DEEP), "own": make.facet(x=1)})).encode(),
        json.dumps(make.run("START", "load", inputs=[make.dataset(n, make.schema("id")) for n in "abc"])).encode(),
        body(1, own={}, small={"x": 1}, large=make.facet(text="x" * 3_000_000)),
        body(1, incompressible=make.facet(text=_RANDOM)),
        body(1)[:-1] + b',"extra":{"own":' + json.dumps(make.facet(x=1)).encode() + b',"n":1.50e+03}}',
        body(1)[:-1] + b',"job":' + json.dumps(make.run("START", "later")["job"]).encode() + b"}",
    ],
    ids=range(12),
)
def test_what_was_sent_comes_back_byte_for_byte(open_log: OpenLog, text: bytes) -> None:
    log = open_log()
    log.append([event(0), decode(text)], NOW)
    assert bodies(log) == [body(0), text]
    assert log.events([Position(2)])[0].body == text
    log.close()
    assert bodies(open_log()) == [body(0), text]


def test_contents_are_found_by_their_ids(log: Log) -> None:
    facets = [event(n, own=make.facet(n=n), small={"n": n}).facets for n in range(1_200)]
    log.append([event(n, own=make.facet(n=n), small={"n": n}) for n in range(1_200)], NOW)
    every = {f.content_id: f.content for group in facets for f in group}
    assert len(every) == 2_400
    assert dict(log.contents(every)) == every
    unknown = ContentId(content_id(b"{}"))
    assert dict(log.contents([unknown])) == {}
    some = next(iter(every))
    assert dict(log.contents([some, unknown, some])) == {some: every[some]}


def test_a_facet_that_repeats_is_stored_once(open_log: OpenLog) -> None:
    """300 events with the same 20 KB take little more than one of them."""
    text = random.Random(1).randbytes(10_000).hex()
    once, often = open_log("once"), open_log("often")
    once.append([event(n, own=make.facet(text=text if n == 0 else "")) for n in range(300)], NOW)
    often.append([event(n, own=make.facet(text=text)) for n in range(300)], NOW)
    assert often.size() < once.size() + 100_000


def test_a_log_that_is_opened_again_goes_on(open_log: OpenLog) -> None:
    log = open_log()
    log.append([event(n, own=make.facet(n=n % 2)) for n in range(5)], NOW)
    log.close()
    log = open_log()
    assert log.last() == 5
    assert bodies(log) == [body(n, own=make.facet(n=n % 2)) for n in range(5)]
    again = log.append([event(3, own=make.facet(n=1)), event(9, own=make.facet(n=1))], NOW)
    assert again == [Appended(Position(4), duplicate=True), Appended(Position(6), duplicate=False)]
    assert bodies(log, 5) == [body(9, own=make.facet(n=1))]
    facet = event(9, own=make.facet(n=1)).run_facets["own"]
    assert dict(log.contents([facet.content_id])) == {facet.content_id: facet.content}


def test_contents_that_the_caller_knows_to_be_there_come_back_too(log: Log) -> None:
    first, second = event(1, own=make.facet(text="t")), event(2, own=make.facet(text="t"), other=make.facet(n=2))
    log.append([first], NOW)
    log.append([second], NOW, {each.content_id for each in first.facets})
    assert bodies(log, 1) == [body(2, own=make.facet(text="t"), other=make.facet(n=2))]


def test_tidying_changes_no_answer(log: Log) -> None:
    log.tidy()
    log.append([event(n) for n in range(10)], NOW)
    log.tidy()
    log.append([event(n) for n in range(5, 15)], NOW)
    log.tidy()
    assert bodies(log) == [body(n) for n in range(15)]


def test_a_log_that_grows_says_so(log: Log) -> None:
    before = log.size()
    log.append([event(0, own=make.facet(text=_RANDOM))], NOW)
    assert log.size() > before + 100_000


def test_other_threads_may_read_while_one_appends(log: Log) -> None:
    log.append([event(n) for n in range(100)], NOW)
    with ThreadPoolExecutor(1) as appender, ThreadPoolExecutor(1) as reader:
        appending = [appender.submit(log.append, [event(n)], NOW) for n in range(100, 200)]
        reading = [reader.submit(log.events, [Position(p) for p in range(1, 101)]) for _ in range(10)]
        assert [positions(f.result()) for f in appending] == [[n + 1] for n in range(100, 200)]
        for read in reading:
            assert [s.body for s in read.result()] == [body(n) for n in range(100)]


@pytest.mark.parametrize("opener", LOGS.values(), ids=LOGS)
def test_any_batches_in_any_order_give_one_order_without_gaps(opener: Callable[[Path], Log]) -> None:
    @examples(25)
    @given(st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=8), st.data())
    def check(batches: list[list[int]], data: st.DataObject) -> None:
        expected: list[int] = []
        with tempfile.TemporaryDirectory() as folder:
            log = opener(Path(folder))
            for batch in batches:
                fresh = [n for n in dict.fromkeys(batch) if n not in expected]
                known = len(expected)
                expected += fresh
                appended = log.append([event(n, own=make.facet(n=n // 2)) for n in batch], NOW)
                assert positions(appended) == [expected.index(n) + 1 for n in batch]
                assert [a.position for a in appended if not a.duplicate] == list(range(known + 1, len(expected) + 1))
                if data.draw(st.booleans()):
                    log.close()
                    log = opener(Path(folder))
                assert log.last() == len(expected)
            assert bodies(log) == [body(n, own=make.facet(n=n // 2)) for n in expected]
            log.close()

    check()
