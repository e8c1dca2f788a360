cimport cython
from cpython.ref cimport Py_INCREF

cdef inline int i32(double number) noexcept nogil:
    return <int>number

cdef inline void keep(object thing) noexcept:
    Py_INCREF(thing)

@cython.final
cdef class Victim:
    cdef int[::1] numbers
    cdef int inside[8]
    cdef volatile long long count     # else the compiler would count at once

    cpdef int read(self, int index) noexcept nogil
    cpdef int read_inside(self, int index) noexcept nogil
    cpdef int add(self, int number) noexcept nogil
    cpdef int shift(self, int places) noexcept nogil
    cpdef int truncate(self, double number) noexcept nogil
    cpdef void count_up(self, int times)
    cpdef void count_up_locked(self, int times)
