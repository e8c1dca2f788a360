# setup.py defines for this module only LOLLI_MARCHES, the processors that the others were compiled for, and
# LOLLI_NEEDS, what each of them must have: MARCH("x86-64-v3", NEED("popcnt") NEED("avx2")) ...
# The processor is asked here, not through __builtin_cpu_supports: zig's library answers no to everything.
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
    #define NEED(name) if (!lolli_supports(name)) return name;

    #if defined(__x86_64__) || defined(__i386__) || defined(_M_X64) || defined(_M_IX86)
    #if defined(__GNUC__)
    #include <cpuid.h>
    static void lolli_cpuid(unsigned leaf, unsigned *registers)
    {
        registers[0] = registers[1] = registers[2] = registers[3] = 0;
        __get_cpuid_count(leaf, 0, registers, registers + 1, registers + 2, registers + 3);
    }
    static unsigned lolli_saved_by_system(void)
    {
        unsigned low, high;
        __asm__ volatile(".byte 0x0f, 0x01, 0xd0" : "=a"(low), "=d"(high) : "c"(0));  /* xgetbv */
        return low;
    }
    #else
    #include <intrin.h>
    static void lolli_cpuid(unsigned leaf, unsigned *registers)
    {
        __cpuid((int *)registers, leaf & 0x80000000);
        if (leaf > registers[0])
            registers[0] = registers[1] = registers[2] = registers[3] = 0;
        else
            __cpuidex((int *)registers, leaf, 0);
    }
    static unsigned lolli_saved_by_system(void)
    {
        return (unsigned)_xgetbv(0);
    }
    #endif

    enum { LOLLI_LEAF_1, LOLLI_LEAF_7, LOLLI_EXTENDED, LOLLI_LEAVES };
    enum { LOLLI_EBX = 1, LOLLI_ECX, LOLLI_EDX };
    enum { LOLLI_YMM = 0x6, LOLLI_ZMM = 0xE6 };  /* the registers that the system must save */
    /* The bits are those in Intel's manual, volume 2A, CPUID. */
    static const struct { const char *name; unsigned leaf, word, bit, saved; } lolli_features[] = {
        {"sse2", LOLLI_LEAF_1, LOLLI_EDX, 26, 0},
        {"sse3", LOLLI_LEAF_1, LOLLI_ECX, 0, 0},
        {"pclmul", LOLLI_LEAF_1, LOLLI_ECX, 1, 0},
        {"ssse3", LOLLI_LEAF_1, LOLLI_ECX, 9, 0},
        {"fma", LOLLI_LEAF_1, LOLLI_ECX, 12, LOLLI_YMM},
        {"sse4.1", LOLLI_LEAF_1, LOLLI_ECX, 19, 0},
        {"sse4.2", LOLLI_LEAF_1, LOLLI_ECX, 20, 0},
        {"movbe", LOLLI_LEAF_1, LOLLI_ECX, 22, 0},
        {"popcnt", LOLLI_LEAF_1, LOLLI_ECX, 23, 0},
        {"aes", LOLLI_LEAF_1, LOLLI_ECX, 25, 0},
        {"avx", LOLLI_LEAF_1, LOLLI_ECX, 28, LOLLI_YMM},
        {"f16c", LOLLI_LEAF_1, LOLLI_ECX, 29, LOLLI_YMM},
        {"bmi", LOLLI_LEAF_7, LOLLI_EBX, 3, 0},
        {"avx2", LOLLI_LEAF_7, LOLLI_EBX, 5, LOLLI_YMM},
        {"bmi2", LOLLI_LEAF_7, LOLLI_EBX, 8, 0},
        {"avx512f", LOLLI_LEAF_7, LOLLI_EBX, 16, LOLLI_ZMM},
        {"avx512dq", LOLLI_LEAF_7, LOLLI_EBX, 17, LOLLI_ZMM},
        {"avx512ifma", LOLLI_LEAF_7, LOLLI_EBX, 21, LOLLI_ZMM},
        {"avx512cd", LOLLI_LEAF_7, LOLLI_EBX, 28, LOLLI_ZMM},
        {"avx512bw", LOLLI_LEAF_7, LOLLI_EBX, 30, LOLLI_ZMM},
        {"avx512vl", LOLLI_LEAF_7, LOLLI_EBX, 31, LOLLI_ZMM},
        {"avx512vbmi", LOLLI_LEAF_7, LOLLI_ECX, 1, LOLLI_ZMM},
        {"avx512vbmi2", LOLLI_LEAF_7, LOLLI_ECX, 6, LOLLI_ZMM},
        {"gfni", LOLLI_LEAF_7, LOLLI_ECX, 8, 0},
        {"vpclmulqdq", LOLLI_LEAF_7, LOLLI_ECX, 10, LOLLI_YMM},
        {"avx512vnni", LOLLI_LEAF_7, LOLLI_ECX, 11, LOLLI_ZMM},
        {"avx512bitalg", LOLLI_LEAF_7, LOLLI_ECX, 12, LOLLI_ZMM},
        {"avx512vpopcntdq", LOLLI_LEAF_7, LOLLI_ECX, 14, LOLLI_ZMM},
        {"lzcnt", LOLLI_EXTENDED, LOLLI_ECX, 5, 0},
    };

    static int lolli_supports(const char *name)
    {
        static unsigned leaves[LOLLI_LEAVES][4], saved;  /* asked once: in a virtual machine it takes long */
        unsigned i, *word;
        if (!leaves[LOLLI_LEAF_1][LOLLI_EDX]) {
            lolli_cpuid(1, leaves[LOLLI_LEAF_1]);
            lolli_cpuid(7, leaves[LOLLI_LEAF_7]);
            lolli_cpuid(0x80000001, leaves[LOLLI_EXTENDED]);
            saved = leaves[LOLLI_LEAF_1][LOLLI_ECX] >> 27 & 1 ? lolli_saved_by_system() : 0;
        }
        for (i = 0; i < sizeof lolli_features / sizeof *lolli_features; i++)
            if (!strcmp(name, lolli_features[i].name)) {
                word = leaves[lolli_features[i].leaf] + lolli_features[i].word;
                return *word >> lolli_features[i].bit & 1
                    && (saved & lolli_features[i].saved) == lolli_features[i].saved;
            }
        return 0;
    }
    #else
    static int lolli_supports(const char *name)
    {
        (void)name;
        return 1;
    }
    #endif

    static const char *lolli_first_missing(const char *march)
    {
        LOLLI_NEEDS
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
