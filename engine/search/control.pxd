cimport cython
from engine.search.clock cimport read_clock

@cython.final
cdef class Control:
    cdef volatile bint _stop
    cdef volatile long long _deadline
    cdef volatile long long _nodes

    cpdef void begin(self) noexcept nogil
    cpdef void stop(self) noexcept nogil
    cpdef void set_deadline(self, long long deadline) noexcept nogil
    cpdef bint stopped(self) noexcept nogil
    cdef long long add_nodes(self, long long nodes) noexcept nogil
    cdef bint expired(self) noexcept nogil
