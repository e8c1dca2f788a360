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
    "check_ordering": Technique("try early the quiet moves by which a piece checks and loses little"),
    "escape_ordering": Technique("try early the escapes from lesser pieces, late the moves into their reach"),
    "killers": Technique("killer moves: try first what refuted a sibling position"),
    "history": Technique("history heuristic: try first the quiet moves that have refuted often"),
    "threat_history": Technique("keep histories apart by whether a move leaves or enters an attacked square"),
    "low_ply_history": Technique("order quiet moves near the root also by a history of this search and ply"),
    "static_history": Technique("credit a quiet move with the gain in static value that it brought"),
    "continuation_history": Technique("try first what has refuted often after the last moves"),
    "capture_history": Technique("try first the captures that have refuted often"),
    "correction_history": Technique(
        "correct the static value by its past errors in similar positions", guess=True
    ),
    "value_scale": Technique("scale the static value by material and the fifty-move count", guess=True),
    "principal_variation": Technique("principal variation search: null windows for all moves but the first"),
    "aspiration": Technique("aspiration windows: expect a value near the last one"),
    "check_extension": Technique("search a ply deeper when in check", default=False),
    "horizon_extension": Technique("search a ply deeper in check at the horizon"),
    "shallow_extension": Technique("search the hash move deeper near the horizon"),
    "hindsight_extension": Technique("search a ply deeper where a reduced move has cost no static value"),
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
    "improving": Technique("where the static value has risen reduce less, but null moves more", guess=True),
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
    "shallow_margin": Number(25, 0, 200, "shallow extension: how far the static value is below alpha"),
    "hindsight_reduction": Number(3, 1, 6, "hindsight extension: least reduction of the move, in plies"),
    "delta_margin": Number(174, 40, 400, "delta pruning: margin besides the captured material"),
    "check_rank": Number(5992, 500, 20000, "check ordering: what a check adds to the history"),
    "check_loss": Number(40, 0, 400, "check ordering: what a check may lose"),
    "escape_rank": Number(4000, 500, 20000, "escape ordering: of a minor piece; rook 2, queen 3 times"),
    "history_bonus": Number(413, 50, 500, "history: bonus for each ply of depth"),
    "history_offset": Number(62, 0, 500, "history: subtracted from the bonus"),
    "history_most": Number(3927, 500, 5000, "history: largest bonus"),
    "refuted_malus": Number(50, 0, 300, "history: malus of a refuted first move in percent of the bonus"),
    "low_ply_weight": Number(64, 8, 128, "low-ply history: weight, in 32nds"),
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
    "correction_minor": Number(200, 0, 800, "correction history: weight of minor pieces and kings"),
    "correction_margin": Number(64, 0, 300, "reverse futility: more margin, in 128ths of the correction"),
    "material_scale": Number(10, 0, 60, "value scale: 1024ths a unit above 14: minor 1, rook 2, queen 4"),
    "fifty_scale": Number(200, 120, 1000, "value scale: halfmoves without progress that would make it 0"),
}
"""Every number by name."""

CLOCK = {
    "time_share": Number(194, 50, 600, "time: share of the clock for the first move, in 10000ths"),
    "time_growth": Number(25, 0, 80, "time: by how much it grows with the root of the ply, in 10000ths"),
    "time_increment": Number(83, 30, 100, "time: share of the increment for a move, in hundredths"),
    "time_hard": Number(629, 200, 1200, "time: the hard limit in hundredths of the soft one"),
    "time_hard_share": Number(55, 15, 80, "time: the largest share of the clock for one move, in hundredths"),
    "time_reserve": Number(60, 20, 400, "time: least reserve on the clock in milliseconds"),
    "time_unstable": Number(154, 100, 250, "time: hundredths of the soft limit where the best move is new"),
    "time_stability": Number(16, 0, 40, "time: hundredths less for each depth with the same best move"),
    "time_stable": Number(61, 30, 100, "time: hundredths of the soft limit where it has long been the same"),
    "time_effort": Number(142, 100, 250, "time: hundredths where the best move took none of the nodes"),
    "time_effort_slope": Number(76, 0, 160, "time: hundredths less where it took them all"),
    "time_fall": Number(14, 0, 80, "time: hundredths more for each 100 centipawns that the score has fallen"),
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
