"""What every feature of the linear evaluation should count, worked out with sets of squares.

Each rule is for one side and says, in terms of the axes of the feature, where it applies; it follows the
feature's `meaning`. The board is always seen from that side (see `seen`).
"""

from collections import Counter
from collections.abc import Callable

import chess

from eval.features import FEATURES, Feature
from tests.eval import king_rules, pawn_rules, piece_rules
from tests.eval.seen import KNIGHT, ROOK, Axes, Seen

FACTORS: dict[str, Callable[[Seen], int]] = {
    "knight with pawns": lambda seen: len(seen.own.places(KNIGHT)) * (len(seen.own.pawns) - 5),
    "rook with pawns": lambda seen: len(seen.own.places(ROOK)) * (len(seen.own.pawns) - 5),
}
"""Products, which may be negative."""

RULES = piece_rules.RULES | pawn_rules.RULES | king_rules.RULES  # where the others apply, each time they do

_COUNTED: dict[str, dict[int, tuple[int, int]]] = {}


def counts(board: chess.Board) -> dict[int, tuple[int, int]]:
    """What White and Black count, by the index of the weight, where either is not 0; remembers it."""
    key = board.shredder_fen()
    if key not in _COUNTED:
        _COUNTED[key] = _counts(board)
    return _COUNTED[key]


def _counts(board: chess.Board) -> dict[int, tuple[int, int]]:
    white, black = (_one_side(Seen(board, colour)) for colour in (chess.WHITE, chess.BLACK))
    return {
        index: (white[index], black[index])
        for index in sorted(white.keys() | black.keys())
        if (white[index], black[index]) != (0, 0)
    }


def feature_of(index: int) -> str:
    return next(each.name for each in FEATURES if each.start <= index < each.start + each.size)


def _one_side(seen: Seen) -> Counter[int]:
    found: Counter[int] = Counter()
    for feature in FEATURES:
        if feature.name in FACTORS:
            found[feature.start] += FACTORS[feature.name](seen)
        else:
            found.update(_index(feature, axes) for axes in RULES[feature.name](seen))
    return found


def _index(feature: Feature, axes: Axes) -> int:
    assert len(axes) == len(feature.shape), feature.name
    place = 0
    for here, length in zip(axes, feature.shape, strict=True):
        assert 0 <= here < length, f"{feature.name}{axes}"
        place = place * length + here
    return feature.start + place
