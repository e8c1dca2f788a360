"""Samples of the positions that a search asks its evaluator about; no one would play most of them."""

from typing import Any

import cython
import numpy as np

from engine.board.position import Position
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.bitboard import EMPTY, KING, i32, popcount, u64
    from eval.training.layout import DRAWN, LONGEST_PLY, MOST_PIECES, RECORD_WORDS, WON

    LARGEST_SAMPLED_SCORE, RECENT = 2500, 1024

MIXER = 0x9E3779B97F4A7C15


class Sampler(Evaluator):
    """Evaluates by another evaluator, and notes about one in `one_in` of the positions.

    Which ones depends on their keys and on the number of the game. Each becomes a record of
    `eval.training.records`, with the score that `teacher` gives it; positions in check are left out, and
    those with a score of 2500 centipawns or more either way.

    Its memory does not grow with the number of games: 32 bytes for each record of the longest game so far,
    at most `capacity` of them, and 8 KiB. Beyond those, `capacity` takes address space only.
    """

    def __init__(self, inner: Evaluator, teacher: Evaluator, one_in: int, capacity: int) -> None:
        """Room for `capacity` records between two calls of `begin`; what comes after them is not noted."""
        self.inner = inner
        self.teacher = teacher
        self.one_in = one_in
        self.capacity = capacity
        self.count = 0
        self.game = 0
        self.salt = 0
        self.recent = [0] * 1024
        words: Any = np.zeros(RECORD_WORDS * capacity, np.uint64)  # pages that the system gives when written
        self.words = words
        self._word_at = memoryview(words)

    def begin(self, game: int) -> None:
        """Forget the records; in another game other positions are chosen."""
        self.count = 0
        self.game = game
        self.salt = u64(u64(game + 1) * MIXER)
        for i in range(RECENT):
            self.recent[i] = 0

    def records(self) -> bytes:
        """The records since `begin`."""
        return bytes(self.words[: RECORD_WORDS * self.count].astype("<u8").tobytes())

    def evaluate(self, position: Position) -> int:
        value = self.inner.evaluate(position)
        if not position.checkers and self.count < self.capacity and self._chooses(position.key):
            score = self.teacher.evaluate(position)
            if -LARGEST_SAMPLED_SCORE < score < LARGEST_SAMPLED_SCORE:
                self._note(position, score)
        return value

    def _chooses(self, key: int) -> bool:
        """Whether to note the position with this key, unless it was chosen a moment ago."""
        mixed = u64((key ^ self.salt) * MIXER)
        if i32(mixed >> 40) % self.one_in != 0:
            return False
        slot = i32(mixed >> 24 & (RECENT - 1))
        if self.recent[slot] == key:
            return False
        self.recent[slot] = key
        return True

    def _note(self, position: Position, score: int) -> None:
        """Append a record; its board is turned so that the mover is White."""
        turn = 56 if position.side else 0
        base = self.count * RECORD_WORDS
        for i in range(RECORD_WORDS):
            self._word_at[base + i] = 0
        place = 0
        for square in range(64):
            piece = position.board[square ^ turn]
            if piece != EMPTY:
                self._word_at[base] |= u64(1) << square
                self._word_at[base + 1 + (place >> 4)] |= u64(piece ^ position.side << 3) << (place & 15) * 4
                place += 1
        ply = min(position.base_ply + position.height, LONGEST_PLY)
        self._word_at[base + 3] = u64(score & 0xFFFF) | u64(DRAWN) << 16 | u64(ply) << 24 | self.game << 32
        self.count += 1


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
