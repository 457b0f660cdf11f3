"""Secrets are not shown, and a configuration that comes back has them again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.connect.secrets import HIDDEN, hide, put_back


@pytest.mark.parametrize(
    "name",
    [
        "database.password",
        "aws.secret.access.key",
        "aws.access.key.id",
        "sasl.jaas.config",
        "producer.override.sasl.jaas.config",
        "consumer.override.ssl.keystore.password",
        "snowflake.private.key",
        "gcs.credentials.json",
        "value.converter.basic.auth.user.info",
        "http.auth.header",
        "azblob.account.key",
        "oauth2.token",
    ],
)
def test_what_is_called_like_a_secret_is_hidden(name: str) -> None:
    assert hide({name: "abc", "tasks.max": "1"}, ()) == ({name: HIDDEN, "tasks.max": "1"}, [name])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("key.converter", "org.apache.kafka.connect.storage.StringConverter"),
        ("primary.key.fields", "id"),
        ("database.password", "${file:/etc/secrets.properties:password}"),
        ("database.password", ""),
        ("connection.url", "jdbc:postgresql://db:5432/shop?sslmode=require"),
        ("topics", "token-less"),
    ],
)
def test_what_is_none_is_shown(name: str, value: str) -> None:
    assert hide({name: value}, ()) == ({name: value}, [])


def test_what_the_plugin_calls_a_password_is_hidden_whatever_its_name() -> None:
    assert hide({"pin": "1234"}, {"pin"}) == ({"pin": HIDDEN}, ["pin"])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("mongodb://me:pa55@db:27017/shop", f"mongodb://me:{HIDDEN}@db:27017/shop"),
        (
            "jdbc:postgresql://db/shop?user=me&password=pa55&ssl=on",
            f"jdbc:postgresql://db/shop?user=me&password={HIDDEN}&ssl=on",
        ),
        ("jdbc:sqlserver://db;password=pa55;encrypt=true", f"jdbc:sqlserver://db;password={HIDDEN};encrypt=true"),
    ],
)
def test_a_password_inside_a_url_is_hidden(value: str, shown: str) -> None:
    assert hide({"connection.url": value}, ()) == ({"connection.url": shown}, ["connection.url"])


_names = st.sampled_from(["password", "topics", "connection.url", "pin"])
_values = st.sampled_from(["", "a", "jdbc:x://u:p@h/d", "${env:X}", "secret=1", HIDDEN])
_configs = st.dictionaries(_names, _values)


@given(_configs)
def test_what_comes_back_unchanged_is_what_it_was(config: dict[str, str]) -> None:
    shown, _ = hide(config, {"pin"})
    assert put_back(shown, config, {"pin"}) == config


@given(_configs, st.dictionaries(_names, st.sampled_from(["new", "other"])))
def test_what_somebody_changed_counts(config: dict[str, str], changed: dict[str, str]) -> None:
    shown, _ = hide(config, {"pin"})
    assert put_back({**shown, **changed}, config, {"pin"}) == {**config, **changed}
