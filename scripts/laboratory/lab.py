"""`scripts/lab`: matches, learning, benchmarks and experiments as one command."""

import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import click

from lolli.cli.group import WANTS_HELP, LazyCommand, LazyGroup

_BUILD = Path(__file__).parents[1] / "build"


class Needs(Enum):
    """What must be built before a command is imported; the value is the arguments for `scripts/build`."""

    ANYTHING = None
    """Any build, even one older than the sources: an edit must not replace the engine of a long match."""
    CURRENT = ()
    DEV = ("--dev",)


@cache
def build(needs: Needs) -> None:
    if needs.value is not None and (status := subprocess.run([_BUILD, *needs.value], check=False).returncode):
        raise SystemExit(status)


@dataclass(frozen=True)
class LabCommand(LazyCommand):
    needs: Needs

    def load(self) -> click.Command:
        """Without a build for --help, unless the command cannot be imported."""
        context = click.get_current_context(silent=True)
        if context and context.meta.get(WANTS_HELP):
            with suppress(ImportError):
                return super().load()
        build(self.needs)
        return super().load()


def _at(where: str, purpose: str, needs: Needs = Needs.DEV) -> LabCommand:
    return LabCommand(f"scripts.laboratory.{where}", purpose, needs)


SECTIONS = {
    "Matches": {
        "match": _at("match:match", "Play two engines against each other.", Needs.ANYTHING),
        "match-evaluators": _at("learning.pairs:match_evaluators", "Play two evaluators against each other."),
        "make-book": _at("books:make_book", "Make a Polyglot opening book."),
        "name-openings": _at("books:name_openings", "Make the table of opening names.", Needs.CURRENT),
        "calibrate": _at("learning.calibrate:calibrate", "Measure the Elo of the levels of play."),
        "rate-puzzles": _at(
            "rate_puzzles:rate_puzzles", "Rate the levels of play by the puzzles they solve."
        ),
    },
    "Learning": {
        "selfplay": _at("learning.selfplay:selfplay", "Play games or sample positions to learn from."),
        "harvest": _at("learning.selfplay:harvest", "Play games until stopped, in the background."),
        "train": _at("learning.train:train_command", "Train a value network on games."),
        "report-network": _at(
            "learning.report_network:report_network", "Write the page about a value network."
        ),
        "tune": _at("learning.tune:tune", "Learn the weights of the linear evaluation."),
        "screen-search": _at(
            "learning.pairs:screen_search", "Screen many search parameters in one experiment."
        ),
        "tune-search": _at("learning.pairs:tune_search", "Tune search parameters by SPSA."),
    },
    "Policies and values of other games": {
        "learn-policy": _at("learn_policy:learn_policy", "Teach a network a board game from nothing."),
        "judge-policy": _at(
            "judge_policy:judge_policy", "Judge networks by solved positions, and draw how one has learned."
        ),
        "learn-go-policy": _at(
            "learn_games:learn_go_policy", "Learn the linear policy of Go from its own games."
        ),
        "learn-othello": _at("learn_games:learn_othello", "Learn the weights of Othello's patterns."),
    },
    "Benchmarks": {
        "bench": _at("bench:bench", "Measure speed beside other engines.", Needs.CURRENT),
    },
    "Other games": {
        "match-game": _at("match_game:match_game", "Play other games against other programs.", Needs.CURRENT),
        "measure-searchers": _at(
            "measure_searchers:measure_searchers", "Measure the searchers.", Needs.CURRENT
        ),
        "learn-backgammon": _at(
            "learn_backgammon:learn_backgammon", "Train the network that judges backgammon.", Needs.CURRENT
        ),
    },
}
"""All commands by the heading under which the help lists them."""

COMMANDS = {name: command for commands in SECTIONS.values() for name, command in commands.items()}


class LabGroup(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        """As in click; a Ctrl-C that a command does not handle, as while it is loaded, has its status."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise SystemExit(128 + signal.SIGINT) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        width = max(map(len, COMMANDS))
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), each.help) for name, each in commands.items()])


@click.group(cls=LabGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def lab() -> None:
    """Matches, learning, benchmarks and experiments.

    `scripts/lab COMMAND --help` explains a command.
    """
