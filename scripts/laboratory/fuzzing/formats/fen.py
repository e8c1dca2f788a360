"""FEN: the same position as in python-chess, or a FenError."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chess

from engine.board.fen import FenError, format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from scripts.laboratory.fuzzing.ingredients import FENS, damaged, played, random_bytes
from scripts.laboratory.fuzzing.target import require, require_plain

if TYPE_CHECKING:
    from random import Random

    from engine.board.position import Position

# An objection of python-chess that our reader does not have: a double check that no move can have given.
TOLERATED = chess.STATUS_IMPOSSIBLE_CHECK
# Words of our reader's reasons where it is stricter than python-chess.
STRICTER = ("fields", "promotions allow", "must be a number", "more than four digits", "not a piece: '~'")

_LETTERS = [letter.encode() for letter in "PNBRQKpnbrqk12345678/ wb-acegh36"]
_CASTLING = ("-", "KQkq", "Kq", "HAha", "Gg", "AHah", "KK", "x", "KQkqKQ", "")
_SQUARES = ("-", "-", "e3", "e6", "a3", "h6", "e", "e9", "i3", "E3", "d6")


def make(rng: Random) -> bytes:
    """A valid, nearly valid or random FEN."""
    kind = rng.random()
    if kind < 0.2:
        board = played(rng, 12)
        return rng.choice((board.fen(), board.shredder_fen(), board.epd())).encode()
    if kind < 0.5:
        return _arrangement(rng).encode()
    if kind < 0.55:
        return random_bytes(rng, 80)
    snippets = {"snippets": _LETTERS} if rng.random() < 0.8 else {}
    return damaged(rng.choice(FENS).encode(), rng, rng.randrange(1, 5), **snippets)


def check(data: bytes) -> int:
    """Compare with python-chess: the position, its legal moves, and the FEN that is written again."""
    text = data.decode("utf-8", "replace")
    theirs = _by_chess(text)
    position, refusal = _read(text)
    if position is None:
        require(len(refusal.splitlines()) == 1, f"refused in several lines: {refusal!r}")
        require(theirs is None or any(why in refusal for why in STRICTER), f"refused, a FEN: {refusal}")
        return 1
    written = format_fen(position, chess960=True)
    board = chess.Board(written, chess960=True)
    require(board.status() | TOLERATED == TOLERATED, f"accepted, but {board.status()!r}: {written}")
    require(board.shredder_fen() == written, f"read as {written}, python-chess has {board.shredder_fen()}")
    if theirs is not None:
        require(theirs.shredder_fen() == written, f"{written} is {theirs.shredder_fen()} for python-chess")
    ours = {move_text(move, chess960=True) for move in legal_moves(position)}
    require(ours == {move.uci() for move in board.legal_moves}, f"other legal moves: {written}")
    for again in (written, format_fen(position)):
        require(parse_fen(again).key == position.key, f"another position when read again: {again}")
        require(format_fen(parse_fen(again), chess960=True) == written, f"read again, {again} is another")
    return 1


def _by_chess(text: str) -> chess.Board | None:
    """The board, if it is valid for python-chess."""
    try:
        board = chess.Board(text, chess960=True)
    except ValueError:
        return None
    return board if board.is_valid() else None


def _read(text: str) -> tuple[Position | None, str]:
    """The position, or the reason against it."""
    try:
        return parse_fen(text), ""
    except FenError as refused:
        require_plain(str(refused), "the reason")
        return None, str(refused)


def _arrangement(rng: Random) -> str:
    """Kings and other pieces on random squares, with random castling rights and en passant squares."""
    board = chess.Board(None, chess960=True)
    for square in rng.sample(range(64), rng.randrange(20)):
        letters = "NBRQnbrq" if square < 8 or square > 55 else "PPNBRQppnbrq"
        board.set_piece_at(square, chess.Piece.from_symbol(rng.choice(letters)))
    for king, rank in (("K", 0), ("k", 56)):
        square = rank + rng.randrange(8) if rng.random() < 0.5 else rng.randrange(64)
        board.set_piece_at(square, chess.Piece.from_symbol(king))
    en_passant, turn = rng.choice(_SQUARES), rng.random() < 0.5
    if rng.random() < 0.5:
        file = rng.randrange(7)
        board.set_piece_at(chess.square(file, 4 if turn else 3), chess.Piece(chess.PAWN, turn))
        board.set_piece_at(chess.square(file + 1, 4 if turn else 3), chess.Piece(chess.PAWN, not turn))
        en_passant = chess.square_name(chess.square(file + 1, 5 if turn else 2))
    fields = ("w" if turn else "b", rng.choice(_CASTLING), en_passant, rng.choice(("", "0 1", "99 200")))
    return " ".join((board.board_fen(), *fields))
