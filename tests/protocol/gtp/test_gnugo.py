"""A whole game of Go against GNU Go, each at the end of a pipe."""

import os
import shutil

import pytest

from engine.board.position import COMPILED
from tests.protocol.gtp.client import Controller

GNU_GO = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
SIZE, KOMI = 9, "7.5"
LONGEST = 3 * SIZE * SIZE  # moves


needs_gnu_go = pytest.mark.skipif(
    GNU_GO is None and "LOLLI_REQUIRE_GNUGO" not in os.environ, reason="no GNU Go"
)


@pytest.mark.slow
@needs_gnu_go
def test_a_game_against_gnu_go(lolli_command: list[str]) -> None:
    """Both find every move of the other legal, and GNU Go understands how Lolli counts."""
    assert GNU_GO is not None
    theirs = [GNU_GO, "--mode", "gtp", "--level", "1", "--chinese-rules", "--seed", "1"]
    playouts = "300" if COMPILED else "20"
    with (
        Controller([*lolli_command, "gtp", "--game", "go", "--seed", "1", "--playouts", playouts]) as lolli,
        Controller(theirs, quiet=False) as gnu,
    ):
        for each in lolli, gnu:
            each.get(f"boardsize {SIZE}")
            each.get("clear_board")
            each.get(f"komi {KOMI}")
        moves: list[str] = []
        while moves[-2:] != ["pass", "pass"] and len(moves) < LONGEST:
            mover, other = (lolli, gnu) if len(moves) % 2 == 0 else (gnu, lolli)
            colour = "bw"[len(moves) % 2]
            move = mover.get(f"genmove {colour}").lower()
            if move == "resign":
                break
            other.get(f"play {colour} {move}")
            moves.append(move)
        assert len(moves) > 20
        assert len(moves) < LONGEST
        assert lolli.get("final_score")[:2] in ("B+", "W+")
        assert stones(lolli.get("gogui-rules_board")) == stones(gnu.get("showboard"))


def stones(board: str) -> list[str]:
    rows = [row for row in board.split("\n") if sum(mark in ".+XO" for mark in row.split()) >= SIZE]
    return ["".join("." if mark == "+" else mark for mark in row.split() if mark in ".+XO") for row in rows]
