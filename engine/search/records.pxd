# The C twins of records.py.
cdef struct Ply:
    int excluded
    int static_value
    bint improving
    bint principal

cdef struct Picking:
    int stage
    int hash_move
    int start
    int noisy
    int noisy_end
    int quiet
    int end
    int last
