"""Which services a choice brings along, and whether the list makes sense."""

import pytest

from headwater.errors import BadRequest
from headwater.lab.health import Http
from headwater.lab.services import SERVICES
from headwater.lab.spec import Service, choose


def service(name: str, *after: str) -> Service:
    return Service(name, name, "", {name: 1}, ("true",), Http(name, "/"), 1, after)


CHAIN = (service("c", "b"), service("b", "a"), service("a"), service("alone"))


def test_a_choice_brings_what_it_needs_and_nothing_else() -> None:
    assert [s.name for s in choose(CHAIN, ["c"])] == ["c", "b", "a"]
    assert [s.name for s in choose(CHAIN, ["alone"])] == ["alone"]


def test_an_unknown_service_is_named_with_those_that_there_are() -> None:
    with pytest.raises(BadRequest, match="no service 'x'; there are c, b, a, alone"):
        choose(CHAIN, ["a", "x"])


def test_a_service_is_listed_after_those_that_it_needs() -> None:
    seen: set[str] = set()
    for s in SERVICES:
        assert seen.issuperset(s.after)
        seen.add(s.name)
    assert {s.name: s.after for s in SERVICES if s.after} == {"metastore": ("s3",), "connect": ("kafka",)}


def test_no_two_services_want_the_same_port() -> None:
    ports = [port for s in SERVICES for port in s.ports.values()]
    assert len(set(ports)) == len(ports)


def test_the_first_port_of_a_service_has_its_name() -> None:
    for s in SERVICES:
        assert next(iter(s.ports)) == s.name
