"""Convolutions of 3 by 3 with fewer products: Winograd's F(3x3, 3x3).

A tile of 3 by 3 sums needs 5 by 5 numbers of each input. Taken to another basis, these and the weights are
multiplied point by point, 25 products in place of 81, and the sums are taken back. The points of all tiles
are then 25 products of matrices. Lavin and Gray, "Fast algorithms for convolutional neural networks" (2016);
the polynomials are evaluated at 0, 1, -1, 2 and infinity.

A board lies in memory row by row, all channels of a square together, within an edge of zeros and filled up
to whole tiles. convolution.pxd has the same in C.
"""

from collections.abc import Sequence

_SPREAD = (
    (2.0, -1.0, -2.0, 1.0, 0.0),
    (0.0, -2.0, -1.0, 1.0, 0.0),
    (0.0, 2.0, -3.0, 1.0, 0.0),
    (0.0, -1.0, 0.0, 1.0, 0.0),
    (0.0, 2.0, -1.0, -2.0, 1.0),
)
_COLLECT = ((1.0, 1.0, 1.0, 1.0, 0.0), (0.0, 1.0, -1.0, 2.0, 0.0), (0.0, 1.0, 1.0, 4.0, 1.0))

Matrix = Sequence[Sequence[float]]


def multiply(
    x: "memoryview[float]",
    first: int,
    weights: "memoryview[float]",
    weight: int,
    out: "memoryview[float]",
    to: int,
    rows: int,
    inputs: int,
    outputs: int,
) -> None:
    """A product of matrices, into `out` from `to` on.

    The weights: of 16 outputs a row for each input, then those of the next 16. Compiled, up to 15 rows more
    are read and written.
    """
    for row in range(rows):
        for output in range(outputs):
            at = weight + output // 16 * 16 * inputs + output % 16
            out[to + row * outputs + output] = sum(
                x[first + row * inputs + i] * weights[at + i * 16] for i in range(inputs)
            )


def spread(
    x: "memoryview[float]",
    first: int,
    tiles: "memoryview[float]",
    to: int,
    down: int,
    across: int,
    channels: int,
    distance: int,
) -> None:
    """The points of all tiles of a board, `distance` numbers from one point to the next."""
    width = (3 * across + 2) * channels
    for tile in range(down * across):
        corner = first + tile // across * 3 * width + tile % across * 3 * channels
        for channel in range(channels):
            seen = [[x[corner + i * width + j * channels + channel] for j in range(5)] for i in range(5)]
            for point, value in enumerate(_both_ways(_SPREAD, seen)):
                tiles[to + point * distance + tile * channels + channel] = value


def collect(
    tiles: "memoryview[float]",
    first: int,
    weights: "memoryview[float]",
    bias: int,
    adds: bool,
    out: "memoryview[float]",
    to: int,
    rows: int,
    columns: int,
    channels: int,
    distance: int,
) -> None:
    """The sums of all tiles plus a bias and, if it `adds`, what is there; 0 for those that are negative."""
    across = (columns + 2) // 3
    width = (3 * across + 2) * channels
    for tile in range((rows + 2) // 3 * across):
        row, column = tile // across * 3, tile % across * 3
        for channel in range(channels):
            at = first + tile * channels + channel
            seen = [[tiles[at + (5 * i + j) * distance] for j in range(5)] for i in range(5)]
            for place, value in enumerate(_both_ways(_COLLECT, seen)):
                i, j = row + place // 3, column + place % 3
                if i < rows and j < columns:
                    square = to + (i + 1) * width + (j + 1) * channels + channel
                    total = value + weights[bias + channel] + (out[square] if adds else 0.0)
                    out[square] = max(total, 0.0)


def _both_ways(matrix: Matrix, numbers: Matrix) -> list[float]:
    """matrix · numbers · matrixᵀ, row by row."""
    lines = [[sum(a * b for a, b in zip(row, line, strict=True)) for row in matrix] for line in numbers]
    return [
        sum(row[i] * lines[i][j] for i in range(len(lines))) for row in matrix for j in range(len(matrix))
    ]
