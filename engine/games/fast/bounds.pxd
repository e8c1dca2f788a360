cimport cython
from engine.system.bits cimport *
from engine.system.portable cimport prefetch_line

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
