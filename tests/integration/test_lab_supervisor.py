"""The supervisor with small processes of its own: what ends and runs again, and what waits to begin."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from headwater.errors import ServiceDied
from headwater.lab import plan as plans
from headwater.lab import state, supervisor
from headwater.lab.health import Check, Unhealthy
from headwater.lab.plan import Plan
from headwater.lab.ports import Ports
from headwater.lab.service_spec import ServiceSpec
from headwater.lab.state import Lab
from tests.support.server import wait_for


def healthy(values: Mapping[str, str]) -> None:
    pass


def job(script: str, *, every: float | None = 0.05, when: Check | None = None) -> ServiceSpec:
    """Each run of the script adds a line to `runs` and knows its number."""
    words = ("sh", "-c", f"echo run >> runs; number=$(wc -l < runs); {script}")
    return ServiceSpec("job", "Job", "", {}, words, healthy, 1, every=every, when=when)


Run = Callable[[Sequence[ServiceSpec], Callable[[Lab], bool]], list[Lab]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Until `enough`, then the lab is stopped in the ordinary way. Returns its states on the way."""

    def start(specs: Sequence[ServiceSpec], enough: Callable[[Lab], bool]) -> list[Lab]:
        monkeypatch.setattr(plans, "services", lambda _: tuple(specs))
        updates: list[Lab] = []

        def changed(lab: Lab) -> None:
            updates.append(state.read(tmp_path) or lab)
            if enough(lab):
                os.kill(os.getpid(), signal.SIGTERM)

        plan = Plan("test", tmp_path, tuple(spec.name for spec in specs), tmp_path)
        supervisor.run(plan, Ports(tmp_path / "ports"), changed)
        return updates

    return start


def runs(folder: Path) -> int:
    path = folder / "job" / "runs"
    return len(path.read_text().splitlines()) if path.exists() else 0


def alive(groups: set[int]) -> list[str]:
    """Those of these process groups that have not ended, zombies apart."""
    pids = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, group = path.read_text().rpartition(")")[2].split()[:3]
            if state != "Z" and int(group) in groups:
                pids.append(path.parent.name)
    return pids


def test_what_ends_by_itself_runs_again_and_the_lab_is_up_after_the_first_time(run: Run, tmp_path: Path) -> None:
    updates = run([job("exit 0")], lambda _: runs(tmp_path) >= 3)
    up = [lab for lab in updates if lab.phase == "up"]
    assert up
    assert {lab.services[0].phase for lab in up} == {"up"}
    assert updates[-1].phase == "down"
    assert updates[-1].services[0].pid is None


def test_a_run_that_fails_is_shown_until_one_succeeds_and_does_not_end_the_lab(run: Run, tmp_path: Path) -> None:
    updates = run([job("test $number -ne 1 || exit 7")], lambda lab: lab.services[0].phase == "up")
    failed = [lab for lab in updates if lab.services[0].phase == "failed"]
    assert "ended with code 7" in failed[0].services[0].message
    assert "headwater lab logs job" in failed[0].services[0].message
    assert updates[-1].phase == "down"
    assert not updates[-1].error
    assert runs(tmp_path) >= 2


def test_the_first_run_waits_for_what_it_needs(run: Run, tmp_path: Path) -> None:
    checks = 0

    def third_time(values: Mapping[str, str]) -> None:
        nonlocal checks
        checks += 1
        assert not runs(tmp_path)
        if checks < 3:
            raise Unhealthy("no rows yet")

    updates = run([job("exit 0", when=third_time)], lambda lab: lab.phase == "up")
    assert checks == 3
    assert any((lab.services[0].phase, lab.services[0].message) == ("waiting", "no rows yet") for lab in updates)


def test_what_was_switched_off_does_not_run_until_it_is_switched_on(run: Run, tmp_path: Path) -> None:
    def switch(lab: Lab) -> bool:
        phase = lab.services[0].phase
        if phase == "up" and lab.phase == "up" and runs(tmp_path) == 1 and not state.read_stopped(tmp_path):
            state.write_stopped(tmp_path, ["job"])
            os.kill(os.getpid(), signal.SIGUSR1)
        elif phase == "stopped":
            state.write_stopped(tmp_path, [])
            os.kill(os.getpid(), signal.SIGUSR1)
        return runs(tmp_path) == 2

    updates = run([job("exit 0", every=600.0)], switch)
    assert "stopped" in [lab.services[0].phase for lab in updates]


def test_a_job_ends_before_what_it_needs_and_its_children_go_with_it(run: Run, tmp_path: Path) -> None:
    def trapped(name: str) -> Check:
        def check(values: Mapping[str, str]) -> None:
            if not (tmp_path / name / "ready").exists():
                raise Unhealthy("does not listen yet")

        return check

    script = f"trap 'date +%s%N > {tmp_path}/$0.ended; exit 0' TERM; touch ready; sleep 100 & wait"
    base = ServiceSpec("base", "Base", "", {}, ("sh", "-c", script, "base"), trapped("base"), 1)
    above = ServiceSpec("job", "Job", "", {}, ("sh", "-c", script, "job"), trapped("job"), 1, after=("base",))
    updates = run([base, above], lambda lab: lab.phase == "up")
    ends = [int((tmp_path / f"{name}.ended").read_text()) for name in ("job", "base")]
    assert ends == sorted(ends)
    assert updates[-1].phase == "down"
    groups = {service.pid for lab in updates for service in lab.services if service.pid}
    wait_for(lambda: not alive(groups), "the end of all children")


def test_what_should_stay_and_ends_ends_the_lab(run: Run) -> None:
    with pytest.raises(ServiceDied, match="Job ended with code 3"):
        run([job("sleep 0.2; exit 3", every=None)], lambda _: False)
