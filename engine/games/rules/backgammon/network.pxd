cimport cython
from libc.math cimport exp

cdef int INPUTS, HIDDEN, OUTPUTS, FIRST, SECOND, SIDE_INPUTS, KINDS, FIVES, POINTS

@cython.final
cdef class Net:
    cdef double first[13248]
    cdef double second[195]
    cdef double hidden[64]
    cdef double back[64]
    cdef double output[3]
    cdef int active[128]
    cdef double strength[128]
    cdef int count

    @cython.locals(strength=double, z=double)
    cdef void look(self, signed char* men, int roller) noexcept nogil
    @cython.locals(error=double, slope=double, strength=double)
    cdef void learn(self, double win, double gammon, double lost_gammon) noexcept nogil
    cdef void _learn_output(self, int row, double error) noexcept nogil
    cdef void _see(self, signed char* men, int side, int base) noexcept nogil
    cdef void _activate(self, int row, double strength) noexcept nogil

cdef bint is_race(signed char* men) noexcept nogil
cdef double points_of(Net net) noexcept nogil
cdef double equity(signed char* men, int roller, bint gammons) noexcept nogil

cdef Net _contact, _race
