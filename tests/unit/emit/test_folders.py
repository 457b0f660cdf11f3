"""Folders that a process locks while it lives."""

import threading
from pathlib import Path

from headwater.emit import folders


def test_a_folder_is_locked_by_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    lock = folders.create(folder)
    assert folders.try_lock(folder) is None
    assert list(folders.abandoned(tmp_path)) == []
    lock.close()
    (taken,) = folders.abandoned(tmp_path)
    assert taken[0] == folder
    assert folders.try_lock(folder) is None
    taken[1].close()


def test_what_is_removed_is_gone_with_all_that_was_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    lock = folders.create(folder)
    (folder / "event.json").write_text("{}")
    folders.remove(folder, lock)
    assert not folder.exists()
    assert folders.try_lock(folder) is None


def test_a_folder_that_somebody_is_removing_cannot_be_locked(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    folders.create(folder).close()
    (folder / "lock").unlink()
    assert folders.try_lock(folder) is None
    assert list(folder.iterdir()) == [], "nothing may be put into it either"


def test_while_one_removes_it_others_may_try_to_lock_it(tmp_path: Path) -> None:
    for number in range(200):
        folder = tmp_path / f"{number}-1"
        lock = folders.create(folder)
        for name in "abc":
            (folder / name).touch()
        begin, locked = threading.Barrier(2), list[object]()

        def try_it(folder: Path = folder, begin: threading.Barrier = begin, locked: list[object] = locked) -> None:
            begin.wait()
            while folder.exists():
                if (got := folders.try_lock(folder)) is not None:
                    locked.append(got)

        other = threading.Thread(target=try_it)
        other.start()
        begin.wait()
        folders.remove(folder, lock)
        other.join()
        assert locked == []
