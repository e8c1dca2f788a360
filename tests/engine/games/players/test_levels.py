"""Levels: each game has some, and the stronger wins."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from engine.games.catalogue import game
from engine.games.levels import Level, levels
from engine.games.networks.network import COMPILED
from engine.games.rules.game import Game
from engine.games.search.basics import SearchLimits
from engine.games.searchers import SEARCHERS
from tests.engine.games.rules.test_own import STICKS

if TYPE_CHECKING:
    from pathlib import Path

TICTACTOE, NIM = game("tictactoe"), game("nim", piles="8,6")


@pytest.mark.parametrize(
    "chosen", [TICTACTOE, NIM, *(game("tree", tree=name) for name in ("lecture", "chance", "animals"))]
)
def test_every_game_has_levels_that_can_play_it(chosen: Game[Any]) -> None:
    ladder = levels(chosen)
    assert [level.number for level in ladder] == list(range(1, len(ladder) + 1))
    assert ladder[0].searcher == "random"
    for level in ladder:
        made = SEARCHERS[level.searcher].player(chosen, 0, level.options)
        assert made.choose(chosen.start(), level.limits).move in chosen.start().moves()
        assert level.limits != SearchLimits()
        assert level.limits.seconds is None


@pytest.mark.parametrize(("name", "players"), [("virus", 4), ("focus", 3), ("othello", 2)])
def test_levels_play_by_the_fast_twins(name: str, players: int) -> None:
    searchers = {level.searcher for level in levels(game(name, players))}
    assert searchers & {"bestreply-fast", "uct-fast"}
    assert not searchers & {"bestreply", "uct"}


@pytest.mark.skipif(not COMPILED, reason="networks are too slow in plain Python")
def test_a_network_plays_the_high_levels_on_the_board_that_it_has_learned_on() -> None:
    def of(name: str, **options: int) -> list[str]:
        return [level.searcher for level in levels(game(name, **options))]

    assert of("connectfour") == ["random", *["uct-fast"] * 4, *["puct-fast"] * 3]
    assert "puct-fast" not in of("connectfour", columns=4, rows=4) + of("othello") + of("go")


def looks_ahead(chosen: Game[Any]) -> bool:
    """Whether the highest level is more than Max-N one ply deep."""
    top = levels(chosen)[-1]
    return (top.searcher, top.limits) != ("maxn", SearchLimits(depth=1))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tree", {"tree": "coalition"}),
        ("focus", {"weights": "1,1,1"}),
        ("chinesecheckers", {"weights": "1,1"}),
    ],
)
def test_three_players_look_further_ahead_than_one_ply(name: str, options: dict[str, str]) -> None:
    assert looks_ahead(game(name, 3, **options))


def test_three_players_of_a_game_in_a_file_do_so_too(tmp_path: Path) -> None:
    text = STICKS.replace("1 - self.mover", "(self.mover + 1) % 3").replace("(1, -1)", "(1, -1, 0)")
    text = text.replace("(-1, 1) if", "(-1, 1, 0) if")
    (tmp_path / "sticks.py").write_text(f"{text}\nPLAYERS = 3\n")
    assert looks_ahead(game(str(tmp_path / "sticks.py")))


def test_a_tree_with_dice_is_solved_at_the_highest_level() -> None:
    rules = game("tree", tree="((([0,9],4),(1,8)),(([4,2],1),(7,0)))")
    top = levels(rules)[-1]
    found = SEARCHERS[top.searcher].player(rules, 0, top.options).choose(rules.start(), top.limits)
    assert (found.value, found.exact) == (4.5, True)


def won(chosen: Game[Any], stronger: Level, weaker: Level, games: int) -> float:
    """What the stronger one gets on average, from random openings, in turns first and second."""
    total = 0.0
    for i in range(games):
        state, random = chosen.start(), Random(i // 2)
        for _ in range(i // 2 % 2):
            state = state.play(random.choice(state.moves()))
        pair = (stronger, weaker) if i % 2 == 0 else (weaker, stronger)
        both = [SEARCHERS[level.searcher].player(chosen, i, level.options) for level in pair]
        while state.player >= 0:
            state = state.play(both[state.player].choose(state, pair[state.player].limits).move)
        total += state.payoff()[i % 2]
    return total / games


@pytest.mark.parametrize(("chosen", "least"), [(TICTACTOE, 0.3), (NIM, 0.3)])
def test_the_top_beats_the_bottom(chosen: Game[Any], least: float) -> None:
    ladder = levels(chosen)
    assert won(chosen, ladder[-1], ladder[0], 12) > least
