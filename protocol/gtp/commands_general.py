"""The commands about the engine itself, and those that choose a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.players.catalogue import GAMES
from protocol import about
from protocol.gtp.command import ANY, Arguments, command, number, settings
from protocol.gtp.rules import Rules

if TYPE_CHECKING:
    from protocol.gtp.session import GtpSession

PROTOCOL_VERSION = "2"


def protocol_version(_session: GtpSession, _arguments: Arguments) -> str:
    """The version of GTP."""
    return PROTOCOL_VERSION


def name(_session: GtpSession, _arguments: Arguments) -> str:
    """The engine's name."""
    return about.NAME


def version(_session: GtpSession, _arguments: Arguments) -> str:
    """The engine's version."""
    return about.VERSION


def leave(_session: GtpSession, _arguments: Arguments) -> str:
    """`quit`; whoever reads the lines ends after the answer."""
    return ""


def list_games(_session: GtpSession, _arguments: Arguments) -> str:
    """The games, one a line."""
    return "\n".join(GAMES)


def set_game(session: GtpSession, arguments: Arguments) -> str:
    """`set_game NAME [players=N] [option=value …] [text]`: the text is a tree, piles, or the like."""
    words = [word for word in arguments[1:] if "=" not in word]
    options = settings(tuple(word for word in arguments[1:] if "=" in word))
    players = options.pop("players", None)
    count = None if players is None else number(players)
    session.set_game(Rules(arguments[0], count, options, " ".join(words)))
    return ""


COMMANDS = (
    command("protocol_version", protocol_version),
    command("name", name),
    command("version", version),
    command("quit", leave, most=ANY),
    command("list_games", list_games),
    command("set_game", set_game, 1, ANY),
)
