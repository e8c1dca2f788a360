"""Jobs done by the workers of a Dask cluster, as `jobs` has them done by processes of this machine.

A worker needs a checkout with the same sources, compiled, and its Python: `.venv/bin/dask worker ADDRESS`.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engine import installation
from engine.board.position import COMPILED
from protocol.workers import WorkersError
from scripts.laboratory.jobs import JobError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from scripts.laboratory.jobs import JobWorker

Job = TypeVar("Job")
Result = TypeVar("Result")

_ROOT = Path(__file__).parents[2]
_AHEAD = 2  # jobs for each thread of the cluster, so that none waits for the next one
_PATIENCE = 1.0  # seconds after which more threads are looked for


def run_on_cluster(
    make_worker: Callable[[], JobWorker[Job, Result]], jobs: Iterable[Job], address: str, count: int | None
) -> Generator[Result, None, None]:
    """Do the jobs with the workers of the scheduler at `address`, and yield the results as they are done.

    At most `count` jobs are under way; None for as many as keep all threads busy. Workers may join and leave;
    the job of one that has died is given to another. Raises JobError where a job fails, or the cluster cannot
    be used.
    """
    try:
        from protocol.cluster import Cluster  # noqa: PLC0415 - slow, and an extra
    except ModuleNotFoundError as error:
        raise JobError(f"a cluster needs {error.name}: {installation.to_add('cluster')}") from None
    mine = sources(), COMPILED
    waiting = iter(jobs)
    under_way: set[Future[Result]] = set()
    try:
        with (
            Cluster(address, partial(problem, *mine)) as cluster,
            cluster.equipped(partial(_tool, make_worker, *mine)) as work,
        ):
            while True:
                room = _AHEAD * cluster.threads() if count is None else count
                for job in islice(waiting, max(room - len(under_way), 0)):
                    under_way.add(cluster.submit(work, job))
                if not under_way:
                    break
                done, under_way = wait(under_way, _PATIENCE, FIRST_COMPLETED)
                for future in done:
                    yield _result(future)
    except WorkersError as error:
        raise JobError(str(error)) from None


@cache
def sources() -> str:
    """A hash of what decides how the engine plays."""
    total = hashlib.sha256()
    for path in sorted(path for room in ("engine", "eval") for path in (_ROOT / room).rglob("*.p[xy]*")):
        if path.suffix in {".py", ".pxd"} and not path.is_relative_to(_ROOT / "engine" / "games"):
            total.update(str(path.relative_to(_ROOT)).encode() + path.read_bytes())
    return total.hexdigest()[:16]


def problem(theirs: str, compiled: bool) -> str | None:
    """Why this process cannot work for one with those sources; None if it can."""
    if sources() != theirs:
        return "has other sources of engine or eval"
    return "runs uncompiled, about 100 times slower" if compiled and not COMPILED else None


def _tool(
    make_worker: Callable[[], JobWorker[Job, Result]],
    theirs: str,
    compiled: bool,
) -> Callable[[Job], Result]:
    """What does jobs in a worker. Raises WorkersError if it would do them differently."""
    if found := problem(theirs, compiled):
        raise WorkersError(f"a worker {found}")
    return make_worker().work


def _result(future: Future[Result]) -> Result:
    """Raises JobError."""
    try:
        return future.result()
    except CancelledError:
        raise JobError("the connection to the workers is lost") from None
    except Exception as error:
        raise JobError(str(error) or type(error).__name__) from error
