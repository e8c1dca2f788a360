"""Lolli's own commands: who plays and how well, and the result of the last search. See `commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.games.players.searchers import SEARCHERS
from engine.games.rules.game import CHANCE
from engine.games.search.basics import SearchLimits
from protocol.gtp.match import variation
from protocol.gtp.parser import (
    DICE,
    SYNTAX_ERROR,
    Arguments,
    GtpError,
    parse_decimal,
    parse_number,
    parse_settings,
)
from protocol.gtp.replies import colour_name, limits_text, options_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.players.searcher_options import Value
    from protocol.gtp.gtp_player import LastSearch
    from protocol.gtp.gtp_session import GtpSession

_NONE = "none"


def search_algorithm(session: GtpSession, arguments: Arguments) -> str:
    """`search-algorithm [NAME [option=value …]]` chooses a searcher.

    An option that says how long to search takes the place of limits that were set before, and the answer
    tells both. Without arguments: the searcher that plays, then all that could, one a line, all of them with
    the values of their options in this game.
    """
    player = session.player
    if arguments:
        before = player.limits
        player.use(arguments[0].lower(), parse_settings(arguments[1:]))
        if before is None or player.limits is not None:
            return ""
        return f"{options_text(player.asked)} in place of {limits_text(before)}"
    lines = [_with_options(player.searcher, SEARCHERS[player.searcher].values(player.game, player.options))]
    lines += [
        f"{_with_options(searcher.name, searcher.values(player.game))}: {searcher.summary}"
        for searcher in player.fitting
    ]
    return "\n".join(lines)


def search_level(session: GtpSession, arguments: Arguments) -> str:
    """`search-level [NUMBER]` chooses a level. Without argument: the level, then all levels, one a line."""
    player = session.player
    if arguments:
        player.use_level(parse_number(arguments[0]))
        return ""
    levels = [
        f"{level.number}: {_with_options(level.searcher, level.options)} {limits_text(level.limits)}"
        for level in player.levels
    ]
    return "\n".join([str(player.level.number) if player.level else _NONE, *levels])


def search_limits(session: GtpSession, arguments: Arguments) -> str:
    """`search-limits [none | seconds=… depth=… nodes=… playouts=…]` sets the limits. Without: the limits."""
    if arguments:
        session.player.set_limits(None if arguments == (_NONE,) else _limits(parse_settings(arguments)))
        return ""
    return limits_text(session.player.limits_within(None))


def search_stats(session: GtpSession, _arguments: Arguments) -> str:
    """The statistics of the last search, a name and a number a line; the value as in `search-value`.

    Nodes are those of the last depth finished; `total-` are those of all depths, where there were several.
    """
    last = _last(session)
    decision = last.decision
    total = decision.counts
    counts = decision.last_depth or total
    deepened = [
        f"total-visited {total.visited}",
        f"total-expanded {total.expanded}",
        f"total-leaves {total.leaves}",
    ]
    lines = [
        f"searcher {last.searcher}",
        f"move {session.game.text(last.state, decision.move)}",
        f"value {_value(session, last)}",
        f"exact {str(decision.exact).lower()}",
        f"depth {decision.depth}",
        f"limits {limits_text(decision.limits)}",
        f"visited {counts.visited}",
        f"expanded {counts.expanded}",
        f"leaves {counts.leaves}",
        *(deepened if total != counts else ()),
        f"playouts {counts.playouts}",
        f"seconds {decision.seconds:.3f}",
    ]
    line = variation(session.game, last.state, decision.line)
    return "\n".join([*lines, " ".join(["line", *(text for _, text in line)])])


def search_value(session: GtpSession, _arguments: Arguments) -> str:
    """The value that the last search found for the player to move; with more than two, for all players.

    `(estimate)` follows where it is not exact.
    """
    return _value(session, _last(session))


def search_variation(session: GtpSession, _arguments: Arguments) -> str:
    """The principal variation of the last search: colour, move, colour, move, …"""
    last = _last(session)
    line = variation(session.game, last.state, last.decision.line)
    return " ".join(f"{_short(player, session.game.players)} {text}" for player, text in line)


def search_visits(session: GtpSession, _arguments: Arguments) -> str:
    """How often a searcher that samples has tried each move: a move and a number a line."""
    last = _last(session)
    tried = last.decision.tried
    return "\n".join(f"{session.game.text(last.state, each.move)} {each.visits}" for each in tried)


def _last(session: GtpSession) -> LastSearch:
    if session.player.last is None:
        raise GtpError("no search yet")
    return session.player.last


def _value(session: GtpSession, last: LastSearch) -> str:
    decision = last.decision
    if decision.value is None:
        return "unknown"
    values = (decision.values if session.game.players > 2 else None) or (decision.value,)
    text = " ".join(f"{value:g}" for value in values)
    return text if decision.exact else f"{text} (estimate)"


def _limits(given: dict[str, str]) -> SearchLimits:
    """Raises GtpError."""
    seconds = parse_decimal(given.pop("seconds")) if "seconds" in given else None
    whole = {name: parse_number(text) for name, text in given.items()}
    if not set(whole) <= {"depth", "nodes", "playouts"} or 0 in whole.values():
        raise GtpError(SYNTAX_ERROR)
    if seconds is not None and seconds <= 0:
        raise GtpError(SYNTAX_ERROR)
    return SearchLimits(seconds=seconds, **whole)


def _with_options(name: str, options: Mapping[str, Value]) -> str:
    return f"{name} {options_text(options)}".strip()


def _short(player: int, players: int) -> str:
    name = colour_name(player, players)
    return DICE if player == CHANCE else name[0] if players == 2 else name
