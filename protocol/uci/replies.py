"""The answers to a client, as lines of text. Pure functions: nothing here writes."""

import sys
from collections.abc import Iterable

from engine.board.fen import format_fen, square_name
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import COMPILED, Position
from engine.search.report import Bound, Outcome, Progress, Report
from engine.system.processor import built_for
from protocol import about
from protocol.evaluation import PLAIN, Scale
from protocol.text import info_string

UNCOMPILED = "this engine runs uncompiled, about 100 times slower than with a C compiler"
PIECES = "PNBRQK  pnbrqk  "  # by colour * 8 + type; 7 is an empty square

HELP = """\
Lolli speaks UCI. A game in brief: uci, isready, ucinewgame, position startpos moves e2e4, go movetime 1000.

uci, isready, ucinewgame, quit       as in the UCI specification
position startpos|fen F [moves ...]  set up the board
go [wtime T btime T winc T binc T movestogo N] [movetime T] [depth N] [nodes N] [mate N]
   [infinite] [ponder] [searchmoves ...]   search; stop or ponderhit ends infinite and ponder
setoption name N [value V]           set an option; uci lists them

d              show the board, its FEN and key, and the legal moves
eval           show the terms of the evaluation
flip           swap the colours
go perft N     count the leaves of the move tree N plies deep, by root move
bench [N]      search a fixed set of positions N plies deep with the default options; show nodes and speed
compiler       show how this engine was built
# ...          a comment""".splitlines()

_BOUNDS = {Bound.EXACT: "", Bound.LOWER: " lowerbound", Bound.UPPER: " upperbound"}


def score(report: Report, scale: Scale = PLAIN) -> str:
    """`cp 31` or `mate -2` from the mover's point of view, in centipawns of the scale or in moves."""
    mate = report.score.mate()
    return f"cp {scale.centipawns(report.score.value, report.known)}" if mate is None else f"mate {mate}"


def chances(report: Report, scale: Scale) -> str:
    """` wdl 251 700 49`, per mille from the mover's point of view; empty if not asked for or not known."""
    numbers = scale.chances(report) if scale.shows_chances else None
    return "" if numbers is None else f" wdl {' '.join(map(str, numbers))}"


def info(report: Report, chess960: bool, scale: Scale = PLAIN) -> str:
    words = (
        f"info depth {report.depth} seldepth {report.seldepth} multipv {report.line}"
        f" score {score(report, scale)}{_BOUNDS[report.bound]}{chances(report, scale)}"
        f" nodes {report.nodes} nps {per_second(report.nodes, report.milliseconds)}"
        f" hashfull {report.hashfull} tbhits {report.table_hits} time {report.milliseconds}"
    )
    if not report.moves:
        return words
    return f"{words} pv {' '.join(move_text(move, chess960) for move in report.moves)}"


def progress(step: Progress, chess960: bool) -> str:
    move = move_text(step.move, chess960)
    return f"info depth {step.depth} currmove {move} currmovenumber {step.number}"


def best_move(outcome: Outcome, chess960: bool) -> str:
    if outcome.best == 0:
        return "bestmove (none)"
    words = f"bestmove {move_text(outcome.best, chess960)}"
    return f"{words} ponder {move_text(outcome.ponder, chess960)}" if outcome.ponder else words


def per_second(nodes: int, milliseconds: int) -> int:
    """Nodes per second; less than a millisecond counts as one."""
    return nodes * 1000 // max(1, milliseconds)


def board(position: Position, chess960: bool) -> list[str]:
    rule = " +---+---+---+---+---+---+---+---+"
    lines = ["", rule]
    for rank in range(7, -1, -1):
        row = " | ".join(PIECES[position.piece_at(rank * 8 + file)] for file in range(8))
        lines += [f" | {row} | {rank + 1}", rule]
    checkers = [square_name(square) for square in range(64) if position.checkers >> square & 1]
    moves = sorted(move_text(move, chess960) for move in legal_moves(position))
    return [
        *lines,
        "   a   b   c   d   e   f   g   h",
        "",
        f"Fen: {format_fen(position, chess960)}",
        f"Key: {position.key:016X}",
        " ".join(["Checkers:", *checkers]),
        " ".join(["Legal moves:", *moves]),
    ]


def build() -> list[str]:
    """Version, how it was compiled, Python version and platform."""
    return [
        f"{about.NAME} {about.VERSION}, {mode()}",
        f"Python {' '.join(sys.version.split())} on {sys.platform}",
    ]


def mode() -> str:
    """`compiled for native`, or `uncompiled`."""
    return f"compiled for {built_for() or 'the baseline processor'}" if COMPILED else "uncompiled"


def introduction(declarations: Iterable[str], problems: Iterable[str]) -> list[str]:
    lines = [f"id name {about.NAME} {about.build()}", f"id author {about.AUTHOR}", *declarations]
    warnings = [*([] if COMPILED else [UNCOMPILED]), *problems]
    return [*lines, *(info_string(warning) for warning in warnings), "uciok"]
