"""Alpha-beta as a player's search: what it leaves to others, chosen by the names of options.

- `look_up`: what is known beforehand, from the file of an endgame table or by a theory of the game
- `cut_off`: where a search ends, at the depth or only where the position is quiet
- `extend`: which moves are followed a ply deeper
- `random_games`: what stands in for the game's estimate at the horizon (stochastic search)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.games.players.table_file import load_table
from engine.games.search.alphabeta import alphabeta
from engine.games.search.hooked_alphabeta import at_depth, hooked_alphabeta, never, unknown
from engine.games.search.monte_carlo import random_playout
from engine.games.search.ordering import as_they_come

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.games.rules.game import Game, Move, State
    from engine.games.search.basics import Estimate, Meter, Result
    from engine.games.search.endgame_table import EndgameTable

NONE, THEORY = "none", "theory"
QUIET_PLIES = 4
"""How many plies beyond the depth `quiet` goes on at most."""


class HookedAlphaBeta:
    """`hooked_alphabeta` for one game with a table, a cut-off, an extension and an estimate."""

    def __init__(
        self, game: Game[Any], look_up: str, cut_off: str, extend: str, random_games: int = 0
    ) -> None:
        """`look_up`: NONE, THEORY or a file's name; `random_games`: 0 for the game's own estimate.

        Raises TableFileError, ValueError without a theory.
        """
        if look_up == THEORY and game.known(game.start()) is None:
            raise ValueError(f"no theory of {game.title} tells who wins")
        self._game = game
        self._table = None if look_up in {NONE, THEORY} else load_table(look_up, game)
        self._look_up = self._table.look_up if self._table else game.known if look_up == THEORY else unknown
        self._cut_off = self._quiet if cut_off == "quiet" else at_depth
        self._extend = {NONE: never, "forced": _forced, "noisy": self._noisy}[extend]
        self._random_games = random_games
        self._is_hooked = (look_up, cut_off, extend, random_games) != (NONE, "depth", NONE, 0)

    def __call__(self, state: State, depth: int, estimate: Estimate, meter: Meter) -> Result:
        """See `hooked_alphabeta`. What is known of `state` itself is not used: a move is wanted, too."""
        if not self._is_hooked:
            return alphabeta(state, depth, estimate, meter)

        def look_up(reached: State) -> Sequence[float] | None:
            return None if reached is state else self._look_up(reached)

        def order(reached: State, moves: Sequence[Move]) -> Iterable[Move]:
            return _best_first(self._table, reached, moves) if reached is state else moves

        return hooked_alphabeta(
            state,
            depth,
            mean_of_random_games(self._random_games, estimate, meter) if self._random_games else estimate,
            meter,
            order=order if self._table else as_they_come,
            cut_off=self._cut_off,
            extend=self._extend,
            look_up=unknown if self._look_up is unknown else look_up,
        )

    def _quiet(self, state: State, depth: int) -> bool:
        return depth <= 0 and (depth <= -QUIET_PLIES or not self._game.noisy(state))

    def _noisy(self, state: State, move: Move, child: State) -> int:
        del child
        return int(move in self._game.noisy(state))


def mean_of_random_games(games: int, estimate: Estimate, meter: Meter) -> Estimate:
    """The mean payoffs of random games, with a draw added: even if all are won, it is not a sure win.

    For payoffs that add up to 0. The games of a state are the same whenever it is estimated.
    """

    def mean(state: State) -> Sequence[float]:
        estimate(state)  # so that `deepen` knows of it
        payoffs = []
        for seed in range(games):
            meter.play_out()
            payoffs.append(random_playout(state, seed))
        return [sum(each) / (games + 1) for each in zip(*payoffs, strict=True)]

    return mean


def _forced(state: State, move: Move, child: State) -> int:
    """A ply more for the only move."""
    del move, child
    return int(len(state.moves()) == 1)


def _best_first(table: EndgameTable | None, state: State, moves: Sequence[Move]) -> Iterable[Move]:
    """The shortest win first, so that it is played: all wins have the same value."""
    return moves if table is None or table.verdict(state) is None else table.ordered(state)
