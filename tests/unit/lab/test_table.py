from pathlib import Path

from headwater.lab import look, state, table
from headwater.lab.state import Lab, Running
from headwater.show.words import plain


def lab(*services: Running, phase: state.Phase = "starting") -> Lab:
    return Lab(
        "default", phase, 1, {"host": "127.0.0.1", "s3-key": "k", "s3-secret": "s"}, {"kafka": 9092}, list(services)
    )


KAFKA = Running("kafka", "Kafka", "127.0.0.1:9092", "/l", "up", 42, 1.0, 9.5)
S3 = Running("s3", "S3 store", "http://127.0.0.1:9000", "/l", "starting", 43, None, None, "Connection refused")


def test_progress_tells_where_a_service_is_or_what_it_waits_for() -> None:
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
    told = lab(KAFKA, phase="up")
    (seen,) = look.look(tmp_path, told)
    assert (seen.phase, seen.memory, seen.uptime, seen.health) == ("down", None, None, "down")
    assert plain(table.status(told, [seen])).splitlines()[1].split() == ["Kafka", "down", "9092", "down"]
