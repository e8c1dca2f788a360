"""Random and damaged lines to the engine over UCI and GTP, and its answers checked.

Each line must be answered, once and in order; an invalid one must change nothing.
"""

import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple, Self
from zlib import crc32

import chess

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from engine.games.catalogue import GAMES
from protocol.gtp.commands import COMMANDS
from protocol.gtp.parser import Request
from protocol.gtp.parser import parse as parse_gtp
from protocol.text import ProtocolError, located
from protocol.uci.dialogue import DISTURBING
from protocol.uci.options import EMPTY, OPTIONS
from protocol.uci.parser import Bare, Bench, Debug, Go, Perft, SetOption, SetPosition, command_word
from scripts.laboratory.engine_pipe import NS_PER_S, EngineError, EnginePipe, EngineSilentError
from tests.patience import PATIENCE
from tests.protocol.fuzz_lines import (
    FENS,
    GENERATING,
    LEGAL_MOVE,
    LIMITS,
    STRICTER,
    Understood,
    gtp_line,
    prepare,
    uci_line,
    uci_line_during_search,
    understood,
)

MOST_MEMORY = 300 << 20
"""The largest resident memory of a process, in bytes."""
SILENT = "the process does not answer"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


class CaseError(Exception):
    """A case has failed. The message says how, in one line."""


def require(condition: object, what: str) -> None:
    if not condition:
        raise CaseError(what)


class Process:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._pipe: EnginePipe | None = None

    def send(self, line: bytes) -> None:
        try:
            self._started().send_bytes(line)
        except EngineError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None

    def receive(self) -> str:
        pipe = self._started()
        try:
            line, _ = pipe.receive(time.monotonic_ns() + int(PATIENCE * NS_PER_S))
        except EngineSilentError:
            raise CaseError(f"{SILENT}{self._stderr()}") from None
        except EngineError as error:
            raise CaseError(f"the process {error}{self._stderr()}") from None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise CaseError(f"not UTF-8: {line[:200]!r}") from None
        require(not _CONTROL.search(text), f"a line has control characters: {text[:200]!r}")
        require("internal error" not in text and "Traceback" not in text, text)
        return text

    def until(self, last: str) -> list[str]:
        lines = []
        while (line := self.receive()) != last:
            lines.append(line)
        return lines

    def check(self) -> None:
        if self._pipe is not None:
            require(not self._stderr(), f"on stderr{self._stderr()}")
            peak = self._pipe.peak()
            require(peak <= MOST_MEMORY, f"{peak >> 20} MB of memory")

    def close(self) -> None:
        if self._pipe is None:
            return
        try:
            self.check()
            status = self._pipe.close(PATIENCE)
            self._pipe = None
            require(status == 0, f"quit ends with status {status}")
        finally:
            self.kill()

    def kill(self) -> None:
        if self._pipe is not None:
            self._pipe.kill()
        if self._folder is not None:
            with contextlib.suppress(OSError):
                self._folder.cleanup()
        self._pipe = self._folder = None

    def _started(self) -> EnginePipe:
        if self._pipe is None:
            self._folder = tempfile.TemporaryDirectory(prefix="lolli-fuzz-")
            prepare(Path(self._folder.name))
            self._pipe = EnginePipe(self._command, self._folder.name)
        return self._pipe

    def _stderr(self) -> str:
        errors = self._pipe.errors() if self._pipe is not None else b""
        return f": {errors.decode(errors='replace').strip()}" if errors else ""


TOGETHER = 40
"""Lines that share a state."""


class Dialogue:
    arguments: tuple[str, ...] = ()
    make: Callable[[Random], bytes]
    """A line from random numbers."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = Process([*command, *self.arguments])

    def run(self, lines: Sequence[bytes]) -> Iterator[None]:
        """Yield after each line. Raises CaseError, IndexError or ValueError at a wrong answer."""
        raise NotImplementedError

    def lines(self, seed: str, first: int) -> list[bytes]:
        """TOGETHER lines; each depends on the seed and its number alone."""
        return [self.make(Random(f"{seed}:{number}")) for number in range(first, first + TOGETHER)]


_INFO_STRING = "info string "
_INFO = re.compile(
    r"info depth \d+ (currmove [a-h][1-8]\S* currmovenumber \d+|seldepth \d+ multipv \d+"
    r" score (cp -?\d+|mate -?\d+)( lowerbound| upperbound)?( wdl \d+ \d+ \d+)?"
    r" nodes \d+ nps \d+ hashfull \d+ tbhits \d+ time \d+( pv( [a-h][1-8][a-h][1-8][nbrq]?)+)?)"
)
_PREFIX = "played the moves before it"
_BOARD_LINES = 24
_SILENT = ("ucinewgame", "stop", "ponderhit", "register", "flip")


@dataclass(frozen=True, slots=True)
class Shown:
    """The answer to `d`: the position, and its legal moves as the engine writes them."""

    fen: str
    key: str
    moves: frozenset[str]

    @classmethod
    def read(cls, lines: Sequence[str]) -> Self:
        try:
            fen, key, _, moves = lines[-4:]
        except ValueError:
            raise CaseError(f"no board: {lines!r}") from None
        require(fen.startswith("Fen: ") and moves.startswith("Legal moves:"), f"no board: {lines[-4:]!r}")
        return cls(fen.removeprefix("Fen: "), key, frozenset(moves.split()[2:]))

    @property
    def board(self) -> chess.Board:
        return chess.Board(self.fen, chess960=True)


def without_board(lines: Sequence[str]) -> list[str]:
    require(len(lines) >= _BOARD_LINES, f"no board: {lines!r}")
    return list(lines[:-_BOARD_LINES])


def is_refused(answers: Sequence[str]) -> bool:
    return len(answers) == 1 and answers[0].startswith(_INFO_STRING)


def check_answers(command: Understood, answers: Sequence[str], before: Shown, after: Shown) -> None:
    """Of an idle engine; see check_search for `go`. The position must not change without reason."""
    wrong = f"the answer to {command!r} is {list(answers)!r:.200}"
    match command:
        case None | Debug():
            require(not answers, wrong)
        case ProtocolError():
            require(is_refused(answers), wrong)
        case Bare(word):
            _check_bare(word, answers, wrong)
        case SetOption() | SetPosition():
            require(not answers or is_refused(answers), wrong)
        case Perft(depth, skipped):
            check_perft(depth, answers[len(skipped) :], before)
        case Go():
            require(answers[-1].startswith("bestmove "), wrong)
        case Bench():
            require(not answers, wrong)
    _check_place(command, answers, before, after)


def _check_place(command: Understood, answers: Sequence[str], before: Shown, after: Shown) -> None:
    if isinstance(command, SetPosition):
        _check_position(command, answers, after)
    if isinstance(command, SetOption):  # which may change how castling is written
        same = (before.key, len(before.moves)) == (after.key, len(after.moves))
    elif command == Bare("flip"):
        same = _placement(before.board.mirror()) == _placement(after.board)
    else:
        same = before == after or (
            isinstance(command, SetPosition) and (not answers or _PREFIX in answers[0])
        )
    require(same, f"{before.fen} became {after.fen} by {command!r}")


def check_search(command: Go, answers: Sequence[str], shown: Shown) -> None:
    """Require reports, then one move, which is legal and among the legal `searchmoves`."""
    *reports, best = answers
    wrong = f"the answer to {command!r} in {shown.fen} is {list(answers[-2:])!r:.200}"
    require(all(map(is_report, reports)), wrong)
    words = best.split()
    require(words[0] == "bestmove" and len(words) in (2, 4) and words[2:3] in ([], ["ponder"]), wrong)
    if not shown.moves:
        require(words[1:] == ["(none)"], wrong)
        return
    require(words[1] in shown.moves, wrong)
    position, wanted = parse_fen(shown.fen), set()
    for text in command.search_moves:
        with contextlib.suppress(MoveError):
            wanted.add(parse_move(position, text))
    require(not wanted or parse_move(position, words[1]) in wanted, wrong)


def is_report(line: str) -> bool:
    return line.startswith(_INFO_STRING) or _INFO.fullmatch(line) is not None


def check_perft(depth: int, answers: Sequence[str], shown: Shown) -> None:
    *counts, blank, total, end = answers
    named = dict(line.split(": ") for line in counts)
    require(len(counts) == len(named) == len(shown.moves), f"perft {depth}: {len(counts)} moves")
    require(set(named) == shown.moves, f"perft {depth}: {named}")
    require((blank, end) == ("", "") and total == f"Nodes searched: {sum(map(int, named.values()))}", total)


def _check_bare(word: str, answers: Sequence[str], wrong: str) -> None:
    if word in _SILENT:
        require(not answers, wrong)
    elif word == "isready":
        require(list(answers) == ["readyok"], wrong)
    elif word == "uci":
        require(
            answers[:1] and answers[0].startswith("id name ") and answers[1].startswith("id author "), wrong
        )
        require(answers[-1] == "uciok" and answers.count("uciok") == 1, wrong)
        require(all(line.startswith(("option name ", _INFO_STRING)) for line in answers[2:-1]), wrong)
    elif word == "d":
        require(len(answers) == _BOARD_LINES, wrong)
    else:  # eval, help, compiler
        require(answers, wrong)


def _check_position(command: SetPosition, answers: Sequence[str], after: Shown) -> None:
    prefix_only = bool(answers) and _PREFIX in answers[0]
    try:
        board = chess.Board(command.fen, chess960=True)
    except ValueError:
        return
    for text in command.moves:
        try:
            move = board.parse_uci(text)
        except ValueError:
            if prefix_only:
                break
            return
        is_pawn = board.piece_type_at(move.from_square) == chess.PAWN
        if not move or (text[4:] and not is_pawn) or text[4:] in ("p", "k"):
            return  # python-chess accepts it
        board.push(move)
    if board.root().is_valid():
        if answers and not prefix_only:
            require(any(why in answers[0] for why in STRICTER), f"{command!r} is refused: {answers[0]}")
        else:
            require(board.shredder_fen() == after.board.shredder_fen(), f"{command!r}: {after.fen}")


def _placement(board: chess.Board) -> tuple[str, bool, int, int | None]:
    return board.board_fen(), board.turn, board.clean_castling_rights(), board.ep_square


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


class Idle(Dialogue):
    _fences = 0

    make = staticmethod(uci_line)

    def run(self, lines: Sequence[bytes]) -> Iterator[None]:
        self._begin()
        for line in lines:
            self._take(line)
            yield
        self._end()
        self.process.check()

    def _begin(self) -> None:
        self._send(*_USUAL)
        self._up_to_fence()
        _, self._before = self._shown()

    def _take(self, line: bytes) -> None:
        command = understood(line)
        self.process.send(line)
        if isinstance(command, Bench):
            while not _BENCH_END.fullmatch(self.process.receive()):
                pass
        answers: list[str] = []
        if isinstance(command, Go):
            self._send("stop")
            answers = self._up_to_move()
        elif isinstance(command, Perft):
            answers = [*self.process.until(""), "", self.process.receive(), self.process.receive()]
        late, after = self._shown()
        if isinstance(command, Go) and answers:
            require(not late, f"after bestmove: {late}")
            check_search(command, answers, self._before)
        answers += late
        check_answers(command, answers, self._before, after)
        self._before = after

    def _end(self) -> None:
        pass

    def _send(self, *lines: str) -> None:
        self.process.send("\n".join(lines).encode())

    def _up_to_fence(self) -> list[str]:
        self._fences += 1
        fence = f"{_FENCE}{self._fences}"
        self._send(fence)
        return self.process.until(f"info string unknown command: '{fence}'")

    def _shown(self) -> tuple[list[str], Shown]:
        self._send("d")
        lines = self._up_to_fence()
        return without_board(lines), Shown.read(lines)

    def _up_to_move(self) -> list[str]:
        lines = [self.process.receive()]
        while not lines[-1].startswith("bestmove "):
            lines.append(self.process.receive())
        return lines


class Searching(Idle):
    """Lines of all kinds during searches, which end with `stop` or `ponderhit`.

    The engine must obey at once what does not disturb the search; the rest is left out. `stop` is sent
    together with more positions and searches, which must be obeyed in order.
    """

    make = staticmethod(uci_line_during_search)

    def _begin(self) -> None:
        super()._begin()
        self._past = 0
        self._search(Random(0))

    def _take(self, line: bytes) -> None:
        if command_word(line.decode(errors="replace")) in DISTURBING:
            return  # it waits for the end of the search, and so would the lines after it
        command = understood(line)
        # What follows a `stop` depends on all lines so far: the next search varies, and yet the same lines
        # reproduce a failure.
        self._past = crc32(line, self._past)
        chance = Random(self._past)
        if command == Bare("stop"):
            self._stop(line, chance)
            self._search(chance)
        elif command == Bare("ponderhit") and self._pondering:
            self.process.send(line)
            self._check_move(self._up_to_move(), self._fen)
            self._search(chance)
        else:
            self.process.send(line)
            answers = [each for each in self._up_to_fence() if not each.startswith("info depth ")]
            _check_during_search(command, answers)

    def _end(self) -> None:
        self._stop(b"stop", Random(self._past))

    def _stop(self, line: bytes, chance: Random) -> None:
        fens = [self._fen, *chance.choices(FENS, k=chance.randrange(4))]
        after = [f"position fen {fen}\ngo {chance.choice(_SHORT)}\nstop" for fen in fens[1:]]
        self.process.send(b"\n".join([line, *(each.encode() for each in after)]))
        for fen in fens:
            self._check_move(self._up_to_move(), fen)
        late, shown = self._shown()
        require(not any(each.startswith("bestmove") for each in late), f"more than {len(fens)} moves: {late}")
        expected = format_fen(parse_fen(fens[-1]), chess960=True)
        require(shown.board.shredder_fen() == expected, f"not {fens[-1]}, but {shown.fen}")

    def _search(self, chance: Random) -> None:
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
        case _:
            require(is_refused(answers), wrong)


CHANGING = {
    *("boardsize", "clear_board", "komi", "play", "genmove", "undo", "gg-undo", "loadsgf", "set_game"),
    *("fixed_handicap", "place_free_handicap", "set_free_handicap", *GENERATING),
}
"""The commands that may change the answer to `showboard`."""
_SEARCHED = ("othello", "go", "connectfour", "virus", "focus", "chinesecheckers")
_MORE_OFTEN = ("go",) * 4
"""Go has commands that no other game has."""
_ENDLESS = "search-limits seconds=20 depth=60 nodes=2000000000 playouts=2000000000"
_LIMITED = f"search-limits {LIMITS}"
_IN_PEACE = 0.8
"""The share of the groups in which each line waits for the answer to the one before it."""


GtpAnswer = tuple[bool, tuple[str, ...]]
"""Whether the command succeeded, and the lines."""


def _chooses_searcher(request: Request | None) -> bool:
    return request is not None and request.name == "search-algorithm"


class Gtp(Dialogue):
    make = staticmethod(gtp_line)
    arguments = ("gtp", "--seed", "1", *(f"--{limit}" for limit in LIMITS.replace("seconds", "time").split()))

    def run(self, lines: Sequence[bytes]) -> Iterator[None]:
        chance = Random(crc32(lines[0]))  # the lines up to a failure are for the same game
        self._get(f"set_game {chance.choice((*GAMES, *_MORE_OFTEN))}")
        self._get("time_settings 0 1 0")
        self._get(_LIMITED)
        if chance.random() < _IN_PEACE:
            self._before = self._get("showboard")
            for line in lines:
                self._take(line)
                yield
        else:
            yield from self._take_during_search(lines, chance.choice(_SEARCHED))
        self.process.check()

    def _take(self, line: bytes) -> None:
        if line == LEGAL_MOVE.encode():
            line = self._legal_move()
        request = parse_gtp(line.decode("utf-8", "replace").rstrip("\r\n"))
        self.process.send(line)
        if request is not None and COMMANDS.get(request.name, COMMANDS["name"]).endless:
            self.process.send(b"")  # it goes on until the next line
        is_good, said = self._answer_to(request) if request is not None else (False, ())
        if _chooses_searcher(request):
            self._get(_LIMITED)
        after = self._get("showboard")
        if not is_good or request is None or request.name not in CHANGING:
            require(after == self._before, f"the board is another after {line[:200]!r}: {said}")
        elif request.name == "play":
            self._get("undo")
            require(self._get("showboard") == self._before, f"undo does not take back {line[:200]!r}")
            self.process.send(line)
            require(self._answer_to(request)[0], f"illegal after undo: {line[:200]!r}")
            require(self._get("showboard") == after, f"another board after undo and {line[:200]!r}")
        self._before = after

    def _legal_move(self) -> bytes:
        mover, _, rest = self._before[-1].partition(" ")
        if rest != "to move":
            return b"play b pass"
        (move,) = self._get(f"reg_genmove {mover}")
        return f"play {mover} {move.strip()}".encode()

    def _take_during_search(self, cases: Sequence[bytes], game: str) -> Iterator[None]:
        requests = [parse_gtp(line.decode("utf-8", "replace").rstrip("\r\n")) for line in cases]
        for command in (f"set_game {game}", "search-algorithm uct", _ENDLESS):
            self._get(command)
        lines = [b"77 genmove b"]
        for line, request in zip(cases, requests, strict=True):
            lines += [line, _LIMITED.encode()] if _chooses_searcher(request) else [line]
        self.process.send(b"\n".join([*lines, b"# interrupt"]))
        require(self._answer_to(Request("77", "genmove"))[0], "no move from a search that is interrupted")
        for request in requests:
            if request is not None:
                self._answer_to(request)
            if _chooses_searcher(request):
                self._answer_to(Request("", _LIMITED))
            yield

    def _get(self, line: str) -> tuple[str, ...]:
        self.process.send(line.encode())
        is_good, said = self._answer_to(Request("", line))
        require(is_good, f"{line}: {said}")
        return said

    def _answer_to(self, request: Request) -> GtpAnswer:
        first, *rest = self.process.until("")
        sign, told = first[:1], first[1:]
        require(sign in ("=", "?") and sign, f"not an answer: {first!r}")
        require(told.startswith(request.id), f"the answer to another id: {first!r}, not {request.id!r}")
        text = told.removeprefix(request.id)
        require(text[:1] in ("", " "), f"the answer to another id: {first!r}, not {request.id!r}")
        require(sign == "=" or text.strip(), "a failure without a reason")
        return sign == "=", (text, *rest)


TARGETS: dict[str, type[Dialogue]] = {"uci": Idle, "uci-searching": Searching, "gtp": Gtp}


class Failure(NamedTuple):
    number: int
    """Of the line."""
    what: str
    lines: list[bytes]
    """The lines up to it that share its state."""


def failures(dialogue: Dialogue, groups: Iterable[tuple[int, list[bytes]]]) -> Iterator[Failure]:
    """Of groups of lines, each with the number of its first; after a failure with a new process."""
    first = 0
    try:
        for first, lines in groups:
            count = 0
            try:
                for _ in dialogue.run(lines):
                    count += 1
            except (CaseError, IndexError, ValueError) as error:
                dialogue.process.kill()
                failed = min(count, len(lines) - 1)
                what = str(error) if isinstance(error, CaseError) else located(error)
                yield Failure(first + failed, what, lines[: failed + 1])
        dialogue.process.close()
    except CaseError as error:
        yield Failure(first, str(error), [])
    finally:
        dialogue.process.kill()


def fuzzed(target: str, command: Sequence[str], seed: str, firsts: range) -> Iterator[Failure]:
    """Of the groups whose first lines have these numbers, all sent to one process."""
    dialogue = TARGETS[target](command)
    return failures(dialogue, ((first, dialogue.lines(seed, first)) for first in firsts))


def replayed(target: str, command: Sequence[str], lines: list[bytes]) -> str:
    """What is wrong with the answers to these lines, or nothing."""
    return "; ".join(failure.what for failure in failures(TARGETS[target](command), [(0, lines)]))


def shortest(target: str, command: Sequence[str], lines: list[bytes]) -> list[bytes]:
    """Lines that fail, too, without those that are not needed for it; an engine that is silent ends this."""
    for place in reversed(range(len(lines))):
        fewer = lines[:place] + lines[place + 1 :]
        what = replayed(target, command, fewer) if fewer else ""
        if what.startswith(SILENT):
            break
        if what:
            lines = fewer
    return lines
