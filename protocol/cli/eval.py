"""`lolli eval`: the terms of the static evaluation of a position."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.position import Position
from eval.explanation import Explanation
from protocol import evaluation
from protocol.cli.shared_options import (
    chosen_evaluator,
    evaluator_options,
    json_option,
    recognised_positions,
    report_assumptions,
)
from protocol.evaluation import Scale, scale_of


@click.command(
    epilog="""\b
Examples:
  lolli eval
  lolli eval "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" --eval material
  lolli eval 1. e4 c5 2. Nf3
  lolli eval --json bratko-kopec.epd > values.jsonl
  lolli eval --weights other.json --json""",
)
@evaluator_options
@json_option("Print JSON, a line for each position, in centipawns.")
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
def command(words: tuple[str, ...], evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Show the terms of the static evaluation of a position, by default the start position.

    A table shows the terms for White and Black in the middle game (MG) and the endgame (EG), in pawns; below
    it are the value and White's chances. Nothing is searched. POSITION is as for `lolli analyse`; several
    positions, as in a file of EPD, get a table each.
    """
    positions = _positions(words)
    name, choices = chosen_evaluator(evaluator, weights)
    choice = choices[name]
    judge = choice.make()
    for heading, position in positions:
        explanation = judge.explain(position)
        scale = scale_of(position, choice.outcome, choice.normalises)
        if as_json:
            click.echo(json.dumps(_content(position, name, explanation, scale)))
            continue
        if len(positions) > 1:
            click.echo(f"\n{heading}")
        for line in evaluation.table(name, explanation, scale, bool(position.checkers)):
            click.echo(line)


def _positions(words: Sequence[str]) -> list[tuple[str, Position]]:
    """The positions, each with a heading. Raises BadInputError."""
    try:
        return [("", parse_fen(" ".join(words) or START_FEN))]
    except FenError:
        from protocol.cli.analysis.analyst import engine_fen  # noqa: PLC0415 - not for a plain FEN
    found = recognised_positions(words)
    report_assumptions(found)
    headings = [f"{each.name}: {each.board.fen()}" if each.name else each.board.fen() for each in found]
    return list(zip(headings, (parse_fen(engine_fen(each.board)) for each in found), strict=True))


def _content(position: Position, name: str, explanation: Explanation, scale: Scale) -> dict[str, Any]:
    """The content of the table; null if not known."""
    normalised = chances = None
    if scale.model is not None:
        normalised = scale.model.normalised(explanation.value, scale.material)
        numbers = scale.model.chances(explanation.value, scale.material)
        chances = dict(zip(("win", "draw", "loss"), numbers, strict=True))
    return {
        "fen": format_fen(position),
        "evaluator": name,
        **asdict(explanation),
        "check": bool(position.checkers),
        "normalised": normalised,
        "chances": chances,
    }
