"""The compiled twin of search/best_reply.py and search/threat_ads.py, for compiled states.

Values, moves and counts are the same. There is one state a ply, changed in place, and no Python object is
touched during a search.
"""

from __future__ import annotations

from collections.abc import Sequence

import cython

from engine.games.rules.compiled_state import CompiledState, Moves
from engine.games.rules.game import NotApplicableError
from engine.games.search.basics import Meter, Result, SearchStoppedError

if not cython.compiled:
    from engine.games.rules.game import OVER

BEYOND = 1e300  # any value
IN_TURN, MOVE_TO_FRONT, TRANSPOSITION = range(3)
RULES = ("in-turn", "move-to-front", "transposition")
"""Of the list of opponents; with the first it is plain Best-Reply Search."""
MOST_PLAYERS = 8


class Frame:
    """One ply: its state, room for its moves, and the order in which opponents are asked for replies."""

    def __init__(self, state: CompiledState, plies: int) -> None:
        """Followed by `plies` more."""
        self.state = state.blank()
        self.moves = Moves()
        self.order = [0] * 8
        self.next = Frame(state, plies - 1) if plies > 0 else self


class BestReplySearch:
    """The searches of one player in one game, with the list of its opponents."""

    def __init__(self, state: CompiledState, rule: str = "in-turn", *, backwards: bool = False) -> None:
        """For the player to move in `state`; the list begins in the order of turns, or backwards.

        Raises NotApplicableError where `turn` has no meaning.
        """
        if not state.turns_given:
            raise NotApplicableError("the turn cannot be given to another player in this game")
        if not 1 < state.players <= MOST_PLAYERS:
            raise NotApplicableError(f"Best-Reply Search is for 2 to {MOST_PLAYERS} players")
        self.max_player = state.player
        self.others = state.players - 1
        self.rule = RULES.index(rule)
        self.order = [0] * 8
        for i in range(self.others):
            step = state.players - 1 - i if backwards else 1 + i
            self.order[i] = (self.max_player + step) % state.players
        self.depth = 0
        self.value = 0.0
        self.root = Frame(state, 0)
        self.meter = Meter()
        self.error: SearchStoppedError | KeyboardInterrupt | None = None

    def opponents(self) -> Sequence[int]:
        """In the order in which they are asked next."""
        return tuple([self.order[i] for i in range(self.others)])

    def search(self, state: CompiledState, depth: int, meter: Meter) -> Result:
        """See `best_reply` of the textbook; the line is only the first move.

        Raises ValueError for another player to move, SearchStoppedError where the meter says so.
        """
        if state.player != self.max_player:
            raise ValueError(f"a search for player {self.max_player}, not {state.player}")
        self.root = Frame(state, depth)
        self.depth = depth
        self.root.state.assign(state)
        self.visited = self.expanded = self.leaves = 0
        self.reported_visited = self.reported_expanded = self.reported_leaves = 0
        self.next_look = 0
        self.estimated = False
        self.stopped = False
        self.best = -1
        self.meter, self.error = meter, None
        with cython.nogil:
            self.run()
        if self.error is not None:
            raise self.error
        self.report()
        return Result(self.value, (self.best,) if self.best >= 0 else ())

    def run(self) -> None:
        self.value = self.max_value(self.root, self.depth, -BEYOND, BEYOND)

    def max_value(self, ply: Frame, depth: int, alpha: float, beta: float) -> float:
        self.visit()
        if self.stopped:
            return 0.0
        count = 0
        if depth > 0 and ply.state.player == self.max_player:
            count = ply.state.generate(ply.moves)
        if count == 0:
            return self.leaf(ply.state)
        self.expanded += 1
        best = -BEYOND
        for i in range(count):
            move = ply.moves.at[i]
            ply.next.state.assign(ply.state)
            ply.next.state.advance(move)
            value = self.min_value(ply.next, depth - 1, max(best, alpha), beta)
            if self.stopped:
                break
            if value > best:
                best = value
                if depth == self.depth:
                    self.best = move
            if best >= beta:
                break
        return best

    def min_value(self, ply: Frame, depth: int, alpha: float, beta: float) -> float:
        self.visit()
        if self.stopped:
            return 0.0
        if depth == 0 or ply.state.player == OVER:
            return self.leaf(ply.state)
        self.expanded += 1
        for i in range(self.others):
            ply.order[i] = self.order[i]
        best = BEYOND
        worst = -1
        for i in range(self.others):
            opponent = ply.order[i]
            if ply.state.in_game(opponent):
                self.give_turn(ply.state, opponent)
                value = self.replies(ply, depth, alpha, min(best, beta))
                if value < best:
                    best = value
                    worst = opponent
                if best <= alpha or self.stopped:
                    break
        if worst < 0 and not self.stopped:
            ply.next.state.assign(ply.state)
            self.give_turn_to_max(ply.next.state)
            return self.max_value(ply.next, depth - 1, alpha, beta)
        if not self.stopped:
            self.blame(worst)
        return best

    def replies(self, ply: Frame, depth: int, alpha: float, beta: float) -> float:
        """The least value after a reply of the opponent whose turn it is; BEYOND if there are no replies."""
        best = BEYOND
        count = ply.state.generate(ply.moves)
        for i in range(count):
            ply.next.state.assign(ply.state)
            ply.next.state.advance(ply.moves.at[i])
            self.give_turn_to_max(ply.next.state)
            value = self.max_value(ply.next, depth - 1, alpha, min(best, beta))
            best = min(best, value)
            if best <= alpha or self.stopped:
                break
        return best

    def give_turn_to_max(self, state: CompiledState) -> None:
        """Unless the game is over, or over for MAX."""
        if state.player != OVER and state.in_game(self.max_player):
            self.give_turn(state, self.max_player)

    def give_turn(self, state: CompiledState, player: int) -> None:
        """A player who has the turn keeps what goes with it, such as a pass before."""
        if state.player != player:
            state.give_turn(player)

    def leaf(self, state: CompiledState) -> float:
        self.leaves += 1
        if state.player == OVER:
            return state.payoff_of(self.max_player)
        self.estimated = True
        return state.estimate_of(self.max_player)

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
        """Count a node, and ask the meter every now and then."""
        if self.visited == self.next_look:
            self.look()
        self.visited += 1

    def look(self) -> None:
        with cython.gil:
            self.ask()

    def ask(self) -> None:
        """Report to the meter, and ask it whether to go on. Ctrl-C ends the search, too."""
        try:
            self.report()
            self.next_look = self.visited + self.meter.allowance()
        except (SearchStoppedError, KeyboardInterrupt) as error:
            self.error = error
            self.stopped = True

    def report(self) -> None:
        self.meter.add(
            self.visited - self.reported_visited,
            self.expanded - self.reported_expanded,
            self.leaves - self.reported_leaves,
        )
        self.reported_visited = self.visited
        self.reported_expanded = self.expanded
        self.reported_leaves = self.leaves
