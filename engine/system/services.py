"""Services that not every operating system has; no other module of the project asks for them.

Each function says what it does where the service is missing. Imports are late: the start need not wait for
them.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from engine.system import linux

_LOCAL_FLAGS = 3  # the index in the settings of termios
_ARENA_MAX = -8  # glibc's M_ARENA_MAX


def processors() -> int:
    """How many processors this process may use, at least 1: those it may run on, or its share of their time.

    A share is rounded down: with one and a half, a second worker would mostly hold up the first.
    """
    present = len(affinity()) or os.cpu_count() or 1
    share = linux.groups_processors()
    return present if share is None else max(min(present, int(share)), 1)


def affinity() -> list[int]:
    """The numbers of the processors that this process may run on, in order; empty where unknown."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def pin_to(processor: int) -> None:
    """Run on `processor`, one of `affinity`, only."""
    os.sched_setaffinity(0, {processor})


def yield_to_others() -> None:
    """Run only where no other program wants the processor.

    In a session of its own, where there are any: Linux divides the time among sessions before it looks
    inside.
    """
    if hasattr(os, "setsid"):
        with suppress(PermissionError):  # it leads a group of processes
            os.setsid()
    if hasattr(os, "nice"):
        os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):  # some containers do not allow it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError), open("/proc/self/autogroup", "w") as group:
        group.write("19")


def config_folder(name: str) -> str:
    """The folder for the settings of a program, where the system has those of its users' programs."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("APPDATA") or os.path.expanduser("~"), name)
    if sys.platform == "darwin":
        return os.path.join(os.path.expanduser("~/Library/Application Support"), name)
    return os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), name)


def after_fork(call: Callable[[], object]) -> None:
    """Have `call` run first in each process that this one forks; no effect where none are."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=call)


def limit(name: str) -> int | None:
    """The limit of a resource of this process, such as "RLIMIT_AS"; None without a limit."""
    resource = _module("resource")
    if resource is None or not hasattr(resource, name):
        return None
    bound: int = resource.getrlimit(getattr(resource, name))[0]
    return None if bound in (-1, resource.RLIM_INFINITY) else bound


def share_heap() -> None:
    """Have all threads take memory from one heap if the address space of this process is limited.

    glibc reserves 64 MB of addresses for the heap of each new thread. Call it before other threads start; no
    effect on other C libraries.
    """
    if limit("RLIMIT_AS") is None:
        return
    ctypes = import_module("ctypes")
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def children_seconds() -> float:
    """The processor time, user and system, of all child processes that have ended."""
    resource = _module("resource")
    if resource is None:
        spent = os.times()
        return spent.children_user + spent.children_system
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds: float = usage.ru_utime + usage.ru_stime
    return seconds


def signals(*names: str) -> list[signal.Signals]:
    """Those of the signals, by names such as "SIGHUP", that this system has."""
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def unignored_signals(*names: str) -> list[signal.Signals]:
    """Those of the signals that this system has and that this process does not ignore.

    Ignored signals stay so: nohup(1) ignores SIGHUP, and background jobs of scripts SIGINT, to outlive their
    terminal.
    """
    return [number for number in signals(*names) if signal.getsignal(number) is not signal.SIG_IGN]


def block_signals(*names: str) -> None:
    """Block these signals for the calling thread and what it starts, where the system can."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, signals(*names))


def alarm(seconds: float, interval: float = 0.0) -> None:
    """Send this process SIGALRM after `seconds`, then every `interval`, in seconds; 0 for never.

    No effect on systems without timers.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds, interval)


def lock(file: int) -> bool:
    """Lock the file of a descriptor until it is closed; False if another process has it. Raises OSError.

    True without effect on systems without file locks.
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
    """The settings of the terminal behind a descriptor; None without one, or in the background.

    A process in the background that changed the settings would be stopped.
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
    termios = _module("termios")
    termios.tcsetattr(file, termios.TCSANOW, settings)


def silenced(settings: list[Any]) -> list[Any]:
    """The settings without echo: keys that are typed do not show."""
    silent = [*settings]
    silent[_LOCAL_FLAGS] &= ~_module("termios").ECHO
    return silent


def set_terminal_size(file: int, columns: int, lines: int) -> None:
    """Set the size of a terminal, such as one of `os.openpty`; no effect on systems without terminals."""
    termios = _module("termios")
    if termios is not None:
        termios.tcsetwinsize(file, (lines, columns))


def _module(name: str) -> Any:
    """A module of the standard library; None where this system lacks it."""
    try:
        return import_module(name)
    except ImportError:
        return None
