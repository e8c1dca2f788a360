"""What the engine for threads and the one for asyncio share: one session, and one search at a time."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import RLock

import chess
from chess.engine import INFO_ALL, Cp, EngineTerminatedError, Info, Limit, PlayResult, PovScore

from engine.board.position import COMPILED
from engine.session import Session
from lolli._errors import LimitError, OptionError
from lolli._limits import engine_limits
from lolli._moves import engine_moves, set_position
from lolli._numbers import whole
from lolli._options import Options, Value
from lolli._pondering import Pondering, pondering_after
from lolli._results import BenchResult, Translator
from lolli._search import Search
from protocol import about
from protocol.evaluation import Scale, scale_of
from protocol.uci import bench
from protocol.uci.replies import UNCOMPILED

Notify = Callable[[], None]
IDENTITY: Mapping[str, str] = {"name": f"{about.NAME} {about.build()}", "author": about.AUTHOR}
NO_OPTIONS: Mapping[str, Value] = {}
_LOG = logging.getLogger("lolli")
_MOST_LINES = 256


@dataclass(frozen=True, slots=True)
class Request:
    """What a call asks for: python-chess's arguments."""

    board: chess.Board
    limit: Limit | None
    game: object = None
    info: Info = INFO_ALL
    root_moves: Iterable[chess.Move] | None = None
    options: Mapping[str, Value] = field(default_factory=dict)
    multipv: int | None = None


class Core:
    """One engine. A caller holds `lock` for the whole of a call; `stop` and `close` are for any thread.

    Every call but these ends the search that is under way. All raise EngineTerminatedError after `close`.
    """

    def __init__(self, options: Mapping[str, Value]) -> None:
        """Raises OptionError."""
        if not COMPILED:
            _LOG.warning("%s", UNCOMPILED)
        self.lock = RLock()
        self.closed = False
        self._session = Session()
        self.options = Options(self._session)
        self._search: Search | None = None
        self._search_lock = RLock()  # for a moment: which search is the one that runs
        self._pondering: Pondering | None = None
        self._game: object = None
        self._is_first_game = True
        for problem in self._session.problems:
            _LOG.warning("%s", problem)
        try:
            self.configure(options)
        except BaseException:
            self.close()
            raise

    def __del__(self) -> None:
        if hasattr(self, "_session"):
            self._session.stop()

    # One call each

    def configure(self, given: Mapping[str, Value]) -> None:
        """Set options for all that follows. Raises OptionError."""
        self._begin()
        self.options.configure(given)
        self.options.bring_about({}, {})
        self._tell_shortages()

    def get_ready(self) -> None:
        """Make the searchers, which the next search would have to make."""
        self._begin()
        self._session.get_ready()
        self._tell_shortages()

    def analyse(self, request: Request, notify: Notify | None = None) -> Search:
        """Begin an analysis. Raises PositionError, LimitError, OptionError."""
        self._begin()
        self._prepare(request, {"UCI_AnalyseMode": True}, 1 if request.multipv is None else request.multipv)
        return self._go(request, notify)

    def play(self, request: Request, *, ponder: bool, notify: Notify | None = None) -> Search:
        """Begin to choose a move, or go on where that was pondered on. Raises as `analyse` does."""
        self._require_open()
        pondering, search = self._pondering, self._search
        if ponder and pondering is not None and search is not None and pondering.fits(request):
            self._pondering = None
            search.translator = replace(search.translator, wanted=request.info)
            search.notify = notify
            self._session.ponderhit()
            return search
        self._begin()
        self._prepare(request, {"UCI_AnalyseMode": False}, 1)
        return self._go(request, notify)

    def ponder(self, request: Request, result: PlayResult, seconds: float) -> None:
        """Ponder on the reply that a move expects, which took so many seconds to find."""
        pondering = pondering_after(request, result, seconds)
        if pondering is not None and not self.closed:
            self._go(
                replace(request, board=pondering.board, limit=pondering.limit, root_moves=None), None, True
            )
            self._pondering = pondering

    def evaluate(self, board: chess.Board) -> PovScore:
        """The static value of a board. Raises PositionError."""
        self._begin()
        self.options.bring_about({}, {})
        set_position(self._session, board)
        return PovScore(Cp(self._scale().centipawns(self._session.static_value())), board.turn)

    def bench(self, depth: int) -> BenchResult:
        """Search the positions of `lolli bench`. Raises LimitError, TypeError."""
        depth = whole("the depth of a bench", depth)
        if depth < 1:
            raise LimitError(f"the depth of a bench must be at least 1, not {depth}")
        self._begin()
        began = time.perf_counter()
        counts = bench.counts(bench.fresh_session(), depth, lambda: self.closed)
        nodes = sum(nodes for _, nodes in counts)
        self._require_open()
        return BenchResult(nodes, time.perf_counter() - began)

    def wait(self, search: Search) -> None:
        """Wait until a search has ended; an interruption, such as Ctrl-C, ends it."""
        try:
            search.wait()
        except BaseException:
            self.stop(search)
            search.wait()
            raise

    # From any thread

    def stop(self, search: Search) -> None:
        """Ask this search to end; returns at once. Without effect where it is not the one that runs."""
        with self._search_lock:
            if search is self._search:
                self._session.stop()

    def close(self) -> None:
        """End everything and give memory back."""
        self.closed = True
        with self._search_lock:
            if self._search is not None and not self._search.over:
                self._search.terminated = True
            self._session.stop()
        with self.lock:
            self._session.close()

    # The parts of a call

    def _require_open(self) -> None:
        if self.closed:
            raise EngineTerminatedError("the engine is closed")

    def _begin(self) -> None:
        """End what runs, so that the session is free."""
        self._require_open()
        self._pondering = None
        self._session.stop()
        self._session.wait()

    def _prepare(self, request: Request, usual: Mapping[str, Value], lines: int) -> None:
        """Options, game and board of a search."""
        lines = whole("multipv", lines)
        if not 1 <= lines <= _MOST_LINES:
            raise OptionError(f"MultiPV must be from 1 to {_MOST_LINES}")
        self.options.bring_about(request.options, usual)
        self._session.settings.lines = lines
        if self._is_first_game or request.game != self._game:
            self._game, self._is_first_game = request.game, False
            self._session.new_game()
        set_position(self._session, request.board)

    def _go(self, request: Request, notify: Notify | None, ponder: bool = False) -> Search:
        board = request.board
        if ponder:
            set_position(self._session, board)
        moves = () if request.root_moves is None else engine_moves(self._session.position, request.root_moves)
        limits = engine_limits(request.limit, moves, ponder=ponder)
        translator = Translator(board.turn, board.chess960, self._scale(), request.info)
        search = Search(translator, notify)
        with self._search_lock:
            self._require_open()
            self._session.go(limits, search)
            self._search = search
        self._tell_shortages()
        return search

    def _scale(self) -> Scale:
        session = self._session
        return scale_of(
            session.position, session.outcome_model, session.normalises, self.options.shows_chances
        )

    def _tell_shortages(self) -> None:
        for shortage in self._session.shortages():
            _LOG.warning("%s", shortage)
