cimport cython
from engine.system.bits cimport *
from engine.system.control cimport Control
from engine.system.portable cimport atomic_load, atomic_store
from engine.games.rules.game cimport *
from engine.games.rules.othello cimport PASS, Othello
from engine.games.rules.othello_lines cimport captures, legal_moves
from engine.games.rules.othello_patterns cimport DISC, MOST, OthelloPatterns
from engine.games.fast.othello_endgame cimport OthelloEndgame

cdef enum:
    ROOM = 40           # for the moves of one ply: no position has so many; times 64 plies
    WORDS = 4           # of an entry: both sides' discs; bounds, depth, move and age
    INFINITE = 10000    # more than any value
    NO_MOVE = 65
    WHOLE = 62          # for a depth: to the end of the game
    SURE = 61           # the same, with ProbCut and much confidence
    PROBABLE = 60       # and with little
    SQUARES = 64

cdef long long _ENDLESS
cdef int _LOOK_EVERY, _LAST, _TABLE_DEPTH, _PROBCUT_DEPTH, _REPLIES, _SURE, _PARTS, _MOST_PART, _TABLES
cdef U64 _ALL, _CORNERS, _NEAR_CORNERS

@cython.final
cdef class OthelloSearch:
    cdef OthelloPatterns _patterns
    cdef OthelloEndgame _endgame
    cdef object _memory
    cdef U64[::1] _slots
    cdef U64 _entries
    cdef Control _control
    cdef long long _nodes, _most_nodes, _next_look
    cdef bint _ended
    cdef int _age, _foretelling, _confidence
    cdef readonly int move, found
    cdef signed char _best[64]
    cdef signed char _at[2560]
    cdef int _by[2560]
    cdef U64 _turned[2560]
    cdef int _error[4096]

    @cython.locals(own=U64, others=U64)
    cdef int _ask(self, Othello state, int depth, int alpha, int beta) except? -32000
    cdef int _from_root(self, U64 own, U64 others, int alpha, int beta, int depth) noexcept nogil
    @cython.locals(empty=int, legal=U64)
    cdef int _value(self, U64 own, U64 others, int alpha, int beta, int depth, int ply) noexcept nogil
    cdef int _passed(self, U64 own, U64 others, int alpha, int beta, int depth, int ply) noexcept nogil
    @cython.locals(low=int, high=int, value=int)
    cdef int _solved(self, U64 own, U64 others, int alpha, int beta) noexcept nogil
    @cython.locals(best=int, kind=int, found=int, left=U64, placed=U64, turned=U64)
    cdef int _shallow(
        self, U64 own, U64 others, U64 legal, int alpha, int beta, int depth, int ply
    ) noexcept nogil
    @cython.locals(
        empty=int, grade=int, lower=int, upper=int, first=int, place=Py_ssize_t, known=U64, low=int, high=int,
        cut=int, count=int, best=int
    )
    cdef int _remembered(
        self, U64 own, U64 others, U64 legal, int alpha, int beta, int depth, int ply
    ) noexcept nogil
    @cython.locals(empty=int, place=Py_ssize_t, least=int)
    cdef int _transposed(self, U64 own, U64 others, int count, int beta, int depth, int ply) noexcept nogil
    cdef int _grade(self, int depth, int empty) noexcept nogil
    @cython.locals(place=Py_ssize_t)
    cdef int _first_move(self, U64 own, U64 others, int alpha, int beta, int depth, int ply) noexcept nogil
    @cython.locals(foretelling=int, margin=int, value=int, cut=int, found=int)
    cdef int _probcut(
        self, U64 own, U64 others, int alpha, int beta, int depth, int empty, int ply
    ) noexcept nogil
    @cython.locals(child=U64, mine=U64, i=int, best=int, found=int)
    cdef int _search(
        self, U64 own, U64 others, int count, int alpha, int beta, int depth, int ply
    ) noexcept nogil
    @cython.locals(start=int, count=int, move=int, placed=U64, turned=U64, worth=int, at=int)
    cdef int _list(
        self, U64 own, U64 others, U64 legal, int first, int depth, int empty, int ply
    ) noexcept nogil
    @cython.locals(worth=int)
    cdef int _worth(self, U64 own, U64 others, bint to_the_end) noexcept nogil
    @cython.locals(place=Py_ssize_t)
    cdef Py_ssize_t _find(self, U64 own, U64 others) noexcept nogil
    @cython.locals(place=Py_ssize_t, known=U64, lower=int, upper=int, same=bint)
    cdef void _keep(
        self, U64 own, U64 others, int grade, int alpha, int beta, int value, int move
    ) noexcept nogil
    @cython.locals(place=Py_ssize_t)
    cpdef int _remembered_move(self, U64 own, U64 others) noexcept nogil
    @cython.locals(mixed=U64)
    cdef Py_ssize_t _place(self, U64 own, U64 others) noexcept nogil
    cdef bint _must_end(self) noexcept nogil

cpdef int foretelling_depth(int depth) noexcept nogil

cdef inline void count_node(OthelloSearch search) noexcept nogil:
    atomic_store(&search._nodes, search._nodes + 1)

cdef inline long long read_nodes(OthelloSearch search) noexcept nogil:
    return atomic_load(&search._nodes)
