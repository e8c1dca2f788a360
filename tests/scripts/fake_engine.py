"""A UCI engine that plays random legal moves, until it misbehaves as its first argument says.

The second argument is the number of its own moves in each game after which it does.
"""

# ruff: noqa: T201 - an engine speaks by printing

from __future__ import annotations

import os
import random
import sys
import time

import chess

OPTIONS = """option name Hash type spin default 16 min 1 max 64
option name UCI_Chess960 type check default false"""


def main() -> None:
    """Speak UCI until told to quit."""
    manner = sys.argv[1] if len(sys.argv) > 1 else "legal"
    patience = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    chooser = random.Random(4)
    board = chess.Board()
    chess960 = False
    made = 0
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                print(f"id name fake\nid author nobody\n{OPTIONS}\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["setoption", "name", "UCI_Chess960", "value", value]:
                chess960 = value == "true"
            case ["ucinewgame"]:
                made = 0
            case ["position", *words]:
                board = read_position(words, chess960=chess960)
            case ["go", *_]:
                made += 1
                if made > patience:
                    misbehave(manner)
                move = chooser.choice(sorted(board.legal_moves, key=chess.Move.uci))
                print(f"info depth {made} score cp {made} nodes {10 * made} time 1 pv {board.uci(move)}")
                print(f"bestmove {board.uci(move)}", flush=True)
            case ["quit"]:
                return


def read_position(words: list[str], *, chess960: bool) -> chess.Board:
    """The position of a `position` command."""
    before, _, moves = " ".join(words).partition(" moves ")
    fen = chess.STARTING_FEN if before == "startpos" else before.removeprefix("fen ")
    board = chess.Board(fen, chess960=chess960)
    for move in moves.split():
        board.push_uci(move)
    return board


def misbehave(manner: str) -> None:
    """Do what the engine was started for."""
    if manner == "crash":
        print("this is the end", file=sys.stderr, flush=True)
        os._exit(3)
    if manner == "illegal":
        print("bestmove e2e5", flush=True)
        sys.stdin.readline()
        sys.exit()
    if manner == "late":
        time.sleep(0.3)
    if manner == "silent":
        time.sleep(60)


if __name__ == "__main__":
    main()
