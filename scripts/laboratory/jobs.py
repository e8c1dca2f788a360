"""Jobs done by worker processes, of this machine or of a Dask cluster.

A worker of this machine ends, with all processes that it has started, when the parent process ends. One of a
cluster needs a checkout with the same sources, compiled, and its Python: `.venv/bin/dask worker ADDRESS`.
"""

import gc
import hashlib
import traceback
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial, wraps
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

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
    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.work = function


@dataclass(frozen=True, slots=True)
class JobRunner:
    """`count` processes of this machine, or the workers of the Dask scheduler at `cluster`.

    A cluster has at most `count` jobs under way, None: all its threads are busy. Its workers may join and
    leave; the job of one that has died is given to another. `other_games`: they must have the same sources of
    the other games, too, which chess does not need.

    `make_worker` makes a worker in its process: an object with `work(job)`, whose exceptions end the run, and
    `close()` if it has anything to release. `make_worker`, jobs, results and news are pickled.
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
        """Yield the results in the order in which the jobs are done. Raises JobError.

        A job is drawn from `jobs` when a worker is free. Closing the generator ends the workers at once. With
        `follow`, on this machine only, `make_worker` gets a function; its arguments go to `follow`, in any
        thread.
        """
        waiting, under_way = iter(jobs), 0
        done: SimpleQueue[tuple[Any, JobError | None]] = SimpleQueue()
        with ExitStack() as opened:
            workers, make_tool, most = self._workers(make_worker, follow)
            opened.enter_context(workers)
            work = opened.enter_context(workers.equipped(make_tool))

            def hand_out() -> int:
                drawn = list(islice(waiting, max(most() - under_way, 0)))
                for job in drawn:
                    try:
                        workers.submit(work, job).add_done_callback(partial(_note, done))
                    except WorkersError as error:
                        raise JobError(str(error)) from None
                return len(drawn)

            under_way += hand_out()
            while under_way:
                try:
                    result, failure = done.get(timeout=_PATIENCE)
                except Empty:
                    under_way += hand_out()  # to workers that have joined
                    continue
                under_way -= 1
                if failure is not None:
                    raise failure
                under_way += hand_out()
                yield result
            if self.cluster is None:
                workers.finish()

    def _workers(
        self, make_worker: Callable[..., Any], follow: Callable[[Any], object] | None
    ) -> tuple[Any, Callable[[], Any], Callable[[], int]]:
        if self.cluster is None:
            count = self.count or 1
            make = make_worker if follow is None else partial(make_worker, tell)
            return LocalWorkers(count, pinned=False, follow=follow), partial(_Tool, make, True), lambda: count
        mine = sources(self.other_games), COMPILED, self.other_games
        cluster = _cluster(self.cluster, partial(problem, *mine))
        most = partial(_most, self.count, cluster)
        return cluster, partial(_checked, make_worker, *mine), most


def _most(count: int | None, cluster: Any) -> int:
    return count or _AHEAD * int(cluster.threads())


def _note(done: SimpleQueue[tuple[Any, JobError | None]], future: Future[Any]) -> None:
    """Called in another thread. A future of Dask's ends there: a Ctrl-C in its `__del__` is lost."""
    if future.cancelled():
        done.put((None, JobError("the connection to the workers is lost")))
    elif (error := future.exception()) is None:
        done.put((future.result(), None))
    else:
        done.put((None, error if isinstance(error, JobError) else JobError(_described(error))))


def _described(error: BaseException) -> str:
    if isinstance(error, WorkerDiedError):
        return f"a job was given up: {error}"
    if isinstance(error, WorkersError) or type(error).__module__.startswith("scripts.laboratory"):
        return str(error)
    return "".join(traceback.format_exception(error))


class _Tool:
    def __init__(self, make_worker: Callable[[], Any], alone: bool) -> None:
        """If `alone` in its process, it collects garbage between jobs, when no clock of a game runs."""
        self._worker = make_worker()
        self._alone = alone
        if alone:
            gc.freeze()  # what is there stays: looking through it again takes as long as a short game
        self.close = getattr(self._worker, "close", lambda: None)

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
    if found := problem(theirs, compiled, other_games):
        raise WorkersError(f"a worker {found}")
    return _Tool(make_worker, False)


def job_options(command: Callable[..., None], *, other_games: bool = False) -> Any:
    """--concurrency, --cluster and --workers; the command gets a JobRunner as `run_all`."""

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
