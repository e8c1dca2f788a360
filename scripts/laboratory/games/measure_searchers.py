"""`scripts/lab measure-searchers`: the tables of docs/searchers, between two marks in each page."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from statistics import mean
from typing import TYPE_CHECKING, Any

import click

from engine.files import write_whole
from engine.games.players.catalogue import game as make_game
from engine.games.rules.game import CHANCE, OVER
from engine.games.textbook.search import SearchLimits
from protocol.cli.terminal.console import output
from protocol.cli.terminal.progress import bar, below
from protocol.cli.terminal.words import count_text
from protocol.cli.tournaments.contest import Contest, Tournament, games, schedule
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.tournaments.standings import Standings
from protocol.gtp.rules import Rules
from scripts.laboratory.lab_options import ROOT, WIDE, amount_option, count_option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from engine.games.rules.game import Game, State


@dataclass(frozen=True, slots=True)
class SearcherSetting:
    """A game, and what is measured in it.

    `depths`: searchers and their depths, for nodes and time in positions after `plies` random moves.
    `players`: the players of a tournament with `seconds` a move, of `rounds` rounds.
    """

    game: str
    title: str
    seats: int | None = None
    size: int | None = None
    plies: int = 6
    depths: tuple[tuple[str, int], ...] = ()
    players: tuple[str, ...] = ()
    seconds: float = 0.1
    rounds: int = 2


@dataclass(frozen=True, slots=True)
class Family:
    """One page: `name` is that of its file in docs/searchers, without the suffix."""

    name: str
    settings: tuple[SearcherSetting, ...]


_SWITCHES = ("transpositions", "principal", "killers", "history", "quiescence")


def _two_players(game: str, title: str, depth: int, size: int | None = None) -> SearcherSetting:
    without = tuple((f"enhanced:{name}=off", depth) for name in _SWITCHES)
    return SearcherSetting(
        game,
        title,
        size=size,
        depths=(("minimax", depth), ("alphabeta", depth), ("enhanced", depth), *without),
        players=("enhanced", "alphabeta", "minimax", "uct", "random"),
    )


_MANY = ("maxn", "paranoid", "bestreply", "bestreply-fast", "threat-ads", "threat-ads-fast")

FAMILIES = (
    Family(
        "minimax",
        (_two_players("connectfour", "Connect Four", 7), _two_players("othello", "Othello, 6x6", 6, size=6)),
    ),
    Family(
        "expectiminimax",
        (
            SearcherSetting(
                "backgammon",
                "Backgammon",
                plies=7,
                depths=(
                    ("expectiminimax:pruning=none", 1),
                    ("expectiminimax:pruning=none", 2),
                    ("expectiminimax:pruning=reset", 2),
                    ("expectiminimax:pruning=star1", 2),
                ),
                players=("expectiminimax:depth=1", "uct", "montecarlo", "random"),
            ),
        ),
    ),
    Family(
        "many-players",
        (
            SearcherSetting(
                "virus",
                "Virus, four players, 7x7",
                seats=4,
                size=7,
                plies=12,
                depths=tuple((name, 4) for name in _MANY),
                players=(*_MANY, "uct", "random"),
                seconds=0.05,
                rounds=1,
            ),
            SearcherSetting(
                "focus",
                "Focus, three players",
                seats=3,
                plies=12,
                depths=tuple((name, 3) for name in _MANY),
                players=(*_MANY, "random"),
                seconds=0.05,
                rounds=1,
            ),
        ),
    ),
    Family(
        "monte-carlo",
        (
            SearcherSetting(
                "connectfour",
                "Connect Four",
                players=("uct-fast", "uct", "uct:exploration=0.5", "montecarlo", "enhanced", "random"),
            ),
            SearcherSetting(
                "othello",
                "Othello",
                players=("uct-fast", "uct", "uct:exploration=0.5", "montecarlo", "enhanced", "random"),
            ),
        ),
    ),
)


_MOST_DRAWS = 10_000  # of games, until enough positions have a player to move


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """The mean effort of a search to a depth: nodes visited and expanded, leaves, and seconds."""

    searcher: str
    depth: int
    visited: float
    expanded: float
    leaves: float
    seconds: float


def efforts(setting: SearcherSetting, positions: int, seed: int) -> Iterator[SearchEffort]:
    """The effort of each searcher, on the same positions."""
    game = make_game(setting.game, setting.seats)
    states = list(_positions(game, setting, positions, seed))
    for text, depth in setting.depths:
        (entrant,) = entrants([text], game, SearchLimits())
        found = []
        for state in states:
            player = entrant.player(game, seed)
            found.append(player.choose(state, SearchLimits(depth=depth)))
        yield SearchEffort(
            text,
            depth,
            mean(each.counts.visited for each in found),
            mean(each.counts.expanded for each in found),
            mean(each.counts.leaves for each in found),
            mean(each.seconds for each in found),
        )


def strength(setting: SearcherSetting, jobs: int, ended: Callable[[], None]) -> Standings:
    """A tournament of all players against each other. `ended` is called after each game."""
    game = make_game(setting.game, setting.seats)
    contest = Contest(
        Rules(setting.game, setting.seats),
        game.players,
        setting.size,
        entrants(setting.players, game, SearchLimits(seconds=setting.seconds)),
        opening_plies=2,
        seed=1,
    )
    standings = Standings(contest)

    def add(played: Any) -> None:
        standings.add(played)
        ended()

    Tournament(contest, jobs).run(schedule(len(setting.players), game.players, setting.rounds), add)
    return standings


def count_games(setting: SearcherSetting) -> int:
    """The number of games that `strength` plays."""
    players = make_game(setting.game, setting.seats).players
    return games(len(setting.players), players, setting.rounds)


def _positions(game: Game[Any], setting: SearcherSetting, count: int, seed: int) -> Iterator[State]:
    """States after random moves, with a player to move and at least two moves."""
    chooser = Random(seed)
    made = 0
    for _ in range(_MOST_DRAWS):
        state = game.start(setting.size)
        plies = 0
        while state.player != OVER and (plies < setting.plies or state.player == CHANCE):
            state = state.play(chooser.choice(state.moves()))
            plies += 1
        if state.player >= 0 and len(state.moves()) > 1:
            yield state
            made += 1
        if made == count:
            return


BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


class PageError(Exception):
    """A page has no marks for the tables."""


def filled(page: str, text: str) -> str:
    """The page with `text` between its marks. Raises PageError."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if not pattern.search(page):
        raise PageError(f"no marks {BEGIN} and {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page)


def effort_table(found: Iterable[SearchEffort]) -> str:
    """A table of nodes and time to a depth."""
    head = ("searcher", "plies", "nodes visited", "expanded", "leaves", "time")
    return _table(
        head,
        [
            (
                _name_cell(each.searcher),
                str(each.depth),
                f"{each.visited:,.0f}",
                f"{each.expanded:,.0f}",
                f"{each.leaves:,.0f}",
                f"{1000 * each.seconds:,.1f} ms",
            )
            for each in found
        ],
    )


def strength_table(standings: Standings) -> str:
    """A table of scores with their intervals, and the effort of a move."""
    rows = []
    for standing in standings.ranked():
        low, high = standing.interval
        spent = standing.totals
        moves = max(spent.moves, 1)
        rows.append(
            (
                _name_cell(standing.label),
                f"{100 * standing.score:.1f}%",
                f"{100 * low:.0f} … {100 * high:.0f}%",
                str(standing.games),
                count_text(spent.nodes / moves) if spent.nodes else "",
                count_text(spent.playouts / moves) if spent.playouts else "",
                f"{spent.depth / moves:.1f}" if spent.depth else "",
            )
        )
    return _table(("player", "score", "95%", "games", "nodes a move", "playouts a move", "depth"), rows)


def _name_cell(searcher: str) -> str:
    """A searcher with its options; a compiled twin is marked as one."""
    name = searcher.partition(":")[0]
    return f"`{searcher}` (compiled)" if name.endswith("-fast") else f"`{searcher}`"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


_PAGES = ROOT / "docs" / "searchers"


@click.command(context_settings=WIDE)
@click.argument("names", nargs=-1, type=click.Choice([family.name for family in FAMILIES]))
@count_option("--positions", 10, "Number of positions for nodes and time.")
@amount_option(
    "--time",
    None,
    "Seconds of each move in the tournaments; by default as the page says.",
    least=0.001,
    to="seconds",
)
@count_option("--rounds", None, "Rounds of the tournaments; by default one where many play, otherwise two.")
@count_option("--jobs", 1, "Games at the same time.")
@click.option("--dry", is_flag=True, help="Print the tables and leave the pages as they are.")
def measure_searchers(
    names: tuple[str, ...], positions: int, seconds: float | None, rounds: int | None, jobs: int, dry: bool
) -> None:
    """Measure the searchers on the pages NAMES of docs/searchers, by default on all, and update their tables.

    Nodes and time to a depth are means over the same positions after a few random moves. Strength is measured
    in a tournament with the same time for each move. Nothing else should run on the machine.
    """
    console = output()
    for family in FAMILIES:
        if names and family.name not in names:
            continue
        page = _PAGES / f"{family.name}.md"
        settings = [
            replace(each, seconds=seconds or each.seconds, rounds=rounds or each.rounds)
            for each in family.settings
        ]
        text = _measured(family.name, settings, positions, jobs)
        if dry:
            console.print(text, soft_wrap=True)
            continue
        try:
            write_whole(page, filled(page.read_text(), text).encode())
        except PageError as error:
            raise click.ClickException(f"{page}: {error}") from None


def _measured(name: str, settings: Sequence[SearcherSetting], positions: int, jobs: int) -> str:
    today = date.today()  # noqa: DTZ011 - the day where it is run
    parts = [f"Measured on {today.day} {today:%B %Y} by `scripts/lab measure-searchers {name}`."]
    for setting in settings:
        parts.append(f"### {setting.title}")
        if setting.depths:
            parts.append(
                f"Effort to a depth, means over {positions} positions after {setting.plies} random moves:"
            )
            parts.append(effort_table(efforts(setting, positions, seed=1)))
        if setting.players:
            parts.append(f"All against all with {setting.seconds:g} s a move:")
            parts.append(_strength(setting, jobs))
    return "\n\n".join(parts)


def _strength(setting: SearcherSetting, jobs: int) -> str:
    shown = bar()
    task = shown.add_task(setting.title, total=count_games(setting))
    with below(output(), lambda: shown):
        standings = strength(setting, jobs, lambda: shown.advance(task))
    return strength_table(standings)
