"""The Schema Registry, as far as the jobs need it: to register a schema, and to list all versions of one."""

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.error import SchemaRegistryError

_NOT_FOUND = 404


class RegistryUnavailable(Exception):
    """No usable answer. It may be back in a moment."""


class Registry:
    def __init__(self, url: str) -> None:
        self.url = url
        self._client = SchemaRegistryClient({"url": url, "timeout": 10, "max.retries": 2})

    def register(self, subject: str, schema: str) -> int:
        """The schema's id; the same one however often it is registered."""
        with self._answer():
            return int(self._client.register_schema(subject, Schema(schema, "AVRO")))

    def versions(self, subject: str) -> dict[int, str]:
        """Schemas by id, the newest last. Empty when none is registered."""
        with self._answer():
            try:
                numbers = self._client.get_versions(subject)
            except SchemaRegistryError as e:
                if e.http_status_code == _NOT_FOUND:
                    return {}
                raise
            versions = [self._client.get_version(subject, number) for number in sorted(numbers)]
            return {int(version.schema_id): str(version.schema.schema_str) for version in versions}

    @contextmanager
    def _answer(self) -> Iterator[None]:
        try:
            yield
        except Exception as e:  # the client does not document what it raises
            raise RegistryUnavailable(f"cannot use the Schema Registry at {self.url}: {e}") from e
