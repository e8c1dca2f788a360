"""What one search may spend."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in milliseconds; None means not given.

    `time` and `increment` are White's and Black's; a clock may show zero or less. `mate` is in moves; where
    `search_moves` is not empty, only these root moves are searched.
    """

    time: tuple[int | None, int | None] = (None, None)
    increment: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    depth: int | None = None
    nodes: int | None = None
    move_time: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    search_moves: tuple[int, ...] = ()
