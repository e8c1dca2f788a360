"""`lolli diagram`."""

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import chess
import pytest
from PIL import Image

from tests.lolli.cli.reports.commands import inside, outside, refused
from tests.lolli.cli.reports.samples import ANNOTATED, FOLDER, sample
from tests.lolli.cli.reports.test_board_image import KIWIPETE, SVG, names_of, pieces_of


def marked(svg: str) -> list[str]:
    classes = [element.get("class", "").split() for element in ET.fromstring(svg).iter(f"{SVG}rect")]
    return sorted(each[-1] for each in classes if "lastmove" in each)


def test_svg_on_stdout(lolli_command: list[str]) -> None:
    done = outside(lolli_command, "diagram", *KIWIPETE.split())
    assert (done.exit_code, done.stderr) == (0, "")
    assert pieces_of(done.stdout, chess.WHITE, margin=15) == names_of(chess.Board(KIWIPETE))


def test_a_png(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    done = outside(lolli_command, "diagram", "startpos", "-o", path, "--size", 240)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"wrote {path}\n")
    picture = Image.open(io.BytesIO(path.read_bytes()))
    assert (picture.format, picture.size) == ("PNG", (240, 240))


def test_a_position_of_a_game() -> None:
    done = inside(
        "diagram", FOLDER / ANNOTATED, "--ply", 47, "--flip", "--arrow", "e7", "--arrow", "c6b7:red"
    )
    board = list(sample(ANNOTATED).mainline())[46].board()
    assert pieces_of(done.stdout, chess.BLACK, margin=15) == names_of(board)
    assert marked(done.stdout) == ["d1", "d4"]
    classes = [element.get("class") for element in ET.fromstring(done.stdout)]
    assert (classes.count("circle"), classes.count("arrow")) == (1, 2)


def test_moves_played_from_a_position() -> None:
    done = inside("diagram", "--moves", "1. e4 e5 2. Nf3", "--mark", "e5", "--mark", "d4")
    board = chess.Board()
    for san in ("e4", "e5", "Nf3"):
        board.push_san(san)
    assert pieces_of(done.stdout, chess.WHITE, margin=15) == names_of(board)
    assert marked(done.stdout) == ["f3", "g1"]
    assert done.stdout.count("#e0714a") == 2
    assert marked(inside("diagram", "--last", "a1h8").stdout) == ["a1", "h8"]
    assert marked(inside("diagram").stdout) == []


@pytest.mark.parametrize(
    ("fen", "reason"),
    [
        ("8/8/3p4/8/3N4/8/8/8", "White has no king"),
        ("k7/8/8/8/8/8/8/KK6 w - -", "White has 2 kings, not one"),
        ("P3k3/8/8/8/8/8/8/4K2p b KQkq e3 0 1", "a pawn cannot stand on h1"),
        ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", "Black is in check, but White is to move"),
        (
            "qqqqkqqq/pppppppp/8/8/8/8/PPPPPPPP/QQQQKQQQ w - - 0 1",
            "White has more pieces than promotions allow",
        ),
    ],
)
@pytest.mark.parametrize("flip", [False, True])
def test_what_is_not_legal_is_drawn_with_a_note(fen: str, reason: str, flip: bool, tmp_path: Path) -> None:
    options = ["--flip"] if flip else []
    expected = chess.BaseBoard(fen.split(maxsplit=1)[0])
    done = inside("diagram", fen, *options)
    assert done.exit_code == 0
    assert f"Not a legal position ({reason}): drawn as it stands;" in done.stderr
    pieces = {
        square: f"{chess.COLOR_NAMES[piece.color]}-{chess.PIECE_NAMES[piece.piece_type]}"
        for square, piece in expected.piece_map().items()
    }
    assert pieces_of(done.stdout, not flip, margin=15) == pieces
    text = inside("diagram", fen, "--text", *options)
    assert reason in text.stderr
    drawn = [line[4:].replace("\ufe0e", "") for line in text.stdout.splitlines()[:8]]
    turned = [line[::-1] for line in drawn[::-1]] if flip else drawn
    assert "\n".join(turned) == expected.unicode(empty_square="·")
    path = tmp_path / "board.png"
    inside("diagram", fen, "--size", 240, "-o", path, *options)
    assert Image.open(io.BytesIO(path.read_bytes())).size == (240, 240)


def test_what_is_not_legal_is_drawn_from_standard_input() -> None:
    fen = "8/8/3p4/8/3N4/8/8/8"
    done = inside("diagram", "-", "--text", said=fen.encode())
    assert done.stdout == inside("diagram", fen, "--text").stdout
    assert "Not a legal position (White has no king)" in done.stderr


def test_text_is_the_board_of_the_terminal() -> None:
    done = inside("diagram", "--moves", "e4", "--text")
    assert done.stdout.splitlines()[4] == " 4  · · · ·[♙]· · ·"
    assert done.stderr == ""
    large = inside("diagram", "--last", "a1h8", "--text", "--board-size", "medium")
    assert large.stdout.splitlines()[14].startswith(" 1 [ ♖ ]")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("rubbish",), "rubbish"),
        (
            ("8/8/8/8/8/8/8/8 w - -", "--moves", "e4"),
            "--moves and --ply need a legal position: White has no king",
        ),
        (
            ("8/8/8/8/8/8/8/8 w - -", "--ply", "1"),
            "--moves and --ply need a legal position: White has no king",
        ),
        (("8/8/8/8/8/8/8/8 w - -", "--game", "2"), "king"),
        (("8/8/8/8/8/8/8/8 8/8/8/8/8/8/8/K7",), "2 positions found: choose one with --game N"),
        (("8/8/8/8/8/8/8/p8 w - -",), "rank 1: expected eight squares"),
        (('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *',), "king"),
        (("--text", "--arrow", "e2e4"), "--arrow cannot be combined with --text"),
        (("--text", "-o", "board.svg"), "-o cannot be combined with --text"),
        (("--moves", "e5"), "e5"),
        (("--arrow", "e2e9"), "not a square: 'e9'"),
        (("--arrow", "e2e4:pink"), "unknown colour 'pink': choose from green, red, yellow, blue"),
        (("--mark", ""), "not a square: ''"),
        (("--last", "e2"), "not two squares, as in e2e4: 'e2'"),
        (("--last", "Nf3"), "not two squares, as in e2e4: 'Nf3'"),
        (("-o", "board.gif"), ".svg or .png"),
        (("-o", "no/such/board.svg"), "no such folder"),
        (("--game", "2"), "no position 2: there are 1"),
        ((f"{KIWIPETE}\n{KIWIPETE}",), "2 positions found: choose one with --game N"),
    ],
)
def test_bad_words_get_one_line(words: tuple[str, ...], reason: str) -> None:
    assert reason in refused(inside("diagram", *words))


def test_the_file_of_the_position_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "position.svg"
    path.write_text(KIWIPETE)
    assert "would be overwritten" in refused(inside("diagram", path, "-o", path))
    assert path.read_text() == KIWIPETE
