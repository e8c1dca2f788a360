"""The commands that change the board and the clocks, or ask for a move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE, SizeError
from protocol.gtp.board_text import cells, is_square_of
from protocol.gtp.clock import Clock, TimeControl
from protocol.gtp.colours import colour_name
from protocol.gtp.command import ANY, Arguments, colour, command, decimal, number
from protocol.gtp.lines import SYNTAX_ERROR, UNACCEPTABLE_SIZE, GtpError
from protocol.gtp.score import result

if TYPE_CHECKING:
    from protocol.gtp.session import GtpSession

_MOST_KOMI = 1000.0  # more than there are points on any board: a larger one decides nothing else


def boardsize(session: GtpSession, arguments: Arguments) -> str:
    """An empty board of that size; where there is only one, the size that it has is accepted."""
    size = number(arguments[0])
    try:
        session.begin(size)
    except SizeError:
        if session.game.sizes or not is_square_of(cells(session.game, session.match.state), size):
            raise GtpError(UNACCEPTABLE_SIZE) from None
        session.begin(None)
    return ""


def clear_board(session: GtpSession, _arguments: Arguments) -> str:
    """The first state again, without handicap."""
    session.begin(session.match.size)
    return ""


def komi(session: GtpSession, arguments: Arguments) -> str:
    """Any number is accepted; a game without komi does not mind."""
    session.set_komi(max(-_MOST_KOMI, min(decimal(arguments[0]), _MOST_KOMI)))
    return ""


def play(session: GtpSession, arguments: Arguments) -> str:
    """`play COLOUR MOVE`, `play dice 31`."""
    session.match.play_text(colour(session, arguments[0]), arguments[1])
    return ""


def genmove(session: GtpSession, arguments: Arguments) -> str:
    """`genmove COLOUR` finds a move and plays it, `genmove dice` rolls."""
    player = colour(session, arguments[0])
    return session.roll() if player == CHANCE else session.generate(player)


def reg_genmove(session: GtpSession, arguments: Arguments) -> str:
    """A move that is not played: the same each time it is asked for."""
    return session.suggest(colour(session, arguments[0]))


def undo(session: GtpSession, _arguments: Arguments) -> str:
    """Take the last move, or roll, back. Like GNU Go it ignores what follows: `undo 0` takes one back."""
    session.match.undo()
    return ""


def undo_several(session: GtpSession, arguments: Arguments) -> str:
    """`gg-undo [NUMBER]`, GNU Go's and GoGui's: take so many moves back, or the last one; all or none."""
    session.match.undo(number(arguments[0]) if arguments else 1)
    return ""


def showboard(session: GtpSession, _arguments: Arguments) -> str:
    """The board for people; in the last line whose turn it is, or how the game has ended."""
    match = session.match
    turn = f"{colour_name(match.state.player, match.game.players)} to move"
    return f"\n{match.game.show(match.state)}\n{result(match) if match.over else turn}"


def time_settings(session: GtpSession, arguments: Arguments) -> str:
    """`time_settings MAIN BYO_YOMI STONES`, in seconds: byo-yomi for no stones is no limit."""
    main, byo_yomi, stones = (number(argument) for argument in arguments)
    session.set_time(TimeControl(float(main), float(byo_yomi), stones))
    return ""


def time_left(session: GtpSession, arguments: Arguments) -> str:
    """`time_left COLOUR SECONDS STONES`: 0 stones in main time. Nothing where no time limit is set."""
    player, left, stones = colour(session, arguments[0]), decimal(arguments[1]), number(arguments[2])
    if player == CHANCE:
        raise GtpError(SYNTAX_ERROR)
    if session.control is not None:
        session.clocks[player] = Clock(max(0.0, left), stones)
    return ""


COMMANDS = (
    command("boardsize", boardsize, 1),
    command("clear_board", clear_board),
    command("komi", komi, 1),
    command("play", play, 2),
    command("genmove", genmove, 1),
    command("reg_genmove", reg_genmove, 1),
    command("undo", undo, most=ANY),
    command("gg-undo", undo_several, most=1),
    command("showboard", showboard),
    command("time_settings", time_settings, 3),
    command("time_left", time_left, 3),
)
