"""The options that say which processes do the work: those of this machine or of a cluster."""

from collections.abc import Callable, Generator, Iterable
from functools import partial, wraps
from typing import Any, Protocol, TypeVar

import click

from scripts.laboratory.cluster_jobs import run_on_cluster
from scripts.laboratory.jobs import JobWorker, run_jobs
from scripts.laboratory.lab_options import concurrency_option, count_option

Job = TypeVar("Job")
Result = TypeVar("Result")


class JobRunner(Protocol):
    """Has jobs done; see `jobs.run_jobs`."""

    def __call__(
        self, make_worker: Callable[[], JobWorker[Job, Result]], jobs: Iterable[Job], /
    ) -> Generator[Result, None, None]:
        """Yield the results in the order in which they are done. Raises JobError."""


def on_this_machine(count: int) -> JobRunner:
    """Has the jobs done by `count` processes."""
    return partial(run_jobs, count=count)


def job_options(command: Callable[..., None], *, other_games: bool = False) -> Any:
    """The options --concurrency, --cluster and --workers; the command gets a JobRunner as `run_all`.

    `other_games`: see ClusterJobs.
    """

    @concurrency_option
    @cluster_options
    @wraps(command)
    def with_runner(*, concurrency: int, cluster: str | None, workers: int | None, **others: Any) -> None:
        run_all = on_this_machine(concurrency)
        if cluster is not None:
            run_all = partial(run_on_cluster, address=cluster, count=workers, other_games=other_games)
        command(run_all=run_all, **others)

    return with_runner


other_games_job_options = partial(job_options, other_games=True)
"""`job_options` of a command whose jobs are about games other than chess."""


def cluster_options(command: Callable[..., None]) -> Any:
    """The options --cluster and --workers; the command gets `cluster` and `workers`, or None."""

    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Use the workers of the Dask scheduler at ADDRESS, not processes here.",
    )
    @count_option(
        "--workers", None, "With --cluster: jobs at the same time; by default enough for all its threads."
    )
    @wraps(command)
    def checked(*, cluster: str | None, workers: int | None, **others: Any) -> None:
        if cluster is None and workers is not None:
            raise click.UsageError("--workers is for --cluster")
        command(cluster=cluster, workers=workers, **others)

    return checked
