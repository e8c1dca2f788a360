"""Scores, counts, times and typographic signs in few characters, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chess.engine import PovWdl, Score

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
_THOUSAND = 1000
_UNITS = ("", "k", "M", "G", "T")
_MINUTE, _HOUR = 60, 3600


def score_text(score: Score) -> str:
    """Pawns as `+0.31`, mates in moves as `#3` and `#-2`; `#-0` for the mated side."""
    mate = score.mate()
    if mate is None:
        return f"{(score.score() or 0) / 100:+.2f}"
    return "#-0" if mate == 0 and score.score(mate_score=1) <= 0 else f"#{mate}"


def chances_text(chances: PovWdl | None) -> str:
    """White's chances to win, draw and lose in per cent, as `43/18/39`; empty if not known."""
    if chances is None:
        return ""
    wdl = chances.white()
    return "/".join(str(round(chance / 10)) for chance in (wdl.wins, wdl.draws, wdl.losses))


def count_text(count: float) -> str:
    """Three digits and a unit: `850`, `12.3k`, `4.10M`."""
    unit = 0
    while count >= _THOUSAND - 0.5 and unit < len(_UNITS) - 1:
        count /= _THOUSAND
        unit += 1
    if unit == 0:
        return str(round(count))
    decimals = 2 if count < 9.995 else 1 if count < 99.95 else 0
    return f"{count:.{decimals}f}{_UNITS[unit]}"


def counted(number: int, noun: str) -> str:
    """`1 game`, `1,000 games`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration_text(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3:05`, `1:02:03`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < _MINUTE - 0.5:
        return f"{seconds:.0f} s"
    whole = round(seconds)
    hours, rest = divmod(whole, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def with_real_minus(text: str) -> str:
    """A number in ASCII with a typographic minus sign."""
    return text.replace("-", MINUS)
