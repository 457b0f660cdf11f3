from pathlib import Path

from headwater.lab.deaths import explain, hint, tail


def test_the_end_of_a_log_is_shown_under_what_happened(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text("".join(f"line {n}\n" for n in range(100)))
    told = explain("Kafka", 1, None, 12.3, log).splitlines()
    assert told[0] == f"Kafka ended with code 1 after 12 s. The end of {log}:"
    assert told[1:] == [f"  line {n}" for n in range(85, 100)]


def test_a_kill_is_called_by_its_name(tmp_path: Path) -> None:
    told = explain("Kafka", -9, None, 3, tmp_path / "missing.log")
    assert told.startswith("Kafka was killed by SIGKILL after 3 s.")
    assert told.endswith("(empty)\nSomeone killed it, or the system did for want of memory (`dmesg` tells).")


def test_a_service_that_hangs_says_what_it_last_answered(tmp_path: Path) -> None:
    assert explain("Connect", None, "/health answers 503", 180, tmp_path / "x").startswith(
        "Connect did not come up after 180 s: /health answers 503."
    )


def test_known_causes_get_advice() -> None:
    assert "find" in hint(["java.net.BindException: Address already in use"], 1)
    assert hint(["java.io.IOException: No space left on device"], -9) == "The disk is full: make room."
    assert hint(["all is well"], 1) == ""


def test_the_tail_of_a_long_file_is_read_without_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * 1_000_000 + b"\nlast but one\nlast \xff\n")
    assert tail(log, 2) == ["last but one", "last �"]
