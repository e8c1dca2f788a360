cimport cython
from engine.board.movegen cimport MoveStack
from engine.system.portable cimport CACHE_LINE
from engine.system.control cimport read_clock
from engine.search.alphabeta cimport Searcher
from engine.search.constants cimport *
from engine.search.ordering cimport preference

cdef enum:
    PAIRS = 4       # in BLOCKS

cdef int BLOCKS[4]

cpdef bint skips(int number, int depth) noexcept nogil

@cython.final
cdef class RootSearch:
    cdef readonly Searcher searcher
    cdef readonly int lines
    cdef int count

    # By root move, in the order given; `long long` where `_insert` sorts by them.
    cdef int moves[256]
    cdef long long preferences[256]
    cdef long long nodes[256]       # in the last depth
    cdef long long scores[256]
    cdef int bounds[256]
    cdef int depths[256]
    cdef int lengths[256]           # of the variations
    cdef unsigned short variations[65536]   # root move * 256 + ply

    cdef int ranking[256]           # the root moves, the best so far first
    cdef int candidates[256]        # those from `place` on, in the order of this window

    # The line of a depth, and the window, that are searched.
    cdef int depth, place
    cdef int alpha, beta, width
    cdef int mean_score             # of the first line, over the last depths
    cdef int ceiling                # what the scores of the moves from `place` on do not exceed in this depth
    cdef int number                 # of root moves searched in the window
    cdef int leader                 # the best root move of the window
    cdef int best_score
    cdef readonly bint announced    # whether the next root move has been told
    cdef char _after[CACHE_LINE]

    cdef void take(self, MoveStack stack, int count) noexcept nogil
    cdef void _order(self) noexcept nogil
    cpdef help(self, int number)
    cpdef void finish_cut_short(self) noexcept nogil
    cpdef void rank_lines(self, int count) noexcept nogil
    cpdef void start_line(self, int depth, int place) noexcept nogil
    @cython.locals(tells=bint)
    cpdef bint search(self, long long verbose_from)
    cdef bint _search(self, long long verbose_from) noexcept nogil
    cdef void _open_window(self) noexcept nogil
    @cython.locals(before=cython.longlong, ties=bint)
    cdef bint _search_next(self) noexcept nogil
    @cython.locals(found=int)
    cdef bint _widen(self) noexcept nogil
    cdef void _move_to_front(self, int i) noexcept nogil
    cdef void _set_score(self, int i) noexcept nogil
    cdef void _insert(self, int *order, int place, long long *values, int first, int i) noexcept nogil
