"""Chains of transforms for a source of lines of text, with the topic that they begin with."""

K = "org.apache.kafka.connect.transforms."
D = "io.debezium.transforms."
Chain = list[tuple[str, dict[str, str]]]

HOIST: Chain = [(f"{K}HoistField$Value", {"field": "a"})]
MORE: Chain = [
    *HOIST,
    (f"{K}InsertField$Value", {"static.field": "n", "static.value": "7", "timestamp.field": "at"}),
    (f"{K}InsertField$Value", {"static.field": "b", "static.value": "bee", "topic.field": "t"}),
]
NESTED: Chain = [*MORE, (f"{K}HoistField$Value", {"field": "outer"})]

CHAINS: dict[str, Chain] = {
    "nothing": [],
    "hoist": HOIST,
    "insert": MORE,
    "nested": NESTED,
    "flatten": [*NESTED, (f"{K}Flatten$Value", {})],
    "flatten-with-another-delimiter": [*NESTED, (f"{K}Flatten$Value", {"delimiter": "_"})],
    "extract": [*NESTED, (f"{K}ExtractField$Value", {"field": "outer"})],
    "extract-below": [*NESTED, (f"{K}ExtractField$Value", {"field": "outer.a", "field.syntax.version": "V2"})],
    "exclude": [*MORE, (f"{K}ReplaceField$Value", {"exclude": "b,at"})],
    "include-and-rename": [*MORE, (f"{K}ReplaceField$Value", {"include": "a,n", "renames": "a:line,n:number"})],
    "rename": [*MORE, (f"{K}ReplaceField$Value", {"renames": "a:line"})],
    "cast": [*MORE, (f"{K}Cast$Value", {"spec": "n:int32,b:string"})],
    "cast-whole": [(f"{K}Cast$Value", {"spec": "string"})],
    "mask": [*MORE, (f"{K}MaskField$Value", {"fields": "a"})],
    "mask-with-a-text": [*MORE, (f"{K}MaskField$Value", {"fields": "a,b", "replacement": "***"})],
    "key": [*MORE, (f"{K}ValueToKey", {"fields": "a,b"})],
    "key-of-one-field": [
        *MORE,
        (f"{K}ValueToKey", {"fields": "a"}),
        (f"{K}ExtractField$Key", {"field": "a"}),
    ],
    "key-hoisted-and-renamed": [
        *MORE,
        (f"{K}ValueToKey", {"fields": "a"}),
        (f"{K}ReplaceField$Key", {"renames": "a:k"}),
        (f"{K}HoistField$Key", {"field": "inner"}),
    ],
    "time": [*MORE, (f"{K}TimestampConverter$Value", {"field": "at", "target.type": "string", "format": "yyyy"})],
    "header": [*MORE, (f"{K}HeaderFrom$Value", {"fields": "b", "headers": "h", "operation": "move"})],
    "schema-name": [*MORE, (f"{K}SetSchemaMetadata$Value", {"schema.name": "Line"})],
    "route": [(f"{K}RegexRouter", {"regex": "(.*)-(.*)", "replacement": "$2.$1"})],
    "route-that-does-not-match": [(f"{K}RegexRouter", {"regex": "route", "replacement": "x"})],
    "route-shorter": [(f"{K}RegexRouter", {"regex": "route-s|route-shorter", "replacement": "X"})],
    "route-by-name": [(f"{K}RegexRouter", {"regex": "(?<one>[a-z]+)-(.*)", "replacement": "${one}_$2$11"})],
    "route-twice": [
        (f"{K}RegexRouter", {"regex": "route-(.*)", "replacement": "shop.$1"}),
        (f"{K}RegexRouter", {"regex": "shop\\.(.*)", "replacement": "raw.$1"}),
    ],
    "timestamp": [(f"{K}TimestampRouter", {"timestamp.format": "yyyy-MM"})],
    "logical": [
        *HOIST,
        (f"{K}ValueToKey", {"fields": "a"}),
        (
            f"{D}ByLogicalTableRouter",
            {"topic.regex": "(.*)ical", "topic.replacement": "$1s", "key.enforce.uniqueness": "false"},
        ),
    ],
    "everything": [
        *NESTED,
        (f"{K}Flatten$Value", {"delimiter": "_"}),
        (f"{K}ReplaceField$Value", {"renames": "outer_a:line", "exclude": "outer_at"}),
        (f"{K}MaskField$Value", {"fields": "outer_b"}),
        (f"{K}ValueToKey", {"fields": "line"}),
        (f"{K}ExtractField$Key", {"field": "line"}),
        (f"{K}RegexRouter", {"regex": "every(.*)", "replacement": "all.$1"}),
    ],
}


def options(chain: Chain) -> dict[str, str]:
    made = {"transforms": ",".join(f"t{n}" for n in range(len(chain)))} if chain else {}
    for n, (kind, options) in enumerate(chain):
        made |= {f"transforms.t{n}.type": kind} | {f"transforms.t{n}.{key}": value for key, value in options.items()}
    return made
