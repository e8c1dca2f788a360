"""Which squares either side attacks, and with what."""

import cython

from engine.board.position import Position

if not cython.compiled:
    from engine.board.attacks import KING_ATTACKS, pawn_attacks_of
    from engine.board.bitboard import KING, KNIGHT, PAWN, lsb


class Reach:
    """For both sides: `attacked` at all, `twice` or more, `by` a kind of piece (colour * 8 + kind).

    Pawns of a side attack a square once, however many. `area` is where mobility counts, `king` the
    king's square.
    """

    def __init__(self) -> None:
        self.attacked = [0] * 2
        self.twice = [0] * 2
        self.by = [0] * 16
        self.area = [0] * 2
        self.king = [0] * 2

    def begin(self, position: Position) -> None:
        """Start anew: what kings and pawns attack, and where mobility counts."""
        for us in range(2):
            own = position.by_colour[us]
            king = lsb(own & position.by_type[KING])
            steps = KING_ATTACKS[king]
            captures = pawn_attacks_of(own & position.by_type[PAWN], us)
            self.king[us] = king
            for kind in range(KNIGHT, KING):
                self.by[us * 8 + kind] = 0
            self.by[us * 8 + PAWN] = captures
            self.by[us * 8 + KING] = steps
            self.attacked[us] = captures | steps
            self.twice[us] = captures & steps
        for us in range(2):
            fixed = position.by_colour[us] & (position.by_type[PAWN] | position.by_type[KING])
            self.area[us] = ~(fixed | self.by[(us ^ 1) * 8 + PAWN])

    def enter(self, us: int, kind: int, attacks: int) -> None:
        """One more piece of a side, and what it attacks."""
        self.twice[us] |= self.attacked[us] & attacks
        self.attacked[us] |= attacks
        self.by[us * 8 + kind] |= attacks
