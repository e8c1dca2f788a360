"""Endgame tables inside the search: the result of a position with few pieces, from a C function.

The function is `tb_probe_wdl_impl` of Fathom, which engine.lookup.fathom loads. It may be called by any
number of threads, and is called without the interpreter lock.
"""

import cython

from engine.board.position import Position

if not cython.compiled:
    from ctypes import CFUNCTYPE, c_bool, c_int, c_uint, c_uint64

    from engine.board.bitboard import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE, popcount
    from engine.search.constants import TABLEBASE_WIN, UNKNOWN

    LOST, DRAWN, WON = 0, 2, 4
    WdlFunction = CFUNCTYPE(c_int, *[c_uint64] * 8, c_uint, c_bool)


class Prober:
    """The endgame tables as one search asks them; without arguments there are none.

    `address` is that of the function, and `owner` what keeps it in memory. Tables of `men` pieces, kings and
    pawns included, are asked where at least `depth` plies are left to search, smaller ones everywhere.
    `fifty_moves`: whether a win counts only if the fifty-move rule leaves it time.
    """

    def __init__(
        self,
        address: int = 0,
        men: int = 0,
        depth: int = 1,
        fifty_moves: bool = True,
        owner: object = None,
    ) -> None:
        self.men = men
        self._depth = depth
        self._margin = 1 if fifty_moves else 0
        self._owner = owner
        self._connect(address)

    def _connect(self, address: int) -> None:
        self._function = cython.cast(WdlFunction, address)

    def is_asked(self, position: Position, depth: int) -> bool:
        """Whether to look a position up: its results hold where neither castling nor an old move counts.

        They assume a halfmove clock of 0: the last move was a capture or a pawn move.
        """
        if position.halfmoves != 0 or position.castling != 0:
            return False
        men = popcount(position.by_colour[WHITE] | position.by_colour[BLACK])
        return men < self.men or (men == self.men and depth >= self._depth)

    def score(self, position: Position, ply: int) -> int:
        """The score of the result, `ply` plies below the root; UNKNOWN where a table is missing.

        A win that the fifty-move rule takes away is hardly more than a draw.
        """
        result: int = self._function(
            position.by_colour[WHITE],
            position.by_colour[BLACK],
            position.by_type[KING],
            position.by_type[QUEEN],
            position.by_type[ROOK],
            position.by_type[BISHOP],
            position.by_type[KNIGHT],
            position.by_type[PAWN],
            max(position.en_passant, 0),
            position.side == WHITE,
        )
        if result < LOST or result > WON:
            return UNKNOWN
        if result > DRAWN + self._margin:
            return TABLEBASE_WIN - ply
        if result < DRAWN - self._margin:
            return ply - TABLEBASE_WIN
        return 2 * (result - DRAWN)
