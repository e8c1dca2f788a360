cdef enum:
    MAX_PLY = 246
    MAX_DEPTH = 245
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

cdef struct Ply:
    int excluded            # the hash move while a singular search leaves it out; else NO_MOVE
    int static_value        # corrected centipawns from the mover's point of view; UNKNOWN in check
    bint improving          # whether the static value has risen since the mover's last turn
    bint principal          # whether the position is or was on a principal variation
    int number              # of the move that is searched, from 0; -1: a null move or in ProbCut
    int reduction           # by how many plies it is reduced

cdef struct Picking:        # two stretches of the move stack: hash move, captures and promotions; then quiet moves
    int stage               # which moves come next
    int hash_move           # if it is legal, else NO_MOVE
    int start               # where the first stretch begins
    int noisy               # where its moves not yet picked begin; in the end those that lose material are left
    int noisy_end           # its end
    int quiet               # where the quiet moves not yet picked begin
    int end                 # the end of all moves so far
    int last                # where the move picked last stands
