"""The chess engine in this process, with the methods of `chess.engine.SimpleEngine`."""

from __future__ import annotations

import logging
import time as clock
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike, fspath
from threading import RLock
from typing import Any, Self, TypeAlias, TypedDict, Unpack, overload

import chess
from chess.engine import (
    INFO_ALL,
    INFO_NONE,
    MANAGED_OPTIONS,
    Cp,
    EngineTerminatedError,
    Info,
    InfoDict,
    Limit,
    Opponent,
    Option,
    PlayResult,
    PovScore,
    UciOptionMap,
)

from engine.board.position import COMPILED
from engine.search.limits import Limits
from engine.session import Session
from lolli._errors import LimitError, OptionError, whole
from lolli._positions import Board, board_of, engine_moves, set_position
from lolli._search import Analysis, Search
from protocol import about
from protocol.evaluation import Scale, scale_of
from protocol.text import ProtocolError, describe, quoted
from protocol.uci import bench
from protocol.uci.bench import DEFAULT_DEPTH
from protocol.uci.options import OPTIONS, Strength, UciOption
from protocol.uci.parser import GO_NUMBERS
from protocol.uci.replies import UNCOMPILED, per_second

Value: TypeAlias = bool | int | str | PathLike[str] | None
"""Of an option. None is for a button, and for the default of any other."""
IDENTITY: Mapping[str, str] = {"name": f"{about.NAME} {about.build()}", "author": about.AUTHOR}
NO_OPTIONS: Mapping[str, Value] = {}
_LOG = logging.getLogger("lolli")
_MOST_LINES = 256
_OFFERED = tuple(option for option in OPTIONS if option.name != "Debug Log File")  # which is the dialogue's


class Given(TypedDict, total=False):
    """The arguments by name of any search."""

    game: object
    info: Info
    root_moves: Iterable[chess.Move] | None
    options: Mapping[str, Value]


class GivenLimits(Given, total=False):
    """The same with limits by name."""

    depth: int | None
    nodes: int | None
    time: float | None
    mate: int | None


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

    def after(self, result: PlayResult, seconds: float) -> Request | None:
        """The request that is expected next, after `result` took `seconds` to find; None if none is expected.

        The limit is the same, with the clocks as they will be.
        """
        limit = self.limit
        if limit is None or result.move is None or result.ponder is None:
            return None
        board = self.board.copy()
        board.push(result.move)
        board.push(result.ponder)
        white, black = limit.white_clock, limit.black_clock
        if white is not None:
            white += (limit.white_inc or 0) - (seconds if board.turn == chess.WHITE else 0)
        if black is not None:
            black += (limit.black_inc or 0) - (seconds if board.turn == chess.BLACK else 0)
        moves = limit.remaining_moves - 1 if limit.remaining_moves else limit.remaining_moves
        limit = replace(limit, white_clock=white, black_clock=black, remaining_moves=moves)
        return replace(self, board=board, limit=limit, root_moves=None)

    def is_like(self, other: Request) -> bool:
        """Whether both ask about the same board, in the same game."""
        return (
            self.game == other.game
            and dict(self.options) == dict(other.options)
            and self.root_moves is other.root_moves is None
            and self.board.move_stack == other.board.move_stack
            and self.board == other.board
        )


def limit_of(
    limit: Limit | None, *, depth: int | None, nodes: int | None, time: float | None, mate: int | None
) -> Limit | None:
    """A limit given in either way. Raises LimitError for both ways at once."""
    if all(each is None for each in (depth, nodes, time, mate)):
        return limit
    if limit is not None:
        raise LimitError("limits are given in a Limit or by name, not both")
    return Limit(depth=depth, nodes=nodes, time=time, mate=mate)


def needed(limit: Limit | None) -> Limit:
    """The limit. Raises LimitError if it is none, or one that never ends a search."""
    if limit is None or engine_limits(limit).endless:
        raise LimitError("a search needs a limit, such as Limit(time=1.0)")
    return limit


@dataclass(frozen=True, slots=True)
class BenchResult:
    """What a bench has found: `nodes` are the same on every run, `seconds` are not."""

    nodes: int
    seconds: float

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return per_second(self.nodes, round(1000 * self.seconds))


def lines_of(name: str, value: int) -> int:
    """`value` as a number of lines. Raises OptionError, and TypeError if it is not whole."""
    lines = whole(name, value)
    if not 1 <= lines <= _MOST_LINES:
        raise OptionError(f"{name} must be from 1 to {_MOST_LINES}")
    return lines


def engine_limits(limit: Limit | None, moves: tuple[int, ...] = (), *, ponder: bool = False) -> Limits:
    """What UCI's `go` would be sent for this limit; None is none at all. Raises LimitError."""

    def bounded(word: str, number: float | None, least: int = 1) -> int | None:
        """What the parser makes of a number after this word of `go`."""
        if number is None:
            return None
        smallest, largest = GO_NUMBERS[word]
        return min(max(least, int(number), smallest), largest)

    def milliseconds(word: str, seconds: float | None, least: int = 1) -> int | None:
        return None if seconds is None else bounded(word, round(1000 * seconds), least)

    if limit is None:
        return Limits(search_moves=moves)
    try:
        return Limits(
            time=(milliseconds("wtime", limit.white_clock), milliseconds("btime", limit.black_clock)),
            increment=(
                milliseconds("winc", limit.white_inc, 0) or 0,
                milliseconds("binc", limit.black_inc, 0) or 0,
            ),
            moves_to_go=bounded("movestogo", limit.remaining_moves or None),
            depth=bounded("depth", limit.depth),
            nodes=bounded("nodes", limit.nodes),
            move_time=milliseconds("movetime", limit.time),
            mate=bounded("mate", limit.mate),
            ponder=ponder,
            search_moves=moves,
        )
    except (OverflowError, TypeError, ValueError):
        raise LimitError(f"not a limit: {limit}") from None


# Options: those of UCI, by their names there or as Python writes names, `move_overhead` for `Move Overhead`


def _folded(name: str) -> str:
    return name.lower().replace(" ", "").replace("_", "")


_BY_NAME = {_folded(option.name): option for option in _OFFERED}


class Options:
    """The options of one session: what was configured, and what is in effect for the command under way."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.chess960 = False  # never read: each board says it
        self.shows_chances = False
        self.strength = Strength()
        self.switched: dict[str, int] = {}
        self._configured: dict[str, Any] = {}
        self._in_effect: dict[str, Any] = {}

    def log_to(self, path: str) -> None:
        """There is no dialogue to log."""

    def notice(self, text: str) -> None:
        _LOG.warning("%s", text)

    def declared(self) -> UciOptionMap[Option]:
        """All options, as python-chess lists them."""
        return UciOptionMap(
            (
                option.name,
                Option(
                    name=option.name,
                    type=option.kind,
                    default=self._default(option),
                    min=option.smallest if option.kind == "spin" else None,
                    max=option.largest if option.kind == "spin" else None,
                    var=[] if option.choices is None else list(option.choices(self.session)),
                ),
            )
            for option in _OFFERED
        )

    def configure(self, given: Mapping[str, Value]) -> None:
        """Set options for all that follows. Raises OptionError; those before the wrong one are set."""
        for option, value in self._read(given):
            if option.kind == "button":
                self._apply(option, value)
                continue
            self._bring(option, value)
            self._configured[option.name] = value

    def bring_about(self, given: Mapping[str, Value], usual: Mapping[str, Value]) -> None:
        """Put into effect what was configured, with what is given for one command in its place.

        `usual` is what this command has unless it was configured or given. Raises OptionError.
        """
        wanted = {option.name: value for option, value in self._read(usual)}
        wanted |= self._configured
        for option, value in self._read(given):
            if option.kind == "button":
                self._apply(option, value)
            else:
                wanted[option.name] = value
        for option in _OFFERED:
            if option.name in wanted or option.name in self._in_effect:
                self._bring(option, wanted.get(option.name, self._default(option)))

    def _bring(self, option: UciOption, value: object) -> None:
        if self._in_effect.get(option.name, self._default(option)) != value:
            self._apply(option, value)
        self._in_effect[option.name] = value

    def _apply(self, option: UciOption, value: object) -> None:
        try:
            if option.apply is not None:
                option.apply(self, value)
        except Exception as error:
            raise OptionError(f"{option.name} stays as it was: {str(error) or describe(error)}") from error

    def _read(self, given: Mapping[str, Value]) -> Iterator[tuple[UciOption, Any]]:
        for name, value in given.items():
            option = _BY_NAME.get(_folded(name))
            if option is None:
                known = ", ".join(each.name for each in _OFFERED)
                raise OptionError(f"unknown option {quoted(name)}; known options: {known}")
            if option.name.lower() in MANAGED_OPTIONS:
                raise OptionError(f"{option.name} is set by each call, as its board and arguments say")
            if value is None and option.kind != "button":
                yield option, self._default(option)
                continue
            text = _option_text(value)
            if "\n" in text or "\r" in text:
                raise OptionError(f"{option.name}: a line break in {quoted(text)}")
            try:
                yield option, option.value(text, self.session)
            except ProtocolError as error:
                raise OptionError(str(error)) from None

    def _default(self, option: UciOption) -> Any:
        return option.default if option.choices is None else option.choices(self.session)[0]


def _option_text(value: Value) -> str:
    if isinstance(value, PathLike):
        return fspath(value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


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
        if not COMPILED:
            _LOG.warning("%s", UNCOMPILED)
        self._lock = RLock()
        self._closed = False
        self._session = Session()
        self._options = Options(self._session)
        self._search: Search | None = None
        self._search_lock = RLock()  # for a moment: which search is the one that runs
        self._expected: Request | None = None  # what is pondered on
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

    @property
    def id(self) -> Mapping[str, str]:
        """`name` and `author` of the engine."""
        return IDENTITY

    @property
    def options(self) -> UciOptionMap[Option]:
        """All options by name, in capitals or not, with types, defaults and bounds."""
        return self._options.declared()

    def configure(self, options: Mapping[str, Value] = NO_OPTIONS, **by_name: Value) -> None:
        """Set options for all that follows: `configure({"Hash": 64})` or `configure(hash=64)`.

        None gives an option its default back, and presses a button. Raises OptionError; options that stand
        before the wrong one are set.
        """
        with self._lock:
            self._begin()
            self._options.configure({**options, **by_name})
            self._options.bring_about({}, {})
            self._tell_shortages()

    @overload
    def analyse(
        self, board: Board, limit: Limit, *, multipv: None = None, **given: Unpack[Given]
    ) -> InfoDict: ...
    @overload
    def analyse(
        self, board: Board, limit: Limit, *, multipv: int, **given: Unpack[Given]
    ) -> list[InfoDict]: ...
    @overload
    def analyse(
        self, board: Board, *, multipv: int | None = None, **given: Unpack[GivenLimits]
    ) -> Analysis: ...
    def analyse(
        self,
        board: Board,
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

        `for info in engine.analyse(board, depth=20)`, with limits by name (`depth`, `nodes`, `time` in
        seconds, `mate`) or none, begins at once and hands out a dictionary for each depth as it is finished:
        see `analysis`.

        `info`: what is told. `root_moves`: analyse only these. `game`: whenever it is another object than
        before, what was learned is forgotten. `options` hold for this call alone. Raises PositionError,
        LimitError, OptionError, TypeError for a `multipv` that is not whole; EngineTerminatedError if the
        engine is closed meanwhile.
        """
        waits = limit is not None
        limit = limit_of(limit, depth=depth, nodes=nodes, time=time, mate=mate)
        limit = needed(limit) if waits else limit
        request = Request(board_of(board), limit, game, info, root_moves, options, multipv)
        if not waits:
            return self._begin_analysis(request)
        with self._lock:
            search = self._analyse(request)
            self._wait(search)
        return search.analysis(multipv)

    def analysis(
        self,
        board: Board,
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
        return self._begin_analysis(Request(board_of(board), limit, game, info, root_moves, options, multipv))

    def _begin_analysis(self, request: Request) -> Analysis:
        with self._lock:
            search = self._analyse(request)
        return Analysis(search, partial(self._stop, search))

    def play(
        self,
        board: Board,
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
        request = Request(board_of(board), needed(limit), game, info, root_moves, options)
        with self._lock:
            began = clock.perf_counter()
            search = self._play(request, ponder=ponder)
            self._wait(search)
            result = search.result()
            if ponder:
                self._ponder(request, result, clock.perf_counter() - began)
            return result

    def evaluate(self, board: Board) -> PovScore:
        """The static evaluation, without a search: what the evaluator thinks of the board as it stands.

        On the scale of the scores of a search. In check, and where captures are possible, a static
        evaluation says little. Raises PositionError.
        """
        board = board_of(board)
        with self._lock:
            self._begin()
            self._options.bring_about({}, {})
            set_position(self._session, board)
            return PovScore(Cp(self._scale().centipawns(self._session.static_value())), board.turn)

    def bench(self, depth: int = DEFAULT_DEPTH) -> BenchResult:
        """Search a fixed set of positions `depth` plies deep, with one thread and the default options.

        The number of nodes identifies the search: it is that of `lolli bench`. Raises LimitError for a depth
        below 1, TypeError for one that is not whole.
        """
        with self._lock:
            depth = whole("the depth of a bench", depth)
            if depth < 1:
                raise LimitError(f"the depth of a bench must be at least 1, not {depth}")
            self._begin()
            began = clock.perf_counter()
            counts = bench.counts(bench.fresh_session(), depth, lambda: self._closed)
            nodes = sum(nodes for _, nodes in counts)
            self._require_open()
            return BenchResult(nodes, clock.perf_counter() - began)

    def ping(self) -> None:
        """Get ready for a search, which otherwise costs the next one some milliseconds."""
        with self._lock:
            self._begin()
            self._session.get_ready()
            self._tell_shortages()

    def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Without effect: this engine plays everybody alike."""

    def send_game_result(
        self,
        board: Board,
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
        self._closed = True
        with self._search_lock:
            if self._search is not None and not self._search.over:
                self._search.terminated = True
            self._session.stop()
        with self._lock:
            self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<lolli.Engine {about.VERSION}{', closed' if self._closed else ''}>"

    # What AsyncEngine shares. A caller holds the lock for the whole of a call, but for `_stop`. Every other
    # call ends the search that is under way.

    def _analyse(self, request: Request, notify: Callable[[], None] | None = None) -> Search:
        self._begin()
        lines = lines_of("multipv", 1 if request.multipv is None else request.multipv)
        return self._go(request, notify, lines, analyses=True)

    def _play(self, request: Request, *, ponder: bool, notify: Callable[[], None] | None = None) -> Search:
        """Begin to choose a move, or go on with a search that was pondering on it."""
        self._require_open()
        expected, search = self._expected, self._search
        if ponder and expected is not None and search is not None and expected.is_like(request):
            self._expected = None
            search.wanted, search.notify = request.info, notify
            self._session.ponderhit()
            return search
        self._begin()
        return self._go(request, notify, lines=1, analyses=False)

    def _ponder(self, request: Request, result: PlayResult, seconds: float) -> None:
        """Ponder on the expected reply to a move that took `seconds` to find."""
        expected = request.after(result, seconds)
        if expected is not None and not self._closed:
            self._start(expected, None, ponder=True)
            self._expected = expected

    def _wait(self, search: Search) -> None:
        """Wait until a search has ended; an interruption, such as Ctrl-C, ends it."""
        try:
            search.wait()
        except BaseException:
            self._stop(search)
            search.wait()
            raise

    def _stop(self, search: Search) -> None:
        """Returns at once. Without effect if another search runs."""
        with self._search_lock:
            if search is self._search:
                self._session.stop()

    def _require_open(self) -> None:
        if self._closed:
            raise EngineTerminatedError("the engine is closed")

    def _begin(self) -> None:
        self._require_open()
        self._expected = None
        self._session.stop()
        self._session.wait()

    def _go(
        self, request: Request, notify: Callable[[], None] | None, lines: int, *, analyses: bool
    ) -> Search:
        self._options.bring_about(request.options, {"UCI_AnalyseMode": analyses})
        self._session.settings.lines = lines
        if self._is_first_game or request.game != self._game:
            self._game, self._is_first_game = request.game, False
            self._session.new_game()
        return self._start(request, notify)

    def _start(self, request: Request, notify: Callable[[], None] | None, *, ponder: bool = False) -> Search:
        set_position(self._session, request.board)
        wanted = request.root_moves
        moves = () if wanted is None else engine_moves(self._session.position, wanted)
        limits = engine_limits(request.limit, moves, ponder=ponder)
        search = Search(request.board, self._scale(), request.info, notify)
        with self._search_lock:
            self._require_open()
            self._session.go(limits, search)
            self._search = search
        self._tell_shortages()
        return search

    def _scale(self) -> Scale:
        session = self._session
        return scale_of(
            session.position, session.outcome_model, session.normalises, self._options.shows_chances
        )

    def _tell_shortages(self) -> None:
        for shortage in self._session.shortages():
            _LOG.warning("%s", shortage)
