"""A search in a file: what it visits is what the textbook visits, and it plays wherever a searcher does."""

import tomllib
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from engine.games.catalogue import game
from engine.games.players.student import ObservedSearch, SeenState, node_of
from engine.games.rules.game import NotApplicableError
from engine.games.rules.own import load
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.recording import Act, RecordedNode, Recording, RecordingMeter
from engine.games.searchers import OptionError, algorithm
from tests.compiled import ROOT

RIGHT = tomllib.loads((ROOT / "tests" / "data" / "exercises" / "right.toml").read_text())
KINDS = ("alphabeta", "alphabeta_negamax", "alphabeta_class", "alphabeta_explicit_stack")


def steps(recording: Recording) -> list[tuple[Any, ...]]:
    """What both record: nodes entered, leaves, the moves that are pruned."""
    return [
        (step.act, step.node.number, step.node.move, step.node.depth, step.node.source)
        for step in recording.steps
        if step.act in {Act.ENTER, Act.ESTIMATE}
    ]


def write(folder: Path, name: str) -> str:
    path = folder / "mine.py"
    path.write_text(RIGHT[name]["text"])
    return str(path)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("of", ["tree", "tictactoe"])
def test_the_same_steps_as_the_textbook(name: str, of: str, tmp_path: Path) -> None:
    rules = game(of)
    meter, plain = RecordingMeter(), Meter()
    result = alphabeta(rules.start(), 2, rules.estimate, meter)
    module = load(write(tmp_path, name))
    mine = ObservedSearch("alphabeta", rules, rules.start(), 2, rules.estimate, plain)
    mine.run(module, returns=True)
    assert steps(mine.recording) == steps(meter.recordings[0])
    assert (mine.value, mine.move) == (result.value, result.line[0])
    assert plain.counts == meter.counts


@pytest.mark.parametrize("name", KINDS[:2])
def test_values_and_pruned_moves_are_those_of_max(name: str, tmp_path: Path) -> None:
    rules = game("tree")
    meter = RecordingMeter()
    alphabeta(rules.start(), 2, rules.estimate, meter)
    module = load(write(tmp_path, name))
    mine = ObservedSearch("alphabeta", rules, rules.start(), 2, rules.estimate, Meter())
    mine.run(module, returns=True)
    for own, node in zip(mine.recording.nodes, meter.recordings[0].nodes, strict=True):
        assert (own.value, own.pruned) == (node.value, node.pruned)


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("minimax_negamax", "tictactoe"),
        ("alphabeta_class", "connectfour"),
        ("expectiminimax", "backgammon"),
        ("maxn", "virus"),
        ("paranoid_two_teams", "virus"),
        ("bestreply", "virus"),
        ("transpositions_alphabeta", "nim"),
        ("uct_backwards", "tictactoe"),
        ("estimate", "tictactoe"),
    ],
)
def test_it_plays(name: str, of: str, tmp_path: Path) -> None:
    rules = game(of)
    state = rules.start()
    while state.player < 0:
        state = state.play(state.moves()[0])
    player = algorithm(write(tmp_path, name)).player(rules)
    decision = player.choose(state, SearchLimits(depth=2, playouts=20))
    assert decision.move in state.moves()
    assert decision.counts.visited > 1


def test_a_copy_of_a_state_is_the_state(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = RIGHT["alphabeta"]["text"].replace("state.play(move)", "copy(deepcopy(state)).play(move)")
    path.write_text(f"from copy import copy, deepcopy\n{text}")
    rules, meter = game("tree"), Meter()
    mine = ObservedSearch("alphabeta", rules, rules.start(), 2, rules.estimate, meter)
    mine.run(load(str(path)), returns=False)
    assert (mine.value, meter.visited) == (3, 11)


def test_a_state_may_have_an_attribute_named_node() -> None:
    rules = game("tree")
    root = RecordedNode(-1, None, rules.start())
    search = ObservedSearch("alphabeta", rules, rules.start(), 2, rules.estimate, Meter())
    seen: Any = SeenState(Mock(node="its own"), root, search)
    assert seen.node == "its own"
    assert node_of(seen) is root
    assert search.recording.nodes == [root], "to look at it is to visit it"


def test_its_value_is_not_that_of_the_game_where_it_was_cut_off(tmp_path: Path) -> None:
    """Even if the file has an evaluation of its own and never asks for the game's."""
    path = tmp_path / "mine.py"
    path.write_text(RIGHT["alphabeta"]["text"].replace("estimate(state)[me]", "0"))
    rules = game("connectfour")
    found = algorithm(str(path)).player(rules).choose(rules.start(), SearchLimits(depth=2))
    assert found.depth == 2
    assert not found.exact


@pytest.mark.parametrize("search", ["", RIGHT["alphabeta"]["text"]])
@pytest.mark.parametrize("value", [1, -1])
def test_its_estimate_is_never_certain(search: str, value: int, tmp_path: Path) -> None:
    """Even if it is exactly that of a win or a loss."""
    path = tmp_path / "mine.py"
    path.write_text(f"{search}\ndef estimate(state):\n    return {value}\n")
    rules = game("tictactoe")
    found = algorithm(str(path)).player(rules).choose(rules.start(), SearchLimits(depth=3))
    assert (found.value, found.depth, found.exact) == (value, 3, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def search(): pass", "defines none of the functions alphabeta, "),
        ("1 +", "line 1: invalid syntax"),
        ("1 / 0", "line 1: ZeroDivisionError: division by zero"),
    ],
)
def test_a_file_that_cannot_be_used(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(OptionError, match=told):
        algorithm(str(path))


def test_no_file() -> None:
    with pytest.raises(OptionError, match="No such file or directory"):
        algorithm("missing.py")


def test_a_search_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def minimax(state, depth, estimate):\n    return state.play('x'), 1\n")
    rules = game("tree")
    player = algorithm(str(path)).player(rules)
    with pytest.raises(NotApplicableError, match=r"line 2: ValueError: play\('x'\): not a legal move"):
        player.choose(rules.start(), SearchLimits(depth=1))


@pytest.mark.parametrize("asks", ["", "state.moves(); "])
def test_an_illegal_move_is_refused(asks: str, tmp_path: Path) -> None:
    """A full column; compiled rules do not check what is played."""
    path = tmp_path / "mine.py"
    path.write_text(
        f"def minimax(state, depth, estimate):\n    {asks}state.play(1); return state.play(0), 1\n"
    )
    rules = game("connectfour")
    state = rules.start()
    for _ in range(6):
        state = state.play(0)
    with pytest.raises(NotApplicableError, match=r"line 2: ValueError: play\(0\): not a legal move"):
        algorithm(str(path)).player(rules).choose(state, SearchLimits(depth=1))
