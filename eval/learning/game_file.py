"""Files of games that the engine has played against itself.

All numbers are little-endian. A file is a header and then blocks of games; a damaged one costs no other. In
files of version 1, which are still read, the games follow the header, in the order in which they ended.

    header  0  8 bytes  b"LolliGms"
            8  u16      version, 2
           10  u16      0
           12  u32      D, how many bytes of description follow
           16  D bytes  description: a JSON object in UTF-8 that says how the games were made
         16+D  u32      CRC-32 of all bytes before

    block   0  4 bytes  b"LBlk"
            4  u32      1 if the games are packed, see `packing`; 0 if they are as below
            8  u32      N, bytes of games
           12  u32      number of games
           16  u32      number of plies
           20  u32      number of positions that training keeps
           24  u32      CRC-32 of the N bytes
           28  u32      CRC-32 of the games as below; of packed ones, where the CRC-32 of each is 0
           32  u32      CRC-32 of the bytes of the block before
           36  N bytes  games

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

import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from engine.adjudication import Ending
from engine.board.move import is_quiet
from engine.board.movegen import legal_moves
from engine.board.position import Position
from engine.files import descriptor_of
from eval.learning.decoder import GameDecoder
from eval.learning.file_header import FileKind
from eval.learning.layout import (
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
from eval.learning.packing import GameCoder, GameFileError

__all__ = ["GameFileError"]

SUFFIX = ".games"
"""The suffix of files of games."""

PLY = np.dtype([("move", "<u2"), ("score", "<i2")])

_GAME = struct.Struct("<HBBI")
_START = struct.Struct("<Q16sBHBBHB")
_CRC = struct.Struct("<I")
_BLOCK = struct.Struct("<4sIIIIIII")
_BLOCK_MAGIC = b"LBlk"
EMPTY = 7
_RESULTS = (-1, 0, 1)
_ENDINGS = list(Ending)


GAMES = FileKind(b"LolliGms", 2, "games", GameFileError)
OLD_GAMES = FileKind(b"LolliGms", 1, "games", GameFileError)

GAMES_A_BLOCK = 8192
"""In packed blocks, of some 1.1 MB."""


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
        """The game of which `pack_game` made these bytes, or those that they begin with."""
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

    def end(self) -> Position:
        """The position after the last ply. Raises GameFileError at an illegal move."""
        position = unpack_position(self.start)
        for position in self.positions():  # noqa: B007 - the same object each time
            pass
        return position


def pack_pieces(position: Position) -> tuple[int, bytes]:
    """The occupied squares and the 16 bytes of the pieces on them. Raises OverflowError beyond 32 pieces."""
    occupied, packed, place = 0, 0, 0
    for square in range(64):
        piece = position.piece_at(square)
        if piece != EMPTY:
            occupied |= 1 << square
            packed |= piece << place
            place += 4
    return occupied, packed.to_bytes(MOST_PIECES // 2, "little")


def unpack_pieces(occupied: int, packed: bytes) -> list[int]:
    """The pieces on all 64 squares, from what `pack_pieces` made."""
    left = int.from_bytes(packed, "little")
    pieces = [EMPTY] * 64
    for square in range(64):
        if occupied >> square & 1:
            pieces[square] = left & 15
            left >>= 4
    return pieces


def pack_position(position: Position) -> bytes:
    """The 32 bytes of a position, without its history."""
    occupied, pieces = pack_pieces(position)
    files = 0
    for right in range(4):
        rook = position.rook_square(right)
        files |= (NO_FILE if rook < 0 else rook & 7) << 4 * right
    return _START.pack(
        occupied,
        pieces,
        position.side,
        files,
        NO_SQUARE if position.en_passant < 0 else position.en_passant,
        min(position.halfmoves, 255),
        min(position.fullmove(), 65535),
        0,
    )


def unpack_position(data: bytes) -> Position:
    """The position in 32 bytes. Raises GameFileError if there is none."""
    occupied, packed, side, files, en_passant, halfmoves, fullmove, _ = _START.unpack(data)
    pieces = unpack_pieces(occupied, packed)
    rooks = []
    for right in range(4):
        file = files >> 4 * right & 15
        rooks.append(-1 if file == NO_FILE else (right >> 1) * 56 + file)
    try:
        return Position.set_up(
            pieces, side & 1, rooks, -1 if en_passant == NO_SQUARE else en_passant, halfmoves, fullmove
        )
    except (ValueError, IndexError) as error:
        raise GameFileError(f"not a position: {error}") from None


def pack_game(number: int, result: int, ending: int, start: bytes, moves: bytes, scores: bytes) -> bytes:
    """The bytes of a game, from moves of two bytes (u16) and scores of two bytes (i16)."""
    count = len(moves) // 2
    plies = np.empty(count, PLY)
    plies["move"] = np.frombuffer(moves, "=u2")
    plies["score"] = np.frombuffer(scores, "=i2")
    data = _GAME.pack(count, result + 1, ending, number) + start + plies.tobytes()
    return data + _CRC.pack(zlib.crc32(data))


def read_games(file: BinaryIO, name: str) -> Iterator[GameRecord]:
    """The games of version 1 from the present place of `file` on, without an incomplete one at its end.

    The iteration leaves `file` after the last complete game. Raises GameFileError at a damaged game, and at
    one with a result or an ending that there is not.
    """
    while True:
        place = file.tell()
        head = file.read(BEFORE_PLIES)
        count = _GAME.unpack_from(head)[0] if len(head) == BEFORE_PLIES else 0
        body = file.read(count * PLY_SIZE)
        if len(head) + len(body) < BEFORE_PLIES + count * PLY_SIZE:
            break
        crc = file.read(CRC_SIZE)
        if len(crc) < CRC_SIZE:
            break
        data = head + body
        if _CRC.unpack(crc)[0] != zlib.crc32(data):
            raise GameFileError(f"{name}: the game at byte {place} is damaged")
        game = GameRecord.from_bytes(data + crc)
        if game.result not in _RESULTS:
            raise GameFileError(f"{name}: the game at byte {place} has no result")
        if game.ending >= len(_ENDINGS):
            raise GameFileError(f"{name}: the game at byte {place} has an unknown ending: {game.ending}")
        yield game
    file.seek(place)


@dataclass(frozen=True, slots=True)
class GameBlock:
    """A block of games: the bytes of its file that it has, and what its head says."""

    first: int
    last: int
    is_packed: bool
    games: int
    plies: int
    kept: int
    checksum: int
    checksum_unpacked: int

    def unpack(self, data: bytes) -> bytes:
        """The games as `pack_game` makes them; packed ones have lost their CRC-32. Raises GameFileError."""
        return GameCoder().unpack(data, self.games, self.plies) if self.is_packed else data


def raw_block(game: bytes) -> bytes:
    """A block of one game that `pack_game` made; written at once, it is there whole or not at all."""
    plies = (len(game) - BEFORE_PLIES - CRC_SIZE) // PLY_SIZE
    kept = GameDecoder().decode(memoryview(game), 0, _room(plies), 0)
    return _block(game, game, is_packed=False, counts=(1, plies, kept))


def packed_block(games: Sequence[bytes]) -> bytes:
    """A packed block of games that `pack_game` made.

    Raises GameFileError at an illegal move, and where a game would not come back as it was.
    """
    plies = sum(len(game) - BEFORE_PLIES - CRC_SIZE for game in games) // PLY_SIZE
    packed = GameCoder().pack(b"".join(games))
    plain = GameCoder().unpack(packed, len(games), plies)
    for game, again in zip(games, split(plain), strict=True):
        before, after = GameRecord.from_bytes(game), GameRecord.from_bytes(again)
        if game[:BEFORE_PLIES] != again[:BEFORE_PLIES] or (before.plies["move"] != after.plies["move"]).any():
            raise GameFileError(f"game {before.number} cannot be packed")
    kept = GameDecoder().decode_packed(packed, len(games), _room(plies), 0)
    return _block(packed, plain, is_packed=True, counts=(len(games), plies, kept))


def _room(plies: int) -> memoryview:
    """Memory for the records of so many plies."""
    words: Any = np.empty(plies * RECORD_WORDS, np.uint64)
    return memoryview(words)


def _block(data: bytes, plain: bytes, *, is_packed: bool, counts: tuple[int, int, int]) -> bytes:
    crcs = (zlib.crc32(data), zlib.crc32(plain))
    head = _BLOCK.pack(_BLOCK_MAGIC, is_packed, len(data), *counts, *crcs)
    return head + _CRC.pack(zlib.crc32(head)) + data


def split(plain: bytes) -> Iterator[bytes]:
    """The bytes of each of the games that `pack_game` made, one after the other."""
    place = 0
    while place < len(plain):
        after = place + BEFORE_PLIES + PLY_SIZE * _GAME.unpack_from(plain, place)[0] + CRC_SIZE
        yield plain[place:after]
        place = after


def read_blocks(
    data: bytes, first: int, lost: Callable[[int, int], object] | None = None
) -> Iterator[tuple[GameBlock, bytes]]:
    """The sound blocks of a file from byte `first` on, with their games.

    `lost(first, last)` is called for bytes of no sound block: of a damaged one, or one that is cut short.
    """
    lost = lost or (lambda _first, _last: None)
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
        games = data[block.first : block.last]
        if zlib.crc32(games) == block.checksum:
            yield block, games
        else:
            lost(place, block.last)
        place = block.last


def _block_at(data: bytes, place: int) -> GameBlock | None:
    """The block whose head is at a place, if it is sound and the file has all of the block."""
    first = place + _BLOCK.size + _CRC.size
    head = data[place : place + _BLOCK.size]
    if data[place + _BLOCK.size : first] != _CRC.pack(zlib.crc32(head)) or not head.startswith(_BLOCK_MAGIC):
        return None
    _, is_packed, size, games, plies, kept, checksum, unpacked = _BLOCK.unpack(head)
    if first + size > len(data):
        return None
    return GameBlock(first, first + size, is_packed == 1, games, plies, kept, checksum, unpacked)


def read_header(file: BinaryIO, name: str) -> tuple[bool, dict[str, Any]]:
    """Whether the games are in blocks, and their description; `file` is left behind. Raises GameFileError."""
    is_old = file.read(10)[8:] == b"\1\0"
    file.seek(0)
    return not is_old, (OLD_GAMES if is_old else GAMES).read_header(file, name)


def description(path: Path) -> dict[str, Any]:
    """What the header of a file says. Raises GameFileError and OSError."""
    with os.fdopen(descriptor_of(path), "rb") as file:
        return read_header(file, str(path))[1]


def games(path: Path) -> Iterator[GameRecord]:
    """All games of a file. Raises GameFileError, also at a damaged block, and OSError."""

    def refuse(first: int, _last: int) -> None:
        raise GameFileError(f"{path}: the block at byte {first} is damaged")

    with os.fdopen(descriptor_of(path), "rb") as file:
        has_blocks, _ = read_header(file, str(path))
        if has_blocks:
            for block, data in read_blocks(file.read(), 0, refuse):
                yield from map(GameRecord.from_bytes, split(block.unpack(data)))
        else:
            yield from read_games(file, str(path))


def is_worth_keeping(plies: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """For each ply of a game: whether its position, unless it is check, suits learning a static evaluation.

    It does after the first plies, if the best move is quiet and the score moderate.
    """
    moderate: npt.NDArray[np.bool_] = np.abs(plies["score"].astype(int)) < LARGEST_SCORE
    moves: Any = plies["move"]  # all at once: an array goes through the function as a number does
    worth: npt.NDArray[np.bool_] = moderate & is_quiet(moves)
    worth[:FIRST_PLY] = False
    return worth


_BY_RULE = {Ending.CHECKMATE, Ending.STALEMATE, Ending.INSUFFICIENT, Ending.FIFTY_MOVES, Ending.REPETITION}


def verify(game: GameRecord) -> None:
    """Replay a game of a file. Raises GameFileError at an illegal move, or if it did not end as recorded."""
    position = game.end()
    moves = legal_moves(position)
    mated = not moves and bool(position.checkers)
    found = {
        Ending.CHECKMATE: mated,
        Ending.STALEMATE: not moves and not mated,
        Ending.INSUFFICIENT: position.is_insufficient(),
        Ending.FIFTY_MOVES: position.is_fifty_moves(),
        Ending.REPETITION: position.is_repetition(0),
    }
    ending = _ENDINGS[game.ending]
    if (ending in _BY_RULE and not found[ending]) or (ending not in _BY_RULE and any(found.values())):
        raise GameFileError(f"game {game.number}: not an ending by {ending.value}")
    expected = (1 if position.side else -1) if mated else 0
    if ending is not Ending.CLEAR_WIN and game.result != expected:
        raise GameFileError(f"game {game.number}: the result is {expected}, not {game.result}")
