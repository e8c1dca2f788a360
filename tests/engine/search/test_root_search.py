"""A helper finds what `deepen` finds in the same depths, and needs no interpreter lock."""

import random
import sys
import time
from threading import Thread

import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.movegen import legal_moves
from engine.board.position import COMPILED, Position
from engine.search.constants import MATE_BOUND, MAX_DEPTH
from engine.search.engine import Engine
from engine.search.report import Bound, Variation
from engine.search.root_search import RootSearch, skips
from eval.choice import Choices
from tests.engine.search.searching import random_position, sized

BACK_RANK = "3r2k1/p4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
ONE_MOVE = "7k/8/8/8/8/8/6q1/7K w - - 0 1"
NARROW = {"aspiration_window": 6}


class Searches:
    def __init__(self, evaluator: str = "linear", changed: dict[str, int] | None = None) -> None:
        self.engine = Engine.single(Choices()[evaluator].make(), 2)
        self.engine.parameters.reset(changed or {})

    def root(self, position: Position, moves: list[int], nodes: int, lines: int = 1) -> RootSearch:
        self.engine.new_game()
        self.engine.begin()
        root = RootSearch(self.engine.searchers[0])
        root.begin(position, moves, lines, nodes)
        return root

    def help(self, position: Position, moves: list[int], nodes: int, number: int) -> tuple[Variation, int]:
        root = self.root(position, moves, nodes)
        root.help(number)
        return root.variation(0), self.engine.nodes

    def deepen(self, position: Position, moves: list[int], nodes: int, number: int) -> tuple[Variation, int]:
        root = self.root(position, moves, nodes)
        for depth in range(1, MAX_DEPTH + 1):
            if not skips(number, depth):
                root.start_line(depth, 0)
                assert not root.search(0)
                if root.searcher.stopped:
                    root.finish_cut_short()
                    break
        return root.variation(0), self.engine.nodes


@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_helper_finds_what_deepening_finds(number: int) -> None:
    rng = random.Random(number)
    both = Searches("network", NARROW)
    for _ in range(sized(12, 2)):
        position = random_position(rng, rng.randint(0, 80))
        if moves := legal_moves(position):
            for nodes in (rng.randint(1, 60), rng.randint(60, sized(3000, 200))):
                assert both.help(position, moves, nodes, number) == both.deepen(
                    position, moves, nodes, number
                )


def test_they_find_the_same_wherever_a_depth_is_cut_short() -> None:
    """Bounds of either kind among them, and a mate that only some moves were seen to allow."""
    bounds, lost = set(), set()
    both = Searches("linear", NARROW)
    for fen in (BACK_RANK, ONE_MOVE):
        position = parse_fen(fen)
        moves = legal_moves(position)
        for nodes in range(1, sized(900, 60), sized(1, 3)):
            best, searched = both.help(position, moves, nodes, 2)
            assert (best, searched) == both.deepen(position, moves, nodes, 2)
            bounds.add(best.bound)
            if best.score < -MATE_BOUND:
                lost.add(best.bound)
    assert Bound.LOWER in lost
    assert bounds >= {Bound.EXACT, Bound.LOWER, Bound.UPPER if COMPILED else Bound.LOWER}


def test_of_a_pair_of_helpers_one_searches_each_depth() -> None:
    assert [depth for depth in range(1, 9) if not skips(1, depth)] == [1, 4, 5, 8]
    for first in range(1, 512, 2):
        assert all(skips(first, depth) != skips(first + 1, depth) for depth in range(1, MAX_DEPTH + 1))


def test_at_depth_0_nothing_has_been_found() -> None:
    position = parse_fen(START_FEN)
    searches = Searches()
    root = searches.root(position, legal_moves(position), 1000)
    searches.engine.control.stop()
    root.help(1)
    found = root.variation(0)
    assert found == Variation((found.move,))
    assert found.move in legal_moves(position)


@pytest.mark.skipif(not COMPILED, reason="plain Python cannot do without it")
def test_a_helper_needs_the_interpreter_lock_only_to_begin_and_to_end() -> None:
    """While this thread keeps the lock, the other one searches many root moves."""
    position = parse_fen(START_FEN)
    searches = Searches()
    root = searches.root(position, legal_moves(position), 1 << 40)
    searcher = root.searcher
    interval = sys.getswitchinterval()
    sys.setswitchinterval(600)  # longer than the test: nobody takes the lock from this thread
    thread = Thread(target=root.help, args=(1,))
    try:
        thread.start()
        until = time.monotonic() + 100
        while searcher.nodes == 0 and time.monotonic() < until:
            time.sleep(0.001)
        goal, until = searcher.nodes + 50_000, time.monotonic() + 100
        while searcher.nodes < goal and time.monotonic() < until:
            pass
        assert searcher.nodes >= goal
    finally:
        searches.engine.control.stop()
        sys.setswitchinterval(interval)
        thread.join()
