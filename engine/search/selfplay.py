"""Games of the engine against itself at the kernel's speed: hundreds of nodes leave no time for objects.

The root search is the fast twin of `deepening`: the same windows and order of moves, for one line of play and
with a soft limit of nodes. A test holds the two together.
"""

from array import array

import cython

from engine.adjudication import Adjudication, Ending
from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.alphabeta import Searcher

if not cython.compiled:
    from engine.board.movegen import generate
    from engine.search.constants import FIRST_WINDOW_DEPTH, INFINITE, MATE, MATE_BOUND, MAX_PLY, WIDEST_WINDOW
    from engine.search.preference import preference

    NODES_PER_LOOK = 64


class SelfPlayer:
    """Plays games against itself; a game depends only on the position that it starts from.

    Its search of a position is the fast twin of `Deepening`.

    With a `thread_time`, no search goes on after so many nanoseconds of the thread's processor time.

    After `play`, `moves` and `scores` hold a move and a score for each ply, the scores in centipawns from the
    mover's point of view; `result` is White's, 1, 0 or -1.
    """

    def __init__(self, searcher: Searcher, soft_nodes: int, hard_nodes: int, rules: Adjudication) -> None:
        """No depth is begun after `soft_nodes` nodes of a search, and none goes on after `hard_nodes`."""
        self.searcher = searcher
        self.stack = MoveStack()
        self.soft_nodes = soft_nodes
        self.hard_nodes = hard_nodes
        self.thread_time = 0
        self.level_score = rules.level_score
        self.won_score = rules.won_score
        self.won_plies = rules.won_plies
        self.drawn_score = rules.drawn_score
        self.drawn_plies = rules.drawn_plies
        self.drawn_from = rules.drawn_from
        self.longest = rules.longest
        self.moves = array("H", bytes(2 * rules.longest))
        self.scores = array("h", bytes(2 * rules.longest))
        self._move_at = self.moves
        self._score_at = self.scores
        self.searched_nodes = 0
        self.searches = 0
        self.result = 0
        self.ending_number = 0
        self.best = 0
        self.score = 0
        self.root_moves = [0] * 256
        self.root_nodes = [0] * 256
        self.root_preferences = [0] * 256
        self.ranking = [0] * 256
        self.candidates = [0] * 256

    @property
    def ending(self) -> Ending:
        """How the last game ended."""
        return list(Ending)[self.ending_number]

    def play(self, start: Position) -> int:
        """Play a game; how many plies it took, 0 if `start` is not level or the game is over there."""
        return self.play_against(self, start)

    def play_against(self, black: "SelfPlayer", start: Position) -> int:
        """`play` with White against another player; the rules are this player's."""
        for player in (self, black):
            player.forget()
            player.searcher.pos = start.copy()
        with cython.nogil:
            plies = self._play(black)
        return plies

    def forget(self) -> None:
        """Forget everything from earlier searches."""
        self.searcher.table.clear()
        self.searcher.forget_moves()
        self.searcher.forget_positions()

    def think(self, position: Position) -> tuple[int, int]:
        """The move and the score of one search. The position has a legal move."""
        self.searcher.pos = position.copy()
        self._think(generate(self.searcher.pos, self.stack, 0, False))
        return self.best, self.score

    def _play(self, black: "SelfPlayer") -> int:
        wins = 0
        losses = 0
        quiet = 0
        ply = 0
        while True:
            count = generate(self.searcher.pos, self.stack, 0, False)
            if self._is_over(count) or self._is_decided(wins, losses, quiet, ply):
                return ply
            if self.searcher.pos.side:
                generate(black.searcher.pos, black.stack, 0, False)
                black._think(count)
                self.best = black.best
                self.score = black.score
            else:
                self._think(count)
            if ply == 0 and abs(self.score) > self.level_score:
                return 0
            self._move_at[ply] = self.best
            self._score_at[ply] = self.score
            ply += 1
            score = -self.score if self.searcher.pos.side else self.score
            wins = wins + 1 if score > self.won_score else 0
            losses = losses + 1 if score < -self.won_score else 0
            quiet = quiet + 1 if abs(score) <= self.drawn_score and ply > self.drawn_from else 0
            self._advance(self.best)
            if black is not self:
                black._advance(self.best)

    def _is_over(self, count: int) -> bool:
        """By the rules of chess, where there are `count` legal moves; sets `result` and how it ended."""
        self.result = 0
        if count == 0:
            self.ending_number = 0 if self.searcher.pos.checkers else 1
            if self.searcher.pos.checkers:
                self.result = 1 if self.searcher.pos.side else -1
            return True
        if self.searcher.pos.is_insufficient():
            self.ending_number = 2
            return True
        if self.searcher.pos.is_fifty_moves():
            self.ending_number = 3
            return True
        self.ending_number = 4
        return self.searcher.pos.is_repetition(0)

    def _is_decided(self, wins: int, losses: int, quiet: int, ply: int) -> bool:
        """By the last `wins`, `losses` or `quiet` searches, or by length; sets `result` and how it ended."""
        if wins >= self.won_plies or losses >= self.won_plies:
            self.ending_number = 5
            self.result = 1 if wins else -1
            return True
        if quiet >= self.drawn_plies:
            self.ending_number = 6
            return True
        self.ending_number = 7
        return ply >= self.longest

    def _advance(self, move: int) -> None:
        """`Position.advance` without the interpreter lock; the fifty-move rule keeps the stack short."""
        self.searcher.pos.make(move)
        if self.searcher.pos.reversible == 0:
            self.searcher.pos._shift(self.searcher.pos.height)

    def _think(self, count: int) -> None:
        """Search the `count` root moves on the stack; `score` is the last exact one, else the static one."""
        self.searcher.table.age = (self.searcher.table.age + 1) & 31
        self.searcher.control.begin()
        self.searcher._start(self.hard_nodes, 1)
        if self.thread_time:
            self.searcher.control.limit_thread_time(self.thread_time)
            self.searcher._poll_interval = NODES_PER_LOOK
        self.searcher._begin_plies()
        self.searches += 1
        for i in range(count):
            self.root_moves[i] = self.stack.move[i]
            self.root_preferences[i] = preference(self.searcher.pos, self.stack.move[i], self.searcher.ms)
            self.root_nodes[i] = 0
            self._insert(self.ranking, i, self.root_preferences, 0, i)
        self.best = self.root_moves[self.ranking[0]]
        self.score = self.searcher.evaluator.evaluate(self.searcher.pos)
        for depth in range(1, MAX_PLY):
            best = self._search_depth(count, depth)
            if self.searcher.unwinding:
                break
            self.score = best
            if self.searcher._nodes >= self.soft_nodes:
                break
            if abs(best) > MATE_BOUND and depth > MATE - abs(best) + 1:
                break
        self.searched_nodes += self.searcher._nodes

    def _search_depth(self, count: int, depth: int) -> int:
        """The score of a depth, the window being widened until it holds it."""
        self.searcher.seldepth = 0
        self.searcher._root_depth = depth
        alpha = -INFINITE
        beta = INFINITE
        width = self.searcher.parameters.aspiration_window
        if depth >= FIRST_WINDOW_DEPTH and abs(self.score) < MATE_BOUND:
            alpha = self.score - width
            beta = self.score + width
        while True:
            best = self._search_moves(count, depth, alpha, beta)
            if self.searcher.unwinding:
                return best
            width *= 4
            if best <= alpha:
                if beta < INFINITE:
                    beta = (alpha + beta) // 2
                alpha = best - width if width < WIDEST_WINDOW else -INFINITE
            elif best >= beta:
                beta = best + width if width < WIDEST_WINDOW else INFINITE
            else:
                return best

    def _search_moves(self, count: int, depth: int, alpha: int, beta: int) -> int:
        """Principal variation search over the root moves; fail-soft. Each new best one goes to the front."""
        self.candidates[0] = self.ranking[0]
        for number in range(1, count):
            self._insert(self.candidates, number, self.root_nodes, 1, self.ranking[number])
        best = -INFINITE
        leader = -1
        for number in range(count):
            i = self.candidates[number]
            before = self.searcher._nodes
            ties = leader >= 0 and best > alpha and self.root_preferences[i] > self.root_preferences[leader]
            floor = max(alpha, best) - ties
            score = self.searcher._examine(self.root_moves[i], floor, beta, depth, number)
            self.root_nodes[i] = self.searcher._nodes - before
            if self.searcher.unwinding:
                return best
            if score > best or (ties and score == best):
                leader = i
                best = score
                if score > alpha or count == 1:
                    self._promote(i)
            if score >= beta:
                break
        return best

    def _insert(self, order: list[int], place: int, worths: list[int], first: int, i: int) -> None:
        """Put i among `order[first]` … `order[place - 1]`, which fall by `worths`, behind its equals."""
        while place > first and worths[order[place - 1]] < worths[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i

    def _promote(self, i: int) -> None:
        """Make root move i the best."""
        place = 0
        while self.ranking[place] != i:
            place += 1
        while place > 0:
            self.ranking[place] = self.ranking[place - 1]
            place -= 1
        self.ranking[0] = i
        self.best = self.root_moves[i]
