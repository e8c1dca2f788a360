"""Iterative deepening: lines, scores, limits, and the same search every time."""

import subprocess
import sys
from dataclasses import replace
from itertools import count
from random import Random
from typing import cast

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board.fen import START_FEN, format_fen, parse_fen
from engine.board.movegen import MoveStack, legal_moves
from engine.board.notation import move_text
from engine.board.position import COMPILED, Position
from engine.search.alphabeta import Searcher
from engine.search.constants import MATE, MATE_BOUND
from engine.search.limits import Limits, Settings
from engine.search.parameters import Parameters
from engine.search.report import Bound, Progress, Report, Variation
from engine.search.root_search import RootSearch
from engine.session import Session
from tests.compiled import ROOT
from tests.engine.search import signature
from tests.engine.search.searching import (
    SURE,
    changed,
    deepening,
    iterations,
    last,
    opened,
    random_position,
    search,
    sized,
    surely,
    without,
)

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ROOKS = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
ITALIAN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
POSITIONS = [START_FEN, KIWIPETE, ROOKS, ITALIAN]
LEARNING = ("table", "killers", "history", "continuation_history", "capture_history", "quiescence_table")

IN_PLAIN_PYTHON = """
import sys
sys.path.insert(0, ".")
from tests import pure
pure.install()
from tests.engine.search import signature
print(signature.mode(), *signature.lines(), *signature.evaluated(), *signature.findings(), sep=chr(10))
"""


def assert_legal(fen: str, report: Report) -> None:
    board = chess.Board(fen)
    assert report.moves
    for move in report.moves:
        board.push_uci(move_text(move))  # raises where it is illegal


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("singular", [False, True])
def test_lines_are_legal_and_begin_with_the_best_move(fen: str, singular: bool) -> None:
    with opened(Settings(parameters={"singular_extensions": int(singular)})) as session:
        heard = search(session, Limits(depth=sized(9, 4)), fen)
    # A slow machine also hears of scores outside their window.
    reports = [report for report in heard.reports if report.bound is Bound.EXACT]
    assert [report.depth for report in reports] == list(range(1, sized(9, 4) + 1))
    for report in reports:
        assert_legal(fen, report)
        assert report.line == 1
        assert report.seldepth >= len(report.moves) - 1
        assert report.table_hits == 0
        assert 0 <= report.hashfull <= 1000
    assert heard.best == move_text(heard.last.moves[0])
    assert heard.outcomes[0].ponder == heard.last.moves[1]
    spent = [report.nodes for report in reports]
    assert spent == sorted(spent)


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("lines", [2, 5, 500])
def test_lines_are_distinct_and_the_best_comes_first(fen: str, lines: int) -> None:
    depth = sized(5, 2)
    legal = chess.Board(fen).legal_moves.count()
    with opened(Settings(lines=lines)) as session:
        heard = search(session, Limits(depth=depth), fen)
    for reached in range(1, depth + 1):
        reports = [report for report in heard.reports if report.depth == reached]
        assert [report.line for report in reports] == list(range(1, min(lines, legal) + 1))
        assert len({report.moves[0] for report in reports}) == len(reports)
        scores = [report.score.value for report in reports]
        assert scores == sorted(scores, reverse=True)
        for report in reports:
            assert_legal(fen, report)
    first = next(report for report in heard.reports if report.depth == depth)
    assert heard.best == move_text(first.moves[0])


@pytest.mark.parametrize(
    ("fen", "moves", "lines", "best"),
    [
        ("3rkbnr/p4pp1/n7/1pp5/2PP1BPp/NPRq3B/P3PP1P/R2QK3 w Qk - 3 20", "", 2, "e2d3"),
        (START_FEN, "c2c3 b8a6 d1b3 a6c5 b3d1 c5a6 d1b3 a6c5 b3d5 c5a6", 3, "d2d4"),
    ],
)
def test_the_best_line_of_a_depth_cut_short_is_played(fen: str, moves: str, lines: int, best: str) -> None:
    with opened(Settings(lines=lines)) as session:
        session.use_evaluator("network")
        heard = search(session, Limits(nodes=1000), fen, moves.split())
    scores = [report.score.value for report in heard.reports[-lines:]]
    assert scores == sorted(scores, reverse=True)
    assert heard.best == move_text(heard.reports[-lines].moves[0]) == best


def test_lines_of_small_searches_are_in_order_and_as_long_as_the_game_lasts() -> None:
    chooser = Random(1)
    with opened() as session:
        session.use_evaluator("network")
        for _ in range(sized(150, 5)):
            position = random_position(chooser, chooser.randint(4, 80))
            session.settings.lines = chooser.choice([1, 1, 2, 4])
            heard = search(session, Limits(nodes=chooser.randint(20, sized(9000, 500))), format_fen(position))
            last = [each for _, each in sorted({each.line: each for each in heard.reports}.items())]
            scores = [each.score.value for each in last]
            assert scores == sorted(scores, reverse=True)
            if last[0].depth:  # otherwise the game is over
                assert heard.best == move_text(last[0].moves[0])
            for each in last:
                board = chess.Board(format_fen(position))
                for move in each.moves:
                    board.push(board.parse_uci(move_text(move)))
                over = board.is_game_over() or board.is_repetition(2) or board.halfmove_clock >= 100
                assert (
                    len(each.moves) >= 4 or over or each.depth < 6
                )  # in shallower ones the table knows too little


def test_every_line_has_its_own_score() -> None:
    """As if the better moves were not there."""
    fen, use = ROOKS, surely(*LEARNING)
    for each in last(deepening(fen, use, lines=3), 4).lines:
        alone = deepening(fen, use, moves=[each.move])
        assert last(alone, 4).best.score == each.score


@pytest.mark.parametrize("limit", [1, 2, 19, 20, 21, 100, 999, 1024, 1025, 2048, 5000, 12345])
@pytest.mark.parametrize("fen", [START_FEN, KIWIPETE])
def test_node_limit_is_kept_to_the_node(session: Session, fen: str, limit: int) -> None:
    run = deepening(fen, node_limit=limit)
    best = last(run).best
    assert run.searcher.nodes == limit
    assert best.move in legal_moves(parse_fen(fen))
    heard = search(session, Limits(nodes=limit), fen)
    assert chess.Move.from_uci(heard.best) in chess.Board(fen).legal_moves
    for report in heard.reports:
        assert report.nodes <= limit
        assert_legal(fen, report)
    if limit >= 999:
        assert heard.last.nodes == limit
        assert heard.best == move_text(heard.last.moves[0])


@pytest.mark.parametrize("fen", POSITIONS)
def test_search_is_the_same_after_a_new_game(session: Session, fen: str) -> None:
    def told() -> list[Report]:
        session.new_game()
        heard = search(session, Limits(depth=sized(7, 3)), fen)
        return [replace(report, milliseconds=0) for report in heard.reports]

    first = told()
    search(session, Limits(depth=3), ROOKS)
    assert told() == first


@pytest.mark.skipif(not COMPILED, reason="compares with plain Python, which is under test")
def test_plain_python_searches_the_same_tree() -> None:
    plain = subprocess.run(
        [sys.executable, "-c", IN_PLAIN_PYTHON], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert signature.mode() == "compiled"
    here = [*signature.lines(), *signature.evaluated(), *signature.findings()]
    assert plain.stdout.splitlines() == ["plain", *here]


def test_what_is_compared_has_bounds_of_either_kind() -> None:
    found = "".join(signature.findings())
    assert all(str(bound) in found for bound in Bound)


# What follows drives the deepening, in plain Python, with a searcher that knows the values beforehand.

in_plain_python = pytest.mark.skipif(COMPILED, reason="no other searcher can stand for a compiled one")


class Foresight:
    """Stands for a searcher: the value of each move is given per depth; all is cut short after `calls`."""

    def __init__(self, values: list[dict[int, int]], calls: int, use: Parameters) -> None:
        self.values = values
        self.calls = calls
        self.parameters = use
        self.pos, self.ms = parse_fen(START_FEN), MoveStack()
        self.pv_length, self.pv = [1, 1], list[int]()
        self._nodes = 0
        self.stopped = False
        self.depth = 0
        self.seen: set[int] = set()
        """Moves whose search was not cut short in this depth."""
        self.exact: set[int] = set()
        """Those of them whose value lay inside the window."""

    def begin(self, position: Position, node_limit: int | None, threads: int) -> None:
        pass

    def new_depth(self, depth: int) -> None:
        self.depth = depth
        self.seen, self.exact = set(), set()

    def search_root_move(self, move: int, alpha: int, beta: int, depth: int, number: int) -> int:
        assert alpha < beta
        assert depth == self.depth
        assert number <= len(self.seen)
        if self.calls == 0:
            self.stopped = True
            return 12345  # to be disregarded
        self.calls -= 1
        self.seen.add(move)
        value = self.values[self.depth - 1][move]
        self._nodes += 2 if number and alpha < value < beta else 1
        if alpha < value < beta:
            self.exact.add(move)
        return value


def foresee(
    values: list[list[int]],
    lines: int,
    calls: int,
    use: Parameters | None = None,
) -> tuple[RootSearch, Foresight]:
    """A deepening over the moves of the start position that have a value."""
    moves = legal_moves(parse_fen(START_FEN))[: len(values[0])]
    searcher = Foresight([dict(zip(moves, each, strict=True)) for each in values], calls, use or Parameters())
    root = RootSearch(cast("Searcher", searcher))
    root.begin(parse_fen(START_FEN), moves, lines)
    return root, searcher


tables = st.integers(1, 8).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(-3, 3).map(lambda n: n * 100), min_size=width, max_size=width),
        min_size=1,
        max_size=8,
    )
)


@in_plain_python
@given(tables, st.integers(1, 4), st.booleans())
def test_lines_are_the_best_moves_of_the_depth(values: list[list[int]], lines: int, aspiration: bool) -> None:
    use = without() if aspiration else without("aspiration")
    run, searcher = foresee(values, lines, 10**9, use)
    for iteration in iterations(run, len(values)):
        known = searcher.values[iteration.depth - 1]
        ranked = sorted(known.values(), reverse=True)
        assert iteration.finished
        assert [each.score for each in iteration.lines] == ranked[:lines]
        assert all(known[each.move] == each.score for each in iteration.lines)
        assert sorted(run.moves[: run.count]) == sorted(known)
        assert all(each.bound is Bound.EXACT for each in iteration.lines)
        likings = dict(zip(run.moves, run.preferences, strict=True))
        equals = [move for move, value in known.items() if value == ranked[0]]
        assert likings[iteration.best.move] == max(likings[move] for move in equals)


@in_plain_python
@given(tables, st.integers(1, 4), st.integers(0, 60))
def test_depth_cut_short_keeps_a_move_that_is_not_known_to_be_worse(
    values: list[list[int]], lines: int, calls: int
) -> None:
    run, searcher = foresee(values, lines, calls)
    move = run.variation(0).move
    finished = {move}
    for each in iterations(run, len(values)):
        move = each.best.move
        scores = [line.score for line in each.lines]
        assert scores == sorted(scores, reverse=True)
        if each.finished:
            finished = {line.move for line in each.lines}
    known = searcher.values[searcher.depth - 1]
    assert sorted(run.moves[: run.count]) == sorted(known)
    assert move in finished or move in searcher.seen
    if move in searcher.seen or lines == 1:
        assert all(known[move] >= known[other] for other in searcher.exact)


@in_plain_python
@given(tables, st.integers(0, 60))
def test_each_finished_depth_is_told_once(values: list[list[int]], calls: int) -> None:
    run, searcher = foresee(values, 1, calls)
    told = [(each.depth, each.finished) for each in iterations(run, len(values))]
    finished = [depth for depth, whole in told if whole]
    assert finished == list(range(1, len(finished) + 1))
    assert searcher.stopped == (len(finished) < len(values))
    if searcher.stopped:
        assert told[len(finished) :] in ([(len(finished), False)], [(len(finished) + 1, False)])


@in_plain_python
@given(tables, st.integers(1, 60))
def test_an_upper_bound_that_is_told_holds_for_all_moves(values: list[list[int]], window: int) -> None:
    """A later move may have been found less bad than the one that was the best."""
    values = [*values[:4], *[[300] * len(values[0])] * 4, *values[4:], [-300] * len(values[0])]
    run, searcher = foresee(values, 1, 10**9, changed(aspiration_window=window))
    told = 0
    for each in run.deepen(len(values), 1):
        if isinstance(each, Variation) and each.bound is Bound.UPPER:
            assert each.score == max(searcher.values[searcher.depth - 1].values())
            told += 1
    assert told


@in_plain_python
def test_share_of_the_best_move_is_counted() -> None:
    """A node each, but two for a move that turns out to be better than those before it."""
    run, _ = foresee([[10, 0, 0, 0], [10, 50, 0, 0], [10, 50, 0, 0]], 1, 10**9)
    assert [each.share for each in iterations(run, 3)] == [2 / 5, 2 / 5, 1 / 4]


@in_plain_python
def test_stability_and_fall_are_counted() -> None:
    values = [[100, 0], [100, 0], [50, 0], [-100, 0], [-100, 0], [-100, -50]]
    run, _ = foresee(values, 1, 10**9)
    told = [(each.best.score, each.stable_depths, each.fall) for each in iterations(run, len(values))]
    assert [score for score, _, _ in told] == [100, 100, 50, 0, 0, -50]
    assert [fall for _, _, fall in told] == [0, 0, 50, 50, 0, 50]
    start = told[0][1]
    assert [stable for _, stable, _ in told] == [start, start + 1, start + 2, 0, 1, 2]


@in_plain_python
@pytest.mark.parametrize("moves", [1, 5])
def test_root_moves_are_announced(moves: int) -> None:
    run, searcher = foresee([[0] * moves] * 3, 1, 10**9)
    announced = [each for each in run.deepen(3, 1) if isinstance(each, Progress)]
    for depth in (1, 2, 3):
        mine = [(each.move, each.number) for each in announced if each.depth == depth]
        assert [number for _, number in mine] == list(range(1, moves + 1))
        assert {move for move, _ in mine} == {*searcher.values[0]}


@in_plain_python
def test_root_moves_are_announced_from_a_moment_within_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(1)
    monkeypatch.setattr("engine.search.root_search.read_clock", lambda: next(clock))
    run, _ = foresee([[0] * 5] * 3, 1, 10**9)
    told = [(each.depth, each.number) for each in run.deepen(3, 8) if isinstance(each, Progress)]
    assert told == [(2, 4), (2, 5), *((3, number) for number in range(1, 6))]


@in_plain_python
def test_of_several_lines_no_bounds_are_told() -> None:
    run, _ = foresee([[0, -10, -20]] * 5 + [[-300, -200, -100]], 2, 10**9)
    found = [*run.deepen(6, 1)]
    assert not any(isinstance(each, Variation) for each in found)
    announced = [each.number for each in found if isinstance(each, Progress) and each.depth == 1]
    assert announced == [1, 2, 3, 1, 2]


@in_plain_python
def test_the_line_that_was_cut_short_is_a_lower_bound() -> None:
    run, _ = foresee([[0, -10, -20], [0, 4 - MATE, 6 - MATE]], 2, 9)  # five calls, then three and one
    best, second = [*iterations(run, 2)][-1].lines
    assert (best.bound, second.score, second.bound) == (Bound.EXACT, 4 - MATE, Bound.LOWER)


def test_being_mated_is_only_a_lower_bound_where_other_moves_were_not_searched() -> None:
    """The rook takes a pawn at depth 1; at depth 2 the first thing seen is the mate on the back rank."""
    bounds = set()
    for node_limit in range(20, 80):
        run = deepening("3r2k1/p4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", changed(**SURE), node_limit=node_limit)
        best = last(run, 2).best
        if best.score < -MATE_BOUND:
            bounds.add(best.bound)
    assert bounds == {Bound.LOWER}
