"""`lolli ablate`: what each search feature is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path
from statistics import geometric_mean
from threading import Lock
from time import monotonic, thread_time_ns
from typing import Any, TypeAlias

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.perft import perft
from engine.search.engine import Engine
from engine.search.parameters import TECHNIQUES
from engine.search.report import Score
from engine.search.table import TableError
from engine.system.control import deadline_after
from eval.evaluator import Evaluator
from lolli._findings import AnalystSettings
from lolli._positions import engine_fen
from lolli.cli.shared_options import (
    DEEPEST,
    MOST_NODES,
    bad_input,
    chosen_evaluator,
    engine_options,
    flag_option,
    json_option,
    number_option,
    time_option,
)
from lolli.cli.suite import EpdError, SuitePosition, parse_position, read_suites
from lolli.cli.terminal.keys import stopping
from lolli.cli.terminal.screen import Display, count_text, counted, duration_text, figures_table, told_by
from protocol.uci.bench import BRATKO_KOPEC

_NOT_ALL = 1  # exit status
_LADDER_NODES, _ABLATION_NODES = 5_000_000, 1_000_000


@click.command(
    epilog="""\b
Examples:
  lolli ablate
  lolli ablate bratko-kopec.epd --only ablation --depth 12
  lolli ablate --only ladder --ladder-depth 5 --nodes 200000000
  lolli ablate --techniques null_move,late_move_reductions --depth 12
  lolli ablate --exact --eval material --json > exact.jsonl"""
)
@click.argument("files", nargs=-1, type=click.Path(), metavar="[POSITIONS]...")
@click.option(
    "--only", type=click.Choice(("ladder", "ablation")), help="Run only this part of the experiment."
)
@number_option("--ladder-depth", least=1, most=DEEPEST, default=4, help="The depth of the ladder's searches.")
@number_option("--depth", least=1, most=DEEPEST, default=10, help="The depth of the ablation's searches.")
@click.option(
    "--techniques",
    metavar="NAME,...",
    help="Only these: each in turn added to minimax, and each switched by itself.",
)
@flag_option("--exact", help="Leave out selective techniques, unless --techniques names them.")
@number_option(
    "--nodes",
    least=1,
    help="Leave a position after N nodes; only finished depths count. Default:"
    f" {_LADDER_NODES:,} in the ladder, {_ABLATION_NODES:,} in the ablation.",
)
@time_option("Leave a position after SECONDS; the figures then depend on the machine.")
@engine_options(threads=False)
@json_option("Print JSON, a line for each search and the summary.")
def command(  # noqa: PLR0917 - an argument for each option
    files: Sequence[str],
    only: str | None,
    ladder_depth: int,
    depth: int,
    techniques: str | None,
    exact: bool,
    nodes: int | None,
    time: float | None,
    settings: AnalystSettings,
    as_json: bool,
) -> None:
    """Measure what each technique of the search is worth: nodes, time, branching factor, moves found.

    There are two parts. The ladder begins with plain minimax and adds one technique after the other, up to
    the whole search; the figures expected by theory stand beside the first ones. The ablation takes the whole
    search and switches off one technique at a time. The names are those of the UCI option Parameters. With
    the default positions and depths all of it takes some minutes.

    POSITIONS are files in EPD, as for `lolli suite`, or in FEN; `-` is stdin. The default is the 24 positions
    of Bratko and Kopec. Each is searched with one thread and an empty table, so the nodes are the same on
    every run. Nodes and (processor) time are those to the end of a depth: geometric means over the positions.
    Branching is the geometric mean of N(d)/N(d-1), N being the nodes to depth d, over the last four depths,
    or two if there are fewer. Found counts the positions whose best move at that depth is a solution.

    With --json a search is an object with type "search": part ("ladder" or "ablation"), search, on (the
    techniques), wanted_depth, depth, nodes, time (seconds), branching, theory (leaves, or null), found,
    asked, positions (id, fen, and for each depth from 1 nodes, time, moves). The last object has type
    "summary": positions, unusable (lines), legal_moves (b), time, interrupted.
    """
    with bad_input(EpdError):
        positions, unusable = read_suites(files, must_ask=False) if files else (default_positions(), 0)
    with bad_input(ValueError):
        names = usual_techniques(exact) if techniques is None else chosen(techniques)
    nodes = None if nodes is None else min(nodes, MOST_NODES)
    parts = {
        "ladder": Part(True, [*ladder(names)], ladder_depth, nodes or _LADDER_NODES, time),
        "ablation": Part(False, [*ablation(names, exact)], depth, nodes or _ABLATION_NODES, time),
    }
    weights = None if settings.weights is None else Path(settings.weights)
    name, choices = chosen_evaluator(settings.evaluator, weights)
    with bad_input(TableError):
        laboratory = Laboratory(choices[name].make(), settings.megabytes)
    chosen_parts = [parts[only]] if only else [*parts.values()]
    display = AblationDisplay(positions, chosen_parts, as_json=as_json)
    begun = monotonic()
    with stopping(laboratory.stop) as interruption:
        for part in chosen_parts:
            with display.shown_for(part), closing(measured(laboratory, positions, part)) as events:
                for event in events:
                    display.update(event)
            if laboratory.stopped:
                break
    display.finish(unusable, monotonic() - begun, interrupted=laboratory.stopped)
    if laboratory.stopped:
        raise SystemExit(interruption.exit_status)
    if unusable:
        raise SystemExit(_NOT_ALL)


_FIRST = ("alpha_beta", "ordering", "table", "quiescence")
"""The ladder begins with these, in historical order; the others follow in the order of the table."""

_NAME = "Bratko-Kopec"
_BEST = (
    *("Qd1+", "d5", "f5", "e6", "Nd5 a4", "g6", "Nf6", "f5", "f5", "Ne5", "f4", "Bf5"),
    *("b4", "Qd2 Qe1", "Qxg7+", "Ne4", "h5", "Nb3", "Rxe4", "g4", "Nh6", "Bxe4", "f6", "f4"),
)


@dataclass(frozen=True, slots=True)
class Variant:
    """All search features that are not in `on` are off."""

    name: str
    on: frozenset[str]

    @property
    def changed(self) -> dict[str, int]:
        return {name: int(name in self.on) for name in TECHNIQUES}


@dataclass(frozen=True, slots=True)
class Part:
    """The `ladder` compares with the search before, else with the first. Limits are for one position."""

    ladder: bool
    variants: Sequence[Variant]
    depth: int
    nodes: int | None = None
    seconds: float | None = None


def usual_techniques(exact: bool) -> tuple[str, ...]:
    """The default search's features in the ladder's order; with `exact` without selective ones."""
    default = [name for name, each in TECHNIQUES.items() if each.default and not (exact and each.guess)]
    first = [name for name in _FIRST if name in default]
    return (*first, *(name for name in default if name not in first))


def chosen(text: str) -> tuple[str, ...]:
    """The names in a list with commas, each once. Raises ValueError."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in TECHNIQUES:
            raise ValueError(f"unknown technique {name!r}: choose from {', '.join(TECHNIQUES)}")
    return names


def ladder(names: Sequence[str]) -> Iterator[Variant]:
    yield Variant("minimax", frozenset())
    for number, name in enumerate(names, 1):
        yield Variant(f"+ {name}", frozenset(names[:number]))


def ablation(names: Sequence[str], exact: bool) -> Iterator[Variant]:
    """The whole search, then the same without each feature, or with it if the whole search lacks it."""
    whole = frozenset(usual_techniques(exact))
    yield Variant("whole search", whole)
    for name in names:
        yield Variant(f"without {name}" if name in whole else f"with {name}", whole ^ {name})


def default_positions() -> list[SuitePosition]:
    """The 24 Bratko-Kopec positions with their best moves as published in 1982."""
    return [
        parse_position(f'{fen} bm {best}; id "BK.{number:02}";', _NAME, number)
        for number, (fen, best) in enumerate(zip(BRATKO_KOPEC, _BEST, strict=True), 1)
    ]


def mean_moves(fens: Iterable[str]) -> float:
    """b: the geometric mean over positions and sides, from the number of lines of two plies."""
    return geometric_mean(math.sqrt(max(perft(parse_fen(fen), 2), 1)) for fen in fens)


THEORIES: dict[frozenset[str], Callable[[float, int], float]] = {
    frozenset(): math.pow,
    frozenset({"alpha_beta"}): lambda b, m: math.pow(b, 3 * m / 4),
    frozenset({"alpha_beta", "ordering"}): lambda b, m: b ** (m - m // 2) + b ** (m // 2) - 1,
}
"""The leaves of a search with these techniques, for b moves and m plies.

All of them; about those of alpha-beta with moves in random order, for moderate b; and those of alpha-beta
with the best move first everywhere, the minimum.
"""


def expected_leaves(on: frozenset[str], b: float, depth: int) -> float | None:
    theory = THEORIES.get(on)
    return theory(b, depth) if theory and depth else None


def branching(counts: Sequence[float]) -> float | None:
    """The geometric mean of N(d) / N(d-1) over the last four depths, or two; None for a single depth.

    Over an even number of depths, since odd and even ones differ.
    """
    if len(counts) < 2:
        return None
    steps = max(min(len(counts) - 1, 4) // 2 * 2, 1)
    return math.pow(counts[-1] / counts[-1 - steps], 1 / steps)


NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class FinishedDepth:
    """Nodes and time since the search began; `move` in UCI's notation, `score` for the side to move."""

    nodes: int
    nanoseconds: int
    move: str
    score: Score


class Laboratory:
    """A single-thread engine. `stop` may be called from any thread, everything else from one."""

    def __init__(self, evaluator: Evaluator, megabytes: int) -> None:
        """Raises TableError if there is no memory for the table."""
        self._engine = Engine.single(evaluator, megabytes)
        self.stopped = False
        """Whether `stop` was called; the last measurement may then be cut short."""

    def stop(self) -> None:
        self.stopped = True
        self._engine.control.stop()

    def measure(
        self,
        fen: str,
        variant: Variant,
        part: Part,
        on_depth: Callable[[int], None] = lambda _: None,
        chess960: bool = False,
    ) -> list[FinishedDepth]:
        engine = self._engine
        engine.parameters.reset(variant.changed)
        engine.new_game()
        engine.begin()
        if self.stopped:
            return []
        position = parse_fen(fen)
        begun = thread_time_ns()
        engine.control.set_deadline(deadline_after(part.seconds))
        finished: list[FinishedDepth] = []
        for iteration in engine.iterations(
            position, legal_moves(position), part.depth, node_limit=part.nodes
        ):
            if iteration.finished:
                move, score = move_text(iteration.best.move, chess960), Score(iteration.best.score)
                finished.append(FinishedDepth(engine.nodes, thread_time_ns() - begun, move, score))
                on_depth(iteration.depth)
        return finished


@dataclass(frozen=True, slots=True)
class VariantResult:
    """Means over positions are geometric, so that the ratio of two means is the mean of the ratios."""

    variant: Variant
    positions: Sequence[SuitePosition]
    measured: Sequence[Sequence[FinishedDepth]]

    @property
    def depth(self) -> int:
        return min(len(finished) for finished in self.measured)

    def nodes(self, depth: int) -> float:
        return geometric_mean(finished[depth - 1].nodes for finished in self.measured)

    def seconds(self, depth: int) -> float:
        times = (max(finished[depth - 1].nanoseconds, 1) for finished in self.measured)
        return geometric_mean(times) / NANOSECONDS

    @property
    def branching(self) -> float | None:
        return branching([self.nodes(depth) for depth in range(1, self.depth + 1)])

    @property
    def found(self) -> int:
        if not self.depth:
            return 0
        return sum(
            position.is_answered_by(
                position.board.parse_uci(finished[self.depth - 1].move), finished[self.depth - 1].score.mate()
            )
            for position, finished in zip(self.positions, self.measured, strict=True)
        )

    def ratios(self, other: VariantResult) -> tuple[float, float] | None:
        """Nodes and time relative to `other`, at the deepest depth of both; None if there is none."""
        depth = min(self.depth, other.depth)
        if not depth:
            return None
        return self.nodes(depth) / other.nodes(depth), self.seconds(depth) / other.seconds(depth)


Event: TypeAlias = "tuple[Variant, int, int] | VariantResult"
"""A search under way: how many positions of the part are done, and plies of the next one; or its result."""


def measured(
    laboratory: Laboratory, positions: Sequence[SuitePosition], part: Part
) -> Generator[Event, None, None]:
    """Progress and results of a part, as they come. Closing stops the laboratory; its stop ends this."""

    def work(tell: Callable[[Event], None]) -> None:
        done = count()
        for variant in part.variants:
            finished = []
            for position, number in zip(positions, done, strict=False):

                def report(depth: int, variant: Variant = variant, number: int = number) -> None:
                    tell((variant, number, depth))

                report(0)
                fen, chess960 = engine_fen(position.board), position.board.chess960
                finished.append(laboratory.measure(fen, variant, part, report, chess960))
                if laboratory.stopped:
                    return
            tell(VariantResult(variant, positions, finished))

    return told_by([work], laboratory.stop)


_DISPENSABLE = ({"Time ratio"}, {"Time"}, {"Found"}, {"Depth"}, {"Theory"}, {"Nodes ratio"})
"""The columns to leave out on a narrow terminal, in this order."""
_LADDER_TITLE = "techniques added one by one; ratios to the row before"
_ABLATION_TITLE = "each technique switched by itself; ratios to the whole search"
_BELOW_ROWS = 6
"""Lines of the terminal that are not rows of the table: its head, the search under way, the bar."""


class AblationDisplay(Display):
    def __init__(self, positions: Sequence[SuitePosition], parts: Sequence[Part], *, as_json: bool) -> None:
        super().__init__(len(positions) * sum(len(part.variants) for part in parts), as_json=as_json)
        self._positions = positions
        self._mean_moves = mean_moves(engine_fen(position.board) for position in positions)
        self._part = parts[0]
        self._results: list[VariantResult] = []
        self._under_way = Text()
        self._lock = Lock()
        self._done = 0

    @contextmanager
    def shown_for(self, part: Part) -> Iterator[None]:
        with self._lock:
            self._part, self._results, self._under_way = part, [], Text()
        with self.shown():
            yield
        self._done += len(part.variants) * len(self._positions)
        if self._results and not self.as_json:
            self._show_table()

    def update(self, event: Event) -> None:
        if isinstance(event, VariantResult):
            with self._lock:
                self._results.append(event)
            if self.as_json:
                self.print_json("search", self._content(event))
            return
        variant, number, depth = event
        name = self._positions[number % len(self._positions)].name
        words = f"{variant.name}: {name}, depth {depth + 1}"
        with self._lock:
            self._under_way = Text(words, style="dim", no_wrap=True, overflow="ellipsis")
        self.progress.update(self.task, completed=self._done + number)

    def finish(self, unusable: int, seconds: float, *, interrupted: bool) -> None:
        stopped = ", stopped" if interrupted else ""
        if self.as_json:
            summary = {
                "positions": len(self._positions),
                "unusable": unusable,
                "legal_moves": round(self._mean_moves, 3),
                "time": round(seconds, 3),
                "interrupted": interrupted,
            }
            self.print_json("summary", summary)
        else:
            self.print(f"{counted(len(self._positions), 'position')} in {duration_text(seconds)}{stopped}")

    def live(self) -> Group:
        with self._lock:
            rows = max(self.console.height - _BELOW_ROWS, 1)
            shown: list[RenderableType] = [self._table(self.screen, rows)] if self._results else []
            return Group(*shown, self._under_way, self.progress)

    def _table(self, console: Console, last: int) -> Table:
        return part_table(console, self._results, self._mean_moves, ladder=self._part.ladder, last=last)

    def _show_table(self) -> None:
        part, depth = self._part, self._part.depth
        title = _LADDER_TITLE if part.ladder else _ABLATION_TITLE
        self.console.print(Text(f"Depth {depth}: {title}", style="bold"))
        self.console.print(self._table(self.console, len(self._results)))
        if part.ladder and (reached := self._results[0].depth):
            self.console.print(_theory(self._mean_moves, reached))
        if any(result.depth < depth for result in self._results):
            self.console.print("Where the depth is smaller, the limit on nodes or time ended the search.")
        self.console.print()

    def _content(self, result: VariantResult) -> dict[str, Any]:
        part, depth = self._part, result.depth
        theory = expected_leaves(result.variant.on, self._mean_moves, depth)
        return {
            "part": "ladder" if part.ladder else "ablation",
            "search": result.variant.name,
            "on": sorted(result.variant.on),
            "wanted_depth": part.depth,
            "depth": depth,
            "nodes": round(result.nodes(depth), 1) if depth else None,
            "time": round(result.seconds(depth), 6) if depth else None,
            "branching": None if result.branching is None else round(result.branching, 3),
            "theory": None if theory is None else round(theory, 1),
            "found": result.found,
            "asked": sum(position.asks for position in self._positions),
            "positions": [
                {
                    "id": position.name,
                    "fen": position.board.fen(),
                    "nodes": [each.nodes for each in finished],
                    "time": [each.nanoseconds / NANOSECONDS for each in finished],
                    "moves": [each.move for each in finished],
                }
                for position, finished in zip(self._positions, result.measured, strict=True)
            ],
        }


def _theory(b: float, depth: int) -> str:
    minimax, random_order, best_first = THEORIES.values()
    all_leaves, unordered, best = (count_text(each(b, depth)) for each in (minimax, random_order, best_first))
    best = f"{count_text(b ** (depth / 2))}, exactly {best}"
    lines = (
        f"Theory, with b = {b:.1f} legal moves and m = {depth} plies, in leaves:",
        f"  minimax                      b^m       {all_leaves}",
        f"  alpha-beta, random order     b^(3m/4)  {unordered}",
        f"  alpha-beta, best move first  b^(m/2)   {best}: {b:.1f} becomes {b**0.5:.1f}",
    )
    return "\n".join(lines)


def part_table(
    console: Console, results: Sequence[VariantResult], b: float, *, ladder: bool, last: int
) -> Table:
    """The `last` rows. Ratios are to the row before in the `ladder`, else to the first. `b` is theory's."""
    others = (None, *results) if ladder else (None, *repeat(results[0], len(results) - 1))
    rows = [
        (result.variant.name, _figures(result, other, ladder, b))
        for result, other in zip(results, others, strict=False)
    ]
    return figures_table(console, "Search", rows[-last:], _DISPENSABLE)


def _figures(result: VariantResult, other: VariantResult | None, ladder: bool, b: float) -> dict[str, str]:
    depth, asked = result.depth, sum(position.asks for position in result.positions)
    ratios = (result.ratios(other) if other else None) or (None, None)
    theory = expected_leaves(result.variant.on, b, depth)
    row = {
        "Depth": str(depth),
        "Nodes": count_text(result.nodes(depth)) if depth else "",
        "Theory": "" if theory is None else count_text(theory),
        "Nodes ratio": ratio_text(ratios[0]),
        "Time": time_text(result.seconds(depth)) if depth else "",
        "Time ratio": ratio_text(ratios[1]),
        "Branching": "" if result.branching is None else f"{result.branching:.2f}",
        "Found": f"{result.found}/{asked}",
    }
    if not ladder:
        del row["Theory"]
    if not asked:
        del row["Found"]
    return row


def ratio_text(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return count_text(ratio) if ratio >= 999.5 else f"{ratio:#.3g}".rstrip(".")


def time_text(seconds: float) -> str:
    if seconds >= 0.9995:
        return f"{seconds:.2f} s"
    return f"{1000 * seconds:.{2 if seconds < 0.009995 else 1}f} ms"
