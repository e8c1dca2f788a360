# setup.py defines for this module only LOLLI_MARCHES, the processors that the others were compiled for, and
# LOLLI_NEEDS, what each of them must have: MARCH("x86-64-v3", NEED("popcnt") NEED("avx2")) ...
cdef extern from *:
    """
    #include <string.h>
    #ifndef LOLLI_MARCHES
    #define LOLLI_MARCHES ""
    #endif
    #ifndef LOLLI_NEEDS
    #define LOLLI_NEEDS
    #endif
    #define MARCH(name, needs) if (!strcmp(march, name)) { needs }
    #define NEED(name) if (!__builtin_cpu_supports(name)) return name;

    static const char *lolli_first_missing(const char *march)
    {
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
        __builtin_cpu_init();
        LOLLI_NEEDS
    #endif
        (void)march;
        return "";
    }

    static const char *lolli_marches(void)
    {
        return LOLLI_MARCHES;
    }
    """
    const char *first_missing "lolli_first_missing"(const char *march) noexcept
    const char *marches "lolli_marches"() noexcept
