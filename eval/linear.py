"""Material at 1/3/3/5/9 plus learned weights times features, tapered from middle game to endgame.

A weight for the middle game and one for the endgame travel in one number, middle << 32 plus endgame, so that
a sum of many costs no more than a sum of one. Functions for one side, `us`, return such numbers.
"""

from collections.abc import Sequence

import cython

from engine.board.position import Position
from eval.evaluator import Evaluator, Explanation, Term, Trace
from eval.features import FEATURES, TERMS
from eval.weight_file import Weights

if not cython.compiled:
    from engine.board.attacks import (
        KING_ATTACKS,
        KNIGHT_ATTACKS,
        PAWN_ATTACKS,
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
        i32,
        i64,
        lsb,
        msb,
        popcount,
        u64,
    )
    from engine.board.zobrist import PIECE_KEYS
    from eval.endings import FULL_SCALE, drawish_scale, won_ending
    from eval.features import (
        BACKWARD,
        BAD_BISHOP,
        BEHIND_PAWN,
        BISHOP_MOBILITY,
        BISHOP_PAIR,
        BLOCKED_STORM,
        CANDIDATE,
        CASTLING_RIGHTS,
        DANGER,
        DOUBLED,
        FACING,
        HANGING,
        ISOLATED,
        KING_THREAT,
        KNIGHT_MOBILITY,
        KNIGHT_PAWNS,
        MINOR_THREAT,
        OUTPOST,
        PASSED,
        PASSED_BLOCKED,
        PASSED_DEFENDED,
        PASSED_ENEMY_KING,
        PASSED_FREE,
        PASSED_OWN_KING,
        PASSED_ROOK_BEHIND,
        PASSED_SAFE,
        PAWN_THREAT,
        PAWNLESS_FLANK,
        PHALANX,
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
        SHELTER,
        SPACE,
        STORM,
        SUPPORTED,
        TEMPO,
        UNSTOPPABLE,
        WEIGHTS,
    )
    from eval.masks import (
        AHEAD,
        CENTRE,
        DARK,
        DISTANCE,
        FILE,
        FLANK,
        FRONT,
        KING_RING,
        NEIGHBOURS,
        PASSED_MASK,
        RANK,
        up,
    )
    from eval.material import MINOR_VALUE, PAWN_VALUE, QUEEN_VALUE, ROOK_VALUE, worth

    ENTRY_MASK, SCORE, PASSERS, SPAN, KINGS_RACE_RANK = 8191, 1, 2, 3, 3
    FULL_PHASE, LARGEST, MEMORY_MASK = 24, 20000, 4095

    def weigh(tally: "Tally", colour: int, index: int, count: int) -> int:
        """What `count` times a feature is worth to a side, both stages in one number."""
        if tally.tracing:
            tally.counts[colour * WEIGHTS + index] += count
        return tally.weights[index] * count


class Tally:
    """The weights of one evaluator; while `tracing` is set, `counts` adds up what either side has.

    Raises ValueError where there are too few weights or too many.
    """

    def __init__(self, middle: Sequence[int], endgame: Sequence[int]) -> None:
        if len(middle) != WEIGHTS or len(endgame) != WEIGHTS:
            raise ValueError(f"there must be {WEIGHTS} weights for either stage")
        if not cython.compiled:
            self.weights = [0] * WEIGHTS
            self.counts = [0] * (2 * WEIGHTS)
        self.tracing = False
        for index in range(WEIGHTS):
            self.weights[index] = (int(middle[index]) << 32) + int(endgame[index])

    def clear(self) -> None:
        """Set all counts to 0."""
        for index in range(2 * WEIGHTS):
            self.counts[index] = 0

    def counted(self) -> dict[int, tuple[int, int]]:
        """The indices of which either side has any, with (White's count, Black's count)."""
        found = {}
        for index in range(WEIGHTS):
            white = self.counts[index]
            black = self.counts[WEIGHTS + index]
            if white != 0 or black != 0:
                found[index] = (white, black)
        return found


class Pawns:
    """One evaluator's table. An entry is eight numbers in a row, one line of the processor's cache."""

    def __init__(self) -> None:
        self.slots = [0] * 65536

    def probe(self, position: Position, tally: Tally) -> int:
        """Where in `slots` the entry for this position starts; computed now if it is missing.

        SCORE holds White's weights minus Black's; PASSERS both sides' passed pawns; SPAN and the
        number after it the squares that White's and Black's pawns attack or may come to attack.
        """
        white_king = lsb(position.by_type[KING] & position.by_colour[WHITE])
        black_king = lsb(position.by_type[KING] & position.by_colour[BLACK])
        key = (
            position.pawn_key ^ PIECE_KEYS[KING * 64 + white_king] ^ PIECE_KEYS[(8 + KING) * 64 + black_king]
        )
        base = i32(key & ENTRY_MASK) * 8
        if self.slots[base] != key or tally.tracing:
            self.slots[base] = key
            self.slots[base + PASSERS] = 0
            white = self._evaluate_side(position, tally, WHITE, base)
            self.slots[base + SCORE] = white - self._evaluate_side(position, tally, BLACK, base)
        return base

    def _evaluate_side(self, position: Position, tally: Tally, us: int, base: int) -> int:
        """One side's pawns and shelter; enters its passed pawns and its span."""
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[us ^ 1]
        score = self._king(position, tally, us)
        span = u64(0)
        pawns = own
        while pawns:
            sq = lsb(pawns)
            pawns &= pawns - 1
            ahead = us * 64 + sq
            span |= PASSED_MASK[ahead] & NEIGHBOURS[sq & 7]
            passed = 0 if PASSED_MASK[ahead] & theirs or FRONT[ahead] & own else 1
            if passed:
                self.slots[base + PASSERS] |= bit(sq)
            score += self._structure(position, tally, us, sq, passed)
        self.slots[base + SPAN + us] = span
        return score

    def _structure(self, position: Position, tally: Tally, us: int, sq: int, passed: int) -> int:
        """One pawn: piece-square, doubled, phalanx, supported, isolated, backward, passed, candidate."""
        them = us ^ 1
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[them]
        own_king = lsb(position.by_type[KING] & position.by_colour[us])
        enemy_king = lsb(position.by_type[KING] & position.by_colour[them])
        ahead = us * 64 + sq
        seen = sq ^ (us * 56)
        rank = seen >> 3
        stop = sq - 8 if us else sq + 8
        score = weigh(tally, us, PLACEMENT + (seen ^ (0 if own_king & 4 else 7)), 1)
        score += weigh(tally, us, FACING + (seen ^ (0 if enemy_king & 4 else 7)), 1)
        free = 0 if FRONT[ahead] & theirs else 1
        neighbours = own & NEIGHBOURS[sq & 7]
        level = neighbours & ~AHEAD[ahead]
        if FRONT[ahead] & own:
            score += weigh(tally, us, DOUBLED, 1)
        if neighbours & RANK[sq >> 3]:
            score += weigh(tally, us, PHALANX + rank, 1)
        if PAWN_ATTACKS[them * 64 + sq] & own:
            score += weigh(tally, us, SUPPORTED + rank, 1)
        if neighbours == 0:
            score += weigh(tally, us, ISOLATED + free, 1)
        elif level == 0 and PAWN_ATTACKS[us * 64 + stop] & theirs:
            score += weigh(tally, us, BACKWARD + free, 1)
        if passed:
            score += weigh(tally, us, PASSED + rank, 1)
            if rank >= KINGS_RACE_RANK:
                score += weigh(tally, us, PASSED_OWN_KING + DISTANCE[own_king * 64 + stop], 1)
                score += weigh(tally, us, PASSED_ENEMY_KING + DISTANCE[enemy_king * 64 + stop], 1)
        elif free and popcount(level) >= popcount(PASSED_MASK[ahead] & theirs):
            score += weigh(tally, us, CANDIDATE + rank, 1)
        return score

    def _king(self, position: Position, tally: Tally, us: int) -> int:
        """Shelter and pawn storm: the pawns of both sides on the king's file and the files beside it."""
        own = position.by_type[PAWN] & position.by_colour[us]
        theirs = position.by_type[PAWN] & position.by_colour[us ^ 1]
        king = lsb(position.by_type[KING] & position.by_colour[us])
        before = AHEAD[us * 64 + king] | RANK[king >> 3]
        first = min(max((king & 7) - 1, 0), 5)
        score = i64(0)
        for file in range(first, first + 3):
            edge = min(file, 7 - file)
            shelter = _nearest_rank(own & FILE[file] & before, us)
            score += weigh(tally, us, SHELTER + edge * 8 + shelter, 1)
            storm = _nearest_rank(theirs & FILE[file] & before, us)
            if shelter > 0 and shelter == storm - 1:
                score += weigh(tally, us, BLOCKED_STORM + storm, 1)
            else:
                score += weigh(tally, us, STORM + edge * 8 + storm, 1)
        return score


def _nearest_rank(pawns: int, us: int) -> int:
    """The rank, as side `us` sees it, of the pawn nearest to its first rank; 0 without pawns."""
    if pawns == 0:
        return 0
    return 7 - (msb(pawns) >> 3) if us else lsb(pawns) >> 3


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
        """Reset for a position: what kings and pawns attack, and the mobility area."""
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
    """The enemy's pieces on `attacked`: weights from `index` on for unprotected pawns, knights … queens."""
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


class Linear(Evaluator):
    """The learned evaluation. One for each thread: it remembers positions and pawn structures."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.tally = Tally(weights.middle, weights.endgame)
        self.pawns = Pawns()
        self.maps = AttackMaps()
        self.memory = [0] * 4096
        self.material = 0
        self.phase = 0
        self.scale = FULL_SCALE
        self.known = False

    def evaluate(self, position: Position) -> int:
        slot = i32(position.key & MEMORY_MASK)
        entry = self.memory[slot]
        if entry >> 16 == position.key >> 16:
            return i32(entry & 0xFFFF) - 32768
        value = self._white_value(position)
        if position.side:
            value = -value
        self.memory[slot] = (position.key >> 16 << 16) | (value + 32768)
        return value

    def trace(self, position: Position) -> Trace:
        """The counts of all features in the position, computed from scratch."""
        self.tally.clear()
        self.tally.tracing = True
        value = self._white_value(position)
        self.tally.tracing = False
        counts = self.tally.counted()
        return Trace(counts, self.material, self.phase, self.scale, self.known, value)

    def explain(self, position: Position) -> Explanation:
        """Material, then the learned terms, which do not count in a known ending."""
        trace = self.trace(position)
        sums = {name: [0, 0, 0, 0] for name in TERMS}
        for feature in FEATURES:
            row = sums[feature.term]
            for index in range(feature.start, feature.start + feature.size):
                for colour, count in enumerate(trace.counts.get(index, (0, 0))):
                    row[2 * colour] += count * self.weights.middle[index]
                    row[2 * colour + 1] += count * self.weights.endgame[index]
        white, black = worth(position, WHITE), worth(position, BLACK)
        terms = [Term("Material", (white, white), (black, black))]
        terms += [Term(name, (row[0], row[1]), (row[2], row[3])) for name, row in sums.items()]
        note = "known ending: a bare king is driven to the edge" if trace.known else ""
        return Explanation(tuple(terms), trace.phase, trace.scale, trace.value, note)

    def _white_value(self, position: Position) -> int:
        self._count_material(position)
        self.scale = FULL_SCALE
        won = won_ending(position, WHITE) - won_ending(position, BLACK)
        self.known = won != 0
        if won != 0 and not self.tally.tracing:
            return self.material + won
        base = self.pawns.probe(position, self.tally)
        total = i64(self.pawns.slots[base + SCORE])
        total += placement(position, self.tally, WHITE) - placement(position, self.tally, BLACK)
        self.maps.begin(position)
        total += mobility(position, self.maps, self.tally, WHITE)
        total -= mobility(position, self.maps, self.tally, BLACK)
        total += self._side(position, WHITE, base) - self._side(position, BLACK, base)
        if position.side:
            total -= weigh(self.tally, BLACK, TEMPO, 1)
        else:
            total += weigh(self.tally, WHITE, TEMPO, 1)
        value = self._taper(position, total)
        return self.material + won if won != 0 else value

    def _side(self, position: Position, us: int, base: int) -> int:
        """The terms of one side that depend on what both sides attack."""
        span = self.pawns.slots[base + SPAN + (us ^ 1)]
        score = minor_pieces(position, self.maps, self.tally, us, span)
        score += rooks(position, self.maps, self.tally, us)
        score += threats(position, self.maps, self.tally, us)
        score += king_attack(position, self.maps, self.tally, us)
        score += passed_pawns(position, self.maps, self.tally, us, self.pawns.slots[base + PASSERS])
        score += king_flank(position, self.maps, self.tally, us)
        return score + space(position, self.maps, self.tally, us)

    def _count_material(self, position: Position) -> None:
        """Set `material`, White's minus Black's, and `phase`."""
        white = position.by_colour[WHITE]
        black = position.by_colour[BLACK]
        pawns = position.by_type[PAWN]
        light = position.by_type[KNIGHT] | position.by_type[BISHOP]
        white_minors = popcount(white & light)
        black_minors = popcount(black & light)
        white_rooks = popcount(white & position.by_type[ROOK])
        black_rooks = popcount(black & position.by_type[ROOK])
        white_queens = popcount(white & position.by_type[QUEEN])
        black_queens = popcount(black & position.by_type[QUEEN])
        self.material = (
            PAWN_VALUE * (popcount(white & pawns) - popcount(black & pawns))
            + MINOR_VALUE * (white_minors - black_minors)
            + ROOK_VALUE * (white_rooks - black_rooks)
            + QUEEN_VALUE * (white_queens - black_queens)
        )
        phase = white_minors + black_minors + 2 * (white_rooks + black_rooks)
        self.phase = min(phase + 4 * (white_queens + black_queens), FULL_PHASE)

    def _taper(self, position: Position, total: int) -> int:
        """White's centipawns: material added, stages mixed by phase, the endgame by `scale`, set here."""
        middle = i32((total + i64(0x80000000)) >> 32)
        endgame = i32(total - i64(middle) * i64(0x100000000)) + self.material
        self.scale = drawish_scale(position, WHITE if endgame > 0 else BLACK)
        mixed = (middle + self.material) * self.phase * FULL_SCALE
        mixed += endgame * (FULL_PHASE - self.phase) * self.scale
        size = min((mixed if mixed > 0 else -mixed) // (FULL_PHASE * FULL_SCALE), LARGEST)
        return size if mixed > 0 else -size
