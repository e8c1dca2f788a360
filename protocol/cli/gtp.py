"""`lolli gtp`: the other games, over the Go Text Protocol."""

from __future__ import annotations

from random import SystemRandom
from typing import TYPE_CHECKING, Any

import click

from engine.games.players.catalogue import GAMES
from engine.games.players.searchers import SEARCHERS
from engine.games.rules.game import SizeError
from engine.games.textbook.search import SearchLimits
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options
from protocol.gtp.dialogue import main
from protocol.gtp.parser import GtpError
from protocol.gtp.rules import Rules
from protocol.gtp.session import GtpSession
from protocol.text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

USUAL = "go"
_SEEDS = 1 << 32


@click.command(
    epilog="""\b
Examples:
  lolli gtp                                         as GoGui or another controller of Go starts it
  lolli gtp --game othello --level 3
  lolli gtp --game go --size 9 --set komi=5.5 --time 1
  lolli gtp --game focus --players 4 --searcher paranoid --depth 3
  lolli gtp --game connectfour --searcher uct --option exploration=0.7 --playouts 5000 --seed 1
  printf 'showboard\\ngenmove b\\nsearch-stats\\nquit\\n' | lolli gtp --game tree""",
)
@click.option(
    "--game", "name", default=USUAL, show_default=True, metavar="NAME", help=f"One of {', '.join(GAMES)}."
)
@click.option("--players", type=int, metavar="N", help="How many play, where the game leaves that open.")
@click.option("--size", type=int, metavar="N", help="The size of the board.")
@click.option(
    "--set", "rules", multiple=True, metavar="NAME=VALUE", help="An option of the game, such as komi=6.5."
)
@click.option(
    "--searcher",
    metavar="NAME",
    help=f"Who plays: {', '.join(SEARCHERS)}. NAME-fast is the compiled twin of NAME; NAME alone plays"
    " from the textbook, also bestreply and threat-ads. See `lolli games GAME`.",
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the searcher.")
@click.option("--level", type=int, metavar="N", help="How strong, from 1; otherwise as strong as it can.")
@limit_options
@click.option("--playouts", type=click.IntRange(1), metavar="N", help="Play so many random games for a move.")
@click.option(
    "--resign",
    type=click.FloatRange(0, 50),
    metavar="PERCENT",
    help="Resign a game of two when so few of the random games are won; otherwise never.",
)
@click.option(
    "--seed", type=int, metavar="N", help="Of the dice and all that is random; otherwise another each time."
)
def command(
    name: str,
    searcher: str | None,
    options: Sequence[str],
    level: int | None,
    seed: int | None,
    **given: Any,
) -> None:
    """Speak GTP, version 2, on stdin and stdout: Go and all other games of `lolli games`.

    Moves are written as each game does; colours are b and w, or p1, p2, p3 … where more than two play; the
    dice are a colour, too: `genmove dice` rolls, `play dice 31` sets. `set_game NAME` changes the game,
    `search-algorithm`, `search-level` and `search-limits` who plays, and how well.

    A clock set by `time_settings` is obeyed; --time, --depth, --nodes and --playouts hold besides. A line
    `# interrupt` ends a search with the best move so far. What was asked before `quit` or the end of input is
    still answered in full.
    """
    if searcher is not None and level is not None:
        raise BadInputError("--searcher and --level exclude each other: a level is a searcher, too")
    if options and searcher is None:
        raise BadInputError("--option is for a --searcher")
    limits = SearchLimits(given["time"], given["depth"], given["nodes"], given["playouts"])
    try:
        session = GtpSession(
            Rules(name, given["players"], pairs("--set", given["rules"])),
            given["size"],
            seed=SystemRandom().randrange(_SEEDS) if seed is None else seed,
            limits=limits if limits != SearchLimits() else None,
            resign_below=(given["resign"] or 0.0) / 100,
        )
        if searcher is not None:
            session.player.use(searcher, pairs("--option", options))
        if level is not None:
            session.player.use_level(level)
    except (SizeError, GtpError) as error:
        raise BadInputError(str(error)) from None
    main(session)


def pairs(option: str, words: Sequence[str]) -> dict[str, str]:
    """What NAME=VALUE says, given to an option of the command line. Raises BadInputError."""
    parts = [word.partition("=") for word in words]
    for word, (name, equals, _) in zip(words, parts, strict=True):
        if not (name and equals):
            raise BadInputError(f"{option} wants NAME=VALUE, not {quoted(word)}")
    return {name: value for name, _, value in parts}
