"""What is asked of the system, and the next best where that is missing."""

import os
import platform
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.system import linux, services
from tests.compiled import ROOT
from tests.poorer import MB, within


def test_as_many_processors_as_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {5, 3, 7, 1}, raising=False)
    for share, expected in ((None, 4), (9.0, 4), (4.0, 4), (2.5, 2), (1.9, 1), (0.1, 1)):
        monkeypatch.setattr(linux, "groups_processors", lambda share=share: share)
        assert services.processors() == expected
    assert services.affinity() == [1, 3, 5, 7]


def test_all_processors_where_nothing_is_known_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(linux, "groups_processors", lambda: None)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert services.processors() == 6
    assert services.affinity() == []
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert services.processors() == 1


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    for bound, expected in ((5, 5), (0, 0), (resource.RLIM_INFINITY, None)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, bound=bound: (bound, bound))
        assert services.limit("RLIMIT_AS") == expected
    assert services.limit("RLIMIT_NOPE") is None


SMALLEST_HEAP = 40  # MB; glibc reserves 64 or 128 for one
THREAD_THAT_ALLOCATES = """
import mmap, sys, threading
from engine.system import linux, services

def grow():
    small = [bytes(1000) for _ in range(100)]
    print(linux.own_sizes().address_space - before)

services.share_heap()
threading.stack_size(1 << 20)
before = linux.own_sizes().address_space
threading.Thread(target=grow).start()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps as glibc has them")
@pytest.mark.parametrize("is_limited", [True, False])
def test_threads_share_a_heap_in_a_small_address_space(is_limited: bool) -> None:
    command = [sys.executable, "-c", THREAD_THAT_ALLOCATES]
    done = subprocess.run(
        within(300, command) if is_limited else command, cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    assert (int(done.stdout) < SMALLEST_HEAP * MB) == is_limited


def test_signals_that_are_ignored_are_left_alone() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert services.unignored_signals("SIGINT", "SIGTERM", "SIGNOPE") == [signal.SIGTERM]
        assert services.signals("SIGINT", "SIGNOPE") == [signal.SIGINT]
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        assert services.unignored_signals("SIGINT", "SIGTERM") == [signal.SIGINT, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_file_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    mine, theirs = (os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert services.lock(mine)
    assert not services.lock(theirs)
    os.close(mine)
    assert services.lock(theirs)
    os.close(theirs)
    with pytest.raises(OSError, match="descriptor"):
        services.lock(theirs)


def test_a_terminal_of_another_process_is_left_alone() -> None:
    """This one is not the controlling terminal of the test."""
    master, slave = os.openpty()
    assert services.terminal_settings(slave) is None
    services.set_terminal_size(master, 90, 30)
    assert os.get_terminal_size(slave) == (90, 30)
    for end in (master, slave):
        os.close(end)


def lacking(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for each in names:
        module, _, name = each.partition(".")
        if name:
            monkeypatch.delattr(f"{module}.{name}", raising=False)
        else:
            monkeypatch.setitem(sys.modules, module, None)


ASKED: dict[str, tuple[str, Callable[[], object], object]] = {
    "limits": ("resource", lambda: services.limit("RLIMIT_AS"), None),
    "locks": ("fcntl", lambda: services.lock(-1), True),
    "terminals": ("termios", lambda: services.terminal_settings(0), None),
    "sizes": ("termios", lambda: services.set_terminal_size(0, 1, 1), None),
    "masks": ("signal.pthread_sigmask", lambda: services.block_signals("SIGINT"), None),
    "alarms": ("signal.setitimer", lambda: services.alarm(1), None),
    "hang-ups": ("signal.SIGHUP", lambda: services.signals("SIGHUP"), []),
    "affinity": ("os.sched_getaffinity", services.affinity, []),
}


@pytest.mark.parametrize("what", ASKED)
def test_the_next_best_where_something_is_missing(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    name, ask, expected = ASKED[what]
    lacking(monkeypatch, name)
    assert ask() == expected


def test_processor_time_of_children(monkeypatch: pytest.MonkeyPatch) -> None:
    before = services.children_seconds()
    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)
    spent = services.children_seconds() - before
    assert spent > 0
    lacking(monkeypatch, "resource")
    assert services.children_seconds() == pytest.approx(before + spent, abs=0.03)
