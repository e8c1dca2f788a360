"""The chess engine for asyncio, with the methods of `chess.engine.Protocol`."""

import asyncio
import time as clock
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Self, TypeVar, Unpack, overload

import chess
from chess.engine import (
    INFO_ALL,
    INFO_NONE,
    AnalysisComplete,
    BestMove,
    Info,
    InfoDict,
    Limit,
    Opponent,
    Option,
    PlayResult,
    PovScore,
    UciOptionMap,
)

from lolli._engine import IDENTITY, NO_OPTIONS, BenchResult, Engine, Given, Request, Value, needed
from lolli._positions import Board, board_of
from lolli._search import RunningAnalysis, Search
from protocol.uci.bench import DEFAULT_DEPTH

T = TypeVar("T")


class _Bell:
    """Wakes the tasks of an event loop from the thread of a search."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """From any thread."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._rung.set)

    async def wait(self, search: Search, count: int | None = None) -> None:
        while not search.is_ready(count):
            self._rung.clear()
            if not search.is_ready(count):
                await self._rung.wait()


class AsyncAnalysis(RunningAnalysis):
    """A running analysis for asyncio, as `chess.engine.AnalysisResult`: `async for info in analysis`.

    The dictionaries, and when it ends, are as for `Analysis`. For one task.
    """

    def __init__(self, search: Search, stop: Callable[[], None], bell: _Bell) -> None:
        super().__init__(search, stop)
        self._bell = bell

    async def wait(self) -> BestMove:
        """Wait until the analysis has ended; see `Analysis.wait` for the errors."""
        await self._bell.wait(self._search)
        return self._search.best()

    async def get(self) -> InfoDict:
        """The next dictionary, as soon as there is one; see `Analysis.get` for the errors."""
        await self._bell.wait(self._search, self._read)
        return self._next_read()

    async def next(self) -> InfoDict | None:
        """The same, with None at the end."""
        try:
            return await self.get()
        except AnalysisComplete:
            return None

    def __aiter__(self) -> AsyncIterator[InfoDict]:
        return self

    async def __anext__(self) -> InfoDict:
        try:
            return await self.get()
        except AnalysisComplete:
            raise StopAsyncIteration from None


class AsyncEngine:
    """`Engine` for asyncio; it can take the place of a `chess.engine.UciProtocol`.

    Options, arguments, results and errors are those of `Engine`, except that limits are always given as a
    `chess.engine.Limit`. Calls of several tasks wait for each other; a task that is cancelled ends its
    search. The event loop goes on meanwhile.
    """

    def __init__(self, **options: Value) -> None:
        self._engine = Engine(**options)
        self._turn = asyncio.Lock()

    @property
    def id(self) -> Mapping[str, str]:
        """See `Engine.id`."""
        return IDENTITY

    @property
    def options(self) -> UciOptionMap[Option]:
        """See `Engine.options`."""
        return self._engine.options

    async def configure(self, options: Mapping[str, Value] = NO_OPTIONS, **by_name: Value) -> None:
        """See `Engine.configure`."""
        async with self._turn:
            await self._in_thread(lambda: self._engine.configure({**options, **by_name}))

    @overload
    async def analyse(
        self, board: Board, limit: Limit, *, multipv: None = None, **given: Unpack[Given]
    ) -> InfoDict: ...
    @overload
    async def analyse(
        self, board: Board, limit: Limit, *, multipv: int, **given: Unpack[Given]
    ) -> list[InfoDict]: ...
    async def analyse(
        self,
        board: Board,
        limit: Limit,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> InfoDict | list[InfoDict]:
        """Analyse a board to the end of the limit; see `Engine.analyse`. To read meanwhile: `analysis`."""
        request = Request(board_of(board).copy(), needed(limit), game, info, root_moves, options, multipv)
        async with self._turn:
            bell = _Bell()
            search = await self._begin(lambda: self._engine._analyse(request, bell.ring))
            await self._wait(search, bell)
        return search.analysis(multipv)

    async def analysis(
        self,
        board: Board,
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
    ) -> AsyncAnalysis:
        """Begin an analysis and return at once; see `Engine.analysis`."""
        request = Request(board_of(board).copy(), limit, game, info, root_moves, options, multipv)
        async with self._turn:
            bell = _Bell()
            search = await self._begin(lambda: self._engine._analyse(request, bell.ring))
            return AsyncAnalysis(search, partial(self._engine._stop, search), bell)

    async def play(
        self,
        board: Board,
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_NONE,
        ponder: bool = False,
        draw_offered: bool = False,
        root_moves: Iterable[chess.Move] | None = None,
        options: Mapping[str, Value] = NO_OPTIONS,
        opponent: Opponent | None = None,
    ) -> PlayResult:
        """Choose a move; see `Engine.play`."""
        del draw_offered, opponent
        request = Request(board_of(board).copy(), needed(limit), game, info, root_moves, options)
        async with self._turn:
            bell, began = _Bell(), clock.perf_counter()
            search = await self._begin(lambda: self._engine._play(request, ponder=ponder, notify=bell.ring))
            await self._wait(search, bell)
            result = search.result()
            if ponder:
                seconds = clock.perf_counter() - began
                await self._in_thread(lambda: self._engine._ponder(request, result, seconds))
            return result

    async def evaluate(self, board: Board) -> PovScore:
        """The static evaluation; see `Engine.evaluate`."""
        board = board_of(board).copy()
        async with self._turn:
            return await self._in_thread(lambda: self._engine.evaluate(board))

    async def bench(self, depth: int = DEFAULT_DEPTH) -> BenchResult:
        """See `Engine.bench`."""
        async with self._turn:
            return await self._in_thread(lambda: self._engine.bench(depth))

    async def ping(self) -> None:
        """See `Engine.ping`."""
        async with self._turn:
            await self._in_thread(self._engine.ping)

    async def send_opponent_information(
        self, *, opponent: Opponent | None = None, engine_rating: int | None = None
    ) -> None:
        """Without effect: this engine plays everybody alike."""

    async def send_game_result(
        self,
        board: Board,
        winner: chess.Color | None = None,
        game_ending: str | None = None,
        game_complete: bool = True,
    ) -> None:
        """Without effect."""

    async def quit(self) -> None:
        """End all searches and give memory back; see `Engine.close`."""
        await asyncio.to_thread(self._engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.quit()

    async def _in_thread(self, call: Callable[[], T]) -> T:
        """Run in another thread, so that the event loop goes on."""

        def run() -> T:
            with self._engine._lock:
                return call()

        return await asyncio.to_thread(run)

    async def _begin(self, call: Callable[[], Search]) -> Search:
        """Begin a search in another thread; a task that is cancelled meanwhile ends it."""
        beginning = asyncio.ensure_future(self._in_thread(call))
        try:
            return await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(self._stop_begun)
            raise

    def _stop_begun(self, beginning: asyncio.Future[Search]) -> None:
        if not beginning.cancelled() and beginning.exception() is None:
            self._engine._stop(beginning.result())

    async def _wait(self, search: Search, bell: _Bell) -> None:
        """Wait until a search has ended; a task that is cancelled ends it."""
        try:
            await bell.wait(search)
        except BaseException:
            self._engine._stop(search)
            raise
