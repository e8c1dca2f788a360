cimport cython
from engine.system.portable cimport CACHE_LINE
from engine.system.clock cimport read_clock, read_thread_clock
from engine.system.portable cimport atomic_add

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
