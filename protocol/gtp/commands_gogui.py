"""The commands by which GoGui shows a search, stops it, and learns the rules of games of two colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.gtp.board_text import Cells, cells, vertices
from protocol.gtp.colours import colour_name
from protocol.gtp.command import Arguments, command
from protocol.gtp.lines import GtpError
from protocol.gtp.score import final_score

if TYPE_CHECKING:
    from protocol.gtp.session import GtpSession

ANALYSES = (
    "var/Principal variation/search-variation",
    "pspairs/Visit counts/search-visits",
    "string/Evaluation/search-value",
    "hstring/Statistics/search-stats",
    "hstring/Searchers/search-algorithm",
    "hstring/Levels/search-level",
    "plist/Legal moves/gogui-rules_legal_moves",
    "string/Final score/final_score",
)
"""What GoGui's menu offers: how to show it, its name, the command."""


def analyze_commands(_session: GtpSession, _arguments: Arguments) -> str:
    """The list for GoGui's menu."""
    return "\n".join(ANALYSES)


def interrupt(_session: GtpSession, _arguments: Arguments) -> str:
    """Nothing: that the command is there says that `# interrupt` stops a search."""
    return ""


def game_id(session: GtpSession, _arguments: Arguments) -> str:
    """The name of the game: a capital, then small letters."""
    _board(session)
    return session.game.name.capitalize()


def board(session: GtpSession, _arguments: Arguments) -> str:
    """X for Black, O for White, a dot for an empty point; the rows from the top."""
    return "\n".join(" ".join(row) for row in _board(session))


def board_size(session: GtpSession, _arguments: Arguments) -> str:
    """The size, or the width and the height where they differ."""
    rows = _board(session)
    width, height = len(rows[0]), len(rows)
    return str(width) if width == height else f"{width} {height}"


def legal_moves(session: GtpSession, _arguments: Arguments) -> str:
    """The vertices that can be played; none where the game is over."""
    _board(session)
    return " ".join(vertices(session.game, session.match.state) or ())


def side_to_move(session: GtpSession, _arguments: Arguments) -> str:
    """`black` or `white`; the first player where the game is over."""
    _board(session)
    return colour_name(max(0, session.match.state.player))


def final_result(session: GtpSession, _arguments: Arguments) -> str:
    """How the game has ended; empty as long as it goes on."""
    _board(session)
    return final_score(session.match) if session.match.over else ""


def _board(session: GtpSession) -> Cells:
    """Raises GtpError in a game that GoGui cannot show."""
    game, state = session.game, session.match.state
    rows = cells(game, state)
    if not rows or vertices(game, state) is None:
        raise GtpError(f"{game.title} is not played with men of two colours on the points of a board")
    return rows


COMMANDS = (
    command("gogui-analyze_commands", analyze_commands),
    command("gogui-interrupt", interrupt),
    command("gogui-rules_game_id", game_id),
    command("gogui-rules_board", board),
    command("gogui-rules_board_size", board_size),
    command("gogui-rules_legal_moves", legal_moves),
    command("gogui-rules_side_to_move", side_to_move),
    command("gogui-rules_final_result", final_result),
)
