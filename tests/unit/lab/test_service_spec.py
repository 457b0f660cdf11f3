"""Which services a choice brings along, and whether the list makes sense."""

import pytest

from headwater.errors import BadRequest
from headwater.lab.health import Http
from headwater.lab.metastore import Database
from headwater.lab.service_spec import ServiceSpec, choose
from headwater.lab.services import SERVICES, services


def service(name: str, *after: str) -> ServiceSpec:
    return ServiceSpec(name, name, "", {name: 1}, ("true",), Http(name, "/"), 1, after)


CHAIN = (service("c", "b"), service("b", "a"), service("a"), service("alone"))


def test_a_choice_brings_what_it_needs_and_nothing_else() -> None:
    assert [s.name for s in choose(CHAIN, ["c"])] == ["c", "b", "a"]
    assert [s.name for s in choose(CHAIN, ["alone"])] == ["alone"]


def test_an_unknown_service_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(BadRequest, match="no service 'x'; available: c, b, a, alone"):
        choose(CHAIN, ["a", "x"])


@pytest.mark.parametrize("database", ["derby", "postgres"])
def test_a_service_is_listed_after_those_that_it_needs(database: Database) -> None:
    seen: set[str] = set()
    for s in services(database):
        assert seen.issuperset(s.after)
        seen.add(s.name)
    assert {s.name: s.after for s in services(database) if s.after and not s.pipeline} == {
        "metastore": ("s3",) if database == "derby" else ("s3", "postgres"),
        "connect": ("kafka",),
    }


def test_the_pipeline_brings_what_its_jobs_talk_to() -> None:
    for name, needed in (("orders", {"kafka", "registry"}), ("supplier_stats", {"s3", "metastore", "headwater"})):
        assert needed < {s.name for s in choose(SERVICES, [name])}
    assert {s.name for s in choose(SERVICES, ["streams"])} == {s.name for s in SERVICES} - {
        "connect",
        "watch",
        "orders",
        "sinks",
        "odd_orders",
        "supplier_stats",
    }


def test_no_two_services_want_the_same_port() -> None:
    ports = [port for s in services("postgres") for port in s.ports.values()]
    assert len(set(ports)) == len(ports)


def test_the_first_port_of_a_service_has_its_name_and_only_the_pipeline_has_none() -> None:
    for s in services("postgres"):
        assert next(iter(s.ports), None) == (None if s.pipeline else s.name)
