"""Lines of UCI and GTP to fuzz the engine with: good, damaged and random, and the files they name.

No line ends the process, takes much memory or time, or touches a file outside its working directory.
"""

import os
import tempfile
from array import array
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import chess

from engine.games.catalogue import GAMES
from engine.games.rules.tree import TREES
from engine.games.searchers import SEARCHERS, Option
from engine.lookup.book import STANDARD as STANDARD_BOOK
from eval.network_file import SQUARES, NetworkWeights, save_network
from eval.network_shape import OUTPUT_BUCKETS, ROWS
from eval.outcome import OutcomeModel
from eval.weight_file import STANDARD as STANDARD_WEIGHTS
from protocol.gtp.commands import COMMANDS
from protocol.gtp.parser import parse as parse_gtp
from protocol.text import ProtocolError
from protocol.uci.bench import POSITIONS
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

STRICTER = ("fields", "promotions allow", "must be a number", "more than four digits", "not a piece: '~'")
"""Words of the reader's reasons where it is stricter than python-chess."""
_LENGTHS = (0, 0, 0, 1, 1, 2, 10, 100)
"""Lengths of replaced pieces, in bytes."""
HOSTILE = (
    *(b"\0", b"\t", b"\r", b"\x1b[2J", b"\x7f", b"\x85", b"\xa0", b"\xff", b"\xff\xfe", b"\xc3\xa9", b"\xc3"),
    *("٣", "½", "\u200b", "\u2028", "\u202e", "\ufeff", "\U0001f600"),
    *(b"-1", b"0", b"1e999", b"99999999999999999999", b"0x10", b"1_000", b"9" * 5000, b"nan"),
    *(b"%s%n", b"../..", b"~", b"$(reboot)", b"`reboot`", b"'", b'"', b"\\", b"{}", b"(" * 300),
)
"""Input that often breaks programs."""


def as_bytes(snippets: Sequence[bytes | str]) -> list[bytes]:
    return [each.encode() if isinstance(each, str) else each for each in snippets]


_HOSTILE = as_bytes(HOSTILE)


def damaged(data: bytes, rng: Random, times: int, snippets: Sequence[bytes] = _HOSTILE) -> bytes:
    for _ in range(times):
        begin = rng.randrange(len(data) + 1)
        end = min(len(data), begin + rng.choice(_LENGTHS))
        with_what = rng.choice((b"", data[begin:end] * 2, *rng.choices(snippets, k=6)))
        data = data[:begin] + with_what + data[end:]
    return data


CHESS960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1",
    "8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1",
    "2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1",
    "4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1",
)
"""Castling that exists only in Chess960."""
SPECIAL = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/pp1p1ppp/8/2pPp3/8/8/PPP1PPPP/RNBQKBNR w KQkq e6 0 3",
    "8/P1k5/8/8/8/8/p1K5/8 w - - 0 1",
    "8/8/8/8/8/5K2/6Q1/7k b - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 b - - 99 300",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - -",
    "8/8/8/2kpP3/8/8/3K4/8 w - d6 0 2",
)
FENS = (chess.STARTING_FEN, *SPECIAL, *CHESS960, *POSITIONS)


@cache
def _board(fen: str) -> chess.Board:
    return chess.Board(fen, chess960=True)


def played(rng: Random, most: int) -> chess.Board:
    """A board after fewer than `most` random moves from one of FENS, with the moves on its stack."""
    board = _board(rng.choice(FENS)).copy()
    for _ in range(rng.randrange(most)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    return board


_SGF = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[5.5]PB[A]PW[B];B[ee];W[cc];B[gc](;W[cg])(;W[gg];B[]))"
_TABLE = b"\x71\xe8\x23\x5d\x02" + bytes([0x60, 0x56, 0xE6]) * 4 + bytes(1024 - 1)
_EACH = 6
_GIANT = 1 << 36  # bytes, none of them written
_SUFFIXES = ("json", "lolli", "bin", "sgf")
FILES = (
    *(f"good.{suffix}" for suffix in _SUFFIXES),
    *(f"{number}.{suffix}" for suffix in _SUFFIXES for number in range(_EACH)),
    *(f"tables{number}" for number in range(_EACH)),
    *("folder", "fifo", "giant", "circle", "missing", "log.txt", "/dev/zero", "/dev/stdin", "/dev/null"),
    *("/dev/full", "/dev/tty", "/proc/self/mem", "folder/log.txt", "/no/such/file"),
)
"""Names of files in the working directory, and of others; `missing` does not exist."""


@cache
def small_network() -> bytes:
    width, rng = 32, Random(1)
    numbers = array("h", rng.choices(range(-60, 61), k=(2 * ROWS + 1 + 2 * OUTPUT_BUCKETS) * width))
    places = tuple(square >> 5 for square in range(SQUARES))
    outcome = OutcomeModel((180.0, 40.0, 20.0, 10.0), (60.0, 20.0, 10.0, 5.0))
    weights = NetworkWeights(
        width, memoryview(numbers), (0,) * OUTPUT_BUCKETS, places, outcome=outcome, about={"games": 1}
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.lolli")
        save_network(path, weights)
        return path.read_bytes()


def prepare(folder: Path) -> None:
    """Make the files: good ones, damaged ones, and what is not a regular file. They are always the same."""
    contents = (Path(STANDARD_WEIGHTS).read_bytes(), small_network(), STANDARD_BOOK.read_bytes(), _SGF)
    for suffix, good in zip(_SUFFIXES, contents, strict=True):
        (folder / f"good.{suffix}").write_bytes(good)
        for number in range(_EACH):
            (folder / f"{number}.{suffix}").write_bytes(_spoiled(good, Random(f"{suffix} {number}")))
    for number in range(_EACH):
        (folder / f"tables{number}").mkdir()
        spoiled = _spoiled(_TABLE, Random(f"tables {number}"))
        (folder / f"tables{number}" / "KQvK.rtbw").write_bytes(spoiled)
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    os.mkfifo(folder / "folder" / "KQvK.rtbw")
    (folder / "circle").symlink_to("circle")
    with (folder / "giant").open("wb") as file:
        file.truncate(_GIANT)


def _spoiled(data: bytes, rng: Random) -> bytes:
    return (
        damaged(data, rng, rng.randrange(1, 9)) if rng.random() < 2 / 3 else data[: rng.randrange(len(data))]
    )


_UCI = (
    b"position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - moves e1g1",
    b"position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
    b"go wtime 10 btime 10 winc 1 binc 1 movestogo 3",
    b"setoption name MultiPV value 3",
    b"go depth 2 searchmoves e2e4 d2d4",
    b"go perft 2",
)
_UCI_WORDS = (
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
_UCI_SNIPPETS = as_bytes((*" abefhkqwKQRN/012345678-", *_UCI_WORDS, *HOSTILE))
_LARGEST = {"Hash": 32, "Threads": 3}
"""Largest values of options that every machine has the resources for."""
_DEEPEST_PERFT = 3
COMMENT = b"# left out"


def uci_line(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.45:
        line = _uci(rng)
    elif kind < 0.65:
        words = [rng.choice(_BEGINNINGS), *rng.choices(_UCI_WORDS, k=rng.randrange(8))]
        line = " ".join(words).encode()
    elif kind < 0.75:
        line = rng.randbytes(rng.randrange(60))
    else:
        line = damaged(rng.choice((_uci(rng), *_UCI)), rng, rng.randrange(1, 4), _UCI_SNIPPETS)
    return harmless_to_uci(line)


def uci_line_during_search(rng: Random) -> bytes:
    if rng.random() < 0.1:
        return rng.choice((b"stop", b"stop", b"stop", b"ponderhit", b" joho stop", b"stop x"))
    return uci_line(rng)


def _option_line(rng: Random) -> bytes:
    option = rng.choice(OPTIONS)
    others = (option.name.upper(), f" {option.name}  ", "Nope", "", "value")
    name = option.name if rng.random() < 0.9 else rng.choice(others)
    between = rng.choice((" value ", " value ", " value ", "  VALUE  ", " "))
    return f"setoption name {name}{between}{_option_value(option, rng)}".encode()


Understood = Command | ProtocolError | None


def understood(line: bytes) -> Understood:
    """The command in a line, None if there is none, or why it cannot be obeyed."""
    try:
        return parse(line.decode("utf-8", "replace").rstrip("\r\n"))
    except ProtocolError as error:
        return error


def harmless_to_uci(line: bytes) -> bytes:
    """Without line breaks; a comment in place of a line that could do harm."""
    line = line.replace(b"\n", b"\r")
    command = understood(line)
    match command:
        case Bare("quit"):
            return COMMENT
        case Bench(depth) if depth != 1:
            return COMMENT
        case Perft(depth) if depth > _DEEPEST_PERFT:
            return COMMENT
        case SetOption() if not _is_harmless_option(command):
            return COMMENT
    return line


def _is_harmless_option(command: SetOption) -> bool:
    try:
        name = find(command.name).name
    except ProtocolError:
        return True
    if name in _LARGEST:
        digits = command.value.removeprefix("+")
        return not digits.isdigit() or int(digits[:6]) <= _LARGEST[name] or int(digits[:6]) > 65536
    return command.value in FILES or not any(sign in command.value for sign in ("/", "\\", "~"))


def _uci(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.35:
        return _position(rng).encode()
    if kind < 0.65:
        return _go(rng).encode()
    if kind < 0.8:
        return _option_line(rng)
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


def _option_value(option: UciOption, rng: Random) -> str:
    if rng.random() < 0.2:
        return rng.choice([*_UCI_WORDS, *FILES, *(each for each in HOSTILE if isinstance(each, str))])
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


LIMITS = "seconds=0.05 depth=1 nodes=200 playouts=20"
"""The limits of each search, set again after `search-algorithm`, whose options may take their place."""

LEGAL_MOVE = "play @ @"
"""Stands for a legal move of the side to move, which only the process knows: see Gtp."""

_GTP_WORDS = (
    *("b", "w", "B", "White", "p1", "p3", "p9", "dice", "A1", "b2", "C3", "D4", "E5", "pass", "resign", "31"),
    *("0", "1", "2", "3", "7", "9", "19", "-1", "1e9", "nan", "true", "none", "alive", "dead", "7-3", "#"),
    *("\t", "((1,2),(3", "depth=2", "depth=x", "=", "players=4", "komi=5.5", "8/5,6/5", "..X/.O./X.O"),
    *("size=9", *GAMES, *SEARCHERS, *FILES),
)
_GAME_OPTIONS = (
    *("komi=0.5", "komi=nan", "komi=1e999", "players=2", "players=3", "players=6", "players=99", "board=hex"),
    *("superko=true", "piles=7,5,3", "piles=50", "rules=x", "tree=lecture", "=", "a=b=c", "rows=6"),
)
_COLOURS = ("b", "w", "b", "w", "p1", "p2", "p3", "dice")
_MOVES = (
    *("A1", "b2", "C3", "D4", "E5", "pass", "H8", "J9", "0", "1", "3", "7-3", "5-2", "31", "66", "8/5,6/5"),
    *("24/23", "bar/22", "A1-B2", "c3-c5", "D4:2", "A1B2", "c3c4"),
    *("11-15", "22x15x8", "22x8", "e2e4", "e7e5", "Nf3", "O-O", "exd5", "a7a8q", "b8=N+", "0000"),
)
_RECORDS = [name for name in FILES if name.endswith(".sgf")]
_TEXTS = {
    "tree": ("", *TREES, *TREES.values(), "((1,2),(3,4))", "p3(7/1/4,1/2/3)", "((1,2),(3"),
    "nim": ("", "7,5,3", "50,50,50", "51", "3+4"),
    "checkers": ("", "W:W22,32:B18,11,7", "B:W6,7,14,15:BK2", "W:W1", "W:W5:B29", "W:W40:B1"),
    "chess": ("", "8/P7/4k3/8/8/3K4/6p1/8 w - - 0 80", "7k/5Q2/8/8/8/8/8/K7 w - - 99 9", "8/8/8/8 w", "x"),
}
"""The texts that games take."""
_LARGEST_TABLE = 16  # megabytes
_GTP_SNIPPETS = as_bytes((*" abw19C-()#=", *_GTP_WORDS, *HOSTILE))


def gtp_line(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.55:
        line = _gtp(rng)
    elif kind < 0.75:
        line = " ".join([rng.choice(list(COMMANDS)), *rng.choices(_GTP_WORDS, k=rng.randrange(4))])
    elif kind < 0.8:
        return harmless_to_gtp(rng.randbytes(rng.randrange(60)))
    else:
        return harmless_to_gtp(damaged(_gtp(rng).encode(), rng, rng.randrange(1, 4), _GTP_SNIPPETS))
    identity = rng.choice(("", "", f"{rng.randrange(100)} ", "0" * rng.randrange(300) + "1 "))
    return harmless_to_gtp((identity + line).encode())


def harmless_to_gtp(line: bytes) -> bytes:
    line = line.replace(b"\n", b"\r")
    request = parse_gtp(line.decode("utf-8", "replace"))
    if request is None:
        return line if b"interrupt" not in line else COMMENT
    if request.name in ("quit", "search-limits"):
        return COMMENT
    if request.name == "loadsgf" and not _is_here(" ".join(request.arguments)):
        return COMMENT
    if any(_is_large(word) for word in request.arguments):
        return COMMENT
    return line


def _is_here(path: str) -> bool:
    named, _, _ = path.partition(" ")
    return named in FILES or not any(sign in path for sign in ("/", "\\", "~"))


def _is_large(word: str) -> bool:
    name, _, value = word.partition("=")
    try:
        return name.lower() == "megabytes" and int(value) > _LARGEST_TABLE
    except ValueError:
        return False


def _gtp(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.3:
        return rng.choice((LEGAL_MOVE, LEGAL_MOVE, f"play {rng.choice(_COLOURS)} {rng.choice(_MOVES)}"))
    if kind < 0.55:
        return f"{rng.choice(_GENERATING)} {rng.choice(_COLOURS)}"
    if kind < 0.65:
        return rng.choice(
            ("undo", "clear_board", "final_score", "showboard", "search-stats", "search-visits")
        )
    if kind < 0.75:
        return _searcher(rng)
    if kind < 0.85:
        return _game(rng)
    return rng.choice(
        (
            f"boardsize {rng.choice((2, 3, 5, 8, 9, 13, 19, 25, 0))}",
            f"komi {rng.choice(('6.5', '0', '-3', '1e5', 'nan'))}",
            f"time_settings {rng.randrange(60)} {rng.randrange(10)} {rng.randrange(5)}",
            f"time_left {rng.choice(_COLOURS)} {rng.choice(('10', '0', '-1', '0.5', '1e300'))} 1",
            f"fixed_handicap {rng.randrange(11)}",
            f"place_free_handicap {rng.randrange(11)}",
            f"set_free_handicap {' '.join(rng.choices(_MOVES[:8], k=3))}",
            f"final_status_list {rng.choice(('dead', 'alive', 'seki'))}",
            f"loadsgf {_file(rng)}{rng.choice(('', ' 3', ' 0'))}",
            f"search-level {rng.randrange(8)}",
        )
    )


def _file(rng: Random) -> str:
    return rng.choice(("good.sgf", rng.choice(_RECORDS), rng.choice(FILES)))


def _searcher(rng: Random) -> str:
    searcher = SEARCHERS[rng.choice(list(SEARCHERS))]
    options = rng.sample(searcher.options, min(len(searcher.options), rng.randrange(3)))
    return " ".join(
        [
            "search-algorithm",
            searcher.name,
            *(f"{each.name}={_searcher_value(each, rng)}" for each in options),
        ]
    )


def _searcher_value(option: Option, rng: Random) -> object:
    if rng.random() < 0.2:
        return rng.choice(("", "x", "-1", "nan", "1e999", "true", "0"))
    return rng.choice((option.least, option.most, option.default, *option.choices, 1, 5, "on", "off", 0.5))


def _game(rng: Random) -> str:
    name = rng.choice(list(GAMES))
    text = ""
    if name in _TEXTS or rng.random() < 0.1:
        text = rng.choice(_TEXTS.get(name, ("x", "7,5,3")))
    options = rng.sample(_GAME_OPTIONS, rng.choice((0, 0, 0, 0, 1, 2)))
    return " ".join(["set_game", name, *options, text])


GENERATING = ("lz-genmove_analyze", "kata-genmove_analyze")
_GENERATING = ("genmove", "genmove", "genmove", "reg_genmove", "reg_genmove", *GENERATING)
