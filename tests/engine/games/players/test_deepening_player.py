from typing import Any

import pytest

from engine.games.players import textbook
from engine.games.players.textbook import with_equities
from engine.games.rules.backgammon.game import BackgammonGame
from engine.games.rules.focus import FocusGame
from engine.games.rules.nim import NimGame
from engine.games.rules.othello import OthelloGame
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame
from engine.games.rules.virus import VirusGame
from engine.games.search.basics import Meter, SearchLimits
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.iterative_deepening import USUAL
from engine.games.searchers import SEARCHERS, OptionError, player
from tests.engine.games.search.random_games import RandomState, Rules, estimate


class RandomGame:
    """What the searchers need to know of the games that are drawn by lot."""

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
    for game, state in games:
        decision = player(game, "threat-ads", options=options).choose(state, SearchLimits(depth=3))
        expected = best_reply(state, 3, estimate, Meter(), InTurn(0, game.players))
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
