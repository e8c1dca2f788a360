cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport is_en_passant, is_promotion, target
from engine.board.movegen cimport generate
from engine.search.constants cimport *
from engine.search.table cimport entry_move, entry_principal, entry_score
from engine.search.worker cimport Worker

cdef class Quiescence(Worker):
    @cython.final
    @cython.locals(remembers=bint, principal=bint)
    cdef int quiesce(self, int alpha, int beta, int ply, int start) noexcept nogil
