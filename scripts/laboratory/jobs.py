"""A pool of worker processes that do one job each at a time.

One process each, so that the interpreter lock of one game does not delay the clock of another. A worker ends,
with all processes that it started, as soon as the process that reads its results has ended for any reason.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import psutil

from engine.system import block_signals

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator


Job = TypeVar("Job")
Result = TypeVar("Result")
Job_contra = TypeVar("Job_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)


class JobWorker(Protocol[Job_contra, Result_co]):
    """Does jobs, in a process of its own."""

    def work(self, job: Job_contra) -> Result_co:
        """Do one job. An exception ends the whole run."""

    def close(self) -> None:
        """Release all resources."""


class Jobs(Protocol[Job_contra, Result_co]):
    """Jobs that others do, who are asked now and then how far they are."""

    def room(self) -> int:
        """How many jobs should be handed out now."""

    def hand_out(self, job: Job_contra) -> None:
        """Have a job done. Raises JobError where nobody can be reached any more."""

    def finished(self, patience: float) -> Iterator[Result_co]:
        """The results that have come, after up to `patience` seconds if there is none.

        Raises JobError at the end, where a job has failed.
        """

    def close(self) -> None:
        """End; jobs under way are dropped."""


Tell = Callable[[Any], None]
"""Tells the process that reads a worker's results something before the next one."""


class JobError(Exception):
    """A worker failed; the message says why."""


def run_jobs(
    make_worker: Callable[[], JobWorker[Job, Result]], jobs: Iterable[Job], count: int
) -> Generator[Result, None, None]:
    """Do the jobs with `count` workers and yield the results in the order in which they are done.

    A job is drawn from `jobs` when a worker is idle. Closing the generator ends the workers at once.
    `make_worker`, jobs and results are pickled. Raises JobError if a worker fails.
    """
    return follow_jobs(partial(_silent, make_worker), jobs, count, _ignore)


def follow_jobs(
    make_worker: Callable[[Tell], JobWorker[Job, Result]],
    jobs: Iterable[Job],
    count: int,
    follow: Callable[[Any], None],
) -> Generator[Result, None, None]:
    """As `run_jobs`, and call `follow` with what a worker tells while it does a job.

    `make_worker` gets the function to tell it with; what is told is pickled. `follow` should be quick: a
    worker waits where much of what it has told has not been read.
    """
    waiting = iter(jobs)
    busy: dict[Connection, _Slot[Job, Result]] = {}
    slots: list[_Slot[Job, Result]] = []
    in_order = False
    try:
        for job in _first(waiting, count):
            slot = _Slot(make_worker)
            slots.append(slot)
            slot.assign(job)
            busy[slot.connection] = slot
        while busy:
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)  # noqa: S101
                slot = busy[connection]
                kind, value = slot.receive()
                if kind is _Message.NEWS:
                    follow(value)
                    continue
                del busy[connection]
                for job in _first(waiting, 1):
                    slot.assign(job)
                    busy[connection] = slot
                yield value
        in_order = True
    finally:
        for slot in slots:
            slot.close(in_order=in_order)


def _first(jobs: Iterator[Job], count: int) -> Iterator[Job]:
    for _ in range(count):
        try:
            yield next(jobs)
        except StopIteration:
            return


class _Message(Enum):
    """What a worker sends: something about its job, the job's result, or why it cannot go on."""

    NEWS = "news"
    RESULT = "result"
    FAILURE = "failure"


class _Slot(Generic[Job, Result]):
    """A worker's process, as its parent sees it."""

    def __init__(self, make_worker: Callable[[Tell], JobWorker[Job, Result]]) -> None:
        # Not forked: a fork would hold the other workers' lifelines open.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        their_lifeline, self._lifeline = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(theirs, their_lifeline), daemon=False)
        resource_tracker.ensure_running()  # the thread below would do it with SIGINT unblocked again
        with ThreadPoolExecutor(1, initializer=partial(block_signals, "SIGINT")) as starting:
            starting.submit(self._process.start).result()  # a Ctrl-C is for its parent, from the beginning
        theirs.close()
        their_lifeline.close()
        # Not an argument of the process: arguments go through a pipe of which this process has both ends, so
        # that it would wait for ever to write what is larger than a pipe where the other one has died.
        self._send(make_worker)

    def assign(self, job: Job) -> None:
        self._send(job)

    def _send(self, message: object) -> None:
        with contextlib.suppress(ConnectionError):  # `receive` will notice that it has ended
            self.connection.send(message)

    def receive(self) -> tuple[_Message, Any]:
        """News or the result. Raises JobError."""
        try:
            kind, value = self.connection.recv()
        except (EOFError, ConnectionResetError) as error:
            self._process.join(1.0)
            raise JobError(f"a worker process ended with status {self._process.exitcode}") from error
        if kind is _Message.FAILURE:
            raise JobError(value)
        return kind, value

    def close(self, *, in_order: bool) -> None:
        """End the worker: `in_order` after it has released its resources, otherwise at once."""
        if not in_order:
            self._lifeline.close()
        self.connection.close()
        self._process.join()
        self._lifeline.close()


class ProcessJobs(Generic[Job, Result]):
    """See Jobs: a process of this machine does them."""

    def __init__(self, make_worker: Callable[[], JobWorker[Job, Result]]) -> None:
        """`make_worker`, jobs and results are pickled."""
        self._slot: _Slot[Job, Result] = _Slot(partial(_silent, make_worker))
        self._busy = False

    def room(self) -> int:
        """See Jobs: 1 or 0."""
        return 0 if self._busy else 1

    def hand_out(self, job: Job) -> None:
        """See Jobs. The first one waits until the process runs, where it is too large for a pipe."""
        self._busy = True
        self._slot.assign(job)

    def finished(self, patience: float) -> Generator[Result, None, None]:
        """See Jobs."""
        if self._busy and self._slot.connection.poll(patience):
            _, result = self._slot.receive()
            self._busy = False
            yield result

    def close(self) -> None:
        """See Jobs."""
        self._slot.close(in_order=not self._busy)


def _silent(make_worker: Callable[[], JobWorker[Job, Result]], _tell: Tell) -> JobWorker[Job, Result]:
    return make_worker()


def _ignore(_news: object) -> None:
    pass


def _serve(jobs: Connection, lifeline: Connection) -> None:
    """The main function of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with, args=(lifeline,), daemon=True).start()
    worker: JobWorker[Any, Any] | None = None
    try:
        make_worker: Callable[[Tell], JobWorker[Any, Any]] = jobs.recv()
        while True:
            job = jobs.recv()
            if worker is None:
                worker = make_worker(lambda news: jobs.send((_Message.NEWS, news)))
                gc.freeze()  # what is there stays: looking through it again takes as long as a short game
            jobs.send((_Message.RESULT, _undisturbed(worker, job)))
    except (EOFError, ConnectionError):
        pass
    except Exception as error:  # noqa: BLE001 - the parent reports it, whatever it is
        with contextlib.suppress(ConnectionError):
            jobs.send((_Message.FAILURE, _describe(error)))
    finally:
        if worker is not None:
            worker.close()


def _undisturbed(worker: JobWorker[Any, Any], job: object) -> object:
    """Do a job without garbage collection, which follows when the clocks have stopped."""
    gc.disable()
    try:
        return worker.work(job)
    finally:
        gc.enable()
        gc.collect()


def _describe(error: Exception) -> str:
    """The message of an error of the laboratory's own, or the traceback of any other."""
    if type(error).__module__.startswith(__package__ or __name__):
        return str(error)
    return "".join(traceback.format_exception(error))


def _die_with(lifeline: Connection) -> None:
    """Wait until the lifeline is cut, then end this process and all its descendants."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv_bytes()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.kill()
    os._exit(1)
