"""Jobs done by the workers of a Dask cluster, as `jobs` has them done by processes of this machine.

A worker needs a checkout with the same sources, compiled, and its Python: `.venv/bin/dask worker ADDRESS`.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import Future
from contextlib import ExitStack, closing
from functools import cache, partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeVar

import click

from engine import installation
from engine.board.position import COMPILED
from lolli.cli.workers import WorkersError
from scripts.laboratory.jobs import JobError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from scripts.laboratory.jobs import JobWorker

Job = TypeVar("Job")
Result = TypeVar("Result")

_ROOT = Path(__file__).parents[2]
_FOLDERS = ("engine", "eval")
_FOLDERS_OF_GAMES = ("scripts/laboratory/games", "scripts/laboratory/policy")
_AHEAD = 2  # jobs for each thread of the cluster, so that none waits for the next one
_PATIENCE = 1.0  # seconds after which more threads are looked for


def run_on_cluster(
    make_worker: Callable[[], JobWorker[Job, Result]],
    jobs: Iterable[Job],
    address: str,
    count: int | None,
    *,
    other_games: bool = False,
) -> Generator[Result, None, None]:
    """Do the jobs with the workers of the scheduler at `address`, and yield the results as they are done.

    See ClusterJobs. Raises JobError where a job fails, or the cluster cannot be used.
    """
    waiting = iter(jobs)
    with closing(ClusterJobs(make_worker, address, count, other_games=other_games)) as cluster:
        while True:
            for job in islice(waiting, cluster.room()):
                cluster.hand_out(job)
            if not cluster.under_way:
                break
            yield from cluster.finished(_PATIENCE)


class ClusterJobs(Generic[Job, Result]):
    """See Jobs: the workers of the scheduler at `address` do them; `make_worker` goes to each worker once.

    At most `count` jobs are under way; None for as many as keep all threads busy. Workers may join and leave;
    the job of one that has died is given to another. `other_games`: they must have the same sources of the
    other games, too, which chess does not need.
    """

    def __init__(
        self,
        make_worker: Callable[[], JobWorker[Job, Result]],
        address: str,
        count: int | None,
        *,
        other_games: bool = False,
    ) -> None:
        """Connect. Raises JobError."""
        try:
            from lolli.cli.cluster import Cluster  # noqa: PLC0415 - slow, and an extra
        except ModuleNotFoundError as error:
            raise JobError(f"a cluster needs {error.name}: {installation.to_add('cluster')}") from None
        mine = sources(other_games), COMPILED, other_games
        self.under_way = 0  # jobs whose results have not been taken
        self._count = count
        self._done: SimpleQueue[Result | JobError] = SimpleQueue()
        with ExitStack() as opened:
            try:
                self._cluster = opened.enter_context(Cluster(address, partial(problem, *mine)))
            except WorkersError as error:
                raise JobError(str(error)) from None
            if not self._cluster.has_workers():
                click.echo("The cluster has no workers yet.", err=True)
            tools = self._cluster.equipped(partial(_tool, make_worker, *mine))
            self._work: Callable[[Job], Result] = opened.enter_context(tools)
            self._opened = opened.pop_all()

    def room(self) -> int:
        """See Jobs."""
        most = _AHEAD * self._cluster.threads() if self._count is None else self._count
        return max(most - self.under_way, 0)

    def hand_out(self, job: Job) -> None:
        """See Jobs."""
        try:
            future = self._cluster.submit(self._work, job)
        except WorkersError as error:
            raise JobError(str(error)) from None
        self.under_way += 1
        future.add_done_callback(self._note)

    def finished(self, patience: float) -> Generator[Result, None, None]:
        """See Jobs."""
        failed = None
        for _ in range(self._done.qsize() or 1):
            try:
                found = self._done.get(timeout=patience)
            except Empty:
                break
            self.under_way -= 1
            if isinstance(found, JobError):
                failed = failed or found
            else:
                yield found
        if failed is not None:
            raise failed

    def close(self) -> None:
        """See Jobs."""
        self._opened.close()

    def _note(self, future: Future[Result]) -> None:
        """Called in a thread of Dask's, so that the future ends there: a Ctrl-C in its `__del__` is lost."""
        if future.cancelled():
            self._done.put(JobError("the connection to the workers is lost"))
        elif (error := future.exception()) is not None:
            self._done.put(JobError(str(error) or type(error).__name__))
        else:
            self._done.put(future.result())


@cache
def sources(other_games: bool) -> str:
    """A hash of what decides how the engine plays: chess alone, or the other games as well."""
    total = hashlib.sha256()
    folders = _FOLDERS + _FOLDERS_OF_GAMES * other_games
    for path in sorted(path for folder in folders for path in (_ROOT / folder).rglob("*.p[xy]*")):
        is_wanted = other_games or not path.is_relative_to(_ROOT / "engine" / "games")
        if path.suffix in {".py", ".pxd"} and is_wanted:
            total.update(str(path.relative_to(_ROOT)).encode() + path.read_bytes())
    return total.hexdigest()[:16]


def problem(theirs: str, compiled: bool, other_games: bool) -> str | None:
    """Why this process cannot work for one with those sources; None if it can."""
    if sources(other_games) != theirs:
        return "has other sources of engine or laboratory"
    return "runs uncompiled, about 100 times slower" if compiled and not COMPILED else None


def _tool(
    make_worker: Callable[[], JobWorker[Job, Result]],
    theirs: str,
    compiled: bool,
    other_games: bool,
) -> Callable[[Job], Result]:
    """What does jobs in a worker. Raises WorkersError if it would do them differently."""
    if found := problem(theirs, compiled, other_games):
        raise WorkersError(f"a worker {found}")
    return make_worker().work
