"""The schedule of a tournament, and its games."""

from collections import Counter

import pytest

from engine.games.players.catalogue import game
from engine.games.textbook.search import Decision, SearchLimits
from protocol.cli.tournaments.contest import Contest, Fixture, PlayerError, games, play, schedule
from protocol.cli.tournaments.entrant import entrants
from protocol.gtp.rules import Rules
from tests.protocol.gtp.fake_searcher import NAME, FakePlayer, fake_searcher


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


def contest(name: str, *players: str, seats: int | None = None, opening_plies: int = 2) -> Contest:
    made = game(name, seats)
    found = entrants(players, made, SearchLimits(depth=1, playouts=20))
    return Contest(Rules(name, made.players), made.players, None, found, opening_plies, 1)


@pytest.mark.parametrize(
    ("name", "seats", "players"),
    [
        ("tictactoe", None, ("minimax", "uct")),
        ("connectfour", None, ("alphabeta", "montecarlo")),
        ("backgammon", None, ("random", "expectiminimax")),
        ("virus", 3, ("maxn", "paranoid", "bestreply")),
    ],
)
def test_a_game_is_one_that_can_be_played_over(
    name: str, seats: int | None, players: tuple[str, ...]
) -> None:
    played = play(contest(name, *players, seats=seats), Fixture(1, tuple(range(seats or 2)), 1))
    rules = game(name, seats)
    state = rules.start()
    for text in played.moves:
        state = state.play(rules.parse(state, text))
    assert tuple(state.payoff()) == played.payoffs
    assert sum(totals.moves for totals in played.totals) <= len(played.moves) - 2


def test_the_same_seed_plays_the_same_game() -> None:
    both = [play(contest("connectfour", "uct", "random"), Fixture(3, (0, 1), 2)) for _ in range(2)]
    assert both[0].moves == both[1].moves
    assert both[0].payoffs == both[1].payoffs


def test_the_seatings_of_a_round_begin_alike_and_rounds_differ() -> None:
    games = [
        play(contest("connectfour", "random", "random", opening_plies=6), fixture)
        for fixture in schedule(2, 2, 2)
    ]
    openings = [played.moves[:6] for played in games]
    assert openings[0] == openings[1] != openings[2] == openings[3]
    assert games[0].moves != games[1].moves


def test_who_breaks_down_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> Decision:
        raise MemoryError

    monkeypatch.setattr(FakePlayer, "choose", break_down)
    with (
        fake_searcher(monkeypatch),
        pytest.raises(PlayerError, match=f"^{NAME} fails: MemoryError$"),
    ):
        play(contest("nim", "random", NAME, opening_plies=0), Fixture(1, (0, 1), 1))


def test_an_illegal_move_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePlayer, "choose", lambda *_: Decision("nonsense"))
    with fake_searcher(monkeypatch), pytest.raises(PlayerError, match="chooses 'nonsense'"):
        play(contest("nim", "random", NAME), Fixture(1, (0, 1), 1))


def test_an_opening_does_not_end_the_game() -> None:
    """A game of splitting Nim is over after a few moves at the most."""
    played = play(contest("nim", "random", "random", opening_plies=1000), Fixture(1, (0, 1), 1))
    assert sum(totals.moves for totals in played.totals) >= 1
