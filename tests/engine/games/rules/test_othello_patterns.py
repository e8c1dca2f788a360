"""Othello's patterns: beside a slow and obvious computation, and on boards that are turned and mirrored."""

from __future__ import annotations

import random
from array import array

import pytest

from engine.board.position import COMPILED
from engine.games.rules.othello import Othello
from engine.games.rules.othello_patterns import (
    BASES,
    SYMMETRIES,
    OthelloPatterns,
    OthelloRegression,
    learned,
    packed_weights,
    shipped,
)

KNOTS, FIRST, STEP = 9, 10, 6
EMPTY, OWN, OTHER = range(3)


def positions(count: int, seed: int) -> list[tuple[int, int]]:
    """Positions of random games in which somebody can move: the discs of who is to move, and the others'."""
    draws, found = random.Random(seed), list[tuple[int, int]]()
    while len(found) < count:
        state = Othello()
        for _ in range(draws.randint(2, 54)):
            if state.player >= 0:
                state = state.play(draws.choice(state.moves()))
        if state.player >= 0:
            found.append((state.discs(state.player), state.discs(1 - state.player)))
    return found


def moved(discs: int, where: list[int]) -> int:
    return sum(1 << where[square] for square in range(64) if discs >> square & 1)


def moves(own: int, others: int) -> int:
    state = Othello()
    state.place(own, others, 0)
    legal = state.moves() if state.player == 0 else ()
    return 0 if legal in {(), (64,)} else len(legal)


def seen(own: int, others: int) -> list[tuple[int, tuple[int, ...]]]:
    """All configurations on the board with their patterns; of mirror images the lesser."""
    found = []
    for pattern, base in enumerate(BASES):
        views: dict[frozenset[int], list[tuple[int, ...]]] = {}
        for where in SYMMETRIES:
            squares = [where[square] for square in base]
            marks = tuple(OWN if own >> s & 1 else OTHER if others >> s & 1 else EMPTY for s in squares)
            views.setdefault(frozenset(squares), []).append(marks)
        found += [(pattern, min(each)) for each in views.values()]
    return found


@pytest.fixture(scope="module")
def drawn() -> tuple[OthelloPatterns, array[int]]:
    patterns, draws = OthelloPatterns(), random.Random(5)
    knots = array("h", [draws.randint(-200, 200) for _ in range(patterns.weights)])
    patterns.set_knots(knots, 1)
    return patterns, knots


def prepared(patterns: OthelloPatterns, found: list[tuple[int, int]]) -> OthelloPatterns:
    patterns.prepare(min((own | others).bit_count() for own, others in found), 64)
    return patterns


def test_patterns_are_as_many_as_the_board_has_places_for() -> None:
    assert len(seen(0, 0)) == 46
    assert [len({s for w in SYMMETRIES for s in (frozenset(w[q] for q in base),)}) for base in BASES] == [
        *(4, 4, 8, 4, 4, 4, 2, 4, 4, 4, 4)
    ]


def test_equal_configurations_have_one_weight_and_different_ones_have_not() -> None:
    """The features of a regression, one position at a time, tell which weights belong together."""
    numbers: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for own, others in positions(20 if COMPILED else 4, 1):
        matrix = OthelloRegression(array("Q", [own]), array("Q", [others]))
        weights = array("d", bytes(8 * matrix.weights))
        matrix.transposed_times(array("d", [1.0]), weights)
        used = {i % matrix.classes for i, weight in enumerate(weights) if weight}
        expected = seen(own, others)
        assert len(used) == len({*expected}) + 3
        for each in expected:
            numbers[each] = numbers.get(each, used) & used
    assert all(numbers.values())


def test_the_value_is_the_sum_of_the_weights_between_two_knots(
    drawn: tuple[OthelloPatterns, array[int]],
) -> None:
    patterns, knots = drawn
    found = [each for each in positions(30 if COMPILED else 3, 2) if moves(*each)]
    prepared(patterns, found)
    matrix = OthelloRegression(*(array("Q", side) for side in zip(*found, strict=True)))
    values = array("d", bytes(8 * len(found)))
    matrix.times(array("d", knots), values)
    for each, value in zip(found, values, strict=True):
        assert patterns.value(*each) == pytest.approx(max(min(value, 6400), -6400), abs=49)


def test_a_regression_shares_a_position_out_between_its_knots() -> None:
    for own, others in positions(10 if COMPILED else 3, 3):
        discs = (own | others).bit_count() & ~1
        matrix = OthelloRegression(array("Q", [own]), array("Q", [others]))
        weights = array("d", bytes(8 * matrix.weights))
        matrix.transposed_times(array("d", [1.0]), weights)
        by_knot = [sum(weights[k * matrix.classes : (k + 1) * matrix.classes]) for k in range(KNOTS)]
        place = min(max((discs - FIRST) / STEP, 0), KNOTS - 1)
        assert by_knot == pytest.approx([49 * max(0, 1 - abs(place - k)) for k in range(KNOTS)])


def test_the_board_may_be_turned_and_mirrored(drawn: tuple[OthelloPatterns, array[int]]) -> None:
    found = positions(20 if COMPILED else 3, 4)
    patterns = prepared(drawn[0], found)
    for own, others in found:
        values = {patterns.value(moved(own, where), moved(others, where)) for where in SYMMETRIES}
        assert len(values) == 1


def test_who_must_pass_has_the_opponents_value_turned_round() -> None:
    patterns, passing = learned(), (0x1, 0x2 | 0x4)  # X O O: White can only pass
    patterns.prepare(2, 64)
    assert moves(*passing[::-1]) == 0
    assert patterns.value(*passing[::-1]) == -patterns.value(*passing)


def test_a_finished_game_is_worth_what_it_is() -> None:
    patterns = OthelloPatterns()
    patterns.prepare(3, 3)
    assert patterns.value(0b111, 0) == 300
    assert patterns.value(0, 0b111) == -300


def test_a_file_gives_back_its_weights(drawn: tuple[OthelloPatterns, array[int]]) -> None:
    patterns, knots = drawn
    found = positions(5, 6)
    prepared(patterns, found)
    copy = OthelloPatterns()
    copy.read(packed_weights(knots, 1))
    prepared(copy, found)
    assert [copy.value(*each) for each in found] == [patterns.value(*each) for each in found]


@pytest.mark.parametrize(
    "data",
    [b"", b"a text\n", b"[]\n", b"\xff\n", b'{"format": "other"}\n', b'{"format": "othello patterns 1"}\n'],
)
def test_another_file_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a file of weights"):
        OthelloPatterns().read(data)


def test_a_damaged_file_is_refused() -> None:
    with pytest.raises(ValueError, match="damaged weights"):
        OthelloPatterns().read(shipped()[:1000])
    with pytest.raises(ValueError, match="bytes of weights"):
        OthelloPatterns().read(packed_weights(array("h", [1, 2, 3]), 1))


def test_each_player_has_an_evaluation_of_its_own() -> None:
    """Since a search keeps its sums in it."""
    assert learned() is not learned()
