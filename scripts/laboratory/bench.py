"""`scripts/lab bench`: how fast Lolli is, beside other engines."""

import math
import random
import re
import shlex
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial, wraps
from itertools import cycle
from pathlib import Path
from statistics import geometric_mean, mean, median
from typing import Any, NamedTuple, Self, TypeVar

import click
from rich.progress import track
from rich.table import Table
from rich.text import Text

from engine.board.fen import START_FEN
from engine.system.services import children_seconds, processors
from lolli.cli.terminal.screen import PrintableConsole
from protocol.uci.bench import BRATKO_KOPEC, DEFAULT_DEPTH, POSITIONS
from scripts.laboratory.engine_pipe import NS_PER_S, EngineError, EnginePipe
from scripts.laboratory.lab_options import ROOT, WIDE, count_option
from scripts.laboratory.long_run import wide_console

_GAMES = Path("/usr/games")  # where Debian puts engines, not always on PATH
_PATIENCE = 300.0  # seconds
_MEGABYTES = 64  # of a hash table
_WIDTH_WITHOUT_TERMINAL = 120
NONE = ""
FASTER = "Lolli faster"  # the heading of a ratio

Figure = TypeVar("Figure")


class Program(NamedTuple):
    name: str
    command: tuple[str, ...]


RUN = Program("scripts/run", (str(ROOT / "scripts" / "run"),))


class Talk:
    """A UCI dialogue with an engine. Failures raise click.ClickException with the engine's command."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._command = shlex.join(command)
        try:
            self._pipe = EnginePipe(command)
        except OSError as error:
            raise click.ClickException(f"{self._command}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self._pipe.close()
        else:
            self._pipe.kill()

    def send(self, line: str) -> None:
        try:
            self._pipe.send(line)
        except EngineError as error:
            raise click.ClickException(f"{self._command} {error}") from error

    def ask(self, line: str, beginning: str, since: int | None = None) -> tuple[list[str], float]:
        """Lines up to the first that begins so; seconds from `since` (monotonic ns), by default now."""
        since = since or time.monotonic_ns()
        self.send(line)
        lines: list[str] = []
        arrived = since
        while not lines or not lines[-1].startswith(beginning):
            try:
                found, arrived = self._pipe.receive(time.monotonic_ns() + int(_PATIENCE * NS_PER_S))
            except EngineError as error:
                raise click.ClickException(f"{self._command} {error}: no {beginning!r}") from error
            lines.append(found.decode(errors="replace"))
        return lines, (arrived - since) / NS_PER_S

    def set_up(self, fen: str, *, new_game: bool = False) -> None:
        if new_game:
            self.send("ucinewgame")
        self.send(f"position fen {fen}")
        self.ask("isready", "readyok")


def start_up_cpu(program: Program) -> float:
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
    return children_seconds() - before


def peer_option(flag: str, command: str) -> Callable[[Any], Any]:
    """Without the option `command` is searched for, and may be missing."""

    def found(_ctx: object, _param: object, given: str | None) -> Program | None:
        try:
            return _named(given or command)
        except click.BadParameter:
            if given is not None:
                raise
        click.echo(
            f"{command} not found on PATH or in {_GAMES}: measuring without it (see --{flag})", err=True
        )
        return None

    return click.option(
        f"--{flag}",
        flag,
        metavar="COMMAND",
        callback=found,
        help=f"Command of the peer; default: {command}.",
    )


lolli_option = click.option(
    "--lolli",
    metavar="COMMAND",
    callback=lambda _ctx, _param, given: _named(
        given or shlex.quote(str(Path(sysconfig.get_path("scripts")) / "lolli"))
    ),
    help="Command of Lolli; default: that of this project's .venv.",
)
rounds_option = count_option("--rounds", 5, "Measurements of each engine.")


def programs_options(command: Callable[..., None]) -> Any:
    """Lolli, and Stockfish if there is one; the command gets a list, `programs`."""

    @wraps(command)
    def with_programs(*, lolli: Program, stockfish: Program | None, **others: Any) -> None:
        command(programs=[lolli, stockfish] if stockfish else [lolli], **others)

    return lolli_option(peer_option("stockfish", "stockfish")(with_programs))


def _named(words: str) -> Program:
    first, *rest = shlex.split(words) or [""]
    found = shutil.which(first) or shutil.which(first, path=_GAMES)
    if found is None:
        raise click.BadParameter(f"program not found: {first!r}")
    command = (found, *rest)
    with Talk(command) as talk:
        lines, _ = talk.ask("uci", "uciok")
        names = [line.removeprefix("id name ") for line in lines if line.startswith("id name ")] or [first]
        if names[0].startswith("Lolli "):  # which can also report how it was built
            lines, _ = talk.ask("compiler", "Lolli ")
            names = lines[-1:]
    return Program(names[0], command)


def alternate(turns: Sequence[Callable[[], Figure]], rounds: int) -> list[list[Figure]]:
    """Measure all in turn, `rounds` times (A B A B …). The figures of each, by round."""
    figures: list[list[Figure]] = [[] for _ in turns]
    console = PrintableConsole(stderr=True)
    for _ in track(range(rounds), "", console=console, transient=True, disable=not console.is_terminal):
        for turn, column in zip(turns, figures, strict=True):
            column.append(turn())
    return figures


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{_rounded(median(ratios))} ({_rounded(min(ratios))} … {_rounded(max(ratios))})"


def worst_of_100(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(len(values) * 99 / 100) - 1]


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"


def millions(number: float) -> str:
    return f"{number / 1e6:.3g}" if number < 1e8 else f"{number / 1e6:.0f}"


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2f}"


def show(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], rounds: int | None, note: str
) -> None:
    """Text in the first column, numbers in the others. `rounds`: how often each was measured, None: once."""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(head[0], no_wrap=True)
    for name in head[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(Text(row[0]), *row[1:])
    wide_console(_WIDTH_WITHOUT_TERMINAL).print(table, highlight=False)
    compared = ", of ratios with (smallest … largest)" if "faster" in " ".join(head) else ""
    if rounds is not None:
        click.echo(f"Alternating rounds: {rounds}. Medians{compared}.")
    click.echo(note)


@click.group(context_settings=WIDE)
def bench() -> None:
    """Measure how fast Lolli is, beside other engines, which take turns with it.

    \b
    scripts/lab bench speed
    scripts/lab bench perft --stockfish ~/bin/stockfish

    A peer is looked for on PATH and in /usr/games, or named by an option. Nothing else should run on the
    machine.
    """


_OURS = re.compile(r"^(\d+) nodes (\d+) nps$", re.MULTILINE)
_STOCKFISH = re.compile(r"^Nodes searched  : (\d+)\nNodes/second    : (\d+)$", re.MULTILINE)


_SUNFISH_MS = 250


class Speed(NamedTuple):
    nodes: int
    wall: float
    cpu: float | None


@bench.command(context_settings=WIDE)
@count_option("--depth", DEFAULT_DEPTH, "Depth of Lolli's bench.")
@rounds_option
@programs_options
@peer_option("sunfish", "sunfish-uci")
def speed(depth: int, rounds: int, programs: list[Program], sunfish: Program | None) -> None:
    """Compare nodes per second: Lolli's bench, Stockfish's, and Sunfish over UCI.

    Lolli's is run with its usual evaluator and with `material`. Each engine counts nodes in its own way.
    Sunfish has no bench and searches the test of Bratko and Kopec, 250 ms for each position. (`pip install
    sunfish` in an environment of its own, and give its sunfish-uci to --sunfish.)
    """
    lolli, *others = programs
    turns = {
        lolli.name: partial(_bench, lolli, str(depth), _OURS),
        "the same, by material alone": partial(_bench, lolli, f"{depth} --eval material", _OURS),
        **{peer.name: partial(_bench, peer, "", _STOCKFISH) for peer in others},
    }
    if sunfish:
        turns[f"{sunfish.name}, over UCI"] = partial(_search_for, sunfish)
    ours, *_ = columns = alternate([*turns.values()], rounds)
    rows = []
    for name, column in zip(turns, columns, strict=True):
        nodes, walls = f"{int(median(one.nodes for one in column)):,}", [one.wall for one in column]
        cpus = [one.cpu for one in column if one.cpu is not None]
        compared = [NONE, NONE]
        if column is not ours:
            compared[0] = ratio([one.wall for one in ours], walls)
            compared[1] = ratio([one.cpu or 0 for one in ours], cpus) if cpus else NONE
        rows.append([name, nodes, millions(median(walls)), *compared])
    show(
        "Search, one thread",
        ["", "nodes", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: wall time as the engine reports it. cpu: user and system time, without that of a start.",
    )


def _bench(program: Program, words: str, pattern: re.Pattern[str]) -> Speed:
    before = start_up_cpu(program) + children_seconds()
    command = [*program.command, "bench", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    cpu = max(children_seconds() - before, 1e-3)
    match = pattern.search(done.stdout + done.stderr)
    if match is None:
        raise click.ClickException(
            f"{program.name}: bench printed no figures, and its exit status is {done.returncode}"
        )
    return Speed(int(match[1]), float(match[2]), int(match[1]) / cpu)


def _search_for(program: Program) -> Speed:
    nodes = spent = 0
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        for fen in BRATKO_KOPEC:
            talk.set_up(fen, new_game=True)
            lines, _ = talk.ask(f"go movetime {_SUNFISH_MS}", "bestmove")
            last = next(words for line in reversed(lines) if {"nodes", "time"} <= set(words := line.split()))
            nodes += int(last[last.index("nodes") + 1])
            spent += int(last[last.index("time") + 1])
    return Speed(nodes, nodes / max(spent, 1) * 1000, None)


_TOTAL = "Nodes searched: "


@bench.command(context_settings=WIDE)
@count_option("--depth", 6, "Depth in plies.")
@rounds_option
@programs_options
def perft(depth: int, rounds: int, programs: list[Program]) -> None:
    """Compare the speed of `go perft` from the start position."""
    columns = alternate([partial(_count, program, depth) for program in programs], rounds)
    counts = {leaves for column in columns for leaves, _, _ in column}
    if len(counts) != 1:
        raise click.ClickException("the engines count different numbers of leaves")
    leaves = counts.pop()
    rows, ours = [], None
    for program, column in zip(programs, columns, strict=True):
        _, walls, cpus = zip(*column, strict=True)
        compared = [NONE, NONE] if ours is None else [ratio(walls, ours[0]), ratio(cpus, ours[1])]
        ours = ours or (walls, cpus)
        figures = [f"{median(walls):.3f}", f"{median(cpus):.3f}", millions(leaves / median(walls))]
        rows.append([program.name, *figures, *compared])
    show(
        f"perft {depth} from the start position: {leaves:,} leaves",
        ["", "wall, s", "cpu, s", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: wall time from `go perft` to the sum. cpu: user and system time, without that of a start.",
    )


def _count(program: Program, depth: int) -> tuple[int, float, float]:
    before = start_up_cpu(program) + children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.ask("isready", "readyok")
        lines, wall = talk.ask(f"go perft {depth}", _TOTAL)
    return int(lines[-1].removeprefix(_TOTAL)), wall, max(children_seconds() - before, 1e-3)


_POSITIONS = (START_FEN, *BRATKO_KOPEC[:20])
_PLIES = 5  # the last plies, for the branching factor
_DEPTH = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)(?=.*\bnodes (\d+)\b).*\bpv\b")


@bench.command(context_settings=WIDE)
@count_option("--depth", 12, "Depth of the searches, in plies.", least=2)
@programs_options
def search(depth: int, programs: list[Program]) -> None:
    """Compare the nodes and time of a search to --depth: the start position and 20 of Bratko and Kopec's.

    One thread, with the hash table cleared before each position. A depth means something else for each
    engine, since they extend and prune differently.
    """
    show(
        f"{len(_POSITIONS)} positions to depth {depth}",
        ["", "nodes", "per position", "ms", "per position", "branching"],
        [_depth_row(program, depth) for program in programs],
        None,
        "Per position: geometric means. Branching: the geometric mean of N(d)/N(d - 1) over the last "
        f"{min(_PLIES, depth - 1)} plies, with N(d) for all nodes up to depth d.",
    )


def _depth_row(program: Program, depth: int) -> list[str]:
    times, nodes, growth = [], [], []
    shallow = max(depth - _PLIES, 1)
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {_MEGABYTES}")
        for fen in _POSITIONS:
            talk.set_up(fen, new_game=True)
            lines, seconds = talk.ask(f"go depth {depth}", "bestmove")
            found = (_DEPTH.match(line) for line in lines)
            up_to = {int(match[1]): int(match[2]) for match in found if match}
            times.append(seconds)
            nodes.append(max(up_to.values(), default=0))
            if {depth, shallow} <= up_to.keys():  # a mate found early may end it
                growth.append((up_to[depth] / up_to[shallow]) ** (1 / (depth - shallow)))
    nodes = [each for each in nodes if each]
    return [
        program.name,
        f"{sum(nodes):,}",
        f"{geometric_mean(nodes):,.0f}" if nodes else NONE,
        f"{1000 * sum(times):.0f}",
        milliseconds(geometric_mean(times)),
        f"{geometric_mean(growth):.2f}" if growth else NONE,
    ]


_DONE = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)")
_NODES = re.compile(r"^info .*\bnodes (\d+)\b")


def _counts(_ctx: object, _param: object, given: tuple[int, ...]) -> tuple[int, ...]:
    usual = (2**power for power in range(processors().bit_length()))
    return tuple(sorted({1, *(given or usual)}))


@bench.command(context_settings=WIDE)
@click.option(
    "--threads",
    "counts",
    multiple=True,
    type=click.IntRange(1, 512),
    callback=_counts,
    help="Number of threads to compare with one; may be repeated.  [default: powers of two]",
)
@count_option("--movetime", 50, "Time of each search, in ms.")
@rounds_option
@programs_options
def threads(counts: tuple[int, ...], movetime: int, rounds: int, programs: list[Program]) -> None:
    """Compare searches by several threads with searches by one: nodes, and how deep they go.

    Searches of the 24 positions of Bratko and Kopec, with the hash table cleared before each. Short ones show
    what it costs to begin and to end with many threads, and whether they wait for one another.
    """
    runs = [(program, count) for program in programs for count in counts]
    turns = [partial(_searches_by, program, count, movetime) for program, count in runs]
    rows, alone = [], None
    for (program, count), column in zip(runs, alternate(turns, rounds), strict=True):
        depths, nodes, times = zip(*column, strict=True)
        alone = nodes if count == 1 or alone is None else alone
        compared = NONE if count == 1 else ratio(nodes, alone)
        figures = [f"{median(nodes):,.0f}", compared, f"{median(depths):.1f}", milliseconds(median(times))]
        rows.append([program.name, str(count), *figures])
    show(
        f"{len(BRATKO_KOPEC)} searches of {movetime} ms",
        ["", "threads", "nodes", "times one", "depth", "ms"],
        rows,
        rounds,
        "Of each round the mean over the positions, of depths the median. Times one: the nodes divided by "
        "those with one thread (smallest … largest).",
    )


def _searches_by(program: Program, count: int, movetime: int) -> tuple[float, float, float]:
    """Means of depth, nodes and seconds; of depths the median: with a mate found, they grow without end."""
    found = []
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {_MEGABYTES}")
        talk.send(f"setoption name Threads value {count}")
        for fen in BRATKO_KOPEC:
            talk.set_up(fen, new_game=True)
            lines, seconds = talk.ask(f"go movetime {movetime}", "bestmove")
            depth, nodes = (
                max((int(match[1]) for line in lines if (match := told.match(line))), default=0)
                for told in (_DONE, _NODES)
            )
            found.append((depth, nodes, seconds))
    depths, counts, times = zip(*found, strict=True)
    return median(depths), mean(counts), mean(times)


WORDS = (("--help",), ("analyse", "startpos", "--depth", "1"))  # commands that a user waits for


@bench.command(context_settings=WIDE)
@count_option("--rounds", 50, "Starts of each program.")
@programs_options
def start(rounds: int, programs: list[Program]) -> None:
    """Measure the time from the start of a process to its first answer.

    The answer is `uciok` of lolli, scripts/run and Stockfish, and the first output of two commands, which
    have no peer. Each has been started before, so its files are in memory.
    """
    lolli, *others = programs
    programs = [lolli, RUN, *others]
    turns = [
        *(partial(_to_uciok, program) for program in programs),
        *(partial(_to_output, (*lolli.command, *words)) for words in WORDS),
    ]
    for turn in turns:
        turn()
    columns = alternate(turns, rounds)
    ours = columns[0]

    def row(name: str, column: Sequence[float]) -> list[str]:
        return [name, *(milliseconds(figure) for figure in (median(column), min(column), max(column)))]

    head = ["", "median", "best", "worst"]
    rows = [
        [*row(program.name, column), NONE if column is ours else ratio(column, ours)]
        for program, column in zip(programs, columns, strict=False)
    ]
    show("From start to uciok, ms", [*head, FASTER], rows, rounds, "Wall time.")
    rows = [
        row(shlex.join(("lolli", *words)), column)
        for words, column in zip(WORDS, columns[len(programs) :], strict=True)
    ]
    note = "Wall time, with standard output to a pipe."
    show("From start to the first output, ms", head, rows, rounds, note)


def _to_uciok(program: Program) -> float:
    started = time.monotonic_ns()
    with Talk(program.command) as talk:
        return talk.ask("uci", "uciok", started)[1]


def _to_output(words: Sequence[str]) -> float:
    started = time.monotonic()
    with subprocess.Popen(words, bufsize=0, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        first = process.stdout.read(1) if process.stdout else b""
        seconds = time.monotonic() - started
        process.communicate()
    if process.returncode or not first:
        raise click.ClickException(f"{shlex.join(words)} failed")
    return seconds


_LIVELY = POSITIONS[:32]  # undecided middle games
_ALMOST_NO_CLOCK = "go wtime 1 btime 1"


@bench.command(context_settings=WIDE)
@count_option("--rounds", 100, "Measurements of each kind.")
@programs_options
def stop(rounds: int, programs: list[Program]) -> None:
    """Measure the time from `stop` to `bestmove`, after 10 to 300 ms of `go infinite`.

    Also the time from `go wtime 1 btime 1`, with almost no time left, to `bestmove`. All engines search the
    same positions with one thread.
    """
    chooser = random.Random(1)
    waits = [chooser.uniform(0.01, 0.3) for _ in range(rounds)]
    with ExitStack() as stack:
        talks = [stack.enter_context(Talk(program.command)) for program in programs]
        for talk in talks:
            talk.ask("uci", "uciok")
        stops = alternate([partial(_stop, talk, cycle(_LIVELY), iter(waits)) for talk in talks], rounds)
        moves = alternate([partial(_hurry, talk, cycle(_LIVELY)) for talk in talks], rounds)
    rows = [
        [f"{program.name}: {what}", *map(milliseconds, (median(times), worst_of_100(times), max(times)))]
        for what, columns in (("stop", stops), (_ALMOST_NO_CLOCK, moves))
        for program, times in zip(programs, columns, strict=True)
    ]
    show("To bestmove, ms", ["", "median", "99 of 100 within", "worst"], rows, rounds, "Wall time.")


def _stop(talk: Talk, positions: Iterator[str], waits: Iterator[float]) -> float:
    talk.set_up(next(positions))
    talk.send("go infinite")
    time.sleep(next(waits))
    return talk.ask("stop", "bestmove")[1]


def _hurry(talk: Talk, positions: Iterator[str]) -> float:
    talk.set_up(next(positions))
    return talk.ask(_ALMOST_NO_CLOCK, "bestmove")[1]
