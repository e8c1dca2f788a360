"""Workers on a Dask cluster, with the interface of an executor."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import distributed
from distributed.comm.addressing import resolve_address

from protocol.cli.annotation.annotation_worker import problem
from protocol.workers import WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.cli.annotation.annotation_worker import AnnotationOrder

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PATIENCE = 5.0  # seconds for a scheduler to answer
_SECONDS_PER_LOOK = 2.0  # between two counts of the workers


class Cluster(Executor):
    """A cluster whose workers have the right engine. Workers may join and leave."""

    def __init__(self, address: str, order: AnnotationOrder) -> None:
        """Connect. Raises WorkersError if nothing answers or a worker cannot carry out the order."""
        _silence()
        try:
            resolve_address(address)  # a client never recovers from an invalid address
            connect: Any = distributed.Client  # has no types
            self._client = connect(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkersError(f"no Dask scheduler answers at {address}: {error}") from None
        try:
            self._check(order)
        except BaseException:
            self.shutdown()
            raise
        self._futures: Executor = self._client.get_executor(pure=False)
        self._threads = 1
        self._looked = -_SECONDS_PER_LOOK

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have a worker call fn. Raises WorkersError if the connection to the scheduler is lost."""
        if self._client.status != "running":
            raise WorkersError("the connection to the workers is lost")
        return self._futures.submit(fn, *args, **kwargs)

    def has_workers(self) -> bool:
        """Whether any worker has joined yet."""
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

    def _check(self, order: AnnotationOrder) -> None:
        for worker, found in self._client.run(problem, order, on_error="return").items():
            if found is not None:
                raise WorkersError(f"the worker {worker} {found}")


def _silence() -> None:
    """Silence Dask's log of a lost connection: our own message says more."""
    for name in ("distributed", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
