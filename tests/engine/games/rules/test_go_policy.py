"""Go's linear policy: its features against slow, obvious ones, its probabilities, and what it learns."""

from __future__ import annotations

import json
from importlib.resources import files
from math import exp
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.rules.game import OVER
from engine.games.rules.go import PASS, GoGame
from engine.games.rules.go.policy import NAMES, Policy, observed
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from tests.engine.games.rules.drawn_go import drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.games.rules.go.playouts import GoState

    Transform = Callable[[int, int], tuple[int, int]]

SIZE = 9
SMALL, THREE, BIG = len(NAMES), 1 << 20, 1 << 63
"""As in features.py: the number of features with names; the numbers of patterns begin at the others."""
SYMMETRIES: tuple[Transform, ...] = (
    lambda x, y: (x, y),
    lambda x, y: (-y, x),
    lambda x, y: (-x, -y),
    lambda x, y: (y, -x),
    lambda x, y: (-x, y),
    lambda x, y: (y, x),
    lambda x, y: (x, -y),
    lambda x, y: (-y, -x),
)
DISTANCES = (4, 5, 6, 7, 8)


def random_state(seed: int, plies: int, size: int = SIZE) -> tuple[GoState, list[int]]:
    random, state = Random(seed), GoGame().start(size)
    moves: list[int] = []
    while len(moves) < plies and state.player != OVER:
        moves.append(random.choice(state.moves()[:-1]))
        state = state.play(moves[-1])
    return state, moves


def by_move(state: GoState) -> dict[int, list[int]]:
    moves, counts, found = observed(state)
    features = iter(found)
    return {move: [next(features) for _ in range(count)] for move, count in zip(moves, counts, strict=True)}


def image(state: GoState, p: int, transform: Transform) -> int:
    if p == PASS:
        return PASS
    middle = (state.size + 1) / 2
    x, y = transform(p % state.stride - middle, p // state.stride - middle)  # type: ignore[arg-type]
    return int(y + middle) * state.stride + int(x + middle)


@pytest.mark.parametrize("transform", SYMMETRIES)
@pytest.mark.parametrize("swapped", [False, True])
def test_features_are_the_same_in_every_symmetry_and_with_colours_changed(
    transform: Transform, swapped: bool
) -> None:
    for seed, plies in ((1, 6), (2, 30), (3, 60)):
        state, moves = random_state(seed, plies)
        other = GoGame().start(SIZE)
        if swapped:
            other = other.play(PASS)
        for move in moves:
            other = other.play(image(state, move, transform))
        expected = {image(state, move, transform): sorted(found) for move, found in by_move(state).items()}
        assert {move: sorted(found) for move, found in by_move(other).items()} == expected


def around(state: GoState, p: int, places: Sequence[tuple[int, int]]) -> str:
    """What lies on points given from a point, as the player to move sees it; the same for all its images."""
    row, column = p // state.stride - 1, p % state.stride - 1

    def mark(x: int, y: int) -> str:
        if not (0 <= row + y < state.size and 0 <= column + x < state.size):
            return "#"
        colour = state.at((row + y + 1) * state.stride + column + x + 1)
        return "." if not colour else "X" if colour == state.player + 1 else "O"

    return min("".join(mark(*transform(x, y)) for x, y in places) for transform in SYMMETRIES)


@pytest.mark.parametrize("number", range(len(DISTANCES)))
def test_large_patterns_are_equal_where_the_points_around_are(number: int) -> None:
    span = range(-4, 5)
    places = [
        (x, y) for x in span for y in span if 0 < abs(x) + abs(y) + max(abs(x), abs(y)) <= DISTANCES[number]
    ]
    seen: dict[int, str] = {}
    for seed in range(12):
        state, _ = random_state(seed, 5 * seed)
        for move, features in by_move(state).items():
            if move != PASS:
                pattern = [feature for feature in features if feature >= BIG][number]
                assert seen.setdefault(pattern, around(state, move, places)) == around(state, move, places)
    assert len(set(seen.values())) == len(seen) > 100


def test_small_patterns_are_equal_where_the_points_around_and_the_strings_in_atari_are() -> None:
    places = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]

    def ring(state: GoState, move: int) -> str:
        def mark(x: int, y: int) -> str:
            p = move + y * state.stride + x
            colour = state.at(p)
            known = ".XO#"[colour if colour in {0, 3} or not state.player else 3 - colour]
            return known.lower() if 0 in {x, y} and known in "XO" and liberties(state, p) == 1 else known

        return min("".join(mark(*transform(x, y)) for x, y in places) for transform in SYMMETRIES)

    seen: dict[int, str] = {}
    for seed in range(20):
        state, _ = random_state(seed, 5 * seed)
        for move, features in by_move(state).items():
            if move != PASS:
                (pattern,) = [feature for feature in features if THREE <= feature < BIG]
                assert seen.setdefault(pattern, ring(state, move)) == ring(state, move)
    assert len(set(seen.values())) == len(seen) > 100


def beside(state: GoState, p: int) -> Iterator[int]:
    return iter((p + 1, p - 1, p + state.stride, p - state.stride))


def liberties(state: GoState, p: int) -> int:
    return len({q for stone in state.string_at(p) for q in beside(state, stone) if state.at(q) == 0})


def test_liberties_and_self_atari_are_those_after_the_move() -> None:
    seen = set()
    for seed in range(8):
        state, _ = random_state(seed, 40 + 5 * seed)
        for move, features in by_move(state).items():
            after = state.play(move) if move != PASS else state
            if move == PASS or after.captured(2 - state.player) > state.captured(2 - state.player):
                continue
            free, stones = min(liberties(after, move), 6), min(len(after.string_at(move)), 3)
            self_atari = ("a stone", "two stones", "several stones")[stones - 1]
            expected = f"self-atari: {self_atari}" if free == 1 else f"liberties: {free}"
            assert expected in {NAMES[feature] for feature in features if feature < SMALL}
            seen.add(expected)
    assert len(seen) == 8


def names(state: GoState, text: str) -> set[str]:
    found = by_move(state)[GoGame().parse(state, text)]
    shown = {NAMES[feature] for feature in found if feature < SMALL}
    return {name for name in shown if not name.startswith(("liberties:", "distance", "line"))}


@pytest.mark.parametrize(
    ("rows", "move", "expected"),
    [
        ((".....", ".XOX.", ".XOX.", "..X..", "....."), "C5", {"capture: several stones"}),
        ((".....", "..X..", ".XOX.", ".....", "....."), "C2", {"capture: a stone"}),
        ((".....", "..X..", ".OOX.", ".XX..", "....."), "B4", {"atari: several stones"}),
        ((".....", "..O..", ".OXO.", ".....", "....."), "C2", {"extension: more liberties"}),
        ((".....", ".....", ".....", "O....", "....."), "A1", {"self-atari: a stone"}),
        (("XX...", ".X...", "XX...", ".....", "....."), "A4", {"an own eye"}),
        ((*["......"] * 2, "..OO..", ".OXXO.", "..OX..", "...O.."), "E2", {"extension: 2 liberties"}),
    ],
)
def test_tactical_features_of_drawn_positions(rows: tuple[str, ...], move: str, expected: set[str]) -> None:
    assert names(drawn(*rows), move) >= expected


def test_probabilities_are_the_shares_of_the_exponentials() -> None:
    random, policy = Random(5), Policy()
    state, _ = random_state(4, 25)
    features = by_move(state)
    weights = {kind: random.gauss(0, 1) for found in features.values() for kind in found}
    for kind, weight in weights.items():
        policy.set_weight(kind, weight)
    worth = {move: exp(sum(weights[kind] for kind in found)) for move, found in features.items()}
    expected = {move: each / sum(worth.values()) for move, each in worth.items()}
    assert policy.probabilities(state) == pytest.approx(expected)


def test_weights_are_read_from_a_file() -> None:
    policy = Policy()
    policy.read(json.dumps({"features": {"pass": -2.5}, "patterns": "", "weights": ""}))
    assert policy.weight_of(0) == -2.5
    with pytest.raises(KeyError):
        policy.read(json.dumps({"features": {"a joke": 1.0}, "patterns": "", "weights": ""}))
    policy.clear()
    assert policy.weight_of(0) == 0


def test_a_weight_for_more_patterns_than_there_is_room_for_is_refused() -> None:
    policy = Policy()

    def fill() -> None:
        for pattern in range(THREE, THREE + 100_000):
            policy.set_weight(pattern, 1.0)

    with pytest.raises(ValueError, match="at most"):
        fill()


def tried(playouts: int, **options: str) -> dict[int, int]:
    search = player(GoGame(), "uct-fast", 1, {"megabytes": "16", "network": "none", **options})
    decision = search.choose(GoGame().start(SIZE), SearchLimits(playouts=playouts))
    return {each.move: each.visits for each in decision.tried}


@pytest.mark.parametrize(("playouts", "most"), [(39, 1), (41, 2), (95, 2), (97, 3), (175, 4)])
def test_progressive_widening_tries_moves_by_their_probabilities(playouts: int, most: int) -> None:
    """The second after 40 visits of the root, the third after 40·1.4 = 56 more, the fourth after 78.4."""
    policy = Policy()
    policy.read((files("engine.games") / "weights" / "go-policy.json").read_text())
    chances = policy.probabilities(GoGame().start(SIZE))
    likeliest = sorted(chances, key=lambda move: -chances[move])[:most]
    seen = tried(playouts, widening="1.4")
    assert {round(chances[move], 9) for move in seen} <= {round(chances[move], 9) for move in likeliest}
    assert len(seen) <= most


def test_without_a_policy_there_is_no_widening() -> None:
    assert tried(100, policy="0") == tried(100, policy="0", widening="1.4")
