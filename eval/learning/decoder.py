"""Files of games as training records, at the kernel's speed: no Python object is made for a ply."""

from typing import Any

import cython

from engine.board.movegen import MoveStack
from engine.board.position import Position
from eval.learning.game_file import GameFileError

if not cython.compiled:
    from engine.board.bitboard import BLACK, EMPTY, KING, PAWN, ROOK, bit, lsb, popcount, u64
    from engine.board.move import is_quiet
    from engine.board.movegen import generate
    from eval.learning.layout import (
        BEFORE_PLIES,
        CRC_SIZE,
        FIRST_PLY,
        LARGEST_SCORE,
        LONGEST_PLY,
        MOST_PIECES,
        NO_FILE,
        NO_SQUARE,
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
        self.position = Position()
        self.blank = Position()
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
            elif not self._set_up(self.place + START):
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

    def _set_up(self, start: int) -> bool:
        """Set up the start position of a game; whether it can be played from, which makes all moves safe."""
        self.position._copy_from(self.blank)
        occupied = self._u32(start) | self._u32(start + 4) << 32
        if popcount(occupied) > MOST_PIECES:
            return False
        place = 0
        while occupied:
            square = lsb(occupied)
            occupied &= occupied - 1
            piece = self.data[start + 8 + (place >> 1)] >> 4 * (place & 1) & 15
            if piece & 7 > KING:
                return False
            self.position._put(piece, square)
            place += 1
        self.position.side = self.data[start + 24] & 1
        if not self._is_sound():
            return False
        files = self._u16(start + 25)
        return self._allow_castling(files) and self._offer_en_passant(self.data[start + 27])

    def _is_sound(self) -> bool:
        """Whether there is one king each, none that could be taken, and no pawn on the first or last rank."""
        us = self.position.side
        kings = self.position.by_type[KING]
        own = popcount(kings & self.position.by_colour[us])
        if own != 1 or popcount(kings & self.position.by_colour[us ^ 1]) != 1:
            return False
        if self.position.by_type[PAWN] & u64(0xFF000000000000FF):
            return False
        self.position.checkers = self.position._attackers(lsb(kings & self.position.by_colour[us]), us ^ 1)
        return not self.position.attacked(
            lsb(kings & self.position.by_colour[us ^ 1]),
            us,
            self.position.by_colour[0] | self.position.by_colour[1],
        )

    def _allow_castling(self, files: int) -> bool:
        """Grant the castling rights for rooks on these files; whether kings and rooks are in place."""
        for right in range(4):
            file = files >> 4 * right & 15
            if file == NO_FILE:
                continue
            rook = (right >> 1) * 56 + (file & 7)
            king = lsb(self.position.by_type[KING] & self.position.by_colour[right >> 1])
            if (
                self.position.board[rook] != (right >> 1) * 8 + ROOK
                or king >> 3 != rook >> 3
                or (rook > king) != (right & 1 == 0)
            ):
                return False
            self.position._allow_castling(right, king, rook)
        return True

    def _offer_en_passant(self, square: int) -> bool:
        """Let a pawn be captured en passant on a square; whether one has just passed it."""
        if square == NO_SQUARE:
            return True
        ahead = -8 if self.position.side == BLACK else 8
        if (
            square >> 3 != (2 if self.position.side == BLACK else 5)
            or self.position.board[square] != EMPTY
            or self.position.board[square - ahead] != (self.position.side ^ 1) * 8 + PAWN
        ):
            return False
        self.position._offer_en_passant(square)
        return True

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
