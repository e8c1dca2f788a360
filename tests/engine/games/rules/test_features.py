"""A linear evaluation with weights: what the features count, what the estimates keep, and what is refused."""

from itertools import pairwise
from random import Random
from typing import Any

import pytest

from engine.games.catalogue import GAMES, Rules, game
from engine.games.rules.features import FEATURES
from engine.games.rules.game import CHANCE, OVER, SizeError, State
from engine.games.searchers import SEARCHERS

POSITIONS = {
    "tictactoe": "C1 C2 B1 A3",
    "connectfour": "4 4 3 3 5",
    "othello": "D3 C3 C4 E3",
    "checkers": "11-15 22-18 15x22 25x18",
    "chess": "e2e4 d7d5 e4d5 d8d5 b1c3 d5d2",
    "backgammon": "31 8/5,6/5",
    "focus": "B2-B3",
    "virus": "B1",
}
COUNTS = {
    "tictactoe": {"lines": (3, 4), "adjacent": (1, 0)},
    "connectfour": {"open": (54, 58), "twos": (2, 3), "threes": (2, 0), "middle": (1, 1)},
    "othello": {"corners": (0, 0), "mobility": (9, 5), "discs": (3, 5)},
    "checkers": {"men": (11, 11), "kings": (0, 0), "advance": (10, 12)},
    "chess": {"pawns": (7, 6), "knights": (2, 2), "bishops": (2, 2), "rooks": (2, 2), "queens": (1, 1)},
    "backgammon": {"pips": (163, 167), "off": (0, 0), "blots": (0, 0), "points": (5, 4)},
    "focus": {"pieces": (18, 18), "stacks": (18, 17), "reserve": (0, 0)},
    "virus": {"squares": (4, 1), "mobility": (4, 2)},
}


def positions(kind: str, count: int, players: int | None = None) -> list[State]:
    """Of random games; where the game goes on, and a player is to move."""
    random, found, rules = Random(1), list[State](), game(kind, players)
    while len(found) < count:
        state = rules.start()
        for _ in range(random.randrange(40)):
            if state.player != OVER:
                state = state.play(random.choice(state.moves()))
        if state.player not in {OVER, CHANCE}:
            found.append(state)
    return found


@pytest.mark.parametrize("name", COUNTS)
def test_features_count(name: str) -> None:
    rules = game(name)
    state = rules.start()
    for move in POSITIONS[name].split():
        state = state.play(rules.parse(state, move))
    found = {
        each: tuple(count(state, player) for player in (0, 1)) for each, (count, _) in FEATURES[name].items()
    }
    assert found == COUNTS[name]


@pytest.mark.parametrize(
    ("name", "players", "weights"),
    [
        ("connectfour", 2, "1,0,0,0"),
        *(("focus", players, "1,2,3") for players in (2, 4)),
        *(("chinesecheckers", players, "-2,0") for players in (2, 3)),
        *(("virus", players, "0.5,0") for players in (2, 3)),
        ("tictactoe", 2, "1,0"),
    ],
)
def test_with_the_weights_of_the_games_own_estimate_it_is_that(name: str, players: int, weights: str) -> None:
    """But for a factor."""
    own, weighed = game(name, players), game(name, players, weights=weights)
    ratios = []
    for state in positions(name, 20, players):
        for value, theirs in zip(weighed.estimate(state), own.estimate(state), strict=True):
            assert (value == pytest.approx(0)) == (theirs == pytest.approx(0))
            ratios += [value / theirs] if theirs else []
    assert all(one == pytest.approx(other) and one > 0 for one, other in pairwise(ratios))


@pytest.mark.parametrize("name", FEATURES)
def test_estimates_are_linear_in_the_weights_and_less_than_a_win(name: str) -> None:
    count, states = len(FEATURES[name]), positions(name, 5)

    def estimates(weights: list[float]) -> list[float]:
        rules = game(name, weights=",".join(map(str, weights)))
        found = [tuple(rules.estimate(state)) for state in states]
        assert all(sum(each) == pytest.approx(0) and max(each) < 1 for each in found)
        return [each[0] for each in found]

    weights = [0.5 / count * (-1) ** place for place in range(count)]
    alone = [
        estimates([weight * (place == at) for at in range(count)]) for place, weight in enumerate(weights)
    ]
    assert estimates(weights) == pytest.approx([sum(values) for values in zip(*alone, strict=True)])
    assert estimates([1e6 * weight for weight in weights]) == pytest.approx(
        [2 * value for value in estimates(weights)]
    )


@pytest.mark.parametrize("weights", ["1", "a,b,c", "nan,0,0", "1,2,3,4", "", "1e308,1e308,1e308"])
def test_weights_that_are_refused(weights: str) -> None:
    told = "the weights of Othello must be 3 numbers, for corners, mobility, discs, not "
    with pytest.raises(SizeError, match=told):
        Rules("othello", options={"weights": weights}).game()


def test_weights_are_an_option_of_games_with_features_and_not_their_text() -> None:
    assert FEATURES.keys() <= GAMES.keys()
    with pytest.raises(
        SizeError, match="unknown option '1,2' of connectfour; available: columns, rows, weights"
    ):
        Rules.named("connectfour 1,2", None, {}).game()
    with pytest.raises(SizeError, match="unknown option 'weights' of nim"):
        Rules("nim", options={"weights": "1"}).game()


def test_twins_with_a_compiled_estimate_refuse_weights() -> None:
    rules: Any = game("virus", weights="1,1")
    refused = {
        name for name, each in SEARCHERS.items() if each.obstacle(rules) != each.obstacle(game("virus"))
    }
    assert refused == {"bestreply-fast", "threat-ads-fast"}
