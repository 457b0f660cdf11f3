from pathlib import Path

from headwater.lab import state, table
from headwater.lab.state import Lab, ServiceState
from headwater.lab.status import read_status
from headwater.show.format import plain


def lab(*services: ServiceState, phase: state.Phase = "starting") -> Lab:
    return Lab(
        "default", phase, 1, {"host": "127.0.0.1", "s3-key": "k", "s3-secret": "s"}, {"kafka": 9092}, list(services)
    )


KAFKA = ServiceState("kafka", "Kafka", "127.0.0.1:9092", "/l", "up", 42, 1.0, 9.5)
S3 = ServiceState("s3", "S3 store", "http://127.0.0.1:9000", "/l", "starting", 43, None, None, "Connection refused")


def test_progress_shows_the_address_of_a_service_or_what_it_waits_for() -> None:
    assert plain(table.progress(lab(KAFKA, S3))).splitlines() == [
        "service             took",
        "Kafka     up        9.5 s  127.0.0.1:9092",
        "S3 store  starting         Connection refused",
    ]


def test_a_change_is_one_line() -> None:
    assert table.line(KAFKA) == "Kafka: up in 9.5 s (127.0.0.1:9092)"
    assert table.line(S3) == "S3 store: starting"


def test_the_summary_has_the_keys_of_the_store() -> None:
    assert "http://127.0.0.1:9000  (key k, secret s)" in plain(table.summary(lab(KAFKA, S3)))


def test_a_lab_whose_supervisor_is_gone_is_down_whatever_its_file_says(tmp_path: Path) -> None:
    written = lab(KAFKA, phase="up")
    (status,) = read_status(tmp_path, written)
    assert (status.phase, status.memory, status.uptime, status.health) == ("down", None, None, "down")
    assert plain(table.status(written, [status])).splitlines()[1].split() == ["Kafka", "down", "9092", "down"]
