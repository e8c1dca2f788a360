# What C compilers and systems spell differently: bits, prefetching, atomic numbers and clocks. GNU C stands for gcc,
# clang and zig on every system. The order of atomic accesses is that of a plain load or store.
cdef extern from *:
    """
    #if defined(__GNUC__)
    #define LOLLI_CTZ(n) __builtin_ctzll(n)
    #define LOLLI_CLZ(n) __builtin_clzll(n)
    #define LOLLI_POPCOUNT(n) __builtin_popcountll(n)
    #define LOLLI_PREFETCH(address) __builtin_prefetch(address)
    #define LOLLI_ADD(sum, n) __atomic_add_fetch(sum, n, __ATOMIC_RELAXED)
    #define LOLLI_LOAD(number) __atomic_load_n(number, __ATOMIC_RELAXED)
    #define LOLLI_STORE(number, value) __atomic_store_n(number, value, __ATOMIC_RELAXED)
    #elif defined(_MSC_VER)
    #include <intrin.h>
    static __forceinline int lolli_ctz(unsigned long long n)
    {
        unsigned long place;
        _BitScanForward64(&place, n);
        return (int)place;
    }
    static __forceinline int lolli_clz(unsigned long long n)
    {
        unsigned long place;
        _BitScanReverse64(&place, n);
        return 63 - (int)place;
    }
    static __forceinline int lolli_popcount(unsigned long long n)
    {
        n -= n >> 1 & 0x5555555555555555ULL;
        n = (n & 0x3333333333333333ULL) + (n >> 2 & 0x3333333333333333ULL);
        return (int)(((n + (n >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL >> 56);
    }
    #define LOLLI_CTZ(n) lolli_ctz(n)
    #define LOLLI_CLZ(n) lolli_clz(n)
    #define LOLLI_POPCOUNT(n) lolli_popcount(n)
    #define LOLLI_PREFETCH(address) ((void)(address))
    #define LOLLI_ADD(sum, n) (_InterlockedExchangeAdd64(sum, n) + (n))
    #define LOLLI_LOAD(number) (*(volatile const long long *)(number))
    #define LOLLI_STORE(number, value) (*(volatile long long *)(number) = (value))
    #else
    #error "engine/system/portable.pxd does not know this compiler"
    #endif

    #if defined(_WIN32)
    #define WIN32_LEAN_AND_MEAN
    #define NOMINMAX
    #include <windows.h>
    #undef near
    #undef far
    static __inline long long lolli_clock(void)
    {
        LARGE_INTEGER ticks, a_second;
        QueryPerformanceCounter(&ticks);
        QueryPerformanceFrequency(&a_second);
        return ticks.QuadPart / a_second.QuadPart * 1000000000
            + ticks.QuadPart % a_second.QuadPart * 1000000000 / a_second.QuadPart;
    }
    static __inline long long lolli_thread_clock(void)
    {
        FILETIME start, end, kernel, user;  /* in units of 100 ns, in two halves */
        GetThreadTimes(GetCurrentThread(), &start, &end, &kernel, &user);
        return ((((long long)kernel.dwHighDateTime + user.dwHighDateTime) << 32)
            + kernel.dwLowDateTime + user.dwLowDateTime) * 100;
    }
    #else
    #include <time.h>
    static inline long long lolli_nanoseconds(clockid_t clock)
    {
        struct timespec now;
        clock_gettime(clock, &now);
        return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    #define lolli_clock() lolli_nanoseconds(CLOCK_MONOTONIC)
    #define lolli_thread_clock() lolli_nanoseconds(CLOCK_THREAD_CPUTIME_ID)
    #endif
    """
    int count_trailing_zeros "LOLLI_CTZ"(unsigned long long n) noexcept nogil       # of n != 0
    int count_leading_zeros "LOLLI_CLZ"(unsigned long long n) noexcept nogil        # of n != 0
    int count_ones "LOLLI_POPCOUNT"(unsigned long long n) noexcept nogil
    void prefetch_line "LOLLI_PREFETCH"(const void *address) noexcept nogil
    long long atomic_add "LOLLI_ADD"(volatile long long *sum, long long n) noexcept nogil  # the sum afterwards
    long long atomic_load "LOLLI_LOAD"(const long long *number) noexcept nogil
    void atomic_store "LOLLI_STORE"(long long *number, long long value) noexcept nogil
    long long monotonic_clock "lolli_clock"() noexcept nogil                        # nanoseconds
    long long thread_clock "lolli_thread_clock"() noexcept nogil                    # nanoseconds busy

cdef enum:
    CACHE_LINE = 64
