from typing import Any

import pytest

from engine.games.players import deepening_player
from engine.games.players.searcher_options import OptionError
from engine.games.players.searchers import SEARCHERS, player
from engine.games.rules.focus import FocusGame
from engine.games.rules.othello import OthelloGame
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.rules.tree import TreeGame
from engine.games.rules.virus import VirusGame
from engine.games.textbook.best_reply import InTurn, best_reply
from engine.games.textbook.search import Meter, SearchLimits
from tests.engine.games.textbook.random_games import RandomState, Rules, estimate


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
    monkeypatch.setattr(deepening_player, "BestReplySearch", None)
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
    seen = player(VirusGame(), "bestreply").choose(VirusGame().position(rows), SearchLimits(seconds=5))
    assert (seen.value, seen.depth, seen.exact) == (1, 1, False)


def test_two_players_who_read_the_whole_game_draw_tictactoe() -> None:
    game = TicTacToeGame()
    state = game.start()
    for move in ("B2", "B1"):  # a side loses
        state = state.play(game.parse(state, move))
    decision = player(game, "threat-ads").choose(state, SearchLimits(nodes=100_000))
    assert decision.value == 1


def test_says_why_not() -> None:
    reason = SEARCHERS["bestreply"].obstacle(TreeGame())
    assert reason is not None
    assert "turn" in reason
    with pytest.raises(OptionError):
        player(VirusGame(players=3), "threat-ads", options={"rule": "luck"})
