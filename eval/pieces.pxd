from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.features cimport *
from eval.masks cimport *
from eval.reach cimport Reach
from eval.tally cimport Tally, weigh

cdef long long placement(Position position, Tally tally, int us) noexcept nogil
cdef long long activity(Position position, Reach reach, Tally tally, int us) noexcept nogil
cdef long long minors(Position position, Reach reach, Tally tally, int us, U64 span) noexcept nogil
cdef long long rooks(Position position, Reach reach, Tally tally, int us) noexcept nogil
cdef U64 _attacks(Position position, int kind, int sq) noexcept nogil
cdef long long _mobility(Tally tally, int us, int kind, int count) noexcept nogil
