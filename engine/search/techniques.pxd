cimport cython

@cython.final
cdef class Techniques:
    cdef public bint alpha_beta
    cdef public bint quiescence
    cdef public bint table
    cdef public bint ordering
    cdef public bint killers
    cdef public bint history
    cdef public bint principal_variation
    cdef public bint aspiration
    cdef public bint check_extension
    cdef public bint mate_distance
    cdef public bint null_move
    cdef public bint late_move_reductions
    cdef public bint singular_extensions
