"""Who meets whom."""

from collections import Counter

import pytest

from protocol.cli.tournaments.contest import games, schedule


@pytest.mark.parametrize(
    ("entrants", "seats"), [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3), (6, 4), (2, 4), (3, 4), (1, 2)]
)
@pytest.mark.parametrize("rounds", [1, 3])
def test_everybody_sits_everywhere_equally_often(entrants: int, seats: int, rounds: int) -> None:
    fixtures = list(schedule(entrants, seats, rounds))
    assert len(fixtures) == games(entrants, seats, rounds)
    assert [fixture.number for fixture in fixtures] == list(range(1, len(fixtures) + 1))
    taken = Counter((entrant, seat) for fixture in fixtures for seat, entrant in enumerate(fixture.seats))
    if entrants >= seats:
        assert len(set(taken.values())) == 1
        assert len(taken) == entrants * seats
    assert {entrant for entrant, _ in taken} == set(range(entrants))


def test_everybody_meets_everybody_from_both_sides() -> None:
    pairs = Counter(fixture.seats for fixture in schedule(4, 2, 2))
    assert pairs == {(one, other): 2 for one in range(4) for other in range(4) if one != other}


def test_the_games_of_a_group_begin_alike() -> None:
    fixtures = list(schedule(3, 2, 2))
    for fixture in fixtures:
        alike = {frozenset(each.seats) for each in fixtures if each.opening == fixture.opening}
        assert alike == {frozenset(fixture.seats)}
    assert len({fixture.opening for fixture in fixtures}) == 6


def test_too_few_sit_down_more_than_once() -> None:
    assert [fixture.seats for fixture in schedule(2, 4, 1)] == [(0, 1, 0, 1), (1, 0, 1, 0)]
    assert [fixture.seats for fixture in schedule(1, 2, 1)] == [(0, 0)]
