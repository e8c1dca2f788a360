"""Workers on a Dask cluster, with the interface of an executor."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

import distributed
from distributed.comm.addressing import resolve_address
from distributed.comm.core import CommClosedError

from lolli.cli.workers import WorkersError

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PATIENCE = 5.0  # seconds for a scheduler to answer
_SECONDS_PER_LOOK = 2.0  # between two counts of the workers


class Cluster(Executor):
    """A cluster whose workers have the right engine. Workers may join and leave."""

    def __init__(self, address: str, problem: Callable[[], str | None]) -> None:
        """Raises WorkersError if nothing answers, or if a present worker finds a `problem` with itself."""
        _silence()
        try:
            resolve_address(address)  # a client never recovers from an invalid address
            connect: Any = distributed.Client  # has no types
            self._client = connect(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, RuntimeError, TypeError, ValueError) as error:  # TLS raises the last three
            raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from None
        try:
            self._check(problem)
        except BaseException:
            self.shutdown()
            raise
        self._futures: Executor = self._client.get_executor(pure=False)
        self._threads = 1
        self._looked = -_SECONDS_PER_LOOK

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Raises WorkersError if the connection to the scheduler is lost."""
        if self._client.status != "running":
            raise WorkersError("the connection to the workers is lost")
        return self._futures.submit(fn, *args, **kwargs)

    @contextmanager
    def equipped(self, make_tool: Callable[[], Any]) -> Iterator[Callable[[Any], Any]]:
        """Jobs are done by `work` of the tool that each thread makes; workers get `make_tool` once."""
        name = f"lolli-{uuid4()}"
        self._client.register_plugin(_ToolBox(make_tool), name)
        try:
            yield partial(_use, name)
        finally:
            with suppress(Exception):  # the connection may be lost; then the workers keep it
                self._client.unregister_worker_plugin(name)

    def has_workers(self) -> bool:
        return bool(self._client.nthreads())

    def threads(self) -> int:
        """How many games the workers can process at a time, counted every few seconds; at least 1."""
        now = time.monotonic()
        if now - self._looked >= _SECONDS_PER_LOOK:
            self._looked = now
            with suppress(OSError):  # if this lasts, submitting fails, too
                self._threads = max(1, sum(self._client.nthreads().values()))
        return self._threads

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - as in Executor
        """Disconnect; unfinished work is dropped. Leaving the context of an executor calls this."""
        self._client.close(timeout=1)

    def _check(self, problem: Callable[[], str | None]) -> None:
        for worker, found in self._client.run(problem, on_error="return").items():
            if found is not None:
                raise WorkersError(f"the worker {worker} {found}")


class _ToolBox(distributed.WorkerPlugin):
    def __init__(self, make_tool: Callable[[], Any]) -> None:
        self._make_tool = make_tool

    def setup(self, worker: distributed.Worker) -> None:  # noqa: ARG002 - as in WorkerPlugin
        self._own = threading.local()

    def tool(self) -> Any:
        if not hasattr(self._own, "tool"):
            self._own.tool = self._make_tool()
        return self._own.tool


def _use(name: str, job: Any) -> Any:
    box: Any = distributed.get_worker().plugins[name]
    return box.tool().work(job)


def _silence() -> None:
    """Silence what Dask and its event loop log of a lost connection: our own message says more."""
    for name in ("distributed", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("tornado.application").addFilter(_is_other_than_a_lost_connection)


def _is_other_than_a_lost_connection(record: logging.LogRecord) -> bool:
    """False for what was still being sent when the connection was closed."""
    return not (record.exc_info and isinstance(record.exc_info[1], CommClosedError))
