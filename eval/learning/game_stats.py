"""What files of games hold, and whether each game can be replayed by the rules to the result that it says."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from engine.adjudication import Ending
from engine.board.movegen import legal_moves
from eval.learning.game_file import GameFileError, GameRecord
from eval.learning.samples import is_worth_keeping

_ENDINGS = list(Ending)
_BY_RULE = {Ending.CHECKMATE, Ending.STALEMATE, Ending.INSUFFICIENT, Ending.FIFTY_MOVES, Ending.REPETITION}


@dataclass(slots=True)
class Stats:
    """Counts over games; `kept` counts the positions that are learned from."""

    games: int = 0
    plies: int = 0
    kept: int = 0
    results: Counter[int] = field(default_factory=Counter)
    endings: Counter[Ending] = field(default_factory=Counter)
    descriptions: list[dict[str, Any]] = field(default_factory=list)

    def add(self, game: GameRecord) -> None:
        """Count a game in."""
        self.games += 1
        self.plies += len(game.plies)
        self.kept += int(is_worth_keeping(game.plies).sum())
        self.results[game.result] += 1
        self.endings[_ENDINGS[game.ending]] += 1

    def rows(self) -> list[tuple[str, str]]:
        """Names and values of a table."""
        games = max(self.games, 1)
        rows = [
            ("games", f"{self.games}"),
            ("plies", f"{self.plies} ({self.plies / games:.1f} a game)"),
            (
                "positions to learn from, at most",
                f"{self.kept} ({100 * self.kept / max(self.plies, 1):.0f}%)",
            ),
        ]
        for name, result in (("White won", 1), ("drawn", 0), ("Black won", -1)):
            rows.append((name, f"{self.results[result]} ({100 * self.results[result] / games:.1f}%)"))
        for ending, count in self.endings.most_common():
            rows.append((ending.value, f"{count} ({100 * count / games:.1f}%)"))
        for key in ("nodes", "seed", "weights", "commit"):
            values = {str(description.get(key)) for description in self.descriptions}
            rows.append((key, ", ".join(sorted(values))))
        return rows


def verify(game: GameRecord) -> None:
    """Replay a game. Raises GameFileError where a move is illegal or the end is not what the game says."""
    position = game.end()
    moves = legal_moves(position)
    mated = not moves and bool(position.checkers)
    found = {
        Ending.CHECKMATE: mated,
        Ending.STALEMATE: not moves and not mated,
        Ending.INSUFFICIENT: position.is_insufficient(),
        Ending.FIFTY_MOVES: position.is_fifty_moves(),
        Ending.REPETITION: position.is_repetition(0),
    }
    if game.ending >= len(_ENDINGS):
        raise GameFileError(f"game {game.number}: {game.ending} is not a way to end")
    ending = _ENDINGS[game.ending]
    if (ending in _BY_RULE and not found[ending]) or (ending not in _BY_RULE and any(found.values())):
        raise GameFileError(f"game {game.number}: it did not end by {ending.value}")
    expected = (1 if position.side else -1) if mated else 0
    if ending is not Ending.CLEAR_WIN and game.result != expected:
        raise GameFileError(f"game {game.number}: its result is not {game.result}")
