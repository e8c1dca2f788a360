"""The UCI targets: lines to an idle engine, and lines during a search."""

from __future__ import annotations

import re
import time
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from protocol.uci.options import EMPTY, OPTIONS
from protocol.uci.parser import Bare, Bench, Debug, Go, Perft, SetOption
from scripts.laboratory.fuzzing.engine_files import prepare
from scripts.laboratory.fuzzing.ingredients import FENS
from scripts.laboratory.fuzzing.target import CaseResult, FuzzTarget, Process, ProcessTarget, require
from scripts.laboratory.fuzzing.uci_answers import (
    Shown,
    check_answers,
    check_search,
    is_refused,
    is_report,
    without_board,
)
from scripts.laboratory.fuzzing.uci_lines import make_during_search, make_line, make_option, understood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scripts.laboratory.fuzzing.uci_answers import Understood

_FENCE = "joho"
_BENCH_END = re.compile(r"\d+ nodes \d+ nps")
_USUAL = [
    *(
        f"setoption name {option.name} value {EMPTY if option.default is None else option.default}"
        for option in OPTIONS
        if option.kind in {"check", "spin", "string"} and option.apply is not None
    ),
    "setoption name Eval value linear",
    "debug off",
    "ucinewgame",
    "position startpos",
]
"""Lines that restore the state at the start."""
_LONG = ("infinite", "infinite depth 3", "ponder wtime 50 btime 50", "ponder movetime 5", "ponder depth 2")
_SHORT = ("depth 1", "nodes 30", "movetime 1", "wtime 1 btime 1", "depth 3", "mate 1")


class _UciTarget(ProcessTarget):
    """What the UCI targets have in common."""

    together = 40
    tries = 40

    def __init__(self, command: Sequence[str], make: Callable[[Random], bytes]) -> None:
        super().__init__(Process(command, prepare))
        self._make = make
        self._fences = 0

    def make(self, rng: Random) -> bytes:
        """See FuzzTarget."""
        return self._make(rng)

    def run(self, cases: Sequence[bytes]) -> Iterator[CaseResult]:
        """See FuzzTarget."""
        self._begin()
        for line in cases:
            began = time.monotonic()
            count = self._take(line)
            yield CaseResult(count, time.monotonic() - began)
        self._end()
        self._process.check()

    def _begin(self) -> None:
        """Prepare for lines that share a state."""
        self._send(*_USUAL)
        self._up_to_fence()

    def _take(self, line: bytes) -> int:
        """Send a line and check the answers. Their number."""
        raise NotImplementedError

    def _end(self) -> None:
        """Finish after lines that share a state."""

    def _send(self, *lines: str) -> None:
        self._process.send("\n".join(lines).encode())

    def _up_to_fence(self) -> list[str]:
        """Send an unknown command. The lines before the answer to it."""
        self._fences += 1
        fence = f"{_FENCE}{self._fences}"
        self._send(fence)
        return self._process.until(f"info string unknown command: '{fence}'")

    def _shown(self) -> tuple[list[str], Shown]:
        """Send `d`. The lines before its answer, and the answer."""
        self._send("d")
        lines = self._up_to_fence()
        return without_board(lines), Shown.read(lines)

    def _up_to_move(self) -> list[str]:
        """The lines up to the next `bestmove`, including it."""
        lines = [self._process.receive()]
        while not lines[-1].startswith("bestmove "):
            lines.append(self._process.receive())
        return lines


class IdleTarget(_UciTarget):
    """Sends each line to an idle engine. Searches are stopped at once."""

    def _begin(self) -> None:
        super()._begin()
        _, self._before = self._shown()

    def _take(self, line: bytes) -> int:
        command = understood(line)
        self._process.send(line)
        if isinstance(command, Bench):
            while not _BENCH_END.fullmatch(self._process.receive()):
                pass
        answers: list[str] = []
        if isinstance(command, Go):
            self._send("stop")
            answers = self._up_to_move()
        elif isinstance(command, Perft):
            answers = [*self._process.until(""), "", self._process.receive(), self._process.receive()]
        late, after = self._shown()
        if isinstance(command, Go) and answers:
            require(not late, f"after bestmove: {late}")
            check_search(command, answers, self._before)
        answers += late
        check_answers(command, answers, self._before, after)
        self._before = after
        return len(answers)


class SearchingTarget(_UciTarget):
    """Sends each line during a search, which ends with `stop` or `ponderhit`.

    The engine must obey a line at once or refuse it. `stop` is sent together with more positions and
    searches, which must be obeyed in order.
    """

    def _begin(self) -> None:
        super()._begin()
        self._past = 0
        self._search(Random(0))

    def _take(self, line: bytes) -> int:
        command = understood(line)
        # What follows a `stop` depends on all lines so far: the next search varies, and yet the same lines
        # reproduce a failure.
        self._past = crc32(line, self._past)
        chance = Random(self._past)
        if command == Bare("stop"):
            count = self._stop(line, chance)
            self._search(chance)
            return count
        if command == Bare("ponderhit") and self._pondering:
            self._process.send(line)
            self._check_move(self._up_to_move(), self._fen)
            self._search(chance)
            return 1
        self._process.send(line)
        answers = [each for each in self._up_to_fence() if not each.startswith("info depth ")]
        _check_during_search(command, answers)
        return len(answers)

    def _end(self) -> None:
        self._stop(b"stop", Random(self._past))

    def _stop(self, line: bytes, chance: Random) -> int:
        """Stop the search, and send more searches with it. The number of moves."""
        fens = [self._fen, *chance.choices(FENS, k=chance.randrange(4))]
        after = [f"position fen {fen}\ngo {chance.choice(_SHORT)}\nstop" for fen in fens[1:]]
        self._process.send(b"\n".join([line, *(each.encode() for each in after)]))
        for fen in fens:
            self._check_move(self._up_to_move(), fen)
        late, shown = self._shown()
        require(not any(each.startswith("bestmove") for each in late), f"more than {len(fens)} moves: {late}")
        require(shown.board.shredder_fen() == _canonical(fens[-1]), f"not {fens[-1]}, but {shown.fen}")
        return len(fens)

    def _search(self, chance: Random) -> None:
        """Start a search that does not end by itself."""
        words, self._fen = chance.choice(_LONG), chance.choice(FENS)
        self._pondering = words.startswith("ponder")
        self._send(f"position fen {self._fen}", f"go {words}")
        early = self._up_to_fence()
        require(not any(each.startswith("bestmove") for each in early), f"go {words} ended by itself")

    @staticmethod
    def _check_move(lines: list[str], fen: str) -> None:
        require(all(map(is_report, lines[:-1])), f"before a move: {lines!r:.500}")
        text = lines[-1].split()[1]
        position = parse_fen(fen)
        try:
            is_legal = text == "(none)" if not legal_moves(position) else bool(parse_move(position, text))
        except MoveError:
            is_legal = False
        require(is_legal, f"{text} in {fen}")


def _canonical(fen: str) -> str:
    return format_fen(parse_fen(fen), chess960=True)


def _check_during_search(command: Understood, answers: list[str]) -> None:
    wrong = f"during a search, the answer to {command!r} is {answers!r:.200}"
    require(not any(each.startswith("bestmove") for each in answers), wrong)
    match command:
        case None | Debug() | Bare("register" | "ponderhit"):
            require(not answers, wrong)
        case Bare("isready"):
            require(answers == ["readyok"], wrong)
        case Bare("uci"):
            require(answers.count("uciok") == 1 and answers[-1] == "uciok", wrong)
        case Bare("d" | "help" | "compiler"):
            require(answers, wrong)
        case SetOption():
            require(not answers or is_refused(answers), wrong)
        case _:
            require(is_refused(answers), wrong)


def uci(command: Sequence[str]) -> FuzzTarget:
    """Lines of all kinds to an idle engine."""
    return IdleTarget(command, make_line)


def uci_searching(command: Sequence[str]) -> FuzzTarget:
    """Lines of all kinds during searches."""
    return SearchingTarget(command, make_during_search)


def options(command: Sequence[str]) -> FuzzTarget:
    """Mostly `setoption`, with names of existing and missing files."""
    return IdleTarget(command, make_option)
