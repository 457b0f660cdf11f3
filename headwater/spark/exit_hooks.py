"""Ends of the process that would go unreported: SIGTERM, and an exception that is not caught."""

import os
import signal
import sys
import threading
import traceback
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.spark.agent import Agent


class ExitHooks:
    def __init__(self, agent: "Agent") -> None:
        self._agent = agent
        self._before = sys.excepthook
        sys.excepthook = self._uncaught
        self._handler: Any = None
        # Only the main thread may set a handler; and a handler that Python did not set cannot be called afterwards.
        if threading.current_thread() is threading.main_thread():
            self._handler = signal.getsignal(signal.SIGTERM)
            if self._handler is not None:
                signal.signal(signal.SIGTERM, self._terminated)

    def remove(self) -> None:
        if sys.excepthook == self._uncaught:
            sys.excepthook = self._before
        is_ours = self._handler is not None and signal.getsignal(signal.SIGTERM) == self._terminated
        if is_ours and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._handler)

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        try:
            head = "".join(traceback.format_exception_only(kind, error)).strip()
            self._agent.failed(f"{head}\n{''.join(traceback.format_exception(kind, error, trace))}")
        finally:
            self._before(kind, error, trace)

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        """SIGTERM ends a process at once; here the ends of its queries are reported first. If the job has a handler of
        its own, that handler decides what becomes of them, and the agent goes on listening."""
        before = self._handler
        if callable(before):
            self._agent.signalled("SIGTERM")
            before(number, frame)
        elif before == signal.SIG_DFL:
            self._agent.close("SIGTERM")
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
