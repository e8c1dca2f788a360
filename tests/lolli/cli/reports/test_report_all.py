"""`lolli report --all`: the pages of many games and their index."""

import json
import re
import signal
import subprocess
from pathlib import Path

import chess.pgn
import pytest

from lolli.cli.runs import GrowingFile
from lolli.cli.terminal.screen import DASH
from tests.lolli.cli.reports.browser import Reader, reader
from tests.lolli.cli.reports.commands import inside, outside, refused
from tests.lolli.cli.reports.html_reader import Page
from tests.lolli.cli.reports.test_story import FIRST, OTHER, SECOND
from tests.patience import PATIENCE, wait_until


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
    names = sorted(path.name for path in folder.glob("*.html"))
    assert names[:4] == ["game-1.html", "game-2.html", "game-3.html", "index.html"]
    with reader() as browser:
        browser.media()
        browser.window(360, 740, phone=True)
        browser.open(folder / "index.html")
        assert browser.ask("return document.documentElement.scrollWidth") <= 360
        assert browser.text("h1") == "games"
        assert browser.text("#player-heading") == "Ada"
        rows = browser.ask("return [...document.querySelectorAll('#games tbody tr')].map(r => r.innerText)")
        assert len(rows) == 3
        assert browser.ask(
            "return [...document.querySelectorAll('#games td, #games th')]"
            ".every(cell => cell.getBoundingClientRect().right <= innerWidth)"
        ), "a column is out of sight"
        assert "C50 Italian Game" in rows[0]
        assert "<i>Cleo</i>" in rows[2]
        browser.click("#games tbody tr:nth-child(2) a")
        assert browser.text("h1").startswith("Ben")
        assert _bottom_is_black(browser)
        browser.click(".beside a")
        assert browser.text("h1") == "games"
        assert browser.problems() == []


FORK = """\
[White "Ben"]
[Black "Ada"]
[SetUp "1"]
[FEN "r3k3/5ppp/8/1N6/8/8/5PPP/4K3 b - - 0 1"]

{ [%eval -1.80] } 1... Ra6 { [%eval 5.00] } 2. Nc7+ { [%eval 5.00] } 2... Kd7 { [%eval 5.00] }
3. Nxa6 { [%eval 5.00] } *
"""


def test_what_a_player_missed_most_leads_to_exercises(pgn: Path) -> None:
    """The fork is Ada's; the game before it cannot be read and keeps its number."""
    pgn.write_text(f"1. e4 Ke4 *\n\n{FORK}\n{FIRST}")
    folder = pgn.with_name("games-report")
    words = ("report", pgn, "--all", "--player", "Ada")
    assert inside(*words).exit_code == 1
    with (folder / "report-mistakes.pgn").open() as file:
        game = chess.pgn.read_game(file)
        assert game is not None
        assert chess.pgn.read_game(file) is None
    assert game.headers["PuzzleSource"] == "game 2, move 1"
    assert "fork" in game.headers["PuzzleMotifs"].split()
    rook_moves = {node.san() for node in game.variations if node.san().startswith("R")}
    assert "Ra6" in rook_moves
    with reader() as browser:
        browser.open(folder / "index.html")
        rows = browser.ask("return [...document.querySelectorAll('.missed tr')].map(row => row.innerText)")
        assert "fork\t1\t1" in [row.strip() for row in rows]
        browser.click(".missed td a")
        assert browser.text("#task") == "1. Black played Ra6??. Find a better move."
        browser.element("#typed").send_keys(f"{game.variations[0].san()}\n")
        assert "is right" in browser.text("#message")
        assert "Nc7+" in browser.text("#reason")
        assert browser.problems() == []
    stamp = (folder / "report-mistakes.pgn").stat().st_mtime_ns
    (folder / "mistakes.html").unlink()
    assert "exercise" not in inside(*words).stderr
    assert (folder / "mistakes.html").exists()
    assert stamp == (folder / "report-mistakes.pgn").stat().st_mtime_ns
    assert 'href="mistakes.html#1"' in (folder / "index.html").read_text()
    assert inside(*words[:-1], "Ben").exit_code == 1
    assert "mistakes.html" not in (folder / "index.html").read_text()


def _bottom_is_black(browser: Reader) -> bool:
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


def test_whose_statistics(pgn: Path) -> None:
    """A part of the name will do, in any case; otherwise the names in the file are listed before any work."""
    pgn.write_text("\n".join((FIRST, SECOND, OTHER)).replace('"Ada"', '"Ada Lovelace"'))
    index = pgn.with_name("games-report") / "index.html"
    done = inside("report", pgn, "--all", "--player", "lovelace", "--nodes", "5")
    assert done.exit_code == 0, done.stderr
    assert '<h2 id="player-heading">Ada Lovelace</h2>' in index.read_text()
    index.unlink()
    told = refused(inside("report", pgn, "--all", "--player", "Benn", "--fresh"))
    assert told == f"{pgn}: no player 'Benn'; most like it: Ben (3)"
    told = refused(inside("report", pgn, "--all", "--player", "E"))
    assert told == f"{pgn}: 'E' is several players: Ben (3), Ada Lovelace (2), Cleo (1)"
    assert not index.exists()


def test_pages_of_the_same_games_are_kept(pgn: Path) -> None:
    """Not those that were cut short; and other settings and --fresh start over."""
    pgn.write_text("\n".join((FIRST, SECOND, OTHER)))
    folder = pgn.with_name("games-report")
    words = ("report", pgn, "--all", "--nodes", "50", "--player", "ben")
    assert inside(*words).exit_code == 0
    before = {path.name: path.read_text() for path in folder.iterdir()}
    stamps = {path.name: path.stat().st_mtime_ns for path in folder.glob("game-*")}
    again = inside(*words)
    assert again.stderr == f"wrote {folder / 'index.html'} and 0 pages beside it; kept 3 pages\n"
    assert before == {path.name: path.read_text() for path in folder.iterdir()}
    assert stamps == {path.name: path.stat().st_mtime_ns for path in folder.glob("game-*")}

    assert "analysing" not in inside(*words, "--orientation", "white").stderr
    assert '"flipped":false' in (folder / "game-1.html").read_text()
    assert "analysing" not in inside(*words).stderr
    assert before == {path.name: path.read_text() for path in folder.iterdir()}, (
        "drawn from what the page holds"
    )

    (folder / "game-2.html").write_text(before["game-2.html"][:-5000])
    pgn.write_text("\n".join((FIRST, SECOND, OTHER.replace("d4", "c4"))))
    assert "and 2 pages beside it; kept 1 page" in inside(*words).stderr
    assert "kept" not in inside(*words[:-2], "--fresh").stderr
    assert "kept" not in inside("report", pgn, "--all", "--nodes", "60").stderr


@pytest.mark.parametrize("limit", [(), ("--nodes", "50")])
def test_a_run_with_fresh_is_continued_without_it(pgn: Path, limit: tuple[str, ...]) -> None:
    """For a game with evaluations of its own, which are searched again only with --fresh or a limit."""
    pgn.write_text("1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } *\n")
    words = ("report", pgn, "--all", *limit)
    assert "analysing" in inside(*words, "--fresh").stderr
    page = (pgn.with_name("games-report") / "game-1.html").read_text()
    assert inside(*words).stderr.endswith("0 pages beside it; kept 1 page\n")
    assert (pgn.with_name("games-report") / "game-1.html").read_text() == page


def test_games_with_new_numbers_keep_their_pages(pgn: Path) -> None:
    """The ninth and the tenth game come before the others, and then numbers have a digit more."""
    folder = pgn.with_name("games-report")
    games = [FIRST.replace("Ada", f"Ada{number}") for number in range(10)]
    before: dict[str, str] = {}
    for count in (8, 9, 10):
        pgn.write_text("\n".join(games[-count:]))
        done = inside("report", pgn, "--all")
        assert done.stderr.endswith(f"; kept {count - 1} pages\n") == (count > 8)
        pages = {path.name: path.read_text() for path in folder.glob("game-*")}
        assert before.items() <= pages.items()
        assert len(pages) == count
        links = dict.fromkeys(re.findall(r'href="(game-\d+\.html)"', (folder / "index.html").read_text()))
        titles = [Page(pages[name]).one("title").text for name in links]
        assert [title.split()[0] for title in titles] == [f"Ada{number}" for number in range(10)][-count:]
        before = pages


def test_equal_games_have_a_page_each(pgn: Path) -> None:
    pgn.write_text("\n".join([FIRST, SECOND, FIRST]))
    for kept in ("", "; kept 3 pages"):
        assert inside("report", pgn, "--all").stderr.endswith(f"{kept or 'beside it'}\n")
        assert len(list(pgn.with_name("games-report").glob("game-*"))) == 3


def test_a_page_is_kept_whatever_the_header_of_the_result_says(pgn: Path) -> None:
    pgn.write_text(FIRST.replace('[Result "1-0"]', '[Result "White won"]'))
    assert inside("report", pgn, "--all").exit_code == 0
    assert "; kept 1 page" in inside("report", pgn, "--all").stderr
    page = (pgn.with_name("games-report") / "game-1.html").read_text()
    assert r"[Result \"White won\"]" in page


def test_unfinished_exercises_are_made_again_with_other_settings(
    pgn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pgn.write_text(FORK)
    found = pgn.with_name("games-report") / "report-mistakes.pgn"
    words = ("report", pgn, "--all", "--player", "Ada", "--hash")
    monkeypatch.setattr(GrowingFile, "finish", lambda _: int("stop"))
    with pytest.raises(ValueError, match="stop"):
        inside(*words, "1")
    monkeypatch.undo()
    assert found.with_name("report-mistakes.pgn.part").exists()
    assert not found.exists()
    assert inside(*words, "2").exit_code == 0
    assert 'PuzzleSource "game 1, move 1"' in found.read_text()
    monkeypatch.setattr(GrowingFile, "finish", lambda _: int("stop"))
    with pytest.raises(ValueError, match="stop"):
        inside(*words, "1")
    assert not found.exists()  # the exercises there were of other settings


def test_what_a_page_holds(pgn: Path) -> None:
    inside("report", pgn, "--all", "--nodes", "50")
    page = (pgn.with_name("games-report") / "game-3.html").read_text()
    found = re.search(r'id="origin">(.*?)</script>', page)
    assert found
    content = json.loads(found[1])
    assert content["analysis"]["nodes"] == 50
    assert '[White "<i>Cleo</i>"]' in content["pgn"]
    assert "<i>" not in page


def test_the_accuracy_of_a_page_is_that_of_the_index(pgn: Path) -> None:
    """For games with evaluations in the file and without; and for a player with a single game."""
    pgn.write_text("\n".join((FIRST, SECOND, OTHER, Path("docs/games/opera.pgn").read_text())))
    folder = pgn.with_name("games-report")
    words = ("report", pgn, "--all", "--nodes", "200")
    assert inside(*words).exit_code == 0
    rows = Page((folder / "index.html").read_text()).all("td", **{"class": "accuracy"})
    assert len(rows) == 4
    for number, row in enumerate(rows, 1):
        alone = pgn.with_name("alone.html")
        assert inside("report", pgn, "--game", number, "--nodes", "200", "-o", alone).exit_code == 0
        for page in (folder / f"game-{number}.html", alone):
            shown = re.search(r'<tr class="accuracy"><td>(.*?)</td>.*<td>(.*?)</td></tr>', page.read_text())
            assert row.text == (" / ".join(shown.groups()) if shown else f"{DASH} / {DASH}")
    assert inside(*words, "--player", "Paul Morphy").exit_code == 0
    index = Page((folder / "index.html").read_text())
    cells = [each.text for each in index.all("td", **{"class": "count"})]
    assert cells[2] == rows[3].text.split(" / ")[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_an_index_and_goes_on(
    lolli_command: list[str], pgn: Path, number: signal.Signals
) -> None:
    others = [OTHER.replace("Cleo", f"Cleo {number}") for number in range(9)]
    pgn.write_text("\n".join([FIRST, SECOND, OTHER, *others]))
    folder = pgn.with_name("games-report")
    words = [*lolli_command, "report", str(pgn), "--all", "--time", "0.2"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    wait_until((folder / "game-01.html").exists)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    first, wrote, stopped = errors.decode().splitlines()[-3:]
    assert first.startswith("analysing games: Lolli")
    done = len(list(folder.glob("game-*")))
    assert 0 < done < 12
    assert wrote == f"wrote {folder / 'index.html'} and {done} page{'s' if done > 1 else ''} beside it"
    assert stopped == f"Stopped after {done} of 12 games; repeat the command to continue."
    index = (folder / "index.html").read_text()
    assert f"{done} of 12 games" in index
    assert index.count('href="game-') == 2 * done

    pgn.write_text("\n".join([FIRST, SECOND, OTHER]))
    again = outside(words)
    assert again.exit_code == 0
    assert f"; kept {min(done, 3)} page" in again.stderr


def test_games_from_a_pipe(lolli_command: list[str], tmp_path: Path) -> None:
    said = f"{FIRST}\n{SECOND}\n".encode()
    done = outside(lolli_command, "report", "-", "--all", "-o", tmp_path, "--player", "BEN", said=said)
    assert done.exit_code == 0, done.stderr
    assert '<h2 id="player-heading">Ben</h2>' in (tmp_path / "index.html").read_text()


def test_weights_that_cannot_be_used(pgn: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert "bad.json" in refused(inside("report", pgn, "--all", "--weights", bad))


def test_the_files_of_a_player_do_not_replace_the_source(tmp_path: Path) -> None:
    source = tmp_path / "report-games.pgn"
    source.write_text('[White "Ada"]\n\n1. e4 e5 *\n')
    message = refused(inside("report", str(source), "--all", "--player", "Ada", "-o", str(tmp_path)))
    assert "would be overwritten" in message
    assert source.read_text() == '[White "Ada"]\n\n1. e4 e5 *\n'
