"""Files of games that the engine has played against itself.

All numbers are little-endian. A file is a header and then blocks of games; a damaged one costs no other.

    header  0  8 bytes  b"LolliGms"
            8  u16      version, 2
           10  u16      0
           12  u32      D, how many bytes of description follow
           16  D bytes  description: a JSON object in UTF-8 that says how the games were made
         16+D  u32      CRC-32 of all bytes before

    block   0  4 bytes  b"LBlk"
            4  u32      N, bytes of packed games
            8  u32      number of games
           12  u32      number of plies
           16  u32      number of positions that training keeps
           20  u32      CRC-32 of the packed games
           24  u32      CRC-32 of the unpacked games, each as below with 0 for its own CRC-32
           28  u32      CRC-32 of the bytes of the block before
           32  N bytes  packed games: see `packing`

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

import io
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import get_ident
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from engine.board.move import is_quiet
from engine.board.movegen import legal_moves
from engine.board.packed import PackedReader
from engine.board.position import Position
from engine.system.files import descriptor_of
from eval.training.layout import (
    BEFORE_PLIES,
    CRC_SIZE,
    FIRST_PLY,
    LARGEST_SCORE,
    MOST_PIECES,
    NO_FILE,
    NO_SQUARE,
    PLY_SIZE,
    RECORD_WORDS,
    START,
)
from eval.training.packing import GameCoder, GameFileError

__all__ = ["GameFileError"]

Lost = Callable[[int, int], object]
"""Is called with the first byte of what is damaged in a file, and the one after the last."""

SUFFIX = ".games"
"""The suffix of files of games."""

PLY = np.dtype([("move", "<u2"), ("score", "<i2")])

_HEADER = struct.Struct("<8sHHI")
_LONGEST_DESCRIPTION = 1 << 20  # bytes
_GAME = struct.Struct("<HBBI")
_START = struct.Struct("<Q16sBHBBHB")
BOARD_BYTES = 24  # of a packed position: the occupied squares and the pieces
WHITE_TO_MOVE = _START.pack(0, b"", 0, 0xFFFF, NO_SQUARE, 0, 1, 0)[BOARD_BYTES:]
_CRC = struct.Struct("<I")
_BLOCK = struct.Struct("<4sIIIIII")
_BLOCK_MAGIC = b"LBlk"
EMPTY = 7


@dataclass(frozen=True, slots=True)
class FileKind:
    magic: bytes
    version: int
    content: str
    error: type[ValueError]

    def pack_header(self, description: dict[str, Any]) -> bytes:
        text = json.dumps(description, sort_keys=True).encode()
        data = _HEADER.pack(self.magic, self.version, 0, len(text)) + text
        return data + _CRC.pack(zlib.crc32(data))

    def read_header(self, file: BinaryIO, name: str) -> dict[str, Any]:
        """Read the description and leave `file` behind the header. Raises `error`."""
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(self.magic):
            raise self.error(f"{name}: not a file of {self.content}")
        _, version, _, length = _HEADER.unpack(head)
        if version != self.version:
            raise self.error(f"{name}: a file of {self.content} of version {version}, not {self.version}")
        if length > _LONGEST_DESCRIPTION:
            raise self.error(f"{name}: its description is too long")
        text = file.read(length)
        if file.read(_CRC.size) != _CRC.pack(zlib.crc32(head + text)):
            raise self.error(f"{name}: its description is damaged")
        try:
            description = json.loads(text)
        except (ValueError, RecursionError):
            raise self.error(f"{name}: its description is not JSON") from None
        if not isinstance(description, dict):
            raise self.error(f"{name}: its description is not an object")
        return description


GAMES = FileKind(b"LolliGms", 2, "games", GameFileError)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """`result`: White's, 1, 0 or -1; `ending`: place in `Ending`; `plies`: PLY records."""

    number: int
    result: int
    ending: int
    start: bytes
    plies: npt.NDArray[np.void]

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """From the bytes of `pack_game`; more may follow them."""
        count, result, ending, number = _GAME.unpack_from(data)
        plies = np.frombuffer(data, PLY, count, BEFORE_PLIES)
        return cls(number, result - 1, ending, data[START:BEFORE_PLIES], plies)

    def positions(self) -> Iterator[Position]:
        """The position before each ply, always the same object. Raises GameFileError at an illegal move."""
        position = unpack_position(self.start)
        for ply, move in enumerate(self.plies["move"].tolist()):
            yield position
            if move not in legal_moves(position):
                raise GameFileError(f"game {self.number}: illegal move at ply {ply}")
            position.advance(move)

    def kept(self) -> Iterator[tuple[int, Position]]:
        """Each ply whose position suits learning, with it (see `is_worth_keeping`). Raises GameFileError."""
        worth = is_worth_keeping(self.plies).tolist()
        return ((ply, each) for ply, each in enumerate(self.positions()) if worth[ply] and not each.checkers)


def pack_position(position: Position) -> bytes:
    """Raises OverflowError beyond 32 pieces."""
    occupied, packed, place = 0, 0, 0
    for square in range(64):
        piece = position.piece_at(square)
        if piece != EMPTY:
            occupied |= 1 << square
            packed |= piece << place
            place += 4
    files = 0
    for right in range(4):
        rook = position.rook_square(right)
        files |= (NO_FILE if rook < 0 else rook & 7) << 4 * right
    return _START.pack(
        occupied,
        packed.to_bytes(MOST_PIECES // 2, "little"),
        position.side,
        files,
        NO_SQUARE if position.en_passant < 0 else position.en_passant,
        min(position.halfmoves, 255),
        min(position.fullmove(), 65535),
        0,
    )


def unpack_position(data: bytes) -> Position:
    """Raises GameFileError if the 32 bytes are not a position."""
    reader = _reader_of(get_ident())
    if not reader.is_sound(data, 0):
        raise GameFileError("not a position")
    return reader.position.copy()


@cache
def _reader_of(_thread: int) -> PackedReader:
    return PackedReader()


def pack_game(number: int, result: int, ending: int, start: bytes, moves: bytes, scores: bytes) -> bytes:
    count = len(moves) // 2
    plies = np.empty(count, PLY)
    plies["move"] = np.frombuffer(moves, "=u2")
    plies["score"] = np.frombuffer(scores, "=i2")
    data = _GAME.pack(count, result + 1, ending, number) + start + plies.tobytes()
    return data + _CRC.pack(zlib.crc32(data))


@dataclass(frozen=True, slots=True)
class GameBlock:
    """The head of a block; its packed games are the bytes from `first` to `last` - 1."""

    first: int
    last: int
    games: int
    plies: int
    kept: int
    checksum: int
    checksum_unpacked: int

    def unpack(self, packed: bytes) -> Iterator[bytes]:
        """Each game as `pack_game` makes it, but without its CRC-32. Raises GameFileError."""
        return _split(_coder_of(get_ident()).unpack(packed, self.games, self.plies))


@cache
def _coder_of(_thread: int) -> GameCoder:
    """Making a coder takes as long as packing some games."""
    return GameCoder()


def pack_block(games: Sequence[bytes]) -> bytes:
    """Raises GameFileError at an illegal game, and if a game would not come back unchanged."""
    coder = _coder_of(get_ident())
    packed = coder.pack(b"".join(games))
    plies = sum(len(game) - BEFORE_PLIES - CRC_SIZE for game in games) // PLY_SIZE
    unpacked = coder.unpack(packed, len(games), plies)
    for game, again in zip(games, _split(unpacked), strict=True):
        before, after = GameRecord.from_bytes(game), GameRecord.from_bytes(again)
        if game[:BEFORE_PLIES] != again[:BEFORE_PLIES] or (before.plies["move"] != after.plies["move"]).any():
            raise GameFileError(f"game {before.number} cannot be packed")
    room: Any = np.empty(plies * RECORD_WORDS, np.uint64)
    kept = coder.records(packed, len(games), memoryview(room), 0)
    crcs = zlib.crc32(packed), zlib.crc32(unpacked)
    head = _BLOCK.pack(_BLOCK_MAGIC, len(packed), len(games), plies, kept, *crcs)
    return head + _CRC.pack(zlib.crc32(head)) + packed


def _split(games: bytes) -> Iterator[bytes]:
    place = 0
    while place < len(games):
        after = place + BEFORE_PLIES + PLY_SIZE * _GAME.unpack_from(games, place)[0] + CRC_SIZE
        yield games[place:after]
        place = after


def read_blocks(data: bytes, first: int, lost: Lost = lambda *_: None) -> Iterator[tuple[GameBlock, bytes]]:
    """Sound blocks from byte `first` on. `lost(first, last)` is called for damaged and incomplete ones."""
    place = first
    while place < len(data):
        block = _block_at(data, place)
        if block is None:
            after = data.find(_BLOCK_MAGIC, place + 1)
            while after >= 0 and _block_at(data, after) is None:
                after = data.find(_BLOCK_MAGIC, after + 1)
            after = after if after >= 0 else len(data)
            lost(place, after)
            place = after
            continue
        packed = data[block.first : block.last]
        if zlib.crc32(packed) == block.checksum:
            yield block, packed
        else:
            lost(place, block.last)
        place = block.last


def _block_at(data: bytes, place: int) -> GameBlock | None:
    first = place + _BLOCK.size + _CRC.size
    head = data[place : first - _CRC.size]
    if not head.startswith(_BLOCK_MAGIC) or data[first - _CRC.size : first] != _CRC.pack(zlib.crc32(head)):
        return None
    _, size, *rest = _BLOCK.unpack(head)
    return GameBlock(first, first + size, *rest) if first + size <= len(data) else None


def open_games(
    data: bytes, name: str, lost: Lost = lambda *_: None
) -> tuple[dict[str, Any], Iterator[tuple[GameBlock, bytes]]]:
    """The description and the blocks; for `lost` see `read_blocks`. Raises GameFileError."""
    file = io.BytesIO(data)
    description = GAMES.read_header(file, name)
    return description, read_blocks(data, file.tell(), lost)


def description(path: Path) -> dict[str, Any]:
    with os.fdopen(descriptor_of(path), "rb") as file:
        return GAMES.read_header(file, str(path))


def files(paths: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for path in paths:
        found += sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
    return found


def games(path: Path) -> Iterator[GameRecord]:
    """Raises GameFileError, also where a part is damaged or cut short, and OSError."""

    def refuse(first: int, _: int) -> None:
        raise GameFileError(f"{path}: the games from byte {first} on are damaged")

    with os.fdopen(descriptor_of(path), "rb") as file:
        data = file.read()
    _, blocks = open_games(data, str(path), refuse)
    for block, packed in blocks:
        yield from map(GameRecord.from_bytes, block.unpack(packed))


def is_worth_keeping(plies: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """After the first plies, the best move quiet and the score moderate; check is left to the caller."""
    moderate: npt.NDArray[np.bool_] = np.abs(plies["score"].astype(int)) < LARGEST_SCORE
    moves: Any = plies["move"]  # all at once: an array goes through the function as a number does
    worth: npt.NDArray[np.bool_] = moderate & is_quiet(moves)
    worth[:FIRST_PLY] = False
    return worth
