"""Sets of solved positions of Connect Four, from files: the project's own, Pons's, or anybody's."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files import append_whole, read_file, write_whole
from engine.games.compiled.solver import Solver
from engine.games.rules.connectfour import ConnectFourGame
from engine.games.rules.game import IllegalMoveError
from scripts.laboratory.policy.solved_positions import SolvedPosition, from_lines, solved, to_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OWN = Path(__file__).parents[1] / "data" / "connectfour.jsonl.xz"
"""800 positions with at least one move that gives something away; made by `solved_positions`."""
SUFFIX = ".moves.jsonl"
"""Of the file beside a file of positions, with the moves that keep the value of each."""
_LARGEST = 1 << 24  # bytes
_TABLE_MB = 128


class SolvedSetError(ValueError):
    """A file cannot be used. The message says why."""


def own_positions() -> list[SolvedPosition]:
    """The project's own, by stage of the game."""
    return from_lines(lzma.decompress(read_file(OWN, _LARGEST)).decode())


def read_positions(
    path: Path, most: int | None, tell: Callable[[Iterator[str]], Iterator[str]]
) -> list[SolvedPosition]:
    """The first positions of a file: lines of columns, such as 4453, and perhaps their score.

    Their moves are solved once and kept beside the file. `tell` passes the lines on that are still to be
    solved. Raises SolvedSetError and OSError.
    """
    known = path.with_name(path.name + SUFFIX)
    found = _known(known)
    try:
        lines = [line for line in read_file(path, _LARGEST).decode().splitlines() if line.strip()][:most]
    except UnicodeDecodeError:
        raise SolvedSetError(f"{path}: not a text") from None
    if any(each.moves != line.split()[0] for each, line in zip(found, lines, strict=False)):
        raise SolvedSetError(f"{known}: of other positions than {path.name}; remove it")
    solver = Solver(ConnectFourGame().start(), _TABLE_MB)
    if len(found) < len(lines):
        for line in tell(iter(lines[len(found) :])):
            found.append(_solved(solver, path, line))
            append_whole(known, to_lines(found[-1:]).encode())
    return found[: len(lines)]


def _known(path: Path) -> list[SolvedPosition]:
    """The positions that are solved already; half a line at the end is cut off."""
    if not path.exists():
        return []
    data = read_file(path, _LARGEST)
    whole = data[: data.rfind(b"\n") + 1]
    try:
        found = from_lines(whole.decode())
    except (KeyError, TypeError, ValueError):
        raise SolvedSetError(f"{path}: damaged; remove it") from None
    if whole != data:
        write_whole(path, whole)
    return found


def _solved(solver: Solver, path: Path, line: str) -> SolvedPosition:
    columns, *score = line.split()
    game = ConnectFourGame()
    state = game.start()
    try:
        for column in columns:
            state = state.play(game.parse(state, column))
        wanted = int(score[0]) if score else None
    except (IllegalMoveError, ValueError):
        raise SolvedSetError(f"{path}: not a position: {line[:60]!r}") from None
    if state.player < 0:
        raise SolvedSetError(f"{path}: the game is over: {columns}")
    position = solved(solver, path.name, columns)
    if wanted is not None and (wanted > 0) - (wanted < 0) != position.value:
        raise SolvedSetError(f"{path}: {columns} has another value than {wanted}")
    return position
