"""What the headers say in words."""

import pytest

from protocol.cli.reports.judged_game import heading_of
from protocol.cli.terminal.words import DASH


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("1999.01.20", ("20 January 1999", "1999-01-20")),
        ("1999.12.??", ("December 1999", "1999-12")),
        ("1999.??.??", ("1999", "1999")),
        ("????.??.??", ("", "")),
        ("2026.02.31", ("February 2026", "2026-02")),
        ("2024.02.29", ("29 February 2024", "2024-02-29")),
        ("2026.13.01", ("2026", "2026")),
        ("0000.01.01", ("", "")),
        ("yesterday", ("", "")),
        ("2026-11-21", ("2026", "2026")),
    ],
)
def test_dates(date: str, expected: tuple[str, str]) -> None:
    heading = heading_of({"Date": date})
    assert (heading.date, heading.iso_date) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("300+3", "5 min + 3 s"),
        ("5400", "90 min"),
        ("45+0", "45 s"),
        ("40/7200:3600", "40/7200:3600"),
        ("-", ""),
        ("?", ""),
    ],
)
def test_time_controls(text: str, expected: str) -> None:
    assert heading_of({"TimeControl": text}).time_control == expected


def test_what_is_unknown_is_not_told() -> None:
    heading = heading_of({"Event": "?", "Site": "", "White": "?", "Round": "-", "Result": "*"})
    assert (heading.event, heading.result, heading.opening) == ("", "", "")
    assert heading.title == f"White {DASH} Black"


def test_a_whole_heading() -> None:
    heading = heading_of(
        {
            "Event": " Hoogovens ",
            "Site": "Wijk aan Zee",
            "Round": "4",
            "White": "Kasparov",
            "WhiteElo": "2812",
            "Black": "Topalov",
            "BlackTitle": "GM",
            "Result": "1/2-1/2",
            "ECO": "B07",
            "Opening": "Pirc Defence",
        }
    )
    assert heading.event == "Hoogovens, Wijk aan Zee, round 4"
    assert heading.title == f"Kasparov {DASH} Topalov, ½{DASH}½"
    assert (heading.white.elo, heading.white.points, heading.black.title) == ("2812", "½", "GM")
    assert heading.opening == "B07 Pirc Defence"
