"""`scripts/lab`: all that is measured, learned and played to make Lolli better, as one command."""

import subprocess
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import click

from protocol.cli.lazy_group import LazyCommand, LazyGroup

_BUILD = Path(__file__).parents[1] / "build"


class Needs(Enum):
    """What a command needs built; the value is what `scripts/build` is asked for."""

    ANYTHING = None
    """Any build, even one older than the sources: what plays for hours must not be replaced by an edit."""
    CURRENT = ()
    DEV = ("--dev",)


@cache
def build(needs: Needs) -> None:
    """See that there is what a command needs; the process ends with the status of a build that fails."""
    if needs.value is not None and (status := subprocess.run([_BUILD, *needs.value], check=False).returncode):
        raise SystemExit(status)


@dataclass(frozen=True)  # with slots, super() would not find the class
class LabCommand(LazyCommand):
    """A command that is imported when what it needs is built."""

    needs: Needs = Needs.DEV

    def load(self) -> click.Command:
        """Build, and import the command."""
        build(self.needs)
        return super().load()


def _command(where: str, purpose: str, needs: Needs = Needs.DEV) -> LabCommand:
    return LabCommand(f"scripts.laboratory.{where}", purpose, needs)


COMMANDS = {
    "bench-annotate": _command(
        "benchmarks.annotate:command", "Measure the speed of `lolli annotate`.", Needs.CURRENT
    ),
    "bench-depth": _command("benchmarks.depth:command", "Measure nodes and time to a depth.", Needs.CURRENT),
    "bench-modes": _command("benchmarks.modes:command", "Compare compiled with plain Python.", Needs.CURRENT),
    "bench-perft": _command(
        "benchmarks.perft:command", "Measure the speed of the move generator.", Needs.CURRENT
    ),
    "bench-speed": _command("benchmarks.speed:command", "Compare the speed of builds.", Needs.CURRENT),
    "bench-start": _command(
        "benchmarks.start:command", "Measure the time from the start to `uciok`.", Needs.CURRENT
    ),
    "bench-stop": _command(
        "benchmarks.stop:command", "Measure the time from `stop` to `bestmove`.", Needs.CURRENT
    ),
    "calibrate": _command(
        "learning.calibrate_command:calibrate", "Measure what the levels are worth in Elo."
    ),
    "correlate": _command("learning.correlate_command:correlate", "Correlate evaluation terms with results."),
    "fit-outcomes": _command("learning.fit_command:fit", "Fit the win probabilities to games."),
    "fuzz": _command("fuzzing.fuzz_command:command", "Give damaged input to everything that takes input."),
    "learn-backgammon": _command(
        "games.backgammon.learn_command:learn_backgammon", "Train the network of backgammon."
    ),
    "make-book": _command("books.make_book_command:make_book", "Make an opening book."),
    "match": _command("matches.match_command:match", "Play one engine against another.", Needs.ANYTHING),
    "match-gnubg": _command(
        "games.backgammon.match_command:match_gnubg", "Play backgammon against gnubg.", Needs.CURRENT
    ),
    "match-go": _command("games.gnugo.match_command:match_go", "Play Go against GNU Go.", Needs.CURRENT),
    "match-mcts": _command(
        "games.mcts.match_command:match_mcts", "Play other games against OpenSpiel's MCTS."
    ),
    "measure-ordering": _command(
        "games.searchers.ordering_command:command", "Measure what move ordering saves alpha-beta."
    ),
    "measure-searchers": _command(
        "games.searchers.measure_command:command", "Make the tables of docs/searchers.", Needs.CURRENT
    ),
    "openings": _command("matches.openings_command:openings", "Make balanced openings.", Needs.ANYTHING),
    "sanitize": _command("sanitizing.command:command", "Run tests under the sanitizers of gcc."),
    "screen-search": _command(
        "learning.screen_command:screen", "Screen search techniques in one factorial experiment."
    ),
    "selfplay": _command("learning.selfplay_command:selfplay", "Play games to learn from."),
    "soak": _command(
        "soaking.soak_command:soak", "Play thousands of games under all conditions.", Needs.ANYTHING
    ),
    "solve-connectfour": _command(
        "games.connectfour_command:command", "Solve positions of Connect Four.", Needs.CURRENT
    ),
    "threat-ads": _command("games.threats.command:threat_ads", "Measure what Threat-ADS saves."),
    "tune": _command("learning.tune_command:tune", "Fit the weights of the evaluation to games."),
    "tune-search": _command("learning.spsa_command:tune_search", "Tune search parameters by SPSA."),
}


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
def lab() -> None:
    """Matches, learning, benchmarks and experiments.

    `scripts/lab COMMAND --help` tells more about one.
    """
