"""The figure of README.md: how games against other engines ended, from the table of docs/strength.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from scripts.documentation.page_source import DocumentationError
from scripts.documentation.shell import ROOT

PAGE = ROOT / "docs" / "strength.md"
FIGURE = ROOT / "docs" / "images" / "strength.svg"

_ROW = re.compile(r"^\| ([^|]+?) \| (\d+), (\d+), (\d+)", re.MULTILINE)
_COLOURS = {"won": "#2f7d5b", "drawn": "#c9c6bd", "lost": "#c2603f"}
_LINE, _TOP, _BAR = 30, 46, 18  # pixels
_LEFT, _WIDTH, _RIGHT = 290, 420, 90


@dataclass(frozen=True, slots=True)
class OpponentScore:
    """How the games against an opponent ended."""

    opponent: str
    won: int
    lost: int
    drawn: int

    @property
    def games(self) -> int:
        """The number of games."""
        return self.won + self.lost + self.drawn

    @property
    def points(self) -> float:
        """The share of the points, from 0 to 1."""
        return (self.won + self.drawn / 2) / self.games


def scores(page: str) -> list[OpponentScore]:
    """The first result against each opponent in the tables of a page, the hardest opponent first.

    A row begins with the opponent, up to a semicolon, and with the games won, lost and drawn. Raises
    DocumentationError.
    """
    found: dict[str, OpponentScore] = {}
    for words, *numbers in _ROW.findall(page):
        opponent = words.partition(";")[0]
        found.setdefault(opponent, OpponentScore(opponent, *map(int, numbers)))
    if not found:
        raise DocumentationError(f"{PAGE.name}: no row with the games won, lost and drawn")
    return sorted(found.values(), key=lambda score: score.points)


def drawn(results: list[OpponentScore]) -> str:
    """The figure as SVG: a bar for each opponent, and Lolli's share of the points."""
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _LINE * len(results) + 14
    size = f'width="{width}" height="{height}"'
    font = 'font-family="system-ui, sans-serif" font-size="14" fill="#24292f"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}" {font}>',
        "<title>Lolli against other engines</title>",
        f'<rect {size} rx="8" fill="#fbfaf7"/>',
    ]
    for index, (name, colour) in enumerate(_COLOURS.items()):
        x = _LEFT + 80 * index
        parts.append(f'<rect x="{x}" y="16" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="27">{name}</text>')
    parts.append(f'<text x="{width - 16}" y="27" text-anchor="end" fill="#57606a">points</text>')
    for index, score in enumerate(results):
        parts += _bar(score, _TOP + _LINE * index, width)
    return "\n".join([*parts, "</svg>", ""])


def write_strength_figure() -> None:
    """Draw the figure anew. Raises DocumentationError."""
    FIGURE.parent.mkdir(exist_ok=True)
    FIGURE.write_text(drawn(scores(PAGE.read_text(encoding="utf-8"))), encoding="utf-8")


def _bar(score: OpponentScore, y: int, width: int) -> list[str]:
    parts = [f'<text x="{_LEFT - 12}" y="{y + 14}" text-anchor="end">{escape(score.opponent)}</text>']
    x = float(_LEFT)
    for name, colour in _COLOURS.items():
        length = _WIDTH * getattr(score, name) / score.games
        if length:
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{_BAR}" fill="{colour}">'
                f"<title>{name}: {getattr(score, name)} of {score.games}</title></rect>"
            )
        x += length
    parts.append(f'<text x="{width - 16}" y="{y + 14}" text-anchor="end">{score.points:.1%}</text>')
    return parts
