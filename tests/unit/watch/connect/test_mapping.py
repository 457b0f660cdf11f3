from pathlib import Path

import pytest

from headwater.errors import BadRequest
from headwater.watch.connect import mapping, templates
from headwater.watch.connect.connector_lineage import connector_lineage
from headwater.watch.connect.extraction import TopicCatalog

MINE = """
[[connector]]
classes = ["org.example.FtpSink"]
kind = "sink"
urls = { ftp = "ftp.url" }
[[connector.dataset]]
namespace = "ftp://{ftp.host}:{ftp.port|'21'}"
name = "{folder|'in'}/{topic:lower}"

[[transform]]
classes = ["org.example.Trace"]
effect = "none"
"""


def test_a_class_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    classes = mapping.load([tmp_path / "mine.toml"])
    config = {"connector.class": "org.example.FtpSink", "topics": "Orders", "ftp.url": "ftp://files:2121/x"}
    config |= {"transforms": "t", "transforms.t.type": "org.example.Trace"}
    lineage = connector_lineage("it", config, "sink", classes, TopicCatalog("b:9092"))
    assert [(d.namespace, d.name) for d in lineage.outputs] == [("ftp://files:2121", "in/orders")]
    assert lineage.notes == []


def test_ones_own_description_comes_before_ours(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE.replace("org.example.FtpSink", "io.confluent.connect.s3.S3SinkConnector"))
    classes = mapping.load([tmp_path / "mine.toml"])
    connector = classes.connector("io.confluent.connect.s3.S3SinkConnector")
    assert connector is not None
    assert connector.urls == {"ftp": "ftp.url"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("classes =", "mine.toml is invalid"),
        ("[[connector]]\nclasses=['x']\nkind='lake'", "kind"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\nnme='y'", "unknown field `nme`"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\n[[connector.dataset]]\nname='a'", "x: a dataset needs"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\ntable='{a'", "a brace is not closed"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\ntable='{a:shout}'", "no filter 'shout'"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\ntable='{a|}'", "is empty"),
        ("[[connector]]\nclasses=['x']\nkind='sink'\nparts='('", "is not a regular expression"),
        ("[[connector]]\nclasses=['x']\nkind='source'\noption_topics='x'", "needs a group"),
    ],
)
def test_an_invalid_mapping_is_rejected(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(BadRequest) as e:
        mapping.load([tmp_path / "mine.toml"])
    assert problem in str(e.value)


def test_a_missing_mapping(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="cannot read the mapping"):
        mapping.load([tmp_path / "no.toml"])


@pytest.mark.parametrize(
    ("template", "made"),
    [
        ("s3://{bucket}", "s3://b"),
        ("{no|bucket}", "b"),
        ("{no|'x{{y}}'}", "x{{y}}"),
        ("{over.<topic>.name|topic}", "mine"),
        ("{bucket:upper}{no|'Q':lower}", "Bq"),
    ],
)
def test_templates(template: str, made: str) -> None:
    scope = {"bucket": "b", "topic": "orders", "over.orders.name": "mine"}
    assert templates.check(template) is None
    assert templates.fill(template, scope) == made


def test_a_template_backwards() -> None:
    parts = {"schema": "[^.]+", "short": ".+"}
    template = "{prefix}{sep|'.'}{schema}{sep|'.'}{short}"
    assert templates.reverse(template, {"prefix": "a.b"}, parts, "a.b.public.x.y") == {
        "schema": "public",
        "short": "x.y",
    }
    assert templates.reverse(template, {"prefix": "a.b"}, parts, "c.public.x") is None
    assert templates.reverse(template, {}, parts, "c.public.x") is None
