"""How long to think: the budget of a move, and what the moves of a game show about its delays."""

from dataclasses import replace
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.limits import Limits
from engine.search.parameters import CLOCK, CLOCK_DEFAULTS
from engine.search.time_manager import NO_DELAYS, Budget, Delays, Spent, Timekeeper, allot

clocks = st.integers(-10_000, 10_000_000)
increments = st.integers(0, 600_000)
overheads = st.integers(0, 5_000)
moves_to_go = st.one_of(st.none(), st.integers(0, 200))
flags = st.booleans()
LEAST = 1.0  # millisecond: what a move gets where there is nothing to give


def on_clock(clock: int, increment: int = 0, to_go: int | None = None) -> Limits:
    """White has this on the clock; Black has something else, which must not matter."""
    return Limits(time=(clock, 77_777), increment=(increment, 3), moves_to_go=to_go)


@given(clocks, increments, moves_to_go, overheads, flags, flags)
def test_budget_is_within_the_clock(
    clock: int, increment: int, to_go: int | None, overhead: int, forced: bool, ponder: bool
) -> None:
    limits = replace(on_clock(clock, increment, to_go), ponder=ponder)
    budget = allot(limits, 0, overhead, forced)
    assert 0 <= budget.soft <= budget.hard
    assert budget.hard >= LEAST
    assert budget.soft > 0 or forced
    assert budget.hard <= max(clock - overhead, LEAST)


@given(
    clocks, clocks, increments, increments, st.none() | st.integers(1, 200), st.integers(0, 200), overheads
)
def test_more_clock_more_increment_and_fewer_moves_to_go_are_never_less_budget(
    clock: int, more: int, increment: int, longer: int, to_go: int | None, fewer: int, overhead: int
) -> None:
    least = on_clock(min(clock, more), min(increment, longer), to_go)
    less = allot(least, 0, overhead)
    for better in (
        replace(least, time=(max(clock, more), 77_777)),
        replace(least, increment=(max(increment, longer), 3)),
        replace(least, moves_to_go=to_go and max(1, to_go - fewer)),
    ):
        budget = allot(better, 0, overhead)
        assert less.soft <= budget.soft
        assert less.hard <= budget.hard


def test_what_the_last_depths_were_like_counts() -> None:
    """A stable best move, a falling score and the best move's share, each by itself, at either end."""

    def limit(stable: int, fall: int, share: float) -> float:
        budget = Budget(1_000.0, 100_000.0)
        return max(t for t in range(10_000) if budget.allows_another_depth(t, stable, fall, share))

    usual = 42 / 76  # of the nodes: neither more time for it nor less
    assert limit(0, 0, usual) > 1_200
    assert 500 < limit(9, 0, usual) == limit(11, 0, usual) < 1_000
    steps = (limit(depths, 0, usual) for depths in range(7))
    assert [*steps] == pytest.approx([1_540, 1_380, 1_220, 1_060, 900, 740, 610], abs=1)
    assert 1.1 * limit(3, -500, usual) < limit(3, 100, usual) < limit(3, 30_000, usual) <= 1_600
    assert limit(3, 0, 0.0) > 1.5 * limit(3, 0, 1.0)


@given(clocks, increments, moves_to_go, st.integers(0, 400), st.integers(0, 400))
def test_a_later_move_of_the_same_clock_is_given_no_less(
    clock: int, increment: int, to_go: int | None, one: int, two: int
) -> None:
    numbers = {**CLOCK_DEFAULTS, "time_growth": 20}
    limits = on_clock(clock, increment, to_go)
    early, late = (allot(limits, 0, 10, ply=ply, clock=numbers) for ply in sorted((one, two)))
    assert early.soft <= late.soft
    assert early.hard <= late.hard
    first, later = (allot(on_clock(60_000), 0, 10, ply=ply, clock=numbers) for ply in (0, 80))
    assert later.soft > 1.2 * first.soft


@pytest.mark.parametrize("name", CLOCK)
@given(clocks, increments, st.integers(0, 200))
def test_a_budget_keeps_its_order_at_both_ends_of_a_constant(
    name: str, clock: int, increment: int, ply: int
) -> None:
    for value in (CLOCK[name].low, CLOCK[name].high):
        numbers = {**CLOCK_DEFAULTS, name: value}
        budget = allot(on_clock(clock, increment), 0, 10, ply=ply, clock=numbers)
        assert 0 < budget.soft <= budget.hard <= max(clock - 10, LEAST)
        assert not budget.allows_another_depth(budget.hard, 0, 500, 0.0, numbers)


@given(clocks, increments, moves_to_go, overheads, flags)
def test_black_is_served_like_white(
    clock: int, increment: int, to_go: int | None, overhead: int, forced: bool
) -> None:
    limits = on_clock(clock, increment, to_go)
    swapped = replace(limits, time=limits.time[::-1], increment=limits.increment[::-1])
    assert allot(limits, 0, overhead, forced) == allot(swapped, 1, overhead, forced)


@given(clocks, increments, moves_to_go, overheads, st.integers(-100, 100_000))
def test_time_for_the_move_bounds_the_budget(
    clock: int, increment: int, to_go: int | None, overhead: int, move_time: int
) -> None:
    limits = on_clock(clock, increment, to_go)
    budget = allot(replace(limits, move_time=move_time), 0, overhead)
    assert budget.hard <= allot(limits, 0, overhead).hard
    assert budget.hard <= max(move_time - overhead, move_time / 2, LEAST)
    assert 0 < budget.soft <= budget.hard


@given(st.integers(1, 10_000_000), overheads)
def test_time_for_the_move_is_used_up(move_time: int, overhead: int) -> None:
    budget = allot(Limits(move_time=move_time), 0, overhead)
    assert budget.hard == max(move_time - overhead, move_time / 2, LEAST)
    assert budget.soft == inf
    assert budget.allows_another_depth(10.0**9, 20, 0, 1.0)


@given(clocks, increments, moves_to_go, overheads, flags)
def test_no_limit_where_there_is_none(
    clock: int, increment: int, to_go: int | None, overhead: int, forced: bool
) -> None:
    infinite = replace(on_clock(clock, increment, to_go), infinite=True)
    for limits in (infinite, Limits(), Limits(depth=5), Limits(nodes=100), Limits(mate=3)):
        budget = allot(limits, 0, overhead, forced)
        assert budget == Budget(inf, inf)
        assert budget.allows_another_depth(10.0**9, 0, 0, 1.0)


def test_clock_of_the_other_side_serves_where_it_is_the_only_one() -> None:
    assert allot(Limits(time=(None, 60_000)), 0, 10) == allot(Limits(time=(60_000, None)), 0, 10)


@given(clocks, increments, moves_to_go, overheads)
def test_forced_move_is_played_at_once(clock: int, increment: int, to_go: int | None, overhead: int) -> None:
    budget = allot(on_clock(clock, increment, to_go), 0, overhead, forced=True)
    for stable in range(10):
        assert not budget.allows_another_depth(0.01, stable, 500, 0.1)


@pytest.mark.parametrize("clock", [-5_000, -1, 0, 1, 9, 10, 11])
def test_empty_clock_still_gives_a_moment(clock: int) -> None:
    for increment in (0, 1_000):
        budget = allot(on_clock(clock, increment), 0, 10)
        assert budget == Budget(LEAST, LEAST)
        assert not budget.allows_another_depth(LEAST, 0, 500, 0.1)


def test_last_move_before_the_time_control_takes_most_of_the_clock() -> None:
    last = allot(on_clock(60_000, 0, 1), 0, 10)
    assert last.hard > 0.6 * 60_000
    assert last.soft >= 0.3 * 60_000


@pytest.mark.parametrize("to_go", [None, 1, 2, 5, 40, 100])
@pytest.mark.parametrize("increment", [0, 10, 1_000, 90_000])
def test_game_is_never_lost_on_time(to_go: int | None, increment: int) -> None:
    """Every move takes its hard budget, and of the overhead kept back most is lost too."""
    clock, left = 1_000.0, to_go
    for _ in range(500):
        budget = allot(on_clock(int(clock), increment, left), 0, 10)
        clock -= budget.hard + 6
        assert clock > 0
        clock += max(increment, 7)
        if to_go and left:
            left -= 1
            if left == 0:
                clock, left = clock + 1_000, to_go


def test_game_uses_its_time() -> None:
    """At the soft budget 40 moves take more than half of the clock, and 60 leave some of it."""
    clock = 60_000.0
    for _ in range(40):
        clock -= allot(on_clock(int(clock)), 0, 10).soft
    assert clock < 30_000
    for _ in range(20):
        clock -= allot(on_clock(int(clock)), 0, 10).soft
    assert clock > 1_000


@given(
    st.floats(0.1, 10**6),
    st.floats(1, 10),
    st.floats(0, 10**7),
    st.integers(0, 100),
    st.integers(-5000, 5000),
    st.floats(0, 1),
)
def test_another_depth_never_begins_beyond_the_hard_budget(
    soft: float, factor: float, elapsed: float, stable: int, fall: int, share: float
) -> None:
    budget = Budget(soft, soft * factor)
    if budget.allows_another_depth(elapsed, stable, fall, share):
        assert elapsed < budget.hard
        assert budget.allows_another_depth(elapsed / 2, stable, fall, share)
        assert stable == 0 or budget.allows_another_depth(elapsed, stable - 1, fall, share)
        assert budget.allows_another_depth(elapsed, stable, fall + 100, share)
        assert budget.allows_another_depth(elapsed, stable, fall, share / 2)


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
        self.keeper.start((None, tuple(self.moves)), limits, WHITE)
        self.keeper.stop(Spent(takes, pause))
        self.clock += self.increment - takes - lost
        self.moves += ["ours", "theirs"]

    def look(self) -> Delays:
        self.keeper.start((None, tuple(self.moves)), self.limits, WHITE)
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
    game.go(lost=4000)
    assert game.look().longest == 1000  # a computer that slept is not expected to do so again
    assert game.look().usual == pytest.approx(25, abs=5)  # nor is one lag usual


def test_the_increment_is_that_of_the_side() -> None:
    keeper, limits = Timekeeper(), Limits(time=(60_000, 10_000), increment=(0, 100))
    keeper.start((None, ()), limits, 1)
    keeper.stop(Spent(50, 0))
    keeper.start((None, ("ours", "theirs")), replace(limits, time=(60_000, 10_040)), 1)
    assert keeper.delays.longest == 10


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


def test_a_clock_that_shows_more_than_expected_teaches_nothing() -> None:
    game = ArtificialGame()
    for _ in range(5):
        game.go(takes=90, lost=-80)
    assert game.look() == NO_DELAYS


def test_a_new_game_begins_with_the_longest_delay() -> None:
    game = ArtificialGame()
    for _ in range(5):
        game.go(lost=50, pause=300)
    game.keeper.start((None, tuple(game.moves)), game.limits, WHITE)
    game.keeper.new_game()
    game.keeper.stop(Spent(500, 500))  # of the last game
    assert game.keeper.delays == Delays(300, 0)


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


def test_a_clock_that_is_set_anew_after_the_move_is_not_followed() -> None:
    game = ArtificialGame()
    game.keeper.start((None, ()), on_clock(10_000, 0, 1), WHITE)
    game.keeper.stop(Spent(50, 0))
    game.clock, game.moves = 500, ["ours", "theirs"]
    assert game.look() == NO_DELAYS


def test_what_is_lost_while_pondering_is_shared_by_its_moves() -> None:
    """What the client says of our clock at `go ponder` is not trusted; our own account is kept through it."""
    game = ArtificialGame()
    for _ in range(6):
        for ponder in (False, True, True):
            game.go(lost=30, ponder=ponder)
    learned = game.look()
    assert learned.longest == pytest.approx(30, rel=0.05)
    assert learned.usual == 30


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
    assert allot(limits, WHITE, overhead, forced, Delays(20, 10)) == allot(limits, WHITE, overhead, forced)


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
