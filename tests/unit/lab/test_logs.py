from itertools import islice
from pathlib import Path

from headwater.lab import logs


def test_one_log_is_shown_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n3\n")
    assert list(logs.read({"kafka": tmp_path / "a"}, 2, follow=False)) == ["2\n", "3\n"]


def test_several_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n")
    (tmp_path / "b").write_text("2\n")
    files = {"kafka": tmp_path / "a", "s3": tmp_path / "b", "missing": tmp_path / "c"}
    assert list(logs.read(files, 5, follow=False)) == ["kafka   │ 1\n", "s3      │ 2\n"]


def test_following_gives_whole_lines_and_survives_a_new_file(tmp_path: Path) -> None:
    log = tmp_path / "a"
    log.write_text("old\n")
    lines = logs.read({"kafka": log}, 1, follow=True)
    assert next(lines) == "old\n"
    with log.open("a") as file:
        file.write("one\ntwo\nthr")
    assert list(islice(lines, 2)) == ["one\n", "two\n"]
    with log.open("a") as file:
        file.write("ee\n")
    assert next(lines) == "three\n"
    log.write_text("new\n")
    assert next(lines) == "new\n"


def test_the_tail_of_a_long_file_is_read_without_the_rest(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x" * 1_000_000 + b"\nlast but one\nlast \xff\n")
    assert logs.tail(log, 2) == ["last but one", "last �"]
