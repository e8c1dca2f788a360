"""Who meets whom, how a game is played, who may play, and the scores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from engine.games.catalogue import Rules, game
from engine.games.rules.game import SizeError
from engine.games.search.basics import Decision, SearchLimits
from lolli.cli.contest import (
    Contest,
    Entrant,
    EntrantError,
    Fixture,
    PlayerTotals,
    Standings,
    TournamentGame,
    entrants,
    games,
    play,
    schedule,
)
from tests.lolli.cli.contests import RARE, RARE_LINE, WALK, contest
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

    monkeypatch.setattr(FakePlayer, "_choose", break_down)
    with fake_searcher(monkeypatch), pytest.raises(EntrantError, match=f"^{NAME} fails: MemoryError$"):
        play(contest("nim", "random", NAME, opening_plies=0), Fixture(1, (0, 1), 1))


def test_an_illegal_move_is_not_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePlayer, "_choose", lambda *_: Decision("nonsense"))
    with fake_searcher(monkeypatch), pytest.raises(EntrantError, match="chooses 'nonsense'"):
        play(contest("nim", "random", NAME), Fixture(1, (0, 1), 1))


USUAL = SearchLimits(depth=2)


def test_limits_of_its_own_come_before_those_of_all() -> None:
    (entrant,) = entrants(["uct:exploration=0.7:playouts=5:seconds=0.25"], game("tictactoe"), USUAL)
    assert entrant.searcher == "uct"
    assert entrant.options == (("exploration", "0.7"),)
    assert entrant.limits == SearchLimits(seconds=0.25, depth=2, playouts=5)


def test_the_same_twice_is_told_apart() -> None:
    found = entrants(["random", "minimax", "random"], game("tictactoe"), USUAL)
    assert [entrant.label for entrant in found] == ["random #1", "minimax", "random #2"]


@pytest.mark.parametrize("text", ["uct-fast:seconds=1e300", "uct-fast:nodes=" + "9" * 30, "level1"])
def test_enormous_limits_are_cut_to_size(text: str) -> None:
    """Those of compiled searchers are small numbers."""
    made = game("connectfour")
    (entrant,) = entrants([text], made, SearchLimits(depth=10**9, playouts=10))
    assert entrant.player(made, 1).choose(made.start(), entrant.limits).move in made.start().moves()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "unknown searcher ''"),
        ("nobody", "unknown searcher 'nobody': choose from random, "),
        ("level0", "unknown level 0"),
        ("level999", "unknown level 999"),
        ("uct:c", "'c' is not of the form NAME=VALUE"),
        ("uct:exploration=fast", "exploration"),
        ("uct:colour=red", "colour"),
        ("minimax:depth=0", "depth must be a whole number above 0"),
        ("minimax:depth=²", "depth must be a whole number above 0"),
        ("minimax:seconds=nan", "seconds must be a number above 0"),
        ("minimax:seconds=-1", "seconds must be a number above 0"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(text: str, said: str) -> None:
    with pytest.raises(EntrantError) as error:
        entrants([text], game("tictactoe"), USUAL)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


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


def test_dice_fall_as_often_as_they_should() -> None:
    """A sixth of the rolls after the first are doubles."""
    backgammon = contest("backgammon", "random", "random")
    games = [play(backgammon, Fixture(number, (0, 1), number)) for number in range(5)]
    rolls = [text for each in games for text in each.moves[1:] if text.isdigit()]
    assert sum(text[0] == text[1] for text in rolls) / len(rolls) == pytest.approx(1 / 6, abs=0.05)


@pytest.mark.parametrize(
    ("text", "told"), [(WALK, "a game is not over after 1,000 moves"), (RARE, RARE_LINE)]
)
def test_a_fault_of_a_game_in_a_file_is_not_a_players(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    own = contest(str(path), "minimax:depth=5", "minimax:depth=4", opening_plies=0)
    with pytest.raises(SizeError, match=rf"mine\.py: {told}$"):
        play(own, Fixture(1, (0, 1), 1))
