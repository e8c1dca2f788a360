cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.movegen cimport MoveStack, generate
from engine.control cimport Control, add_nodes
from engine.search.ordering cimport Ordering
from engine.search.parameters cimport *
from engine.search.techniques cimport Techniques
from engine.search.table cimport EXACT, LOWER, UPPER, Table, entry_bound, entry_depth, entry_move, entry_score, prefetch
from eval.evaluator cimport Evaluator

cdef int REDUCTIONS[4096]       # depth * 64 + move number

@cython.final
cdef class Searcher:
    cdef Position pos
    cdef MoveStack ms
    cdef Table table
    cdef Control control
    cdef readonly Evaluator evaluator
    cdef Ordering ordering
    cdef Techniques use
    cdef readonly long long nodes
    cdef long long _node_limit, _next_poll, _poll_interval, _counted
    cdef bint _shares_limit
    cdef readonly int seldepth
    cdef readonly bint unwinding
    cdef int _root_depth
    cdef int excluded[256]
    cdef int pv_length[256]
    cdef int pv[65536]          # ply * 256 + ply of the move

    cdef int _examine(self, int move, int alpha, int beta, int depth)
    @cython.locals(pv=bint, quiet=bint)
    cdef int search(self, int alpha, int beta, int depth, int ply, int start) noexcept nogil
    cdef int quiesce(self, int alpha, int beta, int ply, int start) noexcept nogil
    cdef bint _enter(self, int ply) noexcept nogil
    cdef void _poll(self) noexcept nogil
    cdef bint _is_draw(self, int ply, int start) noexcept nogil
    cdef bint _passing_suffices(self, int beta, int depth, int ply, int start) noexcept nogil
    cdef bint _is_singular(self, int move, U64 entry, int depth, int ply, int start) noexcept nogil
    cdef int _reduction(self, int move, int number, int depth, int ply, bint pv, bint quiet) noexcept nogil
    cdef void _extend_line(self, int ply, int move) noexcept nogil
    cdef int _to_table(self, int score, int ply) noexcept nogil
    cdef int _from_table(self, int score, int ply) noexcept nogil
