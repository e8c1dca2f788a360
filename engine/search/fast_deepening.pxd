cimport cython
from engine.cache_line cimport CACHE_LINE
from engine.search.alphabeta cimport Searcher
from engine.search.constants cimport *
from engine.search.preference cimport preference

cdef int BLOCKS[4]

cpdef bint skips(int number, int depth) noexcept nogil

@cython.final
cdef class FastDeepening:
    cdef char _before[CACHE_LINE]   # away from the reference count, which other threads write
    cdef Searcher searcher
    cdef int score, bound, depth
    cdef int length
    cdef int line[256]

    # By root move, in the order in which they were given.
    cdef int count
    cdef int moves[256]
    cdef long long preferences[256]
    cdef long long nodes[256]       # in the last depth
    cdef int ranking[256]           # the root moves, best first
    cdef int candidates[256]        # the same in the order of this depth
    cdef char _after[CACHE_LINE]

    cpdef help(self, moves, int number)
    cdef void _begin(self) noexcept nogil
    cdef void _run(self, int number) noexcept nogil
    cdef void _doubt(self, int depth) noexcept nogil
    @cython.locals(windows=bint)
    cdef void _search_depth(self, int depth) noexcept nogil
    @cython.locals(before=cython.longlong, ties=bint)
    cdef int _search_moves(self, int depth, int alpha, int beta) noexcept nogil
    cdef void _insert(self, int *order, int place, long long *worths, int first, int i) noexcept nogil
    cdef void _promote(self, int i) noexcept nogil
