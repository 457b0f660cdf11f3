from pathlib import Path

from headwater.lab.failures import explain, hint


def test_the_end_of_a_log_is_shown_under_what_happened(tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text("".join(f"line {n}\n" for n in range(100)))
    text = explain("Kafka", 1, None, 12.3, log).splitlines()
    assert text[0] == f"Kafka ended with code 1 after 12 s. The end of {log}:"
    assert text[1:] == [f"  line {n}" for n in range(85, 100)]


def test_a_kill_is_called_by_its_name(tmp_path: Path) -> None:
    text = explain("Kafka", -9, None, 3, tmp_path / "missing.log")
    assert text.startswith("Kafka was killed by SIGKILL after 3 s.")
    assert text.endswith("(empty)\nSomebody killed it, or the system did because it ran out of memory (see `dmesg`).")


def test_a_service_that_hangs_is_explained_by_its_last_answer(tmp_path: Path) -> None:
    assert explain("Connect", None, "/health answers 503", 180, tmp_path / "x").startswith(
        "Connect did not come up after 180 s: /health answers 503."
    )


def test_known_causes_get_advice() -> None:
    assert "chooses another" in hint(["java.net.BindException: Address already in use"], 1)
    assert hint(["java.io.IOException: No space left on device"], -9) == "The disk is full: free some space."
    assert hint(["all is well"], 1) == ""
