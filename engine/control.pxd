cimport cython
from engine.cache_line cimport CACHE_LINE
from engine.clock cimport read_clock, read_thread_clock

cdef extern from *:
    long long _atomic_add "__atomic_add_fetch"(volatile long long *sum, long long n, int order) noexcept nogil
    long long atomic_load "__atomic_load_n"(const long long *number, int order) noexcept nogil
    void atomic_store "__atomic_store_n"(long long *number, long long value, int order) noexcept nogil

cdef enum:
    RELAXED = 0     # the order: that of a plain load or store

@cython.final
cdef class Control:
    cdef char _before[CACHE_LINE]   # away from the reference count
    cdef volatile bint _stop
    cdef volatile long long _deadline
    cdef volatile bint _counts_thread_time
    cdef char _between[CACHE_LINE]  # all threads read what stands above, and write to what follows
    cdef volatile long long _nodes
    cdef volatile long long _looked
    cdef volatile long long _pause
    cdef char _after[CACHE_LINE]

    cpdef void begin(self) noexcept nogil
    cpdef void stop(self) noexcept nogil
    cpdef void set_deadline(self, long long deadline) noexcept nogil
    cpdef void limit_thread_time(self, long long nanoseconds) noexcept nogil
    cpdef bint stopped(self) noexcept nogil
    @cython.locals(moment=cython.longlong)
    cpdef bint expired(self) noexcept nogil
    cpdef long long longest_pause(self) noexcept nogil

cdef inline long long add_nodes(Control control, long long nodes) noexcept nogil:
    return _atomic_add(&control._nodes, nodes, RELAXED)
