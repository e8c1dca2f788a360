"""Every text format, its texts eight times as long: reading them must not take twenty times as long."""

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import pytest

from engine.board.position import COMPILED
from tests.protocol.growth import readers
from tests.protocol.growth.readers import Read

_TIMES = 8
_MOST_TIME = 2.5 * _TIMES  # for _TIMES as much text: a quadratic reader takes 64 times as long
_LONG_ENOUGH = 0.04  # seconds, so that ticks and other programs do not matter
_LONG_TEXT = 1 << 18  # characters
_READINGS = 6


@dataclass(frozen=True)
class Shape:
    """A text: `before`, each of `units` repeated, one after the other, and `after`.

    `@` in a unit is the number of the repetition. The shortest text has `size` repetitions.
    """

    read: Read
    before: str
    units: tuple[str, ...]
    after: str = ""
    size: int = 100

    def text(self, size: int) -> str:
        parts = (
            unit * size if "@" not in unit else "".join(unit.replace("@", str(i)) for i in range(size))
            for unit in self.units
        )
        return f"{self.before}{''.join(parts)}{self.after}"


_EVENT = '[Event "?"]\n\n'
_ROUND = "Nf3 Nf6 Ng1 Ng8 "  # moves that can be made again and again
_UCI_ROUND = "g1f3 g8f6 f3g1 f6g8 "
_SCORED = "Nf3 {[%eval 0.1]} Nf6 {[%eval 0.1]} Ng1 {[%eval 0.1]} Ng8 {[%eval 0.1]} "
_OURS = '[Analysis "Lolli 1"]\n\ne4 '
_PLACEMENT = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
_EPD = f"{_PLACEMENT} w KQkq - "
_SGF = "(;GM[1]SZ[19]"
_WEIGHTS = '{"format": "lolli weights", "version": 1, "features": {'
_JOURNAL = '{"run":1}\n'

Shapes = Iterator[tuple[str, Shape]]


def _games(read: Read) -> Shapes:
    """What any reader of PGN must bear."""
    yield "headers", Shape(read, "", ('[H@ "x"]\n',), "\ne4 *\n")
    yield "headers in a line", Shape(read, "", ('[H@ "x"]',), "\n\ne4 *\n")
    yield "quotes in a header", Shape(read, '[Event "', ('" ',), '"]\n\ne4 *\n')
    yield "moves", Shape(read, _EVENT, (_ROUND,), "*\n", 10)
    yield "moves in lines", Shape(read, _EVENT, (_ROUND.replace(" ", "\n"),), "*\n", 10)
    yield "comments on a move", Shape(read, f"{_EVENT}e4", (" {a}",), " *\n")
    yield "comments before the moves", Shape(read, _EVENT, ("{a} ",), "e4 *\n")
    yield "comments on all moves", Shape(read, _EVENT, (_ROUND.replace(" ", " {a} "),), "*\n", 10)
    yield "lines of a comment", Shape(read, f"{_EVENT}e4 {{", ("a\n",), "} *\n")
    yield "comments that are not closed", Shape(read, f"{_EVENT}e4 ", ("{a ",), "*\n")
    yield "comments to the ends of lines", Shape(read, f"{_EVENT}e4 ", (";a\n",), "*\n")
    yield "escapes", Shape(read, f"{_EVENT}e4\n", ("%a\n",), "*\n")
    yield "NAGs", Shape(read, f"{_EVENT}e4 ", ("$1 ",), "*\n")
    yield "variations of one move", Shape(read, f"{_EVENT}e4 ", ("(d4) ",), "*\n", 50)
    yield "variations of all moves", Shape(read, _EVENT, ("Nf3 (Nh3) Nf6 Ng1 Ng8 ",), "*\n", 10)
    yield "variations after a long game", Shape(read, _EVENT, (_ROUND, "Nf3 (d4) Nf6 Ng1 Ng8 "), "*\n", 10)
    yield "variations in variations", Shape(read, f"{_EVENT}e4 ", ("(d4 ", ")"), " *\n", 50)
    yield "the same after a long game", Shape(read, _EVENT, (_ROUND, "(d5 ", ")"), " *\n", 10)
    yield "brackets", Shape(read, f"{_EVENT}e4 ", ("(",))
    yield "blanks", Shape(read, f"{_EVENT}e4", (" ",), "*\n")
    yield "blank lines", Shape(read, f"{_EVENT}e4 *", ("\n",))
    yield "dots", Shape(read, f"{_EVENT}1", (" .",), " e4 *\n")
    yield "games", Shape(read, "", (f"{_EVENT}e4 *\n\n",), "", 20)


def _pgn() -> Shapes:
    for name, read in {"PGN": readers.read_pgn, "book": readers.read_book}.items():
        yield from ((f"{name}: {what}", shape) for what, shape in _games(read))
    told = {"headers", "comments on a move", "variations of one move", "variations in variations", "NAGs"}
    for name, read in {"annotate": readers.annotate_pgn, "report": readers.report_pgn}.items():
        yield from ((f"{name}: {what}", shape) for what, shape in _games(read) if what in told)
    annotate, report = readers.annotate_pgn, readers.report_pgn
    yield "annotate: again", Shape(annotate, _OURS, ("(d4 {[%eval 0.1]}) ",), "e5 *\n", 50)
    yield "report: scores", Shape(report, _EVENT, (_SCORED,), "*\n", 10)
    yield "report: commands in a comment", Shape(report, f"{_EVENT}e4 {{", ("[%",), "} *\n")
    yield "report: arrows", Shape(report, f"{_EVENT}e4 {{", ("[%cal Ra1h8]",), "} *\n", 30)
    yield "report: what HTML escapes", Shape(report, f"{_EVENT}e4 {{", ("<&>'",), "} *\n")


def _analyse() -> Shapes:
    read = readers.recognise
    yield from ((f"analyse: {what}", shape) for what, shape in _games(read))
    for unit in ("(", "[", " ", "a", "a/", "a/a/a ", "8/", "z/", "{", '"', "1.", "1", "%", "\n", "[x "):
        yield f"analyse: {unit!r}", Shape(read, "", (unit,))
    for unit in (
        "startpos ",
        "moves ",
        'id "',
        "e4 {",
        "a\n",
        f"{_EPD}\n",
        "www.",
        "http://a/b/c/d/e/f/g/h ",
    ):
        yield f"analyse: {unit!r}", Shape(read, "", (unit,), "", 30)
    yield "analyse: no ranks before ranks", Shape(read, "", ("z/",), "8/8/8/8")
    yield "analyse: numbers before a move", Shape(read, "e4 ", ("1.",), "e5")
    yield "analyse: moves", Shape(read, "position startpos moves ", (_UCI_ROUND,), "", 10)


def _play() -> Shapes:
    yield "play: record", Shape(readers.record_game, "", (_UCI_ROUND,), "", 10)
    for unit in ("+", " ", "ep", "1", "1.", "O-", "♔", "a"):
        yield f"play: {unit!r}", Shape(readers.type_at_board, "e4", (unit,), "a")


def _positions() -> Shapes:
    read = readers.read_suite
    for unit in ("bm e4; ", "a@ 1; ", "a ", '"a" ', '"', ";", " ", "é", "1 "):
        yield f"EPD: {unit!r}", Shape(read, _EPD, (unit,), "")
        yield f"EPD: {unit!r} and nonsense", Shape(read, _EPD, (unit,), "\\")
    yield "EPD: moves", Shape(read, f"{_EPD}bm ", ("e4 ",), ";", 20)
    yield "EPD: points", Shape(read, f'{_EPD}c0 "', ("e4=1,",), 'e4=1";', 20)
    yield "EPD: no points", Shape(read, f'{_EPD}c0 "', ("e4=",), '";')
    yield "EPD: digits", Shape(read, f"{_EPD}dm ", ("1",), ";")
    yield "EPD: lines", Shape(read, "", (f"{_EPD}bm e4;\n",), "", 10)
    yield "book: positions", Shape(readers.read_epd_book, "", (f"{_EPD}\n",), "", 10)
    yield "book: fields", Shape(readers.read_epd_book, _EPD, ("0 ",))
    for unit, rest in (("p", "/8/8/8/8/8/8/8 w - - 0 1"), ("8/", " w - - 0 1"), ("a ", "")):
        yield f"FEN: {unit!r}", Shape(readers.read_fen, "", (unit,), rest)
    yield "FEN: castling rights", Shape(readers.read_fen, f"{_PLACEMENT} w ", ("KQkq",), " - 0 1")
    yield "FEN: zeros", Shape(readers.read_fen, f"{_EPD}", ("0",), " 1")


def _uci() -> Shapes:
    read = readers.speak_uci
    yield "UCI: moves", Shape(read, "position startpos moves ", (_UCI_ROUND,), "\n", 30)
    for line in ("position fen ", "go ", "go searchmoves ", "setoption name ", "setoption name x value ", ""):
        for unit in ("a ", "moves ", "wtime 1 ", "value ", "1"):
            yield f"UCI: {line}{unit!r}", Shape(read, line, (unit,), "\n")
    yield "UCI: lines", Shape(read, "", ("nonsense\n",), "")


def _gtp() -> Shapes:
    read = readers.speak_gtp
    for line in ("", "play b ", "komi ", "set_free_handicap ", "set_game tree ", "set_game nim ", "loadsgf "):
        for unit in ("1", "d4 ", "#", "\t", "\x01"):
            yield f"GTP: {line}{unit!r}", Shape(read, line, (unit,))
    yield "GTP: a game", Shape(read, "", ("play b d4\nplay w f6\ngg-undo 2\n",), "", 10)
    yield "GTP: a deep tree", Shape(read, "set_game tree ", ("(", "1", ")"))
    for unit in ("1,", "1/", "-+.e/", "[1:"):
        yield f"GTP: tree {unit!r}", Shape(read, "set_game tree (", (unit,), "1)\nshowboard")


def _files() -> Shapes:
    for unit in (";B[]", ";C[x]", "C[x]", "AB[aa:ss]", "(;B[aa])", "(", "(;", "( ", ";", " ", "A", "[", ")"):
        yield f"SGF: {unit!r}", Shape(readers.read_sgf_file, _SGF, (unit,), ")", 20)
    yield "SGF: games in games", Shape(readers.read_sgf_file, _SGF, ("(;B[aa]", ")"), ")", 20)
    for unit in ("x", "\\]", "[", "\n"):
        yield f"SGF: {unit!r} in a value", Shape(readers.read_sgf_file, f"{_SGF}C[", (unit,), "])")
    for unit in ('"f@": 1, ', '"placement": {"middle": [1]}, ', '"', "[", "1", " "):
        yield f"weights: {unit!r}", Shape(readers.read_weights, _WEIGHTS, (unit,), '"f": 1}}')
    for name, read in {"journal": readers.read_journal, "match journal": readers.read_match_journal}.items():
        for unit in ('{"a":1}\n', "\n", "\r", "[", "a", '{"a'):
            yield f"{name}: {unit!r}", Shape(read, _JOURNAL, (unit,), "\n")


SHAPES = dict(chain(_pgn(), _analyse(), _play(), _positions(), _uci(), _gtp(), _files()))
LONG_GAME = Shape(readers.annotate_pgn, _EVENT, (_ROUND,), "*\n", 100)


def assert_time_grows_linearly(read: Read, make: Callable[[int], str], size: int) -> None:
    """Fails where 8 times the text takes far more than 8 times the processor's time.

    The size grows until reading takes long enough to be measured or the text is long. Of several readings of
    each text the fastest counts: other programs can double a time, but never make one shorter.
    """
    read(make(size))
    while (short := _seconds(read, make(size))) < _LONG_ENOUGH and len(make(size)) < _LONG_TEXT:
        size *= 2
    brief, lengthy = make(size), make(_TIMES * size)
    long = _seconds(read, lengthy)
    for _ in range(_READINGS - 1):
        if long <= _MOST_TIME * max(short, _LONG_ENOUGH):
            return
        short, long = min(short, _seconds(read, brief)), min(long, _seconds(read, lengthy))
    assert long <= _MOST_TIME * max(short, _LONG_ENOUGH), f"{long / short:.0f} times as long, size {size}"


def _seconds(read: Read, text: str) -> float:
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        read(text)
        return time.process_time() - began
    finally:
        gc.enable()


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="it is the same reading, a hundred times as slow")
@pytest.mark.parametrize("shape", [*SHAPES.values(), LONG_GAME], ids=[*SHAPES, "annotate: a long game"])
def test_time_grows_with_the_length(shape: Shape) -> None:
    assert_time_grows_linearly(shape.read, shape.text, shape.size)
