cimport cython
from engine.board.bitboard cimport BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, i32

cdef enum:
    KING_VALUE = 20000      # more than all else together

@cython.final
cdef class Parameters:
    cdef public bint alpha_beta
    cdef public bint quiescence
    cdef public bint quiescence_exchange
    cdef public bint table
    cdef public bint ordering
    cdef public bint check_ordering
    cdef public bint escape_ordering
    cdef public bint killers
    cdef public bint history
    cdef public bint threat_history
    cdef public bint low_ply_history
    cdef public bint static_history
    cdef public bint continuation_history
    cdef public bint capture_history
    cdef public bint correction_history
    cdef public bint value_scale
    cdef public bint principal_variation
    cdef public bint aspiration
    cdef public bint check_extension
    cdef public bint horizon_extension
    cdef public bint shallow_extension
    cdef public bint hindsight_extension
    cdef public bint mate_distance
    cdef public bint upcoming_repetition
    cdef public bint internal_reduction
    cdef public bint reverse_futility
    cdef public bint razoring
    cdef public bint null_move
    cdef public bint probcut
    cdef public bint late_move_pruning
    cdef public bint futility
    cdef public bint history_pruning
    cdef public bint exchange_pruning
    cdef public bint late_move_reductions
    cdef public bint improving
    cdef public bint singular_extensions
    cdef public bint double_extensions
    cdef public bint negative_extensions
    cdef public bint multicut
    cdef public bint quiescence_table
    cdef public bint delta_pruning
    cdef public int aspiration_window
    cdef public int null_depth
    cdef public int null_base
    cdef public int null_divisor
    cdef public int null_margin
    cdef public int null_verification
    cdef public int reverse_futility_depth
    cdef public int reverse_futility_margin
    cdef public int razoring_depth
    cdef public int razoring_margin
    cdef public int probcut_depth
    cdef public int probcut_reduction
    cdef public int probcut_margin
    cdef public int internal_depth
    cdef public int late_depth
    cdef public int late_base
    cdef public int futility_depth
    cdef public int futility_base
    cdef public int futility_margin
    cdef public int history_depth
    cdef public int history_margin
    cdef public int pruning_history
    cdef public int exchange_depth
    cdef public int exchange_quiet
    cdef public int exchange_capture
    cdef public int exchange_pawn
    cdef public int exchange_knight
    cdef public int exchange_bishop
    cdef public int exchange_rook
    cdef public int exchange_queen
    cdef public int reduction_depth
    cdef public int reduction_moves
    cdef public int reduction_base
    cdef public int reduction_slope
    cdef public int reduction_principal
    cdef public int reduction_cut
    cdef public int reduction_worsening
    cdef public int reduction_check
    cdef public int reduction_killer
    cdef public int reduction_history
    cdef public int deeper_margin
    cdef public int singular_depth
    cdef public int singular_table_depth
    cdef public int singular_margin
    cdef public int double_margin
    cdef public int shallow_margin
    cdef public int hindsight_reduction
    cdef public int delta_margin
    cdef public int check_rank
    cdef public int check_loss
    cdef public int escape_rank
    cdef public int history_bonus
    cdef public int history_offset
    cdef public int history_most
    cdef public int refuted_malus
    cdef public int low_ply_weight
    cdef public int static_credit
    cdef public int static_most
    cdef public int correction_pawns
    cdef public int correction_pieces
    cdef public int correction_minor
    cdef public int correction_margin
    cdef public int material_scale
    cdef public int fifty_scale
    cdef int exchange_values[8]     # centipawns, by kind of piece; 0 for an empty square
    cdef int reductions[4096]       # depth * 64 + number of the move, in 128ths of a ply
    cdef object _filled             # what the reductions were made from
