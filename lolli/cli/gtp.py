"""`lolli gtp`: the other games, over the Go Text Protocol."""

from __future__ import annotations

from collections.abc import Sequence
from random import SystemRandom
from typing import Any

import click

from engine.games.catalogue import GAMES, Rules
from engine.games.rules.game import SizeError
from engine.games.search.basics import SearchLimits
from engine.games.searchers import SEARCHERS
from lolli.cli.shared_options import (
    BadInputError,
    FiniteRange,
    bad_input,
    limit_numbers,
    named_values,
    number_option,
    set_option,
    unless_typed,
)
from protocol.gtp.dialogue import main
from protocol.gtp.parser import GtpError
from protocol.gtp.session import GtpSession

DEFAULT_GAME = "go"
_SEEDS = 1 << 32


@click.command(
    epilog="""\b
Examples:
  lolli gtp                                         as GoGui and other Go GUIs start it
  lolli gtp --game othello --level 3
  lolli gtp --game go --size 9 --set komi=5.5 --time 1
  lolli gtp --game focus --players 4 --searcher paranoid --depth 3
  lolli gtp --game connectfour --searcher uct --option exploration=0.7 --playouts 5000 --seed 1
  printf 'showboard\\ngenmove b\\nsearch-stats\\nquit\\n' | lolli gtp --game tree"""
)
@click.option(
    "--game",
    "name",
    default=DEFAULT_GAME,
    show_default=True,
    metavar="NAME",
    help=f'One of {", ".join(GAMES)}; of a tree or piles of Nim also which, as in --game "tree sixteen".',
)
@click.option("--players", type=int, metavar="N", help="The number of players, if the game allows several.")
@click.option("--size", type=int, metavar="N", help="The size of the board.")
@set_option
@click.option(
    "--searcher",
    metavar="NAME",
    help=f"The searcher: {', '.join(SEARCHERS)}. NAME-fast is the compiled twin of the textbook"
    " searcher NAME. See `lolli games GAME`. Or a file with a search in it, such as mine.py.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the searcher.")
@click.option("--level", type=int, metavar="N", help="The level of play, from 1. Default: full strength.")
@limit_numbers
@number_option("--playouts", least=1, help="Play N random games for each move.")
@click.option(
    "--resign",
    type=FiniteRange(0, 50),
    metavar="PERCENT",
    help="Resign a game of two players if only PERCENT of the playouts are won, of the last 500 or more."
    " Searchers without playouts never resign. Default: never.",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="The seed of dice and random numbers. Default: a different one each time.",
)
def command(
    name: str, searcher: str | None, options: Sequence[str], level: int | None, seed: int | None, **given: Any
) -> None:
    """Speak GTP, version 2, on stdin and stdout: Go and all other games of `lolli games`.

    Moves are in the notation of each game. Colours are b and w, or p1, p2, p3 … with more than two players.
    The dice are a colour, too: `genmove dice` rolls them, `play dice 31` sets them. `set_game NAME` changes
    the game, `search-algorithm`, `search-level` and `search-limits` change the player and its strength.

    A clock set by `time_settings` is obeyed, in addition to --time, --depth, --nodes and --playouts. The line
    `# interrupt` ends a search with the best move so far. Commands before `quit` or the end of input are
    still answered in full.
    """
    searcher, level = unless_typed("searcher", searcher, "level"), unless_typed("level", level, "searcher")
    options = unless_typed("options", options, "searcher", "level") or ()
    if searcher is not None and level is not None:
        raise BadInputError("--searcher and --level cannot be combined: a level sets the searcher")
    if options and searcher is None:
        raise BadInputError("--option needs --searcher")
    limits = SearchLimits(given["time"], given["depth"], given["nodes"], given["playouts"])
    chosen = limits if limits != SearchLimits() else None
    with bad_input(SizeError, GtpError):
        session = GtpSession(
            Rules.named(name, given["players"], named_values("--set", given["rules"])),
            given["size"],
            seed=SystemRandom().randrange(_SEEDS) if seed is None else seed,
            limits=chosen,
            resign_below=(given["resign"] or 0.0) / 100,
        )
        if searcher is not None:
            session.player.use(searcher, named_values("--option", options))
            session.player.set_limits(chosen)  # beside options that say how long to search
        if level is not None:
            session.player.use_level(level)
    main(session)
