"""Training records: positions from the mover's point of view, 32 bytes each, from which the network learns.

A file of records consists of RECORD entries and nothing else.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from engine.board.position import Position
from eval.training.game_file import unpack_pieces

RECORD = np.dtype(
    [
        ("occupied", "<u8"),
        ("pieces", "u1", (16,)),
        ("score", "<i2"),
        ("result", "u1"),
        ("ply", "u1"),
        ("game", "<u4"),
    ]
)
"""The board is turned so that the mover is White: where Black moves, squares are `square ^ 56` and colours
change. `occupied`: the occupied squares, a1 the lowest bit, then b1. `pieces`: the pieces on them in that
order, colour * 8 + kind, the mover's colour being 0, two to a byte, the lower half first. `score`: the
mover's centipawns. `result`: of the game, for the mover, 0 lost, 1 drawn, 2 won. `ply`: plies played before,
at most 255. `game`: its number in its run."""

SUFFIX = ".records"
"""The suffix of files of records."""

Records = npt.NDArray[np.void]


class RecordsError(ValueError):
    """Records cannot be used. The message says why."""


def words(records: Records) -> memoryview:
    """The same memory as numbers of 64 bits, four to a record, as compiled modules read it."""
    found: Any = records.view("<u8")
    return memoryview(found)


def men(records: Records) -> npt.NDArray[np.uint8]:
    """The number of men in each position."""
    counts: npt.NDArray[np.uint8] = np.bitwise_count(records["occupied"])
    return counts


def position_of(record: np.void) -> Position:
    """The position of a record, White to move, without castling rights."""
    return Position.set_up(unpack_pieces(int(record["occupied"]), record["pieces"].tobytes()), 0)
