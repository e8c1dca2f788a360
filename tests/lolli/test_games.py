"""The other games from Python: every game and searcher, known results, errors, and the public names."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.board.position import COMPILED
from engine.games.catalogue import GAMES
from engine.games.searchers import SEARCHERS
from lolli import games
from lolli.games import Found, GameError
from tests.compiled import ROOT

SMALL = {"nodes": 200, "playouts": 20}


def test_all_games_and_searchers_are_there() -> None:
    assert games.names() == (*GAMES,)
    assert games.searchers() == (*SEARCHERS,)


@pytest.mark.parametrize("name", GAMES)
def test_a_game(name: str) -> None:
    """It begins, is shown, and goes on; all its searchers that can play it find a legal move."""
    state = games.new(name)
    assert state.game == name
    assert str(state)
    assert "to move" in repr(state)
    while state.is_chance:
        odds = state.chances()
        assert sum(odds.values()) == pytest.approx(1)
        assert [*odds] == state.moves()
        state = state.play(next(iter(odds)))
    assert state.player in range(state.players)
    assert len(state.estimate) == state.players
    assert state.play(state.moves()[0]) != state == state.play()
    assert hash(state) == hash(games.new(name)) or name == "backgammon"
    for searcher in games.searchers(state)[: None if COMPILED else 2]:
        depth = 1 if "depth" in games.options(state, searcher) else None
        found = games.search(state, searcher, depth=depth, **SMALL)
        assert found.move in state.moves(), searcher
        assert found.line[0] == found.move
        assert found.seconds >= 0


def test_tictactoe_is_a_draw() -> None:
    found = games.search(games.new("tictactoe"), "lookup")
    assert found.value == 0
    state = games.new("tictactoe").play("B2", "A1", "B3")
    lost = games.search(state.play("A3"), "alphabeta")
    assert (lost.value, lost.exact, lost.move) == (1, True, "B1")
    over = state.play("A3", "B1")
    assert over.is_over
    assert over.player is None
    assert over.payoffs == over.estimate == (1, -1)
    assert repr(over).endswith("over, 1, -1>")
    assert over.moves() == []


def test_the_trees_of_the_lecture() -> None:
    state = games.new("tree lecture")
    found = games.search(state, "minimax", fixed_depth=2)
    assert (found.value, found.leaves) == (3, 9)
    assert games.search(state, "alphabeta", fixed_depth=2).leaves == 7
    text = "((3,12,8),(2,4,6),(14,5,2))"
    written = games.new("tree", tree=text)
    assert str(written) == str(state)
    assert games.new("tree", tree=text) == written != state, "the option was given in another way"
    assert games.new("tree", tree="[[3,12,8],[2,4,6],[14,5,2]]").is_chance


def test_sampling_tells_what_it_has_tried() -> None:
    found = games.search(games.new("connectfour"), "uct", playouts=50, seed=1, exploration=0.7)
    assert found.playouts == 50
    assert sum(tried.visits for tried in found.tried) == 50
    assert found.tried[0].move == found.move
    again = games.search(games.new("connectfour"), "uct", playouts=50, seed=1, exploration=0.7)
    assert (again.move, again.tried) == (found.move, found.tried)


def test_a_searcher_keeps_what_it_has_learned() -> None:
    state = games.new("othello")
    searcher = games.Searcher(state, "uct-fast", seed=1)
    first = searcher.search(state, playouts=500)
    after = state.play(*first.line[:2])
    kept = searcher.search(after, playouts=500)
    searcher.new_game()
    anew = searcher.search(after, playouts=500)
    assert sum(each.visits for each in kept.tried) > sum(each.visits for each in anew.tried)
    assert isinstance(searcher.search(games.new("othello"), playouts=10), Found)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: games.new("monopoly"), "unknown game 'monopoly'"),
        (lambda: games.new("othello", komi=1), "unknown option 'komi' of othello"),
        (lambda: games.new("nim", players=9), "for 2 players"),
        (lambda: games.new("othello").play("A1"), "'A1' is not a legal move"),
        (lambda: games.new("othello").payoffs, "the game is not over"),
        (lambda: games.new("othello").chances(), "chance is not to move"),
        (lambda: games.search(games.new("othello"), "deepblue"), "unknown searcher 'deepblue'"),
        (lambda: games.search(games.new("othello"), "level99"), "unknown level 'level99'"),
        (lambda: games.search(games.new("backgammon"), "uct"), "no player is to move"),
        (lambda: games.search(games.new("othello"), "uct", nope=1), "unknown option 'nope'"),
        (lambda: games.search(games.new("othello"), "uct", playouts=0), "limits must be above 0"),
        (
            lambda: games.Searcher(games.new("othello"), "random").search(games.new("tictactoe")),
            "for another game",
        ),
    ],
)
def test_errors(call: object, message: str) -> None:
    with pytest.raises(GameError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.parametrize("name", ["uct-fast", "puct-fast"])
def test_ctrl_c_ends_a_search_and_leaves_the_searcher_usable(name: str) -> None:
    code = f"""
from lolli import games
searcher, state = games.Searcher(games.new("connectfour"), "{name}"), games.new("connectfour")
try:
    print("ready", flush=True)
    searcher.search(state, seconds=1000)
except KeyboardInterrupt:
    print(searcher.search(state, playouts=500).playouts)
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "500\n"


def test_a_file_may_be_called_like_a_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "levels.py").write_text(
        "def minimax(state, depth, estimate):\n    return 0, state.moves()[0]\n"
    )
    monkeypatch.chdir(tmp_path)
    state = games.new("tictactoe")
    assert games.search(state, "levels.py", depth=1).move == state.moves()[0]


def test_a_file_without_a_search_is_an_error(tmp_path: Path) -> None:
    state = games.new("tictactoe")
    for call in (games.options, games.search, games.Searcher):
        with pytest.raises(GameError, match="No such file or directory"):
            call(state, str(tmp_path / "missing.py"))
    (tmp_path / "mine.py").write_text("def minimax(state, depth, estimate):\n    return None\n")
    with pytest.raises(GameError, match="minimax returned None: expected value, move"):
        games.search(state, str(tmp_path / "mine.py"), depth=1)


@pytest.mark.parametrize(("name", "players"), [("Tic-Tac-Toe", None), ("tictactoe", 2), ("TicTacToe", 2)])
def test_a_game_is_the_same_however_its_name_was_typed(name: str, players: int | None) -> None:
    state, same = games.new("tictactoe"), games.new(name, players=players)
    assert state == same
    assert hash(state) == hash(same)
    assert games.Searcher(same, "random").search(state).move in state.moves()


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"depth": 1.5}, "depth must be a whole number, not 1.5"),
        ({"nodes": "3"}, "nodes must be a whole number, not '3'"),
        ({"playouts": [1]}, "playouts must be a whole number, not [1]"),
        ({"seconds": "soon"}, "seconds must be a number, not 'soon'"),
    ],
)
def test_limits_that_are_not_numbers(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError) as raised:
        games.search(games.new("tictactoe"), "alphabeta", **limits)
    assert str(raised.value) == message
