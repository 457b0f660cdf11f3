"""Folders that a process holds while it lives."""

import threading
from pathlib import Path

from headwater.emit import folders


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    lock = folders.make(folder)
    assert folders.hold(folder) is None
    assert list(folders.left(tmp_path)) == []
    lock.close()
    (found,) = folders.left(tmp_path)
    assert found[0] == folder
    assert folders.hold(folder) is None
    found[1].close()


def test_what_is_removed_is_gone_with_all_that_was_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    lock = folders.make(folder)
    (folder / "event.json").write_text("{}")
    folders.remove(folder, lock)
    assert not folder.exists()
    assert folders.hold(folder) is None


def test_a_folder_that_somebody_is_removing_cannot_be_held(tmp_path: Path) -> None:
    folder = tmp_path / "1-1"
    folders.make(folder).close()
    (folder / "lock").unlink()
    assert folders.hold(folder) is None
    assert list(folder.iterdir()) == [], "nothing may be put into it either"


def test_while_one_removes_it_others_may_try_to_hold_it(tmp_path: Path) -> None:
    for number in range(200):
        folder = tmp_path / f"{number}-1"
        lock = folders.make(folder)
        for name in "abc":
            (folder / name).touch()
        begin, held = threading.Barrier(2), list[object]()

        def try_it(folder: Path = folder, begin: threading.Barrier = begin, held: list[object] = held) -> None:
            begin.wait()
            while folder.exists():
                if (got := folders.hold(folder)) is not None:
                    held.append(got)

        other = threading.Thread(target=try_it)
        other.start()
        begin.wait()
        folders.remove(folder, lock)
        other.join()
        assert held == []
