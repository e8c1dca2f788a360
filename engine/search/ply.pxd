# The C twin of ply.py.
cdef struct Ply:
    int excluded
    int static_value
    bint improving
    bint principal
