"""Tests run compiled; with --pure as plain Python, with --installed against the installed Lolli."""

import os
import signal
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import compiled, installed, pure
from tests.lanes import LANES
from tests.lanes import ROOT as TESTS

# Plain Python takes a hundred times as long. By default the same examples each time, see
# leave_out_constants; others are tried with `--hypothesis-profile random`, as in the long lane.
settings.register_profile("random", deadline=None)
settings.register_profile("lolli", settings.get_profile("random"), derandomize=True)
settings.load_profile("lolli")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pure", action="store_true", help="test the plain Python source, not the compiled modules"
    )
    parser.addoption("--installed", action="store_true", help="test the Lolli that a wheel has installed")
    parser.addoption("--lane", choices=sorted(LANES), help="only the files of this lane, see tests/lanes.py")


def pytest_configure(config: pytest.Config) -> None:
    heed_interrupts_in_children()
    os.environ["LOLLI_CONFIG"] = ""  # no defaults of whoever runs the tests
    if config.getoption("--hypothesis-profile", None) in {None, "lolli"}:
        leave_out_constants()
    if config.getoption("pure"):
        pure.install()
    elif config.getoption("installed"):
        installed.install()
    elif problem := compiled.problem():
        raise pytest.UsageError(problem)


def pytest_sessionstart() -> None:
    """Settings of the person's terminal may change pytest's output, but no test."""
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "LOLLI_PIECES"):
        os.environ.pop(name, None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("installed"):
        for item in items:
            if item.get_closest_marker("checkout") is not None:
                item.add_marker(pytest.mark.skip(reason="about a checkout"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    lane = config.getoption("lane")
    if lane is None or collection_path == TESTS or not collection_path.is_relative_to(TESTS):
        return None
    return None if LANES[lane].has(collection_path) else True


def heed_interrupts_in_children() -> None:
    """Have the processes that tests start heed SIGINT, as from a terminal, although this one may not.

    In the background of a script it is ignored, and what is ignored is inherited, but not what is handled.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)


def leave_out_constants() -> None:
    """Have Hypothesis draw no constants of our modules.

    It takes those of all that are loaded so far, so that the examples would depend on which other tests have
    run before. Versions that take none have no such function.
    """
    providers: Any = sys.modules.get("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


def pytest_report_header(config: pytest.Config) -> str:
    if config.getoption("pure"):
        return "lolli: plain Python"
    from engine.system import cpu, processor  # noqa: PLC0415 - not before the mode is settled

    if not (cpu.__file__ or "").endswith(compiled.SUFFIX):
        return "lolli: not compiled"
    return f"lolli: compiled for {processor.built_for() or 'the baseline'}"


@pytest.fixture(scope="session")
def is_pure(request: pytest.FixtureRequest) -> bool:
    """Whether the plain source is under test, compiled modules or not."""
    return bool(request.config.getoption("pure"))


@pytest.fixture(scope="session")
def lolli_command(is_pure: bool) -> list[str]:
    """The words that start the real process in the mode under test; add a command or nothing, for UCI."""
    if is_pure:
        return [sys.executable, str(pure.ROOT / "tests" / "pure.py")]
    return [str(Path(sysconfig.get_path("scripts")) / "lolli")]
