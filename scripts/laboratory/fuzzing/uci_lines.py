"""Lines of UCI: good ones, known words in any order, damaged ones, and random bytes.

No line ends the process, takes much memory or time, or touches a file outside its working directory: see
`harmless`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.text import ProtocolError
from protocol.uci.options import OPTIONS, UciOption, find
from protocol.uci.parser import (
    BARE_WORDS,
    GO_FLAGS,
    GO_NUMBERS,
    Bare,
    Bench,
    Command,
    Perft,
    SetOption,
    parse,
)
from scripts.laboratory.fuzzing.engine_files import FILES
from scripts.laboratory.fuzzing.ingredients import FENS, HOSTILE, as_bytes, damaged, played, random_bytes

if TYPE_CHECKING:
    from random import Random

_GOOD = (
    b"position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - moves e1g1",
    b"position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
    b"go wtime 10 btime 10 winc 1 binc 1 movestogo 3",
    b"setoption name MultiPV value 3",
    b"go depth 2 searchmoves e2e4 d2d4",
    b"go perft 2",
)
_WORDS = (
    *(
        *BARE_WORDS,
        *GO_NUMBERS,
        *GO_FLAGS,
        "debug",
        "setoption",
        "position",
        "go",
        "on",
        "off",
        "name",
        "value",
    ),
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
