"""`lolli eval`: what the static evaluation of a position is made of."""

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
from protocol.cli.evaluators import BadInputError, chosen, evaluator_options
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each position, in centipawns.")
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
def command(words: tuple[str, ...], evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Show what the evaluation of a position is made of, without POSITION of the start position.

    A table of the terms for White and Black in the middle game (MG) and the endgame (EG), in pawns;
    then the value and what it means for White. Nothing is searched. POSITION is whatever
    `lolli analyse` takes; several positions, as in a file of EPD, have a table each.
    """
    positions = _positions(words)
    name, choices = chosen(evaluator, weights)
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
    """Each position with a heading that says which one it is. Raises BadInputError."""
    try:
        return [("", parse_fen(" ".join(words) or START_FEN))]
    except FenError:
        # What needs python-chess only where it is no plain FEN.
        from protocol.cli.analysis.analyst import engine_fen  # noqa: PLC0415
        from protocol.cli.analysis.recognition import RecognitionError, recognise_words  # noqa: PLC0415
        from protocol.cli.terminal.console import messages  # noqa: PLC0415
    try:
        setups = recognise_words(words)
    except RecognitionError as error:
        raise BadInputError(str(error)) from None
    for setup in setups:
        if setup.assumed:
            messages().print(f"Assumed: {setup.assumed}.")
    headings = [f"{setup.name}: {setup.board.fen()}" if setup.name else setup.board.fen() for setup in setups]
    boards = [parse_fen(engine_fen(setup.board)) for setup in setups]
    return list(zip(headings, boards, strict=True))


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
