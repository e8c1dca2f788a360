cimport cython
from libc.stdint cimport uint16_t, uint64_t
from engine.board.bitboard cimport BISHOP, KNIGHT, LAST, SQUARES, U64, bit, i32, lsb, popcount, u64

cdef enum:
    KNIGHT_JUMP = 5     # the square of its length, in squares

cdef U64 KNIGHT_ATTACKS[64]
cdef U64 KING_ATTACKS[64]
cdef U64 PAWN_ATTACKS[128]      # colour * 64 + square
cdef U64 BETWEEN[4096]          # from * 64 + to
cdef U64 LINE[4096]
cdef U64 ROOK_MASK[64]
cdef U64 ROOK_MAGIC[64]
cdef int ROOK_SHIFT[64]
cdef int ROOK_BASE[64]
cdef U64 BISHOP_MASK[64]
cdef U64 BISHOP_MAGIC[64]
cdef int BISHOP_SHIFT[64]
cdef int BISHOP_BASE[64]
cdef U64 ROOK_REACH[64]         # attacks on the empty board
cdef U64 BISHOP_REACH[64]

# setup.py defines LOLLI_PEXT where the processor has a fast one; the plain twin has the magics alone.
cdef extern from *:
    """
    #ifdef LOLLI_PEXT
    #include <immintrin.h>
    #define LOLLI_SLIDER_INDEX(occ, mask, magic, shift) _pext_u64(occ, mask)
    #define LOLLI_SLIDER_PACK(attacks, reach) ((uint16_t)_pext_u64(attacks, reach))
    #define LOLLI_SLIDER_UNPACK(packed, reach) _pdep_u64(packed, reach)
    typedef uint16_t LOLLI_SLIDER;
    #else
    #define LOLLI_SLIDER_INDEX(occ, mask, magic, shift) ((((occ) & (mask)) * (magic)) >> (shift))
    #define LOLLI_SLIDER_PACK(attacks, reach) (attacks)
    #define LOLLI_SLIDER_UNPACK(packed, reach) (packed)
    typedef uint64_t LOLLI_SLIDER;
    #endif
    """
    ctypedef unsigned long long Slider "LOLLI_SLIDER"
    U64 slider_index "LOLLI_SLIDER_INDEX"(U64 occ, U64 mask, U64 magic, int shift) noexcept nogil
    Slider slider_pack "LOLLI_SLIDER_PACK"(U64 attacks, U64 reach) noexcept nogil
    U64 slider_unpack "LOLLI_SLIDER_UNPACK"(Slider packed, U64 reach) noexcept nogil

cdef Slider SLIDER_TABLE[107648]

cdef inline U64 rook_attacks(int sq, U64 occ) noexcept nogil:
    return slider_unpack(
        SLIDER_TABLE[ROOK_BASE[sq] + slider_index(occ, ROOK_MASK[sq], ROOK_MAGIC[sq], ROOK_SHIFT[sq])], ROOK_REACH[sq]
    )

cdef inline U64 bishop_attacks(int sq, U64 occ) noexcept nogil:
    return slider_unpack(
        SLIDER_TABLE[BISHOP_BASE[sq] + slider_index(occ, BISHOP_MASK[sq], BISHOP_MAGIC[sq], BISHOP_SHIFT[sq])],
        BISHOP_REACH[sq],
    )

cdef inline U64 pawn_attacks_of(U64 pawns, int colour) noexcept nogil:
    cdef U64 ahead = pawns >> 8 if colour else pawns << 8
    return (ahead & 0xFEFEFEFEFEFEFEFEULL) >> 1 | (ahead & 0x7F7F7F7F7F7F7F7FULL) << 1

cdef inline U64 attacks_of(int kind, U64 pieces, U64 occ) noexcept nogil:
    cdef U64 found = 0
    while pieces:
        if kind == KNIGHT:
            found |= KNIGHT_ATTACKS[lsb(pieces)]
        else:
            found |= bishop_attacks(lsb(pieces), occ) if kind == BISHOP else rook_attacks(lsb(pieces), occ)
        pieces &= pieces - 1
    return found

cdef U64 _ray(int sq, int df, int dr, U64 occ) noexcept nogil
cdef U64 _slide(int sq, bint rook, U64 occ) noexcept nogil
cdef U64 _edges(int sq) noexcept nogil
@cython.locals(packed=Slider)
cdef bint _enter(int sq, bint rook, U64 mask, U64 magic, int shift, int base, U64 reach) noexcept nogil
cdef void _fill_leapers() noexcept nogil
cdef bint _fill_sliders() noexcept nogil
cdef void _fill_lines() noexcept nogil
