cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport is_quiet
from engine.board.movegen cimport MoveStack, generate
from engine.board.position cimport Position
from engine.search.alphabeta cimport Searcher
from engine.search.constants cimport *
from engine.search.preference cimport preference

cdef enum:
    NODES_PER_LOOK = 64     # at the clock

@cython.final
cdef class SelfPlayer:
    cdef readonly Searcher searcher
    cdef MoveStack stack
    cdef long long soft_nodes, hard_nodes
    cdef public long long thread_time
    cdef int level_score, won_score, won_plies, drawn_score, drawn_plies, drawn_from, longest
    cdef readonly object moves, scores
    cdef unsigned short[::1] _move_at
    cdef short[::1] _score_at
    cdef readonly long long searched_nodes, searches
    cdef readonly int result, ending_number
    cdef int best, score

    # By root move, in the order in which they were generated.
    cdef int root_moves[256]
    cdef int root_preferences[256]
    cdef int root_nodes[256]        # in the last depth
    cdef int ranking[256]           # the root moves, best first
    cdef int candidates[256]        # the same in the order of this depth

    cpdef int play_against(self, SelfPlayer black, Position start)
    cdef int _play(self, SelfPlayer black) noexcept nogil
    cdef bint _is_over(self, int count) noexcept nogil
    cdef bint _is_decided(self, int wins, int losses, int quiet, int ply) noexcept nogil
    cdef void _advance(self, int move) noexcept nogil
    cdef void _think(self, int count) noexcept nogil
    cdef int _search_depth(self, int count, int depth) noexcept nogil
    @cython.locals(before=cython.longlong, ties=bint)
    cdef int _search_moves(self, int count, int depth, int alpha, int beta) noexcept nogil
    cdef void _insert(self, int *order, int place, int *worths, int first, int i) noexcept nogil
    cdef void _promote(self, int i) noexcept nogil
