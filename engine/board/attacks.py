"""Attack tables: leapers by look-up, sliders by magic bitboards."""

import cython

from engine.board.magics import BISHOP_MAGICS, ROOK_MAGICS

if not cython.compiled:
    from engine.board.bitboard import LAST, SQUARES, bit, i32, popcount, u64

    KNIGHT_JUMP = 5

KNIGHT_ATTACKS = [0] * 64
KING_ATTACKS = [0] * 64
PAWN_ATTACKS = [0] * 128
BETWEEN = [0] * 4096
LINE = [0] * 4096
ROOK_MASK = [0] * 64
ROOK_MAGIC = [0] * 64
ROOK_SHIFT = [0] * 64
ROOK_BASE = [0] * 64
BISHOP_MASK = [0] * 64
BISHOP_MAGIC = [0] * 64
BISHOP_SHIFT = [0] * 64
BISHOP_BASE = [0] * 64
SLIDER_TABLE = [0] * 107648

if not cython.compiled:

    def rook_attacks(sq: int, occ: int) -> int:
        """What a rook on `sq` attacks, given the occupied squares, the first blockers included."""
        return SLIDER_TABLE[ROOK_BASE[sq] + (u64((occ & ROOK_MASK[sq]) * ROOK_MAGIC[sq]) >> ROOK_SHIFT[sq])]

    def bishop_attacks(sq: int, occ: int) -> int:
        """What a bishop on `sq` attacks, given the occupied squares, the first blockers included."""
        return SLIDER_TABLE[
            BISHOP_BASE[sq] + (u64((occ & BISHOP_MASK[sq]) * BISHOP_MAGIC[sq]) >> BISHOP_SHIFT[sq])
        ]

    def pawn_attacks_of(pawns: int, colour: int) -> int:
        """All squares that the pawns of a side attack."""
        ahead = pawns >> 8 if colour else u64(pawns << 8)
        return (ahead & 0xFEFEFEFEFEFEFEFE) >> 1 | (ahead & 0x7F7F7F7F7F7F7F7F) << 1


def _ray(sq: int, df: int, dr: int, occ: int) -> int:
    """Squares reached from `sq` in one direction, up to and including a blocker."""
    result = u64(0)
    f = (sq & 7) + df
    r = (sq >> 3) + dr
    while 0 <= f <= LAST and 0 <= r <= LAST:
        b = bit(r * 8 + f)
        result |= b
        if occ & b:
            break
        f += df
        r += dr
    return result


def _slide(sq: int, rook: int, occ: int) -> int:
    if rook:
        return _ray(sq, 1, 0, occ) | _ray(sq, -1, 0, occ) | _ray(sq, 0, 1, occ) | _ray(sq, 0, -1, occ)
    return _ray(sq, 1, 1, occ) | _ray(sq, -1, 1, occ) | _ray(sq, 1, -1, occ) | _ray(sq, -1, -1, occ)


def _edges(sq: int) -> int:
    """The board's rim, less the rank and file that `sq` itself stands on."""
    result = u64(0)
    for s in range(SQUARES):
        if (s & 7 in (0, LAST) and s & 7 != sq & 7) or (s >> 3 in (0, LAST) and s >> 3 != sq >> 3):
            result |= bit(s)
    return result


def _enter(sq: int, rook: int, mask: int, magic: int, shift: int, base: int) -> bool:
    """Enter every subset of blockers; False where two of them collide with different attacks."""
    blockers = u64(0)
    while True:
        i = i32(base + (u64(blockers * magic) >> shift))
        attacks = _slide(sq, rook, blockers)
        if SLIDER_TABLE[i] != 0 and SLIDER_TABLE[i] != attacks:
            return False
        SLIDER_TABLE[i] = attacks
        blockers = u64(blockers - mask) & mask
        if blockers == 0:
            return True


def _fill_leapers() -> None:
    for sq in range(SQUARES):
        for df in range(-2, 3):
            for dr in range(-2, 3):
                f = (sq & 7) + df
                r = (sq >> 3) + dr
                if not (0 <= f <= LAST and 0 <= r <= LAST):
                    continue
                target = bit(r * 8 + f)
                if df * df + dr * dr == KNIGHT_JUMP:
                    KNIGHT_ATTACKS[sq] |= target
                elif df * df <= 1 and dr * dr <= 1 and (df != 0 or dr != 0):
                    KING_ATTACKS[sq] |= target
                if df * df == 1 and dr == 1:
                    PAWN_ATTACKS[sq] |= target
                if df * df == 1 and dr == -1:
                    PAWN_ATTACKS[64 + sq] |= target


def _fill_sliders() -> bool:
    """Fill the table of both sliders by ROOK_MAGIC and BISHOP_MAGIC; False where a magic collides."""
    base = 0
    for sq in range(SQUARES):
        mask = _slide(sq, 1, 0) & ~_edges(sq)
        ROOK_MASK[sq] = mask
        ROOK_SHIFT[sq] = 64 - popcount(mask)
        ROOK_BASE[sq] = base
        if not _enter(sq, 1, mask, ROOK_MAGIC[sq], ROOK_SHIFT[sq], base):
            return False
        base += 1 << popcount(mask)
        mask = _slide(sq, 0, 0) & ~_edges(sq)
        BISHOP_MASK[sq] = mask
        BISHOP_SHIFT[sq] = 64 - popcount(mask)
        BISHOP_BASE[sq] = base
        if not _enter(sq, 0, mask, BISHOP_MAGIC[sq], BISHOP_SHIFT[sq], base):
            return False
        base += 1 << popcount(mask)
    return True


def _fill_lines() -> None:
    """BETWEEN: squares strictly between two on one line; LINE: the whole line through both."""
    for sq in range(SQUARES):
        for to in range(SQUARES):
            both = bit(sq) | bit(to)
            for rook in range(2):
                if sq != to and _slide(sq, rook, 0) & bit(to):
                    BETWEEN[sq * 64 + to] = _slide(sq, rook, bit(to)) & _slide(to, rook, bit(sq))
                    LINE[sq * 64 + to] = (_slide(sq, rook, 0) & _slide(to, rook, 0)) | both


def _load_magics() -> None:
    for sq in range(SQUARES):
        ROOK_MAGIC[sq] = ROOK_MAGICS[sq]
        BISHOP_MAGIC[sq] = BISHOP_MAGICS[sq]


_fill_leapers()
_fill_lines()
_load_magics()
if not _fill_sliders():
    raise ImportError("a magic multiplier of engine.board.magics collides")
