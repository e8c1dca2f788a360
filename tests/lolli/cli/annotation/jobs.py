"""What workers are given to do in tests; imports little, so that they start soon."""

import os
import signal
import time
from pathlib import Path


def square(number: int) -> int:
    return number * number


def pid_after(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def die(status: int) -> None:
    os._exit(status)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_itself_once(marker: str) -> str:
    if not Path(marker).exists():
        Path(marker).touch()
        kill_itself()
    return "done"


def fail(reason: str) -> None:
    raise ValueError(reason)
