"""A quiz in the terminal, or through pipes: asks, checks, explains, and keeps the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.cli.quizzes.answers import AnswerError
from protocol.cli.terminal.console import output
from protocol.cli.terminal.keyboard import Keyboard
from protocol.cli.trees.terminal_tree import terminal_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.cli.quizzes.question import Question
    from protocol.cli.trees.picture import Picture

_HELP, _SKIP, _QUIT = "?", "skip", "quit"


class QuizDialogue:
    """Asks `count` questions, one after the other."""

    def __init__(self, questions: Iterable[Question], count: int) -> None:
        self._questions, self._count = questions, count
        self._keyboard = Keyboard(lambda _line: ())
        self._console = output()
        self._right, self._asked = 0, 0
        self._missed: list[str] = []

    def run(self, seed: int) -> int:
        """Ask until the last question is answered or the person leaves; returns the exit status."""
        noun = "question" if self._count == 1 else "questions"
        self._console.print(
            f"{self._count} {noun}, seed {seed}. Type an answer, {_HELP} for how to write it,"
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
            right = question.answer.is_right(typed)
        except AnswerError as error:
            self._console.print(str(error), style="red")
            return None
        if right:
            self._console.print("Right.", style="green")
        else:
            partly = f" {part[0].upper()}{part[1:]}." if (part := question.answer.partly(typed)) else ""
            self._console.print(f"No, the answer is {question.answer.text}.{partly}", style="red")
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
