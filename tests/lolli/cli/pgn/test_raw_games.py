"""Where one game ends and the next begins, and that not a byte is lost between them."""

import io
import os
import tracemalloc
from typing import TYPE_CHECKING

import chess.pgn
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lolli.cli.pgn import LARGEST_GAME, RawGame, raw_games
from lolli.cli.pgn.game_reader import UnreadableError, read_game
from tests.lolli.cli.pgn.corpus import CORPUS
from tests.lolli.cli.pgn.pgn_outline import told
from tests.lolli.cli.pgn.random_games import Made, made_games

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GAME = b'[Event "a"]\n[White "b"]\n\n1. e4 {c} e5 1-0\n\n'


def cuts(data: bytes) -> list[RawGame]:
    """Whole, and the same from the middle of the file on."""
    games = list(raw_games(io.BytesIO(data)))
    assert b"".join(game.data for game in games) == data
    offset, line = 0, 1
    for number, game in enumerate(games, start=1):
        assert (game.number, game.offset, game.line) == (number, offset, line)
        offset, line = offset + len(game.data), line + game.lines
        assert list(raw_games(io.BytesIO(data), game.offset, number, game.line)) == games[number - 1 :]
    return games


class Stream(io.RawIOBase):
    """A long file that never was in memory: a beginning, and then the same thing again and again."""

    def __init__(self, beginning: bytes, unit: bytes, size: int) -> None:
        super().__init__()
        self._rest = beginning
        self._unit = unit * (10_000 // len(unit))
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        space = memoryview(buffer)
        while len(self._rest) < len(space) and self._left > 0:
            self._rest += self._unit
            self._left -= len(self._unit)
        part = self._rest[: len(space)]
        self._rest = self._rest[len(part) :]
        space[: len(part)] = part
        return len(part)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"", 0),
        (b"\n\n", 1),
        (b"\n\n" + GAME + b"\n\n\n" + GAME, 2),
        # One part or the other is missing.
        (b'[Event "a"]\n\n[Event "b"]\n\n1. e4 *\n', 2),
        (b'[White "a"]\n\n[Event "b"]\n\n1. e4 *\n', 2),
        (b'[White "a"]\n\n[White "b"]\n\n1. e4 *\n', 2),
        (b'[White "a"]\n\n[Black "b"]\n\n1. e4 *\n', 1),
        (b'[Event "a"]\n\n% e\n; c\n[Event "b"]\n\n1. e4 *\n', 2),
        (b'[Event "a"]\n1. e4 *\n[Event "b"]\n1. e4 *\n', 2),
        # Blank lines do not end a game: the result does, or a header.
        (b"1. e4 (1. d4\n\n1... d5\n\n) e5\n\n\n*\n", 1),
        (b"1. e4\n\n{c}\n \t\n1-0\n{d}\n\n\n1. d4 *\n", 2),
        (b"1. e4 (1. d4 1-0) *\n1. d4 *\n", 2),
        (b"1. e4 e5 1-0\n{White won}\n; easily\n1. d4 1/2-1/2\n1. c4 *", 3),
        (b"1. Nf3 Nf6 2. g3 g6 3. Bg2 Bg7 4. 0-0\n\n0-0 *\n", 1),
        (b'1. e4\n\n[White "a"]\n\n1. d4 *\n', 2),
        (b'{c\n\nd}\n\n[Event "a"]\n\n{e}\n[White "b"]\n\n1. d4 *\n{f}\n\n{g}\n', 2),
        # What begins a line.
        (b"1. e4 *\n\n% e\n1. d4 *\n", 2),
        (b"1. e4 *\n\n% e\n\n; c\n\n1. d4 *\n", 2),
        (b"1. e4\n[%clk 1]\n[e4]\n*\n", 1),
        (b'1. e4 *\n  [ Event "a"]\n', 2),
        (b'1. e4 *\n\n\xef\xbb\xbf\n[Event "a"]\n', 2),
        # Comments.
        (b'1. e4 {\n\n[White "a"]\n\n} *\n', 1),
        (b'1. e4 {\n[Event "a"]\n} *\n', 1),
        (b'1. e4 {\n \n[Event "a"]\n\n1. d4 *', 2),
        (b'1. e4 {\n\n % [Event "a"]\n [Event "a"]\n\n} *', 1),
        (b"1. e4 {a { b} *\n\n1. d4 } *\n\n{ *\n", 3),
        (b"1. e4 ; a { b\n*\n\n1. d4 {; } *\n\n1. c4 *\n", 3),
        (b'[White "{"]\n\n1. e4 *\n\n1. d4 *\n', 2),
        (b"1. e4 {a\rb}\r\n*\r\n \t\r\n1. d4 *", 2),
        (GAME + b"\x1a\n", 1),
    ],
)
def test_boundaries(text: bytes, count: int) -> None:
    assert len(cuts(text)) == count


def moves_of(game: chess.pgn.Game) -> list[chess.Move | None]:
    return [each.move for each in told(game)]


def theirs(text: str) -> list[int]:
    """Where the games begin for python-chess: their first line that is not blank."""
    handle = io.StringIO(text)
    begins: list[int] = []
    while True:
        place = handle.tell()
        if not chess.pgn.skip_game(handle):
            return begins
        begins.append(place + len(text[place:]) - len(text[place:].lstrip("\n")))


@settings(max_examples=50)
@given(st.lists(made_games(), max_size=4), st.data())
def test_boundaries_agree_with_python_chess(made: list[Made], data: st.DataObject) -> None:
    text = ""
    for game in made:
        blank = "\n" * data.draw(st.integers(2, 4))
        text += game.data.decode(errors="replace").lstrip("\ufeff").replace("\r\n", "\n").strip("\n") + (
            blank if game.result else f"\n*{blank}"
        )
    games = cuts(text.encode())
    begins = [game.offset + len(game.data) - len(game.data.lstrip(b"\n")) for game in games]
    assert begins == [len(text[:place].encode()) for place in theirs(text)]
    assert len(games) == len(made)


@settings(max_examples=50)
@given(st.lists(made_games(blank_lines=True), max_size=4))
def test_blank_lines_end_no_game(made: list[Made]) -> None:
    for end in b"\n", b"\r\n":
        data = b"\n\n".join(game.data.rstrip() for game in made).replace(b"\r\n", b"\n").replace(b"\n", end)
        read = [read_game(game.data) for game in cuts(data)]
        assert [dict(each.game.headers) for each in read] == [dict(each.game.headers) for each in made]
        assert [moves_of(each.game) for each in read] == [moves_of(each.game) for each in made]


@pytest.mark.parametrize("name", CORPUS)
def test_files_of_people(name: str) -> None:
    data, readable = CORPUS[name]
    assert len(cuts(data)) == len(readable)


@given(st.lists(st.sampled_from((*b'[]{};%"\n\r \\*', *b"Ee4", 0xEF, 0xFF)).map(lambda n: bytes([n]))))
@example([b'[Event "a"]\n', b"\n\n", b"{", b"\n", b'[Event "b"]'])
def test_any_bytes_come_back(parts: list[bytes]) -> None:
    cuts(b"".join(parts))


def test_a_game_comes_as_soon_as_the_next_begins() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb") as source, open(writing, "wb", buffering=0) as sink:  # noqa: PTH123 - descriptors
        games = raw_games(source)
        sink.write(GAME * 2)
        assert next(games).data == GAME
        sink.write(GAME)
        assert next(games).data == GAME


@pytest.mark.parametrize(
    ("stream", "limit"),
    [
        (Stream(b"", GAME, 1_000_000), 400_000),
        (Stream(b"", GAME.replace(b"\n", b"\r"), 1_000_000), 400_000),
        (Stream(b"1. e4 {", b"and so on " * 100 + b"\n\n", 7 * LARGEST_GAME), 4.5 * LARGEST_GAME),
        (Stream(b"1. e4 {", b"and so on ", 7 * LARGEST_GAME), 4.5 * LARGEST_GAME),
    ],
    ids=["games", "games of an old Mac", "a comment without end", "a line without end"],
)
def test_memory_is_flat(stream: Stream, limit: float) -> None:
    tracemalloc.start()
    try:
        total = sum(len(game.data) for game in raw_games(io.BufferedReader(stream)))
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert total > 1.5 * limit
    assert most < limit


def test_an_unclosed_comment_costs_its_own_game_only() -> None:
    broken = GAME.replace(b"}", b"")
    assert [game.data for game in cuts(GAME + broken + GAME)] == [GAME, broken, GAME]


def test_a_comment_without_end_is_cut_and_then_games_are_found_again() -> None:
    broken = b"1. e4 {" + b"and so on\n" * (LARGEST_GAME // 10 + 10)
    games = cuts(broken + b"\n\n1. d4 *\n\n1. c4 *\n")
    assert [game.data for game in games[2:]] == [b"1. c4 *\n"]
    with pytest.raises(UnreadableError, match="longer than 4 MiB"):
        read_game(games[0].data)
