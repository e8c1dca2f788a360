"""Iterative deepening over the root moves: one depth after another, the best line first."""

from collections.abc import Callable, Iterator, Sequence

from engine.board.move import is_quiet
from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.alphabeta import Searcher
from engine.search.constants import INFINITE, MATE_BOUND, MAX_PLY
from engine.search.parameters import Parameters
from engine.search.preference import preference
from engine.search.report import Bound

MAX_DEPTH = MAX_PLY - 1
_FIRST_WINDOW_DEPTH = 4
"""In plies: a shallower score says too little of the next one."""

_WIDEST = 1000
"""Centipawns from where on a window has no bound on that side."""

_ROOT_REDUCTION_DEPTH, _ROOT_REDUCTION_MOVES = 3, 4
"""From so many plies on quiet moves after so many are searched a ply less deeply at first."""


class RootMove:
    """A move at the root with what is known of it.

    `score` and `line` are those of `depth`, the last one in which it was among the best, and
    `bound` says how the score is meant; where that is UPPER, the score bounds those of all moves, and the
    line is of an earlier depth unless there is no other move. `nodes` were spent on it in the last depth.
    """

    __slots__ = ("bound", "depth", "line", "move", "nodes", "preference", "score")

    def __init__(self, move: int, preferred_by: int) -> None:
        self.move = move
        self.preference = preferred_by
        self.depth = 0
        self.score = -INFINITE
        self.bound = Bound.EXACT
        self.line: tuple[int, ...] = (move,)
        self.nodes = 0


class Deepening:
    """One thread's search from the root, depth by depth.

    `moves` are ordered: the first `lines` are the best so far, with their scores and lines.
    Each item that `run` yields is a depth; `finished` tells whether all its lines were searched. After it
    `stable_depths` had the same best move, its score is by `fall` lower than in the depth before, and it has
    taken `share` of the depth's nodes.
    """

    def __init__(
        self,
        searcher: Searcher,
        position: Position,
        moves: Sequence[int],
        use: Parameters,
        lines: int = 1,
        on_move: Callable[[int, int, int], None] | None = None,
        on_bound: Callable[["Deepening", int], None] | None = None,
    ) -> None:
        """`on_move(depth, move, number)` hears of each root move, `on_bound(self, line)` of each
        score outside its window, line 0 being the best."""
        self.searcher = searcher
        position, stack = position.copy(), MoveStack()
        self.moves = [RootMove(move, preference(position, move, stack)) for move in moves]
        self.moves.sort(key=lambda root_move: -root_move.preference)
        self.lines = min(lines, len(self.moves))
        self.use = use
        self.on_move = on_move
        self.on_bound = on_bound
        self.stable_depths = 0
        self.fall = 0
        self.share = 0.0
        self.finished = False

    @property
    def best(self) -> RootMove:
        """The move to play if the search ended now."""
        return self.moves[0]

    def run(self, max_depth: int = MAX_DEPTH, first: int = 1) -> Iterator[int]:
        """Search depths `first` … `max_depth`; yield each one when it is finished.

        The last one may be cut short: then only the moves searched so far have counted, and it is
        yielded if they changed anything, else the depth before it once more.
        """
        for depth in range(first, max_depth + 1):
            before = (self.best.move, self.best.score)
            self.searcher.begin_depth(depth)
            for line in range(self.lines):
                self._search_line(depth, line)
                if self.searcher.unwinding:
                    self._doubt(self.moves[line], depth)
                    break
                self._rank_lines(line + 1)
            self.finished = not self.searcher.unwinding
            same = self.best.move == before[0]
            if not self.finished:
                if not same or self.best.score != before[1]:
                    yield depth
                elif depth > first:
                    yield depth - 1
                return
            self.stable_depths = self.stable_depths + 1 if same else 0
            self.fall = before[1] - self.best.score if depth > 1 else 0
            self.share = self.best.nodes / max(sum(each.nodes for each in self.moves), 1)
            yield depth

    def _doubt(self, cut_short: RootMove, depth: int) -> None:
        """A move that is mated is the best only of those searched: others may not be."""
        if cut_short.depth == depth and cut_short.score < -MATE_BOUND and cut_short.bound is Bound.EXACT:
            cut_short.bound = Bound.LOWER

    def _rank_lines(self, count: int) -> None:
        """Put the lines finished in this depth in order, best first; equals keep theirs."""
        self.moves[:count] = sorted(self.moves[:count], key=lambda root_move: -root_move.score)

    def _search_line(self, depth: int, line: int) -> None:
        """Find the best of the moves from `line` on, widening the window until it holds the score.

        Where the score falls beta comes down with alpha: proving that it is below is cheaper so.
        """
        expected = self.moves[line].score
        alpha, beta = -INFINITE, INFINITE
        width = self.use.aspiration_window
        if self.use.aspiration and depth >= _FIRST_WINDOW_DEPTH and abs(expected) < MATE_BOUND:
            alpha, beta = expected - width, expected + width
        while True:
            score = self._search_moves(depth, line, alpha, beta)
            if self.searcher.unwinding:
                return
            width *= 4
            if score <= alpha:
                self.moves[line].score = score  # a later move may have been found less bad
                if beta < INFINITE:
                    beta = (alpha + beta) // 2
                alpha = score - width if width < _WIDEST else -INFINITE
            elif score >= beta:
                beta = score + width if width < _WIDEST else INFINITE
            else:
                return
            if self.on_bound:
                self.on_bound(self, line)

    def _search_moves(self, depth: int, line: int, alpha: int, beta: int) -> int:
        """Principal variation search over the root moves from `line` on; fail-soft.

        A move that only equals the best takes its place if it is preferred: where the evaluation
        sees no difference, the more sensible move is played.
        """
        candidates = [self.moves[line], *sorted(self.moves[line + 1 :], key=lambda each: -each.nodes)]
        best: RootMove | None = None
        best_score = -INFINITE
        for number, each in enumerate(candidates):
            if self.on_move:
                self.on_move(depth, each.move, number + 1)
            nodes = self.searcher.nodes
            ties = best is not None and best_score > alpha and each.preference > best.preference
            floor = max(alpha, best_score) - ties
            score = self._examine(each, number, depth, floor, beta)
            each.nodes = self.searcher.nodes - nodes
            if self.searcher.unwinding:
                return best_score
            if score > best_score or (ties and score == best_score):
                best, best_score = each, score
                if score > alpha or len(candidates) == 1:
                    self._promote(each, depth, line, score, alpha, beta)
                elif number == 0:
                    each.score, each.bound, each.depth = score, Bound.UPPER, depth
            if score >= beta:
                break
        return best_score

    def _examine(self, each: RootMove, number: int, depth: int, floor: int, beta: int) -> int:
        """The value of one root move: all but the first with a null window first."""
        searcher = self.searcher
        if number == 0 or not self.use.principal_variation:
            return searcher.examine(each.move, floor, beta, depth)
        late = depth >= _ROOT_REDUCTION_DEPTH and number >= _ROOT_REDUCTION_MOVES
        quiet = is_quiet(each.move)
        if late and quiet and self.use.late_move_reductions:
            score = searcher.examine(each.move, floor, floor + 1, depth - 1)
            if score <= floor or searcher.unwinding:
                return score
        score = searcher.examine(each.move, floor, floor + 1, depth)
        if floor < score < beta and not searcher.unwinding:
            score = searcher.examine(each.move, floor, beta, depth)
        return score

    def _promote(self, each: RootMove, depth: int, line: int, score: int, alpha: int, beta: int) -> None:
        """Make a move the best from `line` on."""
        each.score, each.depth = score, depth
        each.line = (each.move, *self.searcher.line())
        each.bound = Bound.UPPER if score <= alpha else Bound.LOWER if score >= beta else Bound.EXACT
        self.moves.remove(each)
        self.moves.insert(line, each)
