# The C twin of the number in cache_line.py.
cdef enum:
    CACHE_LINE = 64
