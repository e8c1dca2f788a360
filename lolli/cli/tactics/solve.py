"""Exercises solved in the terminal, or through pipes."""

from collections.abc import Callable, Sequence

import chess
from rich.console import Console

from lolli._positions import move_words
from lolli._puzzles import Puzzle
from lolli.cli.analysis.notation import displayed, move_of, why_not
from lolli.cli.tactics import Exercise, Mistake, asked_of, others_of, right_moves, story_of
from lolli.cli.terminal.board import board_lines, position_notes
from lolli.cli.terminal.keys import Keyboard
from lolli.cli.terminal.screen import output

Check = Callable[[Mistake, chess.Move], bool]
"""Whether a move that is not known to be right is good enough."""


def solve(exercises: Sequence[Exercise], check: Check) -> int:
    """Ask until the last exercise is solved or the person leaves; returns the exit status."""
    console, keyboard = output(), Keyboard(lambda _line: ())
    results: list[bool] = []

    def ask_all() -> None:
        for number, exercise in enumerate(exercises, 1):
            console.print()
            console.print(f"{number} of {len(exercises)}. {exercise.task}", style="bold cyan")
            results.append(_is_solved(exercise, check, keyboard, console))
            console.print(exercise.board.variation_san(exercise.line), style="bold")
            if isinstance(exercise, Mistake):
                for text in filter(None, (others_of(exercise), exercise.reason)):
                    console.print(text, markup=False)
            console.print(f"{story_of(exercise)} ({exercise.source})".strip(), style="dim")

    console.print("Type a move, hint for the piece that moves, skip to see the solution, or quit.")
    with keyboard:
        status = keyboard.status_after(ask_all)
    console.print(f"{sum(results)} of {len(results)} solved at the first attempt", style="bold")
    return status


def _is_solved(exercise: Exercise, check: Check, keyboard: Keyboard, console: Console) -> bool:
    """Whether all was found without help."""
    board, last, flipped, alone = exercise.board.copy(), exercise.last, not exercise.board.turn, True
    right = exercise.line[0]

    def read(typed: str) -> chess.Move | None:
        nonlocal alone
        move = move_of(board, typed)
        if move is None:
            console.print(f"{displayed(typed)} {why_not(board, typed)}.", style="red")
        elif move == right or board.san(move).endswith("#") or _is_good(exercise, move, check):
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
    for number, right in enumerate(asked_of(exercise)):
        if number % 2:
            console.print(f"Right. The answer is {move_words(board, right)}.", style="green")
        else:
            notes = position_notes(board, flipped=flipped)
            console.print(*board_lines(board, flipped=flipped, last=last, notes=notes), sep="\n")
            answer = keyboard.answer("Your move: ", words, read)
            if not answer:
                return False
            if answer != right:  # another mate, or another good move
                break
        board.push(right)
        last = right
    console.print("Right.", style="green")
    return alone


def _is_good(exercise: Exercise, move: chess.Move, check: Check) -> bool:
    if isinstance(exercise, Puzzle) or move == exercise.played:
        return False
    return move in right_moves(exercise) or check(exercise, move)
