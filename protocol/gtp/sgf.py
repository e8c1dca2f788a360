"""Games of Go from SGF files, read by sgfmill."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sgfmill import sgf

from engine import files
from engine.games.rules.vertices import vertex
from protocol.gtp.match import Match, Setup

if TYPE_CHECKING:
    from protocol.gtp.rules import Rules

_PLAYERS = {"b": 0, "w": 1}
_LARGEST = 1 << 20  # bytes; games in games take a hundred times as much while they are read


class SgfError(ValueError):
    """A file that cannot be read, or is not a game of Go that can be played; the message says why."""


def read_sgf(path: str, rules: Rules, before: int | None = None) -> tuple[Rules, Match]:
    """The rules and the main line of a file, to its end or to the position before move `before`.

    Size and komi are those of the file, all else is as in `rules`. Raises SgfError, and what Match raises.
    """
    record = _record(path)
    game = rules.game()
    if game.komi is None:
        raise SgfError("not a game of Go")
    try:
        komi = record.get_komi() if record.get_root().has_property("KM") else game.komi
    except ValueError as error:
        raise SgfError(str(error)) from None
    chosen = replace(rules, options={**rules.options, "komi": str(komi)})
    match = Match(chosen.game(), record.get_size(), _setup(record.get_root()))
    for player, point in _moves(record)[: None if before is None else max(0, before - 1)]:
        match.play_text(player, point)
    return chosen, match


def _record(path: str) -> Any:
    try:
        record = sgf.Sgf_game.from_bytes(files.read_file(path, _LARGEST))
        root = record.get_root()
        of_go = not root.has_property("GM") or root.get("GM") == 1
    except OSError as error:
        raise SgfError(error.strerror or "cannot be read") from None
    except ValueError as error:
        raise SgfError(str(error)) from None
    if not of_go:
        raise SgfError("not a game of Go")
    return record


def _setup(root: Any) -> Setup | None:
    """The stones on the board at the start; White moves first after a handicap."""
    try:
        black, white, emptied = root.get_setup_stones()
        first = root.get("PL") if root.has_property("PL") else None
    except ValueError as error:
        raise SgfError(str(error)) from None
    placed = ((0, black), (1, white))
    stones = [(player, _name(point)) for player, points in placed for point in sorted(points - emptied)]
    if not stones and first in (None, "b"):
        return None
    return Setup(tuple(stones), _PLAYERS[first] if first else int(bool(black) and not white))


def _moves(record: Any) -> list[tuple[int, str]]:
    found = []
    for node in record.get_main_sequence():
        if node is not record.get_root() and node.has_setup_stones():
            raise SgfError("stones are set up after the first node")
        try:
            colour, point = node.get_move()
        except ValueError as error:
            raise SgfError(str(error)) from None
        if colour is not None:
            found.append((_PLAYERS[colour], "pass" if point is None else _name(point)))
    return found


def _name(point: tuple[int, int]) -> str:
    row, column = point
    return vertex(column, row)
