"""The textbook as players: deepening, the hooks of alpha-beta, sampling, equities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.games.catalogue import game
from engine.games.players import Player, textbook
from engine.games.players.solvers import packed
from engine.games.players.textbook import with_equities
from engine.games.rules.backgammon import BackgammonGame
from engine.games.rules.focus import FocusGame
from engine.games.rules.game import OVER, Game
from engine.games.rules.othello import OthelloGame
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame
from engine.games.rules.virus import VirusGame
from engine.games.search.basics import SearchLimits
from engine.games.search.endgame_table import make_table
from engine.games.search.iterative_deepening import USUAL
from engine.games.search.monte_carlo import random_playout
from engine.games.searchers import SEARCHERS, OptionError, player


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bestreply", {}),
        ("threat-ads", {}),
        ("threat-ads", {"rule": "transposition"}),
        ("bestreply", {"depth": "2"}),
    ],
)
@pytest.mark.parametrize(
    ("game", "size"), [(VirusGame(players=4), 5), (FocusGame(players=3), None), (OthelloGame(), 6)]
)
def test_twin_plays_the_game_of_its_textbook(
    name: str, options: dict[str, str], game: Any, size: int | None
) -> None:
    """With the same values and counts; each deepens, and keeps its list, by itself."""
    textbook, twin = (player(game, each, options=options) for each in (name, f"{name}-fast"))
    state = game.start(size)
    for _ in range(8):
        expected, found = (each.choose(state, SearchLimits(depth=2, nodes=400)) for each in (textbook, twin))
        assert (found.move, found.value, found.depth) == (expected.move, expected.value, expected.depth)
        assert found.counts == expected.counts
        state = state.play(found.move)


@pytest.mark.parametrize("name", ["minimax", "alphabeta", "enhanced", "expectiminimax", "maxn"])
def test_small_game_is_searched_to_its_end(name: str) -> None:
    game = TicTacToeGame()
    decision = player(game, name).choose(game.start(), SearchLimits())
    assert (decision.value, decision.depth, decision.exact) == (0, 9, True)
    assert decision.last_depth is not None
    assert decision.counts.visited > decision.last_depth.visited
    if name in {"minimax", "maxn"}:
        assert decision.last_depth.visited == 549_946
        assert decision.limits == SearchLimits()


@pytest.mark.parametrize("limits", [SearchLimits(nodes=2_000), SearchLimits(depth=4)])
def test_limits_hold_in_a_small_game_too(limits: SearchLimits) -> None:
    game = TicTacToeGame()
    decision = player(game, "minimax").choose(game.start(), limits)
    assert (decision.exact, decision.limits) == (False, limits)
    assert limits.nodes in {None, decision.counts.visited}
    assert limits.depth in {None, decision.depth}


def test_a_certain_win_ends_the_search_of_a_built_in_game() -> None:
    rules = game("tictactoe", board="XX./OO./...")
    decision = player(rules, "alphabeta").choose(rules.start(), SearchLimits(depth=5))
    assert (decision.value, decision.depth, decision.exact) == (1, 1, True)


def test_a_limit_of_nodes_holds_for_random_games_without_a_tree() -> None:
    rules = game("tictactoe")
    sampler = player(rules, "montecarlo", options={"games": "1000"})
    assert 0 < sampler.choose(rules.start(), SearchLimits(nodes=50)).counts.playouts <= 50
    both = sampler.choose(rules.start(), SearchLimits(nodes=50, playouts=30))
    assert both.counts.playouts == 30


def test_small_game_that_is_too_large_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textbook, "WHOLE", 1_000)
    game = TicTacToeGame()
    decision = player(game, "minimax").choose(game.start(), SearchLimits())
    assert (decision.exact, decision.limits) == (False, USUAL)
    assert decision.counts.visited == 1_000 + (USUAL.nodes or 0)
    assert decision.depth > 1


@pytest.mark.parametrize("roll", ["31", "61", "13"])
def test_what_moves_of_backgammon_are_worth(roll: str) -> None:
    """The mean over all rolls of the best reply; the roll 13 is the other player's 31."""
    game = BackgammonGame()
    state = game.start().play(game.parse(game.start(), roll))
    me = state.player
    decision = player(game, "expectiminimax").choose(state, SearchLimits(depth=2))
    found = with_equities(game, state, decision)
    assert [each.mean for each in found.tried] == sorted((each.mean for each in found.tried), reverse=True)
    assert {each.move for each in found.tried} >= {decision.move}
    assert len(found.tried) == min(10, len(state.moves()))
    for each in found.tried[:3]:
        after = state.play(each.move)
        rolled = [(after.play(outcome), share) for outcome, share in after.chances()]
        replies = [
            min(game.estimate(theirs.play(reply))[me] for reply in theirs.moves()) * share
            for theirs, share in rolled
        ]
        assert each.mean == pytest.approx(sum(replies))
    assert found.tried[0].mean == pytest.approx(decision.value)


def test_without_dice_only_the_best_move_is_worth_a_number() -> None:
    game = TicTacToeGame()
    decision = player(game, "minimax").choose(game.start(), SearchLimits(depth=2))
    assert with_equities(game, game.start(), decision) is decision
    tree = TreeGame(tree="min([0.5:1,0.5:4], 2, max(0,3))")
    decision = player(tree, "expectiminimax").choose(tree.start(), SearchLimits())
    found = with_equities(tree, tree.start(), decision)
    assert [(each.move, each.mean) for each in found.tried] == [(1, -2), (0, -2.5), (2, -3)]


ALPHABETA = SEARCHERS["alphabeta"]


def alphabeta_player(rules: Game[Any], **options: str) -> Player:
    return ALPHABETA.player(rules, 0, options)


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
    state, mover = rules.start(), alphabeta_player(rules, look_up=three_men, depth="1")
    table = make_table(rules.endings("2" if is_pure else "KRK"))
    verdict = table.verdict(state)
    assert verdict is not None
    for _ in range(verdict.plies):
        decision = mover.choose(state, SearchLimits())
        assert decision.exact
        assert decision.value == (1 if verdict.winner == state.player else -1)
        state = state.play(decision.move)
    assert state.player == OVER


def test_a_theory_wins_what_is_too_large_to_search() -> None:
    rules = game("nim", piles="50,49")
    state, mover = rules.start(), alphabeta_player(rules, look_up="theory")
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
    plain = alphabeta_player(rules, depth="1").choose(state, SearchLimits())
    assert rules.text(state, plain.move) == "d2d5"
    hooked = alphabeta_player(rules, depth="1", **hook).choose(state, SearchLimits())
    assert rules.text(state, hooked.move) != "d2d5"


def test_forced_moves_cost_no_depth() -> None:
    rules = game("tree", tree="(((((7)))), 3)")
    plain = alphabeta_player(rules, depth="2").choose(rules.start(), SearchLimits())
    forced = alphabeta_player(rules, depth="2", extend="forced").choose(rules.start(), SearchLimits())
    assert (len(plain.line), len(forced.line)) == (2, 5)


def test_random_games_estimate_what_lies_behind_the_horizon() -> None:
    rules = game("tictactoe", board=".../.../...")
    state = rules.start()
    decision = alphabeta_player(rules, depth="1", random_games="20").choose(state, SearchLimits())
    means = [
        sum(random_playout(state.play(move), seed)[0] for seed in range(20)) / 21 for move in state.moves()
    ]
    assert decision.value == pytest.approx(max(means))
    assert decision.counts.playouts == 180
    assert decision == replace(
        alphabeta_player(rules, depth="1", random_games="20").choose(state, SearchLimits()),
        seconds=decision.seconds,
    )


def test_random_games_that_are_all_won_are_no_proof() -> None:
    rules = game("nim", piles="5")
    decision = alphabeta_player(rules, depth="1", random_games="1").choose(rules.start(), SearchLimits())
    assert (decision.value, decision.exact) == (0.5, False)
    proved = alphabeta_player(rules, depth="9", random_games="1").choose(rules.start(), SearchLimits())
    assert (proved.value, proved.exact, proved.counts.playouts) == (1, True, 0)


def test_errors(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(OptionError, match="x: not an endgame table"):
        alphabeta_player(game("chess"), look_up=str(tmp_path / "x"))
    with pytest.raises(OptionError, match="No such file"):
        alphabeta_player(game("chess"), look_up="nowhere")
    with pytest.raises(OptionError, match="no theory of Chess tells who wins"):
        alphabeta_player(game("chess"), look_up="theory")
    with pytest.raises(OptionError, match="extend must be one of none, forced, noisy, not 'all'"):
        alphabeta_player(game("chess"), extend="all")
