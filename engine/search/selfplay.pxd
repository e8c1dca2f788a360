cimport cython
from engine.board.bitboard cimport *
from engine.board.move cimport is_quiet
from engine.board.movegen cimport MoveStack, generate
from engine.board.position cimport Position
from engine.search.alphabeta cimport Searcher
from engine.search.constants cimport *
from engine.search.root_search cimport RootSearch
from eval.evaluator cimport Evaluator

cdef enum:
    NODES_PER_LOOK = 64     # at the clock

@cython.final
cdef class SelfPlayer:
    cdef readonly Searcher searcher
    cdef RootSearch root
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

    cpdef int play_against(self, SelfPlayer black, Position start)
    cdef int _play(self, SelfPlayer black) noexcept nogil
    cdef bint _is_over(self, int count) noexcept nogil
    cdef bint _is_decided(self, int wins, int losses, int quiet, int ply) noexcept nogil
    cdef void _advance(self, int move) noexcept nogil
    cdef void _think(self, int count) noexcept nogil

@cython.final
cdef class Teacher(Evaluator):
    cdef SelfPlayer player
