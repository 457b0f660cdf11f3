"""Bodies and answers as JSON Schemas, for the OpenAPI document.

msgspec makes them from the shapes themselves, which it also reads and writes. What the shapes cannot
say is added here: moments, facets, the data of a graph's nodes, and events.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, get_args

import msgspec
from msgspec.structs import fields

from headwater.api.bodies import Body, DatasetBody
from headwater.openlineage.event import EventType
from headwater.shapes.marquez import ColumnData, DatasetData, Events, GraphNode, JobData

Json = dict[str, Any]
Shape = type[msgspec.Struct]

_REF = "#/components/schemas/{name}"
_NODE_DATA = (DatasetData, JobData, ColumnData)

TEXT: Json = {"type": "string"}
_NAME: Json = {"type": "string", "minLength": 1}
_NULL: Json = {"type": "null"}
_MOMENT: Json = {"type": "string", "format": "date-time"}


def ref(name: str) -> Json:
    return {"$ref": _REF.format(name=name)}


def schemas_of(roots: Iterable[Any]) -> dict[str, Json]:
    """Of these types and all that they are made of, by name."""
    shapes: dict[str, Shape] = {}
    for root in (*roots, *_NODE_DATA):
        _collect(root, shapes)
    _, made = msgspec.json.schema_components(shapes.values(), ref_template=_REF)
    for name, shape in shapes.items():
        _complete(shape, made[name])
    made[GraphNode.__name__]["properties"]["data"] = {"oneOf": [ref(data.__name__) for data in _NODE_DATA]}
    made[Events.__name__]["properties"]["events"]["items"] = {"type": "object", "description": "As it was sent."}
    made[DatasetBody.__name__] |= {
        "if": {"properties": {"type": {"const": "STREAM"}}, "required": ["type"]},
        "then": {"properties": {"schemaLocation": _NAME}, "required": ["schemaLocation"]},
    }
    return dict(sorted({**made, **_EVENTS}.items()))


def _collect(kind: Any, shapes: dict[str, Shape]) -> None:
    for part in get_args(kind):
        _collect(part, shapes)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__name__ not in shapes:
        shapes[kind.__name__] = kind
        for field in fields(kind):
            _collect(field.type, shapes)


def _complete(shape: Shape, schema: Json) -> None:
    properties = schema["properties"]
    for field in fields(shape):
        schema_of_field = properties[field.encode_name]
        # Generators of types take a field with a default for one that is always there.
        schema_of_field.pop("default", None)
        if field.encode_name in ("facets", "runFacets"):
            properties[field.encode_name] = ref("Facets")
        elif datetime in (field.type, *get_args(field.type)):
            properties[field.encode_name] = _or_null(_MOMENT) if "anyOf" in schema_of_field else _MOMENT
    del schema["title"]
    if not issubclass(shape, Body) and not shape.__struct_config__.omit_defaults:
        schema["required"] = list(properties)  # in answers all fields are there, whatever their values


def _or_null(schema: Json) -> Json:
    return {"anyOf": [schema, _NULL]}


# Events, as the decoder accepts them. Unknown fields are stored, so other fields are not described.


def _object(description: str, required: Iterable[str], **properties: Json) -> Json:
    return {"type": "object", "description": description, "properties": properties, "required": list(required)}


def _event(description: str, about: Iterable[str], **properties: Json) -> Json:
    common = {"eventTime": _MOMENT, "producer": _or_null(TEXT), "schemaURL": _or_null(TEXT)}
    return _object(description, ("eventTime", *about), **common, **properties)


_FACETS = _or_null(ref("EventFacets"))
_DATASETS = _or_null({"type": "array", "items": ref("EventDataset")})
_EVENT_TYPE: Json = {"enum": [kind.name for kind in EventType if kind is not EventType.STATIC]}

_EVENTS: dict[str, Json] = {
    "Facets": {
        "description": "Facets by name, each as it was sent.",
        "type": "object",
        "additionalProperties": {"type": "object"},
    },
    "EventFacets": {
        "description": "Facets by name. Unknown facets are stored as well.",
        "type": "object",
        "additionalProperties": _or_null({"type": "object"}),
    },
    "EventRun": _object("A run; its id need not be a UUID.", ["runId"], runId=_NAME, facets=_FACETS),
    "EventJob": _object("A job.", ["namespace", "name"], namespace=TEXT, name=_NAME, facets=_FACETS),
    "EventDataset": _object(
        "A dataset, and how the run uses it.",
        ["namespace", "name"],
        namespace=TEXT,
        name=_NAME,
        facets=_FACETS,
        inputFacets=_FACETS,
        outputFacets=_FACETS,
    ),
    "RunEvent": _event(
        "What a run did.",
        ["run", "job"],
        eventType=_or_null(_EVENT_TYPE),
        run=ref("EventRun"),
        job=ref("EventJob"),
        inputs=_DATASETS,
        outputs=_DATASETS,
    ),
    "JobEvent": _event(
        "What a job is like, without a run.",
        ["job"],
        job=ref("EventJob"),
        inputs=_DATASETS,
        outputs=_DATASETS,
        run=_NULL,
        dataset=_NULL,
    ),
    "DatasetEvent": _event("What a dataset is like.", ["dataset"], dataset=ref("EventDataset"), job=_NULL, run=_NULL),
    "Event": {
        "description": "An OpenLineage event.",
        "anyOf": [ref("RunEvent"), ref("JobEvent"), ref("DatasetEvent")],
    },
}
