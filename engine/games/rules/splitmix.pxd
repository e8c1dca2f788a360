cimport cython
from engine.system.bits cimport *

@cython.final
cdef class Random:
    cdef U64 _state

    cdef void reseed(self, U64 seed) noexcept nogil
    cpdef U64 bits(self) noexcept nogil
    cpdef int below(self, int n) noexcept nogil

cdef U64 mixed(U64 n) noexcept nogil
cdef U64 scrambled(U64 z) noexcept nogil
