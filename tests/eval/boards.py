"""Positions of many kinds to evaluate: from games, near their end, and such as no game reaches."""

import lzma
import random
from functools import cache

import chess

from engine.board.fen import FenError, parse_fen
from engine.board.position import Position
from tests.compiled import ROOT
from tests.engine.board.games import choose
from tests.engine.search.oracles import random_board

BOOK = ROOT / "scripts" / "laboratory" / "data" / "openings.epd.xz"


@cache
def book() -> list[str]:
    return lzma.decompress(BOOK.read_bytes()).decode().splitlines()


def from_book(seed: int) -> chess.Board:
    """An opening and up to 60 moves from it, captures among them; the game is not over."""
    rng = random.Random(seed)
    board = chess.Board()
    board.set_epd(rng.choice(book()))
    for _ in range(rng.randrange(60)):
        board.push(choose(board, rng))
        if board.is_game_over():
            board.pop()
            break
    return board


def scattered(seed: int, pieces: str) -> chess.Board:
    """These pieces by their letters on random squares, White or Black to move; the position is legal."""
    rng = random.Random(f"{seed} {pieces}")
    while True:
        board = chess.Board(None)
        board.turn = rng.random() < 0.5
        for letter in pieces:
            squares = range(8, 56) if letter in "Pp" else range(64)
            free = [square for square in squares if not board.piece_at(square)]
            board.set_piece_at(rng.choice(free), chess.Piece.from_symbol(letter))
        if is_usable(board):
            return board


def few_pieces(seed: int) -> chess.Board:
    rng = random.Random(seed)
    return scattered(seed, "Kk" + "".join(rng.choices("PPPNBRQpppnbrq", k=rng.randrange(7))))


def many_pieces(seed: int) -> chess.Board:
    rng = random.Random(seed)
    white, black = rng.randrange(2, 9), rng.randrange(2, 9)
    promoted = rng.choices("NBRQ", k=8 - white) + rng.choices("nbrq", k=8 - black)
    return scattered(seed, "KkNBRnbr" + "P" * white + "p" * black + "".join(promoted))


def all_kinds(number: int) -> list[chess.Board]:
    boards = []
    for seed in range(number):
        boards += [random_board(seed, 200), random_board(seed, 120, chess960=True)]
        boards += [from_book(seed), few_pieces(seed), many_pieces(seed)]
    return boards


def is_usable(board: chess.Board) -> bool:
    try:
        parse_fen(board.fen())
    except FenError:
        return False
    return True


def ours(board: chess.Board) -> Position:
    return parse_fen(board.fen())
