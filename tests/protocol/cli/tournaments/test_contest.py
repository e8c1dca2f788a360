"""Games between players."""

import pytest

from engine.games.players.catalogue import game
from engine.games.textbook.search import Decision, SearchLimits
from protocol.cli.tournaments.contest import Contest, PlayerError, play
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.tournaments.schedule import Fixture, schedule
from tests.protocol.gtp.fake_searcher import NAME, FakePlayer, fake_searcher


def contest(name: str, *players: str, seats: int | None = None, opening_plies: int = 2) -> Contest:
    made = game(name, seats)
    found = entrants(players, made, SearchLimits(depth=1, playouts=20))
    return Contest(name, made.players, {}, None, found, opening_plies, 1)


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
    assert sum(spent.moves for spent in played.spent) <= len(played.moves) - 2


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
        pytest.raises(PlayerError, match=f"^{NAME} breaks down: MemoryError$"),
    ):
        play(contest("nim", "random", NAME, opening_plies=0), Fixture(1, (0, 1), 1))


def test_an_illegal_move_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePlayer, "choose", lambda *_: Decision("nonsense"))
    with fake_searcher(monkeypatch), pytest.raises(PlayerError, match="wants to play 'nonsense'"):
        play(contest("nim", "random", NAME), Fixture(1, (0, 1), 1))


def test_an_opening_does_not_end_the_game() -> None:
    """A game of splitting Nim is over after a few moves at the most."""
    played = play(contest("nim", "random", "random", opening_plies=1000), Fixture(1, (0, 1), 1))
    assert sum(spent.moves for spent in played.spent) >= 1
