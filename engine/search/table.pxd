cimport cython
from engine.board.bitboard cimport U64, i64, u64
from engine.system.portable cimport prefetch_line
from engine.search.constants cimport EXACT

cdef enum:
    SLOTS = 4               # entries in a bucket: one cache line

cdef inline int entry_move(U64 entry) noexcept nogil:
    return <int>(entry & 0xFFFF)

cdef inline int entry_score(U64 entry) noexcept nogil:
    return <int>(entry >> 16 & 0xFFFF) - 32768

cdef inline int entry_depth(U64 entry) noexcept nogil:
    return <int>(entry >> 32 & 0xFF)

cdef inline int entry_bound(U64 entry) noexcept nogil:
    return <int>(entry >> 40 & 3)

cdef inline bint entry_principal(U64 entry) noexcept nogil:
    return entry >> 42 & 1 != 0

cdef inline int entry_age(U64 entry) noexcept nogil:
    return <int>(entry >> 43 & 31)

cdef inline int entry_static(U64 entry) noexcept nogil:
    return <int>(entry >> 48) - 32768

@cython.final
cdef class Table:
    cdef object _memory
    cdef bint _touched
    cdef U64[::1] slots
    cdef U64 buckets
    cdef int age
    cdef readonly int megabytes

    cpdef U64 probe(self, U64 key) noexcept nogil
    cpdef void store(self, U64 key, int move, int score, int depth, int bound, int static, bint principal) noexcept nogil
    cdef Py_ssize_t _bucket(self, U64 key) noexcept nogil
    cdef int _worth(self, U64 entry) noexcept nogil
    cpdef int hashfull(self) noexcept nogil

cdef inline void prefetch(Table table, U64 key) noexcept nogil:
    prefetch_line(&table.slots[table._bucket(key)])
