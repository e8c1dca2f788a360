"""`lolli eval`: the terms of the static evaluation of a position."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from engine.board.fen import START_FEN, FenError, format_fen, parse_fen, square_name
from engine.board.position import Position
from eval.choice import Choice
from eval.evaluator import Explanation
from lolli.cli.shared_options import (
    chosen_evaluator,
    evaluator_options,
    json_option,
    recognised_positions,
    report_assumptions,
)
from protocol import evaluation
from protocol.evaluation import scale_of


@click.command(
    epilog="""\b
Examples:
  lolli eval
  lolli eval "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -" --eval material
  lolli eval 1. e4 c5 2. Nf3
  lolli eval --json bratko-kopec.epd > values.jsonl
  lolli eval --weights other.json --json"""
)
@evaluator_options
@json_option("Print JSON, a line for each position, in centipawns.")
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
def command(words: tuple[str, ...], evaluator: str | None, weights: Path | None, as_json: bool) -> None:
    """Show how the static evaluation judges a position, by default the start position.

    A table shows the terms for White and Black in the middle game (MG) and the endgame (EG), in pawns. A
    network has no terms: it shows the value as it would be with another number of men, and what each man is
    worth; the terms of the linear evaluation follow. Below are the value and White's chances. Nothing is
    searched. POSITION is as for `lolli analyse`; several positions, as in a file of EPD, get a table each.
    """
    positions = _positions(words)
    name, choices = chosen_evaluator(evaluator, weights)
    for heading, position in positions:
        explanations = choices.explanations(name, position)
        if as_json:
            click.echo(json.dumps(_content(position, *explanations[0])))
            continue
        if len(positions) > 1:
            click.echo(f"\n{heading}")
        for choice, explanation in explanations:
            _show(position, choice, explanation)


def _show(position: Position, choice: Choice, explanation: Explanation) -> None:
    scale = scale_of(position, choice.outcome, choice.normalises)
    if explanation.network is None or not sys.stdout.isatty():
        _print(evaluation.table(choice.name, explanation, scale, position))
        return
    from lolli.cli.terminal.board import Look, look_of, worth_lines  # noqa: PLC0415 - rich takes its time
    from lolli.cli.terminal.screen import output  # noqa: PLC0415

    console = output()
    if look_of(console) is not Look.COLOURED:
        _print(evaluation.table(choice.name, explanation, scale, position))
        return
    _print([*evaluation.heading(choice.name), *evaluation.buckets(explanation.network)])
    console.print(*worth_lines(explanation.network, position), sep="\n")
    _print(["", *evaluation.conclusion(explanation, scale, position)])


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _positions(words: Sequence[str]) -> list[tuple[str, Position]]:
    try:
        return [("", parse_fen(" ".join(words) or START_FEN))]
    except FenError:
        from lolli._positions import engine_fen  # noqa: PLC0415 - not for a plain FEN
    found = recognised_positions(words)
    report_assumptions(found)
    headings = [f"{each.name}: {each.board.fen()}" if each.name else each.board.fen() for each in found]
    return list(zip(headings, (parse_fen(engine_fen(each.board)) for each in found), strict=True))


def _content(position: Position, choice: Choice, explanation: Explanation) -> dict[str, Any]:
    scale = scale_of(position, choice.outcome, choice.normalises)
    parts = explanation.network
    normalised = chances = network = None
    if parts is not None:
        men = {square_name(square): worth for square, worth in enumerate(parts.men) if worth is not None}
        network = {"buckets": parts.buckets, "used": parts.used, "men": men}
    if (meaning := scale.meaning(explanation.value)) is not None:
        normalised, numbers = meaning
        chances = dict(zip(("win", "draw", "loss"), numbers, strict=True))
    return {
        "fen": format_fen(position),
        "evaluator": choice.name,
        **asdict(explanation),
        "network": network,
        "check": bool(position.checkers),
        "normalised": normalised,
        "chances": chances,
    }
