"""Positions from texts and files: what is understood, and why something is not."""

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import pytest

from lolli.cli.analysis.notation import RecognitionError
from lolli.cli.analysis.recognition import recognise, recognise_text

START = chess.STARTING_FEN
BOARD = START.split()[0]
OTHER = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 14"
CHESS960 = "nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN"
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


def after(moves: str, fen: str = START) -> chess.Board:
    board = chess.Board(fen)
    for move in moves.split():
        board.push_san(move)
    return board


def refusal(text: str) -> str:
    with pytest.raises(RecognitionError) as caught:
        recognise(text)
    return str(caught.value)


def the_one(text: str) -> chess.Board:
    (position,) = recognise(text)
    return position.board


@pytest.mark.parametrize(
    "text", ["", "  \n", "startpos", " STARTPOS\n", "position startpos", "fen: startpos"]
)
def test_start_position(text: str) -> None:
    assert the_one(text) == chess.Board()


@pytest.mark.parametrize(
    "text",
    [
        "{fen}",
        "  {fen}\n",
        "“{fen}”",
        "«{fen}»",
        "'{fen}'",
        "FEN: {fen}.",
        "> {fen}",
        "position fen {fen}",
        "fen {fen}",
        '{{"fen": "{fen}", "depth": 12}}',
        '{{"depth": 12, "fen":"{json}"}}',
        '[FEN "{fen}"]',
        'it says [SetUp "1"][FEN "{fen}"] there',
        "what about {fen}, is it won?",
        "see https://example.com/a/b/c?d=e: {fen}",
        "| {fen} |",
        "https://lichess.org/analysis/standard/{underscores}",
        "https://lichess.org/analysis/{underscores}?color=black#7",
        "<https://lichess.org/editor/{underscores}?color=white>",
        "https://lichess.org/editor?fen={quoted}&variant=standard",
        "https://www.chess.com/analysis?fen={quoted}&flip=true",
        "www.chess.com/analysis?tab=analysis&fen={plus}",
        "\ufeff\u200b{fen}\u200b",
        "{nonbreaking}",
        "{dashes}",
        "{lines}",
        "{ranks}",
        "{broken}",
        "{half}",
    ],
)
@pytest.mark.parametrize("fen", [START, OTHER])
def test_a_fen_in_whatever_surrounds_it(text: str, fen: str) -> None:
    whole = text.format(
        fen=fen,
        json=fen.replace("/", "\\/"),
        underscores=fen.replace(" ", "_"),
        quoted=fen.replace("/", "%2F").replace(" ", "%20"),
        plus=fen.replace(" ", "+"),
        nonbreaking=fen.replace(" ", "\u00a0"),
        dashes=fen.replace("-", "\u2013"),
        lines=fen.replace(" ", "\n"),
        ranks=fen.replace("/", "/\r\n  ", 2).replace(" w", "\n\n w"),
        broken=fen.replace("ppp", "pp\np", 1).replace("b1bn", "b1\nbn"),
        half=fen[:30] + "\n" + fen[30:],
    )
    assert the_one(whole).fen() == fen


@pytest.mark.parametrize(
    ("text", "fen", "assumed"),
    [
        (f"{BOARD} w KQkq - 5", f"{BOARD} w KQkq - 5 1", ""),
        (f"{BOARD} w KQkq -", START, ""),
        (f"{BOARD} W KQkq -", START, ""),
        (f"{BOARD} b KQkq", f"{BOARD} b KQkq - 0 1", ""),
        (f"{BOARD} Black", f"{BOARD} b - - 0 1", "no castling"),
        (BOARD, f"{BOARD} w - - 0 1", "White to move, no castling"),
        (f"{BOARD} is the start", f"{BOARD} w - - 0 1", "White to move, no castling"),
        ("4k3/8/8/8/8/8/8/4RK2", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "Black to move, no castling"),
        (f"{BOARD} w KQkq -\n12 other things", START, ""),
    ],
)
def test_missing_fields(text: str, fen: str, assumed: str) -> None:
    (position,) = recognise(text)
    assert (position.board.fen(), position.assumed) == (fen, assumed)


@pytest.mark.parametrize("rights", ["FBfb", "KQkq"])
def test_chess960(rights: str) -> None:
    board = the_one(f"{CHESS960} w {rights} - 0 1")
    assert board.chess960
    assert board.shredder_fen() == f"{CHESS960} w FBfb - 0 1"


def test_epd() -> None:
    (position,) = recognise('4k3/8/8/8/8/8/8/4K2R w K - bm O-O; ce 30; id "short castling"; hmvc 7; fmvn 31;')
    assert (position.board.fen(), position.name) == ("4k3/8/8/8/8/8/8/4K2R w K - 7 31", "short castling")


def test_several_positions() -> None:
    text = f'1) {START} and\n2) {OTHER} bm O-O; id "second";\nposition startpos moves e2e4\n'
    positions = recognise(text)
    assert [position.board.fen() for position in positions] == [START, OTHER, after("e4").fen()]
    assert [position.name for position in positions] == ["", "second", ""]


MOVES = "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O"


@pytest.mark.parametrize(
    "text",
    [
        MOVES,
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O",
        "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Bxc6 dxc6 5.O-O *",
        "1 e4 e5 2 Nf3 Nc6 3 Bb5 a6 4 Bxc6 dxc6 5 0-0 1-0",
        "1. e4 1... e5 2. Nf3! Nc6?! 3. Bb5 {Spanish (or: Ruy Lopez)} a6 4. Bxc6 $1 dxc6 5. o-o ½-½",
        "1.e4! e5\n2.Nf3 Nc6\n3.Bb5 (3.Bc4 Bc5 (3...Nf6)) a6 ; a comment\n4.Bxc6 dxc6 5.O-O 1/2-1/2",
        "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1",
        "e2-e4 e7-e5 Ng1-f3 Nb8-c6 Bf1-b5 a7-a6 Bb5xc6 d7xc6 O\u2013O",
        "1. ♙e4 ♟e5 2. ♘f3 ♞c6 3. ♗b5 a6 4. ♗xc6 dxc6 5. O-O",
        "e4, e5, Nf3, Nc6, Bb5, a6, Bxc6, dxc6, O-O.",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. B:c6 d:c6 5. O-O = +/- ±",
        "https://lichess.org/analysis/pgn/e4_e5_Nf3_Nc6_Bb5_a6_Bxc6_dxc6_O-O",
    ],
)
def test_moves(text: str) -> None:
    assert the_one(text).move_stack == after(MOVES).move_stack


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "expected eight ranks, found 7"),
        (f"{BOARD}/8 w KQkq - 0 1", "expected eight ranks, found 9"),
        (f"{BOARD} x KQkq - 0 1", "the side to move must be w or b, not 'x'"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Black is in check, but White is to move"),
        (f"{OTHER}\n{BOARD} x KQkq - 0 1", "line 2: the side to move must be w or b, not 'x'"),
        (f"{OTHER} {BOARD} x KQkq - 0 1", "position 2: the side to move must be w or b, not 'x'"),
        ("1. e4 e5 2. Nf6", "2. Nf6 is not a legal move: no knight moves to f6"),
        ("1. e4 e5 2. Zz9", "2. Zz9 is not a move"),
        ("1. e4 -- 2. d4", "1... -- is not a legal move: passing is not allowed"),
        ("position startpos moves e2e4 e2e4", "1... e2e4 is not a legal move: e2 is empty"),
        (
            f"position fen {START} moves e2e5",
            "1. e2e5 is not a legal move: a pawn does not move from e2 to e5",
        ),
        ("xyzzy", "not a FEN, a file or a move: 'xyzzy'"),
        ("8/8/8/8 w - -", "expected eight ranks, found 4"),
        ("1/2", "not a FEN, a file or a move: '1/2'"),
        ("one\ntwo", "no FEN, PGN or moves found"),
        ("https://lichess.org/abcd1234", "web pages are not fetched: paste the FEN or PGN itself"),
        ("a" * 300, f"not a FEN, a file or a move: '{'a' * 199}…'"),
        (f"{START}\n" * 10_001, "more than 10000 positions: select some of them"),
    ],
)
def test_refused_with_the_reason(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_a_position_among_several() -> None:
    (position,) = recognise_text(f"{START}\n{OTHER}\n", game=2)
    assert position.board.fen() == OTHER
    with pytest.raises(RecognitionError, match=r"^no position 3: there are 2$"):
        recognise_text(f"{START}\n{OTHER}\n", game=3)


def test_an_earlier_ply() -> None:
    (position,) = recognise_text(MOVES, ply=3)
    assert position.board.move_stack == after("e4 e5 Nf3").move_stack
    (position,) = recognise_text(MOVES, ply=0)
    assert position.board == chess.Board()
    with pytest.raises(RecognitionError, match=r"^no ply 10: the game has 9$"):
        recognise_text(MOVES, ply=10)


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str | bytes], str]:
    monkeypatch.chdir(tmp_path)

    def write(name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        Path(name).write_bytes(data)
        return name

    return write


def test_the_last_positions_of_games_are_those_of_python_chess() -> None:
    positions = recognise_text(GAMES)
    file = io.StringIO(GAMES.translate({ord("♘"): "N", ord("♞"): "N"}))
    for position in positions:
        game = chess.pgn.read_game(file)
        assert game is not None
        assert position.board == game.end().board()
        assert position.board.move_stack == list(game.mainline_moves())
        assert position.board.chess960 == game.board().chess960
    assert [position.name for position in positions] == ["Spassky - Fischer, Reykjavik 1972", "", "A - ?"]


def test_a_game_and_a_ply_of_it() -> None:
    (position,) = recognise_text(GAMES, game=2, ply=0)
    assert position.board.fen() == ENDING
    (position,) = recognise_text(GAMES, game=1, ply=3)
    assert position.board.fen() == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"


def test_blank_lines_end_no_game() -> None:
    text = (
        '[White "A"]\n\n\n[Black "B"]\n1. e4 e5 (1... c5\n\n2. c3)\n\n2. Nf3\n\n*\n[White "C"]\n\n1. d4 *\n'
    )
    assert [len(position.board.move_stack) for position in recognise_text(text)] == [3, 1]
    (position,) = recognise_text(text, game=2)
    assert position.name == "C - ?"


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ('[White "A"]\n\n1. e4 e5 2. Nf6 *', "game 1: 2. Nf6 is not a legal move"),
        (GAMES + '\n[White "B"]\n\n1. d4 d5 2. c4 dxc3 *', "game 4: 2... dxc3 is not a legal move"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "game 1: White has no king"),
        ('[FEN "white wins"]\n\n*', "game 1: not a FEN: 'white wins'"),
        ('[Variant "Atomic"]\n\n1. e4 *', "game 1: unsupported variant 'Atomic'"),
        ('[White "A"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5+ -- 4. d4 *', "game 1: 3... -- is not a legal move"),
        ('[White "A"]\n\n1. e4 e5 2. Sf3 Nc6 *', "game 1: 2. Sf3 is not a move"),
    ],
)
def test_games_refused_with_the_reason(game: str, reason: str) -> None:
    assert refusal(game).startswith(reason)


def test_a_word_in_a_game_that_names_no_square_is_skipped() -> None:
    assert the_one('[White "A"]\n\n1. e4 e5 novelty 2. Nf3 N *') == after("e4 e5 Nf3")


def test_two_tags_on_a_line() -> None:
    (position,) = recognise_text(f'[White "The "Rock""] [FEN "{ENDING}"]\n\n1. O-O *')
    assert position.board.fen() == after("O-O", ENDING).fen()
    assert position.name == 'The "Rock" - ?'


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. e4 e5 1-0\n\n1. d4 d5 0-1\n; the end\n", ["e4 e5", "d4 d5"]),
        ('1. e4 e5 1-0\n\n[Event "b"]\n\n1. d4 *\n', ["e4 e5", "d4"]),
        ('A game of mine:\n[Event "b"]\n\n1. d4 *\n', ["d4"]),
        ('e4 is my favourite:\n[Event "b"]\n\n1. d4 *\n', ["d4"]),
        ("1. e4 e5 *\n2. Nf3\n", ["e4 e5 Nf3"]),
    ],
)
def test_games_without_headers(text: str, moves: list[str]) -> None:
    assert [position.board for position in recognise_text(text)] == [after(each) for each in moves]


def test_too_many_games() -> None:
    many = '[White "A"]\n\n1. e4 *\n\n' * 501
    with pytest.raises(RecognitionError, match=r"^more than 500 games: choose one with --game$"):
        recognise_text(many)
    (position,) = recognise_text(many, game=501)
    assert position.board.ply() == 1


@pytest.mark.parametrize("name", ["x.fen", "x.txt", "x.json", "x", "e4", "a file with blanks"])
def test_any_file_by_its_content(name: str, write: Callable[[str, str | bytes], str]) -> None:
    (position,) = recognise(write(name, f'{{"fen": "{ENDING}"}}\n'))
    assert position.board.fen() == ENDING


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"], ids=lambda name: name
)
def test_encodings(encoding: str, write: Callable[[str, str | bytes], str]) -> None:
    text = '[White "Müller"]\r\n\r\n1. e4 *\r\n'
    data = ("\ufeff" * (encoding == "utf-16-le") + text).encode(encoding)
    (position,) = recognise(write("game.pgn", data))
    assert position.name == "Müller - ?"
    assert position.board.ply() == 1


def test_epd_files_are_read_line_by_line(write: Callable[[str, str | bytes], str]) -> None:
    lines = f'# a comment\n{ENDING} bm O-O; id "one";\n\n{START} bm e4; id "two";\n'
    assert [position.name for position in recognise(write("some.epd", lines))] == ["one", "two"]
    assert refusal(write("bad.epd", lines + "rubbish\n")) == "bad.epd: line 5: no position"
    assert refusal(write("bad.epd", lines + ENDING.replace("R", "RR"))).startswith(
        "bad.epd: line 5: rank 1: expected eight squares"
    )
    assert refusal(write("none.epd", "# nothing\n")) == "none.epd: no position"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"\x7fELF\0\0\0", "not a text file"),
        (gzip.compress(b"1. e4 e5 *", mtime=0), "compressed: unpack it, or pass <(gzip -dc FILE)"),
        (b"hello", "not a FEN, a file or a move: 'hello'"),
        (b"8/8/8/8/8/8/8/9 w - -", "rank 1: not a piece: '9'"),
        (b"e4 " * 6_000_000, "larger than 16 MiB: select a part of it"),
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


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, outcome in ((START, None), ("", "standard input: empty")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        if outcome is None:
            assert recognise("-")[0].board.fen() == START
        else:
            assert refusal("-") == outcome
