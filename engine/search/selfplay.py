"""Games of the engine against itself at the kernel's speed: hundreds of nodes leave no time for objects."""

from array import array

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from engine.search.alphabeta import Searcher
from engine.search.root_search import RootSearch
from eval.evaluator import Evaluator
from eval.outcome import Adjudication, Ending

if not cython.compiled:
    from engine.board.move import is_quiet
    from engine.board.movegen import generate
    from engine.search.constants import MATE, MATE_BOUND, MAX_PLY, UNKNOWN

    NODES_PER_LOOK = 64


class SelfPlayer:
    """Plays games against itself; a game depends only on the position that it starts from.

    With a `thread_time`, no search goes on after so many nanoseconds of the thread's processor time.

    After `play`, `moves` and `scores` hold a move and a score for each ply, the scores in centipawns from the
    mover's point of view; `result` is White's, 1, 0 or -1.
    """

    def __init__(self, searcher: Searcher, soft_nodes: int, hard_nodes: int, rules: Adjudication) -> None:
        """No depth is begun after `soft_nodes` nodes of a search, and none goes on after `hard_nodes`."""
        self.searcher = searcher
        self.root = RootSearch(searcher)
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
        self.searcher._begin(self.hard_nodes, 1)
        if self.thread_time:
            self.searcher.control.limit_thread_time(self.thread_time)
            self.searcher._poll_interval = NODES_PER_LOOK
        self.searches += 1
        self.root.take(self.stack, count)
        self.score = self.searcher.evaluator.evaluate(self.searcher.pos)
        for depth in range(1, MAX_PLY):
            self.root.start_line(depth, 0)
            self.root._search(0)
            if self.searcher.stopped:
                break
            self.score = self.root.best_score
            if self.searcher._nodes >= self.soft_nodes:
                break
            if abs(self.score) > MATE_BOUND and depth > MATE - abs(self.score) + 1:
                break
        self.best = self.root.moves[self.root.ranking[0]]
        self.searched_nodes += self.searcher._nodes


class Teacher(Evaluator):
    """Evaluates by a small search, for labels to learn from; another searcher may be searching meanwhile."""

    def __init__(self, player: SelfPlayer) -> None:
        """The searches are those of `player`, who plays no games meanwhile."""
        self.player = player

    def forget(self) -> None:
        """Forget everything from earlier searches."""
        self.player.forget()

    def evaluate(self, position: Position) -> int:
        """The score of a search that knows nothing of earlier moves, or UNKNOWN.

        It is UNKNOWN where no static value could say it: where the best move is not quiet, and in stalemate.
        """
        self.player.searcher.pos._copy_from(position)
        self.player.searcher.pos._shift(position.height)
        count = generate(self.player.searcher.pos, self.player.stack, 0, False)
        if count == 0:
            return UNKNOWN
        self.player._think(count)
        return self.player.score if is_quiet(self.player.best) else UNKNOWN
