"""Starts services in the order of their needs, watches them, and stops them in reverse order.

Whatever ends the supervisor ends the services too: SIGTERM, Ctrl-C or the death of a service through `_stop_all`,
a `kill -9` of the supervisor through `die_with_parent.py`, under which every service runs. SIGUSR1 means that the
list of services to be stopped has changed (`state.read_stopped`).
"""

import asyncio
import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence

import httpx

from headwater.errors import ServiceDied
from headwater.lab import health, placeholders, process, state
from headwater.lab.failures import explain, outcome
from headwater.lab.plan import Plan
from headwater.lab.ports import Ports
from headwater.lab.service_spec import ServiceSpec
from headwater.lab.state import Lab, ServiceState

Changed = Callable[[Lab], None]
"""Called with the lab whenever its state has changed."""

_SETTING_TIMEOUT = 30.0
_PAUSE = 0.25  # between two health checks of a starting service
_LOG_LIMIT = 20 << 20  # a larger log is moved aside at the next start


def run(plan: Plan, ports: Ports, changed: Changed) -> None:
    """Until SIGTERM, SIGHUP or Ctrl-C. Raises ServiceDied if a service ends by itself."""
    with state.lock(plan.folder):
        specs = plan.specs()
        previous = state.read(plan.folder)
        usual = {name: port for spec in specs for name, port in spec.ports.items()}
        chosen = ports.choose(usual, plan.pinned, previous.ports if previous else {})
        values = placeholders.values(plan, chosen)
        lab = Lab(
            name=plan.name,
            phase="starting",
            pid=os.getpid(),
            values=placeholders.for_clients(values, chosen),
            ports={**(previous.ports if previous else {}), **chosen},
            services=[
                ServiceState(spec.name, spec.title, spec.url.format_map(values), str(plan.folder / spec.log))
                for spec in specs
            ],
        )
        state.write_stopped(plan.folder, ())
        asyncio.run(_Supervisor(plan, specs, values, lab, changed).run())


class _Switch:
    """Whether a service should run. Tasks can wait for either."""

    def __init__(self) -> None:
        self.on, self.off = asyncio.Event(), asyncio.Event()
        self.turn(on=True)

    def turn(self, *, on: bool) -> None:
        (self.on if on else self.off).set()
        (self.off if on else self.on).clear()


class _Supervisor:
    def __init__(
        self, plan: Plan, specs: Sequence[ServiceSpec], values: Mapping[str, str], lab: Lab, changed: Changed
    ) -> None:
        self._folder, self._unprivileged_user = plan.folder, plan.unprivileged_user
        self._specs, self._values, self._lab, self._changed = specs, values, lab, changed
        self._up = {spec.name: asyncio.Event() for spec in specs}
        self._ended = {spec.name: asyncio.Event() for spec in specs}
        self._switches = {spec.name: _Switch() for spec in specs}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._on_stop_signal)
        loop.add_signal_handler(signal.SIGUSR1, self._on_switch_signal)
        self._update()
        stop = asyncio.create_task(self._stopping.wait())
        all_up = asyncio.create_task(self._wait_until_up())
        services = [asyncio.create_task(self._run_service(spec)) for spec in self._specs]
        done, _ = await asyncio.wait([stop, *services], return_when=asyncio.FIRST_COMPLETED)
        failed = next((task.exception() for task in services if task in done), None)
        if failed:
            self._lab.error = str(failed)
        self._lab.phase = "stopping"
        for task in (stop, all_up, *services):
            task.cancel()
        await asyncio.gather(stop, all_up, *services, return_exceptions=True)
        await self._stop_all()
        self._lab.phase = "failed" if failed else "down"
        self._update()
        if failed:
            raise failed

    def _on_stop_signal(self) -> None:
        if self._stopping.is_set():  # the second signal: do not wait any longer
            for running in self._processes.values():
                process.kill(running)
        self._stopping.set()

    def _on_switch_signal(self) -> None:
        stopped = state.read_stopped(self._folder)
        for name, switch in self._switches.items():
            switch.turn(on=name not in stopped)

    async def _wait_until_up(self) -> None:
        for event in self._up.values():
            await event.wait()
        self._lab.phase = "up"
        self._update()

    async def _run_service(self, spec: ServiceSpec) -> None:
        """Starts the service whenever it is switched on. Never returns; raises when it ends by itself."""
        for name in spec.after:
            await self._up[name].wait()
        while True:
            await self._switches[spec.name].on.wait()
            off = asyncio.create_task(self._switches[spec.name].off.wait())
            try:
                await (self._repeat(spec, off) if spec.every else self._keep_running(spec, off))
            finally:
                off.cancel()
            if spec.name in self._processes:
                await process.end(self._processes[spec.name], spec)
            self._update(spec, phase="stopped", pid=None, message="")

    async def _keep_running(self, spec: ServiceSpec, off: "asyncio.Task[bool]") -> None:
        """Returns when the service is switched off."""
        started = time.time()
        running, ended = await self._start(spec)
        try:
            problem = await self._until_healthy(spec, ended, off)
            if problem is None and not off.done():
                await self._send_setting(spec)
                self._update(spec, phase="up", took=time.time() - started, message="")
                self._up[spec.name].set()
                await asyncio.wait([ended, off], return_when=asyncio.FIRST_COMPLETED)
            if off.done():
                return
        finally:
            ended.cancel()
        message = "hangs" if running.returncode is None else "ended by itself"
        self._lab.phase = "stopping"
        self._update(spec, phase="failed", pid=None, message=message)
        log = self._folder / spec.log
        raise ServiceDied(explain(spec.title, running.returncode, problem, time.time() - started, log))

    async def _repeat(self, spec: ServiceSpec, off: "asyncio.Task[bool]") -> None:
        """For a job that ends by itself. Returns when it is switched off."""
        while spec.when is not None and (problem := await self._check(spec, spec.when)) is not None:
            self._update(spec, phase="waiting", message=problem)
            if await _within(off, _PAUSE):
                return
        while True:
            started = time.time()
            running, ended = await self._start(spec)
            try:
                await asyncio.wait([ended, off], return_when=asyncio.FIRST_COMPLETED)
            finally:
                ended.cancel()
            if off.done():
                return
            took = time.time() - started
            if running.returncode == 0:
                self._update(spec, phase="up", pid=None, took=took, message="")
            else:
                message = f"{outcome('the last run', running.returncode, took)}; see `headwater lab logs {spec.name}`"
                self._update(spec, phase="failed", pid=None, took=took, message=message)
            self._up[spec.name].set()
            if await _within(off, spec.every or 0):
                return

    async def _start(self, spec: ServiceSpec) -> "tuple[asyncio.subprocess.Process, asyncio.Task[int]]":
        service = self._lab.service(spec.name)
        service.started = time.time()
        placeholders.write_files(spec, self._values, self._folder, self._unprivileged_user)
        log = self._folder / spec.log
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.rename(log.with_suffix(".old.log"))
        await self._prepare(spec)
        running = await self._spawn(spec, spec.command)
        again = spec.every and self._up[spec.name].is_set()  # the result of the last run stays until the next one ends
        self._update(spec, phase=service.phase if again else "starting", pid=running.pid)
        return running, asyncio.create_task(running.wait())

    async def _until_healthy(
        self, spec: ServiceSpec, ended: "asyncio.Task[int]", off: "asyncio.Task[bool]"
    ) -> str | None:
        deadline = time.monotonic() + spec.patience
        while True:
            problem = await self._check(spec, spec.health)
            if ended.done():
                return problem or "it ended"
            if problem is None or off.done() or time.monotonic() > deadline:
                return problem
            self._update(spec, message=problem)
            await asyncio.wait([ended, off], timeout=_PAUSE, return_when=asyncio.FIRST_COMPLETED)

    async def _check(self, spec: ServiceSpec, check: health.Check) -> str | None:
        started = self._lab.service(spec.name).started
        return await asyncio.to_thread(health.problem, check, {**self._values, "started": str(started)})

    async def _prepare(self, spec: ServiceSpec) -> None:
        mark = self._folder / spec.name / ".prepared"
        if spec.prepare is None or mark.exists():
            return
        self._update(spec, phase="preparing")
        for name in spec.prepare.clears:
            shutil.rmtree(self._folder / spec.name / name, ignore_errors=True)
        for command in spec.prepare.commands:
            code = await (await self._spawn(spec, command)).wait()
            if code != 0:
                self._lab.phase = "stopping"
                self._update(spec, phase="failed", message="preparation failed")
                raise ServiceDied(explain(f"{spec.title}'s preparation", code, None, None, self._folder / spec.log))
        mark.touch()

    async def _send_setting(self, spec: ServiceSpec) -> None:
        mark = self._folder / spec.name / ".set"
        if spec.setting is None or mark.exists():
            return
        url = spec.setting.url.format_map(self._values)
        async with httpx.AsyncClient(trust_env=False, timeout=_SETTING_TIMEOUT) as client:
            try:
                answer = await client.request(spec.setting.method, url, json=dict(spec.setting.body))
                answer.raise_for_status()
            except httpx.HTTPError as e:
                raise ServiceDied(f"{spec.title} refused a setting ({url}): {e}") from None
        mark.touch()

    async def _spawn(self, spec: ServiceSpec, command: Sequence[str]) -> asyncio.subprocess.Process:
        user = self._unprivileged_user if spec.unprivileged else None
        started = await process.spawn(spec, command, self._values, self._folder, user)
        self._processes[spec.name] = started
        return started

    async def _stop_all(self) -> None:
        await asyncio.gather(*(self._stop(spec) for spec in self._specs))

    async def _stop(self, spec: ServiceSpec) -> None:
        for other in self._specs:
            if spec.name in other.after:
                await self._ended[other.name].wait()
        running = self._processes.get(spec.name)
        phase = self._lab.service(spec.name).phase
        failed = phase == "failed" and not spec.every
        if running is not None:
            if running.returncode is None:
                self._update(spec, phase="failed" if failed else "stopping")
            await process.end(running, spec)
        self._update(spec, phase="failed" if failed else "down", pid=None)
        self._ended[spec.name].set()

    def _update(self, spec: ServiceSpec | None = None, **changes: object) -> None:
        if spec is not None:
            service = self._lab.service(spec.name)
            for name, value in changes.items():
                setattr(service, name, value)
        state.write(self._folder, self._lab)
        self._changed(self._lab)


async def _within(task: "asyncio.Task[bool]", seconds: float) -> bool:
    """Whether the task was done in time."""
    await asyncio.wait([task], timeout=seconds)
    return task.done()
