"""The registry: every searcher plays every game that it can, or says why it cannot; and its options."""

from __future__ import annotations

import subprocess
import sys
import threading
import tracemalloc
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.position import COMPILED
from engine.games.catalogue import game
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import SearchLimits
from engine.games.searchers import (
    SEARCHERS,
    Option,
    OptionError,
    Value,
    player,
    read_options,
    turns,
)
from tests.stopping import stopped

GAMES = {
    "tictactoe": game("tictactoe"),
    "nim": game("nim"),
    "tree": game("tree"),
    "chance": game("tree", tree="chance"),
    "animals": game("tree", tree="animals"),
    "unequal": game("tree", tree="((3/1, 2/2), (1/5, 0/0))"),
}


@pytest.mark.parametrize("limits", [SearchLimits(depth=1), SearchLimits(nodes=50), SearchLimits(playouts=20)])
@pytest.mark.parametrize("name", SEARCHERS)
def test_a_limit_that_means_nothing_to_a_searcher_leaves_it_its_own(name: str, limits: SearchLimits) -> None:
    """Such as `--playouts` for all players of a tournament: nobody may think for ever."""
    othello = game("othello")
    if SEARCHERS[name].obstacle(othello):
        pytest.skip("cannot play Othello")
    options = {"nodes": "1000"} if name in {"patterns", "solver"} else {}
    if name in {"puct", "puct-fast"}:
        options = {"playouts": "5"}  # in plain Python each takes a second
    asked = player(othello, name, options=options)
    begun, watch = monotonic(), threading.Timer(100, asked.stop)
    watch.start()
    try:
        assert asked.choose(othello.start(), limits).move in othello.start().moves()
    finally:
        watch.cancel()
    assert monotonic() - begun < 100


@pytest.mark.parametrize("name", SEARCHERS)
@pytest.mark.parametrize("played", GAMES)
def test_a_whole_game_or_a_reason(name: str, played: str) -> None:
    searcher, chosen = SEARCHERS[name], GAMES[played]
    reason = searcher.obstacle(chosen)
    if reason is not None:
        assert "\n" not in reason
        with pytest.raises(NotApplicableError, match=reason):
            searcher.player(chosen)
        return
    playing, state = searcher.player(chosen, seed=1), chosen.start()
    while state.player >= 0:
        decision = playing.choose(state, SearchLimits(depth=3, playouts=50, nodes=2_000))
        assert decision.move in state.moves()
        state = state.play(decision.move)
    playing.new_game()
    assert playing.choose(chosen.start(), SearchLimits(depth=1, playouts=10)).move in chosen.start().moves()


def test_who_can_play_what() -> None:
    two = {"random", "minimax", "alphabeta", "enhanced", "expectiminimax"}
    assert {name for name in two if SEARCHERS[name].obstacle(GAMES["nim"]) is None} == two
    for played in ("animals", "unequal"):
        assert {name for name in two if SEARCHERS[name].obstacle(GAMES[played]) is None} == {"random"}
    can = {name for name in two if SEARCHERS[name].obstacle(GAMES["chance"]) is None}
    assert can == {"random", "expectiminimax"}
    assert SEARCHERS["lookup"].obstacle(game("nim", piles="50,49,48")) is not None
    assert turns(GAMES["tictactoe"]) is None
    assert turns(GAMES["tree"]) is not None


@pytest.mark.parametrize(
    ("name", "options"), [("paranoid", {}), ("expectiminimax", {"pruning": "reset"}), ("maxn", {})]
)
def test_as_deep_as_can_be_asked_for(name: str, options: dict[str, str]) -> None:
    backgammon = game("backgammon")
    state = backgammon.start()
    while state.player < 0:
        state = state.play(state.moves()[0])
    (deepest,) = (str(option.most) for option in SEARCHERS[name].options if option.name == "depth")
    decision = player(backgammon, name, options={"depth": deepest, **options}).choose(
        state, SearchLimits(nodes=2_000)
    )
    assert decision.counts.visited == 2_000


def test_twins_are_named_after_their_textbook() -> None:
    twins = [name for name in SEARCHERS if name.endswith("-fast")]
    assert twins == ["bestreply-fast", "threat-ads-fast", "uct-fast", "puct-fast"]
    for name in twins:
        textbook = name.removesuffix("-fast")
        assert f"compiled twin of {textbook}" in SEARCHERS[name].summary
        for chosen in (*GAMES.values(), game("virus"), game("go"), game("backgammon")):
            assert (
                SEARCHERS[textbook].obstacle(chosen) is None or SEARCHERS[name].obstacle(chosen) is not None
            )


def test_the_same_seed_plays_the_same_game() -> None:
    def played(seed: int) -> list[int]:
        playing, state, moves = player(GAMES["tictactoe"], "random", seed), GAMES["tictactoe"].start(), []
        while state.player >= 0:
            moves.append(playing.choose(state, SearchLimits()).move)
            state = state.play(moves[-1])
        return moves

    assert played(7) == played(7)
    assert len({tuple(played(seed)) for seed in range(20)}) > 10


def test_stop_from_another_thread() -> None:
    playing = player(GAMES["tictactoe"], "minimax", options={"depth": "9"})
    with stopped(playing.stop):
        decision = playing.choose(GAMES["tictactoe"].start(), SearchLimits(seconds=1000))
    assert decision.move in GAMES["tictactoe"].start().moves()
    playing.stop()  # nothing is being chosen: it is lost
    assert playing.choose(GAMES["tictactoe"].position("XOX/.O./X.O"), SearchLimits()).exact  # type: ignore[attr-defined]


def test_the_table_loads_no_searcher() -> None:
    loaded = (
        "import sys, engine.games.searchers, engine.games.levels;"
        "print(*(name for name in sys.modules if name.startswith('engine.games.')))"
    )
    run = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    expected = ("levels", "rules", "rules.game", "rules.own", "search", "search.basics", "searchers")
    assert set(run.stdout.split()) <= {f"engine.games.{name}" for name in expected}


@pytest.mark.skipif(not COMPILED, reason="what an uncompiled state takes is not its own size")
def test_large_states_take_little_memory_until_they_are_too_many() -> None:
    tracemalloc.start()
    try:
        assert SEARCHERS["lookup"].obstacle(game("go")) is not None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100 << 20


OPTIONS = (
    Option("depth", 4, "plies", 1, 20),
    Option("exploration", 1.0, "c", 0, 10),
    Option("reuse", True, "the tree"),
    Option("rule", "visits", "the final move", choices=("visits", "rate")),
    Option("file", "none", "any name"),
)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("depth", "7", 7),
        ("Depth", " 20 ", 20),
        ("exploration", "0.5", 0.5),
        ("exploration", "2", 2.0),
        ("reuse", "false", False),
        ("reuse", "ON", True),
        ("rule", "Rate", "rate"),
        ("file", " My.Table ", "My.Table"),
    ],
)
def test_good_texts(name: str, text: str, value: Value) -> None:
    read = read_options(OPTIONS, {name: text})[name.lower()]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("depth", "0", "depth must be a whole number from 1 to 20, not '0'"),
        ("depth", "1.5", "whole number"),
        ("depth", "9" * 5_000, "whole number"),
        ("depth", "", "whole number"),
        ("exploration", "nan", "a number from 0 to 10"),
        ("exploration", "inf", "a number from 0 to 10"),
        ("reuse", "maybe", "reuse must be true or false, not 'maybe'"),
        ("rule", "best", "rule must be one of visits, rate, not 'best'"),
        ("file", " ", "file must be a name, not ''"),
        ("colour", "red", "unknown option 'colour'; known options: depth, exploration, reuse, rule, file"),
    ],
)
def test_bad_texts(name: str, text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message) as error:
        read_options(OPTIONS, {name: text})
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 150


@given(st.sampled_from(OPTIONS), st.text(max_size=20))
def test_no_text_does_anything_else(option: Option, text: str) -> None:
    try:
        value = option.read(text)
    except OptionError:
        return
    assert isinstance(value, type(option.default))
