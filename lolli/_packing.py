"""Boards as packed positions, 32 bytes each, and back."""

from __future__ import annotations

from itertools import islice
from threading import local
from typing import TYPE_CHECKING

import chess

from engine.board.packed import PackedReader, pack_bitboards
from lolli._buffers import view_of
from lolli._errors import PositionError
from lolli._moves import require_chess

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lolli._buffers import AnyBuffer

PACKED = 32
"""Bytes of a packed position."""
AT_ONCE = 1 << 14
"""Positions between two looks at whether Ctrl-C was pressed."""
_NO_SQUARE, _NO_FILE = 255, 15
_THREAD = local()


def reader() -> PackedReader:
    """This thread's reader."""
    if not hasattr(_THREAD, "reader"):
        _THREAD.reader = PackedReader()
    found: PackedReader = _THREAD.reader
    return found


def pack(boards: Iterable[chess.Board]) -> memoryview:
    """Boards as bytes of shape (n, 32), or (0,) for none; `numpy.asarray` takes them without a copy.

    A packed position is complete but for the moves that led to it; `unpack` gives the boards back. Raises
    PositionError for a variant, and for a board with more than 32 men.
    """
    packed = bytearray()
    boards = iter(boards)
    while chunk := [*islice(boards, AT_ONCE)]:
        packed += packed_chunk(chunk, len(packed) // PACKED)
    return memoryview(packed).cast("B", (len(packed) // PACKED, PACKED)) if packed else memoryview(packed)


def packed_chunk(boards: list[chess.Board], first: int = 0) -> bytearray:
    """A list of boards as bytes; the first is number `first` in messages. Raises PositionError."""
    packed = bytearray(PACKED * len(boards))
    for row, board in enumerate(boards):
        if type(board) is not chess.Board:
            require_chess(board)
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        fits = pack_bitboards(
            packed,
            row,
            kinds,
            board.occupied_co[chess.WHITE],
            board.castling_rights,
            board.chess960,
            -1 if board.ep_square is None else board.ep_square,
            (0 if board.turn else 1, board.halfmove_clock, board.fullmove_number),
        )
        if not fits:
            raise PositionError(f"position {first + row} has more than 32 men")
    return packed


def flat(packed: AnyBuffer) -> memoryview:
    """Packed positions as one row of bytes.

    Raises ValueError for an array of another type or shape, TypeError for what is not an array.
    """
    view = view_of(packed)
    fits = view.nbytes % PACKED == 0 and (view.shape or ())[1:] in ((), (PACKED,))
    if view.itemsize != 1 or not view.c_contiguous or not fits:
        raise ValueError("packed positions are bytes of shape (n, 32) or (32 * n,), without gaps")
    return view.cast("B") if view.nbytes else memoryview(b"")


def unsound(row: int) -> PositionError:
    """The error for a position from which no game could go on."""
    return PositionError(f"position {row} is not one from which a game could go on")


def unpack(packed: AnyBuffer) -> list[chess.Board]:
    """The boards of packed positions, without the moves that led to them.

    A board is of Chess960 if it can castle otherwise than in chess. Raises PositionError where a game could
    not go on from a position, ValueError for an array of another shape or type.
    """
    data = flat(packed)
    boards = []
    for row in range(len(data) // PACKED):
        if not reader().is_sound(data, row):
            raise unsound(row)
        boards.append(_board(data[row * PACKED : (row + 1) * PACKED]))
    return boards


def _board(data: memoryview) -> chess.Board:
    """The board of one sound position."""
    board = chess.Board(None)
    left = int.from_bytes(data[8:24], "little")
    for square in chess.scan_forward(int.from_bytes(data[:8], "little")):
        board.set_piece_at(square, chess.Piece(1 + (left & 7), not left & 8))
        left >>= 4
    board.turn = not data[24] & 1
    files = int.from_bytes(data[25:27], "little")
    for right in range(4):
        file = files >> 4 * right & 15
        if file != _NO_FILE:
            board.castling_rights |= chess.BB_SQUARES[56 * (right >> 1) + file]
    board.chess960 = board.clean_castling_rights() != board.castling_rights
    board.ep_square = None if data[27] == _NO_SQUARE else data[27]
    board.halfmove_clock = data[28]
    board.fullmove_number = int.from_bytes(data[29:31], "little")
    return board
