"""What came in goes out."""

import io

import chess.pgn
import pytest
from hypothesis import given

from protocol.cli.pgn.games import raw_games
from protocol.cli.pgn.reader import read_game, written
from tests.protocol.cli.pgn.corpus import READABLE, corpus
from tests.protocol.cli.pgn.random_games import Made, made_games
from tests.protocol.cli.pgn.slow_reader import outline, told


def check_tells_the_same(raw: bytes, out: bytes) -> None:
    """That a game and what was written of it differ in nothing but the result of one that was cut off."""
    expected, found = outline(raw), outline(out)
    if expected.result is None:
        headers = dict(expected.headers)
        expected.result = headers["Result"] if headers.get("Result") in ("1-0", "0-1", "1/2-1/2") else "*"
    assert found == expected


def check_form(raw: bytes, out: bytes) -> None:
    """That nothing around the text has changed: mark, ends of lines, blank lines after it."""
    mark = b"\xef\xbb\xbf"
    assert out.startswith(mark) == raw.startswith(mark)
    assert out[len(out.rstrip()) :] == raw[len(raw.rstrip()) :]
    end = next((end for end in (b"\r\n", b"\n", b"\r") if end in raw), b"\n")
    assert b"\n" not in out.replace(end, b"")


@pytest.mark.parametrize("name", corpus())
def test_games_of_the_corpus(name: str) -> None:
    for raw, readable in zip(raw_games(io.BytesIO(corpus()[name])), READABLE[name], strict=True):
        if readable:
            out = written(read_game(raw.data))
            check_tells_the_same(raw.data, out)
            check_form(raw.data, out)
            assert written(read_game(out)) == out


@given(made_games())
def test_random_games(made: Made) -> None:
    out = written(read_game(made.data))
    check_tells_the_same(made.data, out)
    check_form(made.data, out)
    assert written(read_game(out)) == out
    assert [game.data for game in raw_games(io.BytesIO(out))] == [out]


@given(made_games())
def test_python_chess_reads_what_was_written(made: Made) -> None:
    """As do the many programs that rest on it; escapes aside, which it knows as we do."""
    read = read_game(made.data)
    text = written(read).removeprefix(b"\xef\xbb\xbf").decode(read.encoding)
    game = chess.pgn.read_game(io.StringIO(text.replace(read.newline, "\n")))
    assert game is not None
    assert not game.errors
    assert told(game) == told(made.game)


@given(made_games(with_odd_words=False))
def test_the_export_format_comes_back_byte_by_byte(made: Made) -> None:
    for name in chess.pgn.TAG_ROSTER:
        made.game.headers.setdefault(name, "?")
    made.game.headers["Result"] = made.result or "*"
    raw = f"{made.game.accept(chess.pgn.StringExporter(columns=80))}\n\n".encode()
    assert written(read_game(raw)) == raw


@pytest.mark.parametrize(
    ("raw", "out"),
    [
        (b"1.e4 e5", b"1. e4 e5 *"),
        (b'[Result "1-0"]\n1.e4 e5\n', b'[Result "1-0"]\n\n1. e4 e5 1-0\n'),
        (b'[Result "White"]\n\n1.e4 e5\n', b'[Result "White"]\n\n1. e4 e5 *\n'),
        (b'[Black "b"]\r\n[Event "a"]\r\n\r\n', b'[Black "b"]\r\n[Event "a"]\r\n\r\n*\r\n\r\n'),
        (b"1. e4 (1. d4 {a", b"1. e4 ( 1. d4 { a } ) *"),
        (
            b'[Event "a"]\n% b\n; c\n[Site "d"]\n; e\n\n% f\n*',
            b'% b\n; c\n% f\n[Event "a"]\n[Site "d"]\n\n{ e } *',
        ),
        (b"1. e4\r% a\re5 *\r\r", b"% a\r1. e4 e5 *\r\r"),
        (b"1. e4 ; a\n; b\n*", b"1. e4 { a b } *"),
        (b"1. e4 {a} (1. d4) {b} $1 *", b"1. e4 $1 { a b } ( 1. d4 ) *"),
        (b"1. e4 1-0 {a}\n\x1a", b"1. e4 { a } 1-0\n\x1a"),
        (b"\xef\xbb\xbf1. e4 {\xe9}", b"\xef\xbb\xbf1. e4 { \xe9 } *"),
        (b"1. e4 {\x93\x85} {\xa9} {\x81}", b"1. e4 { \x93\x85 \xa9 \x81 } *"),
    ],
)
def test_what_changes(raw: bytes, out: bytes) -> None:
    """All the freedom that writing takes."""
    assert written(read_game(raw)) == out


def test_new_headers_come_after_the_old_ones() -> None:
    read = read_game(b'[Black "b"]\n[White "w"]\n\n1. e4 *')
    read.game.headers["Annotator"] = "Lolli"
    read.game.headers["Black"] = "c"
    read.game.headers["Event"] = "?"
    del read.game.headers["White"]
    assert written(read) == b'[Black "c"]\n[Event "?"]\n[Annotator "Lolli"]\n\n1. e4 *'


def test_additions_are_written_in_the_encoding_of_the_game() -> None:
    read = read_game(b"1. e4 {\xe9} *")
    read.game.variations[0].comment += " è"
    assert written(read) == b"1. e4 { \xe9 \xe8 } *"
    read.game.variations[0].comment += " ♔"
    with pytest.raises(UnicodeEncodeError):
        written(read)


def test_lines_are_short() -> None:
    out = written(read_game(corpus()["300 moves"]))
    assert max(len(line) for line in out.split(b"\n")) <= 80
