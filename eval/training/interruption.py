"""Interruptions that wait until work has come to a point from which it can go on later."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Self

from engine.system import services

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class PostponedInterruption:
    """Within it, the first SIGINT or SIGTERM is only noted; a second one does what it does outside.

    After one was noted, leaving raises KeyboardInterrupt.
    """

    def __init__(self) -> None:
        self.came = False
        self._outside: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for each in services.unignored_signals("SIGINT", "SIGTERM"):
            self._outside[each] = signal.signal(each, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self.came and error is None:
            raise KeyboardInterrupt

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.came = True
        self._restore()

    def _restore(self) -> None:
        for each, handler in self._outside.items():
            signal.signal(each, handler)
