"""Any SGF: the same board as with sgfmill, or an expected error."""

from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from sgfmill import boards, sgf, sgf_moves

from engine.games.catalogue import Rules
from engine.games.rules.game import IllegalMoveError, NotApplicableError, SizeError
from protocol.gtp.match import points
from protocol.gtp.parser import GtpError
from protocol.gtp.sgf import SgfError, read_sgf
from tests.fuzzing import damaged, examples

MARKS = {"b": "X", "w": "O", None: "."}
GOOD = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[A]PW[B];B[ee];W[cc];B[gc](;W[cg])(;W[gg];B[]))"
FOREIGN = (
    GOOD,
    b"(;SZ[13]HA[2]AB[jd][dj]PL[W];W[gg];B[tt];W[])",
    b"(;FF[3]GM[1]SZ[19]AB[aa:cc]AW[ss]C[a \\] bracket];B[pd]BL[10.5];W[dp]C[good\n])",
    b"(;GM[2]SZ[9];B[ee])(;SZ[9];W[aa])",
    b"(;SZ[9:9]KM[0];B[ee];W[ee])",
)
SNIPPETS = (
    *("(", ")", ";", "[", "]", "\\", ":", "B[", "W[", "AB[aa]", "AW[bb]", "AE[cc]", "SZ[5]", "SZ[19]"),
    *("KM[", "KM[nan]", "KM[-1e9]", "KM[0]", "SZ[0]", "SZ[1]", "SZ[99999]", "PL[B]", "PL[x]", "GM[1]"),
    *("HA[9]", "FF[4]", "CA[latin-1]", "CA[no such]", "CA[utf-7]", "[tt]", "[]", "[aa:zz]", "(;" * 50),
    *(b"\xff", b"\xc3\xa9", b"\0", "B[ee]", "\n", "x"),
)


@st.composite
def random_games(draw: st.DrawFn) -> bytes:
    """Stones at random points; some games are legal."""
    size = draw(st.sampled_from((2, 3, 5, 7, 9, 9, 13, 19)))
    letters = st.sampled_from("abcdefghijklmnopqrs"[:size])
    played = draw(st.lists(st.tuples(letters, letters).map("".join), max_size=60, unique=True))
    if draw(st.booleans()):
        played.insert(draw(st.integers(0, len(played))), "")
    moves = [f";{'BW'[number % 2]}[{point}]" for number, point in enumerate(played)]
    komi = draw(st.sampled_from(("", "KM[6.5]", "KM[0]", "KM[-5]")))
    return f"(;GM[1]SZ[{size}]{komi}{''.join(moves)})".encode()


@given(damaged(st.sampled_from(FOREIGN) | random_games(), SNIPPETS) | st.binary(max_size=100))
@example(b"(;GM[1]SZ[9]AB[aa:cc]AE[cc];W[cc])")
@examples(150)
def test_any_game(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "game.sgf"
    path.write_bytes(data)
    for before in (None, 3):
        try:
            match = read_sgf(str(path), Rules("go"), before)
        except (SgfError, GtpError, SizeError, IllegalMoveError, NotApplicableError):
            continue
        theirs = by_sgfmill(data, before)
        assert theirs is None or points(match.game, match.state) == theirs


def by_sgfmill(data: bytes, before: int | None) -> list[list[str]] | None:
    """The rows of the board from the top, as sgfmill plays the game; None if sgfmill is stricter."""
    try:
        record: Any = sgf.Sgf_game.from_bytes(data)
        board, plays = sgf_moves.get_setup_and_moves(record, boards.Board(record.get_size()))
    except ValueError:  # an empty value, stones and a move in the first node
        return None
    for colour, point in plays[: None if before is None else before - 1]:
        if point is not None:
            board.play(*point, colour)
    side = range(board.side)
    return [[MARKS[board.get(row, column)] for column in side] for row in reversed(side)]
