"""Go's linear policy: what it sees of a move, its features by number, and how likely that makes the move.

They are those of R. Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007), with more
about liberties: captures, extensions, self-atari, atari, the distances to the last two moves, the line, and
patterns, that is, what lies on the points around. Small numbers are the features of NAMES; a pattern of the
eight neighbours has THREE + its code of 20 bits, a larger one, as in D. Stern, R. Herbrich and T. Graepel,
"Bayesian pattern ranking for move prediction in the game of Go" (2006), BIG + a hash. Patterns are the same
when turned, mirrored, or with the colours and the player to move changed.

A move's strength is exp of the sum of its weights, and its probability its share of the strengths of all
moves, as in R. Coulom, "Computing Elo ratings of move patterns in the game of Go" (2007), where exp(weight)
is called gamma.
`scripts/lab learn-go-policy` learns the weights.
"""

from __future__ import annotations

import json
from array import array
from base64 import b85decode

import cython

from engine.games.rules.compiled_state import Moves, Priors
from engine.games.rules.go.tactics import GoTactics
from engine.games.weights import FOLDER

if not cython.compiled:
    from math import exp

    from engine.games.rules.compiled_state import mixed
    from engine.games.rules.go.board import BLACK, EDGE, EMPTY, PASS, WHITE
    from engine.system.bits import u64

    AT_PASS, AT_OWN_EYE, AT_CAPTURE, AT_EXTENSION, AT_SELF_ATARI, AT_ATARI = 0, 2, 3, 8, 12, 15
    AT_TWO_LEFT, AT_RELIEF, AT_LIBERTIES, AT_LAST, AT_BEFORE, AT_LINE = 18, 20, 21, 26, 42, 58
    SMALL = 88

_FARTHEST, _FREE, _MOST_LINE = 17, 6, 5
_NEAR = [*range(2, _FARTHEST + 1)]
NAMES = (
    *("pass", "pass after a pass", "an own eye"),
    *(
        "capture: saves own stones",
        "capture: of the last move",
        "capture: several stones",
        "capture: a stone",
    ),
    *("capture: a ko", "extension: 2 liberties", "extension: more liberties"),
    *("extension at once: 2 liberties", "extension at once: more liberties"),
    *("self-atari: a stone", "self-atari: two stones", "self-atari: several stones"),
    *("atari: a stone", "atari: several stones", "atari in a ko fight"),
    *("leaves two liberties: a stone", "leaves two liberties: several stones", "more than two liberties"),
    *(f"liberties: {n}" for n in (2, 3, 4, 5, 6)),
    *(f"distance to the last move: {n}" for n in _NEAR),
    *(f"distance to the move before: {n}" for n in _NEAR),
    *(
        f"line {line} of {lines} or fewer{', nothing near' if alone else ''}"
        for lines in (10, 15, 19)
        for alone in (0, 1)
        for line in range(1, _MOST_LINE + 1)
    ),
)
"""Of the small numbers, in their order."""
THREE, BIG = 1 << 20, 1 << 63
_SIZES = (4, 5, 6, 7, 8)
"""Of large patterns: the greatest distance of a point in them, as GoTactics.distance counts it."""
_MARGIN, _WIDE = 4, 32
_PLACES = 48
PLACE = [0] * 48
IMAGE = [0] * 384
ENDS = [0] * 5
KEYS = [0] * 256
SCALE = 2048
"""Stored weights are multiplied by this, as 16-bit numbers."""
_SLOTS = 1 << 16
_MOST = 48_000  # patterns, so that few look far for their slot


class Observer:
    """Room to look at a position, and the features of the move looked at last: `count` of them in `found`."""

    def __init__(self) -> None:
        self.found = [0] * 32
        self.count = 0
        self.liberties = [0] * 441
        self.padded = [0] * 1024
        self.stamps = [0] * 441
        self.stamp = self.free = 0

    def prepare(self, state: GoTactics) -> None:
        """Look at a position, before its moves are."""
        for i in range(1024):
            self.padded[i] = EDGE
        for row in range(state.size):
            for column in range(state.size):
                p = (row + 1) * state.stride + column + 1
                self.padded[(row + _MARGIN) * _WIDE + column + _MARGIN] = state.board[p]
                if state.board[p] != EMPTY and state.head[p] == p:
                    self._clear()
                    self._count_string(state, p, PASS)
                    self.liberties[p] = self.free

    def observe(self, state: GoTactics, move: int) -> None:
        """Note the features of a legal move of the player to move."""
        self.count = 0
        if move == PASS:
            self._add(AT_PASS + (1 if state.passes else 0))
            return
        self._see_tactics(state, move, state.player + 1)
        if state.last != PASS:
            self._add(AT_LAST + min(state.distance(move, state.last), _FARTHEST) - 2)
        if state.before != PASS:
            self._add(AT_BEFORE + max(min(state.distance(move, state.before), _FARTHEST), 2) - 2)
        lines = 0 if state.size <= 10 else 1 if state.size <= 15 else 2
        line = 10 * lines + (_MOST_LINE if state.is_deserted(move) else 0)
        self._add(AT_LINE + line + min(state.height(move), _MOST_LINE) - 1)
        self._add(THREE + canonical_code(code_around(state, move, state.player + 1)))
        self._see_patterns(state, move, state.player + 1)

    def _add(self, feature: int) -> None:
        self.found[self.count] = feature
        self.count += 1

    # Liberties

    def _clear(self) -> None:
        self.stamp += 1
        self.free = 0

    def _note(self, p: int) -> None:
        if self.stamps[p] != self.stamp:
            self.stamps[p] = self.stamp
            self.free += 1

    def _count_string(self, state: GoTactics, head: int, taken: int) -> None:
        """Count the liberties of a string but for a point, up to _FREE."""
        p = head
        while True:
            for i in range(4):
                q = p + state.step[i]
                if state.board[q] == EMPTY and q != taken:
                    self._note(q)
            p = state.link[p]
            if p == head or self.free >= _FREE:
                break

    def _freedom(self, state: GoTactics, p: int, colour: int) -> int:
        """The liberties that a stone would have, up to _FREE; captures open up only the points beside it."""
        self._clear()
        for i in range(4):
            q = p + state.step[i]
            mark = state.board[q]
            if mark == EMPTY or (mark == 3 - colour and state.in_atari(state.head[q])):
                self._note(q)
            elif mark == colour:
                self._count_string(state, state.head[q], p)
        return min(self.free, _FREE)

    # Features

    def _see_tactics(self, state: GoTactics, p: int, colour: int) -> None:
        if state.is_eye(p, colour):
            self._add(AT_OWN_EYE)
        taken = state.stones_in_atari(p, 3 - colour)
        free = self._freedom(state, p, colour)
        if taken:
            self._add(AT_CAPTURE + self._kind_of_capture(state, p, colour, taken))
        elif free == 1:
            stones = 1
            for i in range(4):
                q = p + state.step[i]
                if state.board[q] == colour and state._new(p, i):
                    stones += state.stones[state.head[q]]
            self._add(AT_SELF_ATARI + min(stones, 3) - 1)
        elif state.stones_in_atari(p, colour):
            self._add(AT_EXTENSION + (1 if free > 2 else 0) + self._at_once(state, p, colour))
        if free > 1:
            self._add(AT_LIBERTIES + free - 2)
        self._see_strings(state, p, colour, free)

    def _at_once(self, state: GoTactics, p: int, colour: int) -> int:
        """2 where the string in atari beside `p` is also beside the last move, else 0."""
        if state.last != PASS:
            for i in range(4):
                q = state.last + state.step[i]
                head = state.head[q]
                if state.board[q] == colour and state.in_atari(head) and state.liberty(head) == p:
                    return 2
        return 0

    def _kind_of_capture(self, state: GoTactics, p: int, colour: int, taken: int) -> int:
        latest = 0
        for i in range(4):
            q = p + state.step[i]
            if state.board[q] == 3 - colour and state.in_atari(state.head[q]):
                if self._saves(state, state.head[q], colour):
                    return 0
                if state.last != PASS and state.head[state.last] == state.head[q]:
                    latest = 1
        if latest:
            return 1
        if taken > 1:
            return 2
        for i in range(4):
            mark = state.board[p + state.step[i]]
            if mark in (EMPTY, colour):
                return 3
        return 4

    def _saves(self, state: GoTactics, head: int, colour: int) -> bool:
        p = head
        while True:
            for i in range(4):
                q = p + state.step[i]
                if state.board[q] == colour and state.in_atari(state.head[q]):
                    return True
            p = state.link[p]
            if p == head:
                break
        return False

    def _see_strings(self, state: GoTactics, p: int, colour: int, free: int) -> None:
        atari = left = relief = 0
        for i in range(4):
            q = p + state.step[i]
            mark = state.board[q]
            if mark == 3 - colour:
                if self.liberties[state.head[q]] == 2:
                    atari = max(atari, min(state.stones[state.head[q]], 2))
                elif self.liberties[state.head[q]] == 3:
                    left = max(left, min(state.stones[state.head[q]], 2))
            elif mark == colour and self.liberties[state.head[q]] == 2 and free > 2:
                relief = 1
        if atari:
            self._add(AT_ATARI + atari - 1)
            if state.ko:
                self._add(AT_ATARI + 2)
        if left:
            self._add(AT_TWO_LEFT + left - 1)
        if relief:
            self._add(AT_RELIEF)

    def _see_patterns(self, state: GoTactics, p: int, colour: int) -> None:
        """A hash for each size, the least of those of the eight images."""
        h0 = h1 = h2 = h3 = h4 = h5 = h6 = h7 = u64(0)
        row, column = p // state.stride - 1, p % state.stride - 1
        centre = (row + _MARGIN) * _WIDE + column + _MARGIN
        place = 0
        for size in range(5):
            while place < ENDS[size]:
                mark = self.padded[centre + PLACE[place]]
                if mark != EMPTY:
                    if mark != EDGE and colour == WHITE:
                        mark = 3 - mark
                    mark *= 64
                    h0 ^= KEYS[mark + IMAGE[place]]
                    h1 ^= KEYS[mark + IMAGE[48 + place]]
                    h2 ^= KEYS[mark + IMAGE[96 + place]]
                    h3 ^= KEYS[mark + IMAGE[144 + place]]
                    h4 ^= KEYS[mark + IMAGE[192 + place]]
                    h5 ^= KEYS[mark + IMAGE[240 + place]]
                    h6 ^= KEYS[mark + IMAGE[288 + place]]
                    h7 ^= KEYS[mark + IMAGE[336 + place]]
                place += 1
            least = min(h0, h1, h2, h3, h4, h5, h6, h7)
            self._add(BIG | mixed(least + size))


# Patterns of the eight neighbours


def code_around(state: GoTactics, p: int, colour: int) -> int:
    """The shape around a point as `colour` sees it, and in bits 16 to 19 which neighbours are in atari."""
    code = state.ring[p]
    if colour == WHITE:
        ones = code & 0x5555
        twos = code >> 1 & 0x5555
        code = ones << 1 | twos
    for i in range(4):
        q = p + state.step[i]
        if (state.board[q] == BLACK or state.board[q] == WHITE) and state.in_atari(state.head[q]):
            code |= 1 << (16 + i)
    return code


def canonical_code(code: int) -> int:
    """The least of the codes of all eight images."""
    least = code
    for i in range(7):
        code = mirrored(code) if i == 3 else turned(code)
        least = min(least, code)
    return least


def turned(code: int) -> int:
    """The code of the pattern turned by 90°."""
    ring, atari = code & 0xFFFF, code >> 16
    ring = (ring << 4 | ring >> 12) & 0xFFFF
    atari = (atari << 1 | atari >> 3) & 15
    return ring | atari << 16


def mirrored(code: int) -> int:
    """The code of the pattern mirrored at a diagonal."""
    ring, atari = code & 0xFFFF, code >> 16
    made = ring & 3
    for i in range(1, 8):
        made |= (ring >> 2 * i & 3) << 2 * (8 - i)
    for i in range(4):
        made |= (atari >> i & 1) << (19 - i)
    return made


# Large patterns


def _distance(x: int, y: int) -> int:
    return abs(x) + abs(y) + max(abs(x), abs(y))


def _fill_places() -> None:
    """Number the points of large patterns from the middle outwards, and where each goes in the images."""
    span = range(-_MARGIN, _MARGIN + 1)
    found = sorted((_distance(x, y), y, x) for x in span for y in span if 0 < _distance(x, y) <= _SIZES[4])
    number = {(x, y): i for i, (_, y, x) in enumerate(found)}
    for i, (_, y, x) in enumerate(found):
        PLACE[i] = y * _WIDE + x
        images = ((x, y), (-y, x), (-x, -y), (y, -x), (-x, y), (y, x), (x, -y), (-y, -x))
        for k, image in enumerate(images):
            IMAGE[k * _PLACES + i] = number[image]
    for i, size in enumerate(_SIZES):
        ENDS[i] = sum(distance <= size for distance, _, _ in found)


def _number_keys() -> None:
    for i in range(256):
        KEYS[i] = mixed(i)


_fill_places()
_number_keys()


class Policy:
    """The weights: a list for the features of NAMES, a hash table for the patterns."""

    def __init__(self) -> None:
        self.small = [0.0] * 88
        self.keys = [0] * 65536
        self.values = [0.0] * 65536
        self.patterns = 0
        self.known = False

    def set_weight(self, feature: int, weight: float) -> None:
        """Set the weight of a feature; those never set are 0. Raises ValueError when there is no room."""
        if feature < SMALL:
            self.small[feature] = weight
            return
        slot = self._slot(feature)
        if self.keys[slot] != feature:
            if self.patterns == _MOST:
                raise ValueError(f"at most {_MOST} patterns have weights")
            self.patterns += 1
            self.keys[slot] = feature
        self.values[slot] = weight

    def clear(self) -> None:
        """Forget all weights."""
        for i in range(SMALL):
            self.small[i] = 0.0
        for i in range(_SLOTS):
            self.keys[i] = 0
        self.patterns = 0
        self.known = False

    def weight_of(self, feature: int) -> float:
        """The weight of a feature."""
        if feature < SMALL:
            return self.small[feature]
        slot = self._slot(feature)
        return self.values[slot] if self.keys[slot] == feature else 0.0

    def read(self, text: str) -> None:
        """Take the weights of a file, which has names for small features and numbers in base 85 for patterns.

        Raises KeyError for an unknown name, ValueError.
        """
        stored = json.loads(text)
        places = {name: i for i, name in enumerate(NAMES)}
        for name, weight in stored["features"].items():
            self.set_weight(places[name], weight)
        numbers = zip(
            array("Q", b85decode(stored["patterns"])), array("h", b85decode(stored["weights"])), strict=True
        )
        for pattern, number in numbers:
            self.set_weight(pattern, number / SCALE)

    def probabilities(self, state: GoTactics) -> dict[int, float]:
        """How likely each legal move is."""
        moves, priors = Moves(), Priors()
        count = state.generate(moves)
        self.rate(state, Observer(), moves, count, priors)
        return {moves.at[i]: priors.chances[i] for i in range(count)}

    def rate(self, state: GoTactics, observer: Observer, moves: Moves, count: int, priors: Priors) -> None:
        """Set the `chances` of all legal moves."""
        observer.prepare(state)
        total = 0.0
        for i in range(count):
            observer.observe(state, moves.at[i])
            worth = 0.0
            for j in range(observer.count):
                worth += self.weight_of(observer.found[j])
            priors.chances[i] = exp(worth)
            total += priors.chances[i]
        for i in range(count):
            priors.chances[i] /= total

    def _slot(self, feature: int) -> int:
        slot = (feature ^ feature >> 32) & _SLOTS - 1
        while self.keys[slot] != 0 and self.keys[slot] != feature:
            slot = slot + 1 & _SLOTS - 1
        return slot


def observed(state: GoTactics) -> tuple[list[int], list[int], list[int]]:
    """The legal moves of a position, how many features each has, and all of these in one list."""
    moves, observer = Moves(), Observer()
    count = state.generate(moves)
    observer.prepare(state)
    found: list[int] = []
    counts: list[int] = []
    for i in range(count):
        observer.observe(state, moves.at[i])
        counts.append(observer.count)
        found += [observer.found[j] for j in range(observer.count)]
    return [moves.at[i] for i in range(count)], counts, found


def load() -> None:
    """Read the weights that come with the package, unless there are some."""
    if not _learned.known:
        use((FOLDER / "go-policy.json").read_text())


def use(text: str) -> None:
    """Take the weights for all players from the text of a file: see Policy.read."""
    _learned.clear()
    _learned.read(text)
    _learned.known = True


_learned = Policy()
