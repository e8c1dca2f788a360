"""Which endings are won, drawn or hard to win, counted from lists of pieces; and the value of the whole."""

from dataclasses import dataclass
from fractions import Fraction

import chess

from eval.weight_file import Weights
from tests.eval.feature_oracle import counts
from tests.eval.seen import pair, steps

LIMIT = 20000
FULL_PHASE, FULL_SCALE = 24, 64
WORTH = {"P": 100, "N": 300, "B": 300, "R": 500, "Q": 900, "K": 0}
PHASES = {"P": 0, "N": 1, "B": 1, "R": 2, "Q": 4, "K": 0}


@dataclass(frozen=True)
class Force:
    """What a side has: letters of its pieces, king and pawns left out, squares of its pawns and bishops."""

    letters: str
    king: int
    pawns: list[int]
    dark_bishops: int
    light_bishops: int

    @classmethod
    def of(cls, board: chess.Board, colour: bool) -> "Force":
        own = {square: piece for square, piece in board.piece_map().items() if piece.color == colour}
        letters = sorted(piece.symbol().upper() for piece in own.values())
        king = board.king(colour)
        assert king is not None
        bishops = [sum(pair(square)) % 2 for square in board.pieces(chess.BISHOP, colour)]
        return cls(
            "".join(letter for letter in letters if letter not in "PK"),
            king,
            list(board.pieces(chess.PAWN, colour)),
            bishops.count(0),
            bishops.count(1),
        )

    @property
    def worth(self) -> int:
        """Its pieces in centipawns, without pawns."""
        return sum(WORTH[letter] for letter in self.letters)


def distance(one: int, other: int) -> int:
    return steps(pair(one), pair(other))


def is_won(board: chess.Board, strong: bool) -> bool:
    """Whether a bare king faces what surely mates it."""
    force, bare = Force.of(board, strong), Force.of(board, not strong)
    major = "R" in force.letters or "Q" in force.letters
    bishops = force.dark_bishops > 0 and force.light_bishops > 0
    mates = major or bishops or ("B" in force.letters and "N" in force.letters)
    return mates and not bare.letters and not bare.pawns


def scale(board: chess.Board, strong: bool) -> int:
    """How much of 64 an endgame that side `strong` is ahead in is worth."""
    force, weak = Force.of(board, strong), Force.of(board, not strong)
    lead = force.worth - weak.worth
    drawn = drawn_scale(board, strong)
    if drawn < FULL_SCALE or not force.pawns:
        return drawn
    bishops = [(side.dark_bishops, side.light_bishops) for side in (force, weak)]
    if bishops in ([(1, 0), (0, 1)], [(0, 1), (1, 0)]):
        return 26 if force.letters == weak.letters == "B" else 48
    return min(FULL_SCALE, 40 + 6 * len(force.pawns)) if lead <= 300 else FULL_SCALE


def drawn_scale(board: chess.Board, strong: bool) -> int:
    """The same of what theory knows to be drawn, or nearly always; the whole of everything else."""
    force, weak = Force.of(board, strong), Force.of(board, not strong)
    if not force.pawns:
        return _scale_of_pieces(force, weak)
    return 0 if _wrong_rook_pawn(force, weak, goal=7 if strong else 0) else FULL_SCALE


def _scale_of_pieces(force: Force, weak: Force) -> int:
    """The same without pawns: what cannot mate is worth nothing, what is a minor piece ahead little."""
    one_colour = 0 in {force.dark_bishops, force.light_bishops}
    if force.letters == "N" or (one_colour and not force.letters.strip("B")):
        return 0
    if force.worth - weak.worth > 300:
        return 0 if force.letters == "NN" else FULL_SCALE
    return 4 if weak.worth <= 300 else 14


def _wrong_rook_pawn(force: Force, weak: Force, goal: int) -> bool:
    """Pawns on one edge file, at most bishops that do not reach its corner, and the king there."""
    files = {chess.square_file(pawn) for pawn in force.pawns}
    if files not in ({0}, {7}) or force.letters.strip("B"):
        return False
    corner = chess.square(files.pop(), goal)
    useful = force.dark_bishops if sum(pair(corner)) % 2 == 0 else force.light_bishops
    return not useful and distance(weak.king, corner) <= 1


@dataclass(frozen=True)
class Verdict:
    """What a trace should say; in a known ending nothing is said about scale and value."""

    counts: dict[int, tuple[int, int]]
    material: int
    phase: int
    scale: int | None
    known: bool
    value: int | None


def verdict(board: chess.Board, weights: Weights) -> Verdict:
    """What the linear evaluation should make of a position, in White's centipawns."""
    symbols = [piece.symbol() for piece in board.piece_map().values()]
    material = sum(WORTH[each.upper()] * (1 if each.isupper() else -1) for each in symbols)
    phase = min(FULL_PHASE, sum(PHASES[each.upper()] for each in symbols))
    counted = counts(board)
    if is_won(board, chess.WHITE) or is_won(board, chess.BLACK):
        return Verdict(counted, material, phase, None, True, None)
    middle, endgame = (
        material + sum(part[index] * (white - black) for index, (white, black) in counted.items())
        for part in (weights.middle, weights.endgame)
    )
    scaled = scale(board, strong=endgame > 0)
    mixed = Fraction(middle * phase * FULL_SCALE + endgame * (FULL_PHASE - phase) * scaled)
    value = int(mixed / (FULL_PHASE * FULL_SCALE))
    return Verdict(counted, material, phase, scaled, False, max(-LIMIT, min(LIMIT, value)))
