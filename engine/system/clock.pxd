from engine.system.portable cimport monotonic_clock, thread_clock

cdef inline long long read_clock() noexcept nogil:
    return monotonic_clock()

cdef inline long long read_thread_clock() noexcept nogil:
    return thread_clock()

cpdef long long thread_time() noexcept nogil
cpdef long long now() noexcept nogil
