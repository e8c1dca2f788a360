"""A quiz as a printable sheet: a self-contained HTML file, with the solutions at its end or in another."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from protocol import about
from protocol.cli.trees.tree_page import COLOURS
from protocol.cli.trees.tree_svg import inline_svg

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.cli.quizzes.question import Question
    from protocol.cli.trees.picture import Picture

_FOLDER = Path(__file__).parent / "page"


def sheet_page(questions: Sequence[Question], command: str) -> str:
    """The page of these questions and their solutions; `command` makes it again."""
    return _page(command, *_questions(questions), *_solutions(questions))


def questions_page(questions: Sequence[Question]) -> str:
    """The page of the questions alone, without the seed, from which anyone could make the solutions."""
    return _page("lolli quiz", *_questions(questions))


def solutions_page(questions: Sequence[Question], command: str) -> str:
    """The page of the solutions alone; `command` makes it and its sheet again."""
    return _page(command, *_solutions(questions, alone=True))


def _page(command: str, *lines: str) -> str:
    return Template((_FOLDER / "sheet.html").read_text(encoding="utf-8")).substitute(
        generator=escape(f"{about.NAME} {about.VERSION}"),
        style=COLOURS.read_text(encoding="utf-8") + (_FOLDER / "sheet.css").read_text(encoding="utf-8"),
        command=escape(command),
        content="\n".join(lines),
    )


def _questions(questions: Sequence[Question]) -> Iterator[str]:
    yield '<p class="name">Name: <span class="blank"></span> Date: <span class="blank"></span></p>'
    yield (
        '<p class="signs">△ is MAX, ▽ is MIN, ○ is chance, ◇ one of several players, □ a leaf with its'
        " payoffs. Moves are numbered from 0, from left to right.</p>"
    )
    for number, question in enumerate(questions, 1):
        yield from _question(number, question)


def _solutions(questions: Sequence[Question], *, alone: bool = False) -> Iterator[str]:
    """`alone`: the questions are on another page."""
    yield f'<section class="{"alone" if alone else "solutions"}" id="solutions">'
    yield "<h2>Solutions</h2>"
    yield (
        '<p class="signs">In brackets alpha and beta: what MAX and MIN are sure of. Struck through: pruned.'
        " ≤ and ≥: only a bound. Green: the line of best play.</p>"
    )
    for number, question in enumerate(questions, 1):
        yield from _solution(number, question, alone=alone)
    yield "</section>"


def _question(number: int, question: Question) -> Iterator[str]:
    yield f'<section class="question" id="question-{number}">'
    yield f"<h2>{number}. {escape(question.title)}</h2>"
    yield f"<p>{escape(question.text)}</p>"
    yield _drawn(question.asked, "The tree of the question")
    yield '<p class="answer">Answer: <span class="blank"></span>'
    yield f'<span class="how">{escape(question.answer.how)}</span></p>'
    yield "</section>"


def _solution(number: int, question: Question, *, alone: bool) -> Iterator[str]:
    title = f"{number}. {escape(question.title)}"
    yield f'<article class="solution" id="solution-{number}">'
    yield f"<h3>{title}:" if alone else f'<h3><a href="#question-{number}">{title}</a>:'
    yield f"<strong>{escape(question.answer.text)}</strong></h3>"
    yield "<ul>"
    yield from (f"<li>{escape(reason)}</li>" for reason in question.reasons)
    yield "</ul>"
    yield _drawn(question.solution, "The tree as it was searched")
    yield f"<p><code>{escape(question.command)}</code></p>"
    yield "</article>"


def _drawn(drawn: Picture | str, label: str) -> str:
    if isinstance(drawn, str):
        return f"<pre>{escape(drawn)}</pre>"
    return f"<figure>{inline_svg(drawn, label)}</figure>"
