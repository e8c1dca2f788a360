"""Points, and how sure they are."""

from math import comb

import pytest

from engine.games.textbook.search import SearchLimits
from protocol.cli.tournaments.contest import Contest, Fixture, PlayerTotals, TournamentGame
from protocol.cli.tournaments.entrant import Entrant
from protocol.cli.tournaments.standings import Standings, wilson
from protocol.gtp.rules import Rules


def standings_of(*results: tuple[tuple[int, ...], tuple[float, ...]], entrants: int = 3) -> Standings:
    labels = [Entrant(letter, "random", (), SearchLimits()) for letter in "abcdef"[:entrants]]
    standings = Standings(Contest(Rules("virus"), 2, None, tuple(labels), 0, 1))
    for number, (seats, payoffs) in enumerate(results, 1):
        spent = tuple(PlayerTotals(moves=1, nodes=10 * (entrant + 1)) for entrant in seats)
        standings.add(TournamentGame(Fixture(number, seats, number), (), payoffs, spent))
    return standings


def test_points_of_two() -> None:
    standings = standings_of(((0, 1), (1, -1)), ((1, 0), (0, 0)), ((2, 0), (1, -1)))
    told = [(each.label, each.won, each.shared, each.lost, each.points) for each in standings.table]
    assert told == [("a", 1, 1, 1, 1.5), ("b", 0, 1, 1, 0.5), ("c", 1, 0, 0, 1.0)]
    assert [each.label for each in standings.ranked()] == ["c", "a", "b"]
    assert standings.against == [[0, 1.5, 0], [0.5, 0, 0], [1, 0, 0]]
    assert standings.meetings == [[0, 2, 1], [2, 0, 0], [1, 0, 0]]
    assert standings.table[1].totals == PlayerTotals(moves=2, nodes=40)


def test_points_of_four_are_one_in_all() -> None:
    standings = standings_of(((0, 1, 2, 0), (1, 1, -1, -1)), ((1, 2, 0, 1), (-1, 3, -1, -1)))
    assert sum(each.points for each in standings.table) == 2
    assert [each.games for each in standings.table] == [3, 3, 2]
    assert [each.shared for each in standings.table] == [1, 1, 0]


def test_the_interval_holds_the_true_share_as_often_as_it_says() -> None:
    """Brute force over all results of 40 games: Wilson's interval is right 95 times in 100, more or less."""
    for share in (0.1, 0.3, 0.5, 0.8):
        right = sum(
            comb(40, won) * share**won * (1 - share) ** (40 - won)
            for won in range(41)
            if wilson(won, 40)[0] <= share <= wilson(won, 40)[1]
        )
        assert right == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize(("points", "games"), [(0, 0), (0, 5), (5, 5), (2.5, 5)])
def test_an_interval_is_one(points: float, games: int) -> None:
    low, high = wilson(points, games)
    share = points / games if games else 0.5
    assert 0 <= low <= share <= high <= 1
    assert low < high


def test_interval_is_wilsons() -> None:
    """The examples of R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, method 3."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(15, 148) == pytest.approx((0.0624, 0.1605), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
