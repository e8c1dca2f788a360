from math import inf

import pytest

from engine.games.rules.connectfour import ConnectFour
from engine.games.rules.game import OVER, NotApplicableError
from engine.games.search.basics import Meter
from engine.games.search.best_reply import InTurn, best_reply
from engine.games.search.paranoid import paranoid
from engine.games.search.threat_ads import RULES, MoveToFront, Transposition, threat_ads
from tests.engine.games.search.random_games import RandomState, Rules, estimate


def by_definition(state: RandomState, depth: int, me: int, *, mine: bool = True) -> float:
    if depth == 0 or state.player == OVER:
        return state.estimate()[me]
    if mine:
        moves = [] if me in state.out else state.turn(me).moves()
        if not moves:
            return state.estimate()[me]
        return max(by_definition(state.turn(me).play(move), depth - 1, me, mine=False) for move in moves)
    values = [inf]
    for player in range(state.rules.players):
        if player != me and player not in state.out:
            theirs = state.turn(player)
            values += [by_definition(theirs.play(move), depth - 1, me) for move in theirs.moves()]
    return min(values) if len(values) > 1 else by_definition(state, depth - 1, me)


def games(players: int, count: int) -> list[RandomState]:
    """Some where players drop out, some where they do not; some where one cannot move, or many are equal."""
    return [
        RandomState(
            Rules(
                seed,
                players,
                plies=5,
                most_moves=3,
                eliminating=seed % 3 * 10,
                immobile=seed % 4 * 20 * (players > 2),
                coarse=seed % 2 == 0,
            )
        )
        for seed in range(count)
    ]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_value_is_that_of_a_search_by_definition(players: int) -> None:
    for state in games(players, 40):
        meter = Meter()
        found = best_reply(state, 4, estimate, meter, InTurn(0, players))
        assert found.value == by_definition(state, 4, 0)
        assert meter.visited == meter.expanded + meter.leaves


def test_with_two_players_it_is_alpha_beta() -> None:
    for seed in range(100):
        state = RandomState(Rules(seed, 2))
        ours, peer = Meter(), Meter()
        found = best_reply(state, 5, estimate, ours, InTurn(0, 2))
        assert found == paranoid(state, 5, estimate, peer)
        assert ours.counts == peer.counts


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("players", [3, 5])
def test_threat_ads_changes_neither_value_nor_move(players: int, rule: str) -> None:
    differ = 0
    for state in games(players, 40):
        threats = RULES[rule](0, players)
        plain, adaptive = Meter(), Meter()
        found = threat_ads(state, 5, estimate, adaptive, threats)
        same = best_reply(state, 5, estimate, plain, InTurn(0, players))
        assert (found.value, found.line[:1]) == (same.value, same.line[:1])
        assert sorted(threats) == list(range(1, players))
        differ += adaptive.visited != plain.visited
    assert differ > 0


def test_line_can_be_played_in_the_order_of_turns() -> None:
    longer = 0
    for state in games(3, 100):
        after = state
        line = best_reply(state, 5, estimate, Meter(), InTurn(0, 3)).line
        for move in line:
            assert move in after.moves()
            after = after.play(move)
        longer += len(line) > 1
    assert longer > 0


def test_searching_player_need_not_be_the_first() -> None:
    for state in games(4, 40):
        second = RandomState(state.rules, 1)
        assert best_reply(second, 4, estimate, Meter(), InTurn(1, 4)).value == by_definition(second, 4, 1)


@pytest.mark.parametrize(
    ("threats", "order"),
    [(MoveToFront(0, 5), [3, 1, 2, 4]), (Transposition(0, 5), [1, 3, 2, 4]), (InTurn(0, 5), [1, 2, 3, 4])],
)
def test_who_is_blamed_moves_forward_by_the_rule(threats: InTurn, order: list[int]) -> None:
    threats.blame(3)
    assert list(threats) == order
    threats.blame(order[0])
    assert list(threats) == order


def test_game_whose_turns_belong_to_the_position_is_refused() -> None:
    with pytest.raises(NotApplicableError):
        best_reply(ConnectFour(), 3, estimate, Meter(), InTurn(0, 2))
