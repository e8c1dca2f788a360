from engine.board.bitboard cimport *
from engine.board.attacks cimport *
from engine.board.move cimport *
from engine.board.position cimport Position
from engine.search.parameters cimport Parameters

cpdef bint exchange_at_least(Position pos, int move, int threshold, Parameters parameters) noexcept nogil
