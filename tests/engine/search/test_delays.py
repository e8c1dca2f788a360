"""What the timekeeper learns from the clocks of a game, and what the time manager makes of it."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.limits import Limits
from engine.search.time_manager import NO_DELAYS, Delays, Spent, Timekeeper, allot
from tests.engine.search.test_time_manager import clocks, flags, increments, moves_to_go, on_clock, overheads

WHITE = 0
delays = st.builds(Delays, st.floats(0, 1000), st.floats(0, 1000))


class ArtificialGame:
    """White's clock in a game, as a client keeps it. A move `takes` some time; more is `lost` on the way."""

    def __init__(self, clock: float = 10_000, increment: int = 100) -> None:
        self.keeper = Timekeeper()
        self.clock = clock
        self.increment = increment
        self.moves: list[str] = []

    @property
    def limits(self) -> Limits:
        return on_clock(int(self.clock), self.increment)

    def go(self, takes: float = 50, lost: float = 0, pause: float = 0, *, ponder: bool = False) -> None:
        """A move of ours and the answer to it. What the client says of our clock at `go ponder` is wrong."""
        limits = replace(on_clock(999_999, self.increment), ponder=True) if ponder else self.limits
        self.keeper.begin((None, tuple(self.moves)), limits, WHITE)
        self.keeper.end(Spent(takes, pause))
        self.clock += self.increment - takes - lost
        self.moves += ["ours", "theirs"]

    def look(self) -> Delays:
        """What has been learned once the next `go` has come."""
        self.keeper.begin((None, tuple(self.moves)), self.limits, WHITE)
        return self.keeper.delays


def test_nothing_is_learned_from_a_client_that_loses_nothing() -> None:
    game = ArtificialGame()
    for _ in range(20):
        game.go()
    assert game.look() == NO_DELAYS


def test_what_the_clock_lacks_is_the_lag() -> None:
    game = ArtificialGame()
    for lost in (20, 30, 25, 28, 22):
        game.go(lost=lost)
    learned = game.look()
    assert learned.usual == pytest.approx(25, abs=1)
    assert learned.longest == pytest.approx(30, rel=0.05)


def test_one_lag_is_not_usual() -> None:
    game = ArtificialGame()
    game.go()
    game.go(lost=400)
    assert game.look() == Delays(longest=400, usual=0)


def test_a_pause_is_remembered_but_fades() -> None:
    game = ArtificialGame()
    game.go(pause=300)
    seen = [game.look().longest]
    for _ in range(20):
        game.go()
        seen.append(game.look().longest)
    assert seen[0] == 300
    assert seen == sorted(seen, reverse=True)
    assert 200 < seen[-1] < 280


def test_a_computer_that_slept_is_not_expected_to_do_so_again() -> None:
    game = ArtificialGame(clock=7_200_000)
    game.go(pause=3_600_000)
    assert game.look().longest == 1000
    game.go(lost=3_000_000)
    assert game.look().longest == 1000


def test_a_clock_that_shows_more_than_expected_teaches_nothing() -> None:
    game = ArtificialGame()
    for _ in range(5):
        game.go(takes=90, lost=-80)
    assert game.look() == NO_DELAYS


def test_a_new_game_begins_with_nothing_learned() -> None:
    game = ArtificialGame()
    for _ in range(5):
        game.go(lost=50, pause=300)
    game.keeper.begin((None, tuple(game.moves)), game.limits, WHITE)
    game.keeper.new_game()
    game.keeper.end(Spent(500, 500))
    assert game.keeper.delays == NO_DELAYS


@pytest.mark.parametrize(
    "moves",
    [[], ["other", "theirs"], ["ours"], ["ours", "theirs", "ours", "theirs"]],
    ids=["new game", "taken back", "other side", "moves that were not ours"],
)
def test_a_clock_is_compared_only_after_one_move_of_either_side(moves: list[str]) -> None:
    game = ArtificialGame()
    game.moves = ["first", "second"]
    game.go(lost=500)
    game.moves = ["first", "second", *moves] if moves != ["other", "theirs"] else moves
    assert game.look() == NO_DELAYS


def test_another_start_position_is_another_game() -> None:
    game = ArtificialGame()
    game.go(lost=500)
    game.keeper.begin(("another", tuple(game.moves)), game.limits, WHITE)
    assert game.keeper.delays == NO_DELAYS


def test_a_clock_that_is_set_anew_after_the_move_is_not_followed() -> None:
    game = ArtificialGame()
    game.keeper.begin((None, ()), on_clock(10_000, 0, 1), WHITE)
    game.keeper.end(Spent(50, 0))
    game.clock, game.moves = 500, ["ours", "theirs"]
    assert game.look() == NO_DELAYS


def test_what_is_lost_while_pondering_is_shared_by_its_moves() -> None:
    """What the client says of our clock at `go ponder` is not trusted; our own account is kept through it."""
    game = ArtificialGame()
    game.go(lost=30)
    game.go(lost=30, ponder=True)
    game.go(lost=30, ponder=True)
    for _ in range(2):
        game.go(lost=30)
    learned = game.look()
    assert learned.longest == pytest.approx(90, rel=0.05)
    assert learned.usual == 30


def test_a_miss_of_pondering_leaves_the_account_as_it_was() -> None:
    game = ArtificialGame()
    game.go(lost=40)
    game.keeper.begin((None, ("ours", "not theirs")), replace(game.limits, ponder=True), WHITE)
    game.keeper.end(None)
    assert game.look().longest == 40


def test_no_clock_teaches_nothing() -> None:
    keeper = Timekeeper()
    for limits in (Limits(depth=5), Limits(infinite=True, time=(100, 100)), Limits(move_time=50)):
        keeper.begin((None, ()), limits, WHITE)
        keeper.end(None)
    assert keeper.delays == NO_DELAYS


@given(clocks, increments, moves_to_go, overheads, delays, delays, flags)
def test_more_delay_is_never_more_budget(
    clock: int,
    increment: int,
    to_go: int | None,
    overhead: int,
    one: Delays,
    two: Delays,
    forced: bool,
) -> None:
    less = Delays(min(one.longest, two.longest), min(one.usual, two.usual))
    more = Delays(max(one.longest, two.longest), max(one.usual, two.usual))
    limits = on_clock(clock, increment, to_go)
    generous, careful = (allot(limits, WHITE, overhead, forced, each) for each in (less, more))
    assert 0 <= careful.soft <= generous.soft
    assert 1 <= careful.hard <= generous.hard


@given(clocks, increments, moves_to_go, st.integers(10, 5_000), flags)
def test_a_calm_machine_changes_nothing(
    clock: int, increment: int, to_go: int | None, overhead: int, forced: bool
) -> None:
    """Lags within the overhead and pauses that the usual reserve has room for."""
    limits = on_clock(clock, increment, to_go)
    assert allot(limits, WHITE, overhead, forced, Delays(60, 10)) == allot(limits, WHITE, overhead, forced)


@given(st.integers(1, 10**6), overheads, delays)
def test_without_a_clock_delays_change_nothing(move_time: int, overhead: int, learned: Delays) -> None:
    for limits in (Limits(move_time=move_time), Limits(nodes=5), Limits(depth=3), Limits(infinite=True)):
        assert allot(limits, WHITE, overhead, False, learned) == allot(limits, WHITE, overhead)


def lost_games(games: int, stall: float, *, learns: bool) -> int:
    """How many games at 3 s + 0.03 s are lost on time if one move in forty is held up by up to `stall` ms."""
    chance, lost = Random(1), 0
    for _ in range(games):
        game = ArtificialGame(3000, 30)
        for _ in range(100):
            budget = allot(game.limits, WHITE, 10, False, game.look() if learns else NO_DELAYS)
            takes = min(budget.soft * chance.uniform(0.5, 2), budget.hard)
            pause = chance.uniform(20, stall) if chance.random() < 1 / 40 else 0.0
            game.go(max(takes, takes * chance.random() + pause), lost=1, pause=pause)
            if game.clock < game.increment:
                lost += 1
                break
    return lost


@pytest.mark.parametrize("stall", [350, 500])
def test_stalls_lose_games_only_until_they_are_known(stall: int) -> None:
    unlearned = lost_games(300, stall, learns=False)
    assert unlearned >= 15
    assert lost_games(300, stall, learns=True) <= unlearned / 3
