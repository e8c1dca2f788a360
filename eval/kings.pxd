from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.features cimport *
from eval.masks cimport *
from eval.reach cimport Reach
from eval.tally cimport Tally, weigh

cdef long long assault(Position position, Reach reach, Tally tally, int us) noexcept nogil
cdef long long surroundings(Position position, Reach reach, Tally tally, int us) noexcept nogil
