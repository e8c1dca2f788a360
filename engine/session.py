"""One chess engine: the position, the table, the threads that search, and how to stop them."""

from collections.abc import Sequence
from dataclasses import replace

from engine.board.fen import START_FEN, mirrored, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from engine.board.position import Position
from engine.search.alphabeta import Searcher
from engine.search.clock import now
from engine.search.control import Control
from engine.search.limits import Limits
from engine.search.report import Listener
from engine.search.run import Run, Task
from engine.search.settings import Settings
from engine.search.table import Table
from engine.search.techniques import Techniques
from eval.evaluator import Evaluator
from eval.material import Material

EVALUATORS: dict[str, type[Evaluator]] = {"material": Material}
"""The evaluators that can be chosen, by the name of the UCI option's value."""


class SearchingError(RuntimeError):
    """What was asked for has to wait until the search has ended."""


class Session:
    """One engine. All methods are for one thread, the protocol's; the search runs in others."""

    def __init__(self, settings: Settings | None = None, megabytes: int = 16) -> None:
        self.settings = settings or Settings()
        self._position = parse_fen(START_FEN)
        self._fen: str | None = START_FEN  # with the moves, the game so far: mostly it just grows
        self._moves: list[str] = []
        self._table = Table(megabytes)
        self._control = Control()
        self._use = Techniques()
        self._searchers: list[Searcher] = []
        self._evaluator = self.settings.evaluator
        self._search: Run | None = None

    @property
    def position(self) -> Position:
        """The current position; not to be changed."""
        return self._position

    @property
    def searching(self) -> bool:
        """Whether a search has yet to give its outcome."""
        return self._search is not None and not self._search.over

    @property
    def hash_megabytes(self) -> int:
        """The size of the transposition table."""
        return self._table.megabytes

    def set_position(self, fen: str, moves: Sequence[str] = ()) -> None:
        """Go to a position and play moves; FenError or MoveError leave everything as it was."""
        self._must_be_idle("position")
        known = len(self._moves)
        if fen == self._fen and list(moves[:known]) == self._moves:
            position = self._position.copy()
        else:
            position, known = parse_fen(fen), 0
        for text in moves[known:]:
            position.advance(parse_move(position, text))
        self._position, self._fen, self._moves = position, fen, list(moves)

    def flip(self) -> None:
        """Turn the board upside down and exchange the colours."""
        self._must_be_idle("flip")
        self._position, self._fen, self._moves = mirrored(self._position), None, []

    def go(self, limits: Limits, listener: Listener, started: int | None = None) -> None:
        """Begin a search; it reports to the listener. SearchingError if one is running.

        `started` is when the command arrived, in nanoseconds of `clock.now`. The outcome of an
        infinite search or of pondering is held back until `stop` or `ponderhit`.
        """
        self._must_be_idle("go")
        moves = legal_moves(self._position)
        if limits.search_moves:
            moves = [move for move in moves if move in limits.search_moves]
            if not moves:
                raise MoveError("none of the search moves is legal here")
        self._use.singular_extensions = self.settings.singular_extensions
        # Looking for a mate in so many moves is no time to guess: zugzwang and quiet keys are common there.
        self._use.null_move = self._use.late_move_reductions = limits.mate is None
        self._table.new_search()
        self._control.begin()
        task = Task(
            position=self._position,
            moves=moves,
            limits=limits,
            settings=replace(self.settings),
            started=now() if started is None else started,
            searchers=self._prepare_searchers(),
            table=self._table,
            control=self._control,
            use=self._use,
        )
        search = Run(task, listener)
        search.start()
        self._search = search

    def stop(self) -> None:
        """Ask the search to end; returns at once."""
        if self._search:
            self._search.stop()

    def ponderhit(self) -> None:
        """The move pondered on was played: from now on the clock counts."""
        if self._search:
            self._search.ponderhit()

    def wait(self, timeout: float | None = None) -> bool:
        """Until the search has given its outcome; False if that took more than `timeout` seconds."""
        return self._search is None or self._search.delivered.wait(timeout)

    def new_game(self) -> None:
        """Forget all that was learned in the last game."""
        self.clear_table()
        for searcher in self._searchers:
            searcher.forget()

    def clear_table(self) -> None:
        """Empty the transposition table."""
        self._must_be_idle("clearing the hash table")
        self._table.clear()

    def resize_table(self, megabytes: int) -> None:
        """An empty table of another size; TableError leaves the old one in use."""
        self._must_be_idle("a new hash table")
        if megabytes == self._table.megabytes:
            return
        self._table = Table(megabytes, replaces=self._table.megabytes)
        self._search = None  # the last one still has the old table
        for searcher in self._searchers:
            searcher.use_table(self._table)

    def evaluate(self) -> int:
        """The static value of the position in centipawns from White's point of view."""
        value = EVALUATORS[self.settings.evaluator]().judge(self._position)
        return -value if self._position.side else value

    def terms(self) -> list[tuple[str, int, int]]:
        """The parts of the static value: (term, White's centipawns, Black's centipawns)."""
        return EVALUATORS[self.settings.evaluator]().terms(self._position)

    def close(self) -> None:
        """Stop, and wait until no thread of the search is left."""
        self.stop()
        if self._search:
            self._search.join()

    def _must_be_idle(self, what: str) -> None:
        if self.searching:
            raise SearchingError(f"{what} has to wait: a search is running")

    def _prepare_searchers(self) -> list[Searcher]:
        """As many as there are threads, all with the evaluator chosen."""
        evaluator = EVALUATORS[self.settings.evaluator]
        del self._searchers[self.settings.threads :]
        if self.settings.evaluator != self._evaluator:
            self._evaluator = self.settings.evaluator
            for searcher in self._searchers:
                searcher.use_evaluator(evaluator())
        while len(self._searchers) < self.settings.threads:
            self._searchers.append(Searcher(self._table, self._control, evaluator(), self._use))
        return self._searchers
