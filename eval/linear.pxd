cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.zobrist cimport PIECE_KEYS
from engine.system.portable cimport CACHE_LINE
from eval.endings cimport FULL_SCALE, drawish_scale, won_ending
from eval.evaluator cimport Evaluator
from eval.features cimport *
from eval.features cimport WEIGHTS
from eval.masks cimport *
from eval.material cimport MINOR_VALUE, PAWN_VALUE, QUEEN_VALUE, ROOK_VALUE, worth

cdef enum:
    ENTRY_MASK = 8191       # eight slots to an entry
    SCORE = 1               # places in an entry; 0 is the key
    PASSERS = 2
    SPAN = 3                # White's, then Black's
    KINGS_RACE_RANK = 3     # from here on a passed pawn's distance from both kings counts
    FULL_PHASE = 24
    LARGEST = 20000
    MEMORY_MASK = 4095

@cython.final
cdef class Tally:
    cdef long long weights[WEIGHTS]
    cdef int counts[2 * WEIGHTS]  # colour * WEIGHTS + index
    cdef public bint tracing

    cdef void clear(self) noexcept nogil

cdef inline long long weigh(Tally tally, int colour, int index, int count) noexcept nogil:
    if tally.tracing:
        tally.counts[colour * WEIGHTS + index] += count
    return tally.weights[index] * count

@cython.final
cdef class Pawns:
    cdef U64 slots[65536]
    cdef char _after[CACHE_LINE]

    cdef int probe(self, Position position, Tally tally) noexcept nogil
    cdef long long _evaluate_side(self, Position position, Tally tally, int us, int base) noexcept nogil
    cdef long long _structure(self, Position position, Tally tally, int us, int sq, bint passed) noexcept nogil
    cdef long long _king(self, Position position, Tally tally, int us) noexcept nogil

cdef int _nearest_rank(U64 pawns, int us) noexcept nogil

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

@cython.final
cdef class Linear(Evaluator):
    cdef Tally tally
    cdef readonly Pawns pawns
    cdef readonly AttackMaps maps
    cdef object weights
    cdef U64 memory[4096]
    cdef int material, phase, scale
    cdef bint known
    cdef char _after[CACHE_LINE]

    cdef int _white_value(self, Position position) noexcept nogil
    cdef long long _side(self, Position position, int us, int base) noexcept nogil
    cdef void _count_material(self, Position position) noexcept nogil
    cdef int _taper(self, Position position, long long total) noexcept nogil
