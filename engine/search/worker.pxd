cimport cython
from engine.board.bitboard cimport *
from engine.board.position cimport Position
from engine.board.move cimport NO_MOVE
from engine.board.movegen cimport MoveStack, generate
from engine.system.portable cimport CACHE_LINE
from engine.system.control cimport Control, add_nodes
from engine.system.portable cimport atomic_load, atomic_store
from engine.search.constants cimport *
from engine.search.correction cimport Correction
from engine.search.ordering cimport Ordering
from engine.search.parameters cimport Parameters
from engine.search.picker cimport Picker
from engine.search.probing cimport Prober
from engine.search.table cimport Table, entry_bound, entry_static, prefetch
from eval.evaluator cimport Evaluator

cdef class Worker:
    cdef char _before[CACHE_LINE]   # away from the reference count, which other threads write
    cdef readonly Position pos
    cdef readonly MoveStack ms
    cdef Table table
    cdef readonly Control control
    cdef readonly Evaluator evaluator
    cdef readonly Ordering ordering
    cdef readonly Picker picker
    cdef readonly Correction correction
    cdef Parameters parameters
    cdef public Prober prober
    cdef long long _nodes, _table_hits, _node_limit, _next_poll, _poll_interval, _counted
    cdef bint _shares_limit
    cdef readonly int seldepth
    cdef readonly bint unwinding
    cdef int _root_depth
    cdef int pv_length[256]
    cdef int pv[65536]          # ply * 256 + ply of the move

    @cython.final
    cdef void _start(self, long long node_limit, int threads) noexcept nogil
    @cython.final
    cdef void begin_depth(self, int depth) noexcept nogil
    @cython.final
    cdef bint _enter(self, int ply) noexcept nogil
    @cython.final
    cdef void _poll(self) noexcept nogil
    @cython.final
    cdef void _prefetch_children(self, int start, int end) noexcept nogil
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
    cdef int _probe_tablebases(self, int depth, int ply) noexcept nogil
    @cython.final
    @cython.locals(bound=int)
    cdef bint _tablebase_cutoff(self, int result, int alpha, int beta, int depth, int ply, bint principal) noexcept nogil
    @cython.final
    cdef void _update_pv(self, int ply, int move) noexcept nogil
    @cython.final
    cdef int _to_table(self, int score, int ply) noexcept nogil
    @cython.final
    cdef int _from_table(self, int score, int ply) noexcept nogil

cdef inline void count_node(Worker worker) noexcept nogil:
    atomic_store(&worker._nodes, worker._nodes + 1)

cdef inline long long read_nodes(Worker worker) noexcept nogil:
    return atomic_load(&worker._nodes)

cdef inline void count_table_hit(Worker worker) noexcept nogil:
    atomic_store(&worker._table_hits, worker._table_hits + 1)

cdef inline long long read_table_hits(Worker worker) noexcept nogil:
    return atomic_load(&worker._table_hits)
