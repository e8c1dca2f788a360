from random import Random
from typing import Any

import pytest

from engine.games.fast.best_reply import RULES, BestReplySearch
from engine.games.rules.chinesecheckers import ChineseCheckersGame
from engine.games.rules.compiled_state import CompiledState
from engine.games.rules.connectfour import ConnectFour
from engine.games.rules.focus import FocusGame
from engine.games.rules.game import NotApplicableError
from engine.games.rules.virus import VirusGame
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.threat_ads import RULES as ADAPTIVE
from tests.engine.games.rules.drawn_go import drawn
from tests.engine.games.search.random_games import estimate

GAMES: dict[str, tuple[Any, int | None]] = {
    "Focus": (FocusGame(players=3), None),
    "Chinese Checkers": (ChineseCheckersGame(players=3), None),
    "two players": (VirusGame(players=2), 5),
    "four players": (VirusGame(players=4), 5),
    "six players": (VirusGame(players=6, pattern="square"), 6),
}


def readable(rule: str, searcher: int, players: int) -> InTurn:
    return ADAPTIVE.get(rule, InTurn)(searcher, players)


def played(state: CompiledState, plies: int, seed: int) -> CompiledState:
    lot = Random(seed)
    for _ in range(plies):
        after = state.play(lot.choice(state.moves()))
        if after.player < 0:
            break
        state = after
    return state


def test_two_passes_end_a_game_of_go_in_the_search_too() -> None:
    """Black needs no more moves, and may pass after White's pass."""
    state = drawn("XXXX.", "XXXXX", "XXXXX", "XXXXX", ".X.X.", komi=0.5)
    for depth in (1, 2, 3):
        mine, peer = Meter(), Meter()
        found = BestReplySearch(state).search(state, depth, mine)
        expected = best_reply(state, depth, estimate, peer, InTurn(state.player, 2))
        assert (found.value, found.line) == (expected.value, expected.line[:1])
        assert mine.counts == peer.counts


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", GAMES)
def test_values_moves_counts_and_lists_are_those_of_the_readable_searches(name: str, rule: str) -> None:
    game, size = GAMES[name]
    for seed in range(6):
        state = played(game.start(size), 4 + 8 * seed, seed)
        ours = BestReplySearch(state, rule)
        theirs = readable(rule, state.player, state.players)
        for depth in (0, 1, 2, 3) if size else (1, 2):  # with the same list all the time
            mine, peer = Meter(), Meter()
            found = ours.search(state, depth, mine)
            expected = best_reply(state, depth, estimate, peer, theirs)
            assert (found.value, found.line) == (expected.value, expected.line[:1])
            assert mine.counts == peer.counts
            assert ours.opponents() == tuple(theirs)


def test_deeper_and_with_players_dropping_out() -> None:
    rows = ["1112.", "11.22", "13...", "33..2", "4...."]
    state = VirusGame(players=4).position(rows)
    for rule in RULES:
        ours, theirs = BestReplySearch(state, rule), readable(rule, 0, 4)
        mine, peer = Meter(), Meter()
        found = ours.search(state, 4, mine)
        expected = best_reply(state, 4, estimate, peer, theirs)
        assert (found.value, found.line) == (expected.value, expected.line[:1])
        assert (mine.counts, ours.opponents()) == (peer.counts, tuple(theirs))


def test_limit_of_nodes_is_kept_and_the_search_can_be_used_again() -> None:
    state = VirusGame(players=4).start(8)
    search = BestReplySearch(state, "move-to-front")
    meter = Meter(SearchLimits(nodes=100))
    with pytest.raises(SearchStoppedError):
        search.search(state, 4, meter)
    assert meter.visited == 100
    assert search.search(state, 3, Meter()) == BestReplySearch(state).search(state, 3, Meter())


def test_other_player_is_not_searched_for() -> None:
    state = VirusGame(players=3).start(6)
    with pytest.raises(ValueError, match="for player 0, not 1"):
        BestReplySearch(state).search(state.play(state.moves()[0]), 1, Meter())


def test_game_whose_turns_belong_to_the_position_is_refused() -> None:
    with pytest.raises(NotApplicableError):
        BestReplySearch(ConnectFour())
