"""Games are read without loss or refused for one short reason, and written as they came."""

import io

import chess
import chess.pgn
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lolli.cli.pgn import raw_games
from lolli.cli.pgn.game_reader import NoGameError, ReadGame, UnreadableError, read_game, written
from tests.fuzzing import damaged, examples, played
from tests.lolli.cli.pgn.corpus import CORPUS
from tests.lolli.cli.pgn.pgn_outline import outline, told
from tests.lolli.cli.pgn.random_games import Made, made_games

SNIPPETS = (
    *(" ", "\n", "\r\n", "\n\n", "{", "}", "(", ")", "()", "[", "]", '"', "\\", "%", ";", "\n%", "\n;"),
    *("*", "1-0", "1/2-1/2", "$", "$7", "$999", "!", "?", "!!!", "+", "#", "=", "-", ".", "1", "12."),
    *("0", "O", "O-O", "--", "Z0", "e4", "Nf3", "N", "x", "P", "e.p.", "=Q", "q", "{ }", "\0", "\t"),
    *(b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x85", b"\xa0", b"\x1a", b"\x0b", b"\x1c", b"\x1b[2J"),
    *('[Event "a"]', '\n[Event "a"]\n', '[White "b"]\n', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n'),
)
SHORT = [data for name, (data, _) in CORPUS.items() if name != "300 moves"]


def as_game(board: chess.Board) -> bytes:
    root = board.root()
    variant = '[Variant "Chess960"]\n' if root.has_chess960_castling_rights() else ""
    moves = root.variation_san(board.move_stack)
    return f'[Event "1"]\n[FEN "{root.fen()}"]\n{variant}\n{moves} 1/2-1/2\n\n'.encode()


def checked(data: bytes) -> ReadGame | None:
    """Read without loss and written as it came, by a second reader; or refused in a line."""
    try:
        read = read_game(data)
    except UnreadableError as error:
        reason, line = str(error), error.line
        assert len(reason.splitlines()) == 1
        assert 0 <= line <= data.count(b"\n") + data.count(b"\r")
        return None
    out = written(read)
    expected, found = outline(data, read.encoding), outline(out, read.encoding)
    assert told(read.game) == expected.moves
    assert [(name, read.game.headers[name]) for name in read.order] == expected.headers
    assert set(read.game.headers) == set(read.order)
    assert read.result == expected.result
    assert sorted(line for line in read.prefix.split("\n") if line.strip()) == expected.kept
    if read.result is None:
        header = dict(expected.headers).get("Result")
        expected.result = header if header in ("1-0", "0-1", "1/2-1/2") else "*"
    assert found == expected, f"a different game is written: {out!r}"
    assert written(read_game(out)) == out, f"written differently when read again: {out!r}"
    return read


def check_form(raw: bytes, out: bytes) -> None:
    """That nothing around the text has changed: mark, ends of lines, blank lines after it."""
    mark = b"\xef\xbb\xbf"
    assert out.startswith(mark) == raw.startswith(mark)
    assert out[len(out.rstrip()) :] == raw[len(raw.rstrip()) :]
    end = next((end for end in (b"\r\n", b"\n", b"\r") if end in raw), b"\n")
    assert b"\n" not in out.replace(end, b"")


def first(name: str, number: int = 1) -> ReadGame:
    return read_game(list(raw_games(io.BytesIO(CORPUS[name][0])))[number - 1].data)


@pytest.mark.parametrize("name", CORPUS)
def test_files_of_people(name: str) -> None:
    data, readable = CORPUS[name]
    raws = [*raw_games(io.BytesIO(data))]
    games = [checked(raw.data) for raw in raws]
    assert [game is not None for game in games] == readable
    for raw, game in zip(raws, games, strict=True):
        if game is not None:
            check_form(raw.data, written(game))


@given(damaged(st.sampled_from(SHORT) | played(20).map(as_game), SNIPPETS, most=6) | st.binary(max_size=300))
@example(b"1. e4 {\x1c} e5 {\xc2\x85} *\n")
@examples(150)
def test_any_file(data: bytes) -> None:
    games = list(raw_games(io.BytesIO(data)))
    assert b"".join(game.data for game in games) == data
    for raw in games:
        checked(raw.data)


@given(made_games())
def test_random_games(made: Made) -> None:
    read = checked(made.data)
    assert read is not None
    assert told(read.game) == told(made.game)
    assert dict(read.game.headers) == dict(made.game.headers)
    assert read.result == made.result
    out = written(read)
    check_form(made.data, out)
    assert [game.data for game in raw_games(io.BytesIO(out))] == [out]
    text = out.removeprefix(b"\xef\xbb\xbf").decode(read.encoding).replace(read.newline, "\n")
    theirs = chess.pgn.read_game(io.StringIO(text))
    assert theirs is not None
    assert not theirs.errors
    assert told(theirs) == told(made.game)


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
    read = checked(text.encode())
    meaning = {"!": {1}, "?": {2}}.get(chr(character), set())
    assert (read is not None) == (chr(character) in " !?;0123456789")
    if read and chr(character) != ";":
        node = read.game.variations[0]
        assert node.nags == meaning
        assert [move.uci() for move in read.game.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]


def test_encodings() -> None:
    read = [first("encodings", number) for number in (1, 2, 3)]
    assert [(each.game.variations[0].comment, each.encoding) for each in read] == [
        ("für Weiß", "cp1252"),
        ("утро", "utf-8"),
        ("and wins…", "cp1252"),
    ]
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


@given(made_games(odd_words=False))
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
        (b"1. e4 (1. d4 d5 1. c4) 1-0", b"1. e4 ( 1. d4 d5 2. c4 ) 1-0"),
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
    read.game.headers["Opening"] = "Vienna: Kostić"
    assert written(read) == b'[Opening "Vienna: Kostic"]\n\n1. e4 { \xe9 \xe8 ? } *'


def test_lines_are_short() -> None:
    out = written(read_game(CORPUS["300 moves"][0]))
    assert max(len(line) for line in out.split(b"\n")) <= 80
