"""Dialogues over UCI: lines to an idle engine, and lines during a search.

No line ends the process, takes much memory or time, or touches a file outside its working directory: see
`harmless`.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

import chess

from engine.board.fen import format_fen, parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, parse_move
from protocol.text import ProtocolError
from protocol.uci.dialogue import DISTURBING
from protocol.uci.options import EMPTY, OPTIONS, UciOption, find
from protocol.uci.parser import (
    BARE_WORDS,
    GO_FLAGS,
    GO_NUMBERS,
    Bare,
    Bench,
    Command,
    Debug,
    Go,
    Perft,
    SetOption,
    SetPosition,
    command_word,
    parse,
)
from scripts.laboratory.fuzzing.dialogue import (
    FENS,
    FILES,
    HOSTILE,
    CaseError,
    Dialogue,
    as_bytes,
    damaged,
    played,
    random_bytes,
    require,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Understood = Command | ProtocolError | None
STRICTER = ("fields", "promotions allow", "must be a number", "more than four digits", "not a piece: '~'")
"""Words of the reader's reasons where it is stricter than python-chess."""

_GOOD = (
    b"position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - moves e1g1",
    b"position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
    b"go wtime 10 btime 10 winc 1 binc 1 movestogo 3",
    b"setoption name MultiPV value 3",
    b"go depth 2 searchmoves e2e4 d2d4",
    b"go perft 2",
)
_WORDS = (
    *(*BARE_WORDS, *GO_NUMBERS, *GO_FLAGS),
    *("debug", "setoption", "position", "go", "on", "off", "name", "value"),
    *("startpos", "fen", "moves", "searchmoves", "e2e4", "e7e5", "e1g1", "a7a8q", "0000", "a1a1", "0", "-1"),
    *("1", "2", "3", "1e3", "0x10", "#", "é", "\x7f", "true", "false", "", "joho", "<empty>", "<standard>"),
    *("null_move=off", "late_depth=6", "late_depth=99", "w", "b", "-", "KQkq", "linear", "material"),
    *("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/8/8/8/8/8/8/8", "4k3/8/8/8/8/8/8/4K3", "9/9"),
    *("8/P7/8/k7/8/8/8/K7 w - - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    *(option.name for option in OPTIONS),
)
_BEGINNINGS = ("", "go", "go depth 2", "go nodes 50", "go infinite", "position", "position startpos moves")
_SNIPPETS = as_bytes((*" abefhkqwKQRN/012345678-", *_WORDS, *HOSTILE))
_LARGEST = {"Hash": 32, "Threads": 3}
"""Largest values of options that every machine has the resources for."""
_DEEPEST_PERFT = 3
_COMMENT = b"# left out"


def make_line(rng: Random) -> bytes:
    """Make a line of any kind."""
    kind = rng.random()
    if kind < 0.45:
        line = _sensible(rng)
    elif kind < 0.65:
        words = [rng.choice(_BEGINNINGS), *rng.choices(_WORDS, k=rng.randrange(8))]
        line = " ".join(words).encode()
    elif kind < 0.75:
        line = random_bytes(rng, 60)
    else:
        line = damaged(rng.choice((_sensible(rng), *_GOOD)), rng, rng.randrange(1, 4), _SNIPPETS)
    return harmless(line)


def make_during_search(rng: Random) -> bytes:
    """Make a line of any kind, often one that ends the search."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice((b"stop", b"stop", b"stop", b"ponderhit", b" joho stop", b"stop x"))
    return make_line(rng)


def make_option(rng: Random) -> bytes:
    """Make a line that is mostly `setoption`, with names, values and files of all kinds."""
    kind = rng.random()
    if kind < 0.1:
        return harmless(
            rng.choice((b"go depth 2", b"go nodes 200", b"position startpos", b"uci", b"eval", b"go"))
        )
    option = rng.choice(OPTIONS)
    value = _value(option, rng)
    name = (
        option.name
        if kind < 0.9
        else rng.choice((option.name.upper(), f" {option.name}  ", "Nope", "", "value"))
    )
    between = rng.choice((" value ", " value ", " value ", "  VALUE  ", " "))
    line = f"setoption name {name}{between}{value}".encode()
    return harmless(damaged(line, rng, 1, _SNIPPETS) if kind < 0.2 else line)


def understood(line: bytes) -> Command | ProtocolError | None:
    """The command in a line, None if there is none, or why it cannot be obeyed."""
    try:
        return parse(line.decode("utf-8", "replace").rstrip("\r\n"))
    except ProtocolError as error:
        return error


def harmless(line: bytes) -> bytes:
    """The line without line breaks, or a comment in its place if it could do harm."""
    line = line.replace(b"\n", b"\r")
    command = understood(line)
    match command:
        case Bare("quit"):
            return _COMMENT
        case Bench(depth) if depth != 1:
            return _COMMENT
        case Perft(depth) if depth > _DEEPEST_PERFT:
            return _COMMENT
        case SetOption() if not _is_harmless(command):
            return _COMMENT
    return line


def _is_harmless(command: SetOption) -> bool:
    try:
        name = find(command.name).name
    except ProtocolError:
        return True
    if name in _LARGEST:
        digits = command.value.removeprefix("+")
        return not digits.isdigit() or int(digits[:6]) <= _LARGEST[name] or int(digits[:6]) > 65536
    return command.value in FILES or not any(sign in command.value for sign in ("/", "\\", "~"))


def _sensible(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.35:
        return _position(rng).encode()
    if kind < 0.65:
        return _go(rng).encode()
    if kind < 0.8:
        return make_option(rng)
    if kind < 0.801:
        return b"bench 1"  # rare, because it takes a hundred times as long as the others
    return rng.choice((*BARE_WORDS, "debug on", "debug off", "# a comment", "go perft 1", "")).encode()


def _position(rng: Random) -> str:
    board = played(rng, 8)
    root = board.root()
    write = rng.choice((board.uci, lambda move: move.uci()))
    moves = " ".join(map(write, board.move_stack))
    after = f" moves {moves}" if rng.random() < 0.8 else ""
    return f"position {'startpos' if root.fen() == FENS[0] else f'fen {root.fen()}'}{after}"


def _go(rng: Random) -> str:
    limits = rng.sample([name for name in GO_NUMBERS if name != "perft"], rng.randrange(4))
    words = ["go", *(f"{name} {rng.choice((0, 1, 2, 5, 10, 100, -5, 10**9, 10**25))}" for name in limits)]
    words += rng.sample(GO_FLAGS, rng.choice((0, 0, 1, 2)))
    if rng.random() < 0.3:
        words.append(f"searchmoves {' '.join(rng.choices(('e2e4', 'd2d4', 'e1g1', 'g1f3', 'a1a8'), k=2))}")
    return " ".join(words)


def _value(option: UciOption, rng: Random) -> str:
    if rng.random() < 0.2:
        return rng.choice([*_WORDS, *FILES, *(each for each in HOSTILE if isinstance(each, str))])
    if option.kind == "check":
        return rng.choice(("true", "false", "TRUE"))
    if option.kind == "spin":
        return str(rng.choice((option.smallest, option.largest, option.default, 0, -1, rng.randrange(1, 40))))
    if option.kind == "combo":
        return rng.choice(("linear", "material", "network", "LINEAR"))
    if option.name == "Parameters":
        return " ".join(
            rng.choices(("null_move=off", "late_depth=6", "late_depth=x", "nope=1", "=", "delta=3"), k=2)
        )
    return rng.choice(("", "<empty>", "<standard>", *FILES))


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
    def read(cls, lines: Sequence[str]) -> Shown:
        """Read the last lines of the answer."""
        try:
            fen, key, _, moves = lines[-4:]
        except ValueError:
            raise CaseError(f"no board: {lines!r}") from None
        require(fen.startswith("Fen: ") and moves.startswith("Legal moves:"), f"no board: {lines[-4:]!r}")
        return cls(fen.removeprefix("Fen: "), key, frozenset(moves.split()[2:]))

    @property
    def board(self) -> chess.Board:
        """The position as a board of python-chess."""
        return chess.Board(self.fen, chess960=True)


def without_board(lines: Sequence[str]) -> list[str]:
    """The lines before the answer to `d`."""
    require(len(lines) >= _BOARD_LINES, f"no board: {lines!r}")
    return list(lines[:-_BOARD_LINES])


def is_refused(answers: Sequence[str]) -> bool:
    """Whether the answer is a single line with a reason."""
    return len(answers) == 1 and answers[0].startswith(_INFO_STRING)


def check_answers(command: Understood, answers: Sequence[str], before: Shown, after: Shown) -> None:
    """Check the answers to a line to an idle engine; see check_search for the answers to `go`.

    Raises CaseError if an answer is wrong or missing, or if the position has changed without reason.
    """
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
    """Check that the position is unchanged, or the one that was set."""
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
    """Check the answers to `go`: reports, then one move, which is legal and among the legal `searchmoves`."""
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
        with suppress(MoveError):
            wanted.add(parse_move(position, text))
    require(not wanted or parse_move(position, words[1]) in wanted, wrong)


def is_report(line: str) -> bool:
    """Whether a line may come before `bestmove`."""
    return line.startswith(_INFO_STRING) or _INFO.fullmatch(line) is not None


def check_perft(depth: int, answers: Sequence[str], shown: Shown) -> None:
    """Check the counts: one for each move, and their sum."""
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
    """Check that the position is that of python-chess, if python-chess accepts it."""
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
    """Lines of all kinds to an idle engine. Searches are stopped at once."""

    def __init__(self, command: Sequence[str]) -> None:
        super().__init__(command)
        self._fences = 0

    def make(self, rng: Random) -> bytes:
        """A line of any kind."""
        return make_line(rng)

    def run(self, lines: Sequence[bytes]) -> Iterator[tuple[int, float]]:
        """See Dialogue."""
        self._begin()
        for line in lines:
            began = time.monotonic()
            count = self._take(line)
            yield count, time.monotonic() - began
        self._end()
        self.process.check()

    def _begin(self) -> None:
        """Prepare for lines that share a state."""
        self._send(*_USUAL)
        self._up_to_fence()
        _, self._before = self._shown()

    def _take(self, line: bytes) -> int:
        """Send a line and check the answers. Their number."""
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
        return len(answers)

    def _end(self) -> None:
        """Finish after lines that share a state."""

    def _send(self, *lines: str) -> None:
        self.process.send("\n".join(lines).encode())

    def _up_to_fence(self) -> list[str]:
        """Send an unknown command. The lines before the answer to it."""
        self._fences += 1
        fence = f"{_FENCE}{self._fences}"
        self._send(fence)
        return self.process.until(f"info string unknown command: '{fence}'")

    def _shown(self) -> tuple[list[str], Shown]:
        """Send `d`. The lines before its answer, and the answer."""
        self._send("d")
        lines = self._up_to_fence()
        return without_board(lines), Shown.read(lines)

    def _up_to_move(self) -> list[str]:
        """The lines up to the next `bestmove`, including it."""
        lines = [self.process.receive()]
        while not lines[-1].startswith("bestmove "):
            lines.append(self.process.receive())
        return lines


class Options(Idle):
    """Mostly `setoption`, with names of existing and missing files."""

    def make(self, rng: Random) -> bytes:
        """See Dialogue."""
        return make_option(rng)


class Searching(Idle):
    """Lines of all kinds during searches, which end with `stop` or `ponderhit`.

    The engine must obey at once what does not disturb the search; the rest is left out. `stop` is sent
    together with more positions and searches, which must be obeyed in order.
    """

    def make(self, rng: Random) -> bytes:
        """A line of any kind, often one that ends the search."""
        return make_during_search(rng)

    def _begin(self) -> None:
        super()._begin()
        self._past = 0
        self._search(Random(0))

    def _take(self, line: bytes) -> int:
        if command_word(line.decode(errors="replace")) in DISTURBING:
            return 0  # it waits for the end of the search, and so would the lines after it
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
            self.process.send(line)
            self._check_move(self._up_to_move(), self._fen)
            self._search(chance)
            return 1
        self.process.send(line)
        answers = [each for each in self._up_to_fence() if not each.startswith("info depth ")]
        _check_during_search(command, answers)
        return len(answers)

    def _end(self) -> None:
        self._stop(b"stop", Random(self._past))

    def _stop(self, line: bytes, chance: Random) -> int:
        """Stop the search, and send more searches with it. The number of moves."""
        fens = [self._fen, *chance.choices(FENS, k=chance.randrange(4))]
        after = [f"position fen {fen}\ngo {chance.choice(_SHORT)}\nstop" for fen in fens[1:]]
        self.process.send(b"\n".join([line, *(each.encode() for each in after)]))
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
        case _:
            require(is_refused(answers), wrong)
