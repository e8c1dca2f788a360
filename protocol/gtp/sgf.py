"""Games of Go from and to SGF files, by sgfmill."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sgfmill import sgf, sgf_grammar

from engine.games.catalogue import Rules
from engine.games.rules.game import parse_vertex, vertex
from engine.system import files
from protocol import about
from protocol.gtp.match import Match, Setup, points
from protocol.gtp.parser import GtpError
from protocol.gtp.session import PASSED
from protocol.text import quoted

_PLAYERS = {"b": 0, "w": 1}
_SETUP = ("AB", "AW", "AE")
_ANY_TEXT = "ISO-8859-1"  # no text is read, so its encoding does not matter
_LARGEST = 1 << 20  # bytes; games in games take a hundred times as much while they are read
_FOX = b"foxwq"
_HUNDREDTHS = 100.0  # no komi is as large: it is in hundredths of a point
_STEP = 25.0  # of a komi in hundredths
_COUNTED_IN_STONES = (2.5, 4.0)


class SgfError(ValueError):
    """A file that cannot be read, or is not a game of Go that can be played; the message says why."""


def read_sgf(path: str, rules: Rules, before: int | None = None) -> Match:
    """The main line of a file, to its end or to the position before move `before`.

    Size and komi are those of the file, all else is as in `rules`. Raises SgfError, and what Match raises.
    """
    if rules.game().komi is None:
        raise SgfError("not a game of Go")
    record = _record(path)
    komi = _komi(record.get_root())
    options = {"handicap": "0"} | ({} if komi is None else {"komi": str(komi)})  # its stones are set up
    chosen = replace(rules, options={**rules.options, **options})
    nodes = record.get_main_sequence()
    moves = _moves(nodes, None if before is None else max(0, before - 1))
    match = Match(chosen.game(), record.get_size(), _setup(nodes))
    for number, (player, point) in enumerate(moves, 1):
        try:
            match.play_text(player, point)
        except GtpError as error:
            raise SgfError(f"move {number}, {'BW'[player]} {point}: {error}") from None
    return match


def written_sgf(match: Match) -> bytes:
    """A match of Go as a file. Raises SgfError."""
    if match.game.komi is None:
        raise SgfError(f"{match.game.title} has no SGF files")
    start: Any = match.start
    record = sgf.Sgf_game(start.size)
    root = record.get_root()
    root.set("AP", (about.NAME, about.VERSION))
    root.set("KM", match.game.komi)
    rows = list(enumerate(reversed(points(match.game, start))))
    black, white = (
        {(row, column) for row, marks in rows for column, mark in enumerate(marks) if mark == side}
        for side in "XO"
    )
    if black or white:
        root.set_setup_stones(black, white)
    if start.handicap:
        root.set("HA", start.handicap)
    if black or white or start.player == 1:
        root.set("PL", "bw"[start.player])
    for each in match.played:
        text = match.game.text(each.state, each.move)
        column, row = (0, 0) if text == PASSED else parse_vertex(text, start.size, start.size)
        record.extend_main_sequence().set_move("bw"[each.player], None if text == PASSED else (row, column))
    if match.over:
        root.set("RE", match.result())
    data: bytes = record.serialise()
    return data


def _record(path: str) -> Any:
    """The file, without the properties of its root that have no value. Raises SgfError."""
    try:
        tree = sgf_grammar.parse_sgf_game(files.read_file(path, _LARGEST))
    except OSError as error:
        raise SgfError(error.strerror or "cannot be read") from None
    except ValueError as error:
        raise SgfError(str(error)) from None
    root = tree.sequence[0]
    for name in [name for name in root if name not in {"B", "W"} and not b"".join(root[name]).strip()]:
        del root[name]
    width, _, height = root.get("SZ", [b"19"])[0].partition(b":")
    if height not in {b"", width}:
        raise SgfError(f"not a square board: {_shown(root['SZ'])}")
    if not width.strip().isdigit():
        raise SgfError(f"not a size: {_shown(root['SZ'])}")
    root["SZ"] = [width]
    try:
        record = sgf.Sgf_game.from_coarse_game_tree(tree, _ANY_TEXT)
    except ValueError as error:
        raise SgfError(str(error)) from None
    if _value(record.get_root(), "GM", 1) != 1:
        raise SgfError("not a game of Go")
    return record


def _komi(root: Any) -> float | None:
    """The komi in points; None where the file does not say.

    Fox and others write hundredths, of stones where those are counted: 375 is 3.75 stones, or 7.5 points.
    """
    komi = _value(root, "KM", None)
    if komi is None:
        return None
    from_fox = root.has_property("AP") and _FOX in root.get_raw("AP")
    if abs(komi) >= _HUNDREDTHS or (from_fox and komi % _STEP == 0):
        least, most = _COUNTED_IN_STONES
        komi /= 100
        komi *= 2 if least <= komi <= most else 1
    return float(komi)


def _setup(nodes: Sequence[Any]) -> Setup | None:
    """The stones before the first move, and who makes it: after a handicap White, if nothing tells."""
    stones: dict[tuple[int, int], int] = {}
    first = None
    for node in nodes:
        black, white, emptied = (_value(node, name, set()) for name in _SETUP)
        if black & white:
            raise SgfError(f"two stones at {_name(min(black & white))}")
        stones.update(dict.fromkeys(black, 0) | dict.fromkeys(white, 1))
        for point in emptied:
            stones.pop(point, None)
        first = _value(node, "PL", first)
        colour, _ = node.get_raw_move()
        if colour is not None:
            first = first or colour
            break
    if not stones and first in (None, "b"):
        return None
    player = _PLAYERS[first] if first else int(bool(stones) and 1 not in stones.values())
    return Setup(tuple((stones[point], _name(point)) for point in sorted(stones)), player)


def _moves(nodes: Sequence[Any], most: int | None) -> list[tuple[int, str]]:
    """The first `most` moves, None for all. Raises SgfError."""
    found: list[tuple[int, str]] = []
    for node in nodes:
        if len(found) == most:
            break
        if found and node.has_setup_stones():
            raise SgfError(f"stones are set up after move {len(found)}")
        colour, _ = node.get_raw_move()
        if colour is not None:
            point = _value(node, colour.upper(), None)
            found.append((_PLAYERS[colour], PASSED if point is None else _name(point)))
    return found


def _value(node: Any, name: str, default: Any) -> Any:
    """A property of a node, or `default` where the node does not have it. Raises SgfError."""
    try:
        return node.get(name) if node.has_property(name) else default
    except ValueError:
        raise SgfError(f"not a value of {name}: {_shown(node.get_raw_list(name))}") from None


def _shown(values: Sequence[bytes]) -> str:
    return quoted(b" ".join(values).decode("ascii", "replace"))


def _name(point: tuple[int, int]) -> str:
    row, column = point
    return vertex(column, row)
