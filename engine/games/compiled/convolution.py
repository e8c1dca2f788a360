"""The product that a network spends its time in: what convolution.pxd has in C for compiled modules."""


def convolve(
    x: "memoryview[float]",
    weights: "memoryview[float]",
    added: "memoryview[float]",
    out: "memoryview[float]",
    plans: "memoryview[int]",
    plan: int,
) -> None:
    """16 sums of products for each of some squares in a row, and 0 instead of those that are negative.

    The plan, from `plans[plan]` on: where in `x` the first square has its numbers; where in `weights` the
    weights begin, 16 for each number that counts, and where the bias; where in `out` the first sums go; how
    many numbers a square has in `x`, and how many in `out`; how many squares; 1 if what is `added` at the
    same places as in `out` counts, else 0; how many squares count for a square, and how far away, in numbers,
    each of them is.
    """
    first, weight, bias, to, inputs, outputs, squares, adds, taps = plans[plan : plan + 9]
    for square in range(squares):
        sums = list(weights[bias : bias + 16])
        at = weight
        for tap in plans[plan + 9 : plan + 9 + taps]:
            for i in range(inputs):
                number = x[first + square * inputs + tap + i]
                for output in range(len(sums)):
                    sums[output] += number * weights[at + output]
                at += len(sums)
        place = to + square * outputs
        for output in range(len(sums)):
            value = sums[output] + (added[place + output] if adds else 0.0)
            out[place + output] = max(value, 0.0)
