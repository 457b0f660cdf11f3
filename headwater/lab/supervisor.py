"""Starts services in the order of what they need, watches them, and ends them in reverse.

Whatever ends the supervisor ends the services too: an order, Ctrl-C or a service's death through `_stop_all`,
a `kill -9` of the supervisor through the leash that every service is on.
"""

import asyncio
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import httpx

from headwater.errors import ServiceDied
from headwater.lab import health, leash, site, state
from headwater.lab.deaths import explain
from headwater.lab.ports import Ports
from headwater.lab.site import Plan
from headwater.lab.spec import Service
from headwater.lab.state import Lab, Running

Changed = Callable[[Lab], None]

_LEASH = (sys.executable, "-I", "-S", leash.__file__)
# Far beyond what a start takes on a busy machine with two cores: reaching it means that it hangs.
_PATIENCE = 180.0
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
            values=site.for_clients(known),
            ports={**(before.ports if before else {}), **chosen},
            services=[
                Running(spec.name, spec.title, spec.url.format_map(known), str(plan.folder / spec.log))
                for spec in specs
            ],
        )
        asyncio.run(_Supervisor(plan.folder, specs, known, lab, changed).run())


class _Supervisor:
    def __init__(
        self, folder: Path, specs: Sequence[Service], known: Mapping[str, str], lab: Lab, changed: Changed
    ) -> None:
        self._folder, self._specs, self._known, self._lab, self._changed = folder, specs, known, lab, changed
        self._up = {spec.name: asyncio.Event() for spec in specs}
        self._ended = {spec.name: asyncio.Event() for spec in specs}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._asked_to_stop)
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
            for process in self._processes.values():
                _signal(process, signal.SIGKILL)
        self._stopping.set()

    async def _announce(self) -> None:
        for event in self._up.values():
            await event.wait()
        self._lab.phase = "up"
        self._tell()

    async def _tend(self, spec: Service) -> None:
        """From nothing to healthy, and then until it ends, which it should not."""
        for name in spec.after:
            await self._up[name].wait()
        told = self._lab.service(spec.name)
        told.started = begun = time.time()
        site.lay_out(spec, self._known, self._folder)
        log = self._folder / spec.log
        if log.exists() and log.stat().st_size > _LOG_LIMIT:
            log.rename(log.with_suffix(".old.log"))
        await self._prepare(spec)
        process = await self._spawn(spec, spec.command)
        self._tell(spec, phase="starting", pid=process.pid)
        ended = asyncio.create_task(process.wait())
        try:
            problem = await self._until_healthy(spec, ended)
            if problem is None:
                await self._set(spec)
                self._tell(spec, phase="up", took=time.time() - begun, said="")
                self._up[spec.name].set()
                await ended
        finally:
            ended.cancel()
        said = "hangs" if process.returncode is None else "ended by itself"
        self._lab.phase = "stopping"
        self._tell(spec, phase="failed", pid=None, said=said)
        raise ServiceDied(explain(spec.title, process.returncode, problem, time.time() - begun, log))

    async def _until_healthy(self, spec: Service, ended: "asyncio.Task[int]") -> str | None:
        until = time.monotonic() + _PATIENCE
        while True:
            problem = await asyncio.to_thread(health.ask, spec.health, self._known)
            if ended.done():
                return problem or "it ended"
            if problem is None or time.monotonic() > until:
                return problem
            self._tell(spec, said=problem)
            await asyncio.wait([ended], timeout=_PAUSE)

    async def _prepare(self, spec: Service) -> None:
        mark = self._folder / spec.name / ".prepared"
        if spec.prepare is None or mark.exists():
            return
        self._tell(spec, phase="preparing")
        for name in spec.prepare.clears:
            shutil.rmtree(self._folder / spec.name / name, ignore_errors=True)
        process = await self._spawn(spec, spec.prepare.command)
        code = await process.wait()
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
        # From the main thread: the leash is tied to the thread that started the process, not only to the process.
        words = site.fill(command, spec, self._known, self._folder)
        texts = site.fill(list(spec.environment.values()), spec, self._known, self._folder)
        more = dict(zip(spec.environment, texts, strict=True))
        with (self._folder / spec.log).open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(*_LEASH, str(os.getpid()), *words),
                cwd=self._folder / spec.name,
                env={**os.environ, **more},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the supervisor, which ends the services in order
            )
        self._processes[spec.name] = process
        return process

    async def _stop_all(self) -> None:
        await asyncio.gather(*(self._stop(spec) for spec in self._specs))

    async def _stop(self, spec: Service) -> None:
        for other in self._specs:
            if spec.name in other.after:
                await self._ended[other.name].wait()
        process = self._processes.get(spec.name)
        told = self._lab.service(spec.name)
        if process is not None and process.returncode is None:
            self._tell(spec, phase=told.phase if told.phase == "failed" else "stopping")
            _signal(process, signal.SIGTERM)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), spec.grace)
        if process is not None:
            _signal(process, signal.SIGKILL)  # what it may have started itself, and itself if it does not listen
            await process.wait()
        self._tell(spec, phase="failed" if told.phase == "failed" else "down", pid=None)
        self._ended[spec.name].set()

    def _tell(self, spec: Service | None = None, **changes: object) -> None:
        if spec is not None:
            told = self._lab.service(spec.name)
            for name, value in changes.items():
                setattr(told, name, value)
        state.write(self._folder, self._lab)
        self._changed(self._lab)


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
