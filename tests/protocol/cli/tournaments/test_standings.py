"""Points, and how sure they are."""

from engine.games.textbook.search import SearchLimits
from protocol.cli.tournaments.contest import Contest, Fixture, PlayerTotals, TournamentGame
from protocol.cli.tournaments.entrant import Entrant
from protocol.cli.tournaments.standings import Standings
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
