"""What is told of an annotated game to those who do not read PGN: JSON, and the sums at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chess

from protocol.cli.analysis.assessment import Mark
from protocol.cli.analysis.finding import score_content

if TYPE_CHECKING:
    import chess.pgn
    from chess.engine import Score

    from protocol.cli.annotation.annotator import GameJudgement

Facts = dict[str, Any]

MARKS = {"inaccuracies": Mark.INACCURACY, "mistakes": Mark.MISTAKE, "blunders": Mark.BLUNDER}
"""The names of the marks where they are counted."""
PLAYERS = {"white": chess.WHITE, "black": chess.BLACK}


def facts_of(game: chess.pgn.Game, judgement: GameJudgement | None) -> Facts:
    """A game as JSON tells it; null is what was not judged.

    `accuracy` is in per cent, `acpl` is the average centipawn loss, `evals` are one for each move, after it
    and from White's point of view: {"cp": centipawns} or {"mate": moves}, 0 moves being checkmate.
    """
    moves = sum(1 for _ in game.mainline())
    summaries = {"white": judgement.white, "black": judgement.black} if judgement else {}
    marks = judgement.marks if judgement else ()
    first = game.turn()
    facts: Facts = {}
    for name, color in PLAYERS.items():
        player = summaries.get(name)
        facts[name] = {
            "name": game.headers.get(name.capitalize()),
            "accuracy": player and round(player.accuracy, 1),
            "acpl": player and player.average_centipawn_loss,
            **{each: marks[first != color :: 2].count(mark) for each, mark in MARKS.items()},
        }
    facts["result"] = game.headers.get("Result")
    facts["positions"] = judgement.positions if judgement else 0
    facts["evals"] = [_eval(score) for score in judgement.evals] if judgement else [None] * moves
    return facts


def _eval(score: Score | None) -> dict[str, int] | None:
    return None if score is None else score_content(score)
