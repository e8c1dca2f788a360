"""A quiz as a printable sheet: one self-contained HTML file, the solutions after the questions."""

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
    """The page of these questions; `command` makes it again."""
    return Template((_FOLDER / "sheet.html").read_text(encoding="utf-8")).substitute(
        generator=escape(f"{about.NAME} {about.VERSION}"),
        style=COLOURS.read_text(encoding="utf-8") + (_FOLDER / "sheet.css").read_text(encoding="utf-8"),
        command=escape(command),
        questions="\n".join(part for i, each in enumerate(questions, 1) for part in _question(i, each)),
        solutions="\n".join(part for i, each in enumerate(questions, 1) for part in _solution(i, each)),
    )


def _question(number: int, question: Question) -> Iterator[str]:
    yield f'<section class="question" id="question-{number}">'
    yield f"<h2>{number}. {escape(question.title)}</h2>"
    yield f"<p>{escape(question.text)}</p>"
    yield _drawn(question.asked, "The tree of the question")
    yield '<p class="answer">Answer: <span class="blank"></span>'
    yield f'<span class="how">{escape(question.answer.how)}</span></p>'
    yield "</section>"


def _solution(number: int, question: Question) -> Iterator[str]:
    yield f'<article class="solution" id="solution-{number}">'
    yield f'<h3><a href="#question-{number}">{number}. {escape(question.title)}</a>:'
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
