"""A value network, learned from Lolli's own games: the sum of the pieces for each king, in integers.

Each side has `width` hidden units. Each piece adds a row of weights to the units of both sides, which
together are a side's accumulator. The row depends on the piece's colour, kind and square, seen from that
side with its king on files a to d, and on that king's bucket. The value is the sum, over the units of both
sides, of an output weight times the unit's squared clipped ReLU, min(max(x, 0), 1) ** 2.
For each four pieces on the board there is another set of output weights, an output bucket.

A move changes two to four rows, so accumulators are kept and carried over the moves that lead from one
position to another (Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer
Shogi", 2018).
"""

import cython

from engine.board.position import Position
from engine.system.memory import reserve
from eval.evaluator import Evaluator, Explanation, NetworkParts, phase_of
from eval.network_file import NetworkWeights

if not cython.compiled:
    from engine.board.bitboard import BLACK, EMPTY, KING, ROOK, WHITE, i32, i64, lsb, popcount
    from engine.board.move import (
        NO_MOVE,
        castled_king,
        castled_rook,
        en_passant_victim,
        is_castling,
        is_en_passant,
        is_promotion,
        origin,
        promoted_to,
        target,
    )
    from eval.endings import FULL_SCALE, drawn_scale, won_ending
    from eval.material import worth
    from eval.network_shape import MEN_A_BUCKET, OUTPUT_BUCKETS, OUTPUT_UNIT, ROWS, UNIT, WIDTH_STEP

    HEIGHT_MASK, HEIGHT_SLOTS, LONGEST_WALK = 255, 512, 12
    PLACES, KNOWN, LARGEST, FEW_MEN, FEW_SQUARES = 64, 1536, 20000, 12, 6


class Network(Evaluator):
    """One for each thread; all share `weights`.

    `sums` has a slot for each side at each height of the position's undo stack, and one for each side and
    place of its king. `keys[slot]` is the key of the position whose accumulator is in a slot of the former;
    `known` are the pieces in the accumulator of a side and a place of its king. An accumulator depends on the
    position alone, not on the moves that led to it.

    `won_endings`: a bare king is judged by rules, as in `linear`. `drawish_endings`: with few pieces a
    value is scaled down where theory says that the side that is ahead cannot win.
    """

    def __init__(self, weights: NetworkWeights) -> None:
        self.weights = weights
        self.numbers = weights.numbers
        self.width = weights.width
        self.blocks = weights.width // WIDTH_STEP
        self.scale = weights.scale
        self.won_endings = weights.won_endings
        self.drawish_endings = weights.drawish_endings
        self.outputs = (weights.king_buckets * ROWS + 1) * weights.width
        self.output_biases = [0] * 8
        self.places = [0] * 128
        self.keys = [0] * 512
        self.known = [0] * 1536
        self.occupied = [0] * 128
        self.removed = [0] * 64
        self.added = [0] * 64
        self.removals = self.additions = 0
        for bucket in range(OUTPUT_BUCKETS):
            self.output_biases[bucket] = weights.output_biases[bucket]
        for square in range(64):
            half = square >> 2 & 1
            place = 2 * weights.king_places[square ^ (7 if half else 0)] + half
            self.places[square] = place
            self.places[64 + (square ^ 56)] = place
        self.sums = memoryview(reserve(2 * (HEIGHT_SLOTS + 2 * PLACES) * weights.width)).cast("h")
        for slot in range(HEIGHT_SLOTS, HEIGHT_SLOTS + 2 * PLACES):
            self._start(slot * weights.width)

    def evaluate(self, position: Position) -> int:
        white = position.by_colour[WHITE]
        black = position.by_colour[BLACK]
        if self.won_endings and (white & (white - 1) == 0 or black & (black - 1) == 0):
            won = won_ending(position, WHITE) - won_ending(position, BLACK)
            if won != 0:
                won += worth(position, WHITE) - worth(position, BLACK)
                return -won if position.side else won
        men = popcount(white | black)
        value = self._value(position, (men - 1) // MEN_A_BUCKET)
        if self.drawish_endings and men <= FEW_MEN:
            strong = position.side if value > 0 else position.side ^ 1
            size = (value if value > 0 else -value) * drawn_scale(position, strong) // FULL_SCALE
            return size if value > 0 else -size
        return value

    def explain(self, position: Position) -> Explanation:
        """What each output bucket makes of the position, and what each piece is worth in it."""
        sense = -1 if position.side else 1
        value = sense * self.evaluate(position)
        used = (position.men() - 1) // MEN_A_BUCKET
        buckets = tuple([sense * self._value(position, bucket) for bucket in range(OUTPUT_BUCKETS)])
        men = tuple([self._worth(position, square, buckets[used]) for square in range(64)])
        scale, note = FULL_SCALE, ""
        if self.won_endings and won_ending(position, WHITE) != won_ending(position, BLACK):
            note = "known ending: a bare king is driven to the edge"
        elif self.drawish_endings and position.men() <= FEW_MEN:
            scale = drawn_scale(position, WHITE if buckets[used] > 0 else BLACK)
        parts = NetworkParts(buckets, used, men)
        return Explanation((), phase_of(position), scale, value, note, parts)

    def _worth(self, position: Position, square: int, value: int) -> int | None:
        """By how much White's value changes to the good of a piece's own side because of it."""
        pieces = [position.piece_at(each) for each in range(64)]
        piece = pieces[square]
        if piece & 7 in (KING, EMPTY):
            return None
        pieces[square] = EMPTY
        without = Position.set_up(pieces, position.side)
        other = self._value(without, (without.men() - 1) // MEN_A_BUCKET)
        other = -other if position.side else other
        return other - value if piece & 8 else value - other

    def _value(self, position: Position, bucket: int) -> int:
        """What the output bucket makes of both accumulators, which are brought up to date, in centipawns."""
        own = self._slot(position.height, position.side)
        other = self._slot(position.height, position.side ^ 1)
        for us in range(2):
            if self.keys[(position.height & HEIGHT_MASK) * 2 + us] != position.key:
                self._update(position, us)
        outputs = self.outputs + bucket * 2 * self.width
        total = self._output(own, other, outputs)
        total = total // UNIT if total > 0 else -(-total // UNIT)
        total = (total + self.output_biases[bucket]) * self.scale
        size = min((total if total > 0 else -total) // (UNIT * OUTPUT_UNIT), LARGEST)
        return i32(size if total > 0 else -size)

    # Accumulators

    def _update(self, position: Position, us: int) -> None:
        """Bring a side's accumulator up to date: by the moves since it was, or by the king's place."""
        king = lsb(position.by_type[KING] & position.by_colour[us])
        place = self.places[us * 64 + king]
        least = max(position.height - LONGEST_WALK, 0)
        height = position.height
        while True:
            height -= 1
            if height < least or self._needs_refresh(position, height, us, place):
                self._refresh(position, us, place)
                return
            if self.keys[(height & HEIGHT_MASK) * 2 + us] == position.undo_key[height]:
                break
        while height < position.height:
            self._carry_over(position, height, us, place)
            height += 1
            key = position.key if height == position.height else position.undo_key[height]
            self.keys[(height & HEIGHT_MASK) * 2 + us] = key

    def _needs_refresh(self, position: Position, height: int, us: int, place: int) -> bool:
        """Whether the move at a height has brought the king of side `us` to a place from another one."""
        if position.undo_piece[height] != us * 8 + KING:
            return False
        return self.places[us * 64 + origin(position.undo_move[height])] != place

    def _carry_over(self, position: Position, height: int, us: int, place: int) -> None:
        """Carry the accumulator of side `us` over the move at a height of the undo stack."""
        old = self._slot(height, us)
        new = self._slot(height + 1, us)
        move = position.undo_move[height]
        piece = position.undo_piece[height]
        captured = position.undo_captured[height]
        if move == NO_MOVE:
            self._copy(new, old)
            return
        removed = self._row(piece, origin(move), us, place)
        if is_castling(move):
            rook = piece & 8 | ROOK
            self._castle(
                new,
                old,
                self._row(piece, castled_king(move), us, place),
                removed,
                self._row(rook, castled_rook(move), us, place),
                self._row(rook, target(move), us, place),
            )
            return
        if is_promotion(move):
            piece = piece & 8 | promoted_to(move)
        added = self._row(piece, target(move), us, place)
        if is_en_passant(move):
            self._step(new, old, added, removed, self._row(piece ^ 8, en_passant_victim(move), us, place))
        elif captured != EMPTY:
            self._step(new, old, added, removed, self._row(captured, target(move), us, place))
        else:
            self._step(new, old, added, removed, -1)

    def _refresh(self, position: Position, us: int, place: int) -> None:
        """Bring the accumulator of the king's place up to date by the pieces that differ, and copy it.

        Pieces that are gone are removed first, so that there are never more on the board than in a position.
        Where more pieces differ than there are, all are added to an empty board.
        """
        entry = us * PLACES + place
        sums = (HEIGHT_SLOTS + entry) * i64(self.width)
        men = position.by_colour[WHITE] | position.by_colour[BLACK]
        count = popcount(men)
        if popcount(men ^ self.occupied[entry]) > FEW_SQUARES and self._differing(position, entry) > count:
            self._start(sums)
            for piece in range(12):
                self.known[entry * 12 + piece] = 0
        self._gather(position, us, place)
        self._remove(sums)
        self._add(sums)
        for piece in range(12):
            self.known[entry * 12 + piece] = position.by_colour[piece // 6] & position.by_type[piece % 6]
        self.occupied[entry] = men
        self._copy(self._slot(position.height, us), sums)
        self.keys[(position.height & HEIGHT_MASK) * 2 + us] = position.key

    def _differing(self, position: Position, entry: int) -> int:
        differing = 0
        for piece in range(12):
            there = position.by_colour[piece // 6] & position.by_type[piece % 6]
            differing += popcount(there ^ self.known[entry * 12 + piece])
        return differing

    def _gather(self, position: Position, us: int, place: int) -> None:
        """Fill `removed` and `added` with the rows of the pieces that differ from those known."""
        known = (us * PLACES + place) * 12
        self.removals = self.additions = 0
        for piece in range(12):
            there = position.by_colour[piece // 6] & position.by_type[piece % 6]
            man = piece // 6 * 8 + piece % 6
            left = self.known[known + piece] & ~there
            while left:
                self.removed[self.removals] = self._row(man, lsb(left), us, place)
                self.removals += 1
                left &= left - 1
            left = there & ~self.known[known + piece]
            while left:
                self.added[self.additions] = self._row(man, lsb(left), us, place)
                self.additions += 1
                left &= left - 1

    def _slot(self, height: int, us: int) -> int:
        return i64((height & HEIGHT_MASK) * 2 + us) * self.width

    def _row(self, piece: int, square: int, us: int, place: int) -> int:
        """Where in `numbers` the row of a piece begins, seen by side `us` with its king in a place."""
        turn = 56 * us ^ 7 * (place & 1)
        man = ((piece >> 3 ^ us) * 6 + (piece & 7)) * 64 + (square ^ turn)
        return i64((place >> 1) * ROWS + man) * self.width

    # Loops over the hidden units. Vectors need no remainder: the counts are multiples of WIDTH_STEP.

    def _step(self, new: int, old: int, added: int, removed: int, taken: int) -> None:
        """A move: a row more and a row less; `taken` is the row of a captured piece, or -1."""
        if taken < 0:
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[new + i] = self.sums[old + i] + self.numbers[added + i] - self.numbers[removed + i]
        else:
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[new + i] = (
                    self.sums[old + i]
                    + self.numbers[added + i]
                    - self.numbers[removed + i]
                    - self.numbers[taken + i]
                )

    def _castle(
        self, new: int, old: int, added: int, removed: int, rook_added: int, rook_removed: int
    ) -> None:
        for i in range(self.blocks * WIDTH_STEP):
            self.sums[new + i] = (
                self.sums[old + i]
                + self.numbers[added + i]
                - self.numbers[removed + i]
                + self.numbers[rook_added + i]
                - self.numbers[rook_removed + i]
            )

    def _add(self, sums: int) -> None:
        """Add the rows of `added`, four in one pass: most of the time goes into the sums."""
        done = 0
        while done + 4 <= self.additions:
            a, b, c, d = self.added[done], self.added[done + 1], self.added[done + 2], self.added[done + 3]
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[sums + i] += (
                    self.numbers[a + i] + self.numbers[b + i] + self.numbers[c + i] + self.numbers[d + i]
                )
            done += 4
        while done < self.additions:
            a = self.added[done]
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[sums + i] += self.numbers[a + i]
            done += 1

    def _remove(self, sums: int) -> None:
        """Subtract the rows of `removed`, four in one pass."""
        done = 0
        while done + 4 <= self.removals:
            a, b = self.removed[done], self.removed[done + 1]
            c, d = self.removed[done + 2], self.removed[done + 3]
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[sums + i] -= (
                    self.numbers[a + i] + self.numbers[b + i] + self.numbers[c + i] + self.numbers[d + i]
                )
            done += 4
        while done < self.removals:
            a = self.removed[done]
            for i in range(self.blocks * WIDTH_STEP):
                self.sums[sums + i] -= self.numbers[a + i]
            done += 1

    def _copy(self, new: int, old: int) -> None:
        for i in range(self.blocks * WIDTH_STEP):
            self.sums[new + i] = self.sums[old + i]

    def _start(self, sums: int) -> None:
        for i in range(self.blocks * WIDTH_STEP):
            self.sums[sums + i] = self.numbers[self.outputs - self.width + i]

    def _output(self, own: int, other: int, outputs: int) -> int:
        """What the units of both sides add to the value, times UNIT * UNIT * OUTPUT_UNIT.

        In one loop: two sums, neither of which has to wait for the other.
        """
        owns = 0
        others = 0
        for i in range(self.blocks * WIDTH_STEP):
            x = min(max(self.sums[own + i], 0), UNIT)
            weighed = x * self.numbers[outputs + i]
            owns += weighed * x
            y = min(max(self.sums[other + i], 0), UNIT)
            weighed_other = y * self.numbers[outputs + self.width + i]
            others += weighed_other * y
        return i64(owns) + others
