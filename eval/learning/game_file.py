"""Files of games that the engine has played against itself: 4 bytes a ply, and nothing lost.

All numbers are little-endian. A file is a header and then the games, one after the other, in the order in
which they ended.

    header  0  8 bytes  b"LolliGms"
            8  u16      version, 1
           10  u16      0
           12  u32      D, how many bytes of description follow
           16  D bytes  description: a JSON object in UTF-8 that says how the games were made
         16+D  u32      CRC-32 of all bytes before

    game    0  u16      N, plies
            2  u8       result: 0 Black won, 1 drawn, 2 White won
            3  u8       how it ended: its place in `Ending`
            4  u32      number of the game in its run
            8  32 bytes start position
           40  N times  u16 move, as the engine has it, and i16 score of the search that chose it, in
                        centipawns from the mover's point of view
         40+4N u32      CRC-32 of the bytes of the game before

    start   0  u64      occupied squares, a1 the lowest bit, then b1
            8  16 bytes the pieces on them in that order, as `Position.piece_at` has them, two to a byte,
                        the lower half first
           24  u8       side to move
           25  u16      files of the rooks that may castle for K, Q, k, q, four bits each, the lowest
                        first; 15 for none
           27  u8       square of a pawn's capture en passant, 255 for none
           28  u8       half moves since a capture or a pawn's move
           29  u16      number of the move
           31  u8       0
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.files import descriptor_of

SUFFIX = ".games"
"""How the names of such files end."""

PLY = np.dtype([("move", "<u2"), ("score", "<i2")])

_MAGIC, _VERSION = b"LolliGms", 1
_HEADER = struct.Struct("<8sHHI")
_GAME = struct.Struct("<HBBI")
_START = struct.Struct("<Q16sBHBBHB")
_CRC = struct.Struct("<I")
_LONGEST_DESCRIPTION = 1 << 20
_START_SIZE = 32
_EMPTY, _KING, _MOST_MEN = 7, 5, 32
_NO_SQUARE, _NO_FILE = 255, 15
_BEFORE_PLIES = _GAME.size + _START_SIZE


class GameFileError(ValueError):
    """A file that cannot be used, or a game in it; the message says why."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game: `result` is White's, 1, 0 or -1; `ending` is its place in `Ending`; `plies` has PLY records."""

    number: int
    result: int
    ending: int
    start: bytes
    plies: npt.NDArray[np.void]

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The game that `pack_game` has made these bytes of."""
        _, result, ending, number = _GAME.unpack_from(data)
        plies = np.frombuffer(data[_BEFORE_PLIES : -_CRC.size], PLY)
        return cls(number, result - 1, ending, data[_GAME.size : _BEFORE_PLIES], plies)

    def positions(self) -> Iterator[Position]:
        """The position before each ply, always the same object. Raises GameFileError at an illegal move."""
        position = unpack_position(self.start)
        for ply, move in enumerate(self.plies["move"].tolist()):
            yield position
            if move not in legal_moves(position):
                raise GameFileError(f"game {self.number}: the move of ply {ply} is not legal")
            position.advance(move)

    def end(self) -> Position:
        """The position after the last ply. Raises GameFileError at an illegal move."""
        position = unpack_position(self.start)
        for position in self.positions():  # noqa: B007 - the same object each time
            pass
        return position


def pack_position(position: Position) -> bytes:
    """The 32 bytes of a position; what led to it is not kept."""
    occupied, packed, place = 0, 0, 0
    for square in range(64):
        piece = position.piece_at(square)
        if piece != _EMPTY:
            occupied |= 1 << square
            packed |= piece << place
            place += 4
    files = 0
    for right in range(4):
        rook = position.rook_square(right)
        files |= (_NO_FILE if rook < 0 else rook & 7) << 4 * right
    return _START.pack(
        occupied,
        packed.to_bytes(_MOST_MEN // 2, "little"),
        position.side,
        files,
        _NO_SQUARE if position.en_passant < 0 else position.en_passant,
        min(position.halfmoves, 255),
        min(position.fullmove(), 65535),
        0,
    )


def unpack_position(data: bytes) -> Position:
    """The position of 32 bytes. Raises GameFileError where they are none."""
    occupied, halves, side, files, en_passant, halfmoves, fullmove, _ = _START.unpack(data)
    packed = int.from_bytes(halves, "little")
    pieces = [_EMPTY] * 64
    for square in range(64):
        if occupied >> square & 1:
            pieces[square] = packed & 15
            packed >>= 4
    rooks = []
    for right in range(4):
        file = files >> 4 * right & 15
        rooks.append(-1 if file == _NO_FILE else (right >> 1) * 56 + file)
    try:
        return Position.set_up(
            pieces, side & 1, rooks, -1 if en_passant == _NO_SQUARE else en_passant, halfmoves, fullmove
        )
    except (ValueError, IndexError) as error:
        raise GameFileError(f"not a position: {error}") from None


def pack_game(number: int, result: int, ending: int, start: bytes, moves: bytes, scores: bytes) -> bytes:
    """The bytes of a game, its moves u16 and its scores i16 each."""
    count = len(moves) // 2
    plies = np.empty(count, PLY)
    plies["move"] = np.frombuffer(moves, "=u2")
    plies["score"] = np.frombuffer(scores, "=i2")
    data = _GAME.pack(count, result + 1, ending, number) + start + plies.tobytes()
    return data + _CRC.pack(zlib.crc32(data))


def pack_header(description: dict[str, Any]) -> bytes:
    """The bytes before the first game."""
    text = json.dumps(description, sort_keys=True).encode()
    data = _HEADER.pack(_MAGIC, _VERSION, 0, len(text)) + text
    return data + _CRC.pack(zlib.crc32(data))


def read_header(file: BinaryIO, name: str) -> dict[str, Any]:
    """The description; `file` stands at the first game afterwards. Raises GameFileError."""
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or head[:8] != _MAGIC:
        raise GameFileError(f"{name}: not a file of games")
    _, version, _, length = _HEADER.unpack(head)
    if version != _VERSION:
        raise GameFileError(f"{name}: a file of games of version {version}, not {_VERSION}")
    if length > _LONGEST_DESCRIPTION:
        raise GameFileError(f"{name}: its description is too long")
    text = file.read(length)
    if file.read(_CRC.size) != _CRC.pack(zlib.crc32(head + text)):
        raise GameFileError(f"{name}: its description is damaged")
    description = json.loads(text)
    if not isinstance(description, dict):
        raise GameFileError(f"{name}: its description is not an object")
    return description


def read_games(file: BinaryIO, name: str) -> Iterator[GameRecord]:
    """The games from where the file stands; one at the end that was cut short counts as not written.

    When the iteration ends, `file` stands behind the last whole game. Raises GameFileError at a damaged one.
    """
    while True:
        place = file.tell()
        head = file.read(_BEFORE_PLIES)
        count = _GAME.unpack_from(head)[0] if len(head) == _BEFORE_PLIES else 0
        body = file.read(count * PLY.itemsize)
        if len(head) + len(body) < _BEFORE_PLIES + count * PLY.itemsize:
            break
        crc = file.read(_CRC.size)
        if len(crc) < _CRC.size:
            break
        data = head + body
        if _CRC.unpack(crc)[0] != zlib.crc32(data):
            raise GameFileError(f"{name}: the game at byte {place} is damaged")
        yield GameRecord.from_bytes(data + crc)
    file.seek(place)


def games(path: Path) -> Iterator[GameRecord]:
    """All games of a file. Raises GameFileError, OSError."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        read_header(file, str(path))
        yield from read_games(file, str(path))
