"""Polyglot books byte by byte."""

import struct
from collections.abc import Iterable
from pathlib import Path

import chess
import chess.polyglot

Entry = tuple[chess.Board, str, int]
"""A board, a move on it as Polyglot writes it (castling is king takes rook), and its weight."""

FOUR = [("e2e4", 50), ("d2d4", 30), ("c2c4", 15), ("g1f3", 5)]
"""Moves in the start position with their weights."""


def raw_move(text: str) -> int:
    """From the lowest bit: file and rank of the target, then of the source, three bits each; promotion."""
    squares = [ord(text[i]) - ord("a") + 8 * (int(text[i + 1]) - 1) for i in (0, 2)]
    return squares[1] | squares[0] << 6 | " nbrq".index(text[4:] or " ") << 12


def packed(entries: Iterable[Entry]) -> bytes:
    rows = sorted(
        ((chess.polyglot.zobrist_hash(board), raw_move(move), weight) for board, move, weight in entries),
        key=lambda row: row[0],
    )
    return b"".join(struct.pack(">QHHI", key, move, weight, 0) for key, move, weight in rows)


def saved(folder: Path, entries: Iterable[Entry]) -> Path:
    path = folder / "book.bin"
    path.write_bytes(packed(entries))
    return path


def after(*moves: str) -> chess.Board:
    board = chess.Board()
    for move in moves:
        board.push_uci(move)
    return board


def four() -> list[Entry]:
    answers = [(after("e2e4"), "c7c5", 7), (after("e2e4"), "e7e5", 9)]
    return [(chess.Board(), move, weight) for move, weight in FOUR] + answers
