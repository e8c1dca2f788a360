"""`lolli quiz`: the questions of exercise sheets on adversarial search, in the terminal or as a sheet."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom

import click

from lolli.cli.given_file import BadInputError, check_target, write_result
from lolli.cli.quizzes.questions import TOPICS, questions
from lolli.cli.shared_options import number_option

_MOST, _USUAL = 200, len(TOPICS)
_SEEDS = 1_000_000


@click.command(
    epilog="""\b
Examples:
  lolli quiz
  lolli quiz --topic alphabeta --count 5
  lolli quiz --topic ucb --topic nim --seed 7
  lolli quiz --seed 7 --count 12 --sheet exercises.html
  lolli quiz --seed 7 --sheet exercises.html --solutions solutions.html""",
)
@click.option(
    "--topic",
    "topics",
    multiple=True,
    type=click.Choice(list(TOPICS)),
    help="Ask about this; may be given several times. Default: all, one after the other.",
)
@number_option("--count", least=1, most=_MOST, default=_USUAL, help="Ask N questions.")
@number_option(
    "--seed", least=0, help="The seed of the random numbers: the same questions again. Default: a new one."
)
@click.option(
    "--sheet",
    type=click.Path(),
    metavar="FILE",
    help="Write the questions and their solutions as a page to print, - for stdout.",
)
@click.option(
    "--solutions",
    type=click.Path(),
    metavar="FILE",
    help="With --sheet: write the solutions to a page of their own.",
)
def command(
    topics: tuple[str, ...], count: int, seed: int | None, sheet: str | None, solutions: str | None
) -> None:
    """Ask the questions of exercise sheets about random trees, positions and games.

    \b
      minimax          the value of a tree
      alphabeta        the leaves that are pruned in the order of the drawing
      best-order       the leaves that are pruned in the best order
      expectiminimax   the value of a tree with chance nodes
      maxn             what each of three players gets
      paranoid         what the first of three players is sure of
      best-reply       the move of the first of three by Best-Reply Search
      ucb              the move that UCB1 chooses next
      backpropagation  visits and means after one more simulation of UCT
      nim              the moves that win
      tictactoe        who wins, and a best move

    An answer is checked and explained, with the tree as a searcher of the textbook has searched it. What is
    not an answer gets one line, and the question stays; `?` says how to write one, `skip` shows the solution,
    `quit` or Ctrl-D ends the quiz. At the end comes the score.

    With --sheet the questions become one HTML file that needs no network, for the screen, a phone and paper;
    the solutions begin on a new page. With --solutions they are in another file, and the sheet does not tell
    the seed.
    """
    if solutions is not None and (sheet is None or Path(sheet).resolve() == Path(solutions).resolve()):
        raise BadInputError("--solutions needs --sheet with another file")
    seed = SystemRandom().randrange(_SEEDS) if seed is None else seed
    from lolli.cli.quizzes.sheet import QuizDialogue, sheet_page  # noqa: PLC0415 - not for --help

    asked = questions(topics or tuple(TOPICS), count, seed)
    if sheet is None:
        raise SystemExit(QuizDialogue(asked, count).run(seed))
    chosen = "".join(f" --topic {topic}" for topic in topics)
    again = f"lolli quiz{chosen} --count {count} --seed {seed} --sheet FILE"
    for target in (sheet, solutions):
        if target is not None:
            check_target(target)
    listed = list(asked)
    if solutions is None:
        write_result(sheet, sheet_page(listed, again))
    else:  # the sheet does not tell the seed, as that would tell the solutions
        write_result(sheet, sheet_page(listed, "lolli quiz", solves=False))
        write_result(solutions, sheet_page(listed, f"{again} --solutions FILE", asks=False))
