"""`lolli report --all`: the pages of many games and their index."""

from pathlib import Path

import pytest

from tests.protocol.cli.reports.browser import Reader, reader
from tests.protocol.cli.reports.commands import inside, refused
from tests.protocol.cli.reports.test_player_statistics import FIRST, OTHER, SECOND


@pytest.fixture
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "games.pgn"
    path.write_text("\n".join((FIRST, SECOND, OTHER.replace("Cleo", "<i>Cleo</i>"), "1. e4 Ke4 *\n")))
    return path


def test_pages_and_index_in_a_browser(pgn: Path) -> None:
    """The index leads to each game, and each game back."""
    done = inside("report", pgn, "--all", "--player", "Ada", "--nodes", "50")
    assert done.exit_code == 1
    assert "Ke4" in done.stderr
    assert "; left out" in done.stderr
    folder = pgn.with_name("games-report")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["game-1.html", "game-2.html", "game-3.html", "index.html"]
    with reader() as browser:
        browser.media()
        browser.window(360, 740, phone=True)
        browser.open(folder / "index.html")
        assert browser.ask("return document.documentElement.scrollWidth") <= 360
        assert browser.text("h1") == "games"
        assert browser.text("#player-heading") == "Ada"
        rows = browser.ask("return [...document.querySelectorAll('#games tbody tr')].map(r => r.innerText)")
        assert len(rows) == 3
        assert "C50 Italian Game" in rows[0]
        assert "<i>Cleo</i>" in rows[2]
        browser.click("#games tbody tr:nth-child(2) a")
        assert browser.text("h1").startswith("Ben")
        assert _bottom_is_black(browser)
        browser.click(".beside a")
        assert browser.text("h1") == "games"
        assert browser.problems() == []


def _bottom_is_black(browser: Reader) -> bool:
    """The player's own side."""
    return bool(browser.ask("return JSON.parse(document.getElementById('data').textContent).flipped"))


def test_games_with_scores_are_not_searched(pgn: Path, tmp_path: Path) -> None:
    pgn.write_text(f"{FIRST}\n{SECOND}\n")
    done = inside("report", pgn, "--all", "-o", tmp_path / "out")
    assert done.exit_code == 0
    assert done.stderr == f"wrote {tmp_path / 'out' / 'index.html'} and 2 pages beside it\n"
    assert "Ada" in (tmp_path / "out" / "index.html").read_text()


def test_what_does_not_go_together(pgn: Path, tmp_path: Path) -> None:
    assert "--player needs --all" in refused(inside("report", pgn, "--player", "Ada"))
    assert "cannot be combined" in refused(inside("report", pgn, "--all", "--game", "1"))
    assert "name a folder" in refused(inside("report", pgn, "--all", "-o", "-"))
    assert "name the folder with -o" in refused(inside("report", "-", "--all"))
    (tmp_path / "file").write_text("")
    assert "file" in refused(inside("report", pgn, "--all", "-o", tmp_path / "file"))
    (tmp_path / "none.pgn").write_text("1. Ke4 *\n")
    assert "no game that can be read" in refused(inside("report", tmp_path / "none.pgn", "--all"))
