"""What is said when the machine lacks something. The programs are real, if small."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from headwater.errors import CannotStart
from headwater.lab import needs


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def java(folder: Path, version: str) -> Path:
    return program(folder, "java", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")


def test_no_java(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"there is no Java: install version 17 or newer .*openjdk-17"):
        needs.java({"PATH": str(tmp_path)})


@pytest.mark.parametrize(("version", "number"), [("1.8.0_402", 8), ("11.0.22", 11), ("16", 16)])
def test_java_that_is_too_old(tmp_path: Path, version: str, number: int) -> None:
    path = java(tmp_path, version)
    with pytest.raises(CannotStart, match=f"{path} is Java {number}, and the lab needs 17 or newer"):
        needs.java({"PATH": str(tmp_path)})


@pytest.mark.parametrize("version", ["17.0.15", "17", "21.0.3", "25-ea"])
def test_java_that_is_new_enough(tmp_path: Path, version: str) -> None:
    assert needs.java({"PATH": str(tmp_path)} | {"X": str(java(tmp_path, version))}) == str(tmp_path / "java")


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    java(tmp_path / "old", "11")
    right = java(tmp_path / "jdk" / "bin", "21")
    assert needs.java({"PATH": str(tmp_path / "old"), "JAVA_HOME": str(tmp_path / "jdk")}) == str(right)


def test_a_java_that_says_nothing(tmp_path: Path) -> None:
    program(tmp_path, "java", "exit 1")
    with pytest.raises(CannotStart, match="does not tell its version"):
        needs.java({"PATH": str(tmp_path)})


def test_no_maven(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"there is no Maven.*apt-get install maven"):
        needs.maven({"PATH": str(tmp_path)})
    program(tmp_path, "mvn", "exit 0")
    assert needs.maven({"PATH": str(tmp_path)}) == str(tmp_path / "mvn")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"the cache folder .*/file/cache cannot be made: Not a directory"):
        needs.folder(tmp_path / "file" / "cache", "the cache folder")


def test_no_room_on_the_disk(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free >> 20
    with pytest.raises(CannotStart, match=r"the download needs [\d,]+ MB, and .* MB free: make room"):
        needs.room(tmp_path, free * 2, "the download")
    needs.room(tmp_path, 0, "the download")


def test_postgresql_is_found_on_the_path_if_all_its_programs_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "glob", lambda *_: [])  # Debian's folder
    for name in ("initdb", "postgres"):
        program(tmp_path, name, "exit 0")
    with pytest.raises(CannotStart, match=r"there is no PostgreSQL with initdb, postgres, psql.*apt-get install"):
        needs.postgresql({"PATH": str(tmp_path)})
    program(tmp_path, "psql", "exit 0")
    assert needs.postgresql({"PATH": f"/nowhere:{tmp_path}"}) == tmp_path


def test_who_is_not_root_stays_who_he_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert needs.somebody(tmp_path, "PostgreSQL") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_root_becomes_somebody_who_can_enter_the_folder(tmp_path: Path) -> None:
    assert needs.somebody(Path("/"), "PostgreSQL") in ("postgres", "nobody")
    tmp_path.chmod(0o700)
    with pytest.raises(CannotStart, match=r"PostgreSQL does not run as root, and the user \w+ cannot enter .* --data"):
        needs.somebody(tmp_path, "PostgreSQL")


def test_an_installed_headwater_has_no_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "__file__", str(tmp_path / "headwater/lab/needs.py"))
    with pytest.raises(CannotStart, match="is not part of an installed Headwater: clone its repository"):
        needs.pipeline()


def test_what_the_pipeline_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    there = find_spec("pytest")
    monkeypatch.setattr(needs, "find_spec", lambda name: None if name in ("pyspark", "openlineage") else there)
    with pytest.raises(CannotStart, match=r"needs pyspark and openlineage, not installed here .*make setup-lab"):
        needs.pipeline()
    monkeypatch.setattr(needs, "find_spec", lambda _: there)
    assert (needs.pipeline() / "pipeline" / "settings.py").exists()


def test_plugins_that_are_not_built_are_missed(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="make connect"):
        needs.plugins(tmp_path)
    (tmp_path / "connectors").mkdir()
    needs.plugins(tmp_path)
