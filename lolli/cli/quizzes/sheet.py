"""A quiz in the terminal, and as a printable page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lolli.cli.quizzes.questions import AnswerError, Question
from lolli.cli.reports.html import html_page, trusted
from lolli.cli.terminal.console import output
from lolli.cli.terminal.keyboard import Keyboard
from lolli.cli.terminal.words import counted
from lolli.cli.trees.page import COLOURS, inline_svg
from lolli.cli.trees.picture import Picture, terminal_tree

_FOLDER = Path(__file__).parent / "page"


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
        """Ask until the last question is answered or the person leaves; returns the exit status."""
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
        """Raises what Keyboard.ask raises."""
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
        """`3 of 4 right; missed: UCB1`."""
        missed = f"; missed: {', '.join(dict.fromkeys(self._missed))}" if self._missed else ""
        return f"{self._right} of {self._asked} right{missed}"
