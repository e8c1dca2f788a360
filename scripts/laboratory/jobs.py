"""Jobs done by worker processes: those of this machine, or those of a Dask cluster.

A worker of this machine does one job at a time. It ends, with all processes that it has started, as soon as
the process that reads its results has ended for any reason. A worker of a cluster needs a checkout with the
same sources, compiled, and its Python: `.venv/bin/dask worker ADDRESS`.
"""

import gc
import hashlib
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cache, partial, wraps
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

import click

from engine.board.position import COMPILED
from engine.system import installation
from lolli.cli.workers import LocalWorkers, WorkerDiedError, WorkersError, tell
from scripts.laboratory.lab_options import concurrency_option, count_option

_ROOT = Path(__file__).parents[2]
_AHEAD = 2  # jobs for each thread of a cluster, so that none waits for the next one
_PATIENCE = 1.0  # seconds after which more threads of a cluster are looked for


class JobError(Exception):
    """A job cannot be done; the message says why."""


class FunctionWorker:
    """A worker that calls a function with each job."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.work = function

    def close(self) -> None:
        """Nothing to release."""


@dataclass(frozen=True, slots=True)
class JobRunner:
    """Who does jobs: `count` processes of this machine, or the workers of the Dask scheduler at `cluster`.

    A cluster has at most `count` jobs under way; None for as many as keep all its threads busy. Its workers
    may join and leave; the job of one that has died is given to another. `other_games`: they must have the
    same sources of the other games, too, which chess does not need.

    `make_worker` makes a worker in a process of its own: an object with `work(job)`, whose exceptions end the
    run, and `close()`. `make_worker`, jobs, results and news are pickled.
    """

    count: int | None
    cluster: str | None = None
    other_games: bool = False

    def __call__(
        self,
        make_worker: Callable[..., Any],
        jobs: Iterable[Any],
        follow: Callable[[Any], object] | None = None,
    ) -> Generator[Any, None, None]:
        """Do the jobs and yield the results in the order in which they are done.

        A job is drawn from `jobs` when there is a worker for it. Closing the generator ends the workers at
        once. With `follow`, for this machine alone, `make_worker` gets a function, and what a worker calls it
        with comes to `follow`. Raises JobError.
        """
        waiting = iter(jobs)
        with self.open(make_worker, follow) as workers:
            while True:
                workers.hand_out(waiting)
                if not workers.under_way:
                    break
                for result in workers.finished(_PATIENCE):
                    workers.hand_out(waiting)
                    yield result
            workers.finish()

    def open(
        self, make_worker: Callable[..., Any], follow: Callable[[Any], object] | None = None, ahead: int = 1
    ) -> "Jobs":
        """For jobs that are handed out, and results that are taken, now and then. Raises JobError.

        `ahead`: jobs for each process of this machine, the one that it does included.
        """
        return Jobs(self, make_worker, follow, ahead)


def run_jobs(
    make_worker: Callable[..., Any],
    jobs: Iterable[Any],
    count: int,
    follow: Callable[[Any], object] | None = None,
) -> Generator[Any, None, None]:
    """Do the jobs with `count` processes of this machine; see JobRunner."""
    return JobRunner(count)(make_worker, jobs, follow)


class Jobs:
    """Jobs that workers do. Leaving the context drops those that are under way."""

    def __init__(
        self,
        runner: JobRunner,
        make_worker: Callable[..., Any],
        follow: Callable[[Any], object] | None,
        ahead: int,
    ) -> None:
        """See JobRunner.open."""
        self.under_way = 0  # jobs whose results have not been taken
        self._follow = follow
        self._futures: set[Future[Any]] = set()
        self._done: SimpleQueue[tuple[str, Any]] = SimpleQueue()  # "result", "failure" or "news", and it
        self._local: LocalWorkers | None = None
        with ExitStack() as opened:
            if runner.cluster is None:
                count = runner.count or 1
                self._most: Callable[[], int] = lambda: count * ahead
                self._local = LocalWorkers(
                    count, pinned=False, follow=lambda news: self._done.put(("news", news))
                )
                if follow is not None:
                    make_worker = partial(make_worker, tell)
                make_tool = partial(_Tool, make_worker, alone=True)
                self._workers: Any = opened.enter_context(self._local)
            else:
                mine = sources(runner.other_games), COMPILED, runner.other_games
                cluster = _cluster(runner.cluster, partial(problem, *mine))
                self._most = lambda: runner.count or _AHEAD * cluster.threads()
                make_tool = partial(_checked, make_worker, *mine)
                self._workers = opened.enter_context(cluster)
            self._work = opened.enter_context(self._workers.equipped(make_tool))
            self._opened = opened.pop_all()

    def room(self) -> int:
        """How many jobs should be handed out now."""
        return max(self._most() - self.under_way, 0)

    def hand_out(self, jobs: Iterator[Any]) -> None:
        """Hand out as many of the jobs as there is room for. Raises JobError where nobody can be reached."""
        for job in islice(jobs, self.room()):
            try:
                future = self._workers.submit(self._work, job)
            except WorkersError as error:
                raise JobError(str(error)) from None
            self.under_way += 1
            self._futures.add(future)
            future.add_done_callback(self._note)

    def finished(self, patience: float) -> Iterator[Any]:
        """The results that have come, after up to `patience` seconds if there is none.

        Raises JobError at the end, where a job has failed.
        """
        failed = None
        for _ in range(self._done.qsize() or 1):
            try:
                kind, value = self._done.get(timeout=patience)
            except Empty:
                break
            self.under_way -= kind != "news"
            if kind == "result":
                yield value
            elif kind == "failure":
                failed = failed or value
            elif self._follow is not None:
                self._follow(value)
        if failed is not None:
            raise failed

    def drain(self, patience: float) -> Iterator[Any]:
        """The last results, of jobs that have been begun, as far as they come within `patience` seconds."""
        for future in [*self._futures]:
            future.cancel()
        until = time.monotonic() + patience
        while self.under_way and (left := until - time.monotonic()) > 0:
            with suppress(JobError):  # of jobs that are dropped; what ends a run has been raised before
                yield from self.finished(left)

    def _note(self, future: Future[Any]) -> None:
        """Called in another thread. A future of Dask's ends there: a Ctrl-C in its `__del__` is lost."""
        self._futures.discard(future)
        if future.cancelled():
            self._done.put(("failure", JobError("the connection to the workers is lost")))
        elif (error := future.exception()) is None:
            self._done.put(("result", future.result()))
        else:
            self._done.put(("failure", error if isinstance(error, JobError) else JobError(_described(error))))

    def finish(self) -> None:
        """Let the workers of this machine close what they have opened, when all jobs are done."""
        if self._local is not None:
            self._local.finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End at once; jobs under way are dropped."""
        self._opened.close()


def _described(error: BaseException) -> str:
    """The message of an error of the laboratory's own, or the traceback of any other."""
    if isinstance(error, WorkerDiedError):
        return f"a job was given up: {error}"
    if isinstance(error, WorkersError) or type(error).__module__.startswith("scripts.laboratory"):
        return str(error)
    return "".join(traceback.format_exception(error))


class _Tool:
    """A worker whose errors are told as the process that reads its results tells them."""

    def __init__(self, make_worker: Callable[[], Any], *, alone: bool) -> None:
        """`alone` in its process it collects garbage after jobs, when the clocks of a game have stopped."""
        self._worker = make_worker()
        self._alone = alone
        if alone:
            gc.freeze()  # what is there stays: looking through it again takes as long as a short game
        self.close = self._worker.close

    def work(self, job: Any) -> Any:
        if self._alone:
            gc.disable()
        try:
            return self._worker.work(job)
        except Exception as error:  # noqa: BLE001 - whatever it is, it ends the run
            raise JobError(_described(error)) from None
        finally:
            if self._alone:
                gc.enable()
                gc.collect()


def _cluster(address: str, find_problem: Callable[[], str | None]) -> Any:
    try:
        from lolli.cli.cluster import Cluster  # noqa: PLC0415 - slow, and an extra

        cluster = Cluster(address, find_problem)
    except ModuleNotFoundError as error:
        raise JobError(f"a cluster needs {error.name}: {installation.to_add('cluster')}") from None
    except WorkersError as error:
        raise JobError(str(error)) from None
    if not cluster.has_workers():
        click.echo("The cluster has no workers yet.", err=True)
    return cluster


@cache
def sources(other_games: bool) -> str:
    """A hash of what decides how the engine plays: chess alone, or the other games as well."""
    found = [path for folder in ("engine", "eval") for path in (_ROOT / folder).rglob("*.p[xy]*")]
    if other_games:
        found += (_ROOT / "scripts" / "laboratory").glob("*.py")
    else:
        found = [path for path in found if not path.is_relative_to(_ROOT / "engine" / "games")]
    total = hashlib.sha256()
    for path in sorted(path for path in found if path.suffix in {".py", ".pxd"}):
        total.update(str(path.relative_to(_ROOT)).encode() + path.read_bytes())
    return total.hexdigest()[:16]


def problem(theirs: str, compiled: bool, other_games: bool) -> str | None:
    """Why this process cannot work for one with those sources; None if it can."""
    if sources(other_games) != theirs:
        return "has other sources of engine or laboratory"
    return "runs uncompiled, about 100 times slower" if compiled and not COMPILED else None


def _checked(make_worker: Callable[[], Any], theirs: str, compiled: bool, other_games: bool) -> _Tool:
    """What does jobs in a worker of a cluster. Raises WorkersError if it would do them differently."""
    if found := problem(theirs, compiled, other_games):
        raise WorkersError(f"a worker {found}")
    return _Tool(make_worker, alone=False)


def job_options(command: Callable[..., None], *, other_games: bool = False) -> Any:
    """The options --concurrency, --cluster and --workers; the command gets a JobRunner as `run_all`.

    `other_games`: see JobRunner.
    """

    @concurrency_option
    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Use the workers of the Dask scheduler at ADDRESS, not processes here.",
    )
    @count_option(
        "--workers", None, "With --cluster: jobs at the same time; by default enough for all its threads."
    )
    @wraps(command)
    def with_runner(*, concurrency: int, cluster: str | None, workers: int | None, **others: Any) -> None:
        if cluster is None and workers is not None:
            raise click.UsageError("--workers is for --cluster")
        count = concurrency if cluster is None else workers
        command(run_all=JobRunner(count, cluster, other_games), **others)

    return with_runner


other_games_job_options = partial(job_options, other_games=True)
"""`job_options` of a command whose jobs are about games other than chess."""
