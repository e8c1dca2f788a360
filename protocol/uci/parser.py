"""One line of text to one command, a frozen dataclass: moves, FENs and option values stay text."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.board.fen import START_FEN
from engine.board.perft import DEEPEST as DEEPEST_PERFT
from engine.search.limits import Limits
from protocol.text import ProtocolError, integer, quoted

BARE_WORDS = (
    *("uci", "isready", "ucinewgame", "stop", "ponderhit", "register", "quit"),
    *("d", "eval", "flip", "help", "compiler"),
)

LONGEST_TIME = 10**12  # milliseconds, 31 years: larger numbers are reduced to it, so that no sum overflows
MOST_NODES = 10**18
DEEPEST = 1000  # plies, or moves for `mate` and `movestogo`: deeper than any search goes

MOST_TOLD = 10  # things skipped in one `go` that are told one by one

# The numbers of `go`: smallest and largest value. A number outside is moved to the bound, an unusable one is
# skipped: a client whose `go` is refused would wait for its move in vain.
GO_NUMBERS = {
    "wtime": (-LONGEST_TIME, LONGEST_TIME),
    "btime": (-LONGEST_TIME, LONGEST_TIME),
    "winc": (0, LONGEST_TIME),
    "binc": (0, LONGEST_TIME),
    "movestogo": (0, DEEPEST),
    "depth": (1, DEEPEST),
    "nodes": (1, MOST_NODES),
    "movetime": (1, LONGEST_TIME),
    "mate": (1, DEEPEST),
    "perft": (1, DEEPEST_PERFT),
}
GO_FLAGS = ("infinite", "ponder")
GO_WORDS = frozenset((*GO_NUMBERS, *GO_FLAGS, "searchmoves"))
_DECIMAL = re.compile(r"([-+]?[0-9]+)\.[0-9]*")


@dataclass(frozen=True, slots=True)
class Bare:
    """One of BARE_WORDS, which take no arguments."""

    word: str


@dataclass(frozen=True, slots=True)
class Debug:
    """`debug on|off`."""

    on: bool


@dataclass(frozen=True, slots=True)
class SetOption:
    """`setoption name … value …`: the name with single blanks; the value unchanged, or empty."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class SetPosition:
    """`position …`: the FEN and the moves played from it, both as text that has not been checked."""

    fen: str
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Go:
    """The limits, and a line about each thing `skipped`. Root moves stay text until the position is known."""

    limits: Limits
    search_moves: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Perft:
    """`go perft N`: count the leaves of the move tree at `depth` plies, at least 1; `skipped` as in Go."""

    depth: int
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bench:
    """`bench [depth]`: None for the default depth."""

    depth: int | None = None


Command = Bare | Debug | SetOption | SetPosition | Go | Perft | Bench


def parse(line: str) -> Command | None:
    """The command in a line; None for a blank line or a `#` comment. Raises ProtocolError.

    Unknown words before a known command are skipped.
    """
    words = line.split()
    if word := command_word(line):
        read = _READERS[word]
        return read(_after(line, words.index(word) + 1)) if read else Bare(word)
    if words and not words[0].startswith("#"):
        raise ProtocolError(f"unknown command: {quoted(' '.join(words[:8]))}")
    return None


def command_word(line: str) -> str:
    """The word of a line that says which command it is; empty where none does."""
    words = [] if line.lstrip().startswith("#") else line.split()
    return next((word for word in words if word in _READERS), "")


def _after(text: str, count: int) -> str:
    """The text after its first `count` words, with the blanks inside it as they were."""
    parts = text.split(None, count)
    return parts[count].rstrip() if len(parts) > count else ""


def _debug(rest: str) -> Debug:
    if rest not in ("on", "off"):
        raise ProtocolError(f"debug: expected 'on' or 'off', not {quoted(rest)}")
    return Debug(rest == "on")


def _set_option(rest: str) -> SetOption:
    words = rest.split()
    lowered = [word.lower() for word in words]
    if lowered[:1] != ["name"]:
        raise ProtocolError("setoption: expected 'name' and an option")
    end = lowered.index("value") if "value" in lowered else len(words)
    if end == 1:
        raise ProtocolError("setoption: missing option name")
    return SetOption(" ".join(words[1:end]), _after(rest, end + 1))


def _position(rest: str) -> SetPosition:
    words = rest.split()
    end = words.index("moves") if "moves" in words else len(words)
    placement, moves = words[:end], tuple(words[end + 1 :])
    if placement == ["startpos"]:
        return SetPosition(START_FEN, moves)
    if placement[:1] == ["startpos"]:
        raise ProtocolError(f"position: expected 'moves' after startpos, not {quoted(placement[1])}")
    if placement[:1] != ["fen"]:
        raise ProtocolError("position: expected 'startpos' or 'fen'")
    if len(placement) == 1:
        raise ProtocolError("position: missing FEN")
    return SetPosition(" ".join(placement[1:]), moves)


def _go(rest: str) -> Go | Perft:
    """Words in any order; where a word occurs twice, the last one counts. What cannot be used is skipped."""
    numbers: dict[str, int] = {}
    flags: set[str] = set()
    search_moves: list[str] = []
    skipped: list[str] = []
    words = deque(rest.split())
    while words:
        word = words.popleft()
        try:
            if word in GO_FLAGS:
                flags.add(word)
            elif word in GO_NUMBERS:
                numbers[word] = _go_number(word, words)
            elif word == "searchmoves":
                search_moves += _go_moves(words)
            else:
                skipped.append(f"go: unknown word {quoted(word)}")
        except ProtocolError as error:
            if word == "perft":  # nobody waits for its `bestmove`
                raise
            skipped.append(str(error))
    if "perft" in numbers:
        return Perft(numbers["perft"], shortened(skipped))
    return Go(_limits(numbers, flags), tuple(search_moves), shortened(skipped))


def shortened(skipped: Sequence[str]) -> tuple[str, ...]:
    """What to tell of the things skipped in a `go`."""
    more = len(skipped) - MOST_TOLD
    return (*skipped[:MOST_TOLD], *([f"go: skipped {more} more"] if more > 0 else []))


def _go_number(word: str, words: deque[str]) -> int:
    """The number that the next of the words is; `infinite` is not one, but stands for one."""
    if not words or words[0] in GO_WORDS - {"infinite"}:
        raise ProtocolError(f"go: missing number after {word}")
    text = words.popleft()
    smallest, largest = GO_NUMBERS[word]
    decimal = _DECIMAL.fullmatch(text)
    try:
        return min(max(integer(decimal[1] if decimal else text), smallest), largest)
    except ProtocolError as error:
        raise ProtocolError(f"go: {word}: {error}") from None


def _go_moves(words: deque[str]) -> list[str]:
    moves = []
    while words and words[0] not in GO_WORDS:
        moves.append(words.popleft())
    if not moves:
        raise ProtocolError("go: missing move after searchmoves")
    return moves


def _limits(numbers: dict[str, int], flags: set[str]) -> Limits:
    return Limits(
        time=(numbers.get("wtime"), numbers.get("btime")),
        increment=(numbers.get("winc", 0), numbers.get("binc", 0)),
        moves_to_go=numbers.get("movestogo") or None,
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        move_time=numbers.get("movetime"),
        mate=numbers.get("mate"),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
    )


def _bench(rest: str) -> Bench:
    if not rest:
        return Bench()
    depth = integer(rest)
    if not 1 <= depth <= DEEPEST:
        raise ProtocolError(f"bench: depth must be from 1 to {DEEPEST}")
    return Bench(depth)


_READERS: dict[str, Callable[[str], Command] | None] = {
    **dict.fromkeys(BARE_WORDS),
    "debug": _debug,
    "setoption": _set_option,
    "position": _position,
    "go": _go,
    "bench": _bench,
}
