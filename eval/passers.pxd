from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.features cimport *
from eval.masks cimport *
from eval.reach cimport Reach
from eval.tally cimport Tally, weigh

cdef long long passers(Position position, Reach reach, Tally tally, int us, U64 passed) noexcept nogil
cdef bint _outruns(Position position, Reach reach, int us, int sq) noexcept nogil
