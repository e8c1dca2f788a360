from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from eval.features cimport *
from eval.masks cimport *
from eval.reach cimport Reach
from eval.tally cimport Tally, weigh

cdef long long threats(Position position, Reach reach, Tally tally, int us) noexcept nogil
cdef long long _victims(Position position, Reach reach, Tally tally, int us, int index, U64 attacked) noexcept nogil
