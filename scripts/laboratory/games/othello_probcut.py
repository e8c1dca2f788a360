"""ProbCut's errors in Othello: how well a shallow search foretells the value of a deeper one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from engine.games.compiled.othello_search import ERROR, foretelling_depth
from engine.games.rules.othello import Othello

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.games.compiled.othello_search import OthelloSearch
    from scripts.laboratory.games.othello_games import Samples

_DEEPEST = 7  # plies before the end
_TO_THE_END = range(10, 16)  # empty squares of positions that are searched to the end
_BAND = 8  # empty squares
_FEWEST = 30  # differences that have a deviation
_WHOLE = 60  # plies


def state_of(sample: Samples) -> Othello:
    """The position, with Black to move."""
    state = Othello()
    state.place(int(sample["own"]), int(sample["others"]), 0)
    return state


def differences(search: OthelloSearch, state: Othello) -> Iterable[tuple[int, int, int]]:
    """Depths, empty squares, and by how much the value at that depth differs from what foretells it.

    In hundredths of a disc.
    """
    empty = state.empty().bit_count()
    deepest = min(_DEEPEST, empty - 1)
    values = {depth: search.search(state, depth) for depth in range(1, deepest + 1)}
    for depth in range(3, deepest + 1):
        yield depth, empty, values[depth] - values[foretelling_depth(depth)]
    if empty in _TO_THE_END and (before := foretelling_depth(empty)) in values:
        yield empty, empty, search.search(state, _WHOLE) - values[before]


def error_of(found: Iterable[tuple[int, int, int]]) -> Sequence[float]:
    """The standard deviation that `differences` have, as engine.games.compiled.othello_search.ERROR is."""
    groups = defaultdict[tuple[int, int], list[int]](list)
    for depth, empty, difference in found:
        groups[depth, empty if depth == empty else empty // _BAND * _BAND + _BAND // 2].append(difference)
    rows, targets, counts = [], [], []
    for (depth, empty), each in groups.items():
        if len(each) >= _FEWEST:
            rows.append((1, depth, foretelling_depth(depth), empty))
            targets.append(np.log(np.sqrt(np.mean(np.square(each)))))
            counts.append(np.sqrt(len(each)))
    if len(rows) < len(ERROR):
        return ERROR
    weighted = np.array(rows) * np.array(counts)[:, None]
    fitted = np.linalg.lstsq(weighted, np.array(targets) * counts, rcond=None)[0]
    return [round(float(each), 4) for each in fitted]


def spread_of(errors: np.ndarray[tuple[int], np.dtype[np.float64]], samples: Samples) -> Sequence[float]:
    """The standard deviation of the results in discs: a constant, and more for each empty square."""
    empty = 64 - np.bitwise_count(samples["own"] | samples["others"])
    known = [each for each in range(1, 61) if np.count_nonzero(empty == each) > 1]
    deviations = [float(errors[empty == each].std()) for each in known]
    more, least = np.polyfit(known, deviations, 1)
    return [round(float(max(least, 0.5)), 3), round(float(max(more, 0.0)), 3)]
