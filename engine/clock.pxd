cdef extern from "time.h" nogil:
    ctypedef long time_t
    struct timespec:
        time_t tv_sec
        long tv_nsec
    int CLOCK_MONOTONIC
    int CLOCK_THREAD_CPUTIME_ID
    int clock_gettime(int clock, timespec *now)

cdef inline long long read_clock() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return <long long>now.tv_sec * 1000000000 + now.tv_nsec

cdef inline long long read_thread_clock() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return <long long>now.tv_sec * 1000000000 + now.tv_nsec

cpdef long long thread_time() noexcept nogil
cpdef long long now() noexcept nogil
