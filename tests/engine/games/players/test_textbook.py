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
from engine.games.rules.nim import NimGame
from engine.games.rules.othello import OthelloGame
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame
from engine.games.rules.virus import VirusGame
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.endgame_table import make_table
from engine.games.search.iterative_deepening import USUAL
from engine.games.search.monte_carlo import random_playout
from engine.games.searchers import SEARCHERS, OptionError, player
from tests.engine.games.search.fours import after
from tests.engine.games.search.random_games import RandomState, Rules, estimate


class RandomGame:
    def __init__(self, seed: int) -> None:
        self.players = 3
        self.zero_sum = True
        self.chance = False
        self.payoffs = (-2.0, 2.0)
        self.advice: dict[str, dict[str, str]] = {}
        self.rules = Rules(seed, 3)
        self.estimate = estimate

    def start(self) -> RandomState:
        return RandomState(self.rules)

    def plies_to_end(self, state: RandomState) -> None:
        del state


@pytest.mark.parametrize(
    "name", ["maxn", "paranoid", "bestreply", "bestreply-fast", "threat-ads", "threat-ads-fast"]
)
def test_plays_games_of_several_players_to_their_end(name: str) -> None:
    game = VirusGame(players=3)
    state = game.start(5)
    players = [player(game, name) for _ in range(3)]
    for _ in range(40):
        decision = players[state.player].choose(state, SearchLimits(depth=2))
        assert decision.move in state.moves()
        assert decision.depth == 2
        assert decision.counts.visited > 0
        assert not decision.exact
        state = state.play(decision.move)
        if state.player < 0:
            break


@pytest.mark.parametrize("options", [{}, {"rule": "transposition"}])
def test_threat_ads_is_best_reply_search(options: dict[str, str]) -> None:
    virus = VirusGame(players=4)
    games: list[tuple[Any, Any]] = [(virus, virus.start(6)), (RandomGame(1), RandomGame(1).start())]
    for rules, state in games:
        decision = player(rules, "threat-ads", options=options).choose(state, SearchLimits(depth=3))
        expected = best_reply(state, 3, estimate, Meter(), InTurn(0, rules.players))
        assert (decision.move, decision.value) == (expected.line[0], expected.value)


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


def test_textbook_runs_where_there_is_a_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A searcher without `-fast` never comes near the compiled search."""
    monkeypatch.setattr(textbook, "BestReplySearch", None)
    game = VirusGame(players=3)
    for name in ("bestreply", "threat-ads"):
        assert player(game, name).choose(game.start(5), SearchLimits(depth=1)).depth == 1
    with pytest.raises(TypeError):
        player(game, "bestreply-fast").choose(game.start(5), SearchLimits(depth=1))


def test_game_that_is_seen_to_its_end_is_searched_no_deeper() -> None:
    game: Any = RandomGame(2)
    decision = player(game, "bestreply").choose(game.start(), SearchLimits(nodes=1_000_000))
    assert decision.depth <= Rules(2, 3).plies + 1
    rows = ["11111", "11111", "11111", "11111", "11112"]
    seen = player(VirusGame(), "bestreply").choose(VirusGame().position(rows), SearchLimits(seconds=1000))
    assert (seen.value, seen.depth, seen.exact) == (1, 1, False)


def test_two_players_who_read_the_whole_game_draw_tictactoe() -> None:
    game = TicTacToeGame()
    state = game.start()
    for move in ("B2", "B1"):  # a side loses
        state = state.play(game.parse(state, move))
    decision = player(game, "threat-ads").choose(state, SearchLimits(nodes=100_000))
    assert decision.value == 1


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


def test_shortest_win_of_a_small_game_comes_first() -> None:
    won = TicTacToeGame(board="O.X/.X./..O")
    decision = player(won, "minimax").choose(won.start(), SearchLimits())
    assert (won.text(won.start(), decision.move), decision.depth) == ("A1", 1)


def test_pile_of_20_is_lost() -> None:
    game = NimGame()
    decision = player(game, "alphabeta").choose(game.start(20), SearchLimits())
    assert (decision.value, decision.exact) == (-1, True)


@pytest.mark.parametrize("limits", [SearchLimits(nodes=2_000), SearchLimits(depth=4)])
def test_limits_hold_in_a_small_game_too(limits: SearchLimits) -> None:
    game = TicTacToeGame()
    decision = player(game, "minimax").choose(game.start(), limits)
    assert (decision.exact, decision.limits) == (False, limits)
    assert limits.nodes in {None, decision.counts.visited}
    assert limits.depth in {None, decision.depth}


def test_small_game_that_is_too_large_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textbook, "WHOLE", 1_000)
    game = TicTacToeGame()
    decision = player(game, "minimax").choose(game.start(), SearchLimits())
    assert (decision.exact, decision.limits) == (False, USUAL)
    assert decision.counts.visited == 1_000 + (USUAL.nodes or 0)
    assert decision.depth > 1


def test_counts_of_the_last_depth_and_of_all() -> None:
    game = NimGame()
    start = game.start(21)
    assert game.plies_to_end(start) is None
    decision = player(game, "minimax").choose(start, SearchLimits(depth=3))
    depths = [player(game, "minimax", options={"depth": str(depth)}) for depth in (1, 2, 3)]
    first, second, third = [search.choose(start, SearchLimits()).counts for search in depths]
    assert (decision.last_depth, decision.counts) == (third, first + second + third)


def test_says_why_not() -> None:
    reason = SEARCHERS["bestreply"].obstacle(TreeGame())
    assert reason is not None
    assert "turn" in reason
    with pytest.raises(OptionError):
        player(VirusGame(players=3), "threat-ads", options={"rule": "luck"})


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


def test_without_hooks_it_is_alphabeta() -> None:
    rules = game("connectfour")
    random, state = Random(1), rules.start()
    for _ in range(8):
        state = state.play(random.choice(state.moves()))
        meter = Meter()
        found = alphabeta(state, 3, rules.estimate, meter)
        decision = alphabeta_player(rules, depth="3").choose(state, SearchLimits())
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


def test_a_new_game_does_not_need_the_file_again(three_men: str, is_pure: bool, tmp_path: Path) -> None:
    copy = tmp_path / "copy.table"
    with open(three_men, "rb") as file:  # noqa: PTH123 - a name
        copy.write_bytes(file.read())
    mover = alphabeta_player(game("checkers" if is_pure else "chess"), look_up=str(copy))
    copy.unlink()
    mover.new_game()


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


@pytest.mark.parametrize("name", ["montecarlo", "uct", "uct-fast"])
def test_as_players(name: str) -> None:
    connect_four = game("connectfour")
    first, second = player(connect_four, name, seed=5), player(connect_four, name, seed=5)
    state = connect_four.start()
    limits = SearchLimits(playouts=60)
    assert first.choose(state, limits).tried == second.choose(state, limits).tried
    assert first.choose(state, limits).counts.playouts == 60
    for few in (0, 1):
        assert first.choose(state, SearchLimits(playouts=few)).move in state.moves()
    assert first.choose(state, SearchLimits(seconds=0)).move in state.moves()
    assert first.choose(state, SearchLimits(seconds=0.05)).seconds < 60


@pytest.mark.parametrize(
    ("name", "option", "number"),
    [("montecarlo", "games", 7 * 3), ("uct", "playouts", 3), ("uct-fast", "playouts", 3)],
)
def test_own_number_of_playouts_where_there_is_no_limit(name: str, option: str, number: int) -> None:
    connect_four = game("connectfour")
    someone = player(connect_four, name, options={option: "3"})
    for limits in (SearchLimits(), SearchLimits(depth=4)):
        assert someone.choose(connect_four.start(), limits).counts.playouts == number


def test_options_of_the_compiled_one() -> None:
    options = {"rave": "300", "expand_after": "2", "solver": "false", "final": "rate", "megabytes": "8"}
    someone = player(game("connectfour"), "uct-fast", options=options)
    decision = someone.choose(after(""), SearchLimits(playouts=500))
    assert decision.value == max(tried.mean for tried in decision.tried)
