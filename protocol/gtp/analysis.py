"""What Sabaki, Lizzie and other Go GUIs ask: an analysis that goes on until the next line comes.

`lz-analyze` is Leela Zero's command, `kata-analyze` KataGo's with more about each move. Both work in all
games, with any searcher: one that keeps its tree goes on with it, any other searches anew, each time for as
long as all times before together.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from time import monotonic, sleep
from typing import TYPE_CHECKING

from engine.games.players.searchers import SEARCHERS
from engine.games.rules.game import NotApplicableError
from engine.games.textbook.search import Tried
from protocol.gtp.match import variation
from protocol.gtp.parser import SYNTAX_ERROR, GtpError, parse_number, parse_player

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.games.rules.game import State
    from engine.games.textbook.search import Decision
    from protocol.gtp.gtp_session import GtpSession
    from protocol.gtp.parser import Arguments

LEELA, KATAGO = "lz-analyze", "kata-analyze"
NAMES = (LEELA, KATAGO)
_USUAL, _MOST = 100, 1_000  # centiseconds between reports
_SLICE = 0.1  # seconds between looks at whether to end, where the tree is kept
_NAP = 0.01  # seconds
_Z = 1.96  # standard errors between a win rate and its lower bound: 95% are within as many on both sides
_PAIRS = ("interval", "minmoves", "maxmoves", "ownership", "movesownership", "pvvisits")


@dataclass(frozen=True, slots=True)
class Asked:
    """An analysis of a state: by which command, seconds between reports, the most moves that they name."""

    name: str
    state: State
    interval: float
    moves: int | None


def asked(session: GtpSession, name: str, arguments: Arguments) -> Asked:
    """The analysis that `NAME [COLOUR] [CENTISECONDS] [KEY VALUE …]` asks for. Raises GtpError.

    Of the keys `interval` and `maxmoves` have an effect, and `avoid` and `allow` are refused.
    """
    words = [word.lower() for word in arguments]
    player = None
    if words and not words[0].isdigit() and words[0] not in _PAIRS:
        player = parse_player(words.pop(0), session.game.players)
    if words and words[0].isdigit():
        words.insert(0, "interval")
    pairs = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not set(pairs) <= set(_PAIRS):
        raise GtpError(SYNTAX_ERROR)
    interval = min(max(1, parse_number(pairs.get("interval", str(_USUAL)))), _MOST)
    most = parse_number(pairs["maxmoves"]) if "maxmoves" in pairs else None
    return Asked(name, session.to_analyse(player), interval / 100, most)


def reports(session: GtpSession, wanted: Asked, over: Callable[[], bool]) -> Iterator[str]:
    """A report each time the interval has passed, and a last one as soon as it is `over()`."""
    player = session.player
    keeps_tree = SEARCHERS[player.searcher].values(player.game, player.options).get("reuse", False)
    lead = _lead(session, wanted.state) if wanted.name == KATAGO else None
    began = monotonic()
    due = began + wanted.interval
    seconds = min(_SLICE, wanted.interval) if keeps_tree else wanted.interval
    while True:
        until = monotonic() + seconds
        decision = player.analyse(wanted.state, seconds)
        while monotonic() < until and not over():  # where the search ended before
            sleep(_NAP)
        last = over()
        if last or monotonic() >= due:
            yield report(session, wanted, decision, lead)
            due = monotonic() + wanted.interval
        if last:
            return
        if not keeps_tree:
            seconds = monotonic() - began


def report(session: GtpSession, wanted: Asked, decision: Decision, lead: float | None) -> str:
    """One line about all moves tried, the best first; about the best one alone where nothing is sampled."""
    game, state = session.game, wanted.state
    least, greatest = game.payoffs
    middle = (least + greatest) / 2
    value = middle if decision.value is None else decision.value
    tried = list(decision.tried) or [Tried(decision.move, decision.counts.visited, value)]
    tried.sort(key=lambda each: each.move != decision.move)  # the others stay in their order
    told = []
    for order, each in enumerate(tried[: wanted.moves]):
        rate = (each.mean - least) / (greatest - least) if greatest > least else 0.5
        line = decision.line if each.move == decision.move else ()
        pv = " ".join(text for _, text in variation(game, state, line or (each.move,)))
        bound = max(0.0, rate - _Z * sqrt(max(0.0, rate * (1 - rate)) / max(1, each.visits)))
        start = f"info move {game.text(state, each.move)} visits {each.visits}"
        prior = 1 / len(state.moves()) if each.prior is None else each.prior
        if wanted.name == LEELA:
            numbers = f"winrate {rate * 10_000:.0f} prior {prior * 10_000:.0f} lcb {bound * 10_000:.0f}"
        else:
            score = "" if lead is None else f"scoreMean {lead:.1f} scoreLead {lead:.1f} "
            utility = f"utility {2 * rate - 1:.6f} winrate {rate:.6f}"
            numbers = f"{utility} {score}prior {prior:.6f} lcb {bound:.6f}"
        told.append(f"{start} {numbers} order {order} pv {pv}")
    return " ".join(told)


def lz_analyze(session: GtpSession, arguments: Arguments) -> str:
    """`lz-analyze [COLOUR] [CENTISECONDS]`: all moves tried; in a dialogue until the next line comes."""
    return next(reports(session, asked(session, LEELA, arguments), lambda: True))


def kata_analyze(session: GtpSession, arguments: Arguments) -> str:
    """`kata-analyze [COLOUR] [CENTISECONDS]`: the same in KataGo's form."""
    return next(reports(session, asked(session, KATAGO, arguments), lambda: True))


def _lead(session: GtpSession, state: State) -> float | None:
    """By how many points the player to move is ahead as it stands; None in a game without points."""
    try:
        margin = session.game.margin(state)
    except NotApplicableError:
        return None
    return margin if state.player == 0 else -margin
