"""Analyses for Sabaki, Lizzie and other Go GUIs, which go on until the next line comes.

`lz-analyze` is Leela Zero's command, `kata-analyze` KataGo's with more about each move; both work in all
games. A searcher that keeps no tree begins again, each time for as long as all times before together. The
`genmove_analyze` commands are `genmove` with reports on the way, if the tree is kept, and one at the end.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase, digits
from time import monotonic, sleep
from typing import Any, TypeAlias

from engine.games.players import Watch
from engine.games.rules.game import (
    Forecast,
    Game,
    IllegalMoveError,
    Move,
    NotApplicableError,
    State,
    variation,
)
from engine.games.search.basics import Decision, Tried, sensible_moves
from protocol.gtp.parser import SYNTAX_ERROR, Arguments, GtpError, parse_number, parse_player, parse_switch
from protocol.gtp.session import GtpSession
from protocol.intervals import wilson
from protocol.writer import errors_reported

Analysis: TypeAlias = Callable[[Callable[[str], None], Callable[[], bool]], None]
"""Tells its lines one after the other, until it is over: `run(tell, over)`."""
_LETTERS = ascii_uppercase + ascii_lowercase + digits + "+/"  # of CGOS, for owners from -1 to 1
_USUAL, _MOST = 100, 1_000  # centiseconds between reports
_SLICE = 0.1  # seconds between looks at whether to end, where the tree is kept
_NAP = 0.01  # seconds
_RESTRICTIONS = ("avoid", "allow")
_NUMBERS = ("interval", "minmoves", "maxmoves")
_SWITCHES = (
    "ownership",
    "rootinfo",
    "movesownership",
    "movesownershipstdev",
    "noresultvalue",
    "ownershipstdev",
    "pvedgevisits",
    "pvvisits",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """An analysis of a state in the form `lz`, `kata` or `cgos`, and the seconds between reports.

    `allowed`: the moves that `avoid` and `allow` leave; None: all. `moves`: the most that are named. `root`,
    `ownership`: what KataGo's keys of these names ask for.
    """

    form: str
    state: State
    allowed: frozenset[Move] | None
    interval: float
    moves: int | None
    root: bool
    ownership: bool


def asked(session: GtpSession, form: str, arguments: Arguments) -> Asked:
    """The analysis that `NAME [COLOUR] [CENTISECONDS] [KEY VALUE …]` asks for. Raises GtpError.

    KataGo's keys that Asked does not name are without effect: GUIs send them unasked.
    """
    words = [word.lower() for word in arguments]
    player = None
    if words and not words[0].isdigit() and words[0] not in (*_NUMBERS, *_SWITCHES, *_RESTRICTIONS):
        player = parse_player(words.pop(0), session.game.players)
    if words and words[0].isdigit():
        words.insert(0, "interval")
    state = session.to_analyse(player)
    allowed = _allowed(session.game, state, words)
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not set(pairs) <= {*_NUMBERS, *_SWITCHES}:
        raise GtpError(SYNTAX_ERROR)
    numbers = {key: parse_number(pairs[key]) for key in _NUMBERS if key in pairs}
    switches = {key: parse_switch(pairs[key]) for key in _SWITCHES if key in pairs}
    if allowed is not None and not session.player.can_avoid:
        raise GtpError(f"{session.player.searcher} cannot avoid moves: choose uct-fast or puct-fast")
    return Asked(
        form,
        state,
        allowed,
        min(max(1, numbers.get("interval", _USUAL)), _MOST) / 100,
        max(1, numbers["maxmoves"]) if "maxmoves" in numbers else None,
        root=switches.get("rootinfo", False),
        ownership=switches.get("ownership", False),
    )


def _allowed(game: Game[Any], state: State, words: list[str]) -> frozenset[Move] | None:
    """Take `avoid COLOUR MOVE,MOVE… DEPTH` and `allow …` out of the words; the moves left, None: all.

    They hold for the first move, whatever the depth is, and so not for other players. Illegal moves, and
    those that do only harm, are without effect. Raises GtpError.
    """
    moves = allowed = frozenset(sensible_moves(state))
    at = 0
    while at < len(words):
        if words[at] not in _RESTRICTIONS:
            at += 2
            continue
        if len(words) < at + 4 or not parse_number(words[at + 3]):
            raise GtpError(SYNTAX_ERROR)
        kind, colour, texts, _ = words[at : at + 4]
        del words[at : at + 4]
        if parse_player(colour, game.players) == state.player:
            named = frozenset(_legal(game, state, texts.split(",")))
            allowed = allowed & named if kind == "allow" else allowed - named
    if not allowed:
        raise GtpError("no sensible move is left to search")
    return None if allowed == moves else allowed


def _legal(game: Game[Any], state: State, texts: Sequence[str]) -> Iterator[Move]:
    for text in texts:
        with suppress(IllegalMoveError):
            yield game.parse(state, text)


def analyze(form: str) -> Callable[[GtpSession, Arguments], Analysis]:
    """`lz-analyze [COLOUR] [CENTISECONDS]`, `kata-analyze …`: all moves, each interval and at the end."""

    def run(session: GtpSession, arguments: Arguments) -> Analysis:
        wanted = asked(session, form, arguments)
        forecast = _forecast(session, wanted)
        return lambda tell, over: _analyze(session, wanted, forecast, tell, over)

    return run


def _analyze(
    session: GtpSession,
    wanted: Asked,
    forecast: Forecast | None,
    tell: Callable[[str], None],
    over: Callable[[], bool],
) -> None:
    player = session.player
    keeps_tree = player.keeps_tree
    began = monotonic()
    due = began + wanted.interval
    seconds = min(_SLICE, wanted.interval) if keeps_tree else wanted.interval
    best: Decision | None = None
    if over():  # before it began: one short search
        seconds = min(seconds, _SLICE)
    while True:
        until = monotonic() + seconds
        decision = player.analyse(wanted.state, seconds, wanted.allowed)
        while monotonic() < until and not over():  # where the search ended before
            sleep(_NAP)
        last = over()
        if best is None or keeps_tree or decision.seconds >= best.seconds:
            best = decision  # else a new search was stopped before it was as long as the last
        if last or monotonic() >= due:
            tell(report(session, wanted, best, forecast))
            due = monotonic() + wanted.interval
        if last:
            return
        if not keeps_tree:
            seconds = monotonic() - began


def genmove_analyze(form: str) -> Callable[[GtpSession, Arguments], Analysis]:
    """`lz-genmove_analyze [COLOUR] [CENTISECONDS]`, `kata-genmove_analyze …`: `genmove` with reports."""

    def run(session: GtpSession, arguments: Arguments) -> Analysis:
        began = monotonic()
        wanted = asked(session, form, arguments)
        forecast = _forecast(session, wanted)

        def generate(tell: Callable[[str], None], _over: Callable[[], bool]) -> None:
            def hear(decision: Decision) -> None:
                with errors_reported("the report failed"):  # it costs no move
                    tell(report(session, wanted, decision, forecast))

            watch = Watch(wanted.interval, hear)
            text = session.generate(wanted.state.player, watch, began, allowed=wanted.allowed)
            if session.player.last is not None:
                hear(session.player.last.decision)
            tell(f"play {text}")

        return generate

    return run


def report(session: GtpSession, wanted: Asked, decision: Decision, forecast: Forecast | None) -> str:
    """One line about all moves tried, the best first; see `_best_first`."""
    game, state = session.game, wanted.state
    value = _value(game, decision)
    lead = _lead(state, forecast)
    tried = _best_first(game, state, decision)
    told = []
    for order, each in enumerate(tried[: wanted.moves]):
        pv = " ".join(text for _, text in variation(game, state, each.line or (each.move,)))
        numbers = _numbers(wanted, _rate(game, each.mean), each, lead)
        told.append(
            f"info move {game.text(state, each.move)} visits {each.visits} {numbers} order {order} pv {pv}"
        )
    if wanted.root and wanted.form == "kata":
        visits = sum(each.visits for each in tried)
        told.append(f"rootInfo visits {visits} {_katago_value(_rate(game, value), lead)}")
    if forecast is not None and wanted.ownership:
        side = 1 if state.player == 0 else -1
        told.append("ownership " + " ".join(f"{side * owner:.3f}" for owner in forecast.owners))
    return " ".join(told)


def _value(game: Game[Any], decision: Decision) -> float:
    """For the player to move; where nothing is known, in the middle of the game's payoffs."""
    return sum(game.payoffs) / 2 if decision.value is None else decision.value


def _rate(game: Game[Any], payoff: float) -> float:
    """The share of the way from the least payoff to the greatest; a file's estimate may lie beyond them."""
    least, greatest = game.payoffs
    return min(max((payoff - least) / (greatest - least), 0.0), 1.0) if greatest > least else 0.5


def _lead(state: State, forecast: Forecast | None) -> float | None:
    if forecast is None:
        return None
    return forecast.margin if state.player == 0 else -forecast.margin


def _best_first(game: Game[Any], state: State, decision: Decision) -> list[Tried]:
    """All moves tried, the chosen one first; it alone where nothing is sampled, and there are no dice."""
    one = Tried(decision.move, decision.counts.visited, _value(game, decision), line=decision.line)
    if game.chance:
        from engine.games.players.textbook import with_equities  # noqa: PLC0415 - slow, and for dice alone

        decision = with_equities(game, state, decision)
    tried = decision.tried or [one]
    return sorted(tried, key=lambda each: each.move != decision.move)


def _numbers(wanted: Asked, rate: float, each: Tried, lead: float | None) -> str:
    """What is said of a move between its visits and its place in the order; lcb is Wilson's lower bound."""
    bound = wilson(rate * each.visits, each.visits)[0] if each.visits else rate
    if wanted.form == "lz":
        prior = "" if each.prior is None else f" prior {each.prior * 10_000:.0f}"
        return f"winrate {rate * 10_000:.0f}{prior} lcb {bound * 10_000:.0f}"
    prior = "" if each.prior is None else f" prior {each.prior:.6f}"
    return f"{_katago_value(rate, lead)}{prior} lcb {bound:.6f}"


def _katago_value(rate: float, lead: float | None) -> str:
    score = "" if lead is None else f" scoreMean {lead:.1f} scoreLead {lead:.1f}"
    return f"utility {2 * rate - 1:.6f} winrate {rate:.6f}{score}"


def cgos_genmove_analyze(session: GtpSession, arguments: Arguments) -> str:
    """`cgos-genmove_analyze COLOUR`: what is found as one line of JSON, then the move.

    The keys are those of https://github.com/zakki/cgos, all from the view of the player to move.
    """
    began, wanted = monotonic(), asked(session, "cgos", arguments)
    game, state = session.game, wanted.state
    forecast = _forecast(session, wanted)
    text = session.generate(state.player, began=began, allowed=wanted.allowed)
    found = session.player.last
    if found is None:
        return f"\n{{}}\nplay {text}"
    lead = _lead(state, forecast)
    score = {} if lead is None else {"score": round(lead, 1)}
    tried = _best_first(game, state, found.decision)
    moves = [
        {
            "move": game.text(state, each.move),
            "visits": each.visits,
            "winrate": round(_rate(game, each.mean), 4),
            **score,
            **({} if each.prior is None else {"prior": round(each.prior, 6)}),
            "pv": " ".join(text for _, text in variation(game, state, each.line)[1:]),
        }
        for each in tried
    ]
    whole = {
        "winrate": round(_rate(game, _value(game, found.decision)), 4),
        **score,
        "visits": sum(each.visits for each in tried),
        "moves": moves,
    }
    if forecast is not None:
        side = 1 if state.player == 0 else -1
        whole["ownership"] = "".join(_LETTERS[round(31 * (1 + side * owner))] for owner in forecast.owners)
    return f"\n{json.dumps(whole)}\nplay {text}"


def _forecast(session: GtpSession, wanted: Asked) -> Forecast | None:
    if wanted.form != "lz":
        with suppress(NotApplicableError):
            return session.game.forecast(wanted.state)
    return None
