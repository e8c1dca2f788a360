"""The book that comes with the program: small, whole, legal to its end, and sane."""

from collections.abc import Iterator
from random import Random

import chess
import chess.polyglot
import pytest

from engine.board.position import COMPILED
from engine.lookup.book import STANDARD
from engine.search.constants import MATE
from engine.search.limits import Limits
from lolli._analyst import Analyst

LARGEST = 100_000  # bytes
SAMPLE, NODES = 40, 20_000
BLUNDER = 120  # centipawns that no book move may lose, by a search that is no better than a glance


@pytest.fixture(scope="module")
def lines() -> list[tuple[chess.Board, chess.polyglot.Entry]]:
    return list(walk())


def walk() -> Iterator[tuple[chess.Board, chess.polyglot.Entry]]:
    seen = set()
    with chess.polyglot.open_reader(STANDARD) as reader:
        keys = {entry.key for entry in reader}
        waiting = [chess.Board()]
        while waiting:
            board = waiting.pop()
            key = chess.polyglot.zobrist_hash(board)
            if key not in keys or key in seen:
                continue
            seen.add(key)
            yield from ((board, entry) for entry in reader.find_all(board))
            for move in board.legal_moves:
                waiting.append(board.copy(stack=False))
                waiting[-1].push(move)


def test_size() -> None:
    assert 0 < STANDARD.stat().st_size < LARGEST


def test_every_move_is_legal_and_can_come_up(lines: list[tuple[chess.Board, chess.polyglot.Entry]]) -> None:
    with chess.polyglot.open_reader(STANDARD) as reader:
        assert len(lines) == len(reader)
        assert len({(entry.key, entry.raw_move) for entry in reader}) == len(reader)
    assert all(entry.move in board.legal_moves and entry.weight for board, entry in lines)


def test_first_moves(lines: list[tuple[chess.Board, chess.polyglot.Entry]]) -> None:
    first = {entry.move.uci() for board, entry in lines if board.fen() == chess.STARTING_FEN}
    assert len(first) > 1
    assert first <= {"e2e4", "d2d4", "c2c4", "g1f3", "b1c3", "e2e3", "g2g3"}


@pytest.mark.skipif(not COMPILED, reason="takes too long, and the book is the same")
def test_no_blunders(lines: list[tuple[chess.Board, chess.polyglot.Entry]]) -> None:
    with Analyst() as analyst:
        for board, entry in Random(1).sample(lines, SAMPLE):
            before = value(analyst, board)
            board.push(entry.move)
            after = -value(analyst, board)
            board.pop()
            assert after > before - BLUNDER, board.fen()


def value(analyst: Analyst, board: chess.Board) -> int:
    """In centipawns from the mover's side; a mate is more than anything else."""
    return analyst.best(board, Limits(nodes=NODES)).score.relative.score(mate_score=MATE)
