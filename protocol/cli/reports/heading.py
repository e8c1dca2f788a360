"""What the headers of a game say, in words for people."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass

from protocol.cli.reports.typography import DASH

_RESULTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½")}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DATE = re.compile(r"(?!0000)(\d{4})(?:\.(\d\d)(?:\.(\d\d))?)?")
_UNKNOWN = frozenset(("", "?", "-"))


@dataclass(frozen=True, slots=True)
class PlayerHeading:
    """One player; what is not known is empty. `points` are of this game."""

    name: str
    title: str
    elo: str
    points: str


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a game; what is not known is empty. `date` is for people, `iso_date` for machines."""

    white: PlayerHeading
    black: PlayerHeading
    result: str
    event: str
    date: str
    iso_date: str
    opening: str
    time_control: str
    analysis: str

    @property
    def title(self) -> str:
        """The players and, if there is one, the result."""
        return f"{self.white.name} {DASH} {self.black.name}" + (f", {self.result}" if self.result else "")


def heading_of(headers: Mapping[str, str]) -> Heading:
    """The heading of a game, from its headers."""
    known = {
        name: text for name, value in headers.items() if (text := " ".join(value.split())) not in _UNKNOWN
    }
    points = _RESULTS.get(known.get("Result", ""), ("", ""))
    event = [known.get("Event", ""), known.get("Site", "")]
    if round_ := known.get("Round", ""):
        event.append(f"round {round_}")
    date, iso_date = _date(known.get("UTCDate") or known.get("Date", ""))
    return Heading(
        white=_player(known, "White", points[0]),
        black=_player(known, "Black", points[1]),
        result=DASH.join(points) if points[0] else "",
        event=", ".join(text for text in event if text),
        date=date,
        iso_date=iso_date,
        opening=" ".join(known[name] for name in ("ECO", "Opening", "Variation") if name in known),
        time_control=_time_control(known.get("TimeControl", "")),
        analysis=known.get("Analysis", ""),
    )


def _player(known: Mapping[str, str], color: str, points: str) -> PlayerHeading:
    name, title, elo = (known.get(f"{color}{each}", "") for each in ("", "Title", "Elo"))
    return PlayerHeading(name or color, title, elo, points)


def _date(text: str) -> tuple[str, str]:
    """`1999.01.20` as `20 January 1999` and `1999-01-20`; unknown parts are left out."""
    match = _DATE.match(text)
    if match is None:
        return "", ""
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= len(_MONTHS):
        return year, year
    name = _MONTHS[int(month) - 1]
    last = monthrange(int(year), int(month))[1]
    if day is None or not 1 <= int(day) <= last:
        return f"{name} {year}", f"{year}-{month}"
    return f"{int(day)} {name} {year}", f"{year}-{month}-{day}"


def _time_control(text: str) -> str:
    """`300+3` as `5 min + 3 s`; anything else as it is."""
    match = re.fullmatch(r"(\d{1,9})(?:\+(\d{1,9}))?", text)
    if match is None:
        return text
    base, increment = int(match[1]), int(match[2] or 0)
    told = f"{base // 60} min" if base % 60 == 0 else f"{base} s"
    return f"{told} + {increment} s" if increment else told
