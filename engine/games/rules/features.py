"""A linear evaluation with a student's own weights: the features of each game, `--set weights=0.6,0.4`.

The estimate is Σ wᵢ·fᵢ. A feature fᵢ is the player's count less the mean of the others' counts, divided by
about the greatest that there is. No estimate is as good as a win.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import isfinite
from typing import Any, TypeAlias

from engine.games.rules.game import Game, SizeError
from engine.games.rules.tictactoe import JUDGES

Feature: TypeAlias = tuple[Callable[[Any, int], float], float]
"""How much of it a player has in a state, and about the most that he can have."""


_PASS = 64  # in Othello
_GREATEST = 0.999  # of an estimate: less than a win
_CHESS = ("pawns", "knights", "bishops", "rooks", "queens")


def _each(most: float, **counts: Callable[[Any, int], float]) -> Mapping[str, Feature]:
    return {name: (count, most) for name, count in counts.items()}


def _mobility(passing: int | None = None) -> Callable[[Any, int], int]:
    """Counts the moves of a player if it were his turn; `passing`: the move that does not count."""

    def count(state: Any, player: int) -> int:
        moves = state.turn(player).moves() if player in state.remaining() else ()
        return sum(move != passing for move in moves)

    return count


@cache
def _fours(columns: int, rows: int) -> Sequence[int]:
    """The places of four in a row in Connect Four, as bits."""
    found = []
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        for column in range(columns - 3 * right):
            for row in range(3 if up < 0 else 0, rows - 3 if up > 0 else rows):
                squares = [(column + i * right) * (rows + 1) + row + i * up for i in range(4)]
                found.append(sum(1 << square for square in squares))
    return found


def _with_men(*men: int) -> Callable[[Any, int], int]:
    """Counts the places of four in a row with so many men of a player, and none of the other's."""

    def count(state: Any, player: int) -> int:
        own, others = state.discs(player), state.discs(1 - player)
        return sum(
            (four & own).bit_count() in men and not four & others
            for four in _fours(state.columns, state.rows)
        )

    return count


def _in_the_middle(state: Any, player: int) -> int:
    column = (1 << state.rows) - 1
    return sum(
        (state.discs(player) & column << at * (state.rows + 1)).bit_count()
        for at in {(state.columns - 1) // 2, state.columns // 2}
    )


def _corners(state: Any, player: int) -> int:
    last = state.size - 1
    return sum(state.discs(player) >> corner & 1 for corner in (0, last, 8 * last, 9 * last))


def _pieces(kind: int) -> Callable[[Any, int], int]:
    """Counts the pieces of a kind in chess, where the board numbers its sides the other way round."""

    def count(state: Any, player: int) -> int:
        position = state.position()
        return sum(position.piece_at(square) == (1 - player) * 8 + kind for square in range(64))

    return count


def _men(state: Any, player: int) -> int:
    men: int = state.pieces(player) & ~state.crowned()
    return men


def _rows_come(state: Any, player: int) -> int:
    """How many rows all men of checkers have come; black goes down the board."""
    rows = ((_men(state, player) & 15 << 4 * row + row // 2).bit_count() for row in range(8))
    return sum(men * (7 - row if player else row) for row, men in enumerate(rows))


def _on_top(state: Any, player: int) -> int:
    heights = map(state.height, range(64))
    return sum(height > 0 and state.piece(cell, height - 1) == player for cell, height in enumerate(heights))


FEATURES: Mapping[str, Mapping[str, Feature]] = {
    "tictactoe": JUDGES,
    "connectfour": _each(
        30, open=_with_men(0, 1, 2, 3), twos=_with_men(2), threes=_with_men(3), middle=_in_the_middle
    ),
    "othello": _each(
        64, corners=_corners, mobility=_mobility(_PASS), discs=lambda s, p: s.discs(p).bit_count()
    ),
    "checkers": _each(
        12,
        men=lambda s, p: _men(s, p).bit_count(),
        kings=lambda s, p: (s.pieces(p) & s.crowned()).bit_count(),
        advance=_rows_come,
    ),
    "chess": _each(8, **{name: _pieces(kind) for kind, name in enumerate(_CHESS)}),
    "backgammon": {
        "pips": (lambda s, p: sum(point * men for point, men in enumerate(s.board(p))), 167),
        "off": (lambda s, p: s.board(p)[0], 15),
        "blots": (lambda s, p: s.board(p)[1:25].count(1), 15),
        "points": (lambda s, p: sum(men > 1 for men in s.board(p)[1:25]), 7),
    },
    "focus": _each(36, pieces=lambda s, p: s.left(p), stacks=_on_top, reserve=lambda s, p: s.in_reserve(p)),
    "chinesecheckers": _each(140, steps=lambda s, p: s.steps(p), mobility=_mobility()),
    "virus": _each(144, squares=lambda s, p: s.squares(p), mobility=_mobility()),
}


def weigh(game: Game[Any], weights: str) -> None:
    """Give a game the estimate with these weights, such as `0.6,0.4`.

    They are divided by the sum of their absolute values if that is more than 1.

    Raises SizeError.
    """
    features, players = FEATURES[game.name], range(game.players)
    try:
        given = [float(word) for word in weights.split(",")]
    except ValueError:
        given = []
    if len(given) != len(features) or not isfinite(sum(map(abs, given))):
        raise SizeError(
            f"the weights of {game.title} must be {len(features)} numbers, for {', '.join(features)},"
            f" not {weights[:40]!r}"
        )
    whole = max(1.0, sum(map(abs, given))) * (game.players - 1)
    used = [
        (weight / whole, *feature) for weight, feature in zip(given, features.values(), strict=True) if weight
    ]

    def estimate(state: Any) -> Sequence[float]:
        values = [0.0] * game.players
        for weight, count, most in used:
            counts = [count(state, player) for player in players]
            for player in players:
                others = (sum(counts) - counts[player]) / (game.players - 1)
                values[player] += weight * (counts[player] - others) / most
        return [max(-_GREATEST, min(_GREATEST, value)) for value in values]

    game.weights, game.estimate = weights, estimate  # type: ignore[method-assign]
