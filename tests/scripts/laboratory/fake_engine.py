"""A UCI engine that plays random legal moves, until it misbehaves as its first argument says.

With `first` it always plays, and expects, the first move of the alphabet. The second argument is the number
of its own moves in each game after which it misbehaves.
"""

# ruff: noqa: T201 - an engine speaks by printing

from __future__ import annotations

import os
import random
import sys
import time

import chess

OPTIONS = """option name Hash type spin default 16 min 1 max 64
option name Ponder type check default false
option name nodestime type spin default 0 min 0 max 10000
option name UCI_Chess960 type check default false"""


def main() -> None:
    manner = sys.argv[1] if len(sys.argv) > 1 else "legal"
    patience = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    engine = FakeEngine(manner, patience)
    for line in sys.stdin:
        if line == "quit\n":
            return
        engine.obey(line.split())


class FakeEngine:
    def __init__(self, manner: str, patience: int) -> None:
        self.manner = manner
        self.patience = patience
        self.chooser = random.Random(4)
        self.board = chess.Board()
        self.chess960 = False
        self.made = 0
        self.pondering = False

    def obey(self, words: list[str]) -> None:
        match words:
            case ["uci"]:
                print(f"id name fake\nid author nobody\n{OPTIONS}\nuciok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["setoption", "name", "UCI_Chess960", "value", value]:
                self.chess960 = value == "true"
            case ["ucinewgame"]:
                self.made = 0
            case ["position", *position]:
                self.board = read_position(position, chess960=self.chess960)
            case ["go", "ponder", *_]:
                self.pondering = True
            case ["stop"] if self.pondering:
                self.pondering = False
                print("bestmove 0000", flush=True)
            case ["go" | "ponderhit", *_]:
                self.pondering = False
                self.move()

    def move(self) -> None:
        self.made += 1
        if self.made > self.patience:
            misbehave(self.manner)
        legal = moves(self.board)
        text = legal[0].uci() if self.manner == "first" else self.chooser.choice(legal).uci()
        print(f"info depth {self.made} score cp {self.made} nodes {10 * self.made} time 1 pv {text}")
        self.board.push_uci(text)
        replies = moves(self.board)
        print(f"bestmove {text}{f' ponder {replies[0]}' if replies else ''}", flush=True)


def moves(board: chess.Board) -> list[chess.Move]:
    return sorted(board.legal_moves, key=chess.Move.uci)


def read_position(words: list[str], *, chess960: bool) -> chess.Board:
    before, _, moves = " ".join(words).partition(" moves ")
    fen = chess.STARTING_FEN if before == "startpos" else before.removeprefix("fen ")
    board = chess.Board(fen, chess960=chess960)
    for move in moves.split():
        board.push_uci(move)
    return board


def misbehave(manner: str) -> None:
    if manner == "crash":
        print("this is the end", file=sys.stderr, flush=True)
        os._exit(3)
    if manner == "illegal":
        print("bestmove e2e5", flush=True)
        sys.stdin.readline()
        sys.exit()
    if manner == "late":
        time.sleep(0.3)
    if manner == "talkative":
        for _ in range(25):
            time.sleep(0.1)
            print("info string thinking", flush=True)
    if manner == "silent":
        time.sleep(60)


if __name__ == "__main__":
    main()
