"""`lolli uci`: the same as `lolli` alone."""

from pathlib import Path

import click

from engine.session import Session
from lolli.cli import speak_uci
from lolli.cli.shared_options import chosen_evaluator, evaluator_options


@click.command(
    epilog="""\b
Examples:
  lolli uci
  lolli uci --eval material"""
)
@evaluator_options
def command(evaluator: str | None, weights: Path | None) -> None:
    """Speak UCI on stdin and stdout, as `lolli` without a command does, but with this evaluator at first."""
    session = None
    if evaluator is not None or weights is not None:
        name, choices = chosen_evaluator(evaluator, weights)
        session = Session(choices=choices)
        session.use_evaluator(name)
    speak_uci(session)
