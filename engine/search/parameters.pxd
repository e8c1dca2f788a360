cdef enum:
    MAX_PLY = 246
    INFINITE = 32000
    MATE = 31000
    MATE_BOUND = 30500      # beyond it a score counts the plies to mate

    NULL_DEPTH = 3
    NULL_BASE = 3
    NULL_DIVISOR = 4

    LMR_DEPTH = 3
    LMR_MOVES = 3
    LMR_HISTORY_BITS = 13

    SINGULAR_DEPTH = 7
    SINGULAR_TABLE_DEPTH = 3
    SINGULAR_MARGIN = 2

    SORT_DEPTH = 4
    SORT_MOVES = 6

    FIFTY_CAUTION = 90
    POLL_INTERVAL = 1024
