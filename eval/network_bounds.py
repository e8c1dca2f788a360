"""The proof that no number overflows in a value network, whatever the position."""

import cython

if not cython.compiled:
    from engine.board.bitboard import i64
    from eval.network_shape import OUTPUT_BUCKETS, ROWS, UNIT

    MOST_MEN = 32
    LARGEST_OUTPUT, LARGEST_SHORT, LARGEST_INT = 127, 32767, 0x7FFFFFFF


def unsafe_unit(numbers: memoryview, width: int, bucket: int, biases: int, most: memoryview) -> int:
    """The first hidden unit whose sum might leave 16 bits in a king bucket, or -1: the proof that none does.

    A position has at most one piece on each square, and at most 32. Let m be the most that any piece on a
    square can add to the unit, or 0. For any t >= 0, a piece adds at most t + max(m - t, 0), so all pieces
    together at most 32 t plus the sum of max(m - t, 0) over all squares. (With t equal to the 32nd largest
    m, that is the sum of the 32 largest.) A unit is safe if its bias and that bound fit into 16 bits for
    one of four numbers t; likewise downwards. The same holds for any part of the pieces, and so while the
    sum is made piece by piece.

    `biases` is where in `numbers` the hidden biases begin; `most` has room for 64 * width ints.
    """
    for sense in range(-1, 2, 2):
        for i in range(64 * width):
            most[i] = 0
        for row in range(ROWS):
            _note_most(numbers, (i64(bucket) * ROWS + row) * width, width, sense, most, (row & 63) * width)
        for unit in range(width):
            if sense * numbers[biases + unit] + _bound(most, unit, width) > LARGEST_SHORT:
                return unit
    return -1


def unsafe_outputs(numbers: memoryview, width: int, start: int) -> int:
    """The first of 16 halves of output buckets whose total might leave 32 bits, or -1: the proof of the rest.

    A unit squared is at most 255 * 255. So a total, in whichever order it is added up, is at most that
    times the sum of the positive weights and at least that times the sum of the negative ones. A weight
    beyond 127, whose product with a unit might leave 16 bits, is unsafe, too.

    `start` is where in `numbers` the output weights begin.
    """
    for half in range(2 * OUTPUT_BUCKETS):
        positive = 0
        negative = 0
        for i in range(width):
            weight = numbers[start + half * width + i]
            if weight > LARGEST_OUTPUT or weight < -LARGEST_OUTPUT:
                return half
            if weight > 0:
                positive += weight
            else:
                negative -= weight
        if max(positive, negative) > LARGEST_INT // (UNIT * UNIT):
            return half
    return -1


def _note_most(numbers: memoryview, row: int, width: int, sense: int, most: memoryview, square: int) -> None:
    """Raise the most that a piece on a square adds to that of this row; `sense`: 1 upwards, -1 downwards."""
    for i in range(width):
        most[square + i] = max(most[square + i], sense * numbers[row + i])


def _bound(most: memoryview, unit: int, width: int) -> int:
    """The least of the bounds in `unsafe_unit`, for t = 0, half the mean of m, the mean, and the largest."""
    total = 0
    largest = 0
    for square in range(64):
        total += most[square * width + unit]
        largest = max(largest, most[square * width + unit])
    best = min(total, MOST_MEN * largest)
    for halves in range(1, 3):
        t = total * halves // 128
        bound = MOST_MEN * t
        for square in range(64):
            bound += max(most[square * width + unit] - t, 0)
        best = min(best, bound)
    return best
