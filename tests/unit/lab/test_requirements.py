"""The errors when the machine lacks something. The programs are real, if small."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from headwater.errors import CannotStart
from headwater.lab import requirements


def program(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def java(folder: Path, version: str) -> Path:
    return program(folder, "java", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")


def test_no_java(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"Java not found: install version 17 or newer .*openjdk-17"):
        requirements.java({"PATH": str(tmp_path)})


@pytest.mark.parametrize(("version", "number"), [("1.8.0_402", 8), ("11.0.22", 11), ("16", 16)])
def test_java_that_is_too_old(tmp_path: Path, version: str, number: int) -> None:
    path = java(tmp_path, version)
    with pytest.raises(CannotStart, match=f"{path} is Java {number}, but the lab needs 17 or newer"):
        requirements.java({"PATH": str(tmp_path)})


@pytest.mark.parametrize("version", ["17.0.15", "17", "21.0.3", "25-ea"])
def test_java_that_is_new_enough(tmp_path: Path, version: str) -> None:
    assert requirements.java({"PATH": str(tmp_path)} | {"X": str(java(tmp_path, version))}) == str(tmp_path / "java")


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    java(tmp_path / "old", "11")
    right = java(tmp_path / "jdk" / "bin", "21")
    assert requirements.java({"PATH": str(tmp_path / "old"), "JAVA_HOME": str(tmp_path / "jdk")}) == str(right)


def test_a_java_without_a_version(tmp_path: Path) -> None:
    program(tmp_path, "java", "exit 1")
    with pytest.raises(CannotStart, match="does not print its version"):
        requirements.java({"PATH": str(tmp_path)})


def test_no_maven(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match=r"Maven not found.*apt-get install maven"):
        requirements.maven({"PATH": str(tmp_path)})
    program(tmp_path, "mvn", "exit 0")
    assert requirements.maven({"PATH": str(tmp_path)}) == str(tmp_path / "mvn")


def test_a_folder_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CannotStart, match=r"cannot create the cache folder .*/file/cache: Not a directory"):
        requirements.check_folder(tmp_path / "file" / "cache", "the cache folder")


def test_no_space_on_the_disk(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free >> 20
    with pytest.raises(CannotStart, match=r"the download needs [\d,]+ MB, but .* MB free: free some space"):
        requirements.check_disk_space(tmp_path, free * 2, "the download")
    requirements.check_disk_space(tmp_path, 0, "the download")


def test_postgresql_is_found_on_the_path_if_all_its_programs_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "glob", lambda *_: [])  # Debian's folder
    for name in ("initdb", "postgres"):
        program(tmp_path, name, "exit 0")
    with pytest.raises(CannotStart, match=r"PostgreSQL \(initdb, postgres, psql\) not found.*apt-get install"):
        requirements.postgresql({"PATH": str(tmp_path)})
    program(tmp_path, "psql", "exit 0")
    assert requirements.postgresql({"PATH": f"/nowhere:{tmp_path}"}) == tmp_path


def test_only_root_switches_to_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert requirements.unprivileged_user(tmp_path, "PostgreSQL") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can switch users")
def test_root_switches_to_a_user_who_can_enter_the_folder(tmp_path: Path) -> None:
    assert requirements.unprivileged_user(Path("/"), "PostgreSQL") in ("postgres", "nobody")
    tmp_path.chmod(0o700)
    with pytest.raises(CannotStart, match=r"PostgreSQL does not run as root, and the user \w+ cannot enter .* --data"):
        requirements.unprivileged_user(tmp_path, "PostgreSQL")


def test_an_installed_headwater_has_no_pipeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "__file__", str(tmp_path / "headwater/lab/requirements.py"))
    with pytest.raises(CannotStart, match="is not part of an installed Headwater: clone its repository"):
        requirements.pipeline()


def test_missing_packages_of_the_pipeline_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    there = find_spec("pytest")
    monkeypatch.setattr(requirements, "find_spec", lambda name: None if name in ("pyspark", "openlineage") else there)
    with pytest.raises(CannotStart, match=r"needs pyspark and openlineage; run `make setup-lab`"):
        requirements.pipeline()
    monkeypatch.setattr(requirements, "find_spec", lambda _: there)
    assert (requirements.pipeline() / "pipeline" / "settings.py").exists()


def test_plugins_that_are_not_built_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="make connect"):
        requirements.check_plugins(tmp_path)
    (tmp_path / "connectors").mkdir()
    requirements.check_plugins(tmp_path)
