"""`scripts/lab judge-policy`: how good networks with a policy and a value are."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.progress import track
from rich.table import Table

from protocol.intervals import wilson
from scripts.laboratory.lab_options import WIDE, count_option, require_even, seed_option
from scripts.laboratory.long_run import FAILED, INTERRUPTED, wide_console
from scripts.laboratory.policy.float_network import parameters_of
from scripts.laboratory.policy.judgements import (
    JudgedNetwork,
    percentages,
    read_judgements,
    with_new,
    write_judgements,
)
from scripts.laboratory.policy.judging import judged, together
from scripts.laboratory.policy.learnable_games import first_state, plan_of
from scripts.laboratory.policy.lockstep import PuctSide, match
from scripts.laboratory.policy.numpy_loop import OwnEvaluator
from scripts.laboratory.policy.policy_folder import JUDGED, network_at, snapshots
from scripts.laboratory.policy.solved_sets import own_positions, read_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.compiled.policy_file import PolicyWeights
    from scripts.laboratory.policy.judging import Share
    from scripts.laboratory.policy.solved_positions import SolvedPosition

_ROWS = 64
_WIDTH = 110
_SOLVED = "connectfour"


@click.command("judge-policy", context_settings=WIDE)
@click.argument("networks", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--playouts",
    multiple=True,
    type=click.IntRange(0),
    default=[0, 100],
    show_default=True,
    help="Playouts of PUCT for a move; 0 is the policy alone. Repeatable; in a match the last one counts.",
)
@click.option(
    "--positions",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Positions of Connect Four, lines COLUMNS SCORE, instead of the project's own; repeatable.",
)
@count_option("--first", None, "Use only the first N positions of each set.")
@count_option("--games", 64, "Games of a match of two networks.", least=2, most=2048)
@seed_option("the openings of a match")
def judge_policy(
    networks: tuple[Path, ...],
    playouts: tuple[int, ...],
    positions: tuple[Path, ...],
    first: int | None,
    games: int,
    seed: int,
) -> None:
    """Judge networks of scripts/lab learn-policy: files, or folders that stand for their latest network.

    \b
    scripts/lab judge-policy data/four
    scripts/lab judge-policy data/four/network.lolli --positions Test_L2_R1 --playouts 400
    scripts/lab judge-policy data/go/network.lolli data/go/networks/000300.lolli --games 100

    In Connect Four the moves that keep the proven value are counted, over all positions and over the hard
    ones, where a legal move gives something away. A single folder has all its networks on the way judged, for
    report-policy; what was judged with other --playouts or --positions stays. For other games name two
    networks, which play a match.
    """
    try:
        found = [network_at(path) for path in networks]
        if len(found) == 2 and {each.game for each in found} != {_SOLVED}:
            require_even(games, "openings")
            _match(found, games, playouts[-1], seed)
        elif any(each.game != _SOLVED for each in found):
            raise click.UsageError("only networks of Connect Four can be judged alone: name two for a match")
        else:
            sets = _sets(positions, first)
            on_the_way = networks[0] if len(networks) == 1 and networks[0].is_dir() else None
            if on_the_way is not None:
                _judge_folder(on_the_way, sets, playouts)
            else:
                _judge(dict(zip(map(str, networks), found, strict=True)), sets, playouts)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ValueError, OSError) as error:
        click.echo(f"Cannot judge: {error}")
        sys.exit(FAILED)


def _sets(paths: Sequence[Path], first: int | None) -> dict[str, list[SolvedPosition]]:
    """Positions by the name of their set."""
    if paths:
        console = wide_console(_WIDTH)
        tell: Any = partial(track, description="solving", console=console, transient=True)
        return {path.name: read_positions(path, first, tell) for path in paths}
    sets: dict[str, list[SolvedPosition]] = {}
    for position in own_positions():
        sets.setdefault(position.stage, []).append(position)
    return {name: found[:first] for name, found in sets.items()}


def _shares(
    network: PolicyWeights, sets: dict[str, list[SolvedPosition]], playouts: Sequence[int]
) -> dict[int, dict[str, Share]]:
    start = first_state(network.game, network.columns)
    parameters = parameters_of(network.shape, network.numbers)
    evaluator = OwnEvaluator(start, network.shape, parameters, _ROWS)
    return {
        count: {name: judged(evaluator, positions, count) for name, positions in sets.items()}
        for count in playouts
    }


def _judge(
    networks: dict[str, PolicyWeights], sets: dict[str, list[SolvedPosition]], playouts: Sequence[int]
) -> None:
    table = _table(sets, "network")
    for name, network in networks.items():
        for count, shares in _shares(network, sets, playouts).items():
            table.add_row(name, str(count), *_cells(shares))
    wide_console(_WIDTH).print(table)


def _judge_folder(folder: Path, sets: dict[str, list[SolvedPosition]], playouts: Sequence[int]) -> None:
    """Judge all networks on the way, and write down what is found beside what was found before."""
    console = wide_console(_WIDTH)
    table = _table(sets, "seconds")
    known = read_judgements(folder / JUDGED)
    found = []
    for snapshot in track(snapshots(folder), "judging", console=console, transient=True):
        for count, shares in _shares(network_at(snapshot.path), sets, playouts).items():
            table.add_row(str(snapshot.seconds), str(count), *_cells(shares))
            found.append(JudgedNetwork(snapshot.seconds, count, shares))
    write_judgements(folder / JUDGED, with_new(known, found))
    console.print(table)


def _table(sets: dict[str, list[SolvedPosition]], head: str) -> Table:
    hard = {name: sum(position.hard for position in positions) for name, positions in sets.items()}
    counts = {name: len(positions) for name, positions in sets.items()}
    parts = "" if hard == counts else ": of all positions, of hard ones"
    table = Table(head, "playouts", title=f"moves that keep the proven value{parts}")
    for name, count in counts.items():
        numbers = str(count) if count == hard[name] else f"{count}, {hard[name]}"
        table.add_column(f"{name}\n{numbers}", justify="right")
    table.add_column("together", justify="right")
    return table


def _cells(shares: dict[str, Share]) -> list[str]:
    return [percentages(share) for share in (*shares.values(), together(shares.values()))]


def _match(networks: Sequence[PolicyWeights], games: int, playouts: int, seed: int) -> None:
    one, two = networks
    if (one.game, one.rows, one.columns) != (two.game, two.rows, two.columns):
        raise click.UsageError("the two networks play different games, or on different boards")
    if not playouts:
        raise click.UsageError("a match needs --playouts of at least 1")
    start = first_state(one.game, one.columns)
    play = plan_of(one.game, start, gpu=False).play
    sides = tuple(_side(each, games, playouts) for each in networks)
    won, drawn, lost = match(start, (sides[0], sides[1]), games, play.opening, play.longest, seed)
    points = won + drawn / 2
    low, high = wilson(points, games)
    click.echo(
        f"+{won} -{lost} ={drawn}, {points / games:.0%} [{low:.0%}, {high:.0%}], {playouts} playouts a move"
    )


def _side(network: PolicyWeights, games: int, playouts: int) -> PuctSide:
    start = first_state(network.game, network.columns)
    parameters = parameters_of(network.shape, network.numbers)
    return PuctSide(OwnEvaluator(start, network.shape, parameters, games), start, games, playouts)
