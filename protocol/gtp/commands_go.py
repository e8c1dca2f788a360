"""The commands that only Go needs, or games like it: points, dead stones, handicap, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import IllegalMoveError, NotApplicableError, SizeError
from protocol.gtp.command import ANY, Arguments, command, number
from protocol.gtp.lines import CANNOT_LOAD, SYNTAX_ERROR, GtpError
from protocol.gtp.match import Setup
from protocol.gtp.score import final_score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.gtp.session import GtpSession

STATUSES = ("alive", "seki", "dead")
NOT_EMPTY, BAD_NUMBER, BAD_LIST = "board not empty", "invalid number of stones", "bad vertex list"
_MOST_FREE = 9  # stones that the engine places by itself: the usual points


def score(session: GtpSession, _arguments: Arguments) -> str:
    """`final_score`: `B+3.5`, `W+12`, `0`."""
    return final_score(session.match)


def final_status_list(session: GtpSession, arguments: Arguments) -> str:
    """The stones that are alive, dead, or alive in seki: a line for each block."""
    status = arguments[0].lower()
    if status not in STATUSES:
        raise GtpError(SYNTAX_ERROR)
    blocks = session.game.fates(session.match.state).get(status, ())
    return "\n".join(" ".join(block) for block in blocks)


def fixed_handicap(session: GtpSession, arguments: Arguments) -> str:
    """Place so many stones where they usually stand, and tell where."""
    return _place(session, _usual_points(session, number(arguments[0])))


def place_free_handicap(session: GtpSession, arguments: Arguments) -> str:
    """Place at most so many stones, and tell where."""
    wanted = number(arguments[0])
    for stones in range(min(wanted, _MOST_FREE), 1, -1):
        try:
            points = session.game.handicap_points(session.match.size, stones)
        except SizeError:
            continue
        return _place(session, points)
    raise GtpError(BAD_NUMBER)


def set_free_handicap(session: GtpSession, arguments: Arguments) -> str:
    """Place stones there."""
    try:
        _place(session, arguments)
    except IllegalMoveError:
        raise GtpError(BAD_LIST) from None
    return ""


def loadsgf(session: GtpSession, arguments: Arguments) -> str:
    """`loadsgf FILE [NUMBER]`: the end of a game of Go, or the position before that move."""
    *words, last = arguments
    before = number(last) if words and last.isdigit() else None
    path = " ".join(arguments if before is None else words)
    from protocol.gtp.sgf import SgfError, read_sgf  # noqa: PLC0415 - brings in a library, seldom needed

    try:
        session.take_over(*read_sgf(path, session.rules, before))
    except (SgfError, GtpError, SizeError, IllegalMoveError, NotApplicableError) as error:
        raise GtpError(f"{CANNOT_LOAD}: {error}") from None
    return ""


def _usual_points(session: GtpSession, stones: int) -> Sequence[str]:
    try:
        return session.game.handicap_points(session.match.size, stones)
    except SizeError:
        raise GtpError(BAD_NUMBER) from None


def _place(session: GtpSession, points: Sequence[str]) -> str:
    match = session.match
    if match.played or match.setup is not None:
        raise GtpError(NOT_EMPTY)
    session.begin(match.size, Setup(tuple((0, point) for point in points), 1))
    return " ".join(points)


COMMANDS = (
    command("final_score", score),
    command("final_status_list", final_status_list, 1),
    command("fixed_handicap", fixed_handicap, 1),
    command("place_free_handicap", place_free_handicap, 1),
    command("set_free_handicap", set_free_handicap, 2, ANY),
    command("loadsgf", loadsgf, 1, ANY),
)
