"""The numbers of lines of legal moves, against published counts and against python-chess."""

import chess
import pytest

from engine.board.fen import format_fen, parse_fen
from engine.board.notation import move_text
from engine.board.perft import StoppedError, divide, perft
from engine.board.position import COMPILED
from tests.engine.board.perft_positions import CHESS960, STANDARD, Counted

MOST_LINES = 200_000_000 if COMPILED else 200_000
MOST_LINES_OF_CHESS = 15_000
ALL = (*STANDARD, *CHESS960)


def depth_within(counted: Counted, most: int) -> int:
    return max(depth for depth, nodes in enumerate(counted.nodes, start=1) if nodes <= most)


def count_by_chess(board: chess.Board, depth: int) -> int:
    if depth == 0:
        return 1
    if depth == 1:
        return board.legal_moves.count()
    lines = 0
    for move in board.legal_moves:
        board.push(move)
        lines += count_by_chess(board, depth - 1)
        board.pop()
    return lines


def divide_by_chess(board: chess.Board, depth: int) -> dict[str, int]:
    lines = {}
    for move in list(board.legal_moves):
        board.push(move)
        lines[move.uci()] = count_by_chess(board, depth - 1)
        board.pop()
    return lines


@pytest.mark.parametrize("counted", ALL, ids=lambda counted: counted.name)
def test_published_counts(counted: Counted) -> None:
    position = parse_fen(counted.fen)
    depth = depth_within(counted, MOST_LINES)
    assert [perft(position, d) for d in range(1, depth + 1)] == list(counted.nodes[:depth])


@pytest.mark.parametrize("counted", ALL, ids=lambda counted: counted.name)
def test_divide_agrees_with_python_chess(counted: Counted) -> None:
    chess960 = counted in CHESS960
    depth = depth_within(counted, MOST_LINES_OF_CHESS)
    divided = [*divide(parse_fen(counted.fen), depth)]
    ours = {move_text(move, chess960): lines for move, lines in divided}
    assert ours == divide_by_chess(chess.Board(counted.fen, chess960=chess960), depth)
    assert sum(ours.values()) == counted.nodes[depth - 1]
    assert len(ours) == len(divided)


@pytest.mark.parametrize("fen", ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"])
def test_stalemate_and_checkmate_have_no_lines(fen: str) -> None:
    position = parse_fen(fen)
    assert perft(position, 0) == 1
    assert perft(position, 3) == 0
    assert [*divide(position, 3)] == []


def test_the_position_is_left_as_it_was() -> None:
    position = parse_fen(STANDARD[1].fen)
    key = position.key
    perft(position, 2)
    assert len([*divide(position, 2)]) == 48
    assert format_fen(position) == STANDARD[1].fen
    assert (position.key, position.height) == (key, 0)


def test_depths_beyond_the_stacks_are_refused() -> None:
    with pytest.raises(ValueError, match="300 plies"):
        perft(parse_fen(STANDARD[0].fen), 301)


def test_a_count_in_small_steps_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.board.perft.AT_ONCE", 1)
    position = parse_fen(STANDARD[0].fen)
    assert perft(position, 0) == 1
    assert sum(lines for _, lines in divide(position, 3)) == 8902
    asked = iter([False] * 100)
    with pytest.raises(StoppedError):
        list(divide(position, 3, lambda: next(asked, True)))
