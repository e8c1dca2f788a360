"""Lolli's own commands: who plays and how well, and what the last search has found out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.rules.game import CHANCE
from engine.games.textbook.search import SearchLimits
from protocol.gtp.colours import DICE, colour_name
from protocol.gtp.command import ANY, Arguments, command, decimal, number, settings
from protocol.gtp.lines import SYNTAX_ERROR, GtpError
from protocol.gtp.match import texts
from protocol.gtp.thinker import Thought, limits_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.gtp.session import GtpSession

_NONE = "none"
_NO_SEARCH = "nothing has been searched yet"


def search_algorithm(session: GtpSession, arguments: Arguments) -> str:
    """Without arguments who plays, and then all who could, a line each; `NAME [option=value …]` chooses."""
    thinker = session.thinker
    if arguments:
        thinker.use(arguments[0].lower(), settings(arguments[1:]))
        return ""
    lines = [_with_options(thinker.searcher, thinker.options)]
    for searcher in thinker.fitting:
        options = {option.name: str(option.default).lower() for option in searcher.options}
        lines.append(f"{_with_options(searcher.name, options)}: {searcher.summary}")
    return "\n".join(lines)


def search_level(session: GtpSession, arguments: Arguments) -> str:
    """Without argument the level, and then all levels, a line each; `N` chooses."""
    thinker = session.thinker
    if arguments:
        thinker.use_level(number(arguments[0]))
        return ""
    rungs = [
        f"{level.number}: {_with_options(level.searcher, level.options)} {limits_text(level.limits)}"
        for level in thinker.levels
    ]
    return "\n".join([str(thinker.level.number) if thinker.level else _NONE, *rungs])


def search_limits(session: GtpSession, arguments: Arguments) -> str:
    """Without arguments the limits; `none`, or any of `seconds=… depth=… nodes=… playouts=…`, sets them."""
    if arguments:
        session.thinker.set_limits(None if arguments == (_NONE,) else _limits(settings(arguments)))
        return ""
    return limits_text(session.thinker.limits_within(None))


def search_stats(session: GtpSession, _arguments: Arguments) -> str:
    """What the last search did, a name and a number a line; the value as in `search-value`."""
    thought = _last(session)
    decision = thought.decision
    counts = decision.counts
    lines = [
        f"searcher {thought.searcher}",
        f"move {session.game.text(thought.state, decision.move)}",
        f"value {_value(session, thought)}",
        f"exact {str(decision.exact).lower()}",
        f"depth {decision.depth}",
        f"visited {counts.visited}",
        f"expanded {counts.expanded}",
        f"leaves {counts.leaves}",
        f"playouts {counts.playouts}",
        f"seconds {decision.seconds:.3f}",
    ]
    line = texts(session.game, thought.state, decision.line)
    return "\n".join([*lines, " ".join(["line", *(text for _, text in line)])])


def search_value(session: GtpSession, _arguments: Arguments) -> str:
    """What the player who was to move may expect by the last search; of more than two, all players."""
    return _value(session, _last(session))


def search_variation(session: GtpSession, _arguments: Arguments) -> str:
    """The line of play that the last search expects: colours and moves by turns."""
    thought = _last(session)
    line = texts(session.game, thought.state, thought.decision.line)
    return " ".join(f"{_short(player, session.game.players)} {text}" for player, text in line)


def search_visits(session: GtpSession, _arguments: Arguments) -> str:
    """How often each move was tried by a searcher that samples: a move and a number a line."""
    thought = _last(session)
    tried = thought.decision.tried
    return "\n".join(f"{session.game.text(thought.state, each.move)} {each.visits}" for each in tried)


def _last(session: GtpSession) -> Thought:
    if session.thinker.last is None:
        raise GtpError(_NO_SEARCH)
    return session.thinker.last


def _value(session: GtpSession, thought: Thought) -> str:
    decision = thought.decision
    if session.game.players > 2 and decision.values is not None:
        return " ".join(f"{value:g}" for value in decision.values)
    return "unknown" if decision.value is None else f"{decision.value:g}"


def _limits(given: dict[str, str]) -> SearchLimits:
    """Raises GtpError."""
    seconds = decimal(given.pop("seconds")) if "seconds" in given else None
    whole = {name: number(text) for name, text in given.items()}
    if not set(whole) <= {"depth", "nodes", "playouts"} or 0 in whole.values():
        raise GtpError(SYNTAX_ERROR)
    if seconds is not None and seconds <= 0:
        raise GtpError(SYNTAX_ERROR)
    return SearchLimits(seconds=seconds, **whole)


def _with_options(name: str, options: Mapping[str, str]) -> str:
    return " ".join([name, *(f"{option}={value}" for option, value in options.items())])


def _short(player: int, players: int) -> str:
    name = colour_name(player, players)
    return DICE if player == CHANCE else name[0] if players == 2 else name


COMMANDS = (
    command("search-algorithm", search_algorithm, most=ANY),
    command("search-level", search_level, most=1),
    command("search-limits", search_limits, most=ANY),
    command("search-stats", search_stats),
    command("search-value", search_value),
    command("search-variation", search_variation),
    command("search-visits", search_visits),
)
