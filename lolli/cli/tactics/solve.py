"""Puzzles solved in the terminal, or through pipes."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from lolli.cli.analysis.notation import displayed, move_of, why_not
from lolli.cli.tactics import Puzzle, line_words, move_words
from lolli.cli.terminal.board import board_lines, position_notes
from lolli.cli.terminal.keys import Keyboard
from lolli.cli.terminal.screen import output

_HELP, _HINT, _SKIP, _QUIT = "?", "hint", "skip", "quit"


class PuzzleDialogue:
    def __init__(self, puzzles: Sequence[Puzzle]) -> None:
        self._puzzles = puzzles
        self._keyboard = Keyboard(lambda _line: ())
        self._console = output()
        self._set = 0
        self._solved = 0

    def run(self) -> int:
        self._console.print(
            f"Type a move, {_HINT} for the piece that moves, {_SKIP} to see the solution, or {_QUIT}."
        )
        with self._keyboard:
            status = self._keyboard.status_after(self._set_all)
        self._console.print(f"{self._solved} of {self._set} solved at the first attempt", style="bold")
        return status

    def _set_all(self) -> None:
        for number, puzzle in enumerate(self._puzzles, 1):
            self._console.print()
            self._console.print(f"{number} of {len(self._puzzles)}. {puzzle.task}", style="bold cyan")
            alone = self._solve(puzzle)
            self._set += 1
            self._solved += alone
            self._console.print(line_words(puzzle.board, puzzle.line), style="bold")
            self._console.print(f"{puzzle.story} ({puzzle.source})".strip(), style="dim")

    def _solve(self, puzzle: Puzzle) -> bool:
        """Whether the whole line was found without help. Raises what Keyboard.ask raises."""
        board, last, alone = puzzle.board.copy(), puzzle.last, True
        for number, move in enumerate(puzzle.line):
            if number % 2 == 0:
                flipped = not puzzle.board.turn
                notes = position_notes(board, flipped=flipped)
                for line in board_lines(board, flipped=flipped, last=last, notes=notes):
                    self._console.print(line)
                answered, at_once = self._answer(board, move)
                if answered is None:
                    return False
                alone = alone and at_once
                if answered != move:  # another mate
                    break
            else:
                self._console.print(f"Right. The answer is {move_words(board, move)}.", style="green")
            board.push(move)
            last = move
        self._console.print("Right.", style="green")
        return alone

    def _answer(self, board: chess.Board, right: chess.Move) -> tuple[chess.Move | None, bool]:
        """Ask until the right move, or a mate, comes: the move, and whether at once; None to give up."""
        alone = True
        while True:
            typed = self._line().strip()
            word = typed.lower()
            if word == _QUIT:
                raise EOFError
            if word == _SKIP:
                return None, False
            if word == _HINT:
                alone = False
                self._console.print(f"It is a move of the piece on {right.uci()[:2]}.")
            elif word in {"", "help", _HELP}:
                self._console.print("Type a move, as Nf3 or g1f3.", style="dim")
            elif (move := move_of(board, typed)) is None:
                self._console.print(f"{displayed(typed)} {why_not(board, typed)}.", style="red")
            elif move == right or board.san(move).endswith("#"):
                return move, alone
            else:
                alone = False
                self._console.print(f"{board.san(move)} is not it.", style="red")

    def _line(self) -> str:
        try:
            return self._keyboard.ask("Your move: ")
        except (EOFError, KeyboardInterrupt):
            self._console.print()
            raise
