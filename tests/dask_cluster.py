"""Schedulers and workers of Dask for tests, each a process of its own."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.patience import wait_until
from tests.pure import ROOT

Process = subprocess.Popen[bytes]
Scheduler = tuple[str, Process]  # its address, and the process
StartWorker = Callable[..., Process]
"""Starts a worker with one thread and waits until it is connected; the words are a script instead of Dask."""


@contextmanager
def running(log: Path, *words: str) -> Iterator[Process]:
    """A process that writes what it says into a file, and is killed at the end."""
    with log.open("wb") as file, subprocess.Popen([sys.executable, *words], stderr=file, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def running_scheduler(folder: Path) -> Iterator[Scheduler]:
    """A scheduler, whose log is in `folder`."""
    log = folder / "scheduler.log"
    words = ("scheduler", "--no-dashboard", "--host", "127.0.0.1", "--port", "0")
    with running(log, "-m", "dask", *words) as process:
        wait_until(lambda: re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text()))
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", log.read_text())
        assert found is not None
        yield found[1], process


@contextmanager
def workers_of(scheduler: Scheduler, folder: Path) -> Iterator[StartWorker]:
    with ExitStack() as stack:

        def start(*script: str) -> Process:
            log = folder / f"worker-{len(list(folder.iterdir()))}.log"
            words = ("worker", scheduler[0], "--nthreads", "1", "--no-dashboard", "--no-nanny")
            process = stack.enter_context(running(log, *(script or ("-m", "dask")), *words))
            wait_until(lambda: "Starting established connection" in log.read_text())
            return process

        yield start
