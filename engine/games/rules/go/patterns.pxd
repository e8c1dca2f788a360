cimport cython
from engine.bits cimport *

cdef U64 STONE_KEYS[1323]          # colour * 441 + point; colours from 1
cdef unsigned char SHAPES[65536]   # by the eight neighbours: whether there is a pattern around the point

@cython.locals(z=U64)
cdef U64 mixed(U64 n) noexcept nogil
cdef void _fill_keys() noexcept nogil
