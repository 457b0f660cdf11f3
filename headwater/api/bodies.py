"""What Marquez clients send to PUT and POST. A field that is not known is a mistake worth reporting."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Text = Annotated[str, Meta(min_length=1)]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Body(msgspec.Struct, forbid_unknown_fields=True):
    pass


class NamespaceBody(Body):
    ownerName: Text
    description: str | None = None


class SourceBody(Body):
    type: Text
    connectionUrl: Text
    description: str | None = None


class TagBody(Body):
    description: str | None = None


class FieldBody(Body):
    name: Text
    type: str | None = None
    tags: list[Text] | None = None
    description: str | None = None


class DatasetBody(Body):
    type: Literal["DB_TABLE", "STREAM"]
    physicalName: Text
    sourceName: Text
    fields: list[FieldBody] | None = None
    tags: list[Text] | None = None
    description: str | None = None
    runId: Text | None = None
    schemaLocation: str | None = None


class DatasetName(Body):
    namespace: str
    name: Text


class JobBody(Body):
    type: Literal["BATCH", "STREAM", "SERVICE"]
    inputs: list[DatasetName] | None = None
    outputs: list[DatasetName] | None = None
    location: str | None = None
    description: str | None = None
    context: dict[str, str] | None = None
    runId: Text | None = None
    tags: list[Text] | None = None


class RunBody(Body):
    id: Text | None = None
    nominalStartTime: Moment | None = None
    nominalEndTime: Moment | None = None
    args: dict[str, str] | None = None


class ConnectorBody(Body):
    """As Connect itself takes it, and as people keep it in files."""

    config: dict[str, str]
    name: Text | None = None


class ConfigBody(Body):
    config: dict[str, str]
