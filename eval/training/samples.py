"""Samples: positions of self-play games, 34 bytes each, from which the linear evaluation learns.

They are taken from files of games, or read from files that consist of SAMPLE records, which are
little-endian.
"""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.board.position import Position
from eval.training import game_file
from eval.training.game_file import EMPTY, is_worth_keeping, pack_pieces, unpack_pieces
from eval.training.layout import MOST_PIECES

SAMPLE = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", (16,)),
        ("score", "<i2"),
        ("result", "i1"),
        ("state", "u1"),
        ("ply", "<u2"),
        ("game", "<u4"),
    ]
)
"""`occupied`: the occupied squares, a1 the lowest bit, then b1. `pieces`: the pieces on them in that
order as `Position.piece_at` has them, two to a byte, the lower half first. `score`: of the search, in
White's centipawns. `result`: of the game, 1 if White won, 0, or -1. `state`: bit 0 is set where Black is
to move, bits 1 to 4 are the castling rights K, Q, k, q. `ply`: plies played in the game before. `game`:
its number in the run, so that the positions of one game can be kept together."""

SUFFIX = ".samples"
"""The suffix of files of samples."""

_FIELDS = struct.Struct("<Q16shbBHI")
_ROOKS = (7, 0, 63, 56)
_KINGS = (4, 4, 60, 60)
_PAWN, _ROOK, _KING = 0, 3, 5
_PIECES = {*range(6), *range(8, 14), EMPTY}
_NO_PAWNS = (*range(8), *range(56, 64))


def pack(position: Position, score: int, result: int, ply: int, game: int) -> np.void:
    """The record of a position; `score` and `result` are White's.

    Move counters and en passant are not recorded, and castling rights are those of standard chess. Raises
    ValueError if a number does not fit.
    """
    try:
        occupied, packed = pack_pieces(position)
    except OverflowError:
        raise ValueError("not a sample: more than 32 pieces") from None
    state = position.side | position.castling << 1
    try:
        data = _FIELDS.pack(occupied, packed, score, result, state, ply, game)
    except struct.error as error:
        raise ValueError(f"not a sample: {error}") from None
    record: np.void = np.frombuffer(data, SAMPLE)[0]
    return record


def unpack(record: np.void) -> Position:
    """The position of a record. Raises ValueError if there is none."""
    occupied, packed, _, _, state, _, _ = _FIELDS.unpack(record.tobytes())
    if occupied.bit_count() > MOST_PIECES:
        raise ValueError("a sample has at most 32 pieces")
    pieces = unpack_pieces(occupied, packed)
    if (
        not set(pieces) <= _PIECES
        or 64 - pieces.count(EMPTY) != occupied.bit_count()
        or any(pieces[square] & 7 == _PAWN for square in _NO_PAWNS)
    ):
        raise ValueError("a sample has an unknown piece, or a pawn on the first or last rank")
    for right, (king, rook) in enumerate(zip(_KINGS, _ROOKS, strict=True)):
        own = right >> 1 << 3
        if state >> (right + 1) & 1 and (pieces[king] != own + _KING or pieces[rook] != own + _ROOK):
            raise ValueError("a sample has a castling right without king and rook in place")
    rooks = [rook if state >> (right + 1) & 1 else -1 for right, rook in enumerate(_ROOKS)]
    return Position.set_up(pieces, state & 1, rooks)


def of_game(game: game_file.GameRecord) -> list[np.void]:
    """The positions of a game that are worth keeping. Raises GameFileError at an illegal move.

    Positions with castling rights that exist only in Chess960 are left out.
    """
    worth, scores = is_worth_keeping(game.plies).tolist(), game.plies["score"].tolist()
    return [
        pack(position, -scores[ply] if position.side else scores[ply], game.result, ply, game.number)
        for ply, position in enumerate(game.positions())
        if worth[ply] and not position.checkers and _castles_as_usual(position)
    ]


def read(paths: Iterable[Path]) -> npt.NDArray[np.void]:
    """All samples of `paths`, in order. See `files` for folders.

    An incomplete record at the end of a file is ignored. Raises OSError and GameFileError.
    """
    parts = [_read_file(path) for path in files(paths)]
    return np.concatenate(parts) if parts else np.empty(0, SAMPLE)


def files(paths: Iterable[Path]) -> list[Path]:
    """The files of games or samples; a folder stands for those in it, sorted by name."""
    found: list[Path] = []
    for path in paths:
        inside = [*path.glob(f"*{SUFFIX}"), *path.glob(f"*{game_file.SUFFIX}")] if path.is_dir() else [path]
        found += sorted(inside)
    return found


def _read_file(path: Path) -> npt.NDArray[np.void]:
    if path.suffix == game_file.SUFFIX:
        return np.array([sample for game in game_file.games(path) for sample in of_game(game)], SAMPLE)
    whole = path.stat().st_size // SAMPLE.itemsize
    return np.fromfile(path, SAMPLE, whole)


def _castles_as_usual(position: Position) -> bool:
    for right, (king, rook) in enumerate(zip(_KINGS, _ROOKS, strict=True)):
        if position.castling >> right & 1:
            own = position.piece_at(king) == (right >> 1 << 3) + _KING
            if not own or position.rook_square(right) != rook:
                return False
    return True
