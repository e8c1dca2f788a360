cimport cython
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport Moves
from engine.games.rules.connectfour cimport UNSEEN, ConnectFour
from engine.games.rules.game cimport *
from engine.system.control cimport Control
from engine.system.portable cimport atomic_load, atomic_store, prefetch_line

cdef enum:
    SLOTS = 8               # entries in a bucket: one cache line

cdef inline int lower_bound(U64 entry) noexcept nogil:
    return <int>(entry & 0xFF) - 128

cdef inline int upper_bound(U64 entry) noexcept nogil:
    return <int>(entry >> 8 & 0xFF) - 128

@cython.final
cdef class Bounds:
    cdef object _memory
    cdef U64[::1] slots
    cdef U64 buckets, _all
    cdef int _half, _rest
    cdef readonly int bits

    @cython.locals(mixed=U64)
    cpdef U64 place(self, U64 number) noexcept nogil
    @cython.locals(base=Py_ssize_t, tag=U64, entry=U64)
    cpdef U64 find(self, U64 place) noexcept nogil
    @cython.locals(base=Py_ssize_t, at=Py_ssize_t, tag=U64, entry=U64, least=U64)
    cpdef void enter(self, U64 place, int lower, int upper, U64 work) noexcept nogil
    cdef Py_ssize_t _bucket(self, U64 place) noexcept nogil

cdef inline void prefetch(Bounds table, U64 place) noexcept nogil:
    prefetch_line(&table.slots[table._bucket(place)])

cdef long long ENDLESS
cdef int _LOOK_EVERY

@cython.final
cdef class SolverPly:
    cdef ConnectFour state
    cdef Moves moves
    cdef SolverPly below

@cython.final
cdef class Solver:
    cdef readonly Bounds table
    cdef bint _ended
    cdef SolverPly _top
    cdef Control _control
    cdef long long _nodes, _most_nodes

    cdef int _prove(self, int alpha, int beta) except? -100
    @cython.locals(place=U64)
    cdef int _value(self, SolverPly ply, int alpha, int beta) noexcept nogil
    @cython.locals(entry=U64, before=cython.longlong)
    cdef int _listed(
        self, SolverPly ply, int count, U64 place, int alpha, int beta, int lower, int upper
    ) noexcept nogil
    cdef bint _must_end(self) noexcept nogil
    cdef int _search(self, SolverPly ply, int count, int alpha, int beta) noexcept nogil

cdef inline void count_node(Solver solver) noexcept nogil:
    atomic_store(&solver._nodes, solver._nodes + 1)

cdef inline long long read_nodes(Solver solver) noexcept nogil:
    return atomic_load(&solver._nodes)
