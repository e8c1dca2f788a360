"""`scripts/lab bench`: how fast Lolli is, beside other engines."""

import math
import random
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial, wraps
from itertools import cycle
from pathlib import Path
from statistics import geometric_mean, mean, median
from typing import Any, Self, TypeVar

import click
from rich.progress import track
from rich.table import Table

from engine.board.fen import START_FEN
from engine.system.services import children_seconds, processors
from lolli.cli.terminal.console import PrintableConsole
from protocol.uci.bench import BRATKO_KOPEC, DEFAULT_DEPTH, POSITIONS
from scripts.laboratory.engine_pipe import NS_PER_S, EngineGoneError, EnginePipe, EngineSilentError
from scripts.laboratory.lab_options import WIDE, count_option, seed_option
from scripts.laboratory.long_run import wide_console

_GAMES = Path("/usr/games")  # where Debian puts engines, not always on PATH
_PATIENCE = 300.0  # seconds


@dataclass(frozen=True, slots=True)
class Program:
    """An engine, and the name that it reports."""

    name: str
    command: tuple[str, ...]


class Talk:
    """A UCI dialogue with an engine. Failures raise click.ClickException with the engine's command."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start the engine."""
        self._command = shlex.join(command)
        self.started = time.monotonic_ns()
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

    def send(self, line: str) -> int:
        """Send a line. The time, in monotonic nanoseconds."""
        sent = time.monotonic_ns()
        try:
            self._pipe.send(line)
        except EngineGoneError as error:
            raise click.ClickException(f"{self._command} {error}") from error
        return sent

    def until(self, beginning: str) -> tuple[list[str], int]:
        """The lines up to the first that begins with `beginning`, and its time in monotonic nanoseconds."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(beginning):
            try:
                line, arrived = self._pipe.receive(time.monotonic_ns() + int(_PATIENCE * NS_PER_S))
            except EngineGoneError as error:
                raise click.ClickException(f"{self._command} {error}") from error
            except EngineSilentError:
                raise click.ClickException(
                    f"{self._command}: no answer {beginning!r} within {_PATIENCE:g} s"
                ) from None
            lines.append(line.decode(errors="replace"))
        return lines, arrived

    def ask(self, line: str, beginning: str) -> tuple[list[str], float]:
        """Send a line. The lines up to the first that begins with `beginning`, and the seconds until then."""
        sent = self.send(line)
        lines, arrived = self.until(beginning)
        return lines, (arrived - sent) / NS_PER_S

    def seconds_to(self, arrived: int) -> float:
        """Seconds from the start of the process to a time of the monotonic clock."""
        return (arrived - self.started) / NS_PER_S


def start_up_cpu(program: Program) -> float:
    """The processor time, in seconds, of a process that starts, answers `uci` and ends."""
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
    return children_seconds() - before


def peer_option(flag: str, command: str) -> Callable[[Any], Any]:
    """An option for a peer. Without it `command` is searched for, and may be missing."""
    return click.option(
        f"--{flag}",
        flag,
        metavar="COMMAND",
        callback=lambda _ctx, _param, given: _peer_of(flag, command, given),
        help=f"Command of the peer; default: {command}.",
    )


lolli_option = click.option(
    "--lolli",
    metavar="COMMAND",
    callback=lambda _ctx, _param, given: _named(given or shlex.quote(_installed())),
    help="Command of Lolli; default: that of this project's .venv.",
)


def programs_options(command: Callable[..., None]) -> Any:
    """The options for Lolli and for Stockfish, if there is one; the command gets a list, `programs`."""

    @wraps(command)
    def with_programs(*, lolli: Program, stockfish: Program | None, **others: Any) -> None:
        command(programs=[lolli, stockfish] if stockfish else [lolli], **others)

    return lolli_option(peer_option("stockfish", "stockfish")(with_programs))


rounds_option = click.option(
    "--rounds", type=click.IntRange(1), default=5, show_default=True, help="Measurements of each engine."
)


def _installed() -> str:
    return str(Path(sysconfig.get_path("scripts")) / "lolli")


def _peer_of(flag: str, command: str, given: str | None) -> Program | None:
    if given is not None:
        return _named(given)
    try:
        return _named(command)
    except click.BadParameter:
        click.echo(
            f"{command} not found on PATH or in {_GAMES}: measuring without it (see --{flag})", err=True
        )
        return None


def _named(words: str) -> Program:
    """The program of a command line, with its name. Raises click.BadParameter if it does not exist."""
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


Figure = TypeVar("Figure")

_WIDTH_WITHOUT_TERMINAL = 120
NONE = ""
FASTER = "Lolli faster"  # the heading of a ratio


def alternate(turns: Sequence[Callable[[], Figure]], rounds: int) -> list[list[Figure]]:
    """Measure all in turn, `rounds` times (A B A B …). The figures of each, by round."""
    figures: list[list[Figure]] = [[] for _ in turns]
    console = PrintableConsole(stderr=True)
    for _ in track(range(rounds), "", console=console, transient=True, disable=not console.is_terminal):
        for turn, column in zip(turns, figures, strict=True):
            column.append(turn())
    return figures


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The median of the rounds' ratios, with the smallest and the largest; NONE for `ours` itself."""
    if theirs is ours:
        return NONE
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return f"{_rounded(median(ratios))} ({_rounded(min(ratios))} … {_rounded(max(ratios))})"


def worst_of_100(values: Sequence[float]) -> float:
    """The 99th percentile."""
    return sorted(values)[math.ceil(len(values) * 99 / 100) - 1]


def milliseconds(seconds: float) -> str:
    """Seconds as text in milliseconds."""
    return f"{seconds * 1000:.1f}"


def millions(number: float) -> str:
    """A rate as text in millions per second."""
    return f"{number / 1e6:.3g}" if number < 1e8 else f"{number / 1e6:.0f}"


def show(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], rounds: int | None, note: str
) -> None:
    """Print a table, whose first column is text and whose others are numbers, and a note about it.

    `rounds`: how often each was measured, None for once.
    """
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column(head[0], no_wrap=True)
    for name in head[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    wide_console(_WIDTH_WITHOUT_TERMINAL).print(table, highlight=False)
    compared = ", of ratios with (smallest … largest)" if "faster" in " ".join(head) else ""
    if rounds is not None:
        click.echo(f"Alternating rounds: {rounds}. Medians{compared}.")
    click.echo(note)


def _rounded(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.2f}"


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


@dataclass(frozen=True, slots=True)
class _Speed:
    """Nodes, and nodes per second of wall time, as the engine reports it, and of processor time."""

    nodes: int
    wall: float
    cpu: float | None

    @property
    def seconds(self) -> float:
        """Wall time."""
        return self.nodes / max(self.wall, 1)


@bench.command(context_settings=WIDE)
@count_option("--depth", DEFAULT_DEPTH, "Depth of Lolli's bench.")
@count_option("--movetime", 250, "Time of each of Sunfish's searches, in ms.")
@rounds_option
@programs_options
@peer_option("sunfish", "sunfish-uci")
def speed(depth: int, movetime: int, rounds: int, programs: list[Program], sunfish: Program | None) -> None:
    """Compare nodes per second: Lolli's bench with both evaluators, Stockfish's, and Sunfish over UCI.

    Each engine counts nodes in its own way. Sunfish has no bench and searches the test of Bratko and Kopec,
    --movetime for each position. (`pip install sunfish` in an environment of its own, and give its
    sunfish-uci to --sunfish.)
    """
    lolli, *others = programs
    turns = {
        lolli.name: partial(_bench, lolli, str(depth), _OURS),
        "the same, by material alone": partial(_bench, lolli, f"{depth} --eval material", _OURS),
        **{peer.name: partial(_bench, peer, "", _STOCKFISH) for peer in others},
    }
    if sunfish:
        turns[f"{sunfish.name}, over UCI"] = partial(_search_for, sunfish, movetime)
    ours, *_ = columns = alternate([*turns.values()], rounds)
    rows = [
        [
            name,
            f"{int(median(speed.nodes for speed in column)):,}",
            millions(median(speed.wall for speed in column)),
            NONE if column is ours else _speed_ratio(ours, column, "wall"),
            NONE if column is ours else _speed_ratio(ours, column, "cpu"),
        ]
        for name, column in zip(turns, columns, strict=True)
    ]
    show(
        "Search, one thread",
        ["", "nodes", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: wall time as the engine reports it. cpu: user and system time, without that of a start.",
    )


def _speed_ratio(ours: list[_Speed], theirs: list[_Speed], by: str) -> str:
    pairs = [(getattr(our, by), getattr(their, by)) for our, their in zip(ours, theirs, strict=True)]
    return NONE if None in pairs[0] else ratio(*zip(*pairs, strict=True))


def _bench(program: Program, words: str, pattern: re.Pattern[str]) -> _Speed:
    started = start_up_cpu(program)
    before = children_seconds()
    done = subprocess.run(
        [*program.command, "bench", *words.split()], capture_output=True, text=True, check=False
    )
    cpu = max(children_seconds() - before - started, 1e-3)
    match = pattern.search(done.stdout + done.stderr)
    if match is None:
        raise click.ClickException(
            f"{program.name}: bench printed no figures, and its exit status is {done.returncode}"
        )
    return _Speed(int(match[1]), float(match[2]), int(match[1]) / cpu)


def _search_for(program: Program, movetime: int) -> _Speed:
    """Sums of the nodes and times in the last reports of each search."""
    nodes = spent = 0
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        for fen in BRATKO_KOPEC:
            _set_up(talk, fen, new_game=True)
            lines, _ = talk.ask(f"go movetime {movetime}", "bestmove")
            last = next(words for line in reversed(lines) if {"nodes", "time"} <= set(words := line.split()))
            nodes += int(last[last.index("nodes") + 1])
            spent += int(last[last.index("time") + 1])
    return _Speed(nodes, nodes / max(spent, 1) * 1000, None)


PLAIN = Program(
    "the same, as plain Python", (sys.executable, str(Path(__file__).parents[2] / "tests" / "pure.py"))
)
_SHALLOW = 1  # takes the time of clearing the table, which does not depend on the depth


@bench.command(context_settings=WIDE)
@count_option("--depth", 6, "Depth of the bench.", least=2)
@count_option("--rounds", 3, "Measurements of each mode.")
@lolli_option
def modes(depth: int, rounds: int, lolli: Program) -> None:
    """Run a shallow bench compiled and as plain Python. Both must search the same number of nodes.

    The speed excludes a bench of depth 1, because plain Python clears the hash table slowly.
    """
    programs = [lolli, PLAIN]
    whole = alternate([partial(_bench, program, str(depth), _OURS) for program in programs], rounds)
    fixed = [_bench(program, str(_SHALLOW), _OURS) for program in programs]
    counts = {bench.nodes for column in whole for bench in column}
    if len(counts) != 1 or fixed[0].nodes != fixed[1].nodes:
        raise click.ClickException(f"the node counts differ: {sorted(counts)}")
    speeds = [
        [(bench.nodes - base.nodes) / max(bench.seconds - base.seconds, 1e-3) for bench in column]
        for column, base in zip(whole, fixed, strict=True)
    ]
    rows = [
        [
            program.name,
            f"{column[0].nodes:,}",
            millions(median(speed)),
            ratio(speeds[0], speed),
        ]
        for program, column, speed in zip(programs, whole, speeds, strict=True)
    ]
    show(
        f"bench {depth} in both modes",
        ["", "nodes", "million/s", "compiled faster"],
        rows,
        rounds,
        f"Wall time without that of bench {_SHALLOW}.",
    )


_TOTAL = "Nodes searched: "


@dataclass(frozen=True, slots=True)
class _Count:
    leaves: int
    wall: float
    cpu: float


@bench.command(context_settings=WIDE)
@count_option("--depth", 6, "Depth in plies.")
@rounds_option
@programs_options
def perft(depth: int, rounds: int, programs: list[Program]) -> None:
    """Compare the speed of `go perft` from the start position."""
    columns = alternate([partial(_count, program, depth) for program in programs], rounds)
    if len({count.leaves for column in columns for count in column}) != 1:
        raise click.ClickException("the engines count different numbers of leaves")
    ours = columns[0]
    rows = [
        [
            program.name,
            f"{median(count.wall for count in column):.3f}",
            f"{median(count.cpu for count in column):.3f}",
            millions(median(count.leaves / count.wall for count in column)),
            NONE if column is ours else ratio([each.wall for each in column], [each.wall for each in ours]),
            NONE if column is ours else ratio([each.cpu for each in column], [each.cpu for each in ours]),
        ]
        for program, column in zip(programs, columns, strict=True)
    ]
    show(
        f"perft {depth} from the start position: {ours[0].leaves:,} leaves",
        ["", "wall, s", "cpu, s", "million/s", f"{FASTER}, wall", f"{FASTER}, cpu"],
        rows,
        rounds,
        "wall: wall time from `go perft` to the sum. cpu: user and system time, without that of a start.",
    )


def _count(program: Program, depth: int) -> _Count:
    started = start_up_cpu(program)
    before = children_seconds()
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.ask("isready", "readyok")
        lines, wall = talk.ask(f"go perft {depth}", _TOTAL)
    return _Count(int(lines[-1].removeprefix(_TOTAL)), wall, max(children_seconds() - before - started, 1e-3))


_POSITIONS = (START_FEN, *BRATKO_KOPEC[:20])
_PLIES = 5  # the last plies, for the branching factor
_DEPTH = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)(?=.*\bnodes (\d+)\b).*\bpv\b")


@dataclass(frozen=True, slots=True)
class _Depths:
    """A search of one position: its seconds, and the nodes up to each depth."""

    seconds: float
    nodes: dict[int, int]


@bench.command(context_settings=WIDE)
@count_option("--depth", 12, "Depth of the searches, in plies.", least=2)
@count_option("--hash", 64, "Size of the hash table, in MB.", to="megabytes")
@programs_options
def search(depth: int, megabytes: int, programs: list[Program]) -> None:
    """Compare the nodes and time of a search to --depth: the start position and 20 of Bratko and Kopec's.

    One thread, with the hash table cleared before each position. A depth means something else for each
    engine, since they extend and prune differently.
    """
    turns = [partial(_searches_to, program, depth, megabytes) for program in programs]
    searched = [rounds[0] for rounds in alternate(turns, 1)]
    show(
        f"{len(_POSITIONS)} positions to depth {depth}",
        ["", "nodes", "per position", "ms", "per position", "branching"],
        [_depth_row(program.name, column, depth) for program, column in zip(programs, searched, strict=True)],
        None,
        "Per position: geometric means. Branching: the geometric mean of N(d)/N(d - 1) over the last "
        f"{min(_PLIES, depth - 1)} plies, with N(d) for all nodes up to depth d.",
    )


def _searches_to(program: Program, depth: int, megabytes: int) -> list[_Depths]:
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {megabytes}")
        return [_position(talk, fen, depth) for fen in _POSITIONS]


def _position(talk: Talk, fen: str, depth: int) -> _Depths:
    _set_up(talk, fen, new_game=True)
    lines, seconds = talk.ask(f"go depth {depth}", "bestmove")
    found = (_DEPTH.match(line) for line in lines)
    return _Depths(seconds, {int(match[1]): int(match[2]) for match in found if match})


def _depth_row(name: str, searched: Sequence[_Depths], depth: int) -> list[str]:
    nodes = [max(each.nodes.values()) for each in searched if each.nodes]
    shallow = max(depth - _PLIES, 1)
    growth = [
        (each.nodes[depth] / each.nodes[shallow]) ** (1 / (depth - shallow))
        for each in searched
        if {depth, shallow} <= each.nodes.keys()  # a mate found early may end it
    ]
    return [
        name,
        f"{sum(nodes):,}",
        f"{geometric_mean(nodes):,.0f}" if nodes else NONE,
        f"{1000 * sum(each.seconds for each in searched):.0f}",
        f"{1000 * geometric_mean(each.seconds for each in searched):.1f}",
        f"{geometric_mean(growth):.2f}" if growth else NONE,
    ]


_DONE = re.compile(r"^info (?=.*\bdepth (\d+)\b)(?!.*\b(?:lower|upper)bound\b)")
_NODES = re.compile(r"^info .*\bnodes (\d+)\b")


@dataclass(frozen=True, slots=True)
class _Reached:
    """How far searches came, and their seconds from `go` to `bestmove`: the mean of all positions.

    Of the depths it is the median: where a mate is found, they grow without end.
    """

    depth: float
    nodes: float
    seconds: float


def _counts(_ctx: object, _param: object, given: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers of threads, 1 always among them; by default powers of two up to the processors."""
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
@count_option("--hash", 64, "Size of the hash table, in MB.", to="megabytes")
@rounds_option
@programs_options
def threads(
    counts: tuple[int, ...],
    movetime: int,
    megabytes: int,
    rounds: int,
    programs: list[Program],
) -> None:
    """Compare searches by several threads with searches by one: nodes, and how deep they go.

    Searches of the 24 positions of Bratko and Kopec, with the hash table cleared before each. Short ones show
    what it costs to begin and to end with many threads, and whether they wait for one another.
    """
    runs = [(program, count) for program in programs for count in counts]
    turns = [partial(_searches_by, program, count, movetime, megabytes) for program, count in runs]
    by_run = dict(zip(runs, alternate(turns, rounds), strict=True))
    show(
        f"{len(BRATKO_KOPEC)} searches of {movetime} ms",
        ["", "threads", "nodes", "times one", "depth", "ms"],
        [_threads_row(program, count, by_run[program, count], by_run[program, 1]) for program, count in runs],
        rounds,
        "Of each round the mean over the positions, of depths the median. Times one: the nodes divided by "
        "those with one thread (smallest … largest).",
    )


def _searches_by(program: Program, count: int, movetime: int, megabytes: int) -> _Reached:
    with Talk(program.command) as talk:
        talk.ask("uci", "uciok")
        talk.send(f"setoption name Hash value {megabytes}")
        talk.send(f"setoption name Threads value {count}")
        found = [_search_by(talk, fen, movetime) for fen in BRATKO_KOPEC]
    depths, nodes, seconds = zip(*found, strict=True)
    return _Reached(median(depths), mean(nodes), mean(seconds))


def _search_by(talk: Talk, fen: str, movetime: int) -> tuple[int, int, float]:
    """Depth, nodes and seconds of one search."""
    _set_up(talk, fen, new_game=True)
    lines, seconds = talk.ask(f"go movetime {movetime}", "bestmove")
    depth, nodes = (
        max((int(match[1]) for line in lines if (match := told.match(line))), default=0)
        for told in (_DONE, _NODES)
    )
    return depth, nodes, seconds


def _threads_row(
    program: Program, count: int, rounds: Sequence[_Reached], alone: Sequence[_Reached]
) -> list[str]:
    nodes, nodes_alone = ([reached.nodes for reached in of] for of in (rounds, alone))
    return [
        program.name,
        str(count),
        f"{median(nodes):,.0f}",
        ratio(nodes, nodes_alone if count > 1 else nodes),
        f"{median(reached.depth for reached in rounds):.1f}",
        milliseconds(median(reached.seconds for reached in rounds)),
    ]


RUN = Program("scripts/run", (str(Path(__file__).parents[1] / "run"),))


WORDS = (("--help",), ("analyse", "startpos", "--depth", "1"))  # commands that a user waits for


@bench.command(context_settings=WIDE)
@count_option("--rounds", 50, "Starts of each program.")
@programs_options
def start(rounds: int, programs: list[Program]) -> None:
    """Measure the time from the start of a process to its first answer.

    The answer is `uciok` of lolli, scripts/run and Stockfish, and the first output of two commands, which
    have no peer. Each has been started before, so its files are in memory.
    """
    lolli = programs[0]
    programs.insert(1, RUN)
    commands = [(*lolli.command, *words) for words in WORDS]
    turns = [
        *(partial(_to_uciok, program) for program in programs),
        *(partial(_to_output, words) for words in commands),
    ]
    for turn in turns:
        turn()
    columns = alternate(turns, rounds)
    rows = [
        [*_figures(program.name, column), ratio(column, columns[0])]
        for program, column in zip(programs, columns, strict=False)
    ]
    head = ["", "median", "best", "worst"]
    show("From start to uciok, ms", [*head, FASTER], rows, rounds, "Wall time.")
    rows = [
        _figures(shlex.join(("lolli", *words)), column)
        for words, column in zip(WORDS, columns[len(programs) :], strict=True)
    ]
    show(
        "From start to the first output, ms", head, rows, rounds, "Wall time, with standard output to a pipe."
    )


def _figures(name: str, column: Sequence[float]) -> list[str]:
    return [name, *(milliseconds(figure) for figure in (median(column), min(column), max(column)))]


def _to_uciok(program: Program) -> float:
    with Talk(program.command) as talk:
        talk.send("uci")
        _, arrived = talk.until("uciok")
        return talk.seconds_to(arrived)


def _to_output(words: Sequence[str]) -> float:
    """Seconds from the start of a command to its first byte of output. The command runs to its end."""
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
@count_option("--longest", 300, "Longest time from `go infinite` to `stop`, in ms.", least=10)
@seed_option("these times")
@programs_options
def stop(rounds: int, longest: int, seed: int, programs: list[Program]) -> None:
    """Measure the time from `stop` to `bestmove`, after 10 ms to --longest of `go infinite`.

    Also the time from `go wtime 1 btime 1`, with almost no time left, to `bestmove`. All engines search the
    same positions with one thread.
    """
    chooser = random.Random(seed)
    waits = [chooser.uniform(0.01, longest / 1000) for _ in range(rounds)]
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
    show(
        "To bestmove, ms",
        ["", "median", "99 of 100 within", "worst"],
        rows,
        rounds,
        "Wall time.",
    )


def _stop(talk: Talk, positions: Iterator[str], waits: Iterator[float]) -> float:
    _set_up(talk, next(positions))
    talk.send("go infinite")
    time.sleep(next(waits))
    return talk.ask("stop", "bestmove")[1]


def _hurry(talk: Talk, positions: Iterator[str]) -> float:
    _set_up(talk, next(positions))
    return talk.ask(_ALMOST_NO_CLOCK, "bestmove")[1]


def _set_up(talk: Talk, fen: str, *, new_game: bool = False) -> None:
    if new_game:
        talk.send("ucinewgame")
    talk.send(f"position fen {fen}")
    talk.ask("isready", "readyok")
