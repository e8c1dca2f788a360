"""Deepening without the interpreter lock finds what `Deepening` finds: line, score, bound, depth, nodes."""

import random
import sys
import time
from collections.abc import Iterator
from threading import Thread

import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED, Position
from engine.search.constants import MATE_BOUND
from engine.search.deepening import Deepening, Finding, Iteration, Variation
from engine.search.engine import Engine
from engine.search.fast_deepening import FastDeepening, skips
from engine.search.report import Bound
from eval.choice import Choices
from tests.engine.search.searching import sized

BACK_RANK = "3r2k1/p4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
ONE_MOVE = "7k/8/8/8/8/8/6q1/7K w - - 0 1"


def ready(position: Position, nodes: int, changed: dict[str, int] | None = None) -> Engine:
    """An engine that may search the position with so many nodes."""
    engine = Engine.single(Choices()["linear"].make(), 2)
    engine.parameters.reset(changed or {})
    engine.begin()
    engine.searchers[0].begin(position, nodes)
    return engine


def fast(position: Position, nodes: int, number: int, changed: dict[str, int]) -> tuple[Variation, int]:
    """The best line, and how many nodes were searched."""
    engine = ready(position, nodes, changed)
    return FastDeepening(engine.searchers[0]).help(legal_moves(position), number), engine.nodes


def slowly(position: Position, nodes: int, number: int, changed: dict[str, int]) -> tuple[Variation, int]:
    """The same, depth by depth, by Deepening."""
    engine = ready(position, nodes, changed)
    moves = legal_moves(position)
    run = SkippingDeepening(engine.searchers[0], position, moves, engine.parameters)
    run.number = number
    best = Variation((run.moves[0].move,))
    for finding in run.run():
        if isinstance(finding, Iteration):
            best = finding.best
    return best, engine.nodes


class SkippingDeepening(Deepening):
    """Leaves out the depths that a helper skips."""

    number = 0

    def _search_line(self, depth: int, line: int) -> Iterator[Finding]:
        return iter(()) if skips(self.number, depth) else super()._search_line(depth, line)


@pytest.mark.parametrize("number", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("changed", [{}, {"aspiration": 0}, {"aspiration_window": 6}])
def test_it_finds_what_deepening_finds(number: int, changed: dict[str, int]) -> None:
    rng = random.Random(number)
    bounds = set()
    for _ in range(sized(30, 2)):
        position = parse_fen(START_FEN)
        for _ in range(rng.randint(0, 80)):
            if moves := legal_moves(position):
                position.advance(rng.choice(moves))
        if legal_moves(position):
            for nodes in (rng.randint(1, 60), rng.randint(60, sized(3000, 200))):
                found = fast(position, nodes, number, changed)
                assert found == slowly(position, nodes, number, changed)
                bounds.add(found[0].bound)
    assert Bound.EXACT in bounds


def test_it_finds_the_same_where_a_depth_is_cut_short_anywhere() -> None:
    """Bounds of either kind among them, and a mate that only some moves were seen to allow."""
    bounds, lost = set(), set()
    for fen in (BACK_RANK, ONE_MOVE):
        position = parse_fen(fen)
        for nodes in range(1, sized(400, 60)):
            best, searched = fast(position, nodes, 2, {"aspiration_window": 6})
            assert (best, searched) == slowly(position, nodes, 2, {"aspiration_window": 6})
            bounds.add(best.bound)
            if best.score < -MATE_BOUND:
                lost.add(best.bound)
    assert Bound.LOWER in lost
    assert bounds >= {Bound.EXACT, Bound.LOWER}


@pytest.mark.parametrize("count", [1, 2, 5])
def test_it_keeps_to_the_moves_given(count: int) -> None:
    position = parse_fen(START_FEN)
    moves = legal_moves(position)[:count]
    engine = ready(position, 500)
    found = FastDeepening(engine.searchers[0]).help(moves, 1)
    assert found.move in moves
    assert found.depth > 0


def test_at_depth_0_nothing_is_found() -> None:
    position = parse_fen(START_FEN)
    engine = ready(position, 1000)
    engine.control.stop()
    found = FastDeepening(engine.searchers[0]).help(legal_moves(position), 1)
    assert found.depth == 0
    assert found.move in legal_moves(position)


@pytest.mark.skipif(not COMPILED, reason="plain Python cannot do without it")
def test_it_needs_the_interpreter_lock_only_to_begin_and_to_end() -> None:
    """While this thread keeps the lock, the other one searches many root moves."""
    position = parse_fen(START_FEN)
    engine = ready(position, 1 << 40)
    searcher, run = engine.searchers[0], FastDeepening(engine.searchers[0])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    thread = Thread(target=run.help, args=(legal_moves(position), 1))
    try:
        thread.start()
        until = time.monotonic() + 20
        while searcher.nodes == 0 and time.monotonic() < until:
            time.sleep(0.001)
        goal = searcher.nodes + 300_000
        while searcher.nodes < goal and time.monotonic() < until:
            pass
        assert searcher.nodes >= goal
    finally:
        engine.control.stop()
        sys.setswitchinterval(interval)
        thread.join()
