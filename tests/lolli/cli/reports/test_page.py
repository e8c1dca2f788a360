"""The page of a game, read as a file."""

import base64
import hashlib
import re

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, MateGiven, Score

from lolli.cli.reports.page import clock_text, evaluation_text, page_of_judged, spent_text
from lolli.cli.reports.story import JudgedGame
from lolli.cli.terminal.screen import DASH, MINUS
from tests.lolli.cli.reports.html_reader import Page
from tests.lolli.cli.reports.samples import ANNOTATED, NAMES, nodes_in_order, sample


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: Page(page_of_judged(JudgedGame(sample(name), opening=True))) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_the_html_is_sound_and_loads_nothing(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    assert page.faults == []
    assert page.source.startswith("<!DOCTYPE html>\n")
    assert not page.all("link")
    assert not page.all("img")
    style = page.one("style").text
    assert "url(" not in style
    assert "@import" not in style


@pytest.mark.parametrize("name", NAMES)
def test_every_move_stands_there_once_and_can_be_followed(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    nodes = nodes_in_order(sample(name))
    for index, node in enumerate(nodes[1:], 1):
        assert isinstance(node, chess.pgn.ChildNode)
        element = page.one("a", id=f"move-{index}")
        assert element.attributes["href"] == f"#move-{index}"
        assert re.match(rf"\s*(\d+[.…] )?{re.escape(node.san())}([!?□]|\s|\Z)", element.text)
    assert not [each for each in page.elements if each.attributes.get("id") == f"move-{len(nodes)}"]


def test_the_only_script_that_may_run_is_ours(pages: dict[str, Page]) -> None:
    for page in pages.values():
        data, script = page.all("script")
        assert data.attributes["type"] == "application/json"
        policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
        digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
        assert policy is not None
        assert f"script-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; ")


def test_hostile_text_is_only_text(pages: dict[str, Page]) -> None:
    page, harmless = pages["hostile.pgn"], pages[ANNOTATED]
    names = {element.name for element in harmless.elements} | {"abbr"}
    assert {element.name for element in page.elements} <= names
    assert page.source.lower().count("</script") == 2
    game = sample("hostile.pgn")
    assert page.one("title").text.startswith(f"{game.headers['White']} {DASH} {game.headers['Black']}")
    for name in ("Event", "Round", "White", "Black", "ECO", "Opening", "WhiteElo", "TimeControl", "Analysis"):
        assert game.headers[name] in page.one("body").text
    for comment in ("</script><script>window.broken = 6</script>", "<b>bold</b> --> ]]>", "<!--"):
        assert comment in page.one("section", **{"class": "game"}).text


def test_critical_moments_tell_what_was_better(pages: dict[str, Page]) -> None:
    captions = [" ".join(each.text.split()) for each in pages[ANNOTATED].all("figcaption")]
    assert len(captions) == 6
    assert captions[2] == (
        f"25. Re7+?? was {MINUS}1.64, is {MINUS}3.99. Better was 25. Qxd4+ Qb6 26. Re7+ Nd7 27. Qc3 …"
    )


def test_the_summary(pages: dict[str, Page]) -> None:
    cells = [each.text for each in pages[ANNOTATED].elements if each.name in {"th", "td"}]
    rows = [cells[start : start + 3] for start in range(0, len(cells), 3)]
    assert rows == [
        ["Kasparov, Garry 2812", "", "Topalov, Veselin 2700"],
        ["81.0%", "accuracy", "83.3%"],
        ["46", "average centipawn loss", "43"],
        ["3", "?! inaccuracies", "4"],
        ["1", "? mistakes", "1"],
        ["2", "?? blunders", "0"],
    ]


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (None, ""),
        (Cp(31), "+0.31"),
        (Cp(-120), f"{MINUS}1.20"),
        (Cp(0), "0.00"),
        (Mate(3), "#3"),
        (Mate(-2), f"#{MINUS}2"),
        (Mate(0), "mate"),
        (MateGiven, "mate"),
    ],
)
def test_evaluations(score: Score | None, text: str) -> None:
    assert evaluation_text(score) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, ""), (0, "0:00:00"), (9.34, "0:09.3"), (59.9, "0:00:59"), (3600, "1:00:00"), (7199.6, "1:59:59")],
)
def test_clocks(seconds: float | None, text: str) -> None:
    assert clock_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (0, "0 s"),
        (0.42, "0.4 s"),
        (9, "9 s"),
        (59.4, "59 s"),
        (60, "1:00"),
        (754, "12:34"),
        (3723, "1:02:03"),
    ],
)
def test_times_of_moves(seconds: float | None, text: str) -> None:
    assert spent_text(seconds) == text
