"""Games packed to about a byte a ply, and positions as training records (see `positions.RECORD`).

The games of a block are coded by an adaptive binary range coder (G. Martin, "Range encoding", 1979). A move
is coded as its rank: the legal moves are offered in the order of their weights until one is the move played.
Both sides learn the weights, by logistic regression, from the moves coded before: one weight for what a
move does, one for where it goes. A score is coded as its difference from minus the score a ply before, in
steps of 4 centipawns below 256, and of twice as many after each doubling.

There are integers only, so that every machine decodes what another one has coded. Between equal weights the
order decides in which `generate` writes the legal moves, so it is part of the format.
"""

from typing import Any

import cython
import numpy as np

from engine.board.movegen import MoveStack
from engine.board.packed import PackedReader
from engine.board.position import Position
from eval.evaluator import Evaluator

if not cython.compiled:
    from engine.board.attacks import KNIGHT_ATTACKS, PAWN_ATTACKS, bishop_attacks, rook_attacks
    from engine.board.bitboard import (
        BISHOP,
        BLACK,
        EMPTY,
        KING,
        KNIGHT,
        PAWN,
        QUEEN,
        ROOK,
        bit,
        i32,
        lsb,
        popcount,
        u64,
    )
    from engine.board.move import is_promotion, is_quiet, origin, promoted_to, target
    from engine.board.movegen import generate, threats
    from eval.training.layout import (
        BEFORE_PLIES,
        CRC_SIZE,
        DRAWN,
        FIRST_PLY,
        LARGEST_SCORE,
        LONGEST_PLY,
        MOST_PIECES,
        PLY_SIZE,
        RECORD_WORDS,
        START,
        WON,
    )

    HALVING, STEPS_A_HALVING, LINEAR_STEPS, LONGEST_DIFFERENCE = 256, 32, 64, 9
    RANKS, SCORES, SIZES, BYTES, IN_TURN, AT_HOME, PIECES = 0, 384, 6144, 8448, 12544, 12545, 12609
    CONTEXTS, ACTIONS, DESTINATIONS, UNKNOWN = 13633, 1024, 2048, 65536
    MOST_LEAD, RANK_CLASSES, MOST_SEEN = 63, 6, 255
    MOST_MOVES, LAST_ENDING, WORD = 248, 7, 64
    LARGEST_SAMPLED_SCORE, RECENT = 2500, 1024

MIXER = 0x9E3779B97F4A7C15

RATE = [0] * 256
"""How fast the probability of a context adapts after i uses, out of 2**16."""
HOME = [0] * 64
"""The pieces at the start of a game."""


def _fill_tables() -> None:
    for i in range(MOST_SEEN + 1):
        RATE[i] = (1 << 17) // (2 * i + 3)
    home = bytes((3, 1, 2, 4, 5, 2, 1, 3)) + bytes(8) + b"\x07" * 32 + b"\x08" * 8 + b"\x07" * 8
    for square in range(64):
        HOME[square] = home[square]


_fill_tables()


class GameFileError(ValueError):
    """Games, or a file of them, cannot be used. The message says why."""


class GameCoder:
    """Packs and unpacks the games of a block, one after the other.

    One code does both: `_code`, and what stands on it, gets a value and returns it when packing, and finds it
    in the packed games when unpacking.
    """

    def __init__(self) -> None:
        self.reader = PackedReader()
        self.position = self.reader.position
        self.stack = MoveStack()
        self.odds = [0] * 13633
        self.action_weight = [0] * 1024
        self.destination_weight = [0] * 2048
        self.features = [0] * 256
        self.keys = [0] * 256
        self.checks = [0] * 8
        self.squares = [0] * 64
        self.start: Any = memoryview(bytearray(32))
        self.nothing: Any = memoryview(bytearray(0))
        self.packed: Any = self.nothing
        self.raw: Any = self.nothing
        self.out: Any = self.nothing
        self.unpacked: Any = self.nothing
        self.words: Any = None
        self.failed = False
        self.at = self.end = self.raw_at = self.row = 0
        self.number = self.plies = self.result = self.ending = self.move = self.score = 0

    def pack(self, games: bytes) -> bytes:
        """Pack whole games that `game_file.pack_game` made. Raises GameFileError at one against the rules.

        Scores become those of the nearest step; the checksums of the games are left out.
        """
        room = len(games)
        while True:
            room = 2 * room + 64
            out = bytearray(room)
            self._begin(self.nothing, out)
            self.raw = memoryview(games)
            with cython.nogil:
                self._pack()
            if self.failed:
                raise GameFileError(f"game {self.number} is against the rules")
            if self.end < room:
                return bytes(out[: self.end])

    def unpack(self, packed: bytes, count: int, plies: int) -> bytes:
        """The `count` games, with `plies` plies together, that `pack` has packed; 0 in place of checksums.

        Raises GameFileError where the packed games are damaged.
        """
        raw = bytearray(count * (BEFORE_PLIES + CRC_SIZE) + plies * PLY_SIZE)
        self._begin(packed, self.nothing)
        self.unpacked = memoryview(raw)
        with cython.nogil:
            self._unpack(count)
        if self.failed or self.raw_at != len(raw):
            raise GameFileError("the packed games are damaged")
        return bytes(raw)

    def records(self, packed: Any, count: int, words: Any, first: int) -> int:
        """Write the records of `count` packed games from row `first` on; the row after the last.

        Those are the positions of `game_file.is_worth_keeping` without check, of all starts: castling rights
        are not recorded, and how a game ended is not looked at. `words` is an array (see `positions.words`).
        Raises GameFileError where the games are damaged, or have more records than there is room for.
        """
        self._begin(packed, self.nothing)
        self.words = words
        self.row = first
        with cython.nogil:
            self._write_records(count)
        if self.failed:
            raise GameFileError(f"game {self.number} is damaged")
        return self.row

    def _begin(self, packed: Any, out: Any) -> None:
        """Forget what was learned, and begin to pack into `out` or, where it is empty, to unpack `packed`."""
        self.packing = len(out) > 0
        self.packed = memoryview(packed)
        self.out = memoryview(out)
        self.at = self.end = self.raw_at = 0
        self.code = self.low = u64(0)
        self.high = u64(0xFFFFFFFF)
        self.failed = False
        self.next_number = 0
        for i in range(CONTEXTS):
            self.odds[i] = u64(1 << 31)
        for i in range(ACTIONS):
            self.action_weight[i] = 0
        for i in range(DESTINATIONS):
            self.destination_weight[i] = 0
        for _ in range(0 if self.packing else 4):
            self._shift_byte_in()

    def _pack(self) -> None:
        while self.raw_at < self.raw.shape[0] and not self.failed:
            at = self.raw_at
            if at + BEFORE_PLIES + CRC_SIZE > self.raw.shape[0]:
                self.failed = True
                break
            self.plies = self._u16(at)
            if at + BEFORE_PLIES + PLY_SIZE * self.plies + CRC_SIZE > self.raw.shape[0]:
                self.failed = True
                break
            self.result = self.raw[at + 2]
            self.ending = self.raw[at + 3]
            self.number = u64(self._u16(at + 4)) | u64(self._u16(at + 6)) << 16
            for i in range(32):
                self.start[i] = self.raw[at + START + i]
            self.code_head()
            for ply in range(self.plies):
                if self.failed:
                    break
                word = at + BEFORE_PLIES + PLY_SIZE * ply
                self.move = self._u16(word)
                self.score = (self._u16(word + 2) ^ 0x8000) - 0x8000
                self.code_ply()
                self.advance()
            self.raw_at = at + BEFORE_PLIES + PLY_SIZE * self.plies + CRC_SIZE
        for _ in range(4):
            self._shift_byte_out()
            self.low = self.low << 8 & u64(0xFFFFFFFF)

    def _unpack(self, count: int) -> None:
        for _ in range(count):
            self.code_head()
            at = self.raw_at
            self.raw_at = at + BEFORE_PLIES + PLY_SIZE * self.plies + CRC_SIZE
            if self.failed or self.raw_at > self.unpacked.shape[0]:
                self.failed = True
                break
            self._put(at, self.plies)
            self.unpacked[at + 2] = self.result
            self.unpacked[at + 3] = self.ending
            self._put(at + 4, i32(self.number & 0xFFFF))
            self._put(at + 6, i32(self.number >> 16))
            for i in range(32):
                self.unpacked[at + START + i] = self.start[i]
            for ply in range(self.plies):
                self.code_ply()
                if self.failed:
                    break
                self._put(at + BEFORE_PLIES + PLY_SIZE * ply, self.move)
                self._put(at + BEFORE_PLIES + PLY_SIZE * ply + 2, self.score & 0xFFFF)
                self.advance()

    def _write_records(self, count: int) -> None:
        for _ in range(count):
            self.code_head()
            if self.failed:
                return
            for ply in range(self.plies):
                self.code_ply()
                if self.failed:
                    return
                if (
                    ply >= FIRST_PLY
                    and -LARGEST_SCORE < self.score < LARGEST_SCORE
                    and is_quiet(self.move)
                    and not self.position.checkers
                ):
                    self._write_record(ply)
                self.advance()

    def _write_record(self, ply: int) -> None:
        if self.row >= self.words.shape[0] // RECORD_WORDS:
            self.failed = True
            return
        result = WON - self.result if self.position.side == BLACK else self.result
        write_record(self.words, self.row, self.position, self.score, result, ply, self.number)
        self.row += 1

    def _u16(self, at: int) -> int:
        word: int = self.raw[at] | self.raw[at + 1] << 8
        return word

    def _put(self, at: int, word: int) -> None:
        self.unpacked[at] = word & 255
        self.unpacked[at + 1] = word >> 8

    def code_head(self) -> None:
        """Code a game up to its first ply: `number`, `plies`, `result`, `ending` and `start`."""
        if self._code(self.number == self.next_number, IN_TURN):
            self.number = self.next_number
        else:
            number = u64(0)
            for i in range(4):
                number |= u64(self._byte(i32(self.number >> 8 * i & 255), i)) << 8 * i
            self.number = number
        self.next_number = self.number + 1
        high = self._byte(self.plies >> 8, 4)
        self.plies = high << 8 | self._byte(self.plies & 255, 5 + (high > 0))
        end = self._byte(self.ending << 2 | self.result, 7)
        self.ending = end >> 2
        self.result = end & 3
        self.failed |= self.result > WON or self.ending > LAST_ENDING
        self._code_start()
        self.last_score = self.score_before = 0

    def _code_start(self) -> None:
        if self.packing:
            if not self.reader.read(self.start, 0):
                self.failed = True
                return
            for square in range(64):
                self.squares[square] = self.position.board[square]
        for i in range(8, 24):
            self.start[i] = 0
        occupied = u64(0)
        place = 0
        for square in range(64):
            home = HOME[square]
            if square >= 56:  # as in Chess960, the same as White's
                below = self.squares[square - 56]
                home = (below if below <= KING else HOME[square - 56]) + 8
            if self._code(self.squares[square] == home, AT_HOME + square):
                self.squares[square] = home
            else:
                self.squares[square] = self._number(self.squares[square], 4, PIECES + 16 * square)
            if self.squares[square] != EMPTY and place < MOST_PIECES:
                occupied |= bit(square)
                self.start[8 + (place >> 1)] |= self.squares[square] << 4 * (place & 1)
                place += 1
        for i in range(8):
            self.start[i] = i32(occupied >> 8 * i & 255)
        for i in range(24, 32):
            alike = self.start[25] if i == 26 else 0  # the rights to castle of both sides
            self.start[i] = self._byte(self.start[i] ^ alike, i - 16) ^ alike
        if not self.packing and not self.reader.read(self.start, 0):
            self.failed = True

    def code_ply(self) -> None:
        """Code `move` and `score`, from the mover's point of view; `position` is the one before the move."""
        count = generate(self.position, self.stack, 0, False)
        if count == 0 or count > MOST_MOVES:
            self.failed = True
            return
        played = self.move
        self._code_move(count)
        self.failed |= self.packing and self.move != played
        self._code_score()

    def advance(self) -> None:
        if not self.failed:
            self.position.make(self.move)
            self.position._shift(self.position.height)

    def _weigh(self, count: int) -> int:
        """Set `keys` of the legal moves: the weight of each, and its place among them in the last byte."""
        us = self.position.side
        turn = 56 * us
        occupied = self.position.by_colour[0] | self.position.by_colour[1]
        king = lsb(self.position.by_type[KING] & self.position.by_colour[us ^ 1])
        attacked = threats(self.position)
        self.checks[PAWN] = PAWN_ATTACKS[(us ^ 1) * 64 + king]
        self.checks[KNIGHT] = KNIGHT_ATTACKS[king]
        self.checks[BISHOP] = bishop_attacks(king, occupied)
        self.checks[ROOK] = rook_attacks(king, occupied)
        self.checks[QUEEN] = self.checks[BISHOP] | self.checks[ROOK]
        men = popcount(occupied)
        phase = (men < 25) + (men < 17) + (men < 10)
        for i in range(count, count + 7 & 248):
            self.keys[i] = 0
        first = 0
        for i in range(count):
            move = self.stack.move[i]
            src = origin(move)
            dst = target(move)
            kind = self.position.board[src] & 7
            if is_promotion(move):
                kind = 7 if promoted_to(move) == QUEEN else 6
            action = (kind * 2 + i32(attacked >> src & 1)) * 2 + i32(attacked >> dst & 1)
            action = (action * 16 + (self.position.board[dst] ^ us << 3)) * 2 + i32(
                self.checks[kind] >> dst & 1
            )
            destination = (phase * 8 + kind) * 64 + (dst ^ turn)
            self.features[i] = action << 11 | destination
            weight = self.action_weight[action] + self.destination_weight[destination] >> 9
            key = (UNKNOWN + weight) << 8 | i
            self.keys[i] = key
            first = max(first, key)
        return first

    def _code_move(self, count: int) -> None:
        """Code `move` as its rank, and learn the weights from it."""
        self.rank = 0
        key = self._weigh(count)
        while self.rank < count - 1:
            second = 0
            for i in range(count + 7 & 248):
                other = self.keys[i]
                second = max(second, other & (other - key >> 31))
            lead = min((key >> 8) - (second >> 8) >> 3, MOST_LEAD)
            best = key & 255
            context = RANKS + RANK_CLASSES * lead + min(self.rank, RANK_CLASSES - 1)
            chance = i32(self.odds[context] >> 16)
            is_played = self._code(self.stack.move[best] == self.move, context)
            change = (is_played << 16) - chance >> 6
            self.action_weight[self.features[best] >> 11] += change
            self.destination_weight[self.features[best] & DESTINATIONS - 1] += change
            if is_played:
                break
            key = second
            self.rank += 1
        self.move = self.stack.move[key & 255]

    def _code_score(self) -> None:
        steps = steps_of(self.score)
        surprise = self.last_score + self.score_before  # by which the last score differed from the one before
        size = abs(surprise)
        kind = (size > 0) + (size > 2) + (size > 6) + (size > 15)
        if surprise < 0:
            kind += 4
        size = abs(self.last_score)
        level = (size > 4) + (size > 16) + (size > 48) + (size > 100)
        rank = (self.rank > 0) + (self.rank > 2) + (self.rank > 8)
        context = SCORES + (((kind * 5 + level) * 4 + rank) * 2 + (not is_quiet(self.move))) * 16
        difference = steps + self.last_score
        if self._code(difference == 0, context):
            difference = 0
        else:
            negative = self._code(difference < 0, context + 1)
            size = abs(difference)
            length = 0
            while length < LONGEST_DIFFERENCE and not self._code(size >> length == 1, context + 2 + length):
                length += 1
            size = self._digits(size, length, SIZES + (kind * 16 + length) * 16)
            difference = -size if negative else size
        self.score_before = self.last_score
        self.last_score = difference - self.last_score
        if abs(self.last_score) > STEPS_A_HALVING * LONGEST_DIFFERENCE:
            self.failed = True
        else:
            self.score = score_of(self.last_score)

    def _digits(self, size: int, length: int, context: int) -> int:
        """Code the last `length` bits of a number with one bit more, each in a context of its own."""
        found = 1
        for i in range(length):
            found = found << 1 | self._code(size >> (length - 1 - i) & 1, context + i)
        return found

    def _byte(self, value: int, tree: int) -> int:
        return self._number(value, 8, BYTES + 256 * tree)

    def _number(self, value: int, length: int, tree: int) -> int:
        """Code a number of `length` bits, each in a context of all bits before."""
        node = 1
        for i in range(length):
            node = node << 1 | self._code(value >> (length - 1 - i) & 1, tree + node)
        return node - (1 << length)

    def _code(self, value: int, context: int) -> int:
        """Code a bit in a context, and learn its chance there: 22 bits of it, and 10 bits of how often."""
        odds = self.odds[context]
        chance = odds >> 10
        seen = odds & 1023
        middle = self.low + (self.high - self.low >> 16) * (chance >> 6)
        if not self.packing:
            value = self.code <= middle
        if value:
            self.high = middle
            chance += (u64(1 << 22) - chance) * RATE[seen] >> 16
        else:
            self.low = middle + 1
            chance -= chance * RATE[seen] >> 16
        self.odds[context] = chance << 10 | (seen + 1 if seen < MOST_SEEN else seen)
        while (self.low ^ self.high) >> 24 == 0:
            if self.packing:
                self._shift_byte_out()
            else:
                self._shift_byte_in()
            self.low = self.low << 8 & u64(0xFFFFFFFF)
            self.high = self.high << 8 & u64(0xFFFFFFFF) | 255
        return 1 if value else 0

    def _shift_byte_out(self) -> None:
        if self.end < self.out.shape[0]:
            self.out[self.end] = i32(self.low >> 24)
            self.end += 1

    def _shift_byte_in(self) -> None:
        if self.at < self.packed.shape[0]:
            self.code = (self.code << 8 | self.packed[self.at]) & u64(0xFFFFFFFF)
            self.at += 1
        else:
            self.failed = True


def steps_of(score: int) -> int:
    """The number of the step nearest to a score."""
    size = min(abs(score), 32767)
    below = 0
    while size >= HALVING:
        size >>= 1
        below += STEPS_A_HALVING
    steps = below + (size + 2 >> 2)
    return -steps if score < 0 else steps


def score_of(steps: int) -> int:
    """The score of a step; `steps` is at most 288 either way."""
    size = abs(steps)
    halvings = (size - STEPS_A_HALVING - 1) >> 5 if size > LINEAR_STEPS else 0
    size = min((size - STEPS_A_HALVING * halvings) * 4 << halvings, 32767)
    return -size if steps < 0 else size


def write_record(
    words: Any, row: int, position: "Position", score: int, result: int, ply: int, game: int
) -> None:
    """Write a record; `score` and `result` are the mover's, and its board is turned so that he is White."""
    black = position.side == BLACK
    present = position.by_colour[0] | position.by_colour[1]
    occupied = u64(0)
    for rank in range(8):
        occupied |= (present >> 8 * (rank ^ 7 * black) & 255) << 8 * rank
    first = row * RECORD_WORDS
    words[first] = occupied
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
    words[first + 1] = low
    words[first + 2] = high
    about = u64(score & 0xFFFF) | u64(result) << 16 | u64(min(ply, LONGEST_PLY)) << 24
    words[first + 3] = about | game << 32


class Sampler(Evaluator):
    """Evaluates by `inner`, and keeps a record of about one in `one_in` of the positions.

    Which ones depends on their keys and on the number of the game. The score is that of `teacher`; positions
    in check are left out, and those with a score of 2500 centipawns or more either way.

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
                ply = position.base_ply + position.height
                write_record(self._word_at, self.count, position, score, DRAWN, ply, self.game)
                self.count += 1
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


def first_unsound(words: Any) -> int:
    """The first row of `words` (see `positions.words`) that a network cannot be asked about, or -1."""
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
