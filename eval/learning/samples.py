"""Positions of self-play games, 34 bytes each: what the linear evaluation learns from.

They are taken from files of games, or read from files that are rows of SAMPLE records and nothing else, whose
byte order is little-endian everywhere.
"""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.board.move import is_quiet
from engine.board.position import Position
from eval.learning import game_file

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
"""How the names of such files end."""

FIRST_PLY, LARGEST_SCORE = 4, 1500
"""Positions of games are kept from this ply on, where the score is smaller than this either way."""

_FIELDS = struct.Struct("<Q16shbBHI")
_EMPTY = 7
_ROOKS = (7, 0, 63, 56)
_KINGS = (4, 4, 60, 60)
_MOST_PIECES = 32
_PAWN, _ROOK, _KING = 0, 3, 5
_PIECES = {*range(6), *range(8, 14), _EMPTY}
_NO_PAWNS = (*range(8), *range(56, 64))


def pack(position: Position, score: int, result: int, ply: int, game: int) -> np.void:
    """The record of a position, `score` and `result` being White's.

    What a record does not hold is lost: the move counters, and whether a pawn can be taken en passant.
    Castling is taken to be that of the usual start position. Raises ValueError where a number does not fit.
    """
    occupied, packed, place = 0, 0, 0
    for square in range(64):
        piece = position.piece_at(square)
        if piece != _EMPTY:
            occupied |= 1 << square
            packed |= piece << place
            place += 4
    if place > 4 * _MOST_PIECES:
        raise ValueError("no sample: more than 32 pieces")
    halves = packed.to_bytes(_MOST_PIECES // 2, "little")
    state = position.side | position.castling << 1
    try:
        data = _FIELDS.pack(occupied, halves, score, result, state, ply, game)
    except struct.error as error:
        raise ValueError(f"no sample: {error}") from None
    record: np.void = np.frombuffer(data, SAMPLE)[0]
    return record


def unpack(record: np.void) -> Position:
    """The position of a record. Raises ValueError for a record that is none."""
    occupied, halves, _, _, state, _, _ = _FIELDS.unpack(record.tobytes())
    if occupied.bit_count() > _MOST_PIECES:
        raise ValueError("a sample has at most 32 pieces")
    packed = int.from_bytes(halves, "little")
    pieces = [_EMPTY] * 64
    for square in range(64):
        if occupied >> square & 1:
            pieces[square] = packed & 15
            packed >>= 4
    if (
        not set(pieces) <= _PIECES
        or 64 - pieces.count(_EMPTY) != occupied.bit_count()
        or any(pieces[square] & 7 == _PAWN for square in _NO_PAWNS)
    ):
        raise ValueError("a sample has a piece that there is not, or a pawn where none can be")
    for right, (king, rook) in enumerate(zip(_KINGS, _ROOKS, strict=True)):
        own = right >> 1 << 3
        if state >> (right + 1) & 1 and (pieces[king] != own + _KING or pieces[rook] != own + _ROOK):
            raise ValueError("a sample has the right to castle without king and rook in place")
    rooks = [rook if state >> (right + 1) & 1 else -1 for right, rook in enumerate(_ROOKS)]
    return Position.set_up(pieces, state & 1, rooks)


def is_worth_keeping(plies: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """For each ply of a game whether its position, if not in check, can be judged by looking at it.

    It can after a few plies, where the best move is quiet and the score moderate.
    """
    worth = np.array([is_quiet(move) for move in plies["move"].tolist()], bool)
    worth &= np.abs(plies["score"].astype(int)) < LARGEST_SCORE
    worth[:FIRST_PLY] = False
    return worth


def of_game(game: game_file.GameRecord) -> list[np.void]:
    """The positions of a game that are worth keeping. Raises GameFileError at an illegal move.

    Those with a right to castle that only Chess960 has are left out.
    """
    worth, scores = is_worth_keeping(game.plies).tolist(), game.plies["score"].tolist()
    return [
        pack(position, -scores[ply] if position.side else scores[ply], game.result, ply, game.number)
        for ply, position in enumerate(game.positions())
        if worth[ply] and not position.checkers and _castles_as_usual(position)
    ]


def read(paths: Iterable[Path]) -> npt.NDArray[np.void]:
    """All samples of these files, in their order; a folder stands for the files in it, by name.

    What was cut short at the end of a file counts as not written. Raises OSError, GameFileError.
    """
    parts = [_read_file(path) for path in files(paths)]
    return np.concatenate(parts) if parts else np.empty(0, SAMPLE)


def files(paths: Iterable[Path]) -> list[Path]:
    """The files of games or samples that are meant: a folder stands for those in it, by name."""
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
