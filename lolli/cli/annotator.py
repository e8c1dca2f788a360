"""Games of a file annotated in workers, and what `lolli annotate --json` tells of each."""

from __future__ import annotations

from typing import Any

import chess
import chess.pgn

from lolli._analyst import Analyst
from lolli._annotator import GameJudgement, annotate_game
from lolli._assessment import Mark
from lolli._findings import score_content
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import ReadGame, header_text, written
from lolli.cli.runs import Job, Result

Facts = dict[str, Any]

MARKS = {"inaccuracies": Mark.INACCURACY, "mistakes": Mark.MISTAKE, "blunders": Mark.BLUNDER}
PLAYERS = {"white": chess.WHITE, "black": chess.BLACK}


def annotated(read: ReadGame, analyst: Analyst, job: Job, raw: RawGame) -> Result:
    """The work of `do_game`; no data if the game gets no annotations."""
    del raw
    judgement = annotate_game(read.game, analyst, job.limits, job.options)
    changed = judgement is not None or job.options.fresh
    return Result(written(read) if changed else None, facts_of(read.game, judgement))


def facts_of(game: chess.pgn.Game, judgement: GameJudgement | None) -> Facts:
    """A game for JSON; null if not evaluated.

    `accuracy` is in per cent, `acpl` the average centipawn loss. `evals` are White's, after each move: {"cp":
    centipawns} or {"mate": moves}, 0 moves being checkmate. `book` and `opening` count plies. `reasons` are
    those of marked moves, by their ply from 1.
    """
    moves = sum(1 for _ in game.mainline())
    summaries = {"white": judgement.white, "black": judgement.black} if judgement else {}
    marks = judgement.marks if judgement else ()
    only = judgement.only if judgement else ()
    first = game.turn()
    facts: Facts = {}
    for name, color in PLAYERS.items():
        player = summaries.get(name)
        written = game.headers.get(name.capitalize())
        facts[name] = {
            "name": None if written is None else header_text(written),
            "accuracy": player and round(player.accuracy, 1),
            "acpl": player and player.average_centipawn_loss,
            **{each: marks[first != color :: 2].count(mark) for each, mark in MARKS.items()},
            "only_moves": only[first != color :: 2].count(True),
        }
    facts["result"] = game.headers.get("Result")
    facts["book"] = judgement.book if judgement else 0
    facts["opening"] = judgement.opening if judgement else 0
    facts["positions"] = judgement.positions if judgement else 0
    evals = judgement.evals if judgement else [None] * moves
    facts["evals"] = [None if score is None else score_content(score) for score in evals]
    facts["reasons"] = [
        {"ply": ply, "text": reason.paragraph, "motifs": sorted(reason.motifs), **reason.facts}
        for ply, reason in enumerate(judgement.reasons if judgement else (), 1)
        if reason is not None
    ]
    return facts
