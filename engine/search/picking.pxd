# The C twin of picking.py.
cdef struct Picking:
    int stage
    int hash_move
    int start
    int noisy
    int noisy_end
    int quiet
    int end
    int last
