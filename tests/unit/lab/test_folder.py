"""What may become a lab's folder, what is in it, and its removal."""

from pathlib import Path

import pytest

from headwater.errors import BadRequest
from headwater.lab import folder
from headwater.lab.metastore import DERBY_METASTORE, POSTGRES
from headwater.lab.placeholders import values, write_files
from headwater.lab.plan import Plan
from headwater.lab.service_spec import ServiceSpec
from headwater.lab.services import SERVICES


def write(spec: ServiceSpec, path: Path) -> None:
    plan = Plan("default", path, (), Path("/cache"))
    ports = {name: 20000 + n for n, name in enumerate(n for s in (*SERVICES, POSTGRES) for n in s.ports)}
    write_files(spec, values(plan, ports), path)


KAFKA, S3 = (next(spec for spec in SERVICES if spec.name == name) for name in ("kafka", "s3"))


def test_what_a_catalog_is_on_is_seen_in_the_folder(tmp_path: Path) -> None:
    assert folder.database(tmp_path) is None
    write(DERBY_METASTORE, tmp_path)
    assert folder.database(tmp_path) == "derby"
    write(POSTGRES, tmp_path)
    assert folder.database(tmp_path) == "postgres"


def test_a_lab_takes_an_empty_folder_and_makes_a_missing_one(tmp_path: Path) -> None:
    folder.claim(tmp_path / "a" / "b")
    folder.claim(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "kafka").mkdir()
    folder.claim(tmp_path / "a" / "b")


def test_a_lab_does_not_move_in_with_others(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(BadRequest, match="not empty and not a lab's folder"):
        folder.claim(tmp_path)


def test_removal_leaves_what_the_lab_did_not_make(tmp_path: Path) -> None:
    folder.claim(tmp_path)
    write(S3, tmp_path)
    (tmp_path / "notes.txt").touch()
    folder.remove(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


def test_removal_takes_the_folder_when_nothing_is_left(tmp_path: Path) -> None:
    path = tmp_path / "lab"
    folder.claim(path)
    write(KAFKA, path)
    assert folder.size(path) > 100
    folder.remove(path)
    assert not path.exists()
