"""Downloads have the right checksums, at once and later. `mvn` is a small script here."""

import hashlib
import os
from pathlib import Path

import pytest

from headwater.errors import CannotStart
from headwater.lab import jars
from tests.unit.lab.test_requirements import program

FILE = "s3proxy-4.1.0-jar-with-dependencies.jar"


def maven(folder: Path, body: str) -> dict[str, str]:
    """A Maven that knows the target folder and then runs `body`."""
    where = 'for word in "$@"; do case $word in -Dlab.folder=*) target=${word#*=};; esac; done; mkdir -p "$target"\n'
    program(folder, "mvn", where + body)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small file is all that there is to download."""
    digest = hashlib.sha256(b"a jar\n").hexdigest()
    monkeypatch.setattr(jars, "pinned", lambda: {"s3": {FILE: digest}})


def good(folder: Path) -> dict[str, str]:
    return maven(
        folder,
        f'echo "[INFO] Downloaded from central: https://x/{FILE} (6 B at 1 B/s)"; echo "a jar" > "$target/{FILE}"',
    )


@pytest.mark.usefixtures("pinned")
def test_what_is_right_is_put_in_place_and_not_downloaded_again(tmp_path: Path) -> None:
    reports = []
    home = tmp_path / "cache"
    jars.ensure(home, ["s3"], good(tmp_path / "bin"), lambda *report: reports.append(report))
    assert (home / "s3" / FILE).read_text() == "a jar\n"
    assert reports == [("s3", 0, 1), (f"s3: {FILE}", 1, 1)]
    assert jars.damaged(home, "s3", thorough=True) is None
    jars.ensure(home, ["s3"], {"PATH": ""}, quiet)  # no Maven is needed


@pytest.mark.usefixtures("pinned")
def test_a_file_that_changed_is_noticed_and_downloaded_again(tmp_path: Path) -> None:
    home, environment = tmp_path / "cache", good(tmp_path / "bin")
    jars.ensure(home, ["s3"], environment, quiet)
    (home / "s3" / FILE).write_text("cut")
    assert jars.damaged(home, "s3") == FILE
    jars.ensure(home, ["s3"], environment, quiet)
    assert (home / "s3" / FILE).read_text() == "a jar\n"
    (home / "s3" / FILE).unlink()
    assert jars.damaged(home, "s3") == FILE


@pytest.mark.usefixtures("pinned")
def test_a_change_that_hides_is_found_by_content(tmp_path: Path) -> None:
    home = tmp_path / "cache"
    jars.ensure(home, ["s3"], good(tmp_path / "bin"), quiet)
    path = home / "s3" / FILE
    before = path.stat()
    path.write_text("A jar\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert jars.damaged(home, "s3") is None
    assert jars.damaged(home, "s3", thorough=True) == FILE


@pytest.mark.usefixtures("pinned")
@pytest.mark.parametrize(
    "body",
    [f'echo "another jar" > "$target/{FILE}"', "true", f'echo "a jar" > "$target/{FILE}"; touch "$target/more.jar"'],
)
def test_files_that_are_not_the_pinned_ones_are_refused(tmp_path: Path, body: str) -> None:
    home = tmp_path / "cache"
    with pytest.raises(CannotStart, match="wrong checksums for s3"):
        jars.ensure(home, ["s3"], maven(tmp_path / "bin", body), quiet)
    assert not (home / "s3").exists()
    assert jars.damaged(home, "s3") is not None


def test_the_first_error_of_maven_is_shown(tmp_path: Path) -> None:
    environment = maven(tmp_path / "bin", 'echo "[ERROR] Could not transfer artifact x"; echo "[ERROR] more"; exit 1')
    with pytest.raises(CannotStart, match=r"could not download s3: Could not transfer artifact x\. Check the network"):
        jars.ensure(tmp_path / "cache", ["s3"], environment, quiet)


def test_without_maven_a_missing_download_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="Maven not found"):
        jars.ensure(tmp_path / "cache", ["s3"], {"PATH": ""}, quiet)


def test_every_pinned_file_has_a_whole_checksum() -> None:
    files = jars.pinned()
    assert sum(map(len, files.values())) > 100
    assert all(len(digest) == 64 for group in files.values() for digest in group.values())
