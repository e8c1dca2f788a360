"""What a position of Othello is worth, by patterns with learned weights.

A pattern is a small set of squares: an edge with the two squares beside its corners, a corner, a line, a
diagonal. Each of its configurations has a weight, and the value of a position is the sum over all places on
the board where a pattern lies; the numbers of moves of both sides have weights, too. The value is the
difference in discs that is expected at the end of the game, in hundredths of a disc, for the player to move.

The weights hang on the number of discs: they are learned for some numbers, the knots, and interpolated in
between. Configurations that are mirror images of each other, and places that the symmetries of the board lead
to each other, share their weights. For the usual board only.

M. Buro, "Statistical feature combination for the evaluation of game positions" (1995) and "An evaluation
function for Othello based on statistics" (1997).
"""

from __future__ import annotations

import json
import lzma
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import cython

from engine.games.weights import FOLDER

if not cython.compiled:
    from engine.games.rules.othello_lines import legal_moves
    from engine.system.bits import i32, popcount, u64

    DISC, FEATURES, MOST = 100, 49, 6400
    LANES, PLACES = 48, 46
    KNOTS, FIRST_KNOT, KNOT_STEP = 9, 10, 6

Numbers: TypeAlias = Any
"""A buffer of numbers of one type, such as an array."""
BASES = (
    (0, 1, 2, 3, 4, 5, 6, 7, 9, 14),
    (0, 1, 2, 8, 9, 10, 16, 17, 18),
    (0, 1, 2, 3, 4, 8, 9, 10, 11, 12),
    (8, 9, 10, 11, 12, 13, 14, 15),
    (16, 17, 18, 19, 20, 21, 22, 23),
    (24, 25, 26, 27, 28, 29, 30, 31),
    (0, 9, 18, 27, 36, 45, 54, 63),
    (1, 10, 19, 28, 37, 46, 55),
    (2, 11, 20, 29, 38, 47),
    (3, 12, 21, 30, 39),
    (4, 13, 22, 31),
)
"""The squares of each pattern at one of its places: an edge with the squares diagonally next to its corners,
corners of 3 by 3 and of 2 by 5 squares, lines, diagonals."""
POWERS = (1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683)
STAGES = 33
"""Tables of weights: one for each two numbers of discs."""
MOST_MOVES = 32
"""Numbers of moves from this on have the same weight."""
_OFFSET = KNOT_STEP << 16
"""A multiple of KNOT_STEP that makes what is divided positive."""
_ALL = 0xFFFFFFFFFFFFFFFF
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 21}]  # unpacking takes little memory
_FORMAT = "othello patterns 1"


def _symmetries() -> list[list[int]]:
    """The eight ways to lay the board onto itself; for each the square where each square comes to lie."""
    turned = []
    for flip in range(2):
        for quarters in range(4):
            where = []
            for square in range(64):
                row, column = divmod(square, 8)
                if flip:
                    column = 7 - column
                for _ in range(quarters):
                    row, column = column, 7 - row
                where.append(row * 8 + column)
            turned.append(where)
    return turned


SYMMETRIES = _symmetries()


def _places() -> list[tuple[int, tuple[int, ...]]]:
    """Each place once: its pattern, and its squares in the order of BASES."""
    found: dict[tuple[int, frozenset[int]], tuple[int, ...]] = {}
    for pattern, base in enumerate(BASES):
        for symmetry in SYMMETRIES:
            squares = tuple([symmetry[square] for square in base])
            found.setdefault((pattern, frozenset(squares)), squares)
    return [(pattern, squares) for (pattern, _), squares in found.items()]


PLACED = _places()


def _mirrored(pattern: int) -> list[int] | None:
    """For each square of a pattern the one that a mirror puts in its place; None where no mirror does."""
    base = BASES[pattern]
    for symmetry in SYMMETRIES:
        image = [symmetry[square] for square in base]
        if set(image) == set(base) and image != list(base):
            return [base.index(square) for square in image]
    return None


def _class_numbers() -> tuple[array[int], list[int]]:
    """The number of the weight of each configuration, patterns one after the other; where each begins.

    A configuration has the number Σ 3^i · (0 empty, 1 own, 2 other disc) over its squares i. Behind the
    patterns: the numbers of own and of other moves, and whether the number of discs is odd.
    """
    numbers, starts, used = array("i"), list[int](), 0
    for pattern, base in enumerate(BASES):
        starts.append(len(numbers))
        mirror = _mirrored(pattern)
        powers = POWERS[: len(base)]
        there = len(numbers)
        image = _images([powers[i] for i in mirror] if mirror else powers)
        for configuration, mirrored in enumerate(image):
            if mirrored < configuration:
                numbers.append(numbers[there + mirrored])
            else:
                numbers.append(used)
                used += 1
    for count in (MOST_MOVES, MOST_MOVES, 2):
        starts.append(len(numbers))
        numbers.extend(range(used, used + count))
        used += count
    return numbers, starts


def _images(powers: Sequence[int]) -> list[int]:
    """For each configuration the number that it has with other powers for its squares."""
    image = [0]
    for power in powers:
        image += [each + power for each in image] + [each + 2 * power for each in image]
    return image


class OthelloPatterns:
    """The weights, and the configurations of the position last looked at.

    The number of a configuration is a sum over the discs. So each four squares that lie side by side have a
    table with a row for each set of discs on them; the rows are added, for all places of patterns at once.
    Of each knot there are `classes` weights, of all knots `weights`.
    """

    def __init__(self) -> None:
        """With no weights yet: every position is worth 0."""
        self.class_of, starts = _class_numbers()
        self._class_of = self.class_of
        self.size = len(self.class_of)
        self.classes = max(self.class_of) + 1
        self.weights = KNOTS * self.classes
        self._moves_start, self._odd_start = starts[len(BASES)], starts[len(BASES) + 2]
        self.at = [0] * 49
        self._starts = [0] * 48
        self._rows = [0] * 12288
        self._sums = [0] * 48
        for place, (pattern, squares) in enumerate(PLACED):
            self._starts[place] = starts[pattern]
            for i, square in enumerate(squares):
                for discs in range(16):
                    if discs >> (square & 3) & 1:
                        self._rows[((square >> 2) * 16 + discs) * LANES + place] += POWERS[i]
        self._knots = array("h", bytes(2 * self.weights))
        self._tables = array("h", bytes(2 * STAGES * self.size))
        self._ready = [False] * 33

    def read(self, packed: bytes) -> None:
        """Take the weights of a file, see `packed_weights`. Raises ValueError for anything else."""
        step, count = description(packed)["step"], self.weights
        try:
            planes = lzma.decompress(packed.partition(b"\n")[2])
        except lzma.LZMAError as error:
            raise ValueError(f"damaged weights: {error}") from None
        if len(planes) != 2 * count:
            raise ValueError(f"{len(planes)} bytes of weights, not {2 * count}")
        knots = array("h", bytes(2 * count))
        mixed = memoryview(knots).cast("B")
        mixed[0::2], mixed[1::2] = planes[:count], planes[count:]
        self.set_knots(knots, step)

    def set_knots(self, knots: array[int], step: int) -> None:
        """Take all `weights`, those of the first knot first: whole numbers of `step` hundredths of a disc."""
        self._knots = array("h", knots)
        for i in range(self.weights):
            self._knots[i] *= step
        self._ready = [False] * 33

    def prepare(self, fewest: int, most: int) -> None:
        """Make the tables for positions with `fewest` to `most` discs, which `value` needs."""
        for stage in range(fewest >> 1, min(most >> 1, STAGES - 1) + 1):
            if not self._ready[stage]:
                self._fill(stage)
                self._ready[stage] = True

    def _fill(self, stage: int) -> None:
        lower, part = knot_of(2 * stage), part_of(2 * stage)
        low = lower * self.classes
        for i in range(self.size):
            number = self._class_of[i]
            first, second = self._knots[low + number], self._knots[low + self.classes + number]
            between = first * (KNOT_STEP - part) + second * part
            self._tables[stage * self.size + i] = (between + _OFFSET) // KNOT_STEP - _OFFSET // KNOT_STEP

    def value(self, own: int, others: int) -> int:
        """The expected difference for the player to move, in hundredths of a disc. Only after `prepare`.

        Exact where nobody can move.
        """
        moves = legal_moves(own, others, u64(_ALL))
        other_moves = legal_moves(others, own, u64(_ALL))
        if not moves:
            if not other_moves:
                return DISC * (popcount(own) - popcount(others))
            return -self._value(others, own, popcount(other_moves), 0)
        return self._value(own, others, popcount(moves), popcount(other_moves))

    def _value(self, own: int, others: int, moves: int, other_moves: int) -> int:
        self.look(own, others, moves, other_moves)
        base = (popcount(own | others) >> 1) * self.size
        total = 0
        for i in range(FEATURES):
            total += self._tables[base + self.at[i]]
        return min(max(total, -MOST), MOST)

    def look(self, own: int, others: int, moves: int, other_moves: int) -> None:
        """Put the numbers of all configurations into `at`, as places in a table."""
        self._add_up(own)
        for i in range(PLACES):
            self.at[i] = self._starts[i] + self._sums[i]
        self._add_up(others)
        for i in range(PLACES):
            self.at[i] += 2 * self._sums[i]
        self.at[PLACES] = self._moves_start + min(moves, MOST_MOVES - 1)
        self.at[PLACES + 1] = self._moves_start + MOST_MOVES + min(other_moves, MOST_MOVES - 1)
        self.at[PLACES + 2] = self._odd_start + (popcount(own | others) & 1)

    def _add_up(self, discs: int) -> None:
        """Let `_sums` be the numbers of the configurations of these discs alone, each with the digit 1."""
        r0 = (0 + i32(discs & 15)) * LANES
        r1 = (16 + i32(discs >> 4 & 15)) * LANES
        r2 = (32 + i32(discs >> 8 & 15)) * LANES
        r3 = (48 + i32(discs >> 12 & 15)) * LANES
        r4 = (64 + i32(discs >> 16 & 15)) * LANES
        r5 = (80 + i32(discs >> 20 & 15)) * LANES
        r6 = (96 + i32(discs >> 24 & 15)) * LANES
        r7 = (112 + i32(discs >> 28 & 15)) * LANES
        r8 = (128 + i32(discs >> 32 & 15)) * LANES
        r9 = (144 + i32(discs >> 36 & 15)) * LANES
        r10 = (160 + i32(discs >> 40 & 15)) * LANES
        r11 = (176 + i32(discs >> 44 & 15)) * LANES
        r12 = (192 + i32(discs >> 48 & 15)) * LANES
        r13 = (208 + i32(discs >> 52 & 15)) * LANES
        r14 = (224 + i32(discs >> 56 & 15)) * LANES
        r15 = (240 + i32(discs >> 60 & 15)) * LANES
        for i in range(LANES):
            self._sums[i] = (
                self._rows[r0 + i]
                + self._rows[r1 + i]
                + self._rows[r2 + i]
                + self._rows[r3 + i]
                + self._rows[r4 + i]
                + self._rows[r5 + i]
                + self._rows[r6 + i]
                + self._rows[r7 + i]
                + self._rows[r8 + i]
                + self._rows[r9 + i]
                + self._rows[r10 + i]
                + self._rows[r11 + i]
                + self._rows[r12 + i]
                + self._rows[r13 + i]
                + self._rows[r14 + i]
                + self._rows[r15 + i]
            )


def knot_of(discs: int) -> int:
    """The last knot that has no more discs, but for the ends."""
    return min(max((discs - FIRST_KNOT) // KNOT_STEP, 0), KNOTS - 2)


def part_of(discs: int) -> int:
    """How far a number of discs is beyond its knot, from 0 to KNOT_STEP, the next knot."""
    return min(max(discs - FIRST_KNOT - KNOT_STEP * knot_of(discs), 0), KNOT_STEP)


def packed_weights(knots: array[int], step: int, **about: object) -> bytes:
    """The file of weights: a line of JSON, then a compressed low and high byte of each of `knots`."""
    head = json.dumps({"format": _FORMAT, "step": step, **about}, ensure_ascii=False)
    mixed = knots.tobytes()
    packed = lzma.compress(mixed[0::2] + mixed[1::2], filters=_FILTERS)
    return head.encode() + b"\n" + packed


def description(packed: bytes) -> dict[str, Any]:
    """The first line of a file of weights. Raises ValueError for anything else."""
    try:
        found = json.loads(packed.partition(b"\n")[0])
    except (ValueError, RecursionError):
        found = None
    is_ours = isinstance(found, dict) and found.get("format") == _FORMAT
    if not is_ours or type(found.get("step")) is not int:
        raise ValueError(f"not a file of weights of format {_FORMAT!r}")
    return dict(found)


@cache
def shipped() -> bytes:
    """The file of weights that comes with the package."""
    return (FOLDER / "othello-patterns.bin").read_bytes()


def learned() -> OthelloPatterns:
    """A new evaluation, for one thread at a time, with the weights that come with the package."""
    patterns = OthelloPatterns()
    patterns.read(shipped())
    return patterns


class OthelloRegression:
    """What the linear regression that learns the weights asks of millions of positions.

    A position is the discs of the player to move and the others'; its features are the configurations at all
    places, each shared out between the two knots beside its number of discs. So the matrix of the regression,
    a row for each position, has hardly any entries that are not 0, and is never written down: the methods
    here multiply it, and its transpose, by a vector. Vectors of weights have `weights` numbers.
    """

    def __init__(self, own: Numbers, others: Numbers) -> None:
        """The positions: arrays of unsigned 64-bit numbers; the player to move has a move in each."""
        self._patterns = OthelloPatterns()
        self.classes, self.weights = self._patterns.classes, self._patterns.weights
        self._class_of = self._patterns.class_of
        self._own, self._others = own, others
        self.positions = len(own)
        self._low = 0
        self._share = 0.0

    def times(self, weights: Numbers, values: Numbers) -> None:
        """Set `values`, one for each position: the sum of its features' weights. All numbers are doubles."""
        self._times(weights, values)

    def transposed_times(self, values: Numbers, weights: Numbers) -> None:
        """Add to the weights of each position's features its value times their share."""
        self._transposed_times(values, weights, False)

    def counts(self, weights: Numbers) -> None:
        """Add to each weight the squares of its share in all positions."""
        self._transposed_times(weights, weights, True)

    def _times(self, weights: Numbers, values: Numbers) -> None:
        for n in range(self.positions):
            self._look(n)
            low = high = 0.0
            for i in range(FEATURES):
                place = self._low + self._class_of[self._patterns.at[i]]
                low += weights[place]
                high += weights[place + self.classes]
            values[n] = low * (1.0 - self._share) + high * self._share

    def _transposed_times(self, values: Numbers, weights: Numbers, squares: bool) -> None:
        for n in range(self.positions):
            self._look(n)
            low = (1.0 - self._share) * (1.0 - self._share if squares else values[n])
            high = self._share * (self._share if squares else values[n])
            for i in range(FEATURES):
                place = self._low + self._class_of[self._patterns.at[i]]
                weights[place] += low
                weights[place + self.classes] += high

    def _look(self, n: int) -> None:
        """Find the features of position `n`, where its knot begins, and the share of the knot after it."""
        own, others = u64(self._own[n]), u64(self._others[n])
        moves = popcount(legal_moves(own, others, u64(_ALL)))
        self._patterns.look(own, others, moves, popcount(legal_moves(others, own, u64(_ALL))))
        discs = popcount(own | others) & ~1
        self._low = knot_of(discs) * self.classes
        self._share = float(part_of(discs)) / KNOT_STEP
