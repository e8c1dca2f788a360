"""The engine for asyncio: python-chess's own examples with one line changed, and several tasks."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any, TypeVar

import chess
import chess.engine
import pytest
from chess.engine import EngineTerminatedError, Limit

import lolli
from tests.patience import PATIENCE

T = TypeVar("T")


def run(what: Callable[[lolli.AsyncEngine], Awaitable[T]]) -> T:
    async def main() -> T:
        async with lolli.AsyncEngine() as engine:
            return await asyncio.wait_for(what(engine), PATIENCE)

    return asyncio.run(main())


def test_the_example_of_a_running_analysis() -> None:
    """`Analysing and evaluating a position`: it stops at an unusual depth."""

    async def main(engine: lolli.AsyncEngine) -> int:
        with await engine.analysis(chess.Board()) as analysis:
            async for info in analysis:
                if info.get("seldepth", 0) > 3:
                    break
        best = await analysis.wait()
        assert best.move is not None
        while await analysis.next() is not None:
            pass
        with pytest.raises(chess.engine.AnalysisComplete):
            await analysis.get()
        assert not analysis.would_block()
        return analysis.info["depth"]

    assert run(main) >= 1


def test_it_finds_what_the_other_one_finds() -> None:
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")

    async def main(engine: lolli.AsyncEngine) -> tuple[list[chess.engine.InfoDict], chess.engine.PovScore]:
        lines = await engine.analyse(board, Limit(nodes=300), multipv=2)
        return lines, await engine.evaluate(board)

    lines, value = run(main)
    with lolli.Engine() as engine:
        expected = engine.analyse(board, Limit(nodes=300), multipv=2)
        assert value == engine.evaluate(board)
        for info in (*lines, *expected):
            info.pop("time", None)
            info.pop("nps", None)
        assert lines == expected
        assert lolli.AsyncEngine().options == engine.options


def test_a_cancelled_task_ends_its_search() -> None:
    """The loop goes on meanwhile."""

    async def main(engine: lolli.AsyncEngine) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(engine.analyse(chess.Board(), Limit(time=10 * PATIENCE)), 0.1)
        assert (await engine.play(chess.Board(), Limit(depth=1))).move is not None

    run(main)


def test_a_task_that_is_cancelled_while_its_search_begins() -> None:
    async def main(engine: lolli.AsyncEngine) -> None:
        task = asyncio.create_task(engine.analysis(chess.Board()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while engine._engine._search is None or not engine._engine._search.over:
            await asyncio.sleep(0.01)

    run(main)


def test_options_errors_and_the_end() -> None:
    async def main(engine: lolli.AsyncEngine) -> None:
        await engine.configure(hash=1)
        await engine.ping()
        await engine.send_opponent_information(engine_rating=2000)
        await engine.send_game_result(chess.Board(), chess.WHITE)
        assert (await engine.bench(1)).nodes > 0
        with pytest.raises(lolli.OptionError):
            await engine.configure({"nope": 1})
        with pytest.raises(lolli.PositionError):
            await engine.evaluate(chess.Board(None))
        assert engine.id["name"].startswith("Lolli")
        analysis = await engine.analysis(chess.Board())
        await engine.quit()
        with pytest.raises(EngineTerminatedError):
            await analysis.wait()
        with pytest.raises(EngineTerminatedError):
            await engine.play(chess.Board(), Limit(depth=1))

    run(main)


def test_a_search_needs_a_limit() -> None:
    """One that would never end would keep all later calls waiting."""

    async def main(engine: lolli.AsyncEngine) -> None:
        calls: tuple[Any, ...] = (engine.play, engine.analyse)
        for call, limit in product(calls, (None, Limit(white_inc=2))):
            with pytest.raises(lolli.LimitError, match="a search needs a limit"):
                await call(chess.Board(), limit)
        await engine.ping()

    run(main)


@pytest.mark.alone  # in too little time there is no expected move
def test_pondering() -> None:
    """What it has pondered on is what it plays."""

    async def main(engine: lolli.AsyncEngine) -> None:
        board, limit = chess.Board(), Limit(white_clock=20, black_clock=20)
        result = await engine.play(board, limit, ponder=True)
        expected = engine._engine._search
        assert engine._engine._session.searching
        assert result.move is not None
        assert result.ponder is not None
        board.push(result.move)
        board.push(result.ponder)
        again = await engine.play(board, limit, ponder=True)
        assert expected is not None
        assert expected.result().move == again.move

    run(main)
