cimport cython
from eval.features cimport WEIGHTS

@cython.final
cdef class Tally:
    cdef long long weights[WEIGHTS]
    cdef int counts[2 * WEIGHTS]  # colour * WEIGHTS + index
    cdef public bint tracing

    cdef void clear(self) noexcept nogil

cdef inline long long weigh(Tally tally, int colour, int index, int count) noexcept nogil:
    if tally.tracing:
        tally.counts[colour * WEIGHTS + index] += count
    return tally.weights[index] * count
