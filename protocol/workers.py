"""Workers in processes of their own on this machine, behind the interface of an executor.

Each has one job at a time, so that it is known which job was under way in a worker that died. A worker
ends as soon as the process that wants its results is gone, whatever ended that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from engine import system

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from types import TracebackType

_P = ParamSpec("_P")
_T = TypeVar("_T")


class WorkersError(Exception):
    """Those who do the work are not there, not fit for it, or die one after the other: why, in a line."""


class WorkerDiedError(Exception):
    """A job was given up because its workers died of it; others may be better."""


_MOST_DEATHS = 3
"""A job that so many workers have died of is given up."""
_MOST_DEATHS_IN_A_ROW = 3
"""For each worker: when so many have died and none has done anything, it is not the jobs."""


class LocalWorkers(ThreadPoolExecutor):
    """An executor with a process for each of its threads; jobs and results travel by pickle.

    A job whose worker dies is given to a new one, `_MOST_DEATHS` times.
    """

    def __init__(self, count: int) -> None:
        """Workers are started when there is something for them to do."""
        resource_tracker.ensure_running()  # the thread that does it later would have its signals unblocked
        super().__init__(count, thread_name_prefix="worker", initializer=_leave_signals_to_main_thread)
        self._most_deaths_in_a_row = count * _MOST_DEATHS_IN_A_ROW + _MOST_DEATHS
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: set[_Worker] = set()
        # One worker for each processor stays there: a search is a thread of its own, and where that is begun
        # on the other's processor, its own is idle for a while (a fifth of the time at 10,000 nodes).
        processors = system.affinity()
        self._free: list[int] = processors if len(processors) == count else []
        self._deaths_in_a_row = 0
        self._closed = False

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have fn called in a worker. The future raises what it raises, WorkerDiedError, WorkersError."""
        return super().submit(self._do, partial(fn, *args, **kwargs))

    def close(self) -> None:
        """End everything at once; what is not done is cancelled or fails."""
        with self._lock:
            self._closed = True
            for worker in self._alive:
                worker.kill()
        self.shutdown(wait=True, cancel_futures=True)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def _do(self, job: Callable[[], _T]) -> _T:
        """What a thread does with a job."""
        end = ""
        for _ in range(_MOST_DEATHS):
            worker = self._worker()
            try:
                failure, result = worker.do(job)
            except (EOFError, OSError):
                end = self._bury(worker)
                continue
            with self._lock:
                self._deaths_in_a_row = 0
            if failure is not None:
                raise failure
            value: _T = result
            return value
        raise WorkerDiedError(f"{_MOST_DEATHS} workers died of it, the last one {end}")

    def _worker(self) -> _Worker:
        """The worker of this thread."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise CancelledError
                if self._deaths_in_a_row > self._most_deaths_in_a_row:
                    raise WorkersError("the workers die one after the other")
                try:
                    worker = self._own.worker = _Worker(self._free.pop() if self._free else None)
                except OSError as error:
                    raise WorkersError(f"no worker can be started: {error.strerror}") from None
                self._alive.add(worker)
        return worker

    def _bury(self, worker: _Worker) -> str:
        """Forget a worker that has died; how it ended, in words."""
        self._own.worker = None
        end = worker.end()
        with self._lock:
            self._alive.discard(worker)
            if worker.processor is not None:
                self._free.append(worker.processor)
            self._deaths_in_a_row += 1
        return end


class _Worker:
    """A worker's process, seen from outside."""

    def __init__(self, processor: int | None) -> None:
        """It works on that processor only, None for any."""
        self.processor = processor
        # Started afresh, not forked: a fork would copy the other threads' locks as they happen to be.
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, processor), name="worker")
        self._process.start()
        theirs.close()

    def do(self, job: Callable[[], Any]) -> tuple[Exception | None, Any]:
        """What the job raised, and what it returned. EOFError or OSError when the worker dies."""
        self._connection.send(job)
        failure, result = self._connection.recv()
        return failure, result

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> str:
        """Wait for the end; how it was, in words."""
        self._connection.close()
        self._process.kill()  # it may only have closed its end
        self._process.join()
        status = self._process.exitcode or 0
        return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"


def _leave_signals_to_main_thread() -> None:
    """In this thread and in the processes that it starts Ctrl-C has no effect."""
    system.hold_back("SIGINT")


def _serve(jobs: Connection, processor: int | None) -> None:
    """The life of a worker."""
    if processor is not None:
        system.stay_on(processor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # blocked already, unless multiprocessing has undone it
    threading.Thread(target=_die_with_parent, daemon=True).start()
    while True:
        try:
            job = jobs.recv()
        except EOFError:
            return
        answer: tuple[Exception | None, Any]
        try:
            answer = None, job()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to who wants the result
            answer = error, None
        jobs.send(answer)


def _die_with_parent() -> None:
    """Wait until the process that has started this one is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
