"""All commands by name, and how one is obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import NotApplicableError
from protocol.complaint import complain, describe
from protocol.gtp import commands_board, commands_general, commands_go, commands_gogui, commands_search
from protocol.gtp.command import ANY, Arguments, command
from protocol.gtp.lines import SYNTAX_ERROR, UNKNOWN_COMMAND, failure, success

if TYPE_CHECKING:
    from protocol.gtp.lines import Request
    from protocol.gtp.session import GtpSession


def known_command(_session: GtpSession, arguments: Arguments) -> str:
    """Whether there is a command of that name. Never fails."""
    return str(" ".join(arguments) in COMMANDS).lower()


def list_commands(_session: GtpSession, _arguments: Arguments) -> str:
    """The names of all commands. Never fails."""
    return "\n".join(COMMANDS)


COMMANDS = {
    each.name: each
    for each in (
        *commands_general.COMMANDS,
        command("known_command", known_command, most=ANY),
        command("list_commands", list_commands, most=ANY),
        *commands_board.COMMANDS,
        *commands_go.COMMANDS,
        *commands_search.COMMANDS,
        *commands_gogui.COMMANDS,
    )
}


def answer(session: GtpSession, request: Request) -> list[str]:
    """Obey a request; the lines that answer it. Never raises."""
    wanted = COMMANDS.get(request.name)
    if wanted is None:
        return failure(request.id, UNKNOWN_COMMAND)
    if not wanted.least <= len(request.arguments) <= wanted.most:
        return failure(request.id, SYNTAX_ERROR)
    try:
        return success(request.id, wanted.run(session, request.arguments))
    except (ValueError, NotApplicableError) as error:  # GtpError, SizeError, …: what the controller got wrong
        return failure(request.id, str(error))
    except Exception as error:  # noqa: BLE001 - no line may end the game
        complain("internal error", error)
        return failure(request.id, f"internal error: {describe(error)}")
