"""Commands in processes of their own, which are ended in the middle of their work."""

import signal
import subprocess
from pathlib import Path

import psutil

from tests.patience import PATIENCE, wait_until


def wait_for_records(journal: Path, number: int) -> None:
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > number)


def end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """Send a command a signal; it and the processes that it started must end, with the status that is due."""
    children = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(how)
    output, _ = process.communicate(timeout=PATIENCE)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE)
    assert not alive
    assert process.returncode == (-how if how is signal.SIGKILL else 130), output
