"""Moves as people type them: SAN with all its liberties, UCI's notation, and what is between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import chess

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBER = re.compile(r"^\d+\s*\.+\s*")
_EN_PASSANT = re.compile(r"e\.?p\.?\Z", re.IGNORECASE)
_AFTERTHOUGHTS = "+#!?"
_CASTLING = re.compile(r"[o0]-?[o0](-?[o0])?", re.IGNORECASE)
_DECORATION = str.maketrans("", "", "-x:=() ")
_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP", "\ufe0e\ufe0f")
_SHORT, _LONG = "OO", "OOO"
_SHAPE = re.compile(
    r"(?P<piece>[KQRBNP]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<target>[a-h][1-8])(?P<promotion>[KQRBNP]?)",
    re.IGNORECASE,
)


class MoveTextError(ValueError):
    """Why a text is no move here, in one line for who typed it."""


def move_of(board: chess.Board, text: str) -> chess.Move | None:
    """The legal move that a text means, None where it means none.

    A text that means one move as it stands means that one; otherwise capitals do not matter. MoveTextError
    where it could be several.
    """
    wanted = canonical(text)
    for fold in (str, str.lower):
        moves = [
            move for move in board.legal_moves if fold(wanted) in {fold(form) for form in _forms(board, move)}
        ]
        if len(moves) == 1:
            return moves[0]
        if moves:
            raise MoveTextError(f"{told(text)} is ambiguous: {alternatives(board, moves)}.")
    return None


def canonical(text: str) -> str:
    """The letters and digits of a move without what may be left out: `e2e4`, `Nbd2`, `e8q`, `OO`."""
    text = _without_suffix(_NUMBER.sub("", text.strip().translate(_FIGURINES)))
    if castling := _CASTLING.fullmatch(text):
        return _LONG if castling[1] else _SHORT
    return text.translate(_DECORATION)


def _without_suffix(text: str) -> str:
    end = len(text)
    while end and (text[end - 1] in _AFTERTHOUGHTS or text[end - 1].isspace()):
        end -= 1
    return _EN_PASSANT.sub("", text[:end])


def shape_of(text: str) -> re.Match[str] | None:
    """The parts of what looks like a move: piece, file, rank, target and promotion; None for the rest."""
    return _SHAPE.fullmatch(canonical(text))


def is_castling(text: str) -> bool:
    """Whether castling is meant."""
    return canonical(text) in {_SHORT, _LONG}


def told(text: str) -> str:
    """What was typed, for an answer: printable and not too long."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in text.strip())
    return printable if len(printable) <= 20 else f"{printable[:19]}…"


def alternatives(board: chess.Board, moves: list[chess.Move]) -> str:
    """`Nbd2 or Nfd2`."""
    *others, last = sorted(board.san(move).rstrip("+#") for move in moves)
    return f"{', '.join(others)} or {last}" if others else last


def _forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """All that a legal move may be called, canonical."""
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if board.is_castling(move):
        yield from _castling_forms(board, move)
        return
    promotion = chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    symbol = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper()
    begins = [source, symbol, symbol + source]
    if symbol != "P":
        begins += [symbol + source[0], symbol + source[1]]
    else:
        begins.append(source[0] if board.is_capture(move) else "")
    for begin in begins:
        yield begin + target + promotion


def _castling_forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """Castling by its signs, by king and rook, and by where the king goes unless it could be a step."""
    short = chess.square_file(move.to_square) > chess.square_file(move.from_square)
    yield _SHORT if short else _LONG
    targets = {move.to_square}
    rank = chess.square_rank(move.from_square)
    king_target = chess.square(6 if short else 2, rank)
    if chess.square_distance(move.from_square, king_target) > 1:
        targets.add(king_target)
        yield f"K{chess.square_name(king_target)}"
    if not board.chess960:
        targets.add(chess.square(7 if short else 0, rank))
    for target in targets:
        yield chess.square_name(move.from_square) + chess.square_name(target)
