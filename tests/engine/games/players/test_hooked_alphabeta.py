"""The options `look_up`, `cut_off` and `extend` of alpha-beta."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from engine.games.catalogue import game
from engine.games.players.solvers import packed
from engine.games.rules.game import OVER
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.endgame_table import make_table
from engine.games.search.monte_carlo import random_playout
from engine.games.searchers import SEARCHERS, OptionError

if TYPE_CHECKING:
    from pathlib import Path

    from engine.games.players import Player
    from engine.games.rules.game import Game

ALPHABETA = SEARCHERS["alphabeta"]


def player(rules: Game[Any], **options: str) -> Player:
    return ALPHABETA.player(rules, 0, options)


def test_without_hooks_it_is_alphabeta() -> None:
    rules = game("connectfour")
    random, state = Random(1), rules.start()
    for _ in range(8):
        state = state.play(random.choice(state.moves()))
        meter = Meter()
        found = alphabeta(state, 3, rules.estimate, meter)
        decision = player(rules, depth="3").choose(state, SearchLimits())
        assert (decision.value, decision.line) == (found.value, found.line)
        assert decision.counts == meter.counts


@pytest.fixture(scope="module")
def three_men(tmp_path_factory: pytest.TempPathFactory, is_pure: bool) -> str:
    """The file of an endgame table: of chess with king and rook, in plain Python of checkers with two men."""
    rules, men = (game("checkers"), "2") if is_pure else (game("chess"), "KRK")
    path: Path = tmp_path_factory.mktemp("tables") / "Some.table"
    path.write_bytes(packed(rules, men, make_table(rules.endings(men))))
    return str(path)


def test_with_a_table_one_ply_is_enough_to_mate(three_men: str, is_pure: bool) -> None:
    fen = "W:WK5:BK4" if is_pure else "8/8/8/8/8/3k4/8/R3K3 w - -"
    rules = game("checkers" if is_pure else "chess", fen=fen)
    state, mover = rules.start(), player(rules, look_up=three_men, depth="1")
    table = make_table(rules.endings("2" if is_pure else "KRK"))
    verdict = table.verdict(state)
    assert verdict is not None
    for _ in range(verdict.plies):
        decision = mover.choose(state, SearchLimits())
        assert decision.exact
        assert decision.value == (1 if verdict.winner == state.player else -1)
        state = state.play(decision.move)
    assert state.player == OVER


def test_a_new_game_does_not_need_the_file_again(three_men: str, is_pure: bool, tmp_path: Path) -> None:
    copy = tmp_path / "copy.table"
    with open(three_men, "rb") as file:  # noqa: PTH123 - a name
        copy.write_bytes(file.read())
    mover = player(game("checkers" if is_pure else "chess"), look_up=str(copy))
    copy.unlink()
    mover.new_game()


def test_a_theory_wins_what_is_too_large_to_search() -> None:
    rules = game("nim", piles="50,49")
    state, mover = rules.start(), player(rules, look_up="theory")
    assert rules.known(state) == (1, -1)
    random = Random(2)
    while state.player != OVER:
        if state.player == 0:
            decision = mover.choose(state, SearchLimits())
            assert (decision.value, decision.depth, decision.exact) == (1, 1, True)
            state = state.play(decision.move)
        else:
            state = state.play(random.choice(state.moves()))
    assert state.payoff() == (1, -1)


@pytest.mark.parametrize("hook", [{"cut_off": "quiet"}, {"extend": "noisy"}])
def test_the_horizon(hook: dict[str, str]) -> None:
    """One ply deep the queen takes a pawn that a pawn protects."""
    rules = game("chess", fen="4k3/8/2p5/3p4/8/8/3Q4/4K3 w - -", judge="material")
    state = rules.start()
    plain = player(rules, depth="1").choose(state, SearchLimits())
    assert rules.text(state, plain.move) == "d2d5"
    hooked = player(rules, depth="1", **hook).choose(state, SearchLimits())
    assert rules.text(state, hooked.move) != "d2d5"


def test_forced_moves_cost_no_depth() -> None:
    rules = game("tree", tree="(((((7)))), 3)")
    plain = player(rules, depth="2").choose(rules.start(), SearchLimits())
    forced = player(rules, depth="2", extend="forced").choose(rules.start(), SearchLimits())
    assert (len(plain.line), len(forced.line)) == (2, 5)


def test_random_games_estimate_what_lies_behind_the_horizon() -> None:
    rules = game("tictactoe", board=".../.../...")
    state = rules.start()
    decision = player(rules, depth="1", random_games="20").choose(state, SearchLimits())
    means = [
        sum(random_playout(state.play(move), seed)[0] for seed in range(20)) / 21 for move in state.moves()
    ]
    assert decision.value == pytest.approx(max(means))
    assert decision.counts.playouts == 180
    assert decision == replace(
        player(rules, depth="1", random_games="20").choose(state, SearchLimits()), seconds=decision.seconds
    )


def test_random_games_that_are_all_won_are_no_proof() -> None:
    rules = game("nim", piles="5")
    decision = player(rules, depth="1", random_games="1").choose(rules.start(), SearchLimits())
    assert (decision.value, decision.exact) == (0.5, False)
    proved = player(rules, depth="9", random_games="1").choose(rules.start(), SearchLimits())
    assert (proved.value, proved.exact, proved.counts.playouts) == (1, True, 0)


def test_errors(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(OptionError, match="x: not an endgame table"):
        player(game("chess"), look_up=str(tmp_path / "x"))
    with pytest.raises(OptionError, match="No such file"):
        player(game("chess"), look_up="nowhere")
    with pytest.raises(OptionError, match="no theory of Chess tells who wins"):
        player(game("chess"), look_up="theory")
    with pytest.raises(OptionError, match="extend must be one of none, forced, noisy, not 'all'"):
        player(game("chess"), extend="all")
