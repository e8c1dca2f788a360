"""`scripts/lab measure-searchers`: the tables of docs/searchers."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from statistics import mean
from typing import Any

import click

from engine.games.catalogue import Rules
from engine.games.catalogue import game as make_game
from engine.games.rules.game import CHANCE, OVER, Game, State
from engine.games.search.basics import Counts, SearchLimits
from engine.system.files import write_whole
from lolli.cli.contest import Contest, Standings, Tournament, entrants, games, schedule
from lolli.cli.terminal.screen import bar, below, count_text, output
from scripts.laboratory.lab_options import ROOT, WIDE, amount_option, count_option


@dataclass(frozen=True, slots=True)
class SearcherSetting:
    """`depths` by searcher, in positions after `plies` random moves. `players` have `seconds` a move."""

    game: str
    title: str
    seats: int | None = None
    size: int | None = None
    plies: int = 6
    depths: tuple[tuple[str, int], ...] = ()
    players: tuple[str, ...] = ()
    seconds: float = 0.1
    rounds: int = 2


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


def _many_players(
    game: str, title: str, seats: int, depth: int, others: tuple[str, ...], size: int | None = None
) -> SearcherSetting:
    names = ("maxn", "paranoid", "bestreply", "bestreply-fast", "threat-ads", "threat-ads-fast")
    depths = tuple((name, depth) for name in names)
    return SearcherSetting(
        game, title, seats, size, plies=12, depths=depths, players=(*names, *others), seconds=0.05, rounds=1
    )


_MONTE_CARLO = ("uct-fast", "uct", "uct:exploration=0.5", "montecarlo", "enhanced", "random")
FAMILIES = {
    "minimax": (
        _two_players("connectfour", "Connect Four", 7),
        _two_players("othello", "Othello, 6x6", 6, size=6),
    ),
    "expectiminimax": (
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
    "many-players": (
        _many_players("virus", "Virus, four players, 7x7", 4, 4, ("uct", "random"), size=7),
        _many_players("focus", "Focus, three players", 3, 3, ("random",)),
    ),
    "monte-carlo": tuple(
        SearcherSetting(game, title, players=_MONTE_CARLO)
        for game, title in (("connectfour", "Connect Four"), ("othello", "Othello"))
    ),
}
"""What is measured for each page, by the name of its file in docs/searchers, without the suffix."""


_MOST_DRAWS = 10_000  # of games, until enough positions have a player to move


def efforts(setting: SearcherSetting, positions: int, seed: int) -> Iterator[tuple[str, int, list[float]]]:
    """Means of nodes visited and expanded, leaves, and seconds, to each searcher's depth."""
    game = make_game(setting.game, setting.seats)
    states = list(_positions(game, setting, positions, seed))
    for text, depth in setting.depths:
        (entrant,) = entrants([text], game, SearchLimits())
        found = [entrant.player(game, seed).choose(state, SearchLimits(depth=depth)) for state in states]
        spent = [(*_counts(each.counts), each.seconds) for each in found]
        yield text, depth, [mean(column) for column in zip(*spent, strict=True)]


def _counts(counts: Counts) -> tuple[int, int, int]:
    return counts.visited, counts.expanded, counts.leaves


def strength(setting: SearcherSetting, jobs: int, ended: Callable[[], None]) -> Standings:
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


def _positions(game: Game[Any], setting: SearcherSetting, count: int, seed: int) -> Iterator[State]:
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


def filled(page: str, text: str) -> str:
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if not pattern.search(page):
        raise click.ClickException(f"no marks {BEGIN} and {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page)


def effort_table(found: Iterable[tuple[str, int, Sequence[float]]]) -> str:
    return _table(
        ("searcher", "plies", "nodes visited", "expanded", "leaves", "time"),
        [
            (_name_cell(name), str(depth), *(f"{each:,.0f}" for each in nodes), f"{1000 * seconds:,.1f} ms")
            for name, depth, (*nodes, seconds) in found
        ],
    )


def strength_table(standings: Standings) -> str:
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
    name = searcher.partition(":")[0]
    return f"`{searcher}` (compiled)" if name.endswith("-fast") else f"`{searcher}`"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


_PAGES = ROOT / "docs" / "searchers"


@click.group(context_settings=WIDE)
def measure_searchers() -> None:
    """Measure the searchers of other games, for docs/searchers and docs/experiments.md."""


@measure_searchers.command(context_settings=WIDE)
@click.argument("names", nargs=-1, type=click.Choice([*FAMILIES]))
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
def pages(
    names: tuple[str, ...], positions: int, seconds: float | None, rounds: int | None, jobs: int, dry: bool
) -> None:
    """Measure the searchers on the pages NAMES of docs/searchers, by default on all, and update their tables.

    Nodes and time to a depth are means over the same positions after a few random moves. Strength is measured
    in a tournament with the same time for each move. Nothing else should run on the machine.
    """
    for name in names or FAMILIES:
        page = _PAGES / f"{name}.md"
        settings = [
            replace(each, seconds=seconds or each.seconds, rounds=rounds or each.rounds)
            for each in FAMILIES[name]
        ]
        text = _measured(name, settings, positions, jobs)
        if dry:
            output().print(text, soft_wrap=True)
        else:
            write_whole(page, filled(page.read_text(), text).encode())


def _measured(name: str, settings: Sequence[SearcherSetting], positions: int, jobs: int) -> str:
    today = date.today()  # noqa: DTZ011 - the day where it is run
    parts = [f"Measured on {today.day} {today:%B %Y} by `scripts/lab measure-searchers pages {name}`."]
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
    players = make_game(setting.game, setting.seats).players
    task = shown.add_task(setting.title, total=games(len(setting.players), players, setting.rounds))
    with below(output(), lambda: shown):
        standings = strength(setting, jobs, lambda: shown.advance(task))
    return strength_table(standings)
