"""Games as training records, at the kernel's speed: no Python object is made for a ply."""

from typing import Any

import cython

from engine.board.movegen import MoveStack
from engine.board.packed import PackedReader
from engine.board.position import Position
from eval.learning.packing import GameCoder, GameFileError

if not cython.compiled:
    from engine.board.bitboard import BLACK, KING, lsb, popcount, u64
    from engine.board.move import is_quiet
    from engine.board.movegen import generate
    from eval.learning.layout import (
        BEFORE_PLIES,
        CRC_SIZE,
        FIRST_PLY,
        LARGEST_SCORE,
        LONGEST_PLY,
        MOST_PIECES,
        PLY_SIZE,
        RECORD_WORDS,
        START,
        WON,
    )

    SOUND, DAMAGED, NO_POSITION, NO_RESULT, ILLEGAL, CROWDED = 0, 1, 2, 3, 4, 5
    WORD, POLYNOMIAL = 64, 0xEDB88320

    def signed16(word: int) -> int:
        """The number that 16 bits stand for."""
        return (word ^ 0x8000) - 0x8000


FAULTS = (
    *("", "is damaged", "does not start from a position", "has no result", "illegal move"),
    "has more positions than expected",
)

CRC_TABLE = [0] * 256


def _fill_crc_table() -> None:
    for byte in range(256):
        crc = u64(byte)
        for _ in range(8):
            crc = crc >> 1 ^ u64(POLYNOMIAL) * (crc & 1)
        CRC_TABLE[byte] = crc


_fill_crc_table()


class GameDecoder:
    """Replays games and writes records of the positions that are worth keeping.

    Those are the positions of `game_file.is_worth_keeping` without check, of all starts: castling rights are
    not recorded, and how a game ended is not looked at. After `decode` or `decode_packed`, `games` and
    `plies` say how much was replayed.
    """

    def __init__(self) -> None:
        self.reader = PackedReader()
        self.coder = GameCoder()
        self.stack = MoveStack()
        self.games = self.plies = 0
        self.fault = self.ply = 0
        self.place = self.row = 0
        self.number = self.result = 0
        self.data: Any = None
        self.out: Any = None

    def decode(self, data: Any, first: int, out: Any, start: int) -> int:
        """Decode the games in `data` from byte `first` on into `out` from row `start` on; the row after.

        `out` is an array of words (see `records.words`). An incomplete game at the end is ignored. Raises
        GameFileError at a damaged game or an illegal move.
        """
        self._begin(out, start)
        self.data = data
        self.place = first
        with cython.nogil:
            self._decode()
        self.data = self.out = None
        if self.fault != SOUND:
            where = f" at ply {self.ply}" if self.fault == ILLEGAL else ""
            raise GameFileError(f"the game at byte {self.place}: {FAULTS[self.fault]}{where}")
        return self.row

    def decode_packed(self, packed: Any, count: int, out: Any, start: int) -> int:
        """`decode` for `count` games that a GameCoder has packed."""
        self._begin(out, start)
        self.coder.read(packed)
        self.place = count
        with cython.nogil:
            self._decode_packed()
        self.out = None
        if self.fault != SOUND:
            raise GameFileError(f"game {self.coder.number}: {FAULTS[self.fault]}")
        return self.row

    @property
    def end(self) -> int:
        """The byte after the last game that `decode` has decoded."""
        return self.place

    def _begin(self, out: Any, start: int) -> None:
        self.games = self.plies = 0
        self.fault = SOUND
        self.ply = -1
        self.out = out
        self.row = start

    def _decode(self) -> None:
        while self.place + BEFORE_PLIES + CRC_SIZE <= self.data.shape[0]:
            plies = self._u16(self.place)
            size = BEFORE_PLIES + PLY_SIZE * plies
            if self.place + size + CRC_SIZE > self.data.shape[0]:
                break
            self.result = self.data[self.place + 2]
            self.number = self._u32(self.place + 4)
            if self._checksum(self.place, self.place + size) != self._u32(self.place + size):
                self.fault = DAMAGED
            elif not self.reader.read(self.data, self.place + START):
                self.fault = NO_POSITION
            elif self.result > WON:
                self.fault = NO_RESULT
            else:
                self._replay(self.reader.position, self.place + BEFORE_PLIES, plies)
            if self.fault != SOUND:
                break
            self.games += 1
            self.plies += plies
            self.place += size + CRC_SIZE

    def _replay(self, position: Position, first: int, plies: int) -> None:
        """Write the records of a game whose plies begin at byte `first`."""
        for ply in range(plies):
            move = self._u16(first + PLY_SIZE * ply)
            self.ply = ply
            if not self._is_legal(position, move):
                self.fault = ILLEGAL
                break
            self._take(position, move, signed16(self._u16(first + PLY_SIZE * ply + 2)))
            if self.fault != SOUND:
                break
            position.make(move)
            position._shift(position.height)

    def _decode_packed(self) -> None:
        while self.games < self.place:
            self.coder.code_head()
            self.result = self.coder.result
            self.number = self.coder.number
            for ply in range(self.coder.plies):
                self.ply = ply
                if not self.coder.failed:
                    self.coder.code_ply()
                if self.coder.failed or self.result > WON:
                    self.fault = DAMAGED
                if self.fault == SOUND:
                    self._take(self.coder.position, self.coder.move, self.coder.score)
                if self.fault != SOUND:
                    return
                self.coder.advance()
            self.games += 1
            self.plies += self.coder.plies

    def _is_legal(self, position: Position, move: int) -> bool:
        left = generate(position, self.stack, 0, False)
        while left > 0 and self.stack.move[left - 1] != move:
            left -= 1
        return left > 0

    def _take(self, position: Position, move: int, score: int) -> None:
        """Write a record of a position, if it is worth keeping, with what was played and its score."""
        if (
            self.ply < FIRST_PLY
            or not -LARGEST_SCORE < score < LARGEST_SCORE
            or not is_quiet(move)
            or position.checkers
        ):
            return
        if self.row >= self.out.shape[0] // RECORD_WORDS:
            self.fault = CROWDED
            return
        black = position.side == BLACK
        present = position.by_colour[0] | position.by_colour[1]
        occupied = u64(0)
        for rank in range(8):
            occupied |= (present >> 8 * (rank ^ 7 * black) & 255) << 8 * rank
        first = self.row * RECORD_WORDS
        self.out[first] = occupied
        low = u64(0)
        high = u64(0)
        place = 0
        while occupied:
            piece = u64(position.board[lsb(occupied) ^ 56 * black] ^ 8 * black)
            occupied &= occupied - 1
            if place < WORD:
                low |= piece << place
            else:
                high |= piece << place - WORD
            place += 4
        self.out[first + 1] = low
        self.out[first + 2] = high
        result = WON - self.result if black else self.result
        self.out[first + 3] = (
            u64(score & 0xFFFF)
            | u64(result) << 16
            | u64(min(self.ply, LONGEST_PLY)) << 24
            | self.number << 32
        )
        self.row += 1

    def _checksum(self, first: int, last: int) -> int:
        """The CRC-32 of these bytes."""
        crc = u64(0xFFFFFFFF)
        for i in range(first, last):
            crc = crc >> 8 ^ CRC_TABLE[(crc ^ self.data[i]) & 0xFF]
        return crc ^ u64(0xFFFFFFFF)

    def _u16(self, at: int) -> int:
        """Two bytes as a number."""
        word: int = self.data[at] | self.data[at + 1] << 8
        return word

    def _u32(self, at: int) -> int:
        """Four bytes as a number."""
        return u64(self._u16(at)) | u64(self._u16(at + 2)) << 16


def first_unsound(words: Any) -> int:
    """The first row of `words` (see `records.words`) that a network cannot be asked about, or -1."""
    for row in range(words.shape[0] // RECORD_WORDS):
        at = row * RECORD_WORDS
        if not _is_sound_record(words[at], words[at + 1], words[at + 2], words[at + 3]):
            return row
    return -1


def _is_sound_record(occupied: int, low: int, high: int, rest: int) -> bool:
    """Whether there are at most 32 men of known kinds, one king each, and a result."""
    if popcount(occupied) > MOST_PIECES or rest >> 16 & 255 > WON:
        return False
    kings = 0
    enemies = 0
    left = low
    for man in range(popcount(occupied)):
        if man == MOST_PIECES // 2:
            left = high
        if left & 7 > KING:
            return False
        kings += left & 15 == KING
        enemies += left & 15 == KING + 8
        left >>= 4
    return kings == 1 and enemies == 1
