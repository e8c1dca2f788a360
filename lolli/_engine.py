"""The chess engine in this process, with the methods of `chess.engine.SimpleEngine`."""

import time as clock
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Self, overload

import chess
from chess.engine import (
    INFO_ALL,
    INFO_NONE,
    Info,
    InfoDict,
    Limit,
    Opponent,
    Option,
    PlayResult,
    PovScore,
    UciOptionMap,
)

from lolli._analysis import Analysis
from lolli._core import IDENTITY, NO_OPTIONS, Core, Request
from lolli._errors import LimitError
from lolli._limits import limit_of
from lolli._options import Value
from lolli._results import BenchResult, combined
from protocol import about
from protocol.uci.bench import DEFAULT_DEPTH


class Engine:
    """A chess engine in this process; it can take the place of a `chess.engine.SimpleEngine`.

    `options` are those of UCI, as `Engine(hash=256, threads=4, uci_showwdl=True)`; `engine.options` lists
    them. Boards of Chess960 and boards with moves that could be repeated are understood as they are.

    With the same options and limits in depth or nodes, a search by one thread finds the same as over UCI.
    Scores are `PovScore`s in centipawns, on the scale on which +100 is an even chance to win.

    The engine may be used from several threads: a call waits for the call of another thread, but an analysis
    that is read while it runs is stopped by the next call. Several engines share nothing but the weights'
    files. Ctrl-C ends a search, and the engine can be used as before.

    Raises OptionError for options that it does not have.
    """

    def __init__(self, **options: Value) -> None:
        self._core = Core(options)

    # What the engine is, and its options

    @property
    def id(self) -> Mapping[str, str]:
        """`name` and `author` of the engine."""
        return IDENTITY

    @property
    def options(self) -> UciOptionMap[Option]:
        """All options by name, in capitals or not, with types, defaults and bounds."""
        return self._core.options.declared()

    def configure(self, options: Mapping[str, Value] = NO_OPTIONS, **by_name: Value) -> None:
        """Set options for all that follows: `configure({"Hash": 64})` or `configure(hash=64)`.

        None gives an option its default back, and presses a button. Raises OptionError; options that stand
        before the wrong one are set.
        """
        with self._core.lock:
            self._core.configure({**options, **by_name})

    # Searching

    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> InfoDict: ...
    @overload
    def analyse(
        self,
        board: chess.Board,
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> list[InfoDict]: ...
    @overload
    def analyse(
        self,
        board: chess.Board,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> Analysis: ...
    def analyse(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> InfoDict | list[InfoDict] | Analysis:
        """Analyse a board, in one of two ways.

        `analyse(board, chess.engine.Limit(depth=20))` waits for the end, as python-chess does: a dictionary
        with `score`, `pv`, `depth`, `nodes`, `time` (seconds) and others, or with `multipv` a list of them,
        one for each line, the best first.

        `for info in engine.analyse(board, depth=20)`, with limits by name or none, begins at once and hands
        out a dictionary for each depth as it is finished: see `analysis`.

        `root_moves`: analyse only these. `game`: whenever it is another object than before, what was learned
        is forgotten. `options` hold for this call alone. Raises PositionError, LimitError, OptionError,
        TypeError for a `multipv` that is not whole; EngineTerminatedError if the engine is closed meanwhile.
        """
        waits = limit is not None
        limit = limit_of(limit, depth=depth, nodes=nodes, time=time, mate=mate)
        request = Request(board, limit, game, info, root_moves, options, multipv)
        if not waits:
            return self._begin_analysis(request)
        with self._core.lock:
            search = self._core.analyse(request)
            self._core.wait(search)
        search.best()
        lines = combined(search.infos())
        return lines[0] if multipv is None else lines

    def analysis(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> Analysis:
        """Begin an analysis and return at once; it is read while it runs, mostly in a `for` loop.

        Without a limit it goes on until it is stopped, or until there is nothing more to be found. The
        arguments and errors are those of `analyse`.
        """
        limit = limit_of(limit, depth=depth, nodes=nodes, time=time, mate=mate)
        return self._begin_analysis(Request(board, limit, game, info, root_moves, options, multipv))

    def play(
        self,
        board: chess.Board,
        limit: Limit | None = None,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        mate: int | None = None,
        game: object = None,
        info: Info = INFO_NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
        opponent: Opponent | None = None,
    ) -> PlayResult:
        """Choose a move: `play(board, chess.engine.Limit(time=0.5))` or `play(board, time=0.5)`.

        The move and the expected reply are None where there is none, as at the end of a game. A limit in
        strength and the opening book count here, not in an analysis. `info` selects what is told beside the
        move. With `ponder` the engine goes on thinking about the reply that it expects; if the next board is
        that one, in the same game, it has begun already. `draw_offered` and `opponent` make no difference.
        The other arguments and the errors are those of `analyse`; LimitError also if there is no limit.
        """
        del draw_offered, opponent
        limit = limit_of(limit, depth=depth, nodes=nodes, time=time, mate=mate)
        if limit is None:
            raise LimitError("a move needs a limit, such as time=1.0")
        request = Request(board, limit, game, info, root_moves, options)
        with self._core.lock:
            began = clock.perf_counter()
            search = self._core.play(request, ponder=ponder)
            self._core.wait(search)
            result = search.result()
            if ponder:
                self._core.ponder(request, result, clock.perf_counter() - began)
            return result

    def evaluate(self, board: chess.Board) -> PovScore:
        """The static evaluation, without a search: what the evaluator thinks of the board as it stands.

        On the scale of the scores of a search. In check, and where captures are possible, a static
        evaluation says little. Raises PositionError.
        """
        with self._core.lock:
            return self._core.evaluate(board)

    def bench(self, depth: int = DEFAULT_DEPTH) -> BenchResult:
        """Search a fixed set of positions `depth` plies deep, with one thread and the default options.

        The number of nodes identifies the search: it is that of `lolli bench`. Raises LimitError for a depth
        below 1, TypeError for one that is not whole.
        """
        with self._core.lock:
            return self._core.bench(depth)

    # The rest of what a SimpleEngine has

    def ping(self) -> None:
        """Get ready for a search, which otherwise costs the next one some milliseconds."""
        with self._core.lock:
            self._core.get_ready()

    def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Without effect: this engine plays everybody alike."""

    def send_game_result(
        self,
        board: chess.Board,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None:
        """Without effect."""

    def quit(self) -> None:
        """The same as `close`."""
        self.close()

    def close(self) -> None:
        """End all searches and give memory back. From then on all methods raise EngineTerminatedError.

        May be called from any thread, and more than once; a search that another thread waits for ends with
        EngineTerminatedError there.
        """
        self._core.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lolli.Engine {about.VERSION}{', closed' if self._core.closed else ''}>"

    def _begin_analysis(self, request: Request) -> Analysis:
        with self._core.lock:
            search = self._core.analyse(request)
        return Analysis(search, partial(self._core.stop, search))
