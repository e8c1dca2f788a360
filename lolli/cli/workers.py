"""Work for several processes: local workers as an executor, and a pipeline that keeps the order.

A worker has one job at a time, so that the job of a worker that died is known. It ends as soon as the process
that started it is gone. The pipeline takes any executor.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Generic, ParamSpec, TypeVar

from engine.system import services

_P = ParamSpec("_P")
_T = TypeVar("_T")
Item = TypeVar("Item")
Result = TypeVar("Result")

_MOST_DEATHS = 3  # of workers with the same job; then it is given up
_MOST_DEATHS_IN_A_ROW = 3  # times the number of workers, without any result: then the jobs are not the cause
_PATIENCE = 0.1  # seconds


class WorkersError(Exception):
    """The workers cannot be reached, do not fit, or keep dying; the message says why, in one line."""


class WorkerDiedError(Exception):
    """A job was given up because its workers died of it; other jobs may succeed."""


class LocalWorkers(ThreadPoolExecutor):
    """A process for each thread; jobs travel by pickle, and to another worker if theirs dies."""

    def __init__(
        self,
        count: int,
        *,
        pinned: bool = True,
        follow: Callable[[Any], object] | None = None,
        deaths: int = _MOST_DEATHS,
    ) -> None:
        """`pinned`: as many workers as processors keep to one each. `follow` gets the news of jobs.

        A job of which as many workers as `deaths` have died is given up.
        """
        resource_tracker.ensure_running()  # the thread that does it later would have its signals unblocked
        super().__init__(count, thread_name_prefix="worker", initializer=_leave_signals_to_main_thread)
        self._deaths = deaths
        self._most_deaths_in_a_row = count * _MOST_DEATHS_IN_A_ROW + deaths
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: set[_Worker] = set()
        # One worker for each processor stays there: a search is a thread of its own, and where that is begun
        # on the other's processor, its own is idle for a while (a fifth of the time at 10,000 nodes).
        processors = services.affinity()
        self._free: list[int] = processors if pinned and len(processors) == count else []
        self._deaths_in_a_row = 0
        self._closed = False
        self._follow = follow
        self._make_tool: Callable[[], Any] | None = None
        # If a second Ctrl-C ends `close` early, they are killed at exit, before Python joins the threads that
        # wait for them. `atexit` would be too late.
        threading._register_atexit(self._kill_workers)  # type: ignore[attr-defined]

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have `fn` called in a worker. The future raises its errors, WorkerDiedError, WorkersError."""
        return super().submit(self._do, partial(fn, *args, **kwargs))

    @contextmanager
    def equipped(self, make_tool: Callable[[], Any]) -> Iterator[Callable[[Any], Any]]:
        """Jobs are done by `work(job)` of each worker's own tool. Call this before any job is submitted."""
        self._make_tool = make_tool
        yield _use_tool

    def finish(self) -> None:
        """Wait until all jobs are done, and the workers have closed their tools and ended."""
        self.shutdown(wait=True)
        for worker in self._alive:
            worker.connection.close()
        self._join_workers()

    def close(self) -> None:
        """Kill all workers and what they have started; jobs that are not done are cancelled or fail."""
        self._kill_workers()
        self.shutdown(wait=True, cancel_futures=True)
        self._join_workers()

    def _kill_workers(self) -> None:
        with self._lock:
            self._closed = True
            for worker in self._alive:
                worker.kill()

    def _join_workers(self) -> None:
        while self._alive:
            self._alive.pop().process.join()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _do(self, job: Callable[[], _T]) -> _T:
        end = ""
        for _ in range(self._deaths):
            worker = self._worker()
            try:
                failure, result = worker.do(job, self._follow)
            except (EOFError, OSError):
                end = self._bury(worker)
                continue
            with self._lock:
                self._deaths_in_a_row = 0
            if failure is not None:
                raise failure
            value: _T = result
            return value
        raise WorkerDiedError(f"{self._deaths} workers died of it, the last one {end}")

    def _worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._closed:
                    raise CancelledError
                if self._deaths_in_a_row > self._most_deaths_in_a_row:
                    raise WorkersError("the workers keep dying")
                try:
                    worker = self._own.worker = _Worker(
                        self._free.pop() if self._free else None, self._make_tool
                    )
                except OSError as error:
                    raise WorkersError(f"no worker can be started: {error.strerror}") from None
                self._alive.add(worker)
        return worker

    def _bury(self, worker: _Worker) -> str:
        self._own.worker = None
        end = worker.end()
        with self._lock:
            self._alive.discard(worker)
            if worker.processor is not None:
                self._free.append(worker.processor)
            self._deaths_in_a_row += 1
        return end


class _Worker:
    def __init__(self, processor: int | None, make_tool: Callable[[], Any] | None) -> None:
        self.processor = processor
        self._first: list[Any] = [make_tool]
        # Started afresh, not forked: a fork would copy the other threads' locks as they happen to be.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, processor), name="worker")
        self.process.start()
        theirs.close()

    def do(
        self, job: Callable[[], Any], follow: Callable[[Any], object] | None
    ) -> tuple[Exception | None, Any]:
        """The job's exception and its result. Raises EOFError or OSError where the worker dies."""
        # Not an argument of the process: what is larger than a pipe waits for ever for one that dies at once.
        while self._first:
            self.connection.send(self._first.pop())
        self.connection.send(job)
        while True:
            kind, value = self.connection.recv()
            if kind != _NEWS:
                return (value, None) if kind == _FAILURE else (None, value)
            if follow is not None:
                follow(value)

    def kill(self) -> None:
        kill_started = _killer_of_descendants(self.process.pid)
        self.process.kill()
        kill_started()

    def end(self) -> str:
        self.connection.close()
        self.process.kill()  # it may only have closed its end of the pipe
        self.process.join()
        status = self.process.exitcode or 0
        return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"


class Pipeline(Generic[Item, Result]):
    """Yields items in order with the futures of `work`; at most `window()` are under way or wait."""

    def __init__(
        self,
        executor: Executor,
        work: Callable[[Item], Result],
        items: Iterator[Item],
        window: Callable[[], int],
    ) -> None:
        self._executor = executor
        self._work = work
        self._items = items
        self._window = window
        self._under_way: deque[tuple[Item, Future[Result]]] = deque()
        self._exhausted = False
        self._stopped = False

    @property
    def finished(self) -> bool:
        return self._exhausted and not self._under_way

    def stop(self) -> None:
        """Yield what is ready, then end; from any thread. No more work is begun."""
        self._stopped = True

    def results(self) -> Iterator[tuple[Item, Future[Result]] | None]:
        """None now and then while the next one is not ready. Raises whatever drawing an item raises."""
        self._refill()
        while self._under_way:
            first = self._under_way[0][1]
            while not first.done():
                if self._stopped:
                    return
                wait([first], _PATIENCE)
                yield None
            yield self._under_way.popleft()
            self._refill()

    def _refill(self) -> None:
        while not (self._stopped or self._exhausted) and len(self._under_way) < self._window():
            item = next(self._items, None)
            if self._stopped:
                return
            if item is None:
                self._exhausted = True
            else:
                self._under_way.append((item, self._executor.submit(self._work, item)))


def _leave_signals_to_main_thread() -> None:
    services.block_signals("SIGINT")


_RESULT, _FAILURE, _NEWS = "result", "failure", "news"
_own: dict[str, Any] = {}  # of a worker: its tool, and how it tells something


def tell(news: Any) -> None:
    """Send news from within a job, before its result."""
    _own["send"]((_NEWS, news))


def _use_tool(job: Any) -> Any:
    return _own["tool"].work(job)


def _serve(jobs: Connection, processor: int | None) -> None:
    if processor is not None:
        services.pin_to(processor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # blocked already, unless multiprocessing has undone it
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _own["send"] = jobs.send
    with ExitStack() as at_the_end, suppress(EOFError, OSError):  # whoever asked is gone
        make_tool = jobs.recv()
        while True:
            job = jobs.recv()
            try:
                if make_tool is not None and "tool" not in _own:
                    _own["tool"] = at_the_end.enter_context(closing(make_tool()))
                answer = _RESULT, job()
            except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
                answer = _FAILURE, error
            jobs.send(answer)


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    _killer_of_descendants(os.getpid())()
    os._exit(1)


def _killer_of_descendants(pid: int | None) -> Callable[[], None]:
    """A function that kills the processes that `pid` has started so far."""
    import psutil  # noqa: PLC0415 - most workers never need it

    found: list[psutil.Process] = []
    with suppress(psutil.Error):
        found = psutil.Process(pid).children(recursive=True)

    def kill() -> None:
        for process in found:
            with suppress(psutil.Error):
                process.kill()

    return kill
