cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.system.portable cimport CACHE_LINE
from eval.features cimport *
from eval.masks cimport *
from eval.tally cimport Tally, weigh

@cython.final
cdef class AttackMaps:
    cdef U64 attacked[2]
    cdef U64 twice[2]
    cdef U64 by[16]
    cdef U64 area[2]
    cdef int king[2]
    cdef char _after[CACHE_LINE]

    cdef void begin(self, Position position) noexcept nogil
    cdef void enter(self, int us, int kind, U64 attacks) noexcept nogil

cdef long long placement(Position position, Tally tally, int us) noexcept nogil
cdef long long mobility(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long minor_pieces(Position position, AttackMaps maps, Tally tally, int us, U64 span) noexcept nogil
cdef long long rooks(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long threats(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long king_attack(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long king_flank(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long space(Position position, AttackMaps maps, Tally tally, int us) noexcept nogil
cdef long long passed_pawns(Position position, AttackMaps maps, Tally tally, int us, U64 passed) noexcept nogil
cdef U64 _attacks(Position position, int kind, int sq) noexcept nogil
cdef long long _weigh_mobility(Tally tally, int us, int kind, int count) noexcept nogil
cdef long long _victims(Position position, AttackMaps maps, Tally tally, int us, int index, U64 attacked) noexcept nogil
cdef bint _outruns(Position position, AttackMaps maps, int us, int sq) noexcept nogil
