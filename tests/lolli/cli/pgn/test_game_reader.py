"""Games are read without loss or refused, and written as they came."""

import io

import chess.pgn
import pytest
from hypothesis import given

from lolli.cli.pgn import raw_games
from lolli.cli.pgn.game_reader import NoGameError, ReadGame, UnreadableError, read_game, written
from tests.lolli.cli.pgn.pgn_corpus import corpus
from tests.lolli.cli.pgn.pgn_outline import outline, told
from tests.lolli.cli.pgn.random_games import Made, made_games
from tests.lolli.cli.pgn.readable import READABLE


def read_or_none(raw: bytes) -> ReadGame | None:
    try:
        return read_game(raw)
    except UnreadableError:
        return None


def first(name: str, number: int = 1) -> ReadGame:
    return read_game(list(raw_games(io.BytesIO(corpus()[name])))[number - 1].data)


@pytest.mark.parametrize("name", corpus())
def test_games_of_the_corpus(name: str) -> None:
    readable = []
    for raw in raw_games(io.BytesIO(corpus()[name])):
        read = read_or_none(raw.data)
        readable.append(read is not None)
        if read:
            expected = outline(raw.data)
            assert told(read.game) == expected.moves
            assert [(name, read.game.headers[name]) for name in read.order] == expected.headers
            assert set(read.game.headers) == set(read.order)
            assert read.result == expected.result
            assert sorted(line for line in read.prefix.split("\n") if line.strip()) == expected.kept
    assert readable == READABLE[name]


@pytest.mark.parametrize("name", [name for name, readable in READABLE.items() if not all(readable)])
def test_reasons_are_one_line_and_tell_where(name: str) -> None:
    games = raw_games(io.BytesIO(corpus()[name]))
    for raw, readable in zip(games, READABLE[name], strict=True):
        if not readable:
            with pytest.raises(UnreadableError, match=r"\A.+\Z") as caught:
                read_game(raw.data)
            assert 0 <= caught.value.line <= raw.lines


@given(made_games())
def test_random_games(made: Made) -> None:
    read = read_game(made.data)
    assert told(read.game) == told(made.game)
    assert dict(read.game.headers) == dict(made.game.headers)
    assert read.result == made.result


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("\n1. e4 e5\n2. Ke3 *", "2. Ke3 is illegal", 2),
        ("1. e4 e5 2. Nf3 (2. Nc3\nNc4) *", "2... Nc4 is illegal", 1),
        ("1. Nf3 d5 2. d4 a6 3. Nd2", "3. Nd2 is ambiguous", 0),
        ("1. f4 e5 2. g4 Qh4 3. --", "3. -- is illegal", 0),
        ('[FEN "8/1P1k4/8/8/8/8/8/4K3 w - - 0 30"]\n\nb8', "30. b8 is illegal", 2),
        ('[Event "a"]\n[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "FEN: White has no king", 1),
        ('[Event "a"]\n[Variant "Atomic"]\n\n1. e4 P@f7 *', "the variant 'Atomic' is not supported", 1),
        (f'[FEN "{"8" * 999}"]', f"FEN: expected 8 rows in position part of fen: '{'8' * 72}…", 0),
        ('[Event "a"]\n[Site "b"]\n[Event "c"]\n\n*', "two headers Event", 2),
        ('[Event "a"]\n[Site "b\n\n*', "'[Site \"b' is not a header", 1),
        ('[Event "a\rb"]\n\n*', "'[Event \"a\\rb\"]' is not a header", 0),
        ("Dear A,\n\n1. e4", "'Dear' cannot be read", 0),
        ("1. e4 e5\n2. Nf3 = Nc6", "'=' cannot be read", 1),
        ("1. e4 e5 1/2", "'1/2' cannot be read", 0),
        ("1. e4 e5 2. Nf3Nc6 *", "'Nf3Nc6' cannot be read", 0),
        (f"1. e4 {'x' * 1000}", f"'{'x' * 20}' cannot be read", 0),
        ("1. e4 e5 1-0\n2. Nf3", "'2' after the result", 1),
        ("1. e4 {a\n1-0", "comment without a closing brace", 0),
        ("1. e4 {a", "comment without a closing brace", 0),
        ("1. e4 e5\n\n1. d4 *", "move number 1 again: two games without a result between them", 2),
        ("1. e4\n; }\n*", "closing brace in a comment to the end of the line", 1),
        ("$1 1. e4", "$1 before the first move", 0),
        ("(1. e4)", "variation before the first move", 0),
        ("1. e4 (", "empty variation", 0),
        ("1. e4 ) *", "a closing parenthesis without an opening one", 0),
        ("1. e4 (1. d4 *) *", "result * inside a variation", 0),
        ("1. e4\n17 18 e5", "move number without a move", 1),
        ("12.", "neither headers nor moves", 0),
        ("1\0.\0", "not text, or text in UTF-16", 0),
    ],
)
def test_reasons(text: str, reason: str, line: int) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_game(text.encode())
    assert (str(caught.value), caught.value.line) == (reason, line)
    assert not isinstance(caught.value, NoGameError)


@pytest.mark.parametrize("text", ["", "\n", " \r\n\x1a", "% e", "; c\n\n% e\n", "{a\n\nb} {c}", "\ufeff\n"])
def test_there_may_be_no_game(text: str) -> None:
    with pytest.raises(NoGameError):
        read_game(text.encode())


@pytest.mark.parametrize("character", [*range(32, 127), 0xA7, 0x2212, 0x2654, 0x200B, 0xFEFF])
def test_no_character_among_moves_is_skipped(character: int) -> None:
    """Either the game is left alone, or the character says something or stands for nothing."""
    text = f"1. e4 {chr(character)} e5 2. Nf3 *"
    read = read_or_none(text.encode())
    meaning = {"!": {1}, "?": {2}}.get(chr(character), set())
    assert (read is not None) == (chr(character) in " !?;0123456789")
    if read and chr(character) != ";":
        node = read.game.variations[0]
        assert node.nags == meaning
        assert [move.uci() for move in read.game.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]


def test_encodings() -> None:
    assert first("latin-1").game.variations[0].comment == "für Weiß"
    assert first("latin-1").encoding == "cp1252"
    assert first("latin-1", 2).game.headers["Event"] == "São"
    assert first("latin-1", 2).encoding == "utf-8"
    assert first("windows-1252").game.variations[0].comment == "and wins…"
    assert read_game(b"1. e4 {\x81\xe9}").encoding == "latin-1"


def test_chess960_castles() -> None:
    for number, rook in ((1, "e1h1"), (2, "d1g1"), (3, "e1c1"), (4, "e1g1")):
        read = first("chess960", number)
        assert read.game.board().chess960
        assert read.game.variations[0].uci(chess960=True) == rook


def test_a_game_of_many_variations_is_read() -> None:
    depth = 300
    text = "1. e4 " + "(1. e4 " * depth + ")" * depth + " *"
    read = read_game(text.encode())
    assert len(read.game.variations) == depth + 1


@pytest.mark.parametrize("blank", ["", " ", "\x1c", "\x85", "\x1d\n"])
def test_a_comment_of_white_space_is_none(blank: str) -> None:
    read = read_game(f"1. e4 {{{blank}}} e5 ({{{blank}}} 1... c5) *".encode())
    assert written(read) == b"1. e4 e5 ( 1... c5 ) *"


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
def test_games_of_the_corpus_are_written_as_they_came(name: str) -> None:
    for raw, readable in zip(raw_games(io.BytesIO(corpus()[name])), READABLE[name], strict=True):
        if readable:
            out = written(read_game(raw.data))
            check_tells_the_same(raw.data, out)
            check_form(raw.data, out)
            assert written(read_game(out)) == out


@given(made_games())
def test_random_games_are_written_as_they_came(made: Made) -> None:
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
        (b"1. e4 (1. d4 {a}", b"1. e4 ( 1. d4 { a } ) *"),
        (
            b'[Event "a"]\n% b\n; c\n[Site "d"]\n; e\n\n% f\n*',
            b'% b\n; c\n% f\n[Event "a"]\n[Site "d"]\n\n{ e } *',
        ),
        (
            b'{a\n\n1. b}\n\n[Event "c"]\n{d}\n\n[Site "e"]\n\n*',
            b'{a\n\n1. b}\n\n{d}\n[Event "c"]\n[Site "e"]\n\n*',
        ),
        (b"1. e4 e5\n\n2. Nf3 Nc6\n\n3. Nc3\n", b"1. e4 e5 2. Nf3 Nc6 3. Nc3 *\n"),
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
