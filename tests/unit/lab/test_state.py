from pathlib import Path

import pytest

from headwater.errors import CannotStart, NotFound, StoreDamaged
from headwater.lab import state
from headwater.lab.state import Lab, ServiceState

LAB = Lab(
    "default", "up", 7, {"host": "127.0.0.1"}, {"kafka": 9092}, [ServiceState("kafka", "Kafka", "x:1", "/log", "up")]
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    state.write(tmp_path, LAB)
    assert state.read(tmp_path) == LAB
    assert [p.name for p in tmp_path.iterdir()] == ["lab.json"]


def test_where_no_lab_was_there_is_none(tmp_path: Path) -> None:
    assert state.read(tmp_path) is None
    assert not state.is_running(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "lab.json").write_text("{")
    with pytest.raises(StoreDamaged, match=r"cannot read .*lab\.json"):
        state.read(tmp_path)


def test_one_supervisor_has_the_folder(tmp_path: Path) -> None:
    with state.lock(tmp_path):
        assert state.is_running(tmp_path)
        with pytest.raises(CannotStart, match="is already running"), state.lock(tmp_path):
            pass
    assert not state.is_running(tmp_path)


def test_an_unknown_service_is_named_with_the_known() -> None:
    assert LAB.service("kafka").title == "Kafka"
    with pytest.raises(NotFound, match="no service 'x' in this lab; available: kafka"):
        LAB.service("x")


def test_stopped_services_are_remembered(tmp_path: Path) -> None:
    assert state.read_stopped(tmp_path) == set()
    state.write_stopped(tmp_path, ["s3", "kafka"])
    assert state.read_stopped(tmp_path) == {"kafka", "s3"}
    state.write_stopped(tmp_path, ())
    assert state.read_stopped(tmp_path) == set()
