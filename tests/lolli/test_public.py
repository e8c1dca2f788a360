"""The names that others may rely on: who takes one away breaks their programs."""

import inspect
import subprocess
import sys
from operator import attrgetter

import pytest

import lolli
from protocol.about import VERSION
from tests.compiled import ROOT

NAMES = {
    "Accuracy": {"black", "count", "index", "white"},
    "Analysis": {"empty", "get", "info", "multipv", "next", "stop", "wait", "would_block"},
    "AsyncAnalysis": {"empty", "get", "info", "multipv", "next", "stop", "wait", "would_block"},
    "AsyncEngine": {
        *("analyse", "analysis", "bench", "configure", "evaluate", "id", "options", "ping", "play", "quit"),
        *("send_game_result", "send_opponent_information"),
    },
    "BenchResult": {"nodes", "nps", "seconds"},
    "Engine": {
        *("analyse", "analysis", "bench", "close", "configure", "evaluate", "id", "options", "ping", "play"),
        *("quit", "send_game_result", "send_opponent_information"),
    },
    "EngineError": set(),
    "EngineTerminatedError": set(),
    "Explanation": {"better", "mark", "motifs", "reply", "text"},
    "LimitError": set(),
    "OptionError": set(),
    "PositionError": set(),
    "Puzzle": {
        *("board", "found", "goal", "headers", "last", "line", "played", "scores", "source", "task"),
    },
}
"""The public classes with their public attributes."""
FUNCTIONS = {
    "accuracy": "game",
    "annotate": "game, limit, lines, reasons, fresh",
    "evaluate_many": "positions, evaluator, weights, normalised, out",
    "explain": "board, move, nodes",
    "legal_moves": "board",
    "legal_moves_many": "positions",
    "pack": "boards",
    "perft": "board, depth",
    "puzzles": "games, player, missed, skip, nodes, scan_nodes, options",
    "unpack": "packed",
}
"""The public functions with their parameters."""
OTHERS = {"__version__", "games"}


def test_the_public_names() -> None:
    assert [*lolli.__all__] == sorted({*NAMES, *FUNCTIONS, *OTHERS})
    assert dir(lolli) == lolli.__all__
    assert lolli.__version__ == VERSION


@pytest.mark.parametrize("name", NAMES)
def test_a_class(name: str) -> None:
    found = getattr(lolli, name)
    errors = {*dir(ValueError), "characters_written"}
    assert {each for each in dir(found) if not each.startswith("_")} - errors == NAMES[name]
    assert inspect.getdoc(found)
    for each in NAMES[name]:
        attribute = getattr(found, each)
        assert inspect.getdoc(attribute) or inspect.ismemberdescriptor(attribute), each


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function(name: str) -> None:
    found = getattr(lolli, name)
    assert ", ".join(inspect.signature(found).parameters) == FUNCTIONS[name]
    assert inspect.getdoc(found)


def test_a_name_that_is_not_public() -> None:
    with pytest.raises(AttributeError, match="module 'lolli' has no attribute 'Session'"):
        attrgetter("Session")(lolli)


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, input="uci\nquit\n", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_it_loads_nothing_that_a_gui_would_wait_for() -> None:
    code = "import lolli, sys; print(*sys.modules)"
    assert not {"chess", "asyncio", "numpy", "engine", "protocol.uci"} & {*run("-c", code).split()}


def test_the_package_is_a_command() -> None:
    assert run("-m", "lolli", "--version").startswith(f"Lolli {VERSION}, ")
    assert "uciok" in run("-m", "lolli")


def test_a_processor_that_lacks_something() -> None:
    code = """
import engine.system.processor, lolli
engine.system.processor.missing = lambda march: "avx9"
try:
    lolli.Engine
except ImportError as error:
    print(error)
"""
    assert run("-c", code).startswith("this processor lacks avx9, which the engine was built to use")
