"""`lolli report`."""

import io
import re
import signal
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from lolli.cli.report import select_game
from tests.lolli.cli.reports.commands import inside, outside, refused
from tests.lolli.cli.reports.html_reader import Page
from tests.lolli.cli.reports.samples import ANNOTATED, FOLDER
from tests.patience import PATIENCE

BARE = '[White "One"]\n[Black "Two"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
TWO_GAMES = f'{BARE}\n[White "Three"]\n[Black "Four"]\n\n1. e4 *\n'


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    path = tmp_path / "bare.pgn"
    path.write_text(BARE)
    return path


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    path = tmp_path / "game.pgn"
    path.write_bytes((FOLDER / ANNOTATED).read_bytes())
    return path


def title(path: Path) -> str:
    return Page(path.read_text(encoding="utf-8")).one("title").text


def test_a_page_beside_the_game(lolli_command: list[str], annotated: Path) -> None:
    done = outside(lolli_command, "report", annotated)
    page = annotated.with_suffix(".html")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.splitlines()[-1] == f"wrote {page}"  # matplotlib may tell of its first start before
    assert title(page).startswith("Kasparov, Garry")
    assert sorted(path.name for path in annotated.parent.iterdir()) == ["game.html", "game.pgn"]


def test_a_page_on_stdout(lolli_command: list[str]) -> None:
    done = outside(lolli_command, "report", "-", "-o", "-", "--nodes", 20, said=BARE.encode())
    assert done.exit_code == 0
    assert Page(done.stdout).faults == []
    assert "analysing 4 positions: Lolli" in done.stderr


def test_a_game_without_scores_is_analysed(bare: Path) -> None:
    done = inside("report", bare, "--nodes", 30)
    assert done.exit_code == 0
    assert re.match(r"analysing 4 positions: Lolli \S+, network, 30 nodes a move\n", done.stderr)
    page = Page(bare.with_suffix(".html").read_text(encoding="utf-8"))
    assert len(page.all("tr")) == 6
    assert "mate" in page.one("ol").text
    assert bare.read_text() == BARE


@pytest.mark.parametrize(
    "words",
    [("--nodes", 20), ("--depth", 1), ("--fresh", "--nodes", 20), ("--eval", "material", "--nodes", 20)],
)
def test_a_game_with_scores_is_analysed_only_if_wanted(annotated: Path, words: tuple[object, ...]) -> None:
    short = annotated.with_name("short.pgn")
    short.write_text("1. e4 { [%eval 0.3] } 1... e5 { [%eval 0.2] says somebody } *\n")
    assert "analysing" not in inside("report", short).stderr
    assert "analysing 3 positions" in inside("report", short, *words).stderr
    page = short.with_suffix(".html").read_text()
    assert ("says somebody" in page) == ("--fresh" not in words)


HALLOWEEN = (
    "e4 e5 Nf3 Nc6 Nc3 Nf6".replace(" ", " { [%eval 0.2] } ") + " { [%eval 0.2] } Nxe5 { [%eval -1.2] } *\n"
)


@pytest.mark.parametrize("pgn", [re.sub("{.*?}", "", HALLOWEEN), HALLOWEEN], ids=["analysed", "with scores"])
def test_moves_of_the_opening_are_marked_only_if_wanted(tmp_path: Path, pgn: str) -> None:
    """The Halloween Gambit, which gives up a knight. With --all no page is kept that is marked otherwise."""
    path = tmp_path / "x.pgn"
    path.write_text(pgn)
    nodes = [] if "eval" in pgn else ["--nodes", 2000]
    for words in ([], ["--mark-openings"], ["--no-mark-openings"], ["--no-book"]):
        for page, whole in ((tmp_path / "x.html", []), (tmp_path / "x-report/game-1.html", ["--all"])):
            assert inside("report", path, *nodes, *whole, *words).exit_code == 0
            is_marked = '"label":"4. Nxe5?' in page.read_text()
            assert is_marked == (words in (["--mark-openings"], ["--no-book"]))


@pytest.mark.parametrize("words", [[], ["--all"]])
def test_a_game_that_has_marks_keeps_them(tmp_path: Path, words: list[str]) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(HALLOWEEN.replace("Nc6", "Nc6 $6"))
    told = inside("report", path, "--mark-openings", *words).stderr
    assert "with marks already: --mark-openings adds none without --fresh" in told
    assert "with marks" not in inside("report", path, *words).stderr


def test_the_graph_alone(annotated: Path, tmp_path: Path) -> None:
    for name in ("graph.png", "graph.svg"):
        done = inside("report", annotated, "--graph", tmp_path / name)
        assert (done.exit_code, done.stderr) == (0, f"wrote {tmp_path / name}\n")
    assert Image.open(io.BytesIO((tmp_path / "graph.png").read_bytes())).format == "PNG"
    assert "<svg" in (tmp_path / "graph.svg").read_text()
    assert not annotated.with_suffix(".html").exists()
    both = inside("report", annotated, "--graph", tmp_path / "graph.png", "-o", tmp_path / "page.html")
    assert both.stderr == f"wrote {tmp_path / 'graph.png'}\nwrote {tmp_path / 'page.html'}\n"


def test_one_of_several_games(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(TWO_GAMES)
    first = inside("report", path, "--nodes", 20)
    assert first.stderr.startswith("game 1 of 2; use --game N for another\n")
    assert title(tmp_path / "games.html").startswith("One")
    second = inside("report", path, "--nodes", 20, "--game", 2)
    assert second.stderr.startswith("analysing 2 positions")
    assert title(tmp_path / "games.html").startswith("Three")
    assert refused(inside("report", path, "--game", 3)) == f"{path}: no game 3: the file has 2"


def test_no_more_is_read_than_the_game_that_is_wanted() -> None:
    file = io.BytesIO(TWO_GAMES.encode() + b"1. e4 e5 *\n" * 1000)
    game, _ = select_game(file, 2)
    assert game.headers["White"] == "Three"
    assert file.tell() < 2 * len(TWO_GAMES)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no game"),
        (b"\n\n", "no game"),
        (b"hello\n", "cannot be read"),
        (b'[Event "x"]\n\n1. e4 e5 2. Qh9 *\n', "game 1, line 3: "),
        (b'[Event "x"]\n\n1. e4 e5 2. Ke3 *\n', "game 1, line 3: 2. Ke3 is illegal"),
        (b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*\n', "FEN: "),
        (b'[Variant "Atomic"]\n\n1. e4 *\n', "Atomic"),
        (b"\xff\xfe1\0.\0", "not text"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "bad.pgn"
    path.write_bytes(content)
    assert reason in refused(inside("report", path))
    assert not path.with_suffix(".html").exists()


def test_files_that_cannot_be_used_are_refused(annotated: Path, tmp_path: Path) -> None:
    before = annotated.read_bytes()
    (tmp_path / "link.html").symlink_to(annotated)
    over = f"{annotated} would be overwritten: choose another name"
    assert refused(inside("report", annotated, "-o", annotated)) == over
    assert refused(inside("report", annotated, "-o", tmp_path / "link.html")) == over
    assert refused(inside("report", tmp_path / "none.pgn")).endswith("No such file or directory")
    assert refused(inside("report", tmp_path)).endswith("Is a directory")
    assert refused(inside("report", annotated, "-o", tmp_path)) == f"{tmp_path} is a folder"
    assert "no such folder" in refused(inside("report", annotated, "-o", tmp_path / "no" / "page.html"))
    assert ".svg or .png" in refused(inside("report", annotated, "--graph", tmp_path / "graph.gif"))
    assert "name the page with -o" in refused(inside("report", "-"))
    assert "has no graph" in refused(inside("report", FOLDER / "no_moves.pgn", "--graph", tmp_path / "g.svg"))
    assert annotated.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.pgn", "link.html"]


def test_a_name_that_is_too_long_is_refused(annotated: Path) -> None:
    for option in ("-o", "--graph"):
        assert "File name too long" in refused(inside("report", annotated, option, f"{'x' * 300}.svg"))


@pytest.mark.parametrize("source", ["/dev/fd/63", "/dev/stdin", ".", "/"])
def test_a_source_without_a_name_gives_none_to_the_page(source: str) -> None:
    named = "the input has no file name: name the"
    assert refused(inside("report", source)) == f"{named} page with -o"
    assert refused(inside("report", source, "--all")) == f"{named} folder with -o"


def test_missing_packages_are_named(lolli_command: list[str], annotated: Path, tmp_path: Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ModuleNotFoundError('no', name='matplotlib')\n")
    done = outside(lolli_command, "report", annotated, path=tmp_path)
    assert refused(done) == "lolli report needs additional packages: scripts/build --dev"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_analysis_without_a_page(
    lolli_command: list[str], bare: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen([*lolli_command, "report", bare, "--time", "1000"], stderr=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"analysing 4 positions")
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + number
    assert errors == b""
    assert not bare.with_suffix(".html").exists()
