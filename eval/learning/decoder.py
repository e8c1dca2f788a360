"""Files of games as training records, at the kernel's speed: no Python object is made for a ply."""

from typing import Any

import cython

from engine.board.movegen import MoveStack
from engine.board.packed import PackedReader
from eval.learning.game_file import GameFileError

if not cython.compiled:
    from engine.board.bitboard import BLACK, EMPTY, KING, bit, popcount, u64
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
    not recorded, and how a game ended is not looked at. After `decode`, `games` and `plies` say how much was
    replayed.
    """

    def __init__(self) -> None:
        self.reader = PackedReader()
        self.position = self.reader.position
        self.stack = MoveStack()
        self.games = self.plies = 0
        self.fault = self.ply = 0
        self.place = 0
        self.data: Any = None
        self.out: Any = None

    def decode(self, data: Any, first: int, out: Any, start: int) -> int:
        """Decode the games in `data` from byte `first` on into `out` from row `start` on; the row after.

        `out` is an array of words (see `records.words`). An incomplete game at the end is ignored. Raises
        GameFileError at a damaged game or an illegal move.
        """
        self.games = self.plies = 0
        self.fault = SOUND
        self.ply = -1
        self.data = data
        self.out = out
        with cython.nogil:
            end = self._decode(first, start)
        self.data = self.out = None
        if self.fault != SOUND:
            where = f" at ply {self.ply}" if self.fault == ILLEGAL else ""
            raise GameFileError(f"the game at byte {self.place}: {FAULTS[self.fault]}{where}")
        return end

    @property
    def end(self) -> int:
        """The byte after the last game that was decoded."""
        return self.place

    def _decode(self, first: int, start: int) -> int:
        end = start
        self.place = first
        while self.place + BEFORE_PLIES + CRC_SIZE <= self.data.shape[0]:
            plies = self._u16(self.place)
            size = BEFORE_PLIES + PLY_SIZE * plies
            if self.place + size + CRC_SIZE > self.data.shape[0]:
                break
            if self._checksum(self.place, self.place + size) != self._u32(self.place + size):
                self.fault = DAMAGED
            elif not self.reader.read(self.data, self.place + START):
                self.fault = NO_POSITION
            elif self.data[self.place + 2] > WON:
                self.fault = NO_RESULT
            else:
                end = self._replay(self.place, plies, end)
            if self.fault != SOUND:
                break
            self.games += 1
            self.plies += plies
            self.place += size + CRC_SIZE
        return end

    def _replay(self, first: int, plies: int, end: int) -> int:
        """Write the records of one game; `end` is the next free row, and so is what is returned."""
        number = self._u32(first + 4)
        for ply in range(plies):
            at = first + BEFORE_PLIES + PLY_SIZE * ply
            move = self._u16(at)
            score = signed16(self._u16(at + 2))
            if not self._is_legal(move):
                self.fault = ILLEGAL
                self.ply = ply
                break
            if (
                ply >= FIRST_PLY
                and -LARGEST_SCORE < score < LARGEST_SCORE
                and is_quiet(move)
                and not self.position.checkers
            ):
                if end >= self.out.shape[0] // RECORD_WORDS:
                    self.fault = CROWDED
                    break
                result = self.data[first + 2]
                if self.position.side == BLACK:
                    result = WON - result
                self._write(end, score, result, ply, number)
                end += 1
            self.position.make(move)
            self.position._shift(self.position.height)
        return end

    def _is_legal(self, move: int) -> bool:
        left = generate(self.position, self.stack, 0, False)
        while left > 0 and self.stack.move[left - 1] != move:
            left -= 1
        return left > 0

    def _write(self, row: int, score: int, result: int, ply: int, game: int) -> None:
        """Write a record of the position."""
        turn = 56 * self.position.side
        occupied = u64(0)
        low = u64(0)
        high = u64(0)
        place = 0
        for square in range(64):
            if self.position.board[square ^ turn] != EMPTY:
                occupied |= bit(square)
                piece = u64(self.position.board[square ^ turn] ^ self.position.side << 3)
                if place < WORD:
                    low |= piece << place
                else:
                    high |= piece << place - WORD
                place += 4
        first = row * RECORD_WORDS
        self.out[first] = occupied
        self.out[first + 1] = low
        self.out[first + 2] = high
        self.out[first + 3] = (
            u64(score & 0xFFFF) | u64(result) << 16 | u64(min(ply, LONGEST_PLY)) << 24 | game << 32
        )

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
