"""Starts services in the order of what they need, watches them, and ends them in reverse.

Whatever ends the supervisor ends the services too: an order, Ctrl-C or a service's death through `_stop_all`,
a `kill -9` of the supervisor through the leash that every service is on. SIGUSR1 says that somebody wants some
services to be away, or to come back (`state.stopped`).
"""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence

import httpx

from headwater.errors import ServiceDied
from headwater.lab import health, process, site, state
from headwater.lab.deaths import explain, verdict
from headwater.lab.ports import Ports
from headwater.lab.site import Plan
from headwater.lab.spec import Service
from headwater.lab.state import Lab, Running

Changed = Callable[[Lab], None]

_SETTING_PATIENCE = 30.0
_PAUSE = 0.25  # between two questions to a service that starts
_LOG_LIMIT = 20 << 20  # a log larger than this is put aside at the next start


def run(plan: Plan, ports: Ports, changed: Changed) -> None:
    """Until SIGTERM, SIGHUP or Ctrl-C, which are a good end, or the death of a service, which is not."""
    with state.own(plan.folder):
        specs = plan.specs()
        before = state.read(plan.folder)
        usual = {name: port for spec in specs for name, port in spec.ports.items()}
        chosen = ports.choose(usual, plan.pinned, before.ports if before else {})
        known = site.values(plan, chosen)
        lab = Lab(
            name=plan.name,
            phase="starting",
            pid=os.getpid(),
            values=site.for_clients(known, chosen),
            ports={**(before.ports if before else {}), **chosen},
            services=[
                Running(spec.name, spec.title, spec.url.format_map(known), str(plan.folder / spec.log))
                for spec in specs
            ],
        )
        state.stop(plan.folder, ())
        asyncio.run(_Supervisor(plan, specs, known, lab, changed).run())


class _Switch:
    """Whether somebody wants the service to run. One can wait for either."""

    def __init__(self) -> None:
        self.on, self.off = asyncio.Event(), asyncio.Event()
        self.turn(on=True)

    def turn(self, *, on: bool) -> None:
        (self.on if on else self.off).set()
        (self.off if on else self.on).clear()


class _Supervisor:
    def __init__(
        self, plan: Plan, specs: Sequence[Service], known: Mapping[str, str], lab: Lab, changed: Changed
    ) -> None:
        self._folder, self._somebody = plan.folder, plan.somebody
        self._specs, self._known, self._lab, self._changed = specs, known, lab, changed
        self._up = {spec.name: asyncio.Event() for spec in specs}
        self._ended = {spec.name: asyncio.Event() for spec in specs}
        self._switches = {spec.name: _Switch() for spec in specs}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._asked_to_stop)
        loop.add_signal_handler(signal.SIGUSR1, self._asked_to_switch)
        self._tell()
        stop = asyncio.create_task(self._stopping.wait())
        all_up = asyncio.create_task(self._announce())
        tending = [asyncio.create_task(self._tend(spec)) for spec in self._specs]
        done, _ = await asyncio.wait([stop, *tending], return_when=asyncio.FIRST_COMPLETED)
        failed = next((task.exception() for task in tending if task in done), None)
        if failed:
            self._lab.error = str(failed)
        self._lab.phase = "stopping"
        for task in (stop, all_up, *tending):
            task.cancel()
        await asyncio.gather(stop, all_up, *tending, return_exceptions=True)
        await self._stop_all()
        self._lab.phase = "failed" if failed else "down"
        self._tell()
        if failed:
            raise failed

    def _asked_to_stop(self) -> None:
        if self._stopping.is_set():  # asked twice: no more patience
            for running in self._processes.values():
                process.kill(running)
        self._stopping.set()

    def _asked_to_switch(self) -> None:
        away = state.stopped(self._folder)
        for name, switch in self._switches.items():
            switch.turn(on=name not in away)

    async def _announce(self) -> None:
        for event in self._up.values():
            await event.wait()
        self._lab.phase = "up"
        self._tell()

    async def _tend(self, spec: Service) -> None:
        """From nothing until the service ends, which it should not. Raises; never returns."""
        for name in spec.after:
            await self._up[name].wait()
        while True:
            await self._switches[spec.name].on.wait()
            off = asyncio.create_task(self._switches[spec.name].off.wait())
            try:
                await (self._repeat(spec, off) if spec.every else self._keep(spec, off))
            finally:
                off.cancel()
            if spec.name in self._processes:
                await process.end(self._processes[spec.name], spec)
            self._tell(spec, phase="stopped", pid=None, said="")

    async def _keep(self, spec: Service, off: "asyncio.Task[bool]") -> None:
        """Returns when it is switched off."""
        begun = time.time()
        running, ended = await self._start(spec)
        try:
            problem = await self._until_healthy(spec, ended, off)
            if problem is None and not off.done():
                await self._set(spec)
                self._tell(spec, phase="up", took=time.time() - begun, said="")
                self._up[spec.name].set()
                await asyncio.wait([ended, off], return_when=asyncio.FIRST_COMPLETED)
            if off.done():
                return
        finally:
            ended.cancel()
        said = "hangs" if running.returncode is None else "ended by itself"
        self._lab.phase = "stopping"
        self._tell(spec, phase="failed", pid=None, said=said)
        log = self._folder / spec.log
        raise ServiceDied(explain(spec.title, running.returncode, problem, time.time() - begun, log))

    async def _repeat(self, spec: Service, off: "asyncio.Task[bool]") -> None:
        """Runs, ends, and runs again. Returns when it is switched off."""
        while spec.when is not None and (problem := await self._ask(spec, spec.when)) is not None:
            self._tell(spec, phase="waiting", said=problem)
            if await _within(off, _PAUSE):
                return
        while True:
            begun = time.time()
            running, ended = await self._start(spec)
            try:
                await asyncio.wait([ended, off], return_when=asyncio.FIRST_COMPLETED)
            finally:
                ended.cancel()
            if off.done():
                return
            took = time.time() - begun
            if running.returncode == 0:
                self._tell(spec, phase="up", pid=None, took=took, said="")
            else:
                said = f"{verdict('the last run', running.returncode, took)}; `headwater lab logs {spec.name}` has more"
                self._tell(spec, phase="failed", pid=None, took=took, said=said)
            self._up[spec.name].set()
            if await _within(off, spec.every or 0):
                return

    async def _start(self, spec: Service) -> "tuple[asyncio.subprocess.Process, asyncio.Task[int]]":
        told = self._lab.service(spec.name)
        told.started = time.time()
        site.lay_out(spec, self._known, self._folder, self._somebody)
        log = self._folder / spec.log
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.rename(log.with_suffix(".old.log"))
        await self._prepare(spec)
        running = await self._spawn(spec, spec.command)
        again = spec.every and self._up[spec.name].is_set()  # what was said of the last run holds until the next ends
        self._tell(spec, phase=told.phase if again else "starting", pid=running.pid)
        return running, asyncio.create_task(running.wait())

    async def _until_healthy(self, spec: Service, ended: "asyncio.Task[int]", off: "asyncio.Task[bool]") -> str | None:
        until = time.monotonic() + spec.patience
        while True:
            problem = await self._ask(spec, spec.health)
            if ended.done():
                return problem or "it ended"
            if problem is None or off.done() or time.monotonic() > until:
                return problem
            self._tell(spec, said=problem)
            await asyncio.wait([ended, off], timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED)

    async def _ask(self, spec: Service, check: health.Check) -> str | None:
        started = self._lab.service(spec.name).started
        return await asyncio.to_thread(health.ask, check, {**self._known, "started": str(started)})

    async def _prepare(self, spec: Service) -> None:
        mark = self._folder / spec.name / ".prepared"
        if spec.prepare is None or mark.exists():
            return
        self._tell(spec, phase="preparing")
        for name in spec.prepare.clears:
            shutil.rmtree(self._folder / spec.name / name, ignore_errors=True)
        for command in spec.prepare.commands:
            code = await (await self._spawn(spec, command)).wait()
            if code != 0:
                self._lab.phase = "stopping"
                self._tell(spec, phase="failed", said="could not be prepared")
                raise ServiceDied(explain(f"{spec.title}'s preparation", code, None, None, self._folder / spec.log))
        mark.touch()

    async def _set(self, spec: Service) -> None:
        mark = self._folder / spec.name / ".set"
        if spec.setting is None or mark.exists():
            return
        url = spec.setting.url.format_map(self._known)
        async with httpx.AsyncClient(trust_env=False, timeout=_SETTING_PATIENCE) as client:
            try:
                answer = await client.request(spec.setting.method, url, json=dict(spec.setting.body))
                answer.raise_for_status()
            except httpx.HTTPError as e:
                raise ServiceDied(f"{spec.title} did not take a setting ({url}): {e}") from None
        mark.touch()

    async def _spawn(self, spec: Service, command: Sequence[str]) -> asyncio.subprocess.Process:
        user = self._somebody if spec.unprivileged else None
        started = await process.spawn(spec, command, self._known, self._folder, user)
        self._processes[spec.name] = started
        return started

    async def _stop_all(self) -> None:
        await asyncio.gather(*(self._stop(spec) for spec in self._specs))

    async def _stop(self, spec: Service) -> None:
        for other in self._specs:
            if spec.name in other.after:
                await self._ended[other.name].wait()
        running = self._processes.get(spec.name)
        phase = self._lab.service(spec.name).phase
        failed = phase == "failed" and not spec.every
        if running is not None:
            if running.returncode is None:
                self._tell(spec, phase="failed" if failed else "stopping")
            await process.end(running, spec)
        self._tell(spec, phase="failed" if failed else "down", pid=None)
        self._ended[spec.name].set()

    def _tell(self, spec: Service | None = None, **changes: object) -> None:
        if spec is not None:
            told = self._lab.service(spec.name)
            for name, value in changes.items():
                setattr(told, name, value)
        state.write(self._folder, self._lab)
        self._changed(self._lab)


async def _within(task: "asyncio.Task[bool]", seconds: float) -> bool:
    """Whether it was done before the time was over."""
    await asyncio.wait([task], timeout=seconds)
    return task.done()
