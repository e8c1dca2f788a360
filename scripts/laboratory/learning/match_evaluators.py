"""`scripts/lab match-evaluators`."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import click

from scripts.laboratory.job_options import job_options
from scripts.laboratory.jobs import JobError
from scripts.laboratory.lab_options import (
    OPENINGS,
    WIDE,
    KeyValues,
    Words,
    WordsCommand,
    count_option,
    every_option,
    file_option,
    record_option,
    seed_option,
)
from scripts.laboratory.learning.evaluator_match import EvaluatorMatch, EvaluatorMatchTerms
from scripts.laboratory.learning.given_evaluator import EvaluatorType
from scripts.laboratory.long_run import JournalError, RunDisplay, exit_status
from scripts.laboratory.matches.match_report import interval
from scripts.laboratory.matches.plan import PlanError, parse_sprt
from scripts.laboratory.openings import OpeningSuite, OpeningSuiteError
from scripts.laboratory.statistics import (
    SprtVerdict,
    elo_estimate,
    likelihood_of_superiority,
    normalised_elo_estimate,
)

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.laboratory.job_options import JobRunner
    from scripts.laboratory.learning.evaluator_match import EvaluatorMatchTally
    from scripts.laboratory.learning.given_evaluator import GivenEvaluator
    from scripts.laboratory.statistics import Sprt


@click.command("match-evaluators", cls=WordsCommand, context_settings=WIDE)
@click.option(
    "--first", type=EvaluatorType(), required=True, help="An evaluator, perhaps with a file of weights."
)
@click.option("--second", type=EvaluatorType(), default="linear", show_default=True, help="Its opponent.")
@record_option
@count_option("--pairs", 500, "Number of pairs of games at most.")
@count_option("--nodes", 5000, "Nodes of each search.")
@count_option("--microseconds", 0, "Processor time of each search, instead of nodes; 0: nodes.", least=0)
@count_option("--hash", 4, "Megabytes of each side's hash table, empty before each game.", to="megabytes")
@file_option("--openings", "Openings: EPD, FEN or PGN, also .gz, .xz, .bz2.", OPENINGS)
@seed_option("the order of the openings")
@click.option(
    "--sprt", type=Words(), help="Stop when decided: elo0= elo1= alpha= beta= model=logistic|normalised."
)
@job_options
@every_option(20, "pairs")
def match_evaluators(  # noqa: PLR0913 - an argument for each option
    *,
    first: GivenEvaluator,
    second: GivenEvaluator,
    record: Path,
    pairs: int,
    nodes: int,
    microseconds: int,
    megabytes: int,
    openings: Path,
    seed: int,
    sprt: KeyValues | None,
    run_all: JobRunner,
    every: int,
) -> None:
    """Play two evaluators against each other under the same search, at the speed of self-play.

    \b
    scripts/lab match-evaluators --first network=new.lolli --second network --record new.jsonl --nodes 5000
    scripts/lab match-evaluators --first network=new.lolli --record new-linear.jsonl --microseconds 10000

    Each opening is played once with either colour. With --microseconds a search ends when its thread has been
    busy for so long, so that evaluators of different speed compare fairly, also while the machine does other
    work. A match that was stopped resumes from its record; --pairs and --sprt may be changed.
    """
    try:
        book = OpeningSuite.read(openings, chess960=False)
        if pairs > len(book.entries):
            raise click.UsageError(f"there are {len(book.entries)} openings for {pairs} pairs")
        terms = EvaluatorMatchTerms(first, second, book, nodes, microseconds, megabytes, seed)
        test = parse_sprt(sprt)
        match = EvaluatorMatch(record, terms, pairs)
    except (OpeningSuiteError, PlanError, JournalError) as error:
        raise click.UsageError(str(error)) from error
    with contextlib.closing(match):
        status = _play(match, pairs, test, run_all, every)
    for line in report(terms, match.tally, test):
        click.echo(line)
    sys.exit(status)


def _play(match: EvaluatorMatch, pairs: int, sprt: Sprt | None, run_all: JobRunner, every: int) -> int:
    """Play the remaining pairs, or until the test has decided, and show the progress. The exit status."""
    tally = match.tally

    def is_decided() -> bool:
        return sprt is not None and sprt.verdict(tally.pairs) is not SprtVerdict.UNDECIDED

    with RunDisplay("pairs", pairs, sum(tally.pairs), every) as display:

        def play() -> None:
            with contextlib.closing(match.play(run_all)) as played:
                while not is_decided() and next(played, None):
                    display.show(sum(tally.pairs), status_line(tally, sprt))

        return exit_status(play, display.say, JobError, OSError)


def status_line(tally: EvaluatorMatchTally, sprt: Sprt | None) -> str:
    """The score of `first`, Elo, and the state of the sequential test."""
    losses, draws, wins = tally.games
    line = f"+{wins} -{losses} ={draws}  Elo {interval(elo_estimate(tally.pairs))}"
    if sprt is not None:
        line += f"  LLR {sprt.ratio(tally.pairs):.2f} ({sprt.lower:.2f}, {sprt.upper:.2f})"
    return line


def report(terms: EvaluatorMatchTerms, tally: EvaluatorMatchTally, sprt: Sprt | None) -> list[str]:
    """The result of `first`, in lines."""
    pace = f"{terms.microseconds} microseconds" if terms.microseconds else f"{terms.nodes} nodes"
    games = max(sum(tally.games), 1)
    nodes = [round(tally.nodes[side] / max(tally.moves[side], 1)) for side in range(2)]
    endings = ", ".join(f"{ending} {count}" for ending, count in tally.endings.most_common())
    return [
        f"{terms.first} against {terms.second}, {pace} a move: {sum(tally.games)} games",
        f"  {status_line(tally, sprt)}  normalised {interval(normalised_elo_estimate(tally.pairs))}",
        f"  stronger with a likelihood of {likelihood_of_superiority(tally.pairs):.1%}",
        f"  pairs    {tally.pairs} with 0, ½, 1, 1½, 2 points",
        f"  nodes    {nodes[0]} and {nodes[1]} a move, {tally.plies / games:.0f} plies a game",
        f"  endings  {endings or 'none'}",
    ]
