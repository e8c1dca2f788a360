"""Whole games through Polyglot, as XBoard plays them: pondering, and after a miss all lines at once."""

import os
import random
import shlex
import shutil
import subprocess
from pathlib import Path

import chess
import pytest

from engine.board.position import COMPILED
from tests.patience import PATIENCE

POLYGLOT = shutil.which("polyglot") or shutil.which("/usr/games/polyglot")

pytestmark = [
    pytest.mark.skipif(POLYGLOT is None and "LOLLI_REQUIRE_POLYGLOT" not in os.environ, reason="no Polyglot"),
    pytest.mark.skipif(not COMPILED, reason="two seconds are too little for plain Python"),
]


class XBoard:
    def __init__(self, command: list[str], log: Path) -> None:
        assert POLYGLOT is not None
        self._process = subprocess.Popen(
            [POLYGLOT, "-noini", "-ec", shlex.join(command), "-uci", f"Debug Log File={log}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._send("xboard", "protover 2")
        self._until("done=1")
        self._send("new", "level 0 0:02 0.02", "hard", "nopost")

    def move(self, last: str | None) -> str:
        """Lolli's answer to a move, or its first move; or the result."""
        self._send("time 200", "otim 200", f"usermove {last}" if last else "go")
        return self._until("move ", "1-0", "0-1", "1/2-1/2", "resign").removeprefix("move ")

    def close(self) -> None:
        self._send("quit")
        self._process.communicate(timeout=PATIENCE)

    def _send(self, *lines: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()

    def _until(self, *beginnings: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            assert not line.startswith(("Illegal", "tellusererror")), line
            if any(words in line for words in beginnings):
                return line.strip()
        raise AssertionError("Polyglot has ended")


def misses(log: Path) -> int:
    """How often a pondering search was stopped and the next one asked for at once, answered or not."""
    lines = [line.split(" ", 1)[1] for line in log.read_text().splitlines()]
    said = [line.split()[1] for line in lines if line.startswith(">> ")]
    return sum(said[at : at + 3] == ["stop", "position", "go"] for at in range(len(said)))


def test_misses_at_every_other_move(lolli_command: list[str], tmp_path: Path) -> None:
    """The opponent's moves are random: hardly one is expected."""
    rng, log = random.Random(1), tmp_path / "log"
    for colour in chess.COLORS:
        xboard, board = XBoard(lolli_command, log), chess.Board()
        while not board.is_game_over() and board.fullmove_number < 15:
            if board.turn is colour:
                board.push_uci(xboard.move(board.peek().uci() if board.move_stack else None))
            else:
                board.push(rng.choice(list(board.legal_moves)))
        xboard.close()
        assert misses(log) > 3
        log.unlink()
