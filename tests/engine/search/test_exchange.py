"""Static exchange evaluation against a swap-off played out in plain Python."""

import random
from collections.abc import Mapping

import chess
import pytest

from engine.board.fen import parse_fen
from engine.board.notation import parse_move
from engine.search.exchange import exchange_at_least
from engine.search.parameters import NUMBERS, Parameters
from tests.engine.search.oracles import VALUES, exchange, random_board
from tests.engine.search.searching import changed, sized


def valued(values: Mapping[int, int]) -> Parameters:
    """A search for which a piece is worth in exchanges what `values` says, by python-chess's piece type."""
    return changed(**{name_of(kind): values[kind] for kind in range(chess.PAWN, chess.KING)})


def name_of(kind: int) -> str:
    return f"exchange_{chess.piece_name(kind)}"


CLASSICAL = valued(VALUES)
KNOWN = [
    ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),  # a pawn for nothing
    ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -200),  # x-rays on both sides
    ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 0),  # en passant, taken back
    ("3r2k1/8/8/3pP3/8/8/8/3RK3 w - d6 0 1", "e5d6", 100),  # the rook behind the pawn that goes
    ("3n3k/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", 1100),  # promotion with a capture
    ("3rk3/8/8/8/8/8/3p4/3RK3 w - - 0 1", "d1d2", 100),  # the king has the last word
    ("4k3/8/2p5/8/3P4/8/8/4K3 w - - 0 1", "d4d5", -100),
]


@pytest.mark.parametrize(("fen", "text", "value"), KNOWN)
def test_known_exchanges(fen: str, text: str, value: int) -> None:
    position = parse_fen(fen)
    move = parse_move(position, text)
    assert exchange_at_least(position, move, value, CLASSICAL)
    assert not exchange_at_least(position, move, value + 1, CLASSICAL)
    board = chess.Board(fen)
    assert exchange(board, board.parse_uci(text)) == value


@pytest.mark.parametrize("chess960", [False, True])
def test_agrees_with_the_swap_off_on_random_positions(chess960: bool) -> None:
    rng = random.Random(1)
    for seed in range(sized(120, 40)):
        board = random_board(seed, 200, chess960)
        position = parse_fen(board.fen())
        for legal in board.legal_moves:
            value = exchange(board, legal)
            move = parse_move(position, board.uci(legal))
            for threshold in (value - 1, value, value + 1, rng.randrange(-1500, 1500), 0):
                found = exchange_at_least(position, move, threshold, CLASSICAL)
                assert found == (value >= threshold), (board.fen(), legal.uci(), threshold, value)


def test_agrees_on_crowded_squares() -> None:
    """Pieces of random values, thrown onto the board: long exchanges, which random games seldom have."""
    rng = random.Random(2)
    values, use = some_values(rng)
    tried = 0
    while tried < sized(10000, 600):
        if tried % 50 == 0:
            values, use = some_values(rng)
        board = crowded_board(rng)
        if not board.is_valid():
            continue
        position = parse_fen(board.fen())
        for legal in board.generate_legal_captures():
            value = exchange(board, legal, values)
            move = parse_move(position, legal.uci())
            for threshold in (value, value + 1):
                found = exchange_at_least(position, move, threshold, use)
                assert found == (value >= threshold), (board.fen(), legal.uci(), threshold, value)
            tried += 1


def some_values(rng: random.Random) -> tuple[dict[int, int], Parameters]:
    values = {chess.KING: VALUES[chess.KING]}
    for kind in range(chess.PAWN, chess.KING):
        number = NUMBERS[name_of(kind)]
        values[kind] = rng.randint(number.low, number.high)
    return values, valued(values)


def crowded_board(rng: random.Random) -> chess.Board:
    """Most pieces on random squares; not always a legal position."""
    board = chess.Board(None)
    squares = rng.sample(range(64), 26)
    for colour in chess.COLORS:
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, colour))
        for kind in rng.sample([*[1] * 8, 2, 2, 3, 3, 4, 4, 5], 12):
            square = squares.pop()
            if kind != chess.PAWN or 8 <= square < 56:
                board.set_piece_at(square, chess.Piece(kind, colour))
    board.turn = rng.random() < 0.5
    return board
