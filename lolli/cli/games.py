"""`lolli games`: the games that GTP knows, and the searchers that play them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine.games.catalogue import GAMES, Rules, options_of
from engine.games.limits import limits_text
from engine.games.rules.game import Game, SizeError
from engine.games.searchers import SEARCHERS, options_text
from lolli.cli.shared_options import BadInputError, bad_input, json_option
from lolli.cli.terminal.screen import output, plain_table

_MOST_PLAYERS = 6


@click.command(
    epilog="""\b
Examples:
  lolli games
  lolli games othello
  lolli games focus --players 4
  lolli games --json | jq -r 'select(.chance).game'"""
)
@click.argument("name", required=False, metavar="[GAME]")
@click.option("--players", type=int, metavar="N", help="Show GAME for N players.")
@json_option("Print JSON, a line for each game.")
def command(name: str | None, players: int | None, as_json: bool) -> None:
    """List the games that `lolli gtp` plays, with the searchers that can play each.

    With GAME list all searchers, with the reason if one cannot play the game, and the levels of difficulty.

    With --json each game is an object: game, title, players (the possible numbers of players), sizes (the
    default first), options, chance, zero_sum, searchers (null, or why it cannot play the game), levels
    (level, searcher, options, limits), searcher_options (the options and their values in this game).
    """
    if players is not None and name is None:
        raise BadInputError("--players needs a GAME")
    with bad_input(SizeError):
        games = [Rules(each, players).game() for each in ([name] if name else GAMES)]
    if as_json:
        for game in games:
            click.echo(json.dumps(_content(game)))
        return
    console = output()
    broken = console.is_terminal  # elsewhere a row stays one line, however long
    if name is not None:
        console.print(*_details(games[0], broken=broken), sep="\n")
    else:
        console.print(_overview(games, broken=broken))


def _content(game: Game[Any]) -> dict[str, Any]:
    from engine.games.levels import levels  # noqa: PLC0415 - slow

    return {
        "game": game.name,
        "title": game.title,
        "players": _numbers_of_players(game),
        "sizes": list(game.sizes),
        "options": list(options_of(game.name)),
        "chance": game.chance,
        "zero_sum": game.zero_sum,
        "searchers": {each.name: each.obstacle(game) for each in SEARCHERS.values()},
        "levels": [
            {
                "level": level.number,
                "searcher": level.searcher,
                "options": dict(level.options),
                "limits": limits_text(level.limits),
            }
            for level in levels(game)
        ],
        "searcher_options": {each.name: each.values(game) for each in SEARCHERS.values()},
    }


def _overview(games: Sequence[Game[Any]], *, broken: bool) -> Table | Group:
    """All games; `broken`: for a narrow screen."""
    table = plain_table("Game", "", "Players", "Sizes", "Played by")
    entries: list[RenderableType] = []
    for game in games:
        content, sizes = _content(game), _sizes(game)
        players = _ranges(content["players"])
        able = " ".join(name for name, obstacle in content["searchers"].items() if obstacle is None)
        table.add_row(Text(game.name, style="bold"), game.title, players, sizes, able)
        facts = f": {game.title}; players {players}; sizes {sizes}"
        entries += [Text.assemble((game.name, "bold"), facts), _below(able)]
    return Group(*entries) if broken else table


def _details(game: Game[Any], *, broken: bool) -> list[RenderableType]:
    """One game: its properties, searchers and levels; `broken`: for a narrow screen."""
    content = _content(game)
    facts = [f"{game.players} players of {_ranges(content['players'])}", f"sizes: {_sizes(game)}"]
    facts += [f"options: {', '.join(content['options'])}"] if content["options"] else []
    facts += ["with chance"] * game.chance
    facts += ["not zero-sum"] * (not game.zero_sum)
    searchers = plain_table("Searcher", "Can play", "", "Options")
    entries: list[RenderableType] = []
    for name, obstacle in content["searchers"].items():
        options = options_text(content["searcher_options"][name])
        can = Text("yes", style="green") if obstacle is None else Text(f"no: {obstacle}", style="dim")
        searchers.add_row(Text(name, style="bold"), can, SEARCHERS[name].summary, options)
        entries += [
            Text.assemble((name, "bold"), ": ", can),
            _below(SEARCHERS[name].summary),
            *([_below(options)] if options else []),
        ]
    ladder = plain_table("Level", "Searcher", "Limits")
    for level in content["levels"]:
        ladder.add_row(str(level["level"]), level["searcher"], level["limits"])
    title = Text.assemble((game.title, "bold"), f" ({game.name}): {'; '.join(facts)}")
    return [title, Group(*entries) if broken else searchers, ladder]


def _below(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 0, 4), expand=False)


def _numbers_of_players(game: Game[Any]) -> list[int]:
    found = []
    for players in range(1, _MOST_PLAYERS + 1):
        try:
            found.append(Rules(game.name, players).game().players)
        except SizeError:
            continue
    return found or [game.players]


def _sizes(game: Game[Any]) -> str:
    if len(game.sizes) < 2:
        return "".join(map(str, game.sizes)) or "-"
    return f"{game.sizes[0]} of {_ranges(sorted(game.sizes))}"


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
