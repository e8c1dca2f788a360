"""Which thread's line is played: a vote of all threads of a search.

Each thread votes for the move it found best. A vote weighs more the deeper the thread has searched, and the
further its score lies above the worst of all threads; the formula is Stockfish's.
"""

from collections import defaultdict
from collections.abc import Sequence

from engine.search.constants import MATE_BOUND
from engine.search.report import Bound, Variation

_WORST_MARGIN = 14
"""Centipawns that the worst score counts above itself, so that its thread has a vote, too."""


def elect(lines: Sequence[Variation]) -> int:
    """The index of the line to play, among one line of each thread; of equal ones the first.

    A proven mate needs no majority: the shortest win is played. Where a thread has proven that all moves
    lose, the others have only not seen it yet; of two such threads, the one that sees the shorter mate has
    refuted the other's line. Otherwise the votes decide, and of the lines that begin with the elected move
    the deepest is taken. Lines of depth 0 do not count, unless there is no other.
    """
    voters = [index for index, line in enumerate(lines) if line.depth]
    if not voters:
        return 0
    if won := [index for index in voters if _is_won(lines[index])]:
        return max(won, key=lambda index: lines[index].score)
    if lost := [index for index in voters if _is_lost(lines[index])]:
        return min(lost, key=lambda index: lines[index].score)
    worst = min(lines[index].score for index in voters)
    votes: defaultdict[int, int] = defaultdict(int)
    for index in voters:
        line = lines[index]
        votes[line.move] += (line.score - worst + _WORST_MARGIN) * line.depth
    elected = max(votes, key=votes.__getitem__)
    supporters = [index for index in voters if lines[index].move == elected]
    return max(supporters, key=lambda index: (lines[index].bound is Bound.EXACT, lines[index].depth))


def _is_won(line: Variation) -> bool:
    """Whether the move is proven to mate."""
    return line.score > MATE_BOUND and line.bound is not Bound.UPPER


def _is_lost(line: Variation) -> bool:
    """Whether every move is proven to be mated: not where only some of them were searched."""
    return line.score < -MATE_BOUND and line.bound is Bound.EXACT
