"""The quality of the moves of a game, from the scores of its positions, as Lichess measures it.

https://lichess.org/page/accuracy, except that mates are certain here. The accuracy of a game is the mean of
the harmonic mean of its moves' accuracies and of a mean weighted by the volatility of the position. The
accuracy of several games is weighted by their moves.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise
from math import exp
from statistics import fmean, harmonic_mean, pstdev
from typing import Any, Self

import chess
import chess.pgn
from chess.engine import Cp, Mate, MateGiven, Score

from protocol.about import NAME

JUDGING_NODES = 200_000
"""The default for each position of a game, the same for all commands."""
MOST_MOMENTS = 6
"""Critical moments of a game."""
_STEEPNESS = 0.00368208  # of winning chances, per centipawn; from games of people rated about 2300
_ACCURACY_HEIGHT, _ACCURACY_DECAY, _ACCURACY_FLOOR = 103.1668100711649, 0.04354415386753951, 3.166924740191411
_LEAST_ACCURACY = 1.0  # in the harmonic mean, which one move of accuracy 0 would make 0
_UNCERTAINTY = 1.0  # per cent, added to each move as no analysis is perfect
_MOST_CENTIPAWNS = 1000  # mates and hopeless scores count as this
_WINDOWS_PER_GAME, _SHORTEST_WINDOW, _LONGEST_WINDOW = 10, 2, 8
_LEAST_WEIGHT, _MOST_WEIGHT = 0.5, 12.0
LOLLIS_ANALYSIS = re.compile(rf"(?:^|; ){NAME} ")
"""Where Lolli's part of the header Analysis begins; what stands before it is another program's."""
_START = Cp(15)  # the score of a first position that was not judged


class Mark(Enum):
    """A mark for a bad move: its least loss in winning chances, its NAG and its symbol."""

    BLUNDER = (0.3, chess.pgn.NAG_BLUNDER, "??")
    MISTAKE = (0.2, chess.pgn.NAG_MISTAKE, "?")
    INACCURACY = (0.1, chess.pgn.NAG_DUBIOUS_MOVE, "?!")

    def __init__(self, least: float, nag: int, symbol: str) -> None:
        self.least = least
        self.nag = nag
        self.symbol = symbol

    @classmethod
    def among(cls, nags: Collection[int]) -> Self | None:
        """The worst mark in `nags`, or None."""
        return next((mark for mark in cls if mark.nag in nags), None)


@dataclass(frozen=True, slots=True)
class MoveAssessment:
    """The mover's `loss` in winning chances, 0 … 2; `accuracy` in per cent; `weight` in that of the game."""

    loss: float
    centipawn_loss: int
    accuracy: float
    mark: Mark | None
    weight: float


@dataclass(frozen=True, slots=True)
class PlayerSummary:
    """One player's game, or several: `moves` were evaluated; `accuracy` is in per cent."""

    moves: int
    average_centipawn_loss: int
    accuracy: float


def winning_chances(score: Score) -> float:
    """-1 … 1, from the same point of view as the score; a mate is certain."""
    if score.is_mate():
        return 1.0 if score > Cp(0) else -1.0
    centipawns = max(-_MOST_CENTIPAWNS, min(_MOST_CENTIPAWNS, score.score() or 0))
    return 2 / (1 + exp(-_STEEPNESS * centipawns)) - 1


def assess(first: chess.Color, scores: Sequence[Score | None]) -> list[MoveAssessment | None]:
    """`scores` are White's: before the first move, which is by `first`, and after each; None if unknown."""
    return [
        None
        if before is None or after is None
        else _assess_move(first ^ bool(ply % 2), before, after, weight)
        for ply, ((before, after), weight) in enumerate(zip(pairwise(scores), _weights(scores), strict=True))
    ]


def summary(first: chess.Color, scores: Sequence[Score | None], color: chess.Color) -> PlayerSummary | None:
    """None if no move of theirs was evaluated. See `assess`."""
    return measured(assess(first, scores)[first != color :: 2])


def measured(moves: Iterable[MoveAssessment | None]) -> PlayerSummary | None:
    """None if no move was evaluated."""
    judged = [each for each in moves if each is not None]
    if not judged:
        return None
    weighted = fmean([each.accuracy for each in judged], [each.weight for each in judged])
    harmonic = harmonic_mean([max(_LEAST_ACCURACY, each.accuracy) for each in judged])
    return PlayerSummary(
        moves=len(judged),
        average_centipawn_loss=round(fmean(each.centipawn_loss for each in judged)),
        accuracy=(weighted + harmonic) / 2,
    )


def over_games(games: Iterable[PlayerSummary | None]) -> PlayerSummary | None:
    """Each game counts by its moves. None if no move was evaluated."""
    judged = [each for each in games if each is not None]
    if not judged:
        return None
    moves = [each.moves for each in judged]
    return PlayerSummary(
        moves=sum(moves),
        average_centipawn_loss=round(fmean([each.average_centipawn_loss for each in judged], moves)),
        accuracy=fmean([each.accuracy for each in judged], moves),
    )


def critical_moves(assessments: Sequence[MoveAssessment | None], most: int = MOST_MOMENTS) -> list[int]:
    """Indices of the `most` marked moves that lost most, in the order of the game; of equals the earlier."""
    marked = [(each.loss, move) for move, each in enumerate(assessments) if each and each.mark]
    worst = sorted(marked, key=lambda pair: (-pair[0], pair[1]))[:most]
    return sorted(move for _, move in worst)


def mark_of(mover: chess.Color, before: Score, after: Score) -> Mark | None:
    """The mark of a move, from White's scores before and after it; None for a good one."""
    return _assess_move(mover, before, after, 1.0).mark


def _assess_move(mover: chess.Color, before: Score, after: Score, weight: float) -> MoveAssessment:
    if mover == chess.BLACK:
        before, after = -before, -after
    loss = max(0.0, winning_chances(before) - winning_chances(after))
    centipawn_loss = max(0, _bounded(before) - _bounded(after))
    mark = next((mark for mark in Mark if loss >= mark.least), None)
    return MoveAssessment(loss, centipawn_loss, _move_accuracy(loss), mark, weight)


def _bounded(score: Score) -> int:
    value = score.score(mate_score=_MOST_CENTIPAWNS * 100)
    return max(-_MOST_CENTIPAWNS, min(_MOST_CENTIPAWNS, value))


def _move_accuracy(loss: float) -> float:
    if loss <= 0:
        return 100.0
    lost = 50 * loss  # on the scale from 0 to 100
    accuracy = _ACCURACY_HEIGHT * exp(-_ACCURACY_DECAY * lost) - _ACCURACY_FLOOR + _UNCERTAINTY
    return max(0.0, min(100.0, accuracy))


def _weights(scores: Sequence[Score | None]) -> list[float]:
    """For each move the standard deviation of the winning chances, in per cent, in a window around it."""
    known: list[float] = []
    last: Score = _START
    for score in scores:
        last = score if score is not None else last
        known.append(50 + 50 * winning_chances(last))
    moves = len(scores) - 1
    length = max(_SHORTEST_WINDOW, min(_LONGEST_WINDOW, moves // _WINDOWS_PER_GAME))
    first = known[:length]
    windows = [first] * min(length - 2, moves)
    windows += [known[begin : begin + length] for begin in range(len(known) - length + 1)]
    return [max(_LEAST_WEIGHT, min(_MOST_WEIGHT, pstdev(window))) for window in windows[:moves]]


# What a file has


def mated_score(board: chess.Board) -> Score:
    """White's score of a checkmate."""
    return Mate(0) if board.turn == chess.WHITE else MateGiven


def after_first(score: Score, mover: chess.Color, count: int = 1) -> Score:
    """White's score after `mover`'s best move, from that before; with -1 the reverse. Mates come nearer."""
    own = score if mover == chess.WHITE else -score
    mate = own.mate()
    if mate is not None and mate >= 0:
        own = Mate(mate - count) if mate > count else MateGiven
    return own if mover == chess.WHITE else -own


def score_of(node: chess.pgn.GameNode, board: chess.Board) -> Score | None:
    """White's score that a file has for a position, or that the rules give it."""
    if board.is_checkmate():
        return mated_score(board)
    if board.is_stalemate() or board.is_insufficient_material():
        return Cp(0)
    return told_score(node.comment, board.turn)


def told_score(comment: str, turn: chess.Color) -> Score | None:
    """From White's point of view. A node's own `eval` walks back to the first move to find `turn`."""
    alone = chess.pgn.Game({})
    alone.comment = comment
    try:
        found = alone.eval()
    except ValueError:  # a mate in more moves than Python has digits for
        return None
    if found is None:
        return None
    score = found.white()
    return MateGiven if score == Mate(0) and turn == chess.BLACK else score


def is_analysed(headers: Mapping[str, str]) -> bool:
    """Whether Lolli has annotated the game, perhaps after another program."""
    return LOLLIS_ANALYSIS.search(headers.get("Analysis", "")) is not None


def header_measures(headers: Mapping[str, str], color: chess.Color) -> dict[str, Any]:
    """The fields of a PlayerSummary that Lolli wrote into the headers: they count the first position, too."""
    if not is_analysed(headers):
        return {}
    name = "White" if color else "Black"
    try:
        loss, accuracy = int(headers[f"{name}ACPL"]), float(headers[f"{name}Accuracy"])
    except (KeyError, ValueError):
        return {}
    if not 0 <= accuracy <= 100:
        return {}
    return {"average_centipawn_loss": loss, "accuracy": accuracy}


def game_summary(game: chess.pgn.Game, color: chess.Color) -> PlayerSummary | None:
    """What the scores in a game say of a player; None if no move of theirs has one."""
    board = game.board()
    scores = [score_of(game, board)]
    for node in game.mainline():
        board.push(node.move)
        scores.append(score_of(node, board))
    found = summary(game.turn(), scores, color)
    return found and replace(found, **header_measures(game.headers, color))
