"""`lolli quiz`: the questions of exercise sheets on adversarial search, in the terminal or as a sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import SystemRandom

import click

from lolli.cli.given_file import BadInputError, check_target, write_result
from lolli.cli.questions import TOPICS, AnswerError, Question, questions
from lolli.cli.reports.html import html_page, trusted
from lolli.cli.shared_options import number_option
from lolli.cli.terminal.keys import Keyboard
from lolli.cli.terminal.screen import counted, output
from lolli.cli.trees.picture import COLOURS, Picture, inline_svg, terminal_tree

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


_FOLDER = COLOURS.parent


def sheet_page(questions: Sequence[Question], command: str, *, asks: bool = True, solves: bool = True) -> str:
    """A page that `asks` the questions, `solves` them, or both; `command` makes it again."""
    return html_page(
        _FOLDER / "sheet.html",
        title="Exercises in adversarial search",
        styles=(COLOURS, _FOLDER / "sheet.css"),
        filters={"inline": lambda picture, label: trusted(inline_svg(picture, label))},
        questions=questions,
        command=command,
        asks=asks,
        solves=solves,
    )


_HELP, _SKIP, _QUIT = "?", "skip", "quit"


class QuizDialogue:
    def __init__(self, questions: Iterable[Question], count: int) -> None:
        self._questions, self._count = questions, count
        self._keyboard = Keyboard(lambda _line: ())
        self._console = output()
        self._right, self._asked = 0, 0
        self._missed: list[str] = []

    def run(self, seed: int) -> int:
        self._console.print(
            f"{counted(self._count, 'question')}, seed {seed}. Type an answer, {_HELP} for how to write it,"
            f" {_SKIP} to see the solution, or {_QUIT}."
        )
        with self._keyboard:
            status = self._keyboard.status_after(self._ask_all)
        self._console.print(self._score(), style="bold")
        return status

    def _ask_all(self) -> None:
        for question in self._questions:
            self._ask(question)

    def _ask(self, question: Question) -> None:
        """Ask one question until there is an answer to it. Raises what `_line` does."""
        self._console.print()
        self._console.print(f"{self._asked + 1} of {self._count}. {question.title}", style="bold cyan")
        self._console.print(question.text)
        self._show(question.asked)
        right = None
        while right is None:
            right = self._checked(question, self._line().strip())
        self._asked += 1
        self._right += right
        if not right:
            self._missed.append(question.title)
        self._explain(question)

    def _line(self) -> str:
        try:
            return self._keyboard.ask("Answer: ")
        except (EOFError, KeyboardInterrupt):
            self._console.print()
            raise

    def _checked(self, question: Question, typed: str) -> bool | None:
        """Whether the answer is right; None if there was none yet. Raises EOFError to leave."""
        word = typed.lower()
        if word == _QUIT:
            raise EOFError
        if word in {"", "help", _HELP}:
            self._console.print(f"Type {question.answer.how}.", style="dim")
            return None
        if word == _SKIP:
            self._console.print(f"The answer is {question.answer.text}.")
            return False
        try:
            right, partly = question.answer.checked(typed)
        except AnswerError as error:
            self._console.print(str(error), style="red")
            return None
        if right:
            self._console.print("Right.", style="green")
        else:
            more = f" {partly[0].upper()}{partly[1:]}." if partly else ""
            self._console.print(f"No, the answer is {question.answer.text}.{more}", style="red")
        return right

    def _explain(self, question: Question) -> None:
        for reason in question.reasons:
            self._console.print(f"  {reason}")
        self._show(question.solution)
        self._console.print(f"Step by step: {question.command}", style="dim")

    def _show(self, drawn: Picture | str) -> None:
        self._console.print(drawn if isinstance(drawn, str) else terminal_tree(drawn))

    def _score(self) -> str:
        missed = f"; missed: {', '.join(dict.fromkeys(self._missed))}" if self._missed else ""
        return f"{self._right} of {self._asked} right{missed}"
