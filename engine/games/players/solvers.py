"""Exact values: the solver for a state, be it a theory, a table or alpha-beta; players; files of tables.

`exact_solver` chooses for a position, in this order: the rules, where the game is over; a theory of the
game, such as the Grundy values of splitting Nim; an endgame table, from a file or made at once; alpha-beta to
the end of the game; a table of all states that can follow.

The file of an endgame table is one binary, described by JSON at its head:

    8 bytes     LolliTab
    u16, u16    version, 0
    u32         length of the description in bytes
    …           description: JSON in UTF-8
    …           the entries of all parts, one after the other, compressed by zlib
    32 bytes    BLAKE2b of everything before

Numbers are little-endian. The description:

    {"game": "chess", "men": "KPK", "parts": [["KQK", 81920], ["KRK", 81920], ["KPK", 196608]]}

A part is named after its pieces and has that many entries, one byte each; endgame_table.py says what an entry
means, and the game's `Positions` which position has which number. A file is read whole or not at all.
"""

import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from sys import getsizeof
from time import monotonic
from typing import Any, cast

from engine.games.fast.othello_endgame import OthelloEndgame
from engine.games.fast.solver import Solver
from engine.games.players import Player
from engine.games.rules.connectfour import ConnectFour
from engine.games.rules.game import OVER, Game, Move, NotApplicableError, Positions, State
from engine.games.rules.othello import Othello
from engine.games.search.basics import Counts, Decision, Meter, SearchLimits, SearchStoppedError
from engine.games.search.endgame_table import EndgameTable, Part, make_table
from engine.games.search.lookup import MOST_STATES, Payoffs, TooManyStatesError, solve
from engine.system.files import FilePath, read_file

OTHELLO_REACH = 26
"""Empty squares of Othello: with more, no score is found in the time that a move takes."""
_STATE_BYTES = 1 << 27  # of the states of a full table; fewer than MOST_STATES where each of them is large
SHARE = 0.5
"""Of the time or the nodes, for the solver; if it has no result by then, the rest is for compiled UCT."""
MAGIC, VERSION = b"LolliTab", 1
LARGEST_FILE = 1 << 26  # bytes
_HEAD, _DIGEST = 16, 32  # bytes


class BeyondReachError(Exception):
    """A position that nobody here can solve; the message says why, and what could be solved, in one line."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What has been proved of a state.

    `values` are the payoffs with best play; `line` is best play of all, `whole` if it goes on to the end of
    the game, to a node of chance, or as far as a draw makes sense. `score` is that of the player to move, as
    finely as the solver knows it. `plies` to the end, where the shortest win is known. `note`: why it is so,
    where that may surprise.
    """

    values: tuple[float, ...]
    line: tuple[Move, ...]
    whole: bool = True
    score: int | None = None
    plies: int | None = None
    note: str = ""


class ExactSolver:
    """Answers questions about positions of one game. All but `stop` and `nodes` are for one thread.

    `title` says how it proves. This class has a meter that a limit or `stop` can end, for solvers in Python.
    """

    title: str

    def __init__(self) -> None:
        self._stop = False
        self._before = 0
        self._meter = Meter()

    @property
    def nodes(self) -> int:
        return self._before + self._meter.visited

    def begin(self, limits: SearchLimits) -> None:
        """Forget an earlier stop; the limits hold for all questions until the next call."""
        self._stop = False
        self._before = self.nodes
        self._meter = Meter(limits, lambda: self._stop)

    def stop(self) -> None:
        self._stop = True

    def obstacle(self, state: Any) -> str | None:
        """Why a state is beyond reach, None if it is not known to be."""
        del state
        return None

    def solutions(self, state: Any, *, strong: bool = True) -> Iterator[Solution]:
        """What is proved, the better the later; the last is whole. Not `strong`: only who wins.

        Raises BeyondReachError, SearchStoppedError; what was found up to then stays true.
        """
        raise NotImplementedError


class TheorySolver(ExactSolver):
    """By the rules, where the game is over, and by what the game itself knows of every state."""

    def __init__(self, game: Game[Any], title: str) -> None:
        super().__init__()
        self._game, self.title = game, title

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        del strong
        line: list[Move] = []
        values = self._known(state)
        while state.player >= 0:
            self._meter.visit()
            mover = state.player
            line.append(max(state.moves(), key=lambda move: self._known(state.play(move))[mover]))
            state = state.play(line[-1])
        yield Solution(values, tuple(line))

    def _known(self, state: State) -> tuple[float, ...]:
        return tuple(self._game.known(state) or ()) if state.player != OVER else tuple(state.payoff())


class FullTableSolver(ExactSolver):
    """By a table of all states that can follow, for any number of players, with or without chance."""

    title = "table of all states that can follow"

    def __init__(self) -> None:
        super().__init__()
        self._table: dict[State, Payoffs] = {}

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        del strong
        if state not in self._table:
            most = min(MOST_STATES, _STATE_BYTES // getsizeof(state))
            try:
                self._table = solve(state, most, self._meter)
            except TooManyStatesError:
                raise BeyondReachError(
                    f"more than {most:,} states can follow, too many for a table"
                ) from None
            except NotApplicableError as error:
                raise BeyondReachError(str(error)) from None
        values, line = self._table[state], []
        while state.player >= 0:
            line.append(self._best(state))
            state = state.play(line[-1])
        yield Solution(values, tuple(line))

    def _best(self, state: State) -> Move:
        return max(state.moves(), key=lambda move: self._table[state.play(move)][state.player])


class EndgameTableSolver(ExactSolver):
    """By an endgame table, one that is given, or one that is made when it is first needed."""

    title = "endgame table"

    def __init__(self, game: Game[Any], table: EndgameTable | None = None) -> None:
        super().__init__()
        self._game = game
        self._table = table or EndgameTable(())

    def obstacle(self, state: State) -> str | None:
        given = [part.positions for part in self._table.parts]
        endings = given or self._game.endings()
        if any(positions.number(state) is not None for positions in endings):
            return None
        reason = "not in the endgame table" if given else "no endgame table has these men; in reach"
        return f"{reason}: {', '.join(positions.title for positions in endings)}"

    def solutions(self, state: State, *, strong: bool = True) -> Iterator[Solution]:
        del strong
        if self._table.verdict(state) is None:
            endings = self._game.endings()
            men = next((each.name for each in endings if each.number(state) is not None), None)
            if self._table.parts or men is None:
                raise BeyondReachError(self.obstacle(state))
            self._table = make_table(self._game.endings(men), self._meter)
        values, verdict = self._table.look_up(state), self._table.verdict(state)
        if verdict is None:
            raise BeyondReachError(self.obstacle(state))
        if values is None:
            raise BeyondReachError(
                f"the win in {verdict.plies} plies may come too late: the game may be drawn by rule before,"
                " and the table cannot tell"
            )
        line = tuple(self._table.line(state))
        if verdict.winner is not None and not any(values):
            note = f"the win in {verdict.plies} plies comes too late for the fifty-move rule"
            yield Solution(values, line, note=note)
            return
        yield Solution(values, line, plies=None if verdict.winner is None else verdict.plies)


class AlphaBetaSolver(ExactSolver):
    """By alpha-beta to the end of the game: Connect Four's or Othello's."""

    title = "alpha-beta to the end of the game"

    def __init__(self, start: ConnectFour | Othello, megabytes: int = 64) -> None:
        """For all positions on a board like this. Raises NoMemoryError, ValueError for too small a table."""
        super().__init__()
        self._solver: Solver | OthelloEndgame = (
            OthelloEndgame(megabytes) if isinstance(start, Othello) else Solver(start, megabytes)
        )

    @property
    def nodes(self) -> int:
        return self._solver.nodes

    def begin(self, limits: SearchLimits) -> None:
        self._solver.begin(limits)

    def stop(self) -> None:
        self._solver.stop()

    def obstacle(self, state: Any) -> str | None:
        if not isinstance(state, Othello):
            return None
        empty = state.empty().bit_count()
        return (
            f"{empty} squares are empty; in reach: {OTHELLO_REACH} or fewer"
            if empty > OTHELLO_REACH
            else None
        )

    def solutions(self, state: Any, *, strong: bool = True) -> Iterator[Solution]:
        # Who wins is proved first, then the score, and then the line is found.
        for strongly in [False, True] if strong else [False]:
            score = self._solver.score(state, strong=strongly)
            value = float((score > 0) - (score < 0))
            values = (value, 0.0 - value) if state.player == 0 else (0.0 - value, value)  # not -0.0
            move = self._solver.best_move(state, strong=strongly)
            found = Solution(values, (move,), whole=False, score=score if strongly else None)
            yield found
        line = tuple(self._solver.line(state, strong=strong))
        yield Solution(values, line, score=found.score)


def solver_obstacle(start: State) -> str | None:
    """Why a game with this first state has no solver by alpha-beta, None if it has."""
    return None if isinstance(start, ConnectFour | Othello) else "needs Connect Four or Othello"


def exact_solver(
    game: Game[Any], state: State, table: EndgameTable | None = None, megabytes: int = 64
) -> ExactSolver:
    """The solver for a state; `megabytes` are for the solver by alpha-beta.

    Raises BeyondReachError, NoMemoryError, and ValueError where there can be no such solver.
    """
    solver = _candidate(game, state, table, megabytes)
    if reason := solver.obstacle(state):
        raise BeyondReachError(reason)
    return solver


def _candidate(game: Game[Any], state: State, table: EndgameTable | None, megabytes: int) -> ExactSolver:
    if state.player == OVER:
        return TheorySolver(game, "rules of the game")
    if table is not None:
        return EndgameTableSolver(game, table)
    if game.known(state) is not None:
        return TheorySolver(game, "theory of the game")
    with suppress(NotApplicableError):
        game.endings()
        return EndgameTableSolver(game)
    if isinstance(state, ConnectFour | Othello):
        return AlphaBetaSolver(state, megabytes)
    return FullTableSolver()


class TablePlayer(Player):
    """Plays by a table of all states, made when first needed; any legal move where it is too large."""

    def __init__(self) -> None:
        super().__init__()
        self._solver = FullTableSolver()

    def stop(self) -> None:
        super().stop()
        self._solver.stop()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        began, nodes = monotonic(), self._solver.nodes
        self._solver.begin(limits)
        if self._stop:  # it may have come before
            self._solver.stop()
        decision = _best_decision(self._solver, state) or Decision(state.moves()[0])
        counts = Counts(visited=self._solver.nodes - nodes)
        return replace(decision, seconds=monotonic() - began, counts=counts)


class SolverPlayer(Player):
    """Plays a move that keeps the exact value and, if `strong`, the exact score.

    It proves who wins, then, if `strong`, by how much or how soon, then the line. At a limit the last result
    proved counts; if there is none, compiled UCT has the rest of the time.
    """

    def __init__(
        self, game: Game[Any], otherwise: Player, *, megabytes: int, strong: bool, nodes: int
    ) -> None:
        """`otherwise`: compiled UCT. `nodes`: the limit where the limits name neither seconds nor nodes."""
        super().__init__()
        self._solver = AlphaBetaSolver(cast("ConnectFour | Othello", game.start()), megabytes)
        self._otherwise = otherwise
        self._strong, self._nodes = strong, nodes

    def stop(self) -> None:
        super().stop()
        self._solver.stop()
        self._otherwise.stop()

    def new_game(self) -> None:
        self._otherwise.new_game()

    def _choose(self, state: State, limits: SearchLimits, allowed: Collection[Move] | None) -> Decision:
        del allowed
        began, nodes = monotonic(), self._solver.nodes
        self._solver.begin(self._limits_of_solver(limits))
        if self._stop:  # it may have come before
            self._solver.stop()
        hopeless = self._solver.obstacle(state) is not None
        decision = None if hopeless else _best_decision(self._solver, state, strong=self._strong)
        held = limits if limits != SearchLimits() else SearchLimits(nodes=self._nodes)
        if decision is None:
            left = self._limits_left(limits, monotonic() - began, self._solver.nodes - nodes)
            decision = self._otherwise.choose(state, left, stopped=self._stopped)
            held = limits if limits != SearchLimits() else decision.limits
        counts = decision.counts + Counts(visited=self._solver.nodes - nodes)
        return replace(decision, seconds=monotonic() - began, counts=counts, limits=held)

    def _limits_of_solver(self, limits: SearchLimits) -> SearchLimits:
        if limits.seconds is None and limits.nodes is None:
            return SearchLimits(nodes=self._nodes)
        return SearchLimits(
            seconds=None if limits.seconds is None else limits.seconds * SHARE,
            nodes=None if limits.nodes is None else max(int(limits.nodes * SHARE), 1),
        )

    def _limits_left(self, limits: SearchLimits, seconds: float, nodes: int) -> SearchLimits:
        """The limits of UCT after the solver has used `seconds` and `nodes`; next to none after a stop."""
        if self._stop:
            return SearchLimits(playouts=1)
        return replace(
            limits,
            seconds=None if limits.seconds is None else max(limits.seconds - seconds, 0.0),
            nodes=None if limits.nodes is None else max(limits.nodes - nodes, 1),
        )


def _best_decision(solver: ExactSolver, state: State, *, strong: bool = True) -> Decision | None:
    """By the last solution that is found before a limit is reached; None where there is none."""
    decision: Decision | None = None
    with suppress(SearchStoppedError, BeyondReachError):
        for found in solver.solutions(state, strong=strong):
            decision = Decision(
                found.line[0],
                value=found.values[state.player],
                values=found.values,
                line=found.line,
                depth=len(found.line) if found.whole else 0,
                exact=True,
            )
    return decision


class TableFileError(ValueError):
    """A file that is not an endgame table of the game, or is damaged; the message is one line."""


def packed(game: Game[Any], men: str, table: EndgameTable) -> bytes:
    """The content of the file of a table that was made of `game.endings(men)`."""
    parts = [[part.positions.name, part.positions.size] for part in table.parts]
    description = json.dumps({"game": game.name, "men": men, "parts": parts}).encode()
    head = MAGIC + VERSION.to_bytes(2, "little") + bytes(2) + len(description).to_bytes(4, "little")
    entries = zlib.compress(b"".join(part.entries for part in table.parts), 9)
    content = head + description + entries
    return content + blake2b(content, digest_size=_DIGEST).digest()


def load_table(path: FilePath, game: Game[Any]) -> EndgameTable:
    """The table in a file. Raises TableFileError."""
    if not str(path):
        raise TableFileError("the name of the file is empty")
    try:
        content = read_file(path, LARGEST_FILE)
    except OSError as error:
        raise TableFileError(f"{path}: {error.strerror}") from None
    try:
        return unpacked(content, game)
    except TableFileError as error:
        raise TableFileError(f"{path}: {error}") from None


def unpacked(content: bytes, game: Game[Any]) -> EndgameTable:
    """The table in the content of a file. Raises TableFileError."""
    if content[: len(MAGIC)] != MAGIC:
        raise TableFileError("not an endgame table")
    if blake2b(content[:-_DIGEST], digest_size=_DIGEST).digest() != content[-_DIGEST:]:
        raise TableFileError("damaged: the checksum is wrong")
    version = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 2], "little")
    if version != VERSION:
        raise TableFileError(f"an endgame table of version {version}; this is version {VERSION}")
    end = _HEAD + int.from_bytes(content[_HEAD - 4 : _HEAD], "little")
    endings = _described(content[_HEAD:end], game)
    entries = _inflated(content[end:-_DIGEST], sum(positions.size for positions in endings))
    parts = []
    for positions in endings:
        parts.append(Part(positions, entries[: positions.size]))
        entries = entries[positions.size :]
    return EndgameTable(parts)


def _described(description: bytes, game: Game[Any]) -> Sequence[Positions]:
    try:
        read = json.loads(description)
        name, men, parts = str(read["game"]), str(read["men"]), read["parts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TableFileError("its description cannot be read") from None
    if name != game.name:
        raise TableFileError(f"an endgame table of {name[:40]!r}, not of {game.name}")
    try:
        endings = game.endings(men)
    except NotApplicableError as error:
        raise TableFileError(str(error)) from None
    if parts != [[positions.name, positions.size] for positions in endings]:
        raise TableFileError(f"its parts are not those of {men[:40]!r}")
    return endings


def _inflated(data: bytes, size: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(data, size + 1)
    except zlib.error:
        found = b""
    if len(found) != size or not inflater.eof:
        raise TableFileError("its entries cannot be read")
    return found
