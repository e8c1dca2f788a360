"""GNU Backgammon as somebody who can be asked for a move."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self, cast

if TYPE_CHECKING:
    from engine.games.rules.backgammon.board import Backgammon
    from engine.games.rules.backgammon.game import BackgammonGame

_SCRIPT = Path(__file__).with_name("gnubg_side.py")


class GnubgError(Exception):
    """gnubg cannot be started, or does not answer."""


class GnubgPlayer:
    """Chequer play only, so many plies deep, without the cube and without noise; gammons count."""

    def __init__(self, command: str, plies: int, game: BackgammonGame) -> None:
        """Starts the program. Raises GnubgError."""
        self._game = game
        try:
            self._process = subprocess.Popen(
                [command, "--tty", "--quiet", "--no-rc", "--python", str(_SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "LOLLI_GNUBG_PLIES": str(plies)},
            )
        except OSError as error:
            raise GnubgError(f"{command} cannot be started: {error.strerror}") from error
        self._questions = cast("IO[str]", self._process.stdin)
        self._answers = cast("IO[str]", self._process.stdout)
        try:
            self._answer()
        except GnubgError:
            self.close()
            raise

    def choose(self, state: Backgammon) -> int:
        """What gnubg plays in a state with a player to move. Raises GnubgError."""
        mine, theirs = state.board(state.player), state.board(1 - state.player)
        numbers = (state.high, state.low, *mine[1:], *theirs[1:])
        points = [int(word) for word in self._ask(" ".join(map(str, numbers))).split()]
        written = ",".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=True))
        return self._game.parse(state, written or "pass")

    def _ask(self, question: str) -> str:
        try:
            self._questions.write(f"{question}\n")
            self._questions.flush()
        except OSError as error:
            raise GnubgError("gnubg has ended") from error
        return self._answer()

    def _answer(self) -> str:
        """The rest of the next line that is meant for us."""
        said = "nothing"
        for line in self._answers:
            if line.startswith("@"):
                return line[1:].strip()
            said = line.strip() or said
        raise GnubgError(f"gnubg has ended; the last it said: {said[:200]}")

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
