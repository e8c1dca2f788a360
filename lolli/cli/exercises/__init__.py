"""Exercises in adversarial search: cases on which a file is compared with the textbook, and points."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as StillRunningError
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields, replace
from math import ceil, inf
from pathlib import Path
from random import Random
from shlex import quote as quoted_word
from time import process_time
from typing import Any

from engine.games.catalogue import Rules
from engine.games.players.student import (
    BEST_REPLY,
    ESTIMATE,
    FUNCTIONS,
    LIKE,
    MAXN,
    TRANSPOSITIONS,
    UCT,
    ObservedSearch,
)
from engine.games.players.textbook import best_reply_with_lists
from engine.games.rules.game import OVER, Game, Move, SizeError, State
from engine.games.rules.own import OwnFileError, function_of, is_file, load, reporting, values_of
from engine.games.search.alphabeta import alphabeta
from engine.games.search.basics import Decision, Meter, Result, Search, SearchLimits, SearchStoppedError
from engine.games.search.expectiminimax import expectiminimax
from engine.games.search.maxn import maxn
from engine.games.search.minimax import minimax
from engine.games.search.paranoid import paranoid
from engine.games.search.recording import Recording, upper_bound
from engine.games.search.uct import Node, uct
from engine.games.searchers import SEARCHERS
from lolli.cli.exercises.difference import Order, OrderedMeter, equal, order_of, parting, path_of
from lolli.cli.trees import WatchedSearch, WatchError, number_text, position_after, worth_text
from lolli.cli.workers import LocalWorkers, WorkerDiedError
from protocol.text import printable, quoted

VALUE, MOVE, LEAVES, NODES, EVALUATIONS = "value", "move", "leaves", "nodes", "evaluations"
EXPANSIONS, SELECTION, BACKPROPAGATION = "expansions", "selection", "backpropagation"
CHECKS = {
    **dict.fromkeys(FUNCTIONS, (VALUE, MOVE, LEAVES, NODES, EVALUATIONS)),
    TRANSPOSITIONS: (VALUE, MOVE, EXPANSIONS),
    UCT: (SELECTION, BACKPROPAGATION),
    ESTIMATE: (VALUE,),
}
"""What is compared, by algorithm."""
_SEARCHES: Mapping[str, Search] = {
    "minimax": minimax,
    "alphabeta": alphabeta,
    TRANSPOSITIONS: minimax,
    "expectiminimax": expectiminimax,
    MAXN: maxn,
    "paranoid": paranoid,
}
_PRUNE = ("alphabeta", "paranoid", BEST_REPLY)
_MORE_NODES = 50  # times as many as the textbook visits are too many
_PATIENCE = 10  # times the limit of processor time, for a file that waits and for a busy machine
_USUAL = Path(__file__).parent / "exercises.toml"
_AGAIN = 2  # how often a position may be expanded: alpha-beta comes back with other windows
_PLIES = 40  # of the random games in which an evaluation function is tried
_MOST = 1e6  # of any number in an assignment: seconds, megabytes, points


class ExerciseError(ValueError):
    """An assignment that cannot be read; the message is one line."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a file is run on: a position of a game, and how it is searched there.

    `game`, `players`, `size`, `set` and `moves` are as on the command line. `depth` in plies; None: to the
    end of the game. `compare`: some of CHECKS; empty for all. `positions`: how many random ones an evaluation
    function is tried on.
    """

    algorithm: str
    game: str = "tree lecture"
    players: int | None = None
    size: int | None = None
    set: Mapping[str, str] = field(default_factory=dict)
    moves: str = ""
    depth: int | None = None
    points: float = 1.0
    compare: tuple[str, ...] = ()
    playouts: int = 100
    exploration: float = 1.0
    seed: int = 0
    positions: int = 50

    @property
    def checks(self) -> tuple[str, ...]:
        return self.compare or CHECKS[self.algorithm]

    def label(self) -> str:
        options = [f"{name}={value}" for name, value in self.set.items()]
        depth = "" if self.depth is None else f"depth {self.depth}"
        return " ".join(filter(None, (self.game, *options, self.moves, depth)))

    def trace(self) -> str:
        """The command that shows what the textbook does.

        Empty where none does: for an evaluation function, and for UCT, whose random games would be others.
        """
        if self.algorithm in {ESTIMATE, UCT}:
            return ""
        options = [("--players", self.players), ("--size", self.size), ("--moves", self.moves)]
        words = ["lolli trace --game", quoted_word(self.game)]
        words += [f"{name} {quoted_word(str(value))}" for name, value in options if value]
        words += [f"--set {quoted_word(f'{name}={value}')}" for name, value in self.set.items()]
        searcher = LIKE.get(self.algorithm, self.algorithm)
        if searcher == "expectiminimax":
            searcher = "expectiminimax:pruning=none"  # as what is compared
        return " ".join([*words, searcher, *([f"--fixed-depth {self.depth}"] if self.depth else [])])

    def start(self) -> tuple[Game[Any], State, int]:
        """The game, the position and the depth. Raises ExerciseError."""
        try:
            game = Rules.named(self.game, self.players, self.set).game()
            state = position_after(game, self.size, self.moves.split())
        except (SizeError, WatchError) as error:
            raise ExerciseError(f"{self.label()}: {error}") from None
        if state.player == OVER:
            raise ExerciseError(f"{self.label()}: the game is over there")
        if reason := SEARCHERS[LIKE.get(self.algorithm, self.algorithm)].obstacle(game):
            raise ExerciseError(f"{self.label()}: {self.algorithm} {reason}")
        whole = int(game.advice.get("alphabeta", {}).get("depth", 0)) or game.plies_to_end(state)
        return game, state, self.depth or whole or 2


@dataclass(frozen=True, slots=True)
class Assignment:
    """Cases, and what a file may use for each: seconds of processor time, megabytes of memory."""

    title: str
    cases: tuple[Case, ...]
    seconds: float = 10.0
    megabytes: int = 512

    @property
    def points(self) -> float:
        return sum(case.points for case in self.cases)


def assignment(name: str) -> Assignment:
    """The exercise of an algorithm, or those of a TOML file. Raises ExerciseError, OSError."""
    if name in FUNCTIONS:
        return read_assignment(_USUAL.read_text("utf-8"), (name,))
    if not name.endswith(".toml"):
        raise ExerciseError(
            f"not an algorithm or a .toml file: {quoted(name)}; algorithms: {', '.join(FUNCTIONS)}"
        )
    try:
        found = read_assignment(Path(name).read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise ExerciseError(f"{name}: not text in UTF-8") from None
    folder = Path(name).parent  # files of games are beside the assignment
    cases = [
        replace(each, game=str(folder / each.game)) if is_file(each.game) else each for each in found.cases
    ]
    for case in cases:
        case.start()
    return replace(found, cases=tuple(cases))


def read_assignment(text: str, algorithms: Sequence[str] = tuple(FUNCTIONS)) -> Assignment:
    """The cases of these algorithms in an assignment. Raises ExerciseError."""
    try:
        table = tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        raise ExerciseError(f"not TOML: {error}") from None
    known: dict[str, Any] = {
        "title": str,
        "seconds": (int, float),
        "megabytes": int,
        **dict.fromkeys(FUNCTIONS, list),
    }
    _check_types("an assignment", table, known)
    cases = [_case(name, each) for name in table if name in algorithms for each in table[name]]
    if not cases:
        raise ExerciseError("an assignment needs cases, such as [[alphabeta]]")
    limits = {name: table[name] for name in ("seconds", "megabytes") if name in table}
    title = table.get("title", ", ".join(dict.fromkeys(case.algorithm for case in cases)))
    return Assignment(title, tuple(cases), **limits)


def _case(algorithm: str, table: Any) -> Case:
    where = f"[[{algorithm}]]"
    known: dict[str, Any] = {each.name: type(each.default) for each in fields(Case)[1:]}
    known |= {"players": int, "size": int, "depth": int, "set": dict, "compare": list}
    known |= {"points": (int, float), "exploration": (int, float)}
    _check_types(where, table, known)
    compare = tuple(dict.fromkeys(map(str, table.get("compare", ()))))
    if wrong := [each for each in compare if each not in CHECKS[algorithm]]:
        raise ExerciseError(
            f"{where}: compare cannot have {quoted(wrong[0])}; {', '.join(CHECKS[algorithm])}"
        )
    options = {name: str(value) for name, value in table.get("set", {}).items()}
    return Case(algorithm, **{**table, "compare": compare, "set": options})


def _check_types(where: str, table: Any, known: Mapping[str, Any]) -> None:
    if not isinstance(table, dict):
        raise ExerciseError(f"{where}: a table was expected")
    for name, value in table.items():
        if name not in known:
            raise ExerciseError(f"{where}: unknown {quoted(name)}; known: {', '.join(known)}")
        is_odd = isinstance(value, int | float) and not 0 < value <= _MOST and name != "seed"
        if not isinstance(value, known[name]) or isinstance(value, bool) or is_odd:
            raise ExerciseError(f"{where}: {name} cannot be {quoted(str(value))}")


# A case in a process of its own


@dataclass(frozen=True, slots=True)
class Outcome:
    """Which of the checks of a case were passed, and the first difference or what went wrong, in one line.

    Each has the same share of the points; with a wrong value there are none.
    """

    case: Case
    passed: frozenset[str] = frozenset()
    problem: str = ""

    @property
    def points(self) -> float:
        if VALUE in self.case.checks and VALUE not in self.passed:
            return 0.0
        return self.case.points * (len(self.passed) / len(self.case.checks))


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of one file."""

    path: str
    outcomes: tuple[Outcome, ...]

    @property
    def points(self) -> float:
        return sum(each.points for each in self.outcomes)

    @property
    def of(self) -> float:
        return sum(each.case.points for each in self.outcomes)

    @property
    def problem(self) -> str:
        """The first difference; empty if there is none."""
        return next((each.problem for each in self.outcomes if each.problem), "")

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "points": round(self.points, 4),
            "of": self.of,
            "cases": [
                {
                    "algorithm": each.case.algorithm,
                    "case": each.case.label(),
                    "points": round(each.points, 4),
                    "of": each.case.points,
                    "checks": {check: check in each.passed for check in each.case.checks},
                    "problem": each.problem,
                }
                for each in self.outcomes
            ],
        }


def report_on(path: str, assignment: Assignment, stopped: Callable[[], bool]) -> Report:
    """Run a file on all cases, or until `stopped()`. Raises WorkersError."""
    return Report(path, tuple(_outcomes(path, assignment, stopped)))


def _outcomes(path: str, assignment: Assignment, stopped: Callable[[], bool]) -> Iterator[Outcome]:
    """The cases one after the other in one process; after one that does not end, in a new one."""
    with ExitStack() as stack:
        workers: LocalWorkers | None = None
        for case in assignment.cases:
            if stopped():
                return
            if workers is None:
                workers = stack.enter_context(LocalWorkers(1, pinned=False, deaths=1))
                workers.submit(os.getpid).result()  # to start and import is not the student's time
            seconds, megabytes, ended = assignment.seconds, assignment.megabytes, "by SIGXCPU"
            try:
                yield workers.submit(examine, path, case, megabytes, seconds).result(_PATIENCE * seconds)
                continue
            except (StillRunningError, WorkerDiedError) as error:
                ended = str(error).partition("the last one ")[2] or ended
            late = ended == "by SIGXCPU"
            ended = f"still running after {seconds:g} s" if late else f"the process ended {ended}"
            stack.close()
            workers = None
            yield Outcome(case, problem=ended)


def examine(path: str, case: Case, megabytes: int | None = None, seconds: float = inf) -> Outcome:
    """Run one case here, within `megabytes` and `seconds` of processor time, and without input or output."""
    examiner = {UCT: _examine_uct, ESTIMATE: _examine_estimate}.get(case.algorithm, _examine_search)
    try:
        start = case.start()
        if megabytes is not None:
            _confine(megabytes, seconds)
        with reporting(path):
            return examiner(path, case, *start)
    except OwnFileError as error:
        problem = str(error)
    except BaseException as error:  # noqa: BLE001 - a file may raise anything
        problem = type(error).__name__
    return Outcome(case, problem=printable(problem))


def _confine(megabytes: int, seconds: float) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    if nowhere > 2:  # else the case before has closed that one
        os.close(nowhere)
    with suppress(ImportError, ValueError, OSError):  # not every system can limit memory
        import resource  # noqa: PLC0415

        import psutil  # noqa: PLC0415

        most = psutil.Process().memory_info().vms + (megabytes << 20)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        latest, hard = ceil(process_time() + seconds), resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (latest, hard))


def _examine_search(path: str, case: Case, game: Game[Any], state: State, depth: int) -> Outcome:
    prunes, has_table = case.algorithm in _PRUNE, case.algorithm == TRANSPOSITIONS
    textbook, result = _reference(case, game, state, depth)
    most = _MORE_NODES * len(textbook.nodes)
    meter = Meter(SearchLimits(nodes=most))
    mine, module = ObservedSearch(case.algorithm, game, state, depth, game.estimate, meter), load(path)
    failure = ""
    try:
        mine.run(module, returns=True)
    except SearchStoppedError:
        failure = f"stopped after {most:,} nodes; the textbook visits {len(textbook.nodes):,}"
    except OwnFileError as error:
        failure = str(error)
    swapped = [(move, result.value) for move in state.moves()]
    is_swapped = mine.value != result.value and mine.returned in swapped
    if is_swapped and mine.move is None:
        return Outcome(case, problem="you return move, value: expected value, move")
    order = order_of(mine.recording, textbook)
    if order and prunes:  # the textbook prunes by the student's order
        textbook, result = _reference(case, game, state, depth, order)
    differences = {} if failure else _differences(case, game, state, depth, mine, textbook, result)
    passed = frozenset() if failure else frozenset(case.checks) - set(differences)
    if len(passed) == len(case.checks):
        return Outcome(case, passed)
    told = failure or next(iter(differences.values()))
    are_bounds = has_table and any(node.pruned for node in mine.recording.nodes)
    if not are_bounds and EXPANSIONS not in differences:
        move = result.line[0] if result.line else None
        searcher = case.algorithm if case.algorithm == MAXN else "minimax"
        view = WatchedSearch(game, state, searcher, "", Decision(move), textbook, SearchLimits())
        step = parting(mine.recording, view, ordered=prunes, alike=not has_table, whole=not failure)
        told = "; ".join(filter(None, (failure, step))) or told
    if is_swapped:  # and the value is a legal move, too
        told += "; or you return move, value: expected value, move"
    return Outcome(case, passed, printable(told))


def _differences(
    case: Case,
    game: Game[Any],
    state: State,
    depth: int,
    mine: ObservedSearch,
    textbook: Recording,
    result: Result,
) -> dict[str, str]:
    """By check that is not passed: what is found at the end of the search."""
    found: dict[str, str] = {}
    value = result.value if result.values is None else result.values
    if not equal(mine.value, value):
        found[VALUE] = f"your value is {worth_text(mine.value)}; it is {worth_text(value)}"
    if result.line and mine.move is None:
        found[MOVE] = f"you return no legal move; the move is {game.text(state, result.line[0])}"
    elif result.line:
        worth = _reference(case, game, state, depth, only=mine.move)[1].value
        texts = [game.text(state, move) for move in (mine.move, result.line[0])]
        if not equal(worth, result.value):
            found[MOVE] = (
                f"you play {texts[0]}, which is worth {number_text(worth)};"
                f" {texts[1]} is worth {number_text(result.value)}"
            )
    ordered = case.algorithm in _PRUNE
    leaves = [[path_of(node) for node in each.nodes if node.source] for each in (mine.recording, textbook)]
    if leaves[0] != leaves[1] and (ordered or Counter(leaves[0]) != Counter(leaves[1])):
        found[LEAVES] = "you look at other leaves than the textbook, or in another order"
    visited, wanted = len(mine.recording.nodes), len(textbook.nodes)
    if visited != wanted:
        found[NODES] = f"you visit {visited} nodes; the textbook {wanted}"
    estimates = sum(node.source == ESTIMATE for node in textbook.nodes)
    if mine.evaluations != estimates:
        found[EVALUATIONS] = f"you ask for {mine.evaluations} estimates; the textbook for {estimates}"
    expanded = sum(bool(node.children) for node in mine.recording.nodes)
    if EXPANSIONS in case.checks and expanded > _AGAIN * (positions := _inner_states(state, depth)):
        found[EXPANSIONS] = f"{expanded} nodes were expanded, for {positions} positions"
    return {check: found[check] for check in case.checks if check in found}


def _reference(
    case: Case, game: Game[Any], state: State, depth: int, order: Order | None = None, only: Move = None
) -> tuple[Recording, Result]:
    meter = OrderedMeter(order or {}, only, vectors=case.algorithm == MAXN)
    search = _SEARCHES.get(case.algorithm) or best_reply_with_lists(game, "")
    result = search(state, depth, game.estimate, meter)
    return meter.recordings[0], result


def _inner_states(state: State, depth: int) -> int:
    """How many positions there are with moves and plies left, each once for each number of plies."""
    count, ply = 0, {state}
    for _ in range(depth):
        ply = {each for each in ply if each.player != OVER}
        count += len(ply)
        ply = {each.play(move) for each in ply for move in each.moves()}
    return count


def _examine_uct(path: str, case: Case, game: Game[Any], state: State, _depth: int) -> Outcome:
    checked = _CheckedUct(path, game)
    uct(
        state,
        Meter(SearchLimits(playouts=case.playouts)),
        seed=case.seed,
        exploration=case.exploration,
        payoffs=game.payoffs,
        select=checked.select,
        back_up=checked.back_up,
    )
    if checked.simulations < case.playouts:  # uct takes it for the end of the memory for its tree
        raise OwnFileError(f"MemoryError in simulation {checked.simulations + 1}")
    told = [checked.problems[each] for each in case.checks if each in checked.problems]
    return Outcome(case, frozenset(case.checks) - set(checked.problems), printable("; ".join(told)))


class _CheckedUct:
    """A file's selection and backpropagation beside the textbook's on one tree, and the first `problems`."""

    def __init__(self, path: str, game: Game[Any]) -> None:
        module = load(path)
        self._counts: dict[Node, tuple[int, float]] = {}  # visits and totals as they should be
        self._select, self._back_up = (function_of(module, name) for name in FUNCTIONS[UCT])
        self._game = game
        self.simulations = 0
        self.problems: dict[str, str] = {}

    def select(self, node: Node, exploration: float) -> Node:
        best, visits = node.best(exploration), node.visits
        bounds = {
            each: upper_bound(each.rate, each.visits, visits, exploration, None)
            for each in node.children.values()
        }
        chosen: Node = self._select(node, exploration)
        if chosen not in bounds:
            raise OwnFileError("select returned something else than a child of the node")
        if bounds[chosen] >= bounds[best] or equal(bounds[chosen], bounds[best]):
            return chosen
        texts = [self._game.text(node.state, each.move) for each in (chosen, best)]
        self._tell(
            SELECTION,
            f"you selected {texts[0]}, whose bound is {number_text(bounds[chosen])}; {texts[1]} has"
            f" {number_text(best.rate)} + {exploration:g}·sqrt(ln {visits} / {best.visits})"
            f" = {number_text(bounds[best])}",
        )
        return best

    def back_up(self, nodes: list[Node], results: list[float]) -> None:
        for node in nodes:
            visits, total = self._counts.get(node, (0, 0.0))
            self._counts[node] = visits + 1, total + (results[node.mover] if node.mover >= 0 else 0.0)
        self._back_up(list(nodes), list(results))
        above = {child: node for node in nodes for child in node.children.values()}
        for node in dict.fromkeys([*nodes, *above]):  # a file may change nodes beside the path, too
            visits, total = self._counts.get(node, (0, 0.0))
            beside = "" if node in nodes else ", as it is not on the path"
            if node.visits != visits:
                told = f"{node.visits} visits; it is {visits}{beside}"
                self._tell(BACKPROPAGATION, f"{self._name(node, above)} has {told}")
            elif node.mover >= 0 and not equal(node.total, total):
                got = f": player {node.mover}, who moved there, got {number_text(results[node.mover])}"
                told = f"{number_text(node.total)}; it is {number_text(total)}{beside or got}"
                self._tell(BACKPROPAGATION, f"{self._name(node, above)} has the total {told}")
            node.visits, node.total = visits, total
        self.simulations += 1

    def _name(self, node: Node, above: Mapping[Node, Node]) -> str:
        words: list[str] = []
        while node in above:
            words.insert(0, self._game.text(above[node].state, node.move))
            node = above[node]
        return f"after it {'node ' + '>'.join(words) if words else 'the root'}"

    def _tell(self, check: str, problem: str) -> None:
        self.problems.setdefault(check, f"simulation {self.simulations + 1}: {problem}")


def _examine_estimate(path: str, case: Case, game: Game[Any], state: State, _depth: int) -> Outcome:
    own = function_of(load(path), ESTIMATE)
    for reached, moves in _positions(game, state, case.positions, case.seed).items():
        values, wanted = values_of(own(reached), game.players), tuple(game.estimate(reached))
        if not equal(values, wanted):
            at = f"after {moves}" if moves else "at the beginning"
            side = ": yours is from the other side" if equal(values, tuple(-each for each in wanted)) else ""
            told = f"{at} your estimate is {worth_text(values)}; it is {worth_text(wanted)}{side}"
            return Outcome(case, problem=printable(told))
    return Outcome(case, frozenset(case.checks))


def _positions(game: Game[Any], start: State, count: int, seed: int) -> dict[State, str]:
    """Positions of random games, the first one first, with the moves that lead there."""
    random, found = Random(seed), {start: ""}
    for _ in range(count):
        state, moves = start, []
        for _ in range(random.randrange(1, _PLIES)):
            move = random.choice(state.moves())
            if (after := state.play(move)).player < 0:
                break
            moves.append(game.text(state, move))
            state = after
        found.setdefault(state, " ".join(moves))
    return found
