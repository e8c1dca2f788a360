"""What the operating system is asked for, by name, that not every one has: nothing else in the project asks.

Where something is missing the answer is the next best, as each function says. Modules are loaded when they
are first needed, so that the start does not wait for them.
"""

import os
import signal
from importlib import import_module
from typing import Any

from engine import linux

_LOCAL_FLAGS = 3  # where termios has them


def processors() -> int:
    """How many processors this process may use, at least 1: of those it may run on, its share of their time.

    A share is rounded down: with one and a half a second worker would mostly stand in the way of the first.
    """
    present = len(affinity()) or os.cpu_count() or 1
    share = linux.groups_processors()
    return present if share is None else max(min(present, int(share)), 1)


def affinity() -> list[int]:
    """The processors that this process may run on, in order; empty where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def stay_on(processor: int) -> None:
    """Run on one of the processors of `affinity` only."""
    os.sched_setaffinity(0, {processor})


def limit(name: str) -> int | None:
    """The bound on a resource of this process, such as "RLIMIT_AS"; None where there is none."""
    resource = _module("resource")
    if resource is None or not hasattr(resource, name):
        return None
    bound: int = resource.getrlimit(getattr(resource, name))[0]
    return None if bound in (-1, resource.RLIM_INFINITY) else bound


def set_limit(name: str, bound: int) -> None:
    """Bound a resource of this process, for good; no effect without such. Raises ValueError, OSError."""
    resource = _module("resource")
    if resource is not None and hasattr(resource, name):
        resource.setrlimit(getattr(resource, name), (bound, bound))


def children_seconds() -> float:
    """The processor time, user and system, of all child processes that have ended."""
    resource = _module("resource")
    if resource is None:
        spent = os.times()
        return spent.children_user + spent.children_system
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds: float = usage.ru_utime + usage.ru_stime
    return seconds


def known(*names: str) -> list[signal.Signals]:
    """Those of the signals, such as "SIGHUP", that this system has."""
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def heeded(*names: str) -> list[signal.Signals]:
    """Those of the signals that this system has, less those that are ignored: to be left alone.

    nohup(1) starts commands with SIGHUP ignored, and scripts have background jobs ignore SIGINT, so that they
    outlive a terminal, or a Ctrl-C that is meant for others.
    """
    return [number for number in known(*names) if signal.getsignal(number) is not signal.SIG_IGN]


def hold_back(*names: str) -> None:
    """Have the calling thread, and what it starts, not get these signals; no effect where that cannot be."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, known(*names))


def alarm(seconds: float) -> None:
    """Have SIGALRM come after so many seconds, 0 for never; no effect where there are no timers."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def lock(file: int) -> bool:
    """Lock a descriptor's file until it is closed; False where another process has locked it. Raises OSError.

    Where files cannot be locked nothing is, and the answer is True.
    """
    fcntl = _module("fcntl")
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def terminal_settings(file: int) -> list[Any] | None:
    """How the terminal of a descriptor is set; None where there is none, or where it is another's turn there.

    A process in the background that set its terminal would be stopped.
    """
    termios = _module("termios")
    if termios is None:
        return None
    try:
        settings: list[Any] = termios.tcgetattr(file)
        return settings if os.tcgetpgrp(file) == os.getpgrp() else None
    except (OSError, termios.error):
        return None


def set_terminal(file: int, settings: list[Any]) -> None:
    """Set a terminal that has `terminal_settings` as it was then, or as `silenced` has it."""
    termios = _module("termios")
    termios.tcsetattr(file, termios.TCSANOW, settings)


def silenced(settings: list[Any]) -> list[Any]:
    """The settings of a terminal, but keys do not show."""
    silent = [*settings]
    silent[_LOCAL_FLAGS] &= ~_module("termios").ECHO
    return silent


def set_terminal_size(file: int, columns: int, lines: int) -> None:
    """Tell a terminal, such as `os.openpty` makes, how large it is; no effect where there are none."""
    termios = _module("termios")
    if termios is not None:
        termios.tcsetwinsize(file, (lines, columns))


def _module(name: str) -> Any:
    """A module of the standard library; None where this system has none of that name."""
    try:
        return import_module(name)
    except ImportError:
        return None
