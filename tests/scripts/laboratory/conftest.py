"""A Dask cluster for tests of whatever has its work done by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dask_cluster import Scheduler, StartWorker


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[Scheduler]:
    from tests.dask_cluster import running_scheduler  # noqa: PLC0415 - not before the mode is settled

    with running_scheduler(tmp_path) as found:
        yield found


@pytest.fixture
def start_worker(scheduler: Scheduler, tmp_path: Path, is_pure: bool) -> Iterator[StartWorker]:
    from tests.dask_cluster import workers_of  # noqa: PLC0415 - not before the mode is settled

    if is_pure:
        pytest.skip("the workers' processes load what is compiled")
    with workers_of(scheduler, tmp_path) as start:
        yield start
