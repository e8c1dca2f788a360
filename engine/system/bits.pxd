# The C twins of bits.py: inline, so that every importing module gets its own copy.
from engine.system.portable cimport count_leading_zeros, count_ones, count_trailing_zeros

ctypedef unsigned long long U64

cdef inline int lsb(U64 bb) noexcept nogil:
    return count_trailing_zeros(bb)

cdef inline int msb(U64 bb) noexcept nogil:
    return 63 - count_leading_zeros(bb)

cdef inline int popcount(U64 bb) noexcept nogil:
    return count_ones(bb)

cdef inline U64 bit(int sq) noexcept nogil:
    return (<U64>1) << sq

cdef inline U64 u64(U64 bb) noexcept nogil:
    return bb

cdef inline long long i64(long long n) noexcept nogil:
    return n

cdef inline int i32(U64 n) noexcept nogil:
    return <int>n
