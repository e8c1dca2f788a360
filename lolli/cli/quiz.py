"""`lolli quiz`: the questions of exercise sheets on adversarial search, in the terminal or as a sheet."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from random import SystemRandom
from typing import Any

import click
from rich.console import Console

from lolli.cli.given_file import BadInputError, check_target, write_result
from lolli.cli.questions import SUMMARIES, TOPICS, Question, questions
from lolli.cli.questions.answers import AnswerError
from lolli.cli.reports import html_page, trusted
from lolli.cli.shared_options import number_option
from lolli.cli.terminal.keys import Keyboard
from lolli.cli.terminal.screen import counted, output
from lolli.cli.trees.pages import COMMON, SCRIPTS, STYLES, is_whole, tree_data
from lolli.cli.trees.picture import Picture, inline_svg, terminal_tree

_MOST, _USUAL = 200, len(TOPICS)
_SEEDS = 1_000_000


_LISTED = "\n".join(f"  {name:<15}  {summary}" for name, summary in SUMMARIES.items())
_HELP_TEXT = f"""Ask the questions of exercise sheets about random trees, positions and games.

\b
{_LISTED}

An answer is checked and explained, with the tree as a searcher of the textbook has searched it. What is
not an answer gets one line, and the question stays; `?` says how to write one, `skip` shows the solution,
`quit` or Ctrl-D ends the quiz. At the end comes the score.

With --sheet the questions become one HTML file that works offline, for the screen, a phone and paper;
the solutions begin on a new page. With --solutions they are in another file, and the sheet does not tell
the seed. With --page they become a page that checks each answer and then shows the search, to step
through and to search again; it works offline.
"""


@click.command(
    help=_HELP_TEXT,
    epilog="""\b
Examples:
  lolli quiz
  lolli quiz --topic alphabeta --count 5
  lolli quiz --topic ucb --topic nim --seed 7
  lolli quiz --seed 7 --count 12 --sheet exercises.html
  lolli quiz --seed 7 --sheet exercises.html --solutions solutions.html
  lolli quiz --page quiz.html""",
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
@click.option(
    "--page", type=click.Path(), metavar="FILE", help="Write a page that asks and checks, - for stdout."
)
def command(
    topics: tuple[str, ...],
    count: int,
    seed: int | None,
    sheet: str | None,
    solutions: str | None,
    page: str | None,
) -> None:
    if solutions is not None and (sheet is None or os.path.realpath(sheet) == os.path.realpath(solutions)):
        raise BadInputError("--solutions needs --sheet with another file")
    if sheet is not None and page is not None:
        raise BadInputError("either --sheet or --page")
    seed = SystemRandom().randrange(_SEEDS) if seed is None else seed
    asked = questions(topics or tuple(TOPICS), count, seed)
    chosen = "".join(f" --topic {topic}" for topic in topics)
    again = f"lolli quiz{chosen} --count {count} --seed {seed} --sheet FILE"
    for target in (page, sheet, solutions):
        if target is not None:
            check_target(target)
    if page is not None:
        write_result(page, quiz_page([*asked]))
    elif sheet is None:
        raise SystemExit(ask(asked, count, seed))
    elif solutions is None:
        write_result(sheet, sheet_page([*asked], again))
    else:  # the sheet does not tell the seed, as that would tell the solutions
        listed = [*asked]
        write_result(sheet, sheet_page(listed, "lolli quiz", solves=False))
        write_result(solutions, sheet_page(listed, f"{again} --solutions FILE", asks=False))


_FOLDER = COMMON.parent


def quiz_page(questions: Sequence[Question]) -> str:
    def drawn(picture: Picture | str, *, searched: bool = False) -> Any:
        if isinstance(picture, str):
            return picture
        return tree_data(replace(picture, whole=is_whole(picture)) if searched else picture)

    told = [
        {
            "title": question.title,
            "text": question.text,
            "how": question.answer.how,
            "answer": question.answer.text,
            "check": question.answer.rule,
            "reasons": question.reasons,
            "asked": drawn(question.asked),
            "solution": drawn(question.solution, searched=True),
            "command": question.command,
        }
        for question in questions
    ]
    return html_page(
        _FOLDER / "quiz.html",
        title="Questions on adversarial search",
        styles=STYLES,
        scripts=(*SCRIPTS, _FOLDER / "quiz.js"),
        data={"questions": told},
        left_out="",
    )


def sheet_page(questions: Sequence[Question], command: str, *, asks: bool = True, solves: bool = True) -> str:
    return html_page(
        _FOLDER / "sheet.html",
        title="Exercises in adversarial search",
        styles=(COMMON, _FOLDER / "sheet.css"),
        filters={"inline": lambda picture, label: trusted(inline_svg(picture, label))},
        questions=questions,
        command=command,
        asks=asks,
        solves=solves,
    )


_HELP, _SKIP, _QUIT = "?", "skip", "quit"


def ask(questions: Iterable[Question], count: int, seed: int) -> int:
    """Ask until the last question is answered or the person leaves; returns the exit status."""
    console, keyboard = output(), Keyboard(lambda _line: ())
    results: list[bool] = []
    missed: dict[str, None] = {}

    def show(drawn: Picture | str) -> None:
        console.print(drawn if isinstance(drawn, str) else terminal_tree(drawn))

    def ask_all() -> None:
        for question in questions:
            console.print()
            console.print(f"{len(results) + 1} of {count}. {question.title}", style="bold cyan")
            console.print(question.text)
            show(question.asked)
            results.append(_is_answered(question, keyboard, console))
            if not results[-1]:
                missed[question.title] = None
            for reason in question.reasons:
                console.print(f"  {reason}")
            show(question.solution)
            if question.command:
                console.print(f"Step by step: {question.command}", style="dim")

    console.print(
        f"{counted(count, 'question')}, seed {seed}. Type an answer, {_HELP} for how to write it,"
        f" {_SKIP} to see the solution, or {_QUIT}."
    )
    with keyboard:
        status = keyboard.status_after(ask_all)
    not_known = f"; missed: {', '.join(missed)}" if missed else ""
    console.print(f"{sum(results)} of {len(results)} right{not_known}", style="bold")
    return status


def _is_answered(question: Question, keyboard: Keyboard, console: Console) -> bool:
    answer = question.answer

    def explain() -> None:
        console.print(f"Type {answer.how}.", style="dim")

    def skip() -> bool:
        console.print(f"The answer is {answer.text}.")
        return False

    def read(typed: str) -> bool | None:
        try:
            right, partly = answer.checked(typed)
        except AnswerError as error:
            console.print(str(error), style="red")
            return None
        more = f" {partly[0].upper()}{partly[1:]}." if partly else ""
        told = "Right." if right else f"No, the answer is {answer.text}.{more}"
        console.print(told, style="green" if right else "red")
        return right

    words: dict[str, Callable[[], bool | None]]
    words = {**dict.fromkeys(("", "help", _HELP), explain), _SKIP: skip}
    return keyboard.answer("Answer: ", words, read)
