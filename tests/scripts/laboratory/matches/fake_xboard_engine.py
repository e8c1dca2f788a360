"""An XBoard engine that plays random legal moves.

With the argument `edit` it has no `setboard`, with `resign` it gives up at its third move, with `silent` it
never moves.
"""
# ruff: noqa: T201 - an engine speaks by printing

from __future__ import annotations

import random
import sys

import chess


class XboardEngine:
    """What the engine knows of the game."""

    def __init__(self, manner: str) -> None:
        """Start as `manner` says."""
        self.manner = manner
        self.board = chess.Board()
        self.plays = False
        self.made = 0
        self.chooser = random.Random(5)

    def obey(self, line: str) -> None:  # noqa: C901 - a case for each command
        """Act on one command."""
        match line.split():
            case ["protover", "2"]:
                setboard = int(self.manner != "edit")
                print(f'feature ping=1 setboard={setboard} usermove=1 san=0 option="Style -spin 1 0 9"')
                print('feature myname="fake" done=1', flush=True)
            case ["ping", number]:
                print(f"pong {number}", flush=True)
            case ["new"]:
                self.board = chess.Board()
                self.plays = False
                self.made = 0
            case ["force"]:
                self.plays = False
            case ["setboard", *fields]:
                self.board = chess.Board(" ".join(fields))
            case ["edit"]:
                self.edit()
            case ["go"]:
                self.plays = True
                self.move()
            case ["usermove", move] if self.plays:
                self.board.push_uci(move)
                self.move()
            case ["usermove" | "a2a3", *move]:
                self.board.push_uci(move[0] if move else "a2a3")
            case ["quit"]:
                sys.exit()

    def edit(self) -> None:
        """Take the pieces of a position; the side to move stays as it is."""
        colour = chess.WHITE
        for line in sys.stdin:
            match line.strip():
                case ".":
                    break
                case "#":
                    self.board.clear_board()
                case "c":
                    colour = not colour
                case piece:
                    kind = chess.PIECE_SYMBOLS.index(piece[0].lower())
                    self.board.set_piece_at(chess.parse_square(piece[1:]), chess.Piece(kind, colour))
        self.board.castling_rights = chess.BB_CORNERS
        self.board.castling_rights = self.board.clean_castling_rights()
        self.board.ep_square = None

    def move(self) -> None:
        """Choose a move and play it, if there is one."""
        if self.manner == "silent":
            return
        self.made += 1
        if self.manner == "resign" and self.made == 3:
            print("resign", flush=True)
            return
        moves = sorted(self.board.legal_moves, key=chess.Move.uci)
        if moves:
            move = self.chooser.choice(moves)
            print(f" {self.made} {10 * self.made} 1 {100 * self.made} {move.uci()}")
            print(f"move {self.board.san(move) if self.board.is_castling(move) else move.uci()}", flush=True)
            self.board.push(move)


def main() -> None:
    """Speak the protocol until told to quit."""
    engine = XboardEngine(sys.argv[1] if len(sys.argv) > 1 else "setboard")
    while line := sys.stdin.readline():
        engine.obey(line)


if __name__ == "__main__":
    main()
