"""Backgammon: rules against OpenSpiel's and by hand, notation, the board, estimates."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from engine.games.rules.backgammon import SCORINGS, BackgammonGame
from engine.games.rules.backgammon.board import Backgammon
from engine.games.rules.game import CHANCE, OVER, IllegalMoveError

if TYPE_CHECKING:
    from collections.abc import Mapping

BAR, OFF = 25, 0
POINTS = BackgammonGame(scoring="points")
WIN = BackgammonGame()
SPIEL_PLACES = (*range(24), 100)


def men(on: Mapping[int, int]) -> list[int]:
    """A side's men by point, from its view; those not named are off."""
    board = [0] * 26
    for point, number in on.items():
        board[point] = number
    board[OFF] = 15 - sum(board[1:])
    return board


def position(
    first: Mapping[int, int],
    second: Mapping[int, int],
    roll: int = 0,
    roller: int = 0,
    game: BackgammonGame = POINTS,
) -> Backgammon:
    """The men of each side from its own view: point p of one side is 25 - p of the other."""
    return game.start().placed(men(first), men(second), roller, roll // 10, roll % 10)


def written(state: Backgammon) -> set[str]:
    return {POINTS.text(state, move) for move in state.moves()}


def after(state: Backgammon, text: str) -> Backgammon:
    return state.play(POINTS.parse(state, text))


# Chance


def test_there_are_21_rolls_of_known_probability() -> None:
    state = after(after(POINTS.start(), "31"), "8/5,6/5")
    assert state.player == CHANCE
    assert len(state.chances()) == 21
    for roll, probability in state.chances():
        assert probability == pytest.approx(1 / 36 if roll % 11 == 0 else 2 / 36)
        assert 1 <= roll % 10 <= roll // 10 <= 6
    assert math.fsum(probability for _, probability in state.chances()) == pytest.approx(1)
    assert [roll for roll, _ in state.chances()] == list(state.moves())


def test_the_larger_die_of_the_opening_roll_starts() -> None:
    start = WIN.start()
    assert start.player == CHANCE
    assert len(start.chances()) == 30
    assert math.fsum(probability for _, probability in start.chances()) == pytest.approx(1)
    for roll, _ in start.chances():
        state = start.play(roll)
        assert state.player == state.roller == (0 if roll // 10 > roll % 10 else 1)
        assert (state.high, state.low) == (max(divmod(roll, 10)), min(divmod(roll, 10)))


@pytest.mark.parametrize(
    ("first", "roller", "chance"), [({6: 1}, 0, 27 / 36), ({1: 4}, 0, 1 / 6), ({1: 1}, -1, 1 / 2)]
)
def test_random_rolls_of_playouts_come_as_often_as_they_should(
    first: dict[int, int], roller: int, chance: float
) -> None:
    """The first side wins if it bears off at once: one man but by 11, 21, 31, 41, 32, four by doubles alone.

    Where both have one man, the winner of the opening roll wins.
    """
    state = position(first, {1: 1}, roller=roller, game=WIN)
    wins = sum(state.playout(seed)[0] > 0 for seed in range(2000)) / 2000
    assert wins == pytest.approx(chance, abs=0.04)


# Moves


@pytest.mark.parametrize(
    ("first", "second", "roll", "moves"),
    [
        ({BAR: 1, 13: 2}, {6: 2, 4: 2}, 31, {"bar/22,13/12", "bar/24,13/10"}),
        ({BAR: 2, 13: 2}, {6: 2, 5: 2, 4: 2, 3: 2, 1: 2}, 62, {"bar/23"}),
        ({BAR: 1, 13: 2}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}, 62, {"pass"}),
        ({8: 1, 3: 1}, {23: 2}, 61, {"8/1"}),  # both dice: 3/2 leaves no 6
        ({24: 1}, {8: 2}, 61, {"24/18"}),  # the larger, if only one can be used
        ({24: 1}, {7: 2, 8: 2}, 61, {"24/23"}),
        ({24: 1}, {9: 2}, 55, {"24/4"}),
        ({24: 1, 6: 1}, {11: 2, 24: 2}, 55, {"24/19"}),
        ({7: 1, 1: 2}, {20: 2}, 51, {"7/1", "7/2,1/off"}),  # all must be home first
        ({4: 1, 2: 2}, {1: 1}, 65, {"4/off,2/off"}),
        ({5: 1, 2: 1}, {1: 1}, 43, {"5/1,2/off", "5/off"}),
    ],
)
def test_moves_by_hand(first: dict[int, int], second: dict[int, int], roll: int, moves: set[str]) -> None:
    assert written(position(first, second, roll)) == moves


def test_ways_that_hit_and_ways_that_do_not_are_two_moves() -> None:
    state = position({13: 1}, {15: 1, 24: 1}, 31)  # 15 is the other side's 10
    assert written(state) == {"13/10*/9", "13/9"}
    assert POINTS.parse(state, "13/9") == POINTS.parse(state, "13/12,12/9")
    assert (
        POINTS.parse(state, "13/10*/9") == POINTS.parse(state, "13/10/9") == POINTS.parse(state, "13/10,10/9")
    )


# The end


@pytest.mark.parametrize(
    ("loser", "degree"),
    [({6: 14}, 1), ({6: 15}, 2), ({6: 14, 18: 1}, 2), ({6: 14, 19: 1}, 3), ({6: 14, BAR: 1}, 3)],
)
@pytest.mark.parametrize("winner", [0, 1])
def test_gammons_count_two_and_backgammons_three(loser: dict[int, int], degree: int, winner: int) -> None:
    for game, worth in ((POINTS, degree), (WIN, 1)):
        sides = ({2: 1}, loser) if winner == 0 else (loser, {2: 1})
        state = position(*sides, 21, winner, game).play(2)
        assert state.player == OVER
        assert state.moves() == ()
        assert state.payoff()[winner] == worth
        assert sum(state.payoff()) == 0
        assert min(state.payoff()) >= game.payoffs[0]


# The state


def test_equal_positions_are_equal_whatever_led_there() -> None:
    start = POINTS.start()
    one = after(after(start, "31"), "8/5,6/5")
    other = after(after(start, "31"), "6/5,8/5")
    assert one == other
    assert hash(one) == hash(other)
    assert one != after(after(start, "13"), "8/5,6/5")
    assert after(one, "31") != after(one, "32") != one
    assert start != WIN.start()


# Notation and board


@pytest.mark.parametrize(
    ("roll", "text", "same"),
    [
        ("31", "8/5,6/5", "6/5 8/5"),
        ("31", "8/5,6/5", " 8/5, 6/5"),
        ("21", "13/11,11/10", "13/10"),
        ("21", "13/11,11/10", "13/11/10"),
        ("21", "13/12,12/10", "13/10"),
        ("66", "24/18,24/18,13/7,13/7", "13/7(2) 24/18(2)"),
        ("11", "8/7,8/7,6/5,6/5", "8/7(2),6/5(2)"),
        ("44", "24/20,20/16,13/9,13/9", "24/16,13/9(2)"),
    ],
)
def test_moves_may_be_written_more_freely(roll: str, text: str, same: str) -> None:
    start = POINTS.start()
    state = (
        after(after(after(start, "65"), "24/18,18/13"), roll) if roll[0] == roll[1] else after(start, roll)
    )
    assert POINTS.parse(state, text) == POINTS.parse(state, same)


@pytest.mark.parametrize(
    ("first", "second", "roll", "text"),
    [
        ({8: 2, 6: 2}, {20: 1, 24: 2}, 31, "8/5*,6/5"),
        ({24: 2, 13: 2}, {1: 2}, 66, "24/18(2),13/7(2)"),
        ({24: 2, 13: 2}, {1: 2}, 44, "24/16(2)"),
        ({13: 1}, {16: 1, 24: 2}, 31, "13/9*"),
        ({13: 1}, {16: 1, 15: 1}, 31, "13/10*/9*"),
        ({BAR: 1, 13: 2}, {3: 1, 6: 2}, 31, "bar/22*/21"),
        ({6: 2}, {20: 1, 24: 2}, 11, "6/5*/4,6/4"),
        ({6: 1, 2: 1}, {1: 2}, 65, "6/off,2/off"),
    ],
)
def test_hits_are_marked_and_steps_of_one_man_joined(
    first: dict[int, int], second: dict[int, int], roll: int, text: str
) -> None:
    state = position(first, second, roll)
    assert text in written(state)
    assert len(written(state)) == len(state.moves())


def test_what_is_no_legal_move_is_refused() -> None:
    state = after(POINTS.start(), "31")
    for text in ("", "pass", "8/5", "8/4,6/5", "8/5*,6/5", "8/5,6/5,", "5/8,5/6", "8/5(5)", "31", "/", "²/1"):
        with pytest.raises(IllegalMoveError):
            POINTS.parse(state, text)


def test_there_are_no_moves_when_the_game_is_over() -> None:
    state = position({2: 1}, {6: 15}, 21).play(2)
    assert POINTS.show(state).endswith("X has won, a gammon")
    for text in ("pass", "8/5", "31", ""):
        with pytest.raises(IllegalMoveError):
            POINTS.parse(state, text)


def test_moves_of_random_games_can_be_read_as_they_are_written() -> None:
    random = Random(5)
    state = POINTS.start()
    while state.player != OVER:
        moves = state.moves()
        if len(moves) < 30:
            move = random.choice(moves)
            assert POINTS.parse(state, POINTS.text(state, move)) == move
        state = state.play(random.choice(moves))


def test_the_board_shows_points_bar_and_off() -> None:
    state = position({BAR: 2, 6: 7, 1: 1}, {13: 3, 6: 2}, 31)
    assert POINTS.show(state).splitlines() == [
        "+-13-14-15-16-17-18-------19-20-21-22-23-24-+",
        "|                   | X |  O                |",
        "|                   | X |  O                |",
        "|                   |   |                   |",
        "|                   |   |                   |",
        "|                   |   |                   |",
        "|                   |BAR|                   |",
        "|                   |   |  7                |",
        "|                   |   |  X                |",
        "|  O                |   |  X                |",
        "|  O                |   |  X                |",
        "|  O                |   |  X              X |",
        "+-12-11-10- 9- 8- 7-------- 6- 5- 4- 3- 2- 1-+".replace("--------", "-------"),
        "X: 93 pips, 5 off",
        "O: 51 pips, 10 off",
        "X to play 31",
    ]


# Estimates


@pytest.mark.parametrize("scoring", SCORINGS)
def test_estimates_are_zero_sum_and_the_same_from_either_side(scoring: str, is_pure: bool) -> None:
    game = BackgammonGame(scoring=scoring)
    random = Random(3)
    state = game.start()
    for _ in range(20 if is_pure else 100):
        state = state.play(random.choice(state.moves()))
        if state.player == OVER:
            break
        value = game.estimate(state)
        mirrored = state.placed(state.board(1), state.board(0), 1 - state.roller, state.high, state.low)
        assert game.payoffs[0] < value[0] < game.payoffs[1]
        assert sum(value) == 0
        assert game.estimate(mirrored)[1] == pytest.approx(value[0])


# OpenSpiel


def spiel_board(state: Any) -> tuple[int, ...]:
    """Men on OpenSpiel's points 0 … 23 and the bar, of both sides; X goes up, O down."""
    men_on = state.board
    return (*[men_on(0, i) for i in SPIEL_PLACES], *[men_on(1, i) for i in SPIEL_PLACES])


def as_spiel_board(state: Backgammon) -> tuple[int, ...]:
    first, second = state.board(0), state.board(1)
    return (*first[24:0:-1], first[BAR], *second[1:])


def spiel_rolls(state: Any) -> dict[int, tuple[int, float]]:
    """By our rolls: one of OpenSpiel's chance outcomes, which have an order, and the probability of all."""
    rolls: dict[int, tuple[int, float]] = {}
    for action, probability in state.chance_outcomes():
        words = state.action_to_string(-1, action)
        low, high = sorted(int(die) for die in words.partition("roll: ")[2][:2])
        roll = 10 * low + high if "O starts" in words else 10 * high + low
        rolls[roll] = (action, rolls.get(roll, (0, 0.0))[1] + probability)
    return rolls


def spiel_ends(state: Any) -> dict[Any, Any]:
    """OpenSpiel's states after a turn, by position; doubles are two of its turns."""
    mover = state.current_player()
    ends: dict[Any, Any] = {}
    halfway: dict[Any, Any] = {}
    for action in state.legal_actions():
        child = state.child(action)
        (halfway if child.current_player() == mover else ends)[spiel_board(child)] = child
    for child in halfway.values():
        ends.update(spiel_ends(child))
    return ends


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("games", [2, pytest.param(1000, marks=pytest.mark.slow)])
def test_random_games_go_as_in_openspiel(games: int) -> None:
    """With the same rolls, the same positions after each, and the same payoffs."""
    pyspiel = pytest.importorskip("pyspiel")
    random = Random(games)
    rules = pyspiel.load_game("backgammon(scoring_type=full_scoring,max_player_turns=100000)")
    for _ in range(games):
        ours, theirs = POINTS.start(), rules.new_initial_state()
        while ours.player != OVER:
            if ours.player == CHANCE:
                rolls = spiel_rolls(theirs)
                assert {roll: share for roll, (_, share) in rolls.items()} == pytest.approx(
                    dict(ours.chances())
                )
                roll = random.choices(*zip(*ours.chances(), strict=True))[0]
                ours = ours.play(roll)
                theirs = theirs.child(rolls[roll][0])
            assert theirs.current_player() == ours.player
            ends = {as_spiel_board(end): end for end in map(ours.play, ours.moves())}
            assert len(ends) == len(ours.moves())
            their_ends = spiel_ends(theirs)
            assert set(ends) == set(their_ends)
            choice = random.choice(sorted(ends))
            ours, theirs = ends[choice], their_ends[choice]
        assert theirs.is_terminal()
        assert tuple(theirs.returns()) == tuple(ours.payoff())
