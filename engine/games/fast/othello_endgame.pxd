cimport cython
from engine.system.bits cimport *
from engine.system.control cimport Control
from engine.system.portable cimport atomic_load, atomic_store
from engine.games.rules.game cimport *
from engine.games.rules.othello cimport Othello, stable_discs
from engine.games.rules.othello_lines cimport captures, legal_moves

cdef enum:
    FEW = 7             # empty squares, from which on no table is asked
    ROOM = 40           # for the moves of one ply: no position has so many; times 64 plies
    WORDS = 4           # of an entry: both sides' discs, bounds and move
    WORST = -100        # less than any score

cdef int _NO_MOVE
cdef long long _ENDLESS
cdef int _LOOK_EVERY, _TRANSPOSED
cdef U64 _CORNERS, _USUAL, _QUARTER

@cython.final
cdef class OthelloEndgame:
    cdef object _memory
    cdef U64[::1] _slots
    cdef U64 _entries
    cdef Control _control
    cdef long long _nodes, _most_nodes, _next_look
    cdef bint _ended
    cdef U64 _board
    cdef signed char _best[64]
    cdef signed char _at[2560]
    cdef int _by[2560]
    cdef U64 _turned[2560]

    @cython.locals(place=Py_ssize_t)
    cpdef void clear(self)
    cpdef void begin_until(self, long long deadline)
    cdef int solve(self, U64 own, U64 others, int alpha, int beta, long long most_nodes) noexcept nogil
    cdef bint was_ended(self) noexcept nogil
    cdef long long counted(self) noexcept nogil
    @cython.locals(own=U64, others=U64)
    cdef int _ask(self, Othello state, int alpha, int beta) except? -100
    @cython.locals(empty=U64, legal=U64, most=int)
    cdef int _value(self, U64 own, U64 others, int alpha, int beta, int ply) noexcept nogil
    @cython.locals(known=U64, place=Py_ssize_t, lower=int, upper=int, first=int)
    cdef int _remembered(self, U64 own, U64 others, U64 legal, int alpha, int beta, int ply) noexcept nogil
    @cython.locals(child=U64, mine=U64, place=Py_ssize_t, least=int)
    cdef int _transposed(self, U64 own, U64 others, int count, int beta, int ply) noexcept nogil
    @cython.locals(child=U64, mine=U64, i=int, best=int, found=int)
    cdef int _search(self, U64 own, U64 others, int count, int alpha, int beta, int ply) noexcept nogil
    @cython.locals(odd=U64, left=U64, later=U64, placed=U64, turned=U64, rest=U64, found=int, best=int)
    cdef int _finish(self, U64 own, U64 others, U64 empty, int alpha, int beta, bint passed) noexcept nogil
    @cython.locals(odd=U64, placed=U64, turned=U64, replies=U64, worth=int)
    cdef int _list(self, U64 own, U64 others, U64 legal, int first, int ply) noexcept nogil
    @cython.locals(odd=U64, quarter=U64, shift=int, below=int)
    cdef U64 _odd_quarters(self, U64 empty) noexcept nogil
    @cython.locals(mixed=U64)
    cdef Py_ssize_t _place(self, U64 own, U64 others) noexcept nogil
    cdef bint _must_end(self) noexcept nogil

cdef inline void count_node(OthelloEndgame solver) noexcept nogil:
    atomic_store(&solver._nodes, solver._nodes + 1)

cdef inline long long read_nodes(OthelloEndgame solver) noexcept nogil:
    return atomic_load(&solver._nodes)
