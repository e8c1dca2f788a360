"""Books: refused with one line that names the file, or exactly the moves in their bytes."""

from __future__ import annotations

import struct
from functools import cache
from random import Random

import chess
import chess.polyglot

from engine.board.fen import parse_fen
from engine.board.notation import move_text
from engine.lookup.book import STANDARD, Book, BookError
from scripts.laboratory.fuzzing.ingredients import SPECIAL, cut, damaged, flipped, random_bytes, saved
from scripts.laboratory.fuzzing.target import require, require_plain

_ENTRY = struct.Struct(">QHHI")
_ASKED = (chess.STARTING_FEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", *SPECIAL[:3])
_FEW = 20  # entries


def make(rng: Random) -> bytes:
    """A book with legal and other moves, often damaged, or rarely random bytes."""
    kind = rng.random()
    if kind < 0.1:
        return random_bytes(rng, 100) + b"\0" * rng.choice((0, 1))
    if kind < 0.2:
        return flipped(_standard(), rng, rng.randrange(1, 40))
    entries = [_entry(rng) for _ in range(rng.randrange(_FEW))]
    if rng.random() < 0.9:
        entries.sort()
    data = b"".join(_ENTRY.pack(*entry) for entry in entries)
    if kind < 0.3:
        return cut(data, rng)
    return damaged(data, rng, rng.randrange(3)) if kind < 0.5 else data


def check(data: bytes) -> int:
    """Check the moves in some positions."""
    path = saved("book.bin", data)
    try:
        book = Book(path, Random(1))
    except BookError as error:
        require_plain(str(error), "the reason")
        require(str(error).startswith(f"{path}: "), f"the reason does not name the file: {error}")
        return 1
    try:
        for fen in _ASKED:
            _check_moves(book, fen, _expected(data, fen))
    finally:
        book.close()
    return len(_ASKED)


def _check_moves(book: Book, fen: str, expected: dict[str, int] | None) -> None:
    position = parse_fen(fen)
    weights = {move_text(move, chess960=True): weight for move, weight in book.moves(position).items()}
    require(expected is None or weights == expected, f"{fen}: plays {weights}, has {expected}")
    for best in (True, False):
        chosen = book.choose(position, best)
        require((chosen is None) == (not weights), f"{fen}: chooses {chosen}")
        if chosen is not None:
            require(move_text(chosen.move, chess960=True) in weights, f"{fen}: chooses another move")
            require(0 < chosen.weight <= chosen.total, f"{fen}: weight {chosen.weight} of {chosen.total}")


def _expected(data: bytes, fen: str) -> dict[str, int] | None:
    """The legal moves and weights in the bytes; None if the entries are not sorted."""
    board = chess.Board(fen, chess960=True)
    key = chess.polyglot.zobrist_hash(board)
    entries = [_ENTRY.unpack_from(data, place) for place in range(0, len(data), _ENTRY.size)]
    if [entry[0] for entry in entries] != sorted(entry[0] for entry in entries):
        return None
    weights: dict[str, int] = {}
    for found, raw, weight, _ in entries:
        move = _legal(board, raw) if found == key and weight else None
        if move is not None:
            weights[move] = weights.get(move, 0) + weight
    return weights


def _legal(board: chess.Board, raw: int) -> str | None:
    """The move of 16 bits, with castling as king takes rook; None if it is not legal."""
    promotion = raw >> 12 & 7
    if promotion > 4 or (raw >> 6 & 63) == (raw & 63):
        return None
    move = chess.Move(raw >> 6 & 63, raw & 63, (None, 2, 3, 4, 5)[promotion])
    try:
        legal = board.parse_uci(move.uci())
    except ValueError:
        return None
    return legal.uci() if legal.promotion == move.promotion else None  # castling cannot promote


def _entry(rng: Random) -> tuple[int, int, int, int]:
    board = chess.Board(rng.choice(_ASKED), chess960=True)
    key = chess.polyglot.zobrist_hash(board) if rng.random() < 0.8 else rng.getrandbits(64)
    moves = list(board.legal_moves)
    raw = rng.getrandbits(16)
    if moves and rng.random() < 0.8:
        move = rng.choice(moves)
        raw = move.to_square | move.from_square << 6 | max(0, (move.promotion or 1) - 1) << 12
    return key, raw, rng.choice((0, 1, 2, 100, 65535)), rng.getrandbits(32)


@cache
def _standard() -> bytes:
    return STANDARD.read_bytes()
