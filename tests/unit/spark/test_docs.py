"""docs/spark.md names all that can be set and all that is reported."""

import inspect
from pathlib import Path

import headwater.spark
from headwater.spark.progress import Progress

TEXT = (Path(__file__).parents[3] / "docs" / "spark.md").read_text()


def test_every_option_of_attach_is_in_the_docs() -> None:
    options = set(inspect.signature(headwater.spark.attach).parameters) - {"spark"}
    assert [option for option in options if f"| `{option}` |" not in TEXT] == []


def test_everything_public_is_in_the_docs() -> None:
    assert [name for name in ("attach", "column_lineage", "lineage", "listener_settings") if name not in TEXT] == []
    assert set(headwater.spark.__all__) >= {"attach", "column_lineage", "lineage", "listener_settings"}


def test_every_field_of_our_facet_is_in_the_docs() -> None:
    progress = Progress()
    progress.add({"id": "q", "batchId": 1, "eventTime": {"watermark": "2026-11-15T00:00:00.000Z"}, "sources": []})
    (facet,) = progress.run_facet().values()
    assert [field for field in facet if not field.startswith("_") and f"`{field}`" not in TEXT] == []
