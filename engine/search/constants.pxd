cdef enum:
    MAX_PLY = 246
    PLIES = 256
    INFINITE = 32000
    MATE = 31000
    MATE_BOUND = 30500      # beyond it a score counts the plies to mate
    TABLEBASE_WIN = 30000
    TABLEBASE_BOUND = 29500     # beyond it a score is a win by the endgame tables, or a mate
    UNKNOWN = 32767         # no score: more than all of them

    LOWER = 1
    UPPER = 2
    EXACT = 3

    FIFTY_CAUTION = 90
    TABLEBASE_DEPTH = 6
    POLL_INTERVAL = 1024

    FIRST_WINDOW_DEPTH = 4
    WIDEST_WINDOW = 1000
    ROOT_REDUCTION_DEPTH = 3
    ROOT_REDUCTION_MOVES = 4
