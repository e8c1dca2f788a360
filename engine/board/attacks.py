"""Attack tables: leapers by look-up, sliders by magic bitboards or PEXT.

Both number the sets of blockers of a slider, each in its own way: PEXT gathers their bits by one instruction,
the magic multipliers, found once by random search, do the same on any processor.
"""

import cython

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KNIGHT, LAST, SQUARES, bit, i32, lsb, popcount, u64

    KNIGHT_JUMP = 5

KNIGHT_ATTACKS = [0] * 64
KING_ATTACKS = [0] * 64
PAWN_ATTACKS = [0] * 128
BETWEEN = [0] * 4096
LINE = [0] * 4096
ROOK_MASK = [0] * 64
ROOK_SHIFT = [0] * 64
ROOK_BASE = [0] * 64
BISHOP_MASK = [0] * 64
BISHOP_SHIFT = [0] * 64
BISHOP_BASE = [0] * 64
ROOK_REACH = [0] * 64
BISHOP_REACH = [0] * 64
SLIDER_TABLE = [0] * 107648

# fmt: off
ROOK_MAGIC = [
    0x008000201C814000, 0xC200120080410060, 0x9880100020020A80, 0x0100155830010020, 0x26001A0011042008,
    0x0100030008020400, 0x0080010042002080, 0x0480004022800100, 0x000A800080204003, 0x0001401002402000,
    0x0109002004410210, 0x0009808008001000, 0x0001004500080010, 0x0010800200800400, 0x8022002809241200,
    0x1902002208C28904, 0x0218808000204000, 0x0828404010042000, 0x3321010020004019, 0x8001808008049001,
    0x0808818004008800, 0x4011080120043040, 0x9000440088013012, 0x028402000160910C, 0x0000608080004004,
    0x2456500040002000, 0xB400208200160042, 0x0080300280480080, 0x0400880080040080, 0x0081060080800400,
    0x0000B02400022807, 0x580280128000C100, 0x0000204000800482, 0x4050400083802014, 0x8000802002801000,
    0x0040840800801000, 0x11C0480080800400, 0x0100800400800200, 0x9402011004000802, 0x0000040082000041,
    0xA040028220428000, 0x0003054000810020, 0x3810200141030010, 0x00C1080010008080, 0x0C01000800110004,
    0x80020090084A0004, 0x8044080102040050, 0x00000C0980420005, 0x0139008002C12100, 0xD800218601410200,
    0x4000A00810008480, 0x0120120041200A00, 0x88400C0008008080, 0x1400440042008080, 0x3821000A006C0100,
    0x40001410A3014200, 0x4080108605004022, 0x8800804000A1001D, 0x0000C10088200211, 0x902009001000203D,
    0x240A002010842802, 0x1081000804001201, 0xA0041006210800A4, 0x4000010410408066,
]
BISHOP_MAGIC = [
    0x10046004040080B0, 0x80A01404024C4000, 0x03410C2108425000, 0x0044041284002110, 0x18040C2080100000,
    0x8009032010000007, 0x4180820120200200, 0x0022010041042080, 0x0100051004180080, 0x0000200822208022,
    0x00030604091201A0, 0x0020844100205000, 0x5900020A10000000, 0x0500144402403004, 0x5000310110026000,
    0x2008110846026020, 0x0020000820012212, 0x8020080404040058, 0x5001001204010201, 0x0028040401202000,
    0x1004000200A25006, 0x204D018201090100, 0x2000808408882806, 0x0008406132021001, 0x2004400014282800,
    0x800C020410964821, 0x1000880810022860, 0x1205080054044010, 0xA02084000180A002, 0x0082008040482000,
    0x210144049901A802, 0x2001110002004100, 0x0004122900401000, 0x8402012000D00200, 0x1400104800900C80,
    0x0000208021C80200, 0x2001010400920020, 0xA812088100260040, 0x10420A0600205803, 0x0084068200408544,
    0x88010D2010816029, 0x02020D0108006110, 0x000100E110000310, 0x0600020214000200, 0x4001A80100401400,
    0x0204108285040200, 0x0182080504190100, 0x8004288205400A09, 0x0444020617201000, 0x8A00860110020140,
    0x0000830088900880, 0x5000500084040008, 0x4010001010504000, 0xA000502001010005, 0x0208424418061001,
    0x02A8100902610000, 0x141A020084240200, 0x20080A0084150820, 0x20100C0201008800, 0x00040040488C0420,
    0x4304000211020200, 0x0030004102040444, 0x0030081828008410, 0xC08C141004010090,
]
# fmt: on

if not cython.compiled:

    def slider_index(occ: int, mask: int, magic: int, shift: int) -> int:
        """The number of the set of blockers `occ & mask`, different for sets with different attacks."""
        return u64((occ & mask) * magic) >> shift

    def slider_pack(attacks: int, _reach: int) -> int:
        """A slider's attacks as the table keeps them: in a build with PEXT, the bits of its reach alone."""
        return attacks

    def rook_attacks(sq: int, occ: int) -> int:
        """The squares that a rook on `sq` attacks on a board occupied by `occ`, first blockers included."""
        return SLIDER_TABLE[ROOK_BASE[sq] + slider_index(occ, ROOK_MASK[sq], ROOK_MAGIC[sq], ROOK_SHIFT[sq])]

    def bishop_attacks(sq: int, occ: int) -> int:
        """The squares that a bishop on `sq` attacks on a board occupied by `occ`, first blockers included."""
        return SLIDER_TABLE[
            BISHOP_BASE[sq] + slider_index(occ, BISHOP_MASK[sq], BISHOP_MAGIC[sq], BISHOP_SHIFT[sq])
        ]

    def pawn_attacks_of(pawns: int, colour: int) -> int:
        """All squares that `pawns` of a colour attack."""
        ahead = pawns >> 8 if colour else u64(pawns << 8)
        return (ahead & 0xFEFEFEFEFEFEFEFE) >> 1 | (ahead & 0x7F7F7F7F7F7F7F7F) << 1

    def attacks_of(kind: int, pieces: int, occ: int) -> int:
        """All squares that knights, bishops or rooks attack on a board occupied by `occ`."""
        found = 0
        while pieces:
            if kind == KNIGHT:
                found |= KNIGHT_ATTACKS[lsb(pieces)]
            else:
                found |= (
                    bishop_attacks(lsb(pieces), occ) if kind == BISHOP else rook_attacks(lsb(pieces), occ)
                )
            pieces &= pieces - 1
        return found


def _ray(sq: int, df: int, dr: int, occ: int) -> int:
    """The squares from `sq` in one direction, up to and including the first blocker."""
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


def _enter(sq: int, rook: int, mask: int, magic: int, shift: int, base: int, reach: int) -> bool:
    """Enter the attacks for every subset of blockers; False where two with different attacks collide."""
    blockers = u64(0)
    while True:
        i = i32(base + slider_index(blockers, mask, magic, shift))
        packed = slider_pack(_slide(sq, rook, blockers), reach)
        if SLIDER_TABLE[i] != 0 and SLIDER_TABLE[i] != packed:
            return False
        SLIDER_TABLE[i] = packed
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
    """Fill the table of both sliders; False where a magic multiplier collides."""
    base = 0
    for sq in range(SQUARES):
        ROOK_REACH[sq] = _slide(sq, 1, 0)
        mask = ROOK_REACH[sq] & ~_edges(sq)
        ROOK_MASK[sq] = mask
        ROOK_SHIFT[sq] = 64 - popcount(mask)
        ROOK_BASE[sq] = base
        if not _enter(sq, 1, mask, ROOK_MAGIC[sq], ROOK_SHIFT[sq], base, ROOK_REACH[sq]):
            return False
        base += 1 << popcount(mask)
        BISHOP_REACH[sq] = _slide(sq, 0, 0)
        mask = BISHOP_REACH[sq] & ~_edges(sq)
        BISHOP_MASK[sq] = mask
        BISHOP_SHIFT[sq] = 64 - popcount(mask)
        BISHOP_BASE[sq] = base
        if not _enter(sq, 0, mask, BISHOP_MAGIC[sq], BISHOP_SHIFT[sq], base, BISHOP_REACH[sq]):
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


_fill_leapers()
_fill_lines()
if not _fill_sliders():
    raise ImportError("a magic multiplier collides")
