cimport cython
from engine.system.portable cimport CACHE_LINE, atomic_add, monotonic_clock, thread_clock

cdef inline long long read_clock() noexcept nogil:
    return monotonic_clock()

cdef inline long long read_thread_clock() noexcept nogil:
    return thread_clock()

cpdef long long now() noexcept nogil

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
    return atomic_add(&control._nodes, nodes)
