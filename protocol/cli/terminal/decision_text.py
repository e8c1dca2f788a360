"""What a searcher has decided, in words: value, line of play, effort, visits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.games.players.deepening_player import with_equities
from protocol.cli.terminal.game_looks import side_name
from protocol.cli.terminal.words import count_text, duration_text
from protocol.gtp.match import variation

if TYPE_CHECKING:
    from engine.games.rules.game import Game, State
    from engine.games.textbook.search import Decision

_LINE = 8  # plies
_TRIED = 5  # moves


def value_text(game: Game[Any], state: State, decision: Decision) -> str:
    """`value +0.24 for X (estimate)`, of all players where more than two play; empty where there is none.

    It is that of the player to move or, in a tree, of MAX. A value without a mark is exact.
    """
    if decision.value is None:
        return ""
    if game.players > 2 and decision.values is not None:
        values = enumerate(decision.values)
        worth = " ".join(f"{side_name(game, player)}:{value + 0.0:+.3g}" for player, value in values)
    else:
        player = state.player if game.max_player is None else game.max_player
        value = decision.value if player == state.player else -decision.value
        worth = f"{value + 0.0:+.3g} for {side_name(game, player)}"
    return f"value {worth}{'' if decision.exact else ' (estimate)'}"


def line_text(game: Game[Any], state: State, decision: Decision) -> str:
    """`line D3 C5 F6`, at most eight plies; empty where there is none."""
    moves = [text for _, text in variation(game, state, decision.line)][:_LINE]
    return " ".join(["line", *moves]) if moves else ""


def effort_text(decision: Decision) -> str:
    """`depth 4, 1.20k nodes, 300 random games, 0.1 s`, without what is 0; empty for no search."""
    counts = decision.counts
    parts = [
        f"depth {decision.depth}" if decision.depth else "",
        f"{count_text(counts.visited)} nodes" if counts.visited else "",
        f"{count_text(counts.playouts)} {playouts_word(decision)}" if counts.playouts else "",
    ]
    return ", ".join([*filter(None, parts), duration_text(decision.seconds)]) if any(parts) else ""


def playouts_word(decision: Decision) -> str:
    """What the searcher's playouts are called: those of PUCT need not be random games."""
    return "simulations" if decision.evaluated else "random games"


def moves_text(game: Game[Any], state: State, decision: Decision) -> str:
    """The moves that were tried most, `D3 250 visits, mean +0.2`; or that are worth most, `13/9* +0.123`.

    Empty where nothing is sampled, and there are no dice.
    """
    if decision.tried:
        return "; ".join(
            f"{game.text(state, each.move)} {each.visits:,} visits, mean {each.mean:+.2f}"
            for each in decision.tried[:_TRIED]
        )
    worth = with_equities(game, state, decision).tried[:_TRIED]
    return "; ".join(f"{game.text(state, each.move)} {each.mean + 0.0:+.3f}" for each in worth)


def summary(game: Game[Any], state: State, decision: Decision) -> str:
    """Value, line of play and effort after a colon; empty where nothing was searched."""
    found = (value_text(game, state, decision), line_text(game, state, decision), effort_text(decision))
    told = "; ".join(filter(None, found))
    return f": {told}" if told else ""
