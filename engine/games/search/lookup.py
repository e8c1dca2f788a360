"""Look-up tables: what is known beforehand need not be searched.

`solve`: all states that can follow a state, with the payoffs of best play, for small games and endgames; its
`get` is the look-up of `hooked_alphabeta`. Where positions can be repeated see retrograde.py. `strategy`:
what to play against every reply, to the end. `replies`: what to play in the first plies, for openings.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter, mul

from engine.games.rules.game import CHANCE, OVER, Move, NotApplicableError, State
from engine.games.search.basics import Meter

Payoffs = tuple[float, ...]

MOST_STATES = 1_000_000


class TooManyStatesError(Exception):
    """A table would have more states than are allowed."""


def solve(state: State, most: int = MOST_STATES, meter: Meter | None = None) -> dict[State, Payoffs]:
    """The payoffs with best play of `state` and of all states that can follow it.

    For any number of players, with or without chance: all maximise their own payoff, and take the first of
    equal moves. Raises TooManyStatesError for more than `most` states, NotApplicableError where a state can
    be repeated, SearchStoppedError where the meter says so.
    """
    meter = meter or Meter()
    after = reachable([state], most, meter)
    order = _last_first(after, meter)
    if len(order) < len(after):
        raise NotApplicableError("positions can be repeated")
    table: dict[State, Payoffs] = {}
    for reached in meter.looking(order):
        table[reached] = _value(reached, [table[child] for child in after[reached]])
    return table


def strategy(state: State, player: int, table: Mapping[State, Payoffs]) -> dict[State, Move]:
    """The move of `player` wherever it can come to move from `state` if it plays so: a strategy, or policy.

    The others, and chance, may do whatever they like. `table` is `solve(state)`; of equal moves the first.
    """
    chosen: dict[State, Move] = {}
    met = {state}
    waiting = deque(met)
    while waiting:
        reached = waiting.popleft()
        after = {move: reached.play(move) for move in reached.moves()}
        if reached.player == player:
            best = max(after, key=lambda move: table[after[move]][player])
            chosen[reached], after = best, {best: after[best]}
        for child in after.values():
            if child not in met:
                met.add(child)
                waiting.append(child)
    return chosen


def reachable(
    starts: Iterable[State], most: int = MOST_STATES, meter: Meter | None = None
) -> dict[State, tuple[State, ...]]:
    """All states that can follow, each with its children in the order of the moves.

    Raises TooManyStatesError for more than `most` states, SearchStoppedError where the meter says so.
    """
    meter = meter or Meter()
    after: dict[State, tuple[State, ...]] = dict.fromkeys(starts, ())
    waiting = deque(after)
    while waiting:
        state = waiting.popleft()
        meter.visit()
        after[state] = tuple(state.play(move) for move in state.moves())
        for child in after[state]:
            if child not in after:
                if len(after) >= most:
                    raise TooManyStatesError(f"more than {most} states")
                after[child] = ()
                waiting.append(child)
    return after


def replies(state: State, plies: int, choose: Callable[[State], Move]) -> dict[State, Move]:
    """The move `choose(state)` for every state that can follow in fewer than `plies` plies."""
    table: dict[State, Move] = {}
    ply = {state}
    for _ in range(plies):
        for reached in ply:
            if reached.player >= 0:
                table[reached] = choose(reached)
        ply = {reached.play(move) for reached in ply for move in reached.moves()}
    return table


def _last_first(after: Mapping[State, Sequence[State]], meter: Meter) -> list[State]:
    """The states in an order in which all that follow come first (Kahn 1962), but none that can be repeated.

    Raises SearchStoppedError where the meter says so: the standard library's sorter takes seconds for a
    million states, and cannot be stopped.
    """
    before: defaultdict[State, list[State]] = defaultdict(list)
    for state, children in meter.looking(after.items()):
        for child in children:
            before[child].append(state)
    missing = {state: len(children) for state, children in after.items()}
    order = [state for state, count in missing.items() if count == 0]
    for state in meter.looking(order):  # grows meanwhile
        for parent in before[state]:
            missing[parent] -= 1
            if missing[parent] == 0:
                order.append(parent)
    return order


def _value(state: State, children: Sequence[Payoffs]) -> Payoffs:
    if state.player == OVER:
        return tuple(state.payoff())
    if state.player == CHANCE:
        shares = [share for _, share in state.chances()]
        return tuple(sum(map(mul, shares, payoffs)) for payoffs in zip(*children, strict=True))
    return max(children, key=itemgetter(state.player))
