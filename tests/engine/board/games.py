"""Random games that python-chess referees, of standard chess and of Chess960, and what they begin from."""

import random
from collections.abc import Iterator

import chess
from hypothesis import strategies as st

from engine.board.fen import parse_fen
from engine.board.notation import parse_move
from engine.board.position import Position
from tests.engine.board.perft_positions import CHESS960, STANDARD

DRAWISH = (
    "8/8/4k3/8/8/3BK3/8/6b1 w - - 0 1",
    "8/5b2/4k3/8/8/3BK3/8/6b1 w - - 0 1",
    "8/8/4k3/8/2n5/3NK3/8/8 w - - 90 80",
    "8/8/4k3/2n3p1/8/4K3/3Q4/8 b - - 60 80",
    "8/P7/4k3/8/8/3K4/6p1/8 w - - 0 80",
    "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 40 60",
)


def chess960_start(white: int, black: int) -> chess.Board:
    """The start of a game in which each side has its own of the 960 arrangements."""
    board = chess.Board.from_chess960_pos(white)
    above = chess.Board.from_chess960_pos(black)
    for square in range(56, 64):
        board.set_piece_at(square, above.piece_at(square))
    board.castling_rights = board.rooks & (chess.BB_RANK_1 | chess.BB_RANK_8)
    return board


def _board(fen: str, chess960: bool) -> chess.Board:
    return chess.Board(fen, chess960=chess960)


def standard_boards() -> st.SearchStrategy[chess.Board]:
    fens = [*(counted.fen for counted in STANDARD), *DRAWISH]
    return st.just(chess.STARTING_FEN).map(chess.Board) | st.sampled_from(fens).map(chess.Board)


def chess960_boards() -> st.SearchStrategy[chess.Board]:
    """Where a game of Chess960 may begin: like starts, unlike starts, or castling soon."""
    number = st.integers(0, 959)
    return (
        number.map(chess.Board.from_chess960_pos)
        | st.builds(chess960_start, number, number)
        | st.sampled_from(CHESS960).map(lambda counted: _board(counted.fen, chess960=True))
    )


def boards() -> st.SearchStrategy[chess.Board]:
    return standard_boards() | chess960_boards()


def choose(board: chess.Board, rng: random.Random) -> chess.Move:
    moves = list(board.legal_moves)
    rare = [move for move in moves if board.is_castling(move) or board.is_en_passant(move) or move.promotion]
    if rare and rng.random() < 0.5:
        return rng.choice(rare)
    if len(board.move_stack) > 1 and rng.random() < 0.25:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in moves:
            return back
    captures = [move for move in moves if board.is_capture(move)]
    return rng.choice(captures if captures and rng.random() < 0.25 else moves)


def play(board: chess.Board, rng: random.Random, plies: int) -> Iterator[Position]:
    """Play on `board` and on one Position side by side; yields it at the start and after each move.

    Ends after `plies`, or where there is no legal move.
    """
    position = parse_fen(board.fen())
    yield position
    for _ in range(plies):
        if not any(board.legal_moves):
            return
        move = choose(board, rng)
        ours = parse_move(position, board.uci(move))
        board.push(move)
        position.make(ours)
        yield position
