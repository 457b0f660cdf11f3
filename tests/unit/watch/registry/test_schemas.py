import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.watch.fields import Field
from headwater.watch.registry.schemas import parse

ADDRESS = {"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "city", "type": "string"}]}
AVRO = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "price", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}]},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "to", "type": ADDRESS},
        {"name": "back", "type": ["null", "Address"]},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "more", "type": {"type": "map", "values": "long"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A"]}},
        {"name": "parent", "type": ["null", "Order"]},
        {"name": "odd", "type": ["null", "int", "string"]},
    ],
}


def test_avro() -> None:
    schema = parse("AVRO", json.dumps(AVRO))
    assert schema is not None
    fields = {field.name: field for field in schema.fields}
    address = (Field("city", "string"),)
    assert schema.type == "struct"
    assert fields["id"] == Field("id", "string")
    assert fields["price"] == Field("price", "decimal(10,2)")
    assert fields["at"] == Field("at", "timestamp-millis")
    assert fields["to"] == Field("to", "struct", address)
    assert fields["back"] == Field("back", "struct", address)
    assert fields["tags"] == Field("tags", "array", (Field("_element", "string"),))
    assert fields["more"] == Field("more", "map", (Field("key", "string"), Field("value", "long")))
    assert fields["kind"] == Field("kind", "string")
    assert fields["odd"] == Field("odd", "union")
    assert fields["parent"].fields[0] == Field("id", "string")  # and so on, but not for ever


def test_avro_that_names_another_schema() -> None:
    text = json.dumps({"type": "record", "name": "O", "fields": [{"name": "to", "type": "shop.Address"}]})
    schema = parse("AVRO", text, [json.dumps(ADDRESS)])
    assert schema is not None
    assert schema.fields == (Field("to", "struct", (Field("city", "string"),)),)


def test_plain_avro() -> None:
    assert parse("AVRO", '"string"') == Field("", "string")
    assert parse("AVRO", '{"type": "long"}') == Field("", "long")


def test_json_schema() -> None:
    text = {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "price": {"oneOf": [{"type": "null"}, {"type": "number", "connect.type": "float64"}]},
            "at": {"type": ["null", "string"], "format": "date-time"},
            "to": {"$ref": "#/definitions/Address"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "any": {},
            "self": {"$ref": "#"},
        },
        "definitions": {"Address": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }
    schema = parse("JSON", json.dumps(text))
    assert schema is not None
    assert schema.fields == (
        Field("id", "string"),
        Field("price", "float64"),
        Field("at", "date-time"),
        Field("to", "struct", (Field("city", "string"),)),
        Field("tags", "array", (Field("_element", "string"),)),
        Field("any", "any"),
        Field("self", "any"),
    )


PROTO = """
syntax = "proto3";
package shop; // of orders
import "google/protobuf/timestamp.proto";
option java_package = "x";
message Order {
  reserved 9;
  string id = 1 [deprecated = true];
  optional double price = 2;
  Address to = 3;
  repeated Line lines = 4;
  map<string, int64> counts = 5;
  oneof pay { string card = 6; Cash cash = 7; }
  google.protobuf.Timestamp at = 8;
  Kind kind = 10;
  message Line { int32 n = 1; }
  enum Kind { A = 0; B = 1; }
}
message Address { string city = 1; } /* message Gone { string x = 1; } */
message Cash { string currency = 1; }
service Shop { rpc Buy (Order) returns (Order) { option x = "{"; } }
"""


def test_protobuf() -> None:
    schema = parse("PROTOBUF", PROTO)
    assert schema is not None
    assert schema.fields == (
        Field("id", "string"),
        Field("price", "double"),
        Field("to", "struct", (Field("city", "string"),)),
        Field("lines", "array", (Field("_element", "struct", (Field("n", "int32"),)),)),
        Field("counts", "map", (Field("key", "string"), Field("value", "int64"))),
        Field("card", "string"),
        Field("cash", "struct", (Field("currency", "string"),)),
        Field("at", "timestamp"),
        Field("kind", "string"),
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [("AVRO", "{"), ("AVRO", '{"type": "record"}'), ("JSON", "["), ("PROTOBUF", "nothing"), ("XML", "<a/>")],
)
def test_what_is_not_understood_is_nothing(kind: str, text: str) -> None:
    assert parse(kind, text) is None


@given(st.sampled_from(["AVRO", "JSON", "PROTOBUF"]), st.text("{}[]();=\"'a message type:,/*\n", max_size=60))
def test_no_text_breaks_it(kind: str, text: str) -> None:
    parse(kind, text)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["record", "array", "string", "x", "#/a", "object"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "name", "fields", "items", "values", "properties", "$ref", "oneOf", "a"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.sampled_from(["AVRO", "JSON"]), _JSON)
def test_no_json_breaks_it(kind: str, content: object) -> None:
    parse(kind, json.dumps(content))
