"""Positions from files, PGN and standard input."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import pytest

from protocol.cli.analysis.recognition import RecognitionError, recognise, recognise_text

START = chess.STARTING_FEN
ENDING = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
GAMES = """\
[Event "Reykjavik"]
[Date "1972.07.11"]
[White "Spassky"]
[Black "Fischer"]

1. e4 {[%eval 0.3] a comment} e5 (1... c5 2. Nf3 d6) 2. Nf3 $1 Nc6
3. Bb5 a6?! 4. Ba4 *

[White "?"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]

1. O-O 1/2-1/2

[White "A"]
[Variant "Chess960"]
[FEN "nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w FBfb - 0 1"]

1. ♘b3 ♞b6 *
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    """Writes a file in the current folder, for the name to be short."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).write_bytes(data)
        return name

    return write


def refusal(text: str) -> str:
    with pytest.raises(RecognitionError) as caught:
        recognise(text)
    return str(caught.value)


def test_the_last_positions_of_games_are_those_of_python_chess() -> None:
    setups = recognise_text(GAMES)
    file = io.StringIO(GAMES.translate({ord("♘"): "N", ord("♞"): "N"}))
    for setup in setups:
        game = chess.pgn.read_game(file)
        assert game is not None
        assert setup.board == game.end().board()
        assert setup.board.move_stack == list(game.mainline_moves())
        assert setup.board.chess960 == game.board().chess960
    assert [setup.name for setup in setups] == ["Spassky - Fischer, Reykjavik 1972", "", "A - ?"]


def test_a_game_and_a_ply_of_it() -> None:
    (setup,) = recognise_text(GAMES, game=2, ply=0)
    assert setup.board.fen() == ENDING
    (setup,) = recognise_text(GAMES, game=1, ply=3)
    assert setup.board.fen() == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"


@pytest.mark.parametrize(("game", "only"), [(4, 3), (9, 3)])
def test_no_such_game(game: int, only: int) -> None:
    with pytest.raises(RecognitionError, match=rf"^there is no game {game}, only {only}$"):
        recognise_text(GAMES, game=game)


def test_remarks_around_games_are_no_games() -> None:
    setups = recognise_text(f"Look at this:\n\n{GAMES}\n\nWhat do you think?\n")
    assert len(setups) == 3


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ('[White "A"]\n\n1. e4 e5 2. Nf6 *', "game 1: 2. Nf6 is not legal here"),
        (GAMES + '\n[White "B"]\n\n1. d4 d5 2. c4 dxc3 *', "game 4: 2... dxc3 is not legal here"),
        ('[White "A"]\n\n1. Nf3 d5 2. d4 e6 3. Nd2 *', "game 1: 3. Nd2 is ambiguous: Nfd2 or Nbd2"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "game 1: White has no king"),
        ('[FEN "white wins"]\n\n*', "game 1: the FEN 'white wins' is none"),
        ('[Variant "Atomic"]\n\n1. e4 *', "game 1: Atomic is not played here"),
        ('[White "A"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5+ -- 4. d4 *', "game 1: 3... -- is not legal here"),
    ],
)
def test_games_refused_with_the_reason(game: str, reason: str) -> None:
    with pytest.raises(RecognitionError) as caught:
        recognise_text(game)
    assert str(caught.value).startswith(reason)


def test_only_the_main_line_of_the_chosen_game_has_to_be_legal() -> None:
    text = '[White "A"]\n\n1. e4 e5 (1... Nxe4) 2. Nf3 *\n\n[White "B"]\n\n1. e5 *\n'
    (setup,) = recognise_text(text, game=1)
    assert len(setup.board.move_stack) == 3


def test_too_many_games() -> None:
    many = '[White "A"]\n\n1. e4 *\n\n' * 501
    with pytest.raises(RecognitionError, match=r"^more than 500 games: choose one with --game$"):
        recognise_text(many)
    (setup,) = recognise_text(many, game=501)
    assert setup.board.ply() == 1


@pytest.mark.parametrize("name", ["x.fen", "x.txt", "x.json", "x", "e4", "a file with blanks"])
def test_any_file_by_its_content(name: str, write: Callable[[str, str | bytes], str]) -> None:
    (setup,) = recognise(write(name, f'{{"fen": "{ENDING}"}}\n'))
    assert setup.board.fen() == ENDING


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"], ids=lambda name: name
)
def test_encodings(encoding: str, write: Callable[[str, str | bytes], str]) -> None:
    text = '[White "Müller"]\r\n\r\n1. e4 *\r\n'
    data = ("\ufeff" * (encoding == "utf-16-le") + text).encode(encoding)
    (setup,) = recognise(write("game.pgn", data))
    assert setup.name == "Müller - ?"
    assert setup.board.ply() == 1


def test_epd_files_are_read_line_by_line(write: Callable[[str, str | bytes], str]) -> None:
    lines = f'# a comment\n{ENDING} bm O-O; id "one";\n\n{START} bm e4; id "two";\n'
    assert [setup.name for setup in recognise(write("some.epd", lines))] == ["one", "two"]
    assert refusal(write("bad.epd", lines + "rubbish\n")) == "bad.epd: line 5: no position"
    assert refusal(write("bad.epd", lines + ENDING.replace("R", "RR"))).startswith(
        "bad.epd: line 5: rank 1 has"
    )
    assert refusal(write("none.epd", "# nothing\n")) == "none.epd: no position"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\x7fELF\0\0\0", "not a text file"),
        (b"hello\nworld\n", "no FEN, no PGN and no moves in it"),
        (b"hello", "'hello' is no FEN, no file and no move"),
        (b"8/8/8/8/8/8/8/9 w - -", "rank 1: not a piece: '9'"),
        (b"e4 " * 6_000_000, "larger than 16 MiB: cut out what is to be analysed"),
    ],
)
def test_files_refused_with_the_reason(
    content: bytes, reason: str, write: Callable[[str, str | bytes], str]
) -> None:
    assert refusal(write("x.txt", content)) == f"x.txt: {reason}"


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    assert refusal("folder") == "folder: is a directory"
    for name in ("no.pgn", "no.EPD", "./no", "../no", "/no/where", "no/such.fen"):
        assert refusal(name) == f"{name}: no such file"


def test_a_file_that_may_not_be_read(write: Callable[[str, str | bytes], str]) -> None:
    name = write("secret.fen", START)
    Path(name).chmod(0)
    if not _readable(name):  # root may read anything
        assert refusal(name) == "secret.fen: permission denied"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, outcome in ((START, None), ("", "standard input: empty")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        if outcome is None:
            assert recognise("-")[0].board.fen() == START
        else:
            assert refusal("-") == outcome


def _readable(name: str) -> bool:
    try:
        Path(name).read_bytes()
    except PermissionError:
        return False
    return True
