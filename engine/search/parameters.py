"""The search in one table: its techniques, each with its switch, and the numbers that steer them.

Matches have decided what is on, and SPSA most numbers: docs/experiments.md.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import log

import cython

if not cython.compiled:
    from engine.board.bitboard import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, i32

    KING_VALUE = 20000


@dataclass(frozen=True)
class Technique:
    """What can be switched on and off. A `guess`, such as a pruning, may miss the value at any depth."""

    about: str
    default: bool = True
    guess: bool = False


@dataclass(frozen=True)
class Number:
    """What can be tuned: depths in plies, margins in centipawns."""

    default: int
    low: int
    high: int
    about: str


TECHNIQUES = {
    "alpha_beta": Technique("cut off moves that cannot change the value"),
    "quiescence": Technique("quiescence search: resolve captures before evaluating"),
    "quiescence_exchange": Technique("in quiescence skip captures that lose material"),
    "table": Technique("transposition table: remember positions searched before"),
    "ordering": Technique("try promising moves first: hash move, captures by victim and exchange value"),
    "check_ordering": Technique("try early the quiet moves by which a piece gives check itself"),
    "killers": Technique("killer moves: try first what refuted a sibling position"),
    "history": Technique("history heuristic: try first the quiet moves that have refuted often"),
    "threat_history": Technique("keep histories apart by whether a move leaves or enters an attacked square"),
    "static_history": Technique("credit a quiet move with the gain in static value that it brought"),
    "continuation_history": Technique("try first what has refuted often after the last moves"),
    "capture_history": Technique("try first the captures that have refuted often"),
    "correction_history": Technique(
        "correct the static value by its past errors in similar positions", guess=True
    ),
    "principal_variation": Technique("principal variation search: null windows for all moves but the first"),
    "aspiration": Technique("aspiration windows: expect a value near the last one"),
    "check_extension": Technique("search a ply deeper when in check", default=False),
    "mate_distance": Technique("mate distance pruning: look for no mate longer than one already found"),
    "upcoming_repetition": Technique("count on a draw where one move repeats a position", guess=True),
    "internal_reduction": Technique(
        "internal iterative reduction: a ply less where no hash move is known", guess=True
    ),
    "reverse_futility": Technique("cut off where the static value is far above the window", guess=True),
    "razoring": Technique(
        "go straight to quiescence where the static value is far below the window", guess=True
    ),
    "null_move": Technique("null move pruning: cut off where even a pass reaches beta", guess=True),
    "probcut": Technique("cut off where a capture is far above beta at less depth", guess=True),
    "late_move_pruning": Technique("near the horizon skip quiet moves after the first few", guess=True),
    "futility": Technique("near the horizon skip quiet moves far below the window", guess=True),
    "history_pruning": Technique("near the horizon skip quiet moves that have often failed", guess=True),
    "exchange_pruning": Technique("near the horizon skip moves that lose material", guess=True),
    "late_move_reductions": Technique("search late moves less deeply at first", guess=True),
    "improving": Technique("prune and reduce less where the static value has risen", guess=True),
    "singular_extensions": Technique("search deeper where one move is far better than all others"),
    "double_extensions": Technique("extend by two plies where it is better by still more"),
    "negative_extensions": Technique("reduce the hash move where others may do as well", guess=True),
    "multicut": Technique("cut off where the moves besides the hash move reach beta as well", guess=True),
    "quiescence_table": Technique("use the transposition table in quiescence"),
    "delta_pruning": Technique("in quiescence skip captures that cannot reach the window", guess=True),
}
"""Every technique by name."""

NUMBERS = {
    "aspiration_window": Number(10, 6, 60, "aspiration: half the width of the first window"),
    "null_depth": Number(4, 1, 6, "null move: least depth"),
    "null_base": Number(5, 2, 6, "null move: reduction in plies"),
    "null_divisor": Number(5, 2, 8, "null move: a ply more for each of this many plies of depth"),
    "null_margin": Number(83, 60, 400, "null move: a ply more for each of this many centipawns above beta"),
    "null_verification": Number(14, 6, 30, "null move: least depth for a verification search"),
    "reverse_futility_depth": Number(5, 3, 14, "reverse futility: greatest depth"),
    "reverse_futility_margin": Number(35, 10, 120, "reverse futility: margin for each ply of depth"),
    "razoring_depth": Number(5, 1, 6, "razoring: greatest depth"),
    "razoring_margin": Number(329, 60, 500, "razoring: margin for each ply of depth"),
    "probcut_depth": Number(4, 3, 9, "ProbCut: least depth"),
    "probcut_reduction": Number(5, 2, 6, "ProbCut: reduction in plies"),
    "probcut_margin": Number(197, 80, 320, "ProbCut: margin above beta"),
    "internal_depth": Number(2, 2, 8, "internal iterative reduction: least depth"),
    "late_depth": Number(11, 3, 14, "late move pruning: greatest depth"),
    "late_base": Number(
        8, 1, 16, "late move pruning: this plus depth squared are kept, half as many if not improving"
    ),
    "futility_depth": Number(7, 3, 14, "futility: greatest depth, reduced"),
    "futility_base": Number(76, 20, 300, "futility: margin"),
    "futility_margin": Number(32, 30, 200, "futility: more margin for each ply of reduced depth"),
    "history_depth": Number(6, 2, 10, "history pruning: greatest depth, reduced"),
    "history_margin": Number(
        2470, 300, 6000, "history pruning: how far below 0 the history is, for each ply"
    ),
    "pruning_history": Number(
        13, 0, 48, "pruning of quiet moves: 65536ths of a ply of reduced depth for each unit of history"
    ),
    "exchange_depth": Number(9, 3, 12, "exchange pruning: greatest depth, reduced for quiet moves"),
    "exchange_quiet": Number(5, 3, 60, "exchange pruning: loss of quiet moves, times reduced depth squared"),
    "exchange_capture": Number(87, 30, 200, "exchange pruning: loss of captures for each ply"),
    "exchange_pawn": Number(100, 50, 200, "exchanges: what a pawn is worth"),
    "exchange_knight": Number(300, 200, 500, "exchanges: what a knight is worth"),
    "exchange_bishop": Number(323, 200, 500, "exchanges: what a bishop is worth"),
    "exchange_rook": Number(492, 350, 800, "exchanges: what a rook is worth"),
    "exchange_queen": Number(983, 650, 1500, "exchanges: what a queen is worth"),
    "reduction_depth": Number(4, 2, 5, "late move reductions: least depth"),
    "reduction_moves": Number(2, 1, 5, "late move reductions: number of moves that are never reduced"),
    "reduction_base": Number(98, 0, 200, "late move reductions: constant part, in 128ths of a ply"),
    "reduction_slope": Number(
        262, 100, 360, "late move reductions: divides ln depth · ln number, in hundredths"
    ),
    "reduction_principal": Number(
        88, 0, 256, "late move reductions: less on a principal variation, past or present"
    ),
    "reduction_cut": Number(
        127, 0, 300, "late move reductions: more where the first move is expected to cut off"
    ),
    "reduction_worsening": Number(21, 0, 200, "late move reductions: more where not improving"),
    "reduction_check": Number(68, 0, 256, "late move reductions: less for checks"),
    "reduction_killer": Number(105, 0, 320, "late move reductions: less for killers"),
    "reduction_history": Number(96, 20, 400, "late move reductions: less for each 2**13 of history"),
    "deeper_margin": Number(
        53, 10, 200, "late move reductions: a re-search that is better by this is a ply deeper"
    ),
    "singular_depth": Number(6, 4, 12, "singular extensions: least depth"),
    "singular_table_depth": Number(
        3, 1, 6, "singular extensions: by how many plies the table's entry may be shallower"
    ),
    "singular_margin": Number(
        10, 5, 60, "singular extensions: by how much others fall short, in tenths for each ply"
    ),
    "double_margin": Number(
        15, 5, 60, "singular extensions: two plies if others fall short by this much more"
    ),
    "delta_margin": Number(174, 40, 400, "delta pruning: margin besides the captured material"),
    "check_rank": Number(5992, 500, 20000, "check ordering: what a check adds to the history"),
    "history_bonus": Number(413, 50, 500, "history: bonus for each ply of depth"),
    "history_offset": Number(62, 0, 500, "history: subtracted from the bonus"),
    "history_most": Number(3927, 500, 5000, "history: largest bonus"),
    "static_credit": Number(6, 1, 40, "static history: credit for each centipawn"),
    "static_most": Number(615, 50, 2000, "static history: largest credit"),
    "correction_pawns": Number(
        305, 0, 800, "correction history: weight of the pawns' entry, in 4096ths of a centipawn"
    ),
    "correction_pieces": Number(
        332,
        0,
        800,
        "correction history: weight of the entry of each side's pieces, in 4096ths of a centipawn",
    ),
    # Candidates: 0 is off.
    "evasion_ply": Number(0, 0, 1, "a move out of check at the horizon is searched, not resolved"),  # on: 1
    "material_scale": Number(0, 0, 60, "static value: 1024ths of it more for each unit of phase above 14, less below"),  # on: 10
    "fifty_scale": Number(0, 0, 400, "static value: falls to nothing in this many halfmoves without progress"),  # on: 200
    "optimism": Number(0, 0, 100, "static value: most centipawns that the side gets that stands better at the root"),  # on: 20
    "store_static": Number(0, 0, 1, "table: remember a static value at once where the position was unknown"),  # on: 1
    "store_stand_pat": Number(0, 0, 1, "table: remember that quiescence stood pat where the position was unknown"),  # on: 1
    "quiescence_futility": Number(0, 0, 400, "quiescence: skip what wins no material this far below the window"),  # on: 120
    "quiescence_gain": Number(0, 0, 400, "quiescence: skip what with this margin wins too little material to reach the window"),  # on: 174
    "quiescence_loss": Number(0, 0, 200, "quiescence: try captures that lose no more than this"),  # on: 40
    "quiescence_moves": Number(0, 0, 10, "quiescence: number of captures, besides recaptures and checks"),  # on: 3
    "quiescence_spared": Number(0, 0, 1, "quiescence: no delta pruning of checks"),  # on: 1
    "quiescence_evasions": Number(0, 0, 10, "quiescence: number of quiet moves out of check"),  # on: 2
    "quiescence_checks": Number(0, 0, 1, "quiescence: quiet checks in its first ply"),  # on: 1
    "correction_minor": Number(0, 0, 800, "correction history: weight of the entry of both sides' minor pieces"),  # on: 200
    "correction_continuation": Number(0, 0, 800, "correction history: weight of the entry of the last two moves"),  # on: 250
    "correction_reduction": Number(0, 0, 512, "late move reductions: less for 256 centipawns of correction"),  # on: 128
    "correction_margin": Number(0, 0, 256, "reverse futility: margin for 128 centipawns of correction"),  # on: 64
    "correction_multicut": Number(0, 0, 1, "correction history: learn from multicut"),  # on: 1
    "reduction_cutoffs": Number(0, 0, 400, "late move reductions: more where the next ply has cut off three times"),  # on: 100
    "reduction_noisy": Number(0, 0, 400, "late move reductions: more where the hash move is a capture"),  # on: 64
    "reduction_raised": Number(0, 0, 400, "late move reductions: more for each time that alpha was raised"),  # on: 48
    "reduction_known": Number(0, 0, 400, "late move reductions: less on a past principal variation whose entry exceeds alpha"),  # on: 48
    "reduction_deep": Number(0, 0, 400, "late move reductions: less on a past principal variation whose entry is deep enough"),  # on: 48
    "reduction_all": Number(0, 0, 512, "late move reductions: more by this share / (depth + 1) at expected all nodes"),  # on: 128
    "reduction_unknown": Number(0, 0, 400, "late move reductions: more at expected cut nodes without a hash move"),  # on: 96
    "reduction_negative": Number(0, 0, 1, "late move reductions: may extend by a ply"),  # on: 1
    "hindsight_deeper": Number(0, 0, 6, "a ply deeper after a reduction by this much if the opponent stands no worse"),  # on: 3
    "hindsight_shallower": Number(0, 0, 400, "a ply less after a reduction where both static values exceed this together"),  # on: 60
    "shallower_margin": Number(0, 0, 60, "late move reductions: a re-search that is better by less than this is a ply shallower"),  # on: 4
    "research_history": Number(0, 0, 300, "history: percent of the bonus after a re-search"),  # on: 100
    "prior_bonus": Number(0, 0, 300, "history: percent of the bonus for the move before a fail-low"),  # on: 50
    "exact_bonus": Number(0, 0, 300, "history: percent of the bonus for the best move of a principal variation"),  # on: 100
    "table_bonus": Number(0, 0, 300, "history: percent of the bonus for a hash move by whose entry is cut off"),  # on: 50
    "surprise_bonus": Number(0, 0, 1, "history: a ply more where the static value was no better than alpha"),  # on: 1
    "refuted_malus": Number(0, 0, 300, "history: percent of the malus for the first move before a cutoff"),  # on: 50
    "pawn_history": Number(0, 0, 128, "history by pawn structure: weight in 64ths"),  # on: 64
    "continuation_six": Number(0, 0, 16, "continuation history of six plies ago: weight in 16ths"),  # on: 8
    "continuation_captures": Number(0, 0, 1, "continuation history apart for captures"),  # on: 1
    "low_history": Number(0, 0, 256, "history near the root: weight in 32nds"),  # on: 64
    "escape_rank": Number(0, 0, 20000, "ordering: for leaving or entering the reach of a lesser piece"),  # on: 4000
    "check_safe": Number(0, 0, 400, "check ordering: only checks that lose no more than this"),  # on: 40
    "malus_decay": Number(0, 0, 40, "history: percent less malus for each move tried before"),  # on: 8
    "good_captures": Number(0, 0, 128, "ordering: 128ths of a capture's rank that it may lose to count as good"),  # on: 45
    "probcut_cut": Number(0, 0, 1, "ProbCut: at expected cut nodes alone"),  # on: 1
    "probcut_store": Number(0, 0, 1, "ProbCut: store the result"),  # on: 1
    "probcut_table": Number(0, 0, 1, "ProbCut: not where the table's entry is below the threshold"),  # on: 1
    "probcut_tempered": Number(0, 0, 1, "ProbCut: return the score less the margin"),  # on: 1
    "probcut_adaptive": Number(0, 0, 600, "ProbCut: a ply less for each of these by which quiescence exceeds the threshold"),  # on: 150
    "probcut_known": Number(0, 0, 600, "cut off where a shallower entry exceeds beta by this"),  # on: 200
    "reverse_futility_far": Number(0, 0, 60, "reverse futility: to depth 14, this much more margin for the square of each ply beyond"),  # on: 8
    "reverse_futility_spared": Number(0, 0, 1, "reverse futility: not on a past principal variation"),  # on: 1
    "reverse_futility_quiet": Number(0, 0, 1, "reverse futility: not where the hash move is quiet"),  # on: 1
    "reverse_futility_history": Number(0, 0, 100, "reverse futility: margin for 2**13 of the last move's history"),  # on: 12
    "null_cut": Number(0, 0, 1, "null move: at expected cut nodes alone"),  # on: 1
    "null_improving": Number(0, 0, 1, "null move: a ply more where improving"),  # on: 1
    "improving_beta": Number(0, 0, 1, "improving where the static value is above beta, too"),  # on: 1
    "triple_margin": Number(0, 0, 400, "singular extensions: three plies if others fall short by this much more and the move is quiet"),  # on: 60
    "double_principal": Number(0, 0, 400, "singular extensions: two plies on a principal variation by this much more"),  # on: 80
    "negative_more": Number(0, 0, 3, "singular extensions: plies less where the hash move is not singular"),  # on: 1
    "multicut_wide": Number(0, 0, 1, "multicut: where the other moves reach beta, with their score"),  # on: 1
    "singular_shallow": Number(0, 0, 200, "extend the hash move near the horizon where the static value is this far below alpha"),  # on: 25
    "singular_past": Number(0, 0, 60, "singular extensions: more margin on a past principal variation, in tenths for each ply"),  # on: 10
    "root_reductions": Number(0, 0, 1, "late root moves are reduced like others"),  # on: 1
    "capture_history_margin": Number(0, 0, 400, "exchange pruning: less loss of captures for each 2**13 of their history"),  # on: 100
    "capture_futility": Number(0, 0, 600, "futility of captures: margin"),  # on: 150
    "prune_evasions": Number(0, 0, 1, "prune in check, too"),  # on: 1
    "table_beyond": Number(0, 0, 1, "table: a score above beta must be a ply deeper"),  # on: 1
    "table_expected": Number(0, 0, 1, "table: cut off only as expected where depth is 6 and more"),  # on: 1
    "internal_shallow": Number(0, 0, 10, "internal iterative reduction where the entry is this much shallower"),  # on: 4
    "window_square": Number(0, 0, 30000, "aspiration: window wider by the square of the mean score divided by this"),  # on: 4000
    "futility_best": Number(0, 0, 1, "futility: the bound that was trusted is the least value"),  # on: 1
    "principal_low": Number(0, 0, 1, "a fail-low below a past principal variation is on one"),  # on: 1
    "malus_more": Number(0, 0, 100, "history: by how many percent a malus exceeds a bonus"),  # on: 25
    "futility_unraised": Number(0, 0, 200, "futility: more margin until a move has raised alpha"),  # on: 40
    "null_most": Number(3, 0, 12, "null move: most plies more by value"),  # try: 6
}
"""Every number by name."""

CLOCK = {
    "time_share": Number(263, 50, 600, "time: share of the clock for the first move, in 10000ths"),
    "time_growth": Number(0, 0, 80, "time: by how much it grows with the root of the ply, in 10000ths"),
    "time_increment": Number(75, 30, 100, "time: share of the increment for a move, in hundredths"),
    "time_hard": Number(400, 200, 1200, "time: the hard limit in hundredths of the soft one"),
    "time_hard_share": Number(35, 15, 80, "time: the largest share of the clock for one move, in hundredths"),
    "time_reserve": Number(200, 20, 400, "time: least reserve on the clock in milliseconds"),
    "time_unstable": Number(150, 100, 250, "time: hundredths of the soft limit where the best move is new"),
    "time_stability": Number(
        20, 0, 40, "time: hundredths less for each of two depths with the same best move, then half as much"
    ),
    "time_stable": Number(75, 30, 100, "time: hundredths of the soft limit where it has long been the same"),
    "time_effort": Number(150, 100, 250, "time: hundredths where the best move took none of the nodes"),
    "time_effort_slope": Number(80, 0, 160, "time: hundredths less where it took them all"),
    "time_fall": Number(20, 0, 80, "time: hundredths more for each 100 centipawns that the score has fallen"),
}
"""The constants of the time manager. They stand apart because the kernel does not see them."""

CLOCK_DEFAULTS = {name: number.default for name, number in CLOCK.items()}


_LONGEST_NAME = max(map(len, (*TECHNIQUES, *NUMBERS, *CLOCK)))
_FEW_DIGITS = re.compile(r"[0-9]{1,9}")


class ParameterError(ValueError):
    """Why a parameter cannot be set, in one line."""


def changes(text: str) -> dict[str, int]:
    """The names and values in `null_move=off late_depth=6`, on being 1 and off 0. Raises ParameterError."""
    return dict(_change(word) for word in text.split())


def _change(word: str) -> tuple[str, int]:
    name, _, value = word.partition("=")
    if name in TECHNIQUES:
        if value not in ("on", "off"):
            raise ParameterError(f"{name} must be on or off, not {value[:20]!a}")
        return name, int(value == "on")
    number = NUMBERS.get(name) or CLOCK.get(name)
    if number is None:
        raise ParameterError(f"unknown parameter {ascii(name)[:_LONGEST_NAME]}")
    if not _FEW_DIGITS.fullmatch(value) or not number.low <= int(value) <= number.high:
        raise ParameterError(f"{name} must be from {number.low} to {number.high}, not {value[:20]!a}")
    return name, int(value)


class Parameters:
    """The parameters of one search: an attribute for each technique and for each number."""

    def __init__(self) -> None:
        self.reductions = [0] * 4096
        self.exchange_values = [0] * 8
        self._filled = (0, 0)
        self.reset({})

    def __getattr__(self, name: str) -> int:
        """Raise AttributeError. Tells type checkers that there are attributes, which `reset` sets by name."""
        raise AttributeError(f"unknown parameter {name!r}")

    def reset(self, changed: Mapping[str, int], *, guesses: bool = True) -> None:
        """Set the defaults, except where `changed` has a value; without `guesses` switch off what guesses."""
        for name, technique in TECHNIQUES.items():
            setattr(
                self, name, bool(changed.get(name, technique.default)) and (guesses or not technique.guess)
            )
        for name, number in NUMBERS.items():
            setattr(self, name, changed.get(name, number.default))
        self.exchange_values[PAWN] = self.exchange_pawn
        self.exchange_values[KNIGHT] = self.exchange_knight
        self.exchange_values[BISHOP] = self.exchange_bishop
        self.exchange_values[ROOK] = self.exchange_rook
        self.exchange_values[QUEEN] = self.exchange_queen
        self.exchange_values[KING] = KING_VALUE
        if (self.reduction_base, self.reduction_slope) != self._filled:
            self._fill_reductions()

    def _fill_reductions(self) -> None:
        """In 128ths of a ply; they grow with the logarithms of depth and of the move's number."""
        for depth in range(1, 64):
            for number in range(1, 64):
                logarithms = log(depth) * log(number)
                self.reductions[depth * 64 + number] = i32(
                    int(self.reduction_base + 12800 * logarithms / self.reduction_slope)
                )
        self._filled = (self.reduction_base, self.reduction_slope)
