"""`lolli eval`: what the static evaluation of a position is made of."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.position import Position
from eval.explanation import Explanation
from protocol import evaluation
from protocol.cli.evaluators import BadInputError, chosen, evaluator_options
from protocol.scale import Scale, scale_of


@click.command(
    short_help="Show the terms of the evaluation.",
    epilog="""\b
Examples:
  lolli eval
  lolli eval "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" --eval material
  lolli eval --weights other.json --json""",
)
@evaluator_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, in centipawns.")
@click.argument("words", nargs=-1, metavar="[FEN]")
def command(words: tuple[str, ...], evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Show what the evaluation of a position is made of, without FEN of the start position.

    A table of the terms for White and Black in the middle game (MG) and the endgame (EG), in pawns;
    then the value and what it means for White. Nothing is searched.
    """
    try:
        position = parse_fen(" ".join(words) or START_FEN)
    except FenError as error:
        raise BadInputError(str(error)) from None
    name, choices = chosen(evaluator, weights)
    choice = choices[name]
    explanation = choice.make().explain(position)
    scale = scale_of(position, choice.outcome, choice.normalises)
    if as_json:
        click.echo(json.dumps(_content(position, name, explanation, scale), indent=1))
        return
    for line in evaluation.table(name, explanation, scale, bool(position.checkers)):
        click.echo(line)


def _content(position: Position, name: str, explanation: Explanation, scale: Scale) -> dict[str, Any]:
    """Everything that the table says; what is not known is null."""
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
