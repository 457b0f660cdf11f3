"""The client can ask everything that the server answers."""

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Literal, get_args, get_origin, get_type_hints
from urllib.parse import unquote

from headwater.api.routes import api_router
from headwater.client import Client, catalogue, connectors, queries
from headwater.client.request import Pages, Request

# The stream has no single answer, events are sent in another way, and /events is an alias of /events/lineage.
_OTHERWISE = {("GET", "/live"), ("GET", "/events"), ("POST", "/lineage"), ("POST", "/lineage/batch")}


def described() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in (queries, catalogue, connectors):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ == module.__name__ and not name.startswith("_"):
                yield name, function


def every_request(describe: Callable[..., Any]) -> Iterator[Request[Any]]:
    """With names for what has to be given, and each choice where there is one."""
    hints = get_type_hints(describe)
    choices: dict[str, tuple[Any, ...]] = {}
    for name, parameter in inspect.signature(describe).parameters.items():
        if get_origin(hints[name]) is Literal:
            choices[name] = get_args(hints[name])
        elif parameter.default is inspect.Parameter.empty:
            choices[name] = (f"{{{name}}}",)
        elif name in ("namespace", "field", "cluster"):
            choices[name] = (None, f"{{{name}}}")
    for chosen in product(*choices.values()):
        made = describe(**dict(zip(choices, chosen, strict=True)))
        yield made.request if isinstance(made, Pages) else made


def pattern(path: str) -> str:
    """Without the names of what stands in braces."""
    parts = unquote(path).removeprefix("/api/v1").split("/")
    return "/".join("{}" if part.startswith("{") else part for part in parts)


def test_every_route_has_a_request_and_every_request_a_route() -> None:
    routes = {
        (method, pattern(route.path))
        for route in api_router.routes
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
    }
    requested = {
        (request.method, pattern(request.path)) for _, describe in described() for request in every_request(describe)
    }
    assert routes - requested == _OTHERWISE
    assert requested - routes == {("GET", "/healthz")}


def test_every_request_is_a_method_of_the_client() -> None:
    methods = {
        vars(method).get("_describe") for base in Client.__mro__ for method in vars(base).values() if vars_of(method)
    }
    for name, describe in described():
        assert describe in methods or name == "events_page", name


def vars_of(thing: object) -> bool:
    return hasattr(thing, "__dict__")
