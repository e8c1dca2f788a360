"""Best-Reply Search and Threat-ADS for compiled states: best_reply.py and threat_ads.py, faster.

Values, moves and counts are the same. There is one state a ply, changed in place, and no Python object is
touched while it searches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.games.rules.game import NotApplicableError
from engine.games.textbook.search import Meter, Result, SearchStoppedError

if TYPE_CHECKING:
    from collections.abc import Sequence

if not cython.compiled:
    from engine.games.rules.game import OVER

BEYOND = 1e300  # any value
IN_TURN, MOVE_TO_FRONT, TRANSPOSITION = range(3)
RULES = ("in-turn", "move-to-front", "transposition")
"""What happens to the list of opponents; with the first it is plain Best-Reply Search."""
MOST_PLAYERS = 8


class Frame:
    """One ply: its state, room for its moves, and who is asked for replies in which order."""

    def __init__(self, state: CompiledState, plies: int) -> None:
        """So many plies more follow."""
        self.state = state.blank()
        self.moves = Moves()
        self.order = [0] * 8
        self.next = Frame(state, plies - 1) if plies > 0 else self


class BestReplySearch:
    """The searches of one player in one game, with the list of its opponents."""

    def __init__(self, state: CompiledState, rule: str = "in-turn", *, backwards: bool = False) -> None:
        """For the player who is to move in `state`; the list begins in the order of turns, or backwards.

        Raises NotApplicableError where `turn` has no meaning.
        """
        if not state.turns_given:
            raise NotApplicableError("whose turn it is belongs to the position in this game")
        if not 1 < state.players <= MOST_PLAYERS:
            raise NotApplicableError(f"Best-Reply Search is for 2 to {MOST_PLAYERS} players")
        self.searcher = state.player
        self.others = state.players - 1
        self.rule = RULES.index(rule)
        self.order = [0] * 8
        for i in range(self.others):
            self.order[i] = (self.searcher + (state.players - 1 - i if backwards else 1 + i)) % state.players
        self.depth = 0
        self.value = 0.0
        self.root = Frame(state, 0)
        self.meter = Meter()
        self.error: SearchStoppedError | KeyboardInterrupt | None = None

    def opponents(self) -> Sequence[int]:
        """In the order in which the next one would be asked first."""
        return tuple([self.order[i] for i in range(self.others)])

    def search(self, state: CompiledState, depth: int, meter: Meter) -> Result:
        """See best_reply; the line is only the first move. The player to move is always the same."""
        if state.player != self.searcher:
            raise ValueError(f"a search for player {self.searcher}, not {state.player}")
        self.root = Frame(state, depth)
        self.depth = depth
        self.root.state.assign(state)
        self.visited = self.expanded = self.leaves = 0
        self.told_visited = self.told_expanded = self.told_leaves = 0
        self.next_look = 0
        self.estimated = False
        self.stopped = False
        self.best = -1
        self.meter, self.error = meter, None
        with cython.nogil:
            self.run()
        if self.error is not None:
            raise self.error
        self.tell()
        return Result(self.value, (self.best,) if self.best >= 0 else ())

    def run(self) -> None:
        self.value = self.max_value(self.root, self.depth, -BEYOND, BEYOND)

    def max_value(self, at: Frame, depth: int, alpha: float, beta: float) -> float:
        """The searching player's turn."""
        self.visit()
        if self.stopped:
            return 0.0
        count = 0
        if depth > 0 and at.state.player == self.searcher:
            count = at.state.generate(at.moves)
        if count == 0:
            return self.leaf(at.state)
        self.expanded += 1
        best = -BEYOND
        for i in range(count):
            move = at.moves.at[i]
            at.next.state.assign(at.state)
            at.next.state.advance(move)
            value = self.min_value(at.next, depth - 1, max(best, alpha), beta)
            if self.stopped:
                break
            if value > best:
                best = value
                if depth == self.depth:
                    self.best = move
            if best >= beta:
                break
        return best

    def min_value(self, at: Frame, depth: int, alpha: float, beta: float) -> float:
        """The opponents' turn."""
        self.visit()
        if self.stopped:
            return 0.0
        if depth == 0 or at.state.player == OVER:
            return self.leaf(at.state)
        self.expanded += 1
        for i in range(self.others):
            at.order[i] = self.order[i]
        best = BEYOND
        worst = -1
        for i in range(self.others):
            opponent = at.order[i]
            if at.state.in_game(opponent):
                at.state.give_turn(opponent)
                value = self.replies(at, depth, alpha, min(best, beta))
                if value < best:
                    best = value
                    worst = opponent
                if best <= alpha or self.stopped:
                    break
        if worst < 0 and not self.stopped:
            at.next.state.assign(at.state)
            self.give_me_the_turn(at.next.state)
            return self.max_value(at.next, depth - 1, alpha, beta)
        if not self.stopped:
            self.blame(worst)
        return best

    def replies(self, at: Frame, depth: int, alpha: float, beta: float) -> float:
        """Those of the opponent whose turn it is; BEYOND if there are none."""
        best = BEYOND
        count = at.state.generate(at.moves)
        for i in range(count):
            at.next.state.assign(at.state)
            at.next.state.advance(at.moves.at[i])
            self.give_me_the_turn(at.next.state)
            value = self.max_value(at.next, depth - 1, alpha, min(best, beta))
            best = min(best, value)
            if best <= alpha or self.stopped:
                break
        return best

    def give_me_the_turn(self, state: CompiledState) -> None:
        """Unless the game is over, or over for me."""
        if state.player != OVER and state.in_game(self.searcher):
            state.give_turn(self.searcher)

    def leaf(self, state: CompiledState) -> float:
        self.leaves += 1
        if state.player == OVER:
            return state.payoff_of(self.searcher)
        self.estimated = True
        return state.estimate_of(self.searcher)

    def blame(self, opponent: int) -> None:
        """Move an opponent forward in the list, by the rule."""
        i = 0
        while self.order[i] != opponent:
            i += 1
        if self.rule == MOVE_TO_FRONT:
            while i > 0:
                self.order[i] = self.order[i - 1]
                i -= 1
            self.order[0] = opponent
        elif self.rule == TRANSPOSITION and i > 0:
            self.order[i] = self.order[i - 1]
            self.order[i - 1] = opponent

    def visit(self) -> None:
        """Count a node, and look every now and then whether to stop."""
        if self.visited == self.next_look:
            self.look()
        self.visited += 1

    def look(self) -> None:
        with cython.gil:
            self.ask()

    def ask(self) -> None:
        """Tell the meter, and ask it whether to go on. Ctrl-C ends the search, too."""
        try:
            self.tell()
            self.next_look = self.visited + self.meter.allowance()
        except (SearchStoppedError, KeyboardInterrupt) as error:
            self.error = error
            self.stopped = True

    def tell(self) -> None:
        """The meter what has been done since it was last told."""
        self.meter.add(
            self.visited - self.told_visited,
            self.expanded - self.told_expanded,
            self.leaves - self.told_leaves,
        )
        self.told_visited, self.told_expanded, self.told_leaves = self.visited, self.expanded, self.leaves
