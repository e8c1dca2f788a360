# The C twins of bits.py: inline, so that every importing module gets its own copy.
ctypedef unsigned long long U64

cdef extern from *:
    int _ctz "__builtin_ctzll"(U64 bb) noexcept nogil
    int _clz "__builtin_clzll"(U64 bb) noexcept nogil
    int _popcount "__builtin_popcountll"(U64 bb) noexcept nogil

cdef inline int lsb(U64 bb) noexcept nogil:
    return _ctz(bb)

cdef inline int msb(U64 bb) noexcept nogil:
    return 63 - _clz(bb)

cdef inline int popcount(U64 bb) noexcept nogil:
    return _popcount(bb)

cdef inline U64 bit(int sq) noexcept nogil:
    return (<U64>1) << sq

cdef inline U64 u64(U64 bb) noexcept nogil:
    return bb

cdef inline long long i64(long long n) noexcept nogil:
    return n

cdef inline int i32(U64 n) noexcept nogil:
    return <int>n
