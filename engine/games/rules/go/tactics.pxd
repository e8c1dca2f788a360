cimport cython
from engine.games.rules.compiled_state cimport Moves
from engine.games.rules.go.board cimport *
from engine.games.rules.game cimport *

cdef int SEVERAL
cdef unsigned char SHAPES[65536]  # by the eight neighbours: whether there is a pattern around the point

cdef class GoTactics(GoBoard):
    cdef bint is_eye(self, int p, int colour) noexcept nogil
    cdef bint is_true_eye(self, int p, int colour) noexcept nogil
    cdef int _strings_around(self, int p, int colour) noexcept nogil
    @cython.locals(found=cython.bint)
    cdef bint _all_reach(self, int p, int q) noexcept nogil
    cdef int liberties_after(self, int p, int colour) noexcept nogil
    cdef bint throws_away(self, int p, int colour) noexcept nogil
    cdef int _other_liberty(self, int p, int head) noexcept nogil
    cdef int stones_in_atari(self, int p, int colour) noexcept nogil
    cdef int distance(self, int p, int q) noexcept nogil
    cdef int height(self, int p) noexcept nogil
    cdef bint is_deserted(self, int p) noexcept nogil
