cimport cython
from engine.cache_line cimport CACHE_LINE
from engine.clock cimport read_clock
from engine.search.alphabeta cimport Searcher
from engine.search.constants cimport *
from engine.search.preference cimport preference

cdef enum:
    PAIRS = 4       # in BLOCKS

cdef int BLOCKS[4]

cpdef bint skips(int number, int depth) noexcept nogil

@cython.final
cdef class RootSearch:
    cdef Searcher searcher
    cdef int lines
    cdef int count

    # By root move, in the order in which they were given; long long what _insert compares.
    cdef int moves[256]
    cdef long long preferences[256]
    cdef long long nodes[256]       # in the last depth
    cdef long long scores[256]
    cdef int bounds[256]
    cdef int depths[256]
    cdef int lengths[256]           # of the variations
    cdef int variations[65536]      # root move * 256 + ply

    cdef int ranking[256]           # the root moves, the best so far first
    cdef int candidates[256]        # those from `place` on, in the order of this window

    # The line of a depth, and the window, that are searched.
    cdef int depth, place
    cdef int alpha, beta, width
    cdef int number                 # of root moves searched in the window
    cdef int leader                 # the best root move of the window, -1: none yet
    cdef readonly int best          # its score
    cdef readonly bint announces
    cdef char _after[CACHE_LINE]

    cdef void _begin(self) noexcept nogil
    cpdef help(self, int number)
    cpdef void doubt(self) noexcept nogil
    cpdef void rank_lines(self, int count) noexcept nogil
    cpdef void begin_line(self, int depth, int place) noexcept nogil
    @cython.locals(tells=bint)
    cpdef bint search(self, long long verbose_from)
    cdef bint _search(self, long long verbose_from) noexcept nogil
    cdef void _begin_window(self) noexcept nogil
    @cython.locals(before=cython.longlong, ties=bint)
    cdef bint _examine(self) noexcept nogil
    cdef bint _is_preferred(self, int i) noexcept nogil
    cdef bint _widen(self) noexcept nogil
    cdef void _promote(self, int i) noexcept nogil
    cdef void _rate(self, int i) noexcept nogil
    cdef void _insert(self, int *order, int place, long long *values, int first, int i) noexcept nogil
