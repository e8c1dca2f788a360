"""What people at a terminal ask for: the board, help, the build."""

import sys
from collections.abc import Iterable

from engine.board.fen import format_fen, square_name
from engine.board.movegen import legal_moves
from engine.board.notation import move_text
from engine.board.position import COMPILED, Position
from engine.cpu import built_for
from protocol import about
from protocol.text import info_string

UNCOMPILED = "this engine runs uncompiled, about 100 times slower than it would with a C compiler"
PIECES = "PNBRQK  pnbrqk  "  # by colour * 8 + type
EMPTY = 7

HELP = """\
Lolli speaks UCI. A game in brief: uci, isready, ucinewgame, position startpos moves e2e4, go movetime 1000.

uci, isready, ucinewgame, quit       the usual greetings
position startpos|fen F [moves ...]  set up the board
go [wtime T btime T winc T binc T movestogo N] [movetime T] [depth N] [nodes N] [mate N]
   [infinite] [ponder] [searchmoves ...]   search; stop or ponderhit ends infinite and ponder
setoption name N [value V]           see the options that uci lists

d              show the board, its FEN and key, and the legal moves
eval           show the terms of the evaluation
flip           exchange the colours
go perft N     count the positions N plies deep, by root move
bench [N]      search a fixed set of positions N plies deep; tells nodes and speed
compiler       tell how this engine was built
# ...          a comment""".splitlines()


def board(position: Position, chess960: bool) -> list[str]:
    """The board with FEN, key, checkers and legal moves."""
    rule = " +---+---+---+---+---+---+---+---+"
    lines = ["", rule]
    for rank in range(7, -1, -1):
        row = " | ".join(_piece(position, rank * 8 + file) for file in range(8))
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


def _piece(position: Position, square: int) -> str:
    piece = position.piece_at(square)
    return " " if piece == EMPTY else PIECES[piece]


def build() -> list[str]:
    """Version, mode, target and the tools that made it."""
    return [
        f"{about.NAME} {about.VERSION}, {mode()}",
        f"Python {' '.join(sys.version.split())} on {sys.platform}",
    ]


def mode() -> str:
    """`compiled for native`, or `uncompiled`."""
    return f"compiled for {built_for() or 'the baseline processor'}" if COMPILED else "uncompiled"


def introduction(declarations: Iterable[str], problems: Iterable[str]) -> list[str]:
    """The answer to `uci`."""
    lines = [f"id name {about.NAME} {about.VERSION}", f"id author {about.AUTHOR}", *declarations]
    warnings = [*([] if COMPILED else [UNCOMPILED]), *problems]
    return [*lines, *(info_string(warning) for warning in warnings), "uciok"]
