"""`scripts/lab judge-policy`: how good networks with a policy and a value are, and how one has learned."""

import gc
import json
import lzma
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import click
import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from rich.progress import track
from rich.table import Table

from engine.games.catalogue import game
from engine.games.networks.file import PolicyWeights
from engine.games.rules.connectfour import ConnectFour, ConnectFourGame
from engine.system.files import read_file, write_whole, writing
from eval.training.reports import markdown_table, new_figure
from protocol.intervals import wilson
from scripts.laboratory.lab_options import WIDE, count_option, require_even, seed_option
from scripts.laboratory.learn_policy import JOURNAL, JUDGED, LOSSES, network_at, snapshots
from scripts.laboratory.long_run import (
    FAILED,
    INTERRUPTED,
    LARGEST_JOURNAL,
    description_in,
    wide_console,
)
from scripts.laboratory.policy import OwnEvaluator, PuctSide, first_state, match, plan_of

STAGES = ("end", "middle", "beginning")
"""Of Connect Four, with 28 to 35, 14 to 27 and 8 to 13 men on the board."""
PAGE, CURVES = "report.md", "curves.svg"
_POSITIONS = Path(__file__).parent / "data" / "connectfour.jsonl.xz"
# after random moves, in each a legal move gives something away; made by the commit e6d5d1cd
_EVALUATED = 64  # positions at a time
_WIDTH = 110
_SOLVED = "connectfour"
_LARGEST = 1 << 28  # bytes
_ROWS = 12  # of a table
_TIMES = ("seconds of learning", "seconds of processor time")
_COUNTS = ("games", "plies a game", "evaluated a second", "examples", "steps")

_HOW = (
    "{blocks} blocks of {channels} channels; {full} playouts for moves that are learned from, {fast} for "
    "others; seed {seed}."
)

Record = dict[str, Any]


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
@count_option("--first", None, "Use only the first N positions of each stage of the game.")
@count_option("--games", 64, "Games of a match of two networks.", least=2, most=2048)
@seed_option("the openings of a match")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Folder for {PAGE} and {CURVES}; default: the network's own.",
)
@click.option("--report", "only_reports", is_flag=True, help="Judge nothing: write the page about a folder.")
def judge_policy(
    *,
    networks: tuple[Path, ...],
    playouts: tuple[int, ...],
    first: int | None,
    games: int,
    seed: int,
    out: Path | None,
    only_reports: bool,
) -> None:
    """Judge networks of scripts/lab learn-policy: files, or folders that stand for their latest network.

    \b
    scripts/lab judge-policy data/four
    scripts/lab judge-policy data/four/network.lolli --playouts 400
    scripts/lab judge-policy data/go/network.lolli data/go/networks/000300.lolli --games 100

    In Connect Four the moves that keep the proven value are counted, in 800 positions where a legal move
    gives something away. A single folder has all its networks on the way judged; what was judged with other
    --playouts stays. Then a page is written, with figures and curves of what was learned. For other games
    name two networks, which play a match, or a folder with --report.
    """
    folder = networks[0] if len(networks) == 1 and networks[0].is_dir() else None
    if folder is None and (only_reports or out):
        raise click.UsageError("a page is about a single folder")
    try:
        found = [] if only_reports else [network_at(path) for path in networks]
        if len(found) == 2 and {each.game for each in found} != {_SOLVED}:
            require_even(games, "openings")
            _match(found, games, playouts[-1], seed)
        elif any(each.game != _SOLVED for each in found):
            raise click.UsageError("only networks of Connect Four can be judged alone: name two for a match")
        elif folder is None:
            named = [(str(path), path) for path in networks]
            _judge(named, _stages(first), playouts, "network")
        elif found:
            _judge_folder(folder, _stages(first), playouts)
        if folder is not None:
            click.echo(str(write_report(folder, folder if out is None else out)))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (ValueError, OSError) as error:
        click.echo(f"Cannot judge: {error}")
        sys.exit(FAILED)


@dataclass(frozen=True, slots=True)
class SolvedPosition:
    """The moves from the start as digits, columns from 1; the mover's payoff; the moves that keep it."""

    stage: str
    moves: str
    value: int
    keeping: tuple[int, ...]

    def state(self) -> ConnectFour:
        """The state after the moves."""
        state = ConnectFourGame().start()
        for digit in self.moves:
            state = state.play(int(digit) - 1)
        return state


def solved_positions() -> list[SolvedPosition]:
    """The 800 positions, in order of their stages."""
    lines = lzma.decompress(read_file(_POSITIONS, _LARGEST)).decode().splitlines()
    records = [json.loads(line) for line in lines]
    return [SolvedPosition(**{**record, "keeping": tuple(record["keeping"])}) for record in records]


@dataclass(frozen=True, slots=True)
class JudgedNetwork:
    """The network after `seconds`, with so many playouts.

    By stage of the game: the share of the moves that keep the value, and the number of positions.
    """

    seconds: int
    playouts: int
    kept: dict[str, float]
    positions: dict[str, int]

    @property
    def together(self) -> float:
        """The share of all stages."""
        sums = sum(share * self.positions[stage] for stage, share in self.kept.items())
        return sums / max(sum(self.positions.values()), 1)

    @classmethod
    def of_record(cls, record: dict[str, Any]) -> Self:
        """That of a line of a file. Raises TypeError, LookupError, ValueError."""
        kept, positions = (
            {stage: each[0] if isinstance(each, list) else each for stage, each in record[name].items()}
            for name in ("kept", "positions")  # lists until e6d5d1cd, of all positions and of hard ones
        )
        return cls(int(record["seconds"]), int(record["playouts"]), kept, positions)


def read_judgements(path: Path) -> dict[str, JudgedNetwork]:
    """What was judged before, by the lines of a file, if there is one. Raises ValueError and OSError."""
    if not path.exists():
        return {}
    try:
        lines = read_file(path, _LARGEST).decode().splitlines()
        return {line: JudgedNetwork.of_record(json.loads(line)) for line in lines}
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ValueError(f"{path}: not what judge-policy writes; remove it") from None


def _stages(first: int | None) -> dict[str, list[SolvedPosition]]:
    stages: dict[str, list[SolvedPosition]] = {stage: [] for stage in STAGES}
    for position in solved_positions():
        stages[position.stage].append(position)
    return {stage: found[:first] for stage, found in stages.items()}


def _kept(evaluator: OwnEvaluator, positions: Sequence[SolvedPosition], playouts: int) -> float:
    """The share of the moves that keep the value: of PUCT, or with 0 playouts of the policy alone."""
    moves = _chosen(evaluator, positions, playouts)
    gc.collect()  # trees refer to themselves, and nobody else would free them soon
    return sum(move in each.keeping for move, each in zip(moves, positions, strict=True)) / len(moves)


def _chosen(evaluator: OwnEvaluator, positions: Sequence[SolvedPosition], playouts: int) -> list[int]:
    """A move in each position; see `_kept`."""
    moves: list[int] = []
    rows = len(evaluator.values)
    side = None
    if playouts and positions:  # once for all: the memory of its trees is large
        side = PuctSide(evaluator, positions[0].state(), rows, playouts, reuse=False)
    for first in range(0, len(positions), rows):
        states = [position.state() for position in positions[first : first + rows]]
        if side is not None:
            moves += side.choose(range(len(states)), states)
            continue
        for row, state in enumerate(states):
            evaluator.planes[row] = np.asarray(state.planes())
        evaluator.evaluate(len(states))
        for row, state in enumerate(states):
            logits = evaluator.policy[row, list(state.policy_indices())]
            moves.append(state.moves()[int(logits.argmax())])
    return moves


def _judge(
    networks: Sequence[tuple[Any, Path]],
    stages: dict[str, list[SolvedPosition]],
    playouts: Sequence[int],
    head: str,
) -> list[JudgedNetwork]:
    """Print a row for each network and number of playouts; a network has a name or its seconds before it."""
    console, found = wide_console(_WIDTH), []
    counts = {stage: len(positions) for stage, positions in stages.items()}
    table = Table(head, "playouts", title="moves that keep the proven value")
    for stage, number in (counts | {"together": sum(counts.values())}).items():
        table.add_column(f"{stage}\n{number}", justify="right")
    for name, path in track(networks, "judging", console=console, transient=True):
        network = network_at(path)
        start = first_state(network.game, network.columns)
        evaluator = OwnEvaluator(start, network.shape, network.numbers, _EVALUATED)
        for count in playouts:
            kept = {stage: _kept(evaluator, positions, count) for stage, positions in stages.items()}
            found.append(JudgedNetwork(name, count, kept, counts))
            cells = (*kept.values(), found[-1].together)
            table.add_row(str(name), str(count), *(f"{share:.1%}" for share in cells))
    console.print(table)
    return found


def _judge_folder(folder: Path, stages: dict[str, list[SolvedPosition]], playouts: Sequence[int]) -> None:
    """Judge all networks on the way; what is found takes the place of what was found on the same terms."""
    known = read_judgements(folder / JUDGED)
    found = _judge(snapshots(folder), stages, playouts, "seconds")
    terms = {(each.seconds, each.playouts, *each.kept) for each in found}
    lines = [line for line, each in known.items() if (each.seconds, each.playouts, *each.kept) not in terms]
    lines += [json.dumps(asdict(each)) for each in found]
    write_whole(folder / JUDGED, "".join(f"{line}\n" for line in lines).encode())


def _match(networks: Sequence[PolicyWeights], games: int, playouts: int, seed: int) -> None:
    one, two = networks
    if (one.game, one.rows, one.columns) != (two.game, two.rows, two.columns):
        raise click.UsageError("the two networks play different games, or on different boards")
    if not playouts:
        raise click.UsageError("a match needs --playouts of at least 1")
    start = first_state(one.game, one.columns)
    play = plan_of(one.game, start, gpu=False).play
    sides = [
        PuctSide(OwnEvaluator(start, each.shape, each.numbers, games), start, games, playouts)
        for each in networks
    ]
    won, drawn, lost = match(start, sides, games, play.opening, play.longest, seed)
    points = won + drawn / 2
    low, high = wilson(points, games)
    click.echo(
        f"+{won} -{lost} ={drawn}, {points / games:.0%} [{low:.0%}, {high:.0%}], {playouts} playouts a move"
    )


def write_report(folder: Path, out: Path) -> Path:
    """Write the page about a folder and its picture; the page's path. Raises ValueError and OSError."""
    run = description_in(folder / JOURNAL)
    if "blocks" not in run:
        raise ValueError(f"{folder}: no network of scripts/lab learn-policy")
    records = [record for record in _records(folder / JOURNAL)[1:] if "losses" in record]
    judged = read_judgements(folder / JUDGED).values()
    found = [each for each in judged if tuple(each.kept) == STAGES]  # once other positions could be named
    found.sort(key=lambda each: (each.playouts, each.seconds))
    try:
        words = text(run, records, found)
    except (AttributeError, LookupError, TypeError):
        raise ValueError(f"{folder}: its records are not those of learn-policy") from None
    out.mkdir(parents=True, exist_ok=True)
    if CURVES in words:
        draw_curves(out / CURVES, records, found)
    page = out / PAGE
    write_whole(page, words.encode())
    return page


def _records(path: Path) -> list[Record]:
    """The lines of a file of JSON objects. Raises ValueError and OSError."""
    try:
        lines = read_file(path, LARGEST_JOURNAL).decode().splitlines()
        records = [json.loads(line) for line in lines]
    except ValueError:
        raise ValueError(f"{path}: not lines of JSON") from None
    if not all(isinstance(record, dict) for record in records):
        raise ValueError(f"{path}: not lines of JSON objects")
    return records


def text(run: Record, records: Sequence[Record], found: Sequence[JudgedNetwork]) -> str:
    """The page, in Markdown. `found` are in the order of playouts and seconds."""
    size = f" on {run['size']} lines" if run["game"] == "go" else ""
    parts = [
        f"# How a network learned {game(run['game']).title}{size}",
        _HOW.format(**run),
        *([f"![Learning curves]({CURVES})"] if found or any(each["losses"] for each in records) else []),
        "## Learning",
        _learning(records),
    ]
    if found:
        parts += ["## Moves that keep the proven value", _judgement(found)]
    return "\n\n".join(parts) + "\n"


def _learning(records: Sequence[Record]) -> str:
    rows = [
        [
            f"{record['seconds']:,.0f}",
            *(f"{record[name]:,.0f}" for name in _COUNTS),
            *([f"{loss:.3f}" for loss in record["losses"][:2]] or ["-", "-"]),
        ]
        for record in _some(records)
    ]
    return markdown_table(["seconds", *_COUNTS, "policy's loss", "value's loss"], rows)


def _judgement(found: Sequence[JudgedNetwork]) -> str:
    rows = [
        [
            f"{each.seconds:,.0f}",
            str(each.playouts),
            f"{sum(each.positions.values()):,}",
            *(f"{share:.1%}" for share in each.kept.values()),
        ]
        for playouts in dict.fromkeys(each.playouts for each in found)
        for each in _some([each for each in found if each.playouts == playouts])
    ]
    return markdown_table(["seconds", "playouts", "positions", *STAGES], rows)


def _some(records: Sequence[Any]) -> Sequence[Any]:
    """At most about _ROWS of them, the last one included."""
    return records[:: -max(1, len(records) // _ROWS)][::-1]


def draw_curves(path: Path, records: Sequence[Record], found: Sequence[JudgedNetwork]) -> None:
    """The losses, and beside them how many moves keep the value."""
    learned = [record for record in records if record["losses"]]
    count = bool(learned) + bool(found)
    figure = new_figure(1 + 4 * count, 3.5)
    panels = [*figure.subplots(1, count, squeeze=False)[0]]
    time = _TIMES[bool(records and records[-1].get("processor"))]
    if learned:
        for number, name in enumerate(LOSSES):
            seen = [each for each in learned if len(each["losses"]) > number and each["losses"][number]]
            if seen:
                times, losses = [each["seconds"] for each in seen], [each["losses"][number] for each in seen]
                panels[0].plot(times, losses, label=name)
        _finish(panels[0], time, "loss, nats a position")
    if found:
        for playouts in dict.fromkeys(each.playouts for each in found):
            curve = [each for each in found if each.playouts == playouts]
            name = f"PUCT, {playouts} playouts" if playouts else "the policy alone"
            panels[-1].plot([each.seconds for each in curve], [each.together for each in curve], label=name)
        panels[-1].yaxis.set_major_formatter(PercentFormatter(1.0))
        _finish(panels[-1], time, "moves that keep the proven value")
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "lolli"}), writing(path) as file:
        figure.savefig(file, format="svg", metadata={"Date": None})


def _finish(axes: Axes, time: str, label: str) -> None:
    axes.set_xlabel(time)
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
