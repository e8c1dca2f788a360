"""Puzzles solved in the terminal, or through pipes."""

from collections.abc import Callable, Sequence

import chess
from rich.console import Console

from lolli.cli.analysis.notation import displayed, move_of, why_not
from lolli.cli.tactics import Puzzle, move_words
from lolli.cli.terminal.board import board_lines, position_notes
from lolli.cli.terminal.keys import Keyboard
from lolli.cli.terminal.screen import output


def solve(puzzles: Sequence[Puzzle]) -> int:
    """Ask until the last puzzle is solved or the person leaves; returns the exit status."""
    console, keyboard = output(), Keyboard(lambda _line: ())
    results: list[bool] = []

    def ask_all() -> None:
        for number, puzzle in enumerate(puzzles, 1):
            console.print()
            console.print(f"{number} of {len(puzzles)}. {puzzle.task}", style="bold cyan")
            results.append(_is_solved(puzzle, keyboard, console))
            console.print(puzzle.board.variation_san(puzzle.line), style="bold")
            console.print(f"{puzzle.story} ({puzzle.source})".strip(), style="dim")

    console.print("Type a move, hint for the piece that moves, skip to see the solution, or quit.")
    with keyboard:
        status = keyboard.status_after(ask_all)
    console.print(f"{sum(results)} of {len(results)} solved at the first attempt", style="bold")
    return status


def _is_solved(puzzle: Puzzle, keyboard: Keyboard, console: Console) -> bool:
    """Whether the whole line was found without help."""
    board, last, flipped, alone = puzzle.board.copy(), puzzle.last, not puzzle.board.turn, True
    right = puzzle.line[0]

    def read(typed: str) -> chess.Move | None:
        nonlocal alone
        move = move_of(board, typed)
        if move is None:
            console.print(f"{displayed(typed)} {why_not(board, typed)}.", style="red")
        elif move == right or board.san(move).endswith("#"):
            return move
        else:
            alone = False
            console.print(f"{board.san(move)} is not it.", style="red")
        return None

    def hint() -> None:
        nonlocal alone
        alone = False
        console.print(f"It is a move of the piece on {right.uci()[:2]}.")

    def explain() -> None:
        console.print("Type a move, as Nf3 or g1f3.", style="dim")

    words: dict[str, Callable[[], chess.Move | None]]
    words = {**dict.fromkeys(("", "help", "?"), explain), "skip": chess.Move.null, "hint": hint}
    for number, right in enumerate(puzzle.line):
        if number % 2:
            console.print(f"Right. The answer is {move_words(board, right)}.", style="green")
        else:
            notes = position_notes(board, flipped=flipped)
            console.print(*board_lines(board, flipped=flipped, last=last, notes=notes), sep="\n")
            answer = keyboard.answer("Your move: ", words, read)
            if not answer:
                return False
            if answer != right:  # another mate
                break
        board.push(right)
        last = right
    console.print("Right.", style="green")
    return alone
