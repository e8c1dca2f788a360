"""PGN: no byte of a file is lost. A game is read completely, or left alone for one short reason."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from protocol.cli.pgn.game_reader import read_game, written
from protocol.cli.pgn.movetext import UnreadableError
from protocol.cli.pgn.raw_games import raw_games
from scripts.laboratory.fuzzing.ingredients import as_bytes, damaged, played, random_bytes
from scripts.laboratory.fuzzing.pgn_corpus import corpus
from scripts.laboratory.fuzzing.pgn_outline import outline
from scripts.laboratory.fuzzing.target import require

if TYPE_CHECKING:
    from random import Random

FILES = [data for name, data in corpus().items() if name not in ("huge comment", "300 moves")]
_SNIPPETS = as_bytes(
    (
        *(" ", "\n", "\r\n", "\n\n", "{", "}", "(", ")", "()", "[", "]", '"', "\\", "%", ";", "\n%", "\n;"),
        *("*", "1-0", "1/2-1/2", "$", "$7", "$999", "!", "?", "!!!", "+", "#", "=", "-", ".", "1", "12."),
        *("0", "O", "O-O", "--", "Z0", "e4", "Nf3", "N", "x", "P", "e.p.", "=Q", "q", "{ }", "\0", "\t"),
        *(b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x85", b"\xa0", b"\x1a", b"\x0b", b"\x1c", b"\x1b[2J"),
        *('[Event "a"]', '\n[Event "a"]\n', '[White "b"]\n', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n'),
    )
)


def make(rng: Random) -> bytes:
    """A file of one or more games, mostly damaged, or rarely random bytes."""
    kind = rng.random()
    if kind < 0.05:
        return random_bytes(rng, 300)
    data = _played(rng) if kind < 0.4 else rng.choice(FILES)
    return damaged(data, rng, rng.randrange(6), _SNIPPETS)


def check(data: bytes) -> int:
    """Split the file, read and write its games, and compare with a slow and simple second reader."""
    games = list(raw_games(io.BytesIO(data)))
    require(b"".join(game.data for game in games) == data, "bytes are lost between the games")
    for raw in games:
        _check_game(raw.data)
    return max(1, len(games))


def _check_game(data: bytes) -> None:
    try:
        read = read_game(data)
    except UnreadableError as error:
        require(len(str(error).splitlines()) == 1, f"a reason of several lines: {error}")
        require(0 <= error.line <= data.count(b"\n") + data.count(b"\r"), f"no line {error.line}")
        return
    out = written(read)
    expected, found = outline(data, read.encoding), outline(out, read.encoding)
    if read.result is None:
        found.result = None
    require(found == expected, f"a different game is written: {out!r}")
    require(written(read_game(out)) == out, f"written differently when read again: {out!r}")


def _played(rng: Random) -> bytes:
    board = played(rng, 20)
    root = board.root()
    headers = f'[Event "{rng.randrange(99)}"]\n[FEN "{root.fen()}"]\n'
    if root.has_chess960_castling_rights():
        headers += '[Variant "Chess960"]\n'
    moves = root.variation_san(board.move_stack)
    return f"{headers}\n{moves} {rng.choice(('1-0', '*', '1/2-1/2', ''))}\n\n".encode()
