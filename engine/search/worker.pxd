cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.movegen cimport MoveStack, generate
from engine.control cimport RELAXED, Control, add_nodes, atomic_load, atomic_store
from engine.search.constants cimport *
from engine.search.correction cimport Correction
from engine.search.ordering cimport Ordering
from engine.search.parameters cimport Parameters
from engine.search.picker cimport Picker
from engine.search.table cimport Table, entry_bound, entry_static
from eval.evaluator cimport Evaluator

cdef class Worker:
    cdef Position pos
    cdef MoveStack ms
    cdef Table table
    cdef Control control
    cdef readonly Evaluator evaluator
    cdef Ordering ordering
    cdef Picker picker
    cdef Correction correction
    cdef Parameters parameters
    cdef long long _nodes, _node_limit, _next_poll, _poll_interval, _counted
    cdef bint _shares_limit
    cdef readonly int seldepth
    cdef readonly bint unwinding
    cdef int _root_depth
    cdef int pv_length[256]
    cdef int pv[65536]          # ply * 256 + ply of the move

    @cython.final
    cdef void _start(self, long long node_limit, int threads) noexcept nogil
    @cython.final
    cdef bint _enter(self, int ply) noexcept nogil
    @cython.final
    cdef void _poll(self) noexcept nogil
    @cython.final
    cdef bint _is_draw(self, int ply, int start) noexcept nogil
    @cython.final
    cdef int _static_value(self, U64 entry) noexcept nogil
    @cython.final
    cdef int _corrected(self, int static) noexcept nogil
    @cython.final
    cdef int _table_adjusted(self, int static, U64 entry, int known) noexcept nogil
    @cython.final
    cdef bint _table_cutoff(self, U64 entry, int known, int beta) noexcept nogil
    @cython.final
    cdef void _update_pv(self, int ply, int move) noexcept nogil
    @cython.final
    cdef int _to_table(self, int score, int ply) noexcept nogil
    @cython.final
    cdef int _from_table(self, int score, int ply) noexcept nogil

cdef inline void count_node(Worker worker) noexcept nogil:
    atomic_store(&worker._nodes, worker._nodes + 1, RELAXED)

cdef inline long long read_nodes(Worker worker) noexcept nogil:
    return atomic_load(&worker._nodes, RELAXED)
