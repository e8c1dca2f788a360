"""Damaged files: what is read of them tells all that stood there, and the rest is left alone."""

import io
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.pgn.games import raw_games
from protocol.pgn.reader import read_game
from protocol.pgn.unreadable import UnreadableError
from protocol.pgn.writer import written
from tests.pgn.corpus import corpus
from tests.pgn.slow_reader import outline

FILES = [data for name, data in corpus().items() if name not in ("huge comment", "300 moves")]
SNIPPETS = (
    *(b" ", b"\n", b"\r\n", b"\n\n", b"{", b"}", b"(", b")", b"()", b"[", b"]", b'"', b"\\", b"%", b";"),
    *(
        b"\n%",
        b"\n;",
        b"*",
        b"1-0",
        b"1/2-1/2",
        b"$",
        b"$7",
        b"$999",
        b"!",
        b"?",
        b"!!!",
        b"+",
        b"#",
        b"=",
        b"-",
    ),
    *(
        b".",
        b"1",
        b"12.",
        b"0",
        b"O",
        b"O-O",
        b"--",
        b"Z0",
        b"e4",
        b"Nf3",
        b"N",
        b"x",
        b"P",
        b"e.p.",
        b"=Q",
        b"q",
    ),
    *(b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x85", b"\xa0", b"\0", b"\x1a", b"\t", b"\x0b", b"\x1c"),
    *(b'[Event "a"]', b'\n[Event "a"]\n', b'[White "b"]\n', b'[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n', b"{ }"),
)


def damaged(data: bytes, seed: int, times: int) -> bytes:
    """The file with bytes left out, put in, doubled and exchanged."""
    chance = random.Random(seed)
    for _ in range(times):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.choice((0, 0, 0, 1, 1, 2, 10, 100)))
        with_what = chance.choice((b"", data[begin:end] * 2, *chance.choices(SNIPPETS, k=6)))
        data = data[:begin] + with_what + data[end:]
    return data


@settings(max_examples=300)
@given(st.sampled_from(FILES), st.integers(0, 1 << 32), st.integers(1, 5))
def test_damaged_files(data: bytes, seed: int, times: int) -> None:
    data = damaged(data, seed, times)
    games = list(raw_games(io.BytesIO(data)))
    assert b"".join(game.data for game in games) == data
    for raw in games:
        try:
            read = read_game(raw.data)
        except UnreadableError:
            continue
        out = written(read)
        expected, found = outline(raw.data, read.encoding), outline(out, read.encoding)
        if read.result is None:
            found.result = None
        assert found == expected
        assert written(read_game(out)) == out
