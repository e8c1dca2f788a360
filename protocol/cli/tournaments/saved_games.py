"""The games of a tournament in a file, written as such files are: chess as PGN, checkers as PDN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.files import append_whole

if TYPE_CHECKING:
    from pathlib import Path

    from protocol.cli.tournaments.contest import Contest, TournamentGame


class SavingError(Exception):
    """Why a game cannot be saved, in one line."""


class SavedGames:
    """Adds each game to the end of a file as soon as it has ended."""

    def __init__(self, contest: Contest, path: Path) -> None:
        """Raises SavingError, and NotApplicableError for a game without such files."""
        self._contest = contest
        self._rules = contest.make()
        self._path = path
        self._rules.record((), ("",) * contest.players, (0.0,) * contest.players)
        self._append("")

    def add(self, game: TournamentGame) -> None:
        """Add a game. Raises SavingError."""
        names = [self._contest.entrants[entrant].label for entrant in game.fixture.seats]
        self._append(f"{self._rules.record(game.moves, names, game.payoffs)}\n\n")

    def _append(self, text: str) -> None:
        try:
            append_whole(self._path, text.encode())
        except OSError as error:
            raise SavingError(f"{self._path} cannot be written: {error.strerror}") from None
