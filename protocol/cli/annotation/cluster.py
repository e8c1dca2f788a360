"""Workers on a Dask cluster, behind the interface of an executor."""

from __future__ import annotations

import logging
import time
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

import distributed
from distributed.comm.addressing import resolve_address

from protocol.cli.annotation.worker import complaint
from protocol.workers import WorkersError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from protocol.cli.annotation.worker import AnnotationOrder

_P = ParamSpec("_P")
_T = TypeVar("_T")

_PATIENCE = 5.0  # seconds until a scheduler must have answered
_SECONDS_PER_LOOK = 2.0  # between two looks at how many workers there are


class Cluster(Executor):
    """A cluster whose workers have the right engine. They may come and go."""

    def __init__(self, address: str, order: AnnotationOrder) -> None:
        """Connect. Raises WorkersError where nobody answers or a worker is not fit for the order."""
        _silence()
        try:
            resolve_address(address)  # a client that is given nonsense does not get over it
            connect: Any = distributed.Client  # which has no types
            self._client = connect(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise WorkersError(f"no scheduler answers at {address}: {error}") from None
        try:
            self._check(order)
        except BaseException:
            self.close()
            raise
        self._futures: Executor = self._client.get_executor(pure=False)
        self._threads = 1
        self._looked = -_SECONDS_PER_LOOK

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have fn called by a worker. Raises WorkersError when the scheduler is gone."""
        if self._client.status != "running":
            raise WorkersError("the connection to the workers is lost")
        return self._futures.submit(fn, *args, **kwargs)

    def has_workers(self) -> bool:
        """Whether there is anybody to do the work yet."""
        return bool(self._client.nthreads())

    def threads(self) -> int:
        """How many games its workers can do at a time, as of lately; at least 1."""
        now = time.monotonic()
        if now - self._looked >= _SECONDS_PER_LOOK:
            self._looked = now
            with suppress(OSError):  # if it lasts, submitting fails, too
                self._threads = max(1, sum(self._client.nthreads().values()))
        return self._threads

    def close(self) -> None:
        """Disconnect; what is not done is dropped."""
        self._client.close(timeout=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, order: AnnotationOrder) -> None:
        for worker, found in self._client.run(complaint, order, on_error="return").items():
            if found is not None:
                raise WorkersError(f"the worker {worker} {found}")


def _silence() -> None:
    """What Dask logs when a connection is lost says less than our own line does."""
    for name in ("distributed", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
