cimport cython
from engine.board.bitboard cimport *
from engine.board.cycles cimport has_upcoming_repetition
from engine.board.move cimport NO_MOVE, is_en_passant, is_promotion, is_quiet, target
from engine.board.movegen cimport MoveStack, generate, gives_check
from engine.board.position cimport Position
from engine.system.control cimport Control, add_nodes
from engine.system.portable cimport CACHE_LINE, atomic_load, atomic_store
from engine.search.constants cimport *
from engine.search.correction cimport Correction
from engine.search.exchange cimport exchange_at_least
from engine.search.ordering cimport Ordering, Picker
from engine.search.parameters cimport Parameters
from engine.search.probing cimport Prober
from engine.search.table cimport Table, entry_bound, entry_depth, entry_move, entry_principal, entry_score, entry_static, prefetch
from eval.evaluator cimport Evaluator

@cython.final
cdef class Searcher:
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
    cdef readonly bint stopped
    cdef int _root_depth
    cdef int _correction        # of the static value computed last, in centipawns
    cdef int pv_length[256]
    cdef int pv[65536]          # ply * 256 + ply of the move
    cdef Ply plies[256]         # by distance from the root

    cdef void _begin(self, long long node_limit, int threads) noexcept nogil
    cdef void new_depth(self, int depth) noexcept nogil
    cdef int _root_reduction(self, int move, int depth, int number) noexcept nogil
    @cython.locals(whole=bint, late=bint, reduced=int)
    cdef int search_root_move(self, int move, int alpha, int beta, int depth, int number) noexcept nogil
    @cython.locals(pv=bint, quiet=bint, principal=bint, deep_enough=bint, may_repeat=bint, is_surprise=bint, least=int, most=int, old_alpha=int)
    cdef int search(self, int alpha, int beta, int depth, int ply, int start, bint cut, bint verifying) noexcept nogil
    cdef bint _may_extend(self, int ply) noexcept nogil
    cdef void _learn_correction(self, int value, int bound, int static, int depth) noexcept nogil
    cdef int _hindsight_extension(self, int ply) noexcept nogil
    cdef bint _is_improving(self, int ply) noexcept nogil
    @cython.locals(passes=bint)
    cdef int _forward_pruning(self, int beta, int depth, int ply, int start, int value, bint cut, bint verifying) noexcept nogil
    cdef int _null_move(self, int beta, int depth, int ply, int start, int value, bint cut) noexcept nogil
    cdef int _probcut(self, int beta, int depth, int ply, int start, int value, bint cut, bint verifying) noexcept nogil
    cdef bint _late_move_pruning(self, int number, int depth, int ply) noexcept nogil
    @cython.locals(hopeless=bint)
    cdef bint _futile(self, int move, int alpha, int depth, int ply, int reduction, int history) noexcept nogil
    cdef bint _may_be_singular(self, U64 entry, int known, int depth, int ply) noexcept nogil
    cdef bint _multicut(self, int others, int threshold, int beta) noexcept nogil
    @cython.locals(far=bint)
    cdef int _singular_extension(self, int others, int threshold, int known, int beta, bint pv, bint cut) noexcept nogil
    cdef bint _may_extend_shallow(self, int alpha, U64 entry, int static, int depth, int ply) noexcept nogil
    @cython.locals(quiet=bint, principal=bint)
    cdef int _late_move_reduction(self, int move, int number, int depth, int ply, int reduction, int history, bint cut) noexcept nogil
    @cython.locals(remembers=bint, principal=bint)
    cdef int quiesce(self, int alpha, int beta, int ply, int start) noexcept nogil
    cdef bint _enter(self, int ply) noexcept nogil
    cdef void _poll(self) noexcept nogil
    cdef void _prefetch_children(self, int start, int end) noexcept nogil
    cdef bint _is_draw(self, int ply, int start) noexcept nogil
    cdef int _static_value(self, U64 entry) noexcept nogil
    cdef int _corrected(self, int static) noexcept nogil
    @cython.locals(phase=int)
    cdef int _scaled(self, int static) noexcept nogil
    cdef int _table_adjusted(self, int static, U64 entry, int known) noexcept nogil
    cdef bint _table_cutoff(self, U64 entry, int known, int beta) noexcept nogil
    cdef int _probe_tablebases(self, int depth, int ply) noexcept nogil
    @cython.locals(bound=int)
    cdef bint _tablebase_cutoff(self, int result, int alpha, int beta, int depth, int ply, bint principal) noexcept nogil
    cdef void _update_pv(self, int ply, int move) noexcept nogil
    cdef int _to_table(self, int score, int ply) noexcept nogil
    cdef int _from_table(self, int score, int ply) noexcept nogil

cdef inline void count_node(Searcher searcher) noexcept nogil:
    atomic_store(&searcher._nodes, searcher._nodes + 1)

cdef inline long long read_nodes(Searcher searcher) noexcept nogil:
    return atomic_load(&searcher._nodes)

cdef inline void count_table_hit(Searcher searcher) noexcept nogil:
    atomic_store(&searcher._table_hits, searcher._table_hits + 1)

cdef inline long long read_table_hits(Searcher searcher) noexcept nogil:
    return atomic_load(&searcher._table_hits)
