"""Iterative deepening: one ply deep, two plies, three … until a limit, with any search to a fixed depth.

Each depth costs several times what all before it cost, so little is lost, and there is always a move
(Slate and Atkin 1977; Korf 1985).
"""

from collections.abc import Callable, Sequence

from engine.games.rules.game import State
from engine.games.search.basics import Decision, Estimate, Meter, Search, SearchLimits, SearchStoppedError

DEEPEST = 150  # plies: with dice a ply takes up to five calls, and Python's own stack is 1,000 deep
USUAL = SearchLimits(nodes=50_000)
"""Where the limits name neither seconds nor depth nor nodes: half a second or so, and always the same."""
_ENOUGH = 0.5  # of the time: another depth would hardly be finished in the rest


def deepen(
    search: Search,
    state: State,
    estimate: Estimate,
    limits: SearchLimits,
    make_meter: Callable[[SearchLimits], Meter] = Meter,
    *,
    first: int = 1,
    proves: bool = True,
    payoffs: tuple[float, float] | None = None,
) -> Decision:
    """The result of the deepest search that was finished, or the first legal move if none was.

    `state` has a player to move. `make_meter(limits)` is what ends the search. `search` is called with a
    depth of `first` plies, then one more each time, until a limit, the end of the memory, or until no
    estimate was used: deeper would be the same again. `proves`: whether the value is then that of the game.
    `payoffs`: the least and the greatest of the game, given only where a value that equals one of them is
    certain and ends the search, too (no estimate equals one unless it is certain). The counts are those of
    all depths. A limit of playouts has no effect here; the first depth is searched whatever `limits.depth`
    is.
    """
    if limits.seconds is None and limits.depth is None and limits.nodes is None:
        limits = USUAL
    deepest = DEEPEST if limits.depth is None else min(limits.depth, DEEPEST)
    meter = make_meter(limits)
    move, result, finished, last_depth = state.moves()[0], None, 0, None
    exact = used = False

    def noted(reached: State) -> Sequence[float]:
        """The estimate; a value that was found without asking it is certain."""
        nonlocal used
        used = True
        return estimate(reached)

    for depth in range(first, max(first, deepest) + 1):
        used, before = False, meter.counts
        try:
            result = search(state, depth, noted, meter)
        except (SearchStoppedError, MemoryError):  # what the depths before have found still counts
            break
        finished, last_depth = depth, meter.counts - before
        move = result.line[0] if result.line else move
        exact = not used or (payoffs is not None and result.value in payoffs)
        if exact or _too_late(limits, meter):
            break
    return Decision(
        move,
        value=result.value if result else None,
        values=result.values if result else None,
        line=result.line if result else (),
        depth=finished,
        exact=exact and proves,
        seconds=meter.seconds,
        counts=meter.counts,
        last_depth=last_depth,
        limits=limits,
    )


def _too_late(limits: SearchLimits, meter: Meter) -> bool:
    return limits.seconds is not None and meter.seconds > limits.seconds * _ENOUGH
