# What othello_lines.py has in Python. GNU's vectors have the four directions side by side; other compilers take
# them one after the other.
from engine.system.bits cimport U64

cdef extern from *:
    """
    #define LOLLI_INNER 0x7E7E7E7E7E7E7E7EULL
    #if defined(__GNUC__)
    typedef unsigned long long lolli_lines __attribute__((vector_size(32)));
    #define LOLLI_DIRECTIONS 1
    #define LOLLI_STEP(i) ((lolli_lines){8, 1, 7, 9})
    #define LOLLI_BETWEEN(i) ((lolli_lines){~0ULL, LOLLI_INNER, LOLLI_INNER, LOLLI_INNER})
    #define LOLLI_ALL(x) ((lolli_lines){(x), (x), (x), (x)})
    #define LOLLI_WHERE(x) ((lolli_lines)((x) != (lolli_lines){0}))
    #define LOLLI_JOINED(x) ((x)[0] | (x)[1] | (x)[2] | (x)[3])
    #else
    typedef unsigned long long lolli_lines;
    #define LOLLI_DIRECTIONS 4
    #define LOLLI_STEP(i) (((const unsigned char[]){8, 1, 7, 9})[i])
    #define LOLLI_BETWEEN(i) ((i) ? LOLLI_INNER : ~0ULL)
    #define LOLLI_ALL(x) (x)
    #define LOLLI_WHERE(x) ((x) ? ~0ULL : 0ULL)
    #define LOLLI_JOINED(x) (x)
    #endif
    #define LOLLI_LINES(found, first, SHIFT) \\
        lolli_lines found = between & (first SHIFT step), found##_pairs = between & (between SHIFT step); \\
        found |= between & (found SHIFT step); \\
        found |= found##_pairs & (found SHIFT (step + step)); \\
        found |= found##_pairs & (found SHIFT (step + step));

    static inline unsigned long long lolli_legal_moves(
        unsigned long long own, unsigned long long others, unsigned long long board)
    {
        unsigned long long ends = 0;
        for (int i = 0; i < LOLLI_DIRECTIONS; i++) {
            lolli_lines step = LOLLI_STEP(i), mine = LOLLI_ALL(own), between = LOLLI_ALL(others) & LOLLI_BETWEEN(i);
            LOLLI_LINES(up, mine, <<)
            LOLLI_LINES(down, mine, >>)
            up = up << step | down >> step;
            ends |= LOLLI_JOINED(up);
        }
        return ends & board & ~(own | others);
    }

    static inline unsigned long long lolli_captures(
        unsigned long long placed, unsigned long long own, unsigned long long others)
    {
        unsigned long long caught = 0;
        for (int i = 0; i < LOLLI_DIRECTIONS; i++) {
            lolli_lines step = LOLLI_STEP(i), mine = LOLLI_ALL(own), between = LOLLI_ALL(others) & LOLLI_BETWEEN(i);
            lolli_lines first = LOLLI_ALL(placed);
            LOLLI_LINES(up, first, <<)
            LOLLI_LINES(down, first, >>)
            up = (up & LOLLI_WHERE((up << step) & mine)) | (down & LOLLI_WHERE((down >> step) & mine));
            caught |= LOLLI_JOINED(up);
        }
        return caught;
    }
    """
    U64 legal_moves "lolli_legal_moves"(U64 own, U64 others, U64 board) noexcept nogil
    U64 captures "lolli_captures"(U64 placed, U64 own, U64 others) noexcept nogil
