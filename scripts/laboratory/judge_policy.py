"""`scripts/lab judge-policy`: how good networks with a policy and a value are, and how one has learned."""

import json
import lzma
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from matplotlib import rc_context
from matplotlib.ticker import PercentFormatter
from rich.progress import track
from rich.table import Table
from rich.text import Text

from engine.games.rules.connectfour import ConnectFour, ConnectFourGame
from engine.games.search.basics import SearchLimits
from engine.games.searchers import player
from engine.system.files import read_file, write_whole, writing
from eval.training.reports import new_figure
from scripts.laboratory.lab_options import WIDE, count_option
from scripts.laboratory.learn_policy import JOURNAL, JUDGED, LOSSES, network_at, snapshots
from scripts.laboratory.long_run import FAILED, INTERRUPTED, LARGEST_JOURNAL, description_in, wide_console
from scripts.laboratory.policy import OwnEvaluator

STAGES = ("end", "middle", "beginning")
"""Of Connect Four, with 28 to 35, 14 to 27 and 8 to 13 men on the board."""
CURVES = "curves.svg"
_POSITIONS = Path(__file__).parent / "data" / "connectfour.jsonl.xz"
# after random moves, in each a legal move gives something away; made by the commit e6d5d1cd
_WIDTH = 110
_SOLVED = "connectfour"
_LARGEST = 1 << 28  # bytes
_TIMES = ("seconds of learning", "seconds of processor time")


@click.command("judge-policy", context_settings=WIDE)
@click.argument("networks", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--playouts",
    multiple=True,
    type=click.IntRange(0),
    default=[0, 100],
    show_default=True,
    help="Playouts of PUCT for a move; 0 is the policy alone. Repeatable.",
)
@count_option("--first", None, "Use only the first N positions of each stage of the game.")
def judge_policy(networks: tuple[Path, ...], playouts: tuple[int, ...], first: int | None) -> None:
    """Judge networks of scripts/lab learn-policy: files, or a folder with all its networks on the way.

    \b
    scripts/lab judge-policy data/four
    scripts/lab judge-policy data/four/network.lolli --playouts 400

    In Connect Four the moves that keep the proven value are counted, in 800 positions where a legal move
    gives something away; what was judged with other --playouts stays. In a folder, curves.svg shows what was
    learned, also of other games. Networks of other games are compared by `lolli tournament`.
    """
    try:
        if len(networks) == 1 and networks[0].is_dir():
            _judge_folder(networks[0], _stages(first), playouts)
        else:
            _judge([(str(path), path) for path in networks], _stages(first), playouts, "network")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ValueError, OSError) as error:
        click.echo(f"Cannot judge: {error}")
        sys.exit(FAILED)


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """Moves from the start as digits, columns from 1; the mover's payoff; the moves that keep it."""

    stage: str
    moves: str
    value: int
    keeping: tuple[int, ...]

    def state(self) -> ConnectFour:
        state = ConnectFourGame().start()
        for digit in self.moves:
            state = state.play(int(digit) - 1)
        return state


def solved_positions() -> list[SolvedPosition]:
    lines = lzma.decompress(read_file(_POSITIONS, _LARGEST)).decode().splitlines()
    records = [json.loads(line) for line in lines]
    return [SolvedPosition(**{**record, "keeping": tuple(record["keeping"])}) for record in records]


@dataclass(frozen=True, slots=True)
class JudgedNetwork:
    """By stage of the game: the share of the moves that keep the value, and the number of positions."""

    seconds: int
    playouts: int
    kept: dict[str, float]
    positions: dict[str, int]

    @property
    def together(self) -> float:
        sums = sum(share * self.positions[stage] for stage, share in self.kept.items())
        return sums / max(sum(self.positions.values()), 1)


def read_judgements(path: Path) -> dict[str, JudgedNetwork]:
    if not path.exists():
        return {}
    try:
        lines = read_file(path, _LARGEST).decode().splitlines()
        return {line: JudgedNetwork(**json.loads(line)) for line in lines}
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ValueError(f"{path}: not what judge-policy writes; remove it") from None


def _stages(first: int | None) -> dict[str, list[SolvedPosition]]:
    stages: dict[str, list[SolvedPosition]] = {stage: [] for stage in STAGES}
    for position in solved_positions():
        stages[position.stage].append(position)
    return {stage: found[:first] for stage, found in stages.items()}


def _kept(path: Path, positions: Sequence[SolvedPosition], playouts: int) -> float:
    """The share of the moves that keep the value: of PUCT, or with 0 playouts of the policy alone."""
    states = [position.state() for position in positions]
    if playouts:
        searcher = player(ConnectFourGame(), "puct-fast", 0, {"network": str(path), "megabytes": "8"})
        moves = [searcher.choose(state, SearchLimits(playouts=playouts)).move for state in states]
    else:
        network = network_at(path)
        evaluator = OwnEvaluator(states[0], network.shape, network.numbers, len(states))
        for row, state in enumerate(states):
            evaluator.planes[row] = np.asarray(state.planes())
        evaluator.evaluate()
        moves = [
            state.moves()[int(evaluator.policy[row, list(state.policy_indices())].argmax())]
            for row, state in enumerate(states)
        ]
    return sum(move in each.keeping for move, each in zip(moves, positions, strict=True)) / len(moves)


def _judge(
    networks: Sequence[tuple[Any, Path]],
    stages: dict[str, list[SolvedPosition]],
    playouts: Sequence[int],
    head: str,
) -> list[JudgedNetwork]:
    if any(network_at(path).game != _SOLVED for _, path in networks):
        raise ValueError("only networks of Connect Four: compare others by lolli tournament")
    console, found = wide_console(_WIDTH), []
    counts = {stage: len(positions) for stage, positions in stages.items()}
    table = Table(head, "playouts", title="moves that keep the proven value")
    for stage, number in (counts | {"together": sum(counts.values())}).items():
        table.add_column(f"{stage}\n{number}", justify="right")
    for name, path in track(networks, "judging", console=console, transient=True):
        for count in playouts:
            kept = {stage: _kept(path, positions, count) for stage, positions in stages.items()}
            found.append(JudgedNetwork(name, count, kept, counts))
            cells = (*kept.values(), found[-1].together)
            table.add_row(Text(str(name)), str(count), *(f"{share:.1%}" for share in cells))
    console.print(table)
    return found


def _judge_folder(folder: Path, stages: dict[str, list[SolvedPosition]], playouts: Sequence[int]) -> None:
    run = description_in(folder / JOURNAL)
    if "blocks" not in run:
        raise ValueError(f"{folder}: no network of scripts/lab learn-policy")
    known = read_judgements(folder / JUDGED)
    if run["game"] == _SOLVED:
        networks = snapshots(folder)
        if not networks:
            raise ValueError(f"{folder}: no networks yet")
        found = _judge(networks, stages, playouts, "seconds")
        again = {(each.seconds, each.playouts, *each.kept) for each in found}
        lines = [
            line for line, each in known.items() if (each.seconds, each.playouts, *each.kept) not in again
        ]
        lines += [json.dumps(asdict(each)) for each in found]
        write_whole(folder / JUDGED, "".join(f"{line}\n" for line in lines).encode())
        known = read_judgements(folder / JUDGED)
    records = [json.loads(line) for line in read_file(folder / JOURNAL, LARGEST_JOURNAL).splitlines()[1:]]
    judged = sorted(known.values(), key=lambda each: (each.playouts, each.seconds))
    draw_curves(folder / CURVES, [record for record in records if record.get("losses")], judged)
    click.echo(str(folder / CURVES))


def draw_curves(path: Path, learned: Sequence[dict[str, Any]], found: Sequence[JudgedNetwork]) -> None:
    count = bool(learned) + bool(found)
    figure = new_figure(1 + 4 * count, 3.5)
    panels = [*figure.subplots(1, count, squeeze=False)[0]] if count else []
    labels = []
    if learned:
        labels.append("loss, nats a position")
        for number, name in enumerate(LOSSES):
            seen = [each for each in learned if len(each["losses"]) > number and each["losses"][number]]
            if seen:
                times, losses = [each["seconds"] for each in seen], [each["losses"][number] for each in seen]
                panels[0].plot(times, losses, label=name)
    if found:
        labels.append("moves that keep the proven value")
        for playouts in dict.fromkeys(each.playouts for each in found):
            curve = [each for each in found if each.playouts == playouts]
            name = f"PUCT, {playouts} playouts" if playouts else "the policy alone"
            panels[-1].plot([each.seconds for each in curve], [each.together for each in curve], label=name)
        panels[-1].yaxis.set_major_formatter(PercentFormatter(1.0))
    for axes, label in zip(panels, labels, strict=True):
        axes.set_xlabel(_TIMES[bool(learned and learned[-1].get("processor"))])
        axes.set_ylabel(label)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "lolli"}), writing(path) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
