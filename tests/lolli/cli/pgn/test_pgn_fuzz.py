"""PGN: no byte of a file is lost. A game is read completely, or left alone for one short reason."""

import io

import chess
from hypothesis import example, given
from hypothesis import strategies as st

from lolli.cli.pgn import raw_games
from lolli.cli.pgn.game_reader import UnreadableError, read_game, written
from tests.fuzzing import damaged, examples, played
from tests.lolli.cli.pgn.pgn_corpus import corpus
from tests.lolli.cli.pgn.pgn_outline import outline

FILES = [data for name, data in corpus().items() if name not in ("huge comment", "300 moves")]
SNIPPETS = (
    *(" ", "\n", "\r\n", "\n\n", "{", "}", "(", ")", "()", "[", "]", '"', "\\", "%", ";", "\n%", "\n;"),
    *("*", "1-0", "1/2-1/2", "$", "$7", "$999", "!", "?", "!!!", "+", "#", "=", "-", ".", "1", "12."),
    *("0", "O", "O-O", "--", "Z0", "e4", "Nf3", "N", "x", "P", "e.p.", "=Q", "q", "{ }", "\0", "\t"),
    *(b"\xe9", b"\xc3\xa9", b"\xef\xbb\xbf", b"\x85", b"\xa0", b"\x1a", b"\x0b", b"\x1c", b"\x1b[2J"),
    *('[Event "a"]', '\n[Event "a"]\n', '[White "b"]\n', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n'),
)


def as_game(board: chess.Board) -> bytes:
    root = board.root()
    variant = '[Variant "Chess960"]\n' if root.has_chess960_castling_rights() else ""
    moves = root.variation_san(board.move_stack)
    return f'[Event "1"]\n[FEN "{root.fen()}"]\n{variant}\n{moves} 1/2-1/2\n\n'.encode()


@given(damaged(st.sampled_from(FILES) | played(20).map(as_game), SNIPPETS, most=6) | st.binary(max_size=300))
@example(b"1. e4 {\x1c} e5 {\xc2\x85} *\n")
@examples(150)
def test_any_file(data: bytes) -> None:
    games = list(raw_games(io.BytesIO(data)))
    assert b"".join(game.data for game in games) == data
    for raw in games:
        check_game(raw.data)


def check_game(data: bytes) -> None:
    try:
        read = read_game(data)
    except UnreadableError as error:
        reason, line = str(error), error.line
        assert len(reason.splitlines()) == 1
        assert 0 <= line <= data.count(b"\n") + data.count(b"\r")
        return
    out = written(read)
    expected, found = outline(data, read.encoding), outline(out, read.encoding)
    if read.result is None:
        found.result = None
    assert found == expected, f"a different game is written: {out!r}"
    assert written(read_game(out)) == out, f"written differently when read again: {out!r}"
