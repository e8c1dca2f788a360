"""Terms of the evaluation that depend on where the pieces stand and what they attack.

Each function is given one side, `us`, and returns its weights for both stages in one number; see `tally`.
"""

import cython

from engine.board.position import Position
from eval.tally import Tally

if not cython.compiled:
    from engine.board.attacks import (
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        bishop_attacks,
        pawn_attacks_of,
        rook_attacks,
    )
    from engine.board.bitboard import (
        BISHOP,
        BLACK,
        KING,
        KNIGHT,
        PAWN,
        QUEEN,
        ROOK,
        WHITE,
        bit,
        i64,
        lsb,
        popcount,
    )
    from eval.features import (
        BAD_BISHOP,
        BEHIND_PAWN,
        BISHOP_MOBILITY,
        BISHOP_PAIR,
        CASTLING_RIGHTS,
        DANGER,
        FACING,
        HANGING,
        KING_THREAT,
        KNIGHT_MOBILITY,
        KNIGHT_PAWNS,
        MINOR_THREAT,
        OUTPOST,
        PASSED_BLOCKED,
        PASSED_DEFENDED,
        PASSED_FREE,
        PASSED_ROOK_BEHIND,
        PASSED_SAFE,
        PAWN_THREAT,
        PAWNLESS_FLANK,
        PLACEMENT,
        PUSH_THREAT,
        QUEEN_MOBILITY,
        RING_ATTACKERS,
        RING_ATTACKS,
        ROOK_FILE,
        ROOK_MOBILITY,
        ROOK_PAWNS,
        ROOK_SEVENTH,
        ROOK_THREAT,
        SAFE_CHECK,
        SPACE,
        UNSTOPPABLE,
    )
    from eval.masks import CENTRE, DARK, DISTANCE, FILE, FLANK, FRONT, KING_RING, RANK, up
    from eval.tally import weigh


class AttackMaps:
    """The squares that each side attacks: `attacked` at all, `twice` or more, `by` piece (colour * 8 + kind).

    All pawns of a side together attack a square once. `area` is the mobility area, `king` the king's square.
    """

    def __init__(self) -> None:
        self.attacked = [0] * 2
        self.twice = [0] * 2
        self.by = [0] * 16
        self.area = [0] * 2
        self.king = [0] * 2

    def begin(self, position: Position) -> None:
        """Start anew: what kings and pawns attack, and the mobility area."""
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
        """Add the squares that one more piece of a side attacks."""
        self.twice[us] |= self.attacked[us] & attacks
        self.attacked[us] |= attacks
        self.by[us * 8 + kind] |= attacks


def placement(position: Position, tally: Tally, us: int) -> int:
    """Piece-square values as seen from either king; those of pawns are in the pawn table."""
    own = position.by_colour[us]
    own_king = lsb(own & position.by_type[KING])
    enemy_king = lsb(position.by_colour[us ^ 1] & position.by_type[KING])
    by_own = us * 56 ^ (0 if own_king & 4 else 7)
    by_enemy = us * 56 ^ (0 if enemy_king & 4 else 7)
    score = weigh(tally, us, PLACEMENT + 64 * KING + (own_king ^ by_own), 1)
    pieces = own & ~(position.by_type[PAWN] | position.by_type[KING])
    while pieces:
        sq = lsb(pieces)
        pieces &= pieces - 1
        kind = 64 * (position.board[sq] & 7)
        score += weigh(tally, us, PLACEMENT + kind + (sq ^ by_own), 1)
        score += weigh(tally, us, FACING + kind + (sq ^ by_enemy), 1)
    return score


def mobility(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Mobility, and attacks on the enemy king's ring; enters what the pieces attack into `maps`."""
    ring = KING_RING[(us ^ 1) * 64 + maps.king[us ^ 1]]
    score = i64(0)
    for kind in range(KNIGHT, KING):
        pieces = position.by_colour[us] & position.by_type[kind]
        while pieces:
            sq = lsb(pieces)
            pieces &= pieces - 1
            attacks = _attacks(position, kind, sq)
            maps.enter(us, kind, attacks)
            score += _weigh_mobility(tally, us, kind, popcount(attacks & maps.area[us]))
            if attacks & ring:
                score += weigh(tally, us, RING_ATTACKERS + kind - KNIGHT, 1)
                score += weigh(tally, us, RING_ATTACKS + kind - KNIGHT, popcount(attacks & ring))
    return score


def minor_pieces(position: Position, maps: AttackMaps, tally: Tally, us: int, span: int) -> int:
    """Outposts, minor pieces behind pawns, bad bishops, the bishop pair, knights by the number of pawns.

    `span` holds the squares that the enemy's pawns attack or may come to attack.
    """
    own = position.by_colour[us]
    pawns = own & position.by_type[PAWN]
    knights = own & position.by_type[KNIGHT]
    bishops = own & position.by_type[BISHOP]
    forward = RANK[4] | (RANK[2] | RANK[3] if us else RANK[3] | RANK[5])
    outposts = maps.by[us * 8 + PAWN] & forward & ~span
    sheltered = up(position.by_type[PAWN], us ^ 1)
    dark = popcount(bishops & DARK)
    light = popcount(bishops & ~DARK)
    score = weigh(tally, us, OUTPOST, popcount(knights & outposts))
    score += weigh(tally, us, OUTPOST + 1, popcount(bishops & outposts))
    score += weigh(tally, us, BEHIND_PAWN, popcount(knights & sheltered))
    score += weigh(tally, us, BEHIND_PAWN + 1, popcount(bishops & sheltered))
    score += weigh(tally, us, BAD_BISHOP, dark * popcount(pawns & DARK) + light * popcount(pawns & ~DARK))
    if dark + light > 1:
        score += weigh(tally, us, BISHOP_PAIR, 1)
    return score + weigh(tally, us, KNIGHT_PAWNS, popcount(knights) * (popcount(pawns) - 5))


def rooks(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Rooks on open files and on the seventh rank, and by the number of pawns."""
    own = position.by_colour[us]
    pawns = own & position.by_type[PAWN]
    theirs = position.by_colour[us ^ 1] & position.by_type[PAWN]
    towers = own & position.by_type[ROOK]
    score = weigh(tally, us, ROOK_PAWNS, popcount(towers) * (popcount(pawns) - 5))
    seventh = RANK[1 if us else 6]
    if towers & seventh and (theirs & seventh or maps.king[us ^ 1] >> 3 == (0 if us else 7)):
        score += weigh(tally, us, ROOK_SEVENTH, popcount(towers & seventh))
    while towers:
        file = FILE[lsb(towers) & 7]
        towers &= towers - 1
        if file & pawns == 0:
            score += weigh(tally, us, ROOK_FILE + (0 if file & theirs else 1), 1)
    return score


def threats(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Attacks by less valuable pieces, hanging pieces, threats by a pawn push."""
    them = us ^ 1
    own_pawns = position.by_colour[us] & position.by_type[PAWN]
    enemy = position.by_colour[them]
    free = ~(position.by_colour[WHITE] | position.by_colour[BLACK])
    minors = maps.by[us * 8 + KNIGHT] | maps.by[us * 8 + BISHOP]
    score = _victims(
        position, maps, tally, us, PAWN_THREAT - 1, maps.by[us * 8 + PAWN] & ~position.by_type[PAWN]
    )
    score += _victims(position, maps, tally, us, MINOR_THREAT, minors)
    score += _victims(position, maps, tally, us, ROOK_THREAT, maps.by[us * 8 + ROOK])
    loose = enemy & ~maps.attacked[them] & ~position.by_type[KING]
    score += weigh(tally, us, KING_THREAT, popcount(loose & maps.by[us * 8 + KING]))
    score += weigh(tally, us, HANGING, popcount(loose & maps.attacked[us]))
    steps = up(own_pawns, us) & free
    steps |= up(steps & RANK[5 if us else 2], us) & free
    steps &= ~maps.by[them * 8 + PAWN] & (maps.attacked[us] | ~maps.attacked[them])
    pushed = pawn_attacks_of(steps, us) & ~maps.by[us * 8 + PAWN]
    targets = enemy & ~(position.by_type[PAWN] | position.by_type[KING])
    return score + weigh(tally, us, PUSH_THREAT, popcount(pushed & targets))


def king_attack(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Safe checks, and the enemy king's danger: units for checks, attackers and weak squares, summed up."""
    them = us ^ 1
    king = maps.king[them]
    ring = KING_RING[them * 64 + king]
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    safe = ~position.by_colour[us] & (~maps.attacked[them] | (maps.twice[us] & maps.by[them * 8 + KING]))
    safe &= ~maps.by[them * 8 + PAWN]
    diagonal = bishop_attacks(king, occupied) & safe
    straight = rook_attacks(king, occupied) & safe
    knight_checks = popcount(KNIGHT_ATTACKS[king] & safe & maps.by[us * 8 + KNIGHT])
    bishop_checks = popcount(diagonal & maps.by[us * 8 + BISHOP])
    rook_checks = popcount(straight & maps.by[us * 8 + ROOK])
    queen_checks = popcount((diagonal | straight) & maps.by[us * 8 + QUEEN])
    score = weigh(tally, us, SAFE_CHECK, knight_checks)
    score += weigh(tally, us, SAFE_CHECK + 1, bishop_checks)
    score += weigh(tally, us, SAFE_CHECK + 2, rook_checks)
    score += weigh(tally, us, SAFE_CHECK + 3, queen_checks)
    weak = ring & maps.attacked[us] & (~maps.attacked[them] | (maps.by[them * 8 + KING] & ~maps.twice[them]))
    units = popcount(weak) + popcount(ring & maps.twice[us])
    units += 2 * popcount(ring & (maps.by[us * 8 + KNIGHT] | maps.by[us * 8 + BISHOP]))
    units += 2 * popcount(ring & maps.by[us * 8 + ROOK]) + 3 * popcount(ring & maps.by[us * 8 + QUEEN])
    units += 3 * min(knight_checks, 1) + 2 * min(bishop_checks, 1)
    units += 4 * min(rook_checks, 1) + 4 * min(queen_checks, 1)
    if position.by_colour[us] & position.by_type[QUEEN] == 0:
        units >>= 1
    return score + weigh(tally, us, DANGER + min(units, 31), 1)


def king_flank(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Castling rights, and a king on a flank without pawns."""
    rights = (position.castling >> (2 * us)) & 3
    score = weigh(tally, us, CASTLING_RIGHTS, (rights + 1) >> 1)
    if position.by_type[PAWN] & FLANK[maps.king[us] & 7] == 0:
        score += weigh(tally, us, PAWNLESS_FLANK, 1)
    return score


def space(position: Position, maps: AttackMaps, tally: Tally, us: int) -> int:
    """Space: safe squares of the centre, twice those just behind own pawns."""
    pawns = position.by_colour[us] & position.by_type[PAWN]
    safe = CENTRE[us] & ~pawns & ~maps.by[(us ^ 1) * 8 + PAWN]
    behind = up(pawns, us ^ 1)
    behind |= up(behind, us ^ 1)
    return weigh(tally, us, SPACE, popcount(safe) + popcount(safe & behind))


def passed_pawns(position: Position, maps: AttackMaps, tally: Tally, us: int, passed: int) -> int:
    """Passed pawns among pieces: how free the way of each is, and which rooks stand behind it.

    What depends on pawns and kings alone is in the pawn table.
    """
    them = us ^ 1
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    enemy_pieces = position.by_colour[them] & ~(position.by_type[PAWN] | position.by_type[KING])
    pawns = passed & position.by_colour[us]
    score = i64(0)
    while pawns:
        sq = lsb(pawns)
        pawns &= pawns - 1
        stop = bit(sq - 8 if us else sq + 8)
        rank = (sq ^ (us * 56)) >> 3
        if stop & position.by_colour[them]:
            score += weigh(tally, us, PASSED_BLOCKED + rank, 1)
        if FRONT[us * 64 + sq] & occupied == 0:
            score += weigh(tally, us, PASSED_FREE + rank, 1)
            if enemy_pieces == 0 and _outruns(position, maps, us, sq):
                score += weigh(tally, us, UNSTOPPABLE, 1)
        if stop & maps.attacked[them] == 0:
            score += weigh(tally, us, PASSED_SAFE + rank, 1)
        if stop & maps.attacked[us]:
            score += weigh(tally, us, PASSED_DEFENDED + rank, 1)
        behind = FRONT[them * 64 + sq] & rook_attacks(sq, occupied) & position.by_type[ROOK]
        if behind:
            score += weigh(tally, us, PASSED_ROOK_BEHIND + (0 if behind & position.by_colour[us] else 1), 1)
    return score


def _attacks(position: Position, kind: int, sq: int) -> int:
    if kind == KNIGHT:
        return KNIGHT_ATTACKS[sq]
    occupied = position.by_colour[WHITE] | position.by_colour[BLACK]
    if kind == BISHOP:
        return bishop_attacks(sq, occupied)
    if kind == ROOK:
        return rook_attacks(sq, occupied)
    return bishop_attacks(sq, occupied) | rook_attacks(sq, occupied)


def _weigh_mobility(tally: Tally, us: int, kind: int, count: int) -> int:
    if kind == KNIGHT:
        return weigh(tally, us, KNIGHT_MOBILITY + count, 1)
    if kind == BISHOP:
        return weigh(tally, us, BISHOP_MOBILITY + count, 1)
    if kind == ROOK:
        return weigh(tally, us, ROOK_MOBILITY + count, 1)
    return weigh(tally, us, QUEEN_MOBILITY + count, 1)


def _victims(position: Position, maps: AttackMaps, tally: Tally, us: int, index: int, attacked: int) -> int:
    """The enemy's men on `attacked`: weights from `index` on for unprotected pawns, knights … queens."""
    attacked &= position.by_colour[us ^ 1]
    pawns = attacked & position.by_type[PAWN] & ~maps.by[(us ^ 1) * 8 + PAWN]
    score = i64(0)
    if pawns:
        score += weigh(tally, us, index, popcount(pawns))
    for kind in range(KNIGHT, KING):
        if attacked & position.by_type[kind]:
            score += weigh(tally, us, index + kind, popcount(attacked & position.by_type[kind]))
    return score


def _outruns(position: Position, maps: AttackMaps, us: int, sq: int) -> bool:
    """The rule of the square: the enemy's king, all alone with its pawns, comes too late."""
    goal = (sq & 7) + (0 if us else 56)
    steps = min(DISTANCE[sq * 64 + goal], 5)  # on its first rank the pawn has a double step
    king = DISTANCE[maps.king[us ^ 1] * 64 + goal]
    return king - (0 if position.side == us else 1) > steps
