"""What a player can say besides moves."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from protocol.cli.playing.strength import ELOS, LEVELS

if TYPE_CHECKING:
    import chess


@dataclass(frozen=True, slots=True)
class PlayCommand:
    """A word, what may follow it, and what it does."""

    name: str
    argument: str
    description: str
    others: tuple[str, ...] = ()  # other words for the same


QUIT = "quit"

COMMANDS = (
    PlayCommand(
        "undo", "[N]", "take back your last move and the reply, or your last N", ("takeback", "back")
    ),
    PlayCommand("hint", "", "what the engine at its best would play"),
    PlayCommand("eval", "", "what it thinks of the position"),
    PlayCommand("moves", "[SQUARE]", "the legal moves, or those from a square: moves e2"),
    PlayCommand("draw", "", "claim a draw where the rules give it, or offer one"),
    PlayCommand("resign", "", "give up"),
    PlayCommand("accept", "", "take the win when Lolli offers to resign"),
    PlayCommand("go", "", "have Lolli move for you; then you play the other side"),
    PlayCommand("level", "[N]", f"the level, or another one: {LEVELS}"),
    PlayCommand("elo", "N", f"a strength between levels: {ELOS}"),
    PlayCommand("flip", "", "turn the board around"),
    PlayCommand("board", "", "show the board again"),
    PlayCommand("clock", "", "show the clocks"),
    PlayCommand("fen", "", "show the position as FEN"),
    PlayCommand("pgn", "", "show the game as PGN"),
    PlayCommand("save", "FILE", "add the game to a file of PGN"),
    PlayCommand("new", "", "begin another game"),
    PlayCommand("help", "", "show this", ("?", "h")),
    PlayCommand(QUIT, "", "end; so does Ctrl-D", ("exit", "q", "bye")),
)

_NAMES = {word: command.name for command in COMMANDS for word in (command.name, *command.others)}
_INTRODUCTION = """\
A move is typed as in Nf3, exd5, O-O or e8=Q, or by its squares as in g1f3;
capitals, x, + and = may be left out where one move alone can be meant.
""".splitlines()


def command_of(line: str) -> tuple[str, str] | None:
    """The command that a line begins with, and what follows; None where it begins with none."""
    word, _, rest = line.strip().partition(" ")
    name = _NAMES.get(word.lower())
    return None if name is None else (name, rest.strip())


def similar_to(text: str) -> str | None:
    """The command that somebody may have meant, None if nothing is alike."""
    alike = get_close_matches(text.strip().lower(), _NAMES, 1, cutoff=0.75)
    return _NAMES[alike[0]] if alike else None


def help_lines() -> list[str]:
    """All that can be said, for people."""
    calls = [f"{command.name} {command.argument}".strip() for command in COMMANDS]
    width = max(map(len, calls))
    return [
        *_INTRODUCTION,
        *(f"  {call:{width}}  {command.description}" for call, command in zip(calls, COMMANDS, strict=True)),
    ]


def completions(line: str, board: chess.Board) -> list[str]:
    """What the last word of a line may become: commands and moves, or the squares to move from."""
    *before, word = line.split(" ")
    if not any(before):
        words = [command.name for command in COMMANDS] + [board.san(move) for move in board.legal_moves]
    elif before == ["moves"]:
        words = sorted({move.uci()[:2] for move in board.legal_moves})
    else:
        return []
    return [each for each in words if each.startswith(word)]
