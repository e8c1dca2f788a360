# setup.py defines LOLLI_NEEDS for this module only, as NEED("popcnt") NEED("avx2") ...
cdef extern from *:
    """
    #ifndef LOLLI_MARCH
    #define LOLLI_MARCH ""
    #endif
    #ifndef LOLLI_NEEDS
    #define LOLLI_NEEDS
    #endif
    #define NEED(name) if (!__builtin_cpu_supports(name)) return name;

    static const char *lolli_first_missing(void)
    {
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
        __builtin_cpu_init();
        LOLLI_NEEDS
    #endif
        return "";
    }

    static const char *lolli_march(void)
    {
        return LOLLI_MARCH;
    }
    """
    const char *first_missing "lolli_first_missing"() noexcept
    const char *march "lolli_march"() noexcept
