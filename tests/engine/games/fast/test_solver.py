"""Connect Four's solver: beside plain minimax, at boards with published values, as a player; its table."""

from __future__ import annotations

import random
from threading import Timer
from time import monotonic

import pytest

from engine.games.catalogue import game
from engine.games.fast.solver import Bounds, Solver
from engine.games.rules.connectfour import ConnectFour
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.games.searchers import SEARCHERS
from engine.system.memory import NoMemoryError
from tests.engine.games.search.plain_negamax import OVER, negamax
from tests.stopping import stopped


def sooner(state: ConnectFour, player: int) -> int:
    left = state.columns * state.rows - state.count
    return round(state.payoff()[player]) * (left // 2 + 1)


def sign(score: int) -> int:
    return (score > 0) - (score < 0)


def unfinished(start: ConnectFour, left: int, draws: random.Random) -> ConnectFour:
    while True:
        state = start
        while state.player >= 0 and state.columns * state.rows - state.count > left:
            state = state.play(draws.choice(state.moves()))
        if state.player >= 0:
            return state


@pytest.mark.parametrize(
    ("columns", "rows", "left", "count"), [(7, 6, 9, 30), (4, 4, 10, 30), (5, 4, 9, 20), (8, 7, 8, 10)]
)
def test_connect_four_is_solved_as_by_plain_minimax(columns: int, rows: int, left: int, count: int) -> None:
    draws = random.Random(columns)
    solver, known = Solver(ConnectFour(columns, rows), 256 if rows == 7 else 1), dict[ConnectFour, int]()
    for _ in range(count):
        state = unfinished(ConnectFour(columns, rows), left, draws)
        expected = negamax(state, sooner, known)
        assert solver.score(state, strong=False) == sign(expected)
        assert solver.score(state) == expected
        for strong in (False, True):
            end = state
            for move in solver.line(state, strong=strong):
                end = end.play(move)
            assert end.player == OVER
            reached = sooner(end, state.player)
            assert reached == expected if strong else sign(reached) == sign(expected)


def test_positions_told_apart_by_their_numbers() -> None:
    """The table may take two positions for one another only where they have the same value."""
    state = ConnectFour()
    mirrored = ConnectFour()
    for move in (3, 2, 2, 1, 1, 5, 1, 3, 3, 3, 3, 4, 4, 4, 6, 6):
        state, mirrored = state.play(move), mirrored.play(6 - move)
    solver = Solver(state, 1)
    solver.score(state, strong=False)
    before = solver.nodes
    assert before > 1000
    solver.score(mirrored, strong=False)
    assert solver.nodes == before  # known already


def test_a_finished_game_has_no_score_to_be_solved() -> None:
    state = ConnectFour()
    for move in (0, 1, 0, 1, 0, 1, 0):
        state = state.play(move)
    with pytest.raises(ValueError, match="the game is over"):
        Solver(state, 1).score(state)


@pytest.mark.parametrize(
    ("columns", "rows", "value"),
    [
        (4, 4, 0),
        (5, 4, 0),
        (4, 5, 0),
        (6, 4, -1),
        (5, 5, 0),
    ],
)
def test_small_boards_have_their_published_values(
    columns: int, rows: int, value: int, *, is_pure: bool
) -> None:
    """Tromp, "John's Connect Four Playground"; on six columns the second player's last man wins."""
    if is_pure:
        pytest.skip("takes long")
    state = ConnectFour(columns, rows)
    assert Solver(state).score(state) == value


def test_limits_and_stop_end_a_question() -> None:
    solver = Solver(ConnectFour(), 1)
    solver.begin(SearchLimits(nodes=5000))
    with pytest.raises(SearchStoppedError):
        solver.score(ConnectFour())
    assert 5000 <= solver.nodes <= 5001
    began = monotonic()
    solver.begin(SearchLimits(seconds=0.1))
    with pytest.raises(SearchStoppedError):
        solver.score(ConnectFour())
    solver.begin(SearchLimits())
    Timer(0.1, solver.stop).start()
    with pytest.raises(SearchStoppedError):
        solver.score(ConnectFour())
    assert monotonic() - began >= 0.2


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(ValueError, match="too small"):
        Solver(ConnectFour(8, 7), 1)
    with pytest.raises(NoMemoryError):
        Solver(ConnectFour(), 1 << 30)
    solver = SEARCHERS["solver"]
    assert solver.obstacle(game("connectfour")) is None
    assert solver.obstacle(game("othello")) is None  # its last squares: see test_othello_endgame.py
    assert solver.obstacle(game("tictactoe")) is not None


def test_the_player_wins_what_is_won() -> None:
    draws = random.Random(3)
    player = SEARCHERS["solver"].player(game("connectfour"), options={"megabytes": "1"})
    known: dict[ConnectFour, int] = {}
    for _ in range(5):
        state = unfinished(ConnectFour(), 9, draws)
        expected = negamax(state, sooner, known)
        decision = player.choose(state, SearchLimits())
        assert decision.exact
        assert decision.value == sign(expected)
        assert decision.values == (
            (1, -1)[state.player] * decision.value,
            (-1, 1)[state.player] * decision.value,
        )
        assert decision.line[0] == decision.move
        assert decision.counts.visited >= 0
        child = state.play(decision.move)
        reached = sooner(child, state.player) if child.player == OVER else -negamax(child, sooner, known)
        assert reached == expected


def test_the_player_plays_on_where_it_cannot_solve() -> None:
    player = SEARCHERS["solver"].player(game("connectfour"), options={"megabytes": "1"})
    decision = player.choose(ConnectFour(), SearchLimits(nodes=500, playouts=20))
    assert decision.move in ConnectFour().moves()
    assert not decision.exact
    assert decision.counts.playouts == 20
    assert 250 < decision.counts.visited <= 501  # by both
    with stopped(player.stop):
        assert player.choose(ConnectFour(), SearchLimits(seconds=1000)).move in ConnectFour().moves()
    player.new_game()


def entered(table: Bounds, number: int) -> tuple[int, int] | None:
    entry = table.find(table.place(number))
    return ((entry & 0xFF) - 128, (entry >> 8 & 0xFF) - 128) if entry else None


@pytest.mark.parametrize("bits", [10, 32, 49, 59])
def test_what_is_found_was_entered(bits: int) -> None:
    draws = random.Random(bits)
    table = Bounds(8, bits)
    truth: dict[int, tuple[int, int]] = {}
    for _ in range(3000):
        number = draws.randrange(1 << bits)
        truth[number] = lower, upper = draws.randint(-100, 0), draws.randint(0, 100)
        table.enter(table.place(number), lower, upper, 1)
    assert {entered(table, number) for number in truth} - set(truth.values()) <= {None}
    assert all(entered(table, number) in {found, None} for number, found in truth.items())
    for _ in range(3000):
        number = draws.randrange(1 << bits)
        assert entered(table, number) == truth.get(number) or entered(table, number) is None


def test_what_took_long_stays() -> None:
    table = Bounds(1, 49)
    table.enter(table.place(7), -3, 5, 1 << 30)
    for number in range(100, 20_000):
        table.enter(table.place(number), 0, 0, 2)
    assert entered(table, 7) == (-3, 5)
    assert sum(entered(table, number) == (0, 0) for number in range(100, 20_000)) > 19_500


@pytest.mark.parametrize(("megabytes", "bits"), [(0, 40), (1, 64), (4, 65)])
def test_a_table_too_small_to_tell_numbers_apart_is_refused(megabytes: int, bits: int) -> None:
    with pytest.raises(ValueError, match="too small"):
        Bounds(megabytes, bits)
