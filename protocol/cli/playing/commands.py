"""What a player can say besides moves."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from protocol.cli.playing.strength import ELOS, LEVELS

if TYPE_CHECKING:
    import chess


@dataclass(frozen=True, slots=True)
class Command:
    """A word, what may follow it, and what it does."""

    name: str
    argument: str
    description: str
    others: tuple[str, ...] = ()  # other words for the same


QUIT = "quit"

COMMANDS = (
    Command("undo", "[N]", "take back your last move and the reply, or your last N", ("takeback", "back")),
    Command("hint", "", "what the engine at its best would play"),
    Command("eval", "", "what it thinks of the position"),
    Command("moves", "[SQUARE]", "the legal moves, or those from a square: moves e2"),
    Command("draw", "", "claim a draw where the rules give it, or offer one"),
    Command("resign", "", "give up"),
    Command("accept", "", "take the win when Lolli offers to resign"),
    Command("go", "", "have Lolli move for you; then you play the other side"),
    Command("level", "[N]", f"the level, or another one: {LEVELS}"),
    Command("elo", "N", f"a strength between levels: {ELOS}"),
    Command("flip", "", "turn the board around"),
    Command("board", "", "show the board again"),
    Command("clock", "", "show the clocks"),
    Command("fen", "", "show the position as FEN"),
    Command("pgn", "", "show the game as PGN"),
    Command("save", "FILE", "add the game to a file of PGN"),
    Command("new", "", "begin another game"),
    Command("help", "", "show this", ("?", "h")),
    Command(QUIT, "", "end; so does Ctrl-D", ("exit", "q", "bye")),
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
