import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headwater.errors import BadRequest, CannotStart
from headwater.lab.ports import Ports, parse
from tests.support.server import free_port


@contextmanager
def taken(address: str = "127.0.0.1") -> Iterator[int]:
    with socket.socket() as server:
        server.bind((address, 0))
        server.listen()
        yield server.getsockname()[1]


def test_the_usual_port_is_taken_when_it_is_free(tmp_path: Path) -> None:
    usual = {"kafka": free_port(), "s3": free_port()}
    assert Ports(tmp_path).choose(usual, {}, {}) == usual


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0"])
def test_another_one_is_found_when_someone_listens_there(tmp_path: Path, address: str) -> None:
    with taken(address) as port:
        ports = Ports(tmp_path).choose({"kafka": port}, {}, {})
    assert ports["kafka"] != port
    assert ports["kafka"] > 0


def test_the_port_of_last_time_comes_before_the_usual_one(tmp_path: Path) -> None:
    usual, before = {"kafka": free_port()}, {"kafka": free_port()}
    assert Ports(tmp_path).choose(usual, {}, before) == before


def test_a_pinned_port_beats_both(tmp_path: Path) -> None:
    pinned = {"kafka": free_port()}
    assert Ports(tmp_path).choose({"kafka": free_port()}, pinned, {"kafka": free_port()}) == pinned


def test_a_pinned_port_is_not_given_to_another_service(tmp_path: Path) -> None:
    port = free_port()
    ports = Ports(tmp_path).choose({"kafka": port, "s3": free_port()}, {"s3": port}, {})
    assert ports["s3"] == port
    assert ports["kafka"] != port


def test_a_pinned_port_that_is_taken_is_an_error_that_names_it(tmp_path: Path) -> None:
    with taken() as port, pytest.raises(CannotStart, match=f"port {port} for kafka is in use"):
        Ports(tmp_path).choose({"kafka": 9092}, {"kafka": port}, {})


def test_an_unknown_port_is_an_error_that_names_the_known(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="no port 'kaffka'; available: kafka, s3"):
        Ports(tmp_path).choose({"kafka": 1, "s3": 2}, {"kaffka": 3}, {})


def test_two_labs_do_not_choose_the_same_port_before_either_listens(tmp_path: Path) -> None:
    usual = {"kafka": free_port()}
    first, second = Ports(tmp_path), Ports(tmp_path)
    assert first.choose(usual, {}, {}) == usual
    assert second.choose(usual, {}, {}) != usual
    first.release()
    assert Ports(tmp_path).choose(usual, {}, {}) == usual


def test_ports_are_read_from_the_command_line() -> None:
    assert parse("kafka=19092, s3=19000") == {"kafka": 19092, "s3": 19000}
    assert parse("") == {}


@pytest.mark.parametrize("text", ["kafka", "kafka=", "kafka=x", "kafka=0", "kafka=70000", "19092", "kafka=-1"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="write kafka=19092"):
        parse(text)


def test_one_port_for_two_services_is_refused() -> None:
    with pytest.raises(BadRequest, match="the same port"):
        parse("kafka=1000,s3=1000")
