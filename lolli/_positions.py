"""Positions by the million: static values and legal moves, from boards or packed positions."""

from __future__ import annotations

from array import array
from functools import lru_cache
from itertools import islice
from threading import local
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, overload

import chess

from engine.board.fen import FenError, parse_fen
from engine.board.perft import DEEPEST
from eval.batch import BatchEvaluator
from eval.choice import Choices, EvaluatorError
from eval.weight_file import WeightsError
from lolli._buffers import view_of
from lolli._errors import LimitError, OptionError, PositionError
from lolli._moves import chess_moves, engine_fen, require_chess
from lolli._numbers import whole
from lolli._packing import AT_ONCE, PACKED, flat, packed_chunk, reader, unsound
from protocol.divide import divide

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from lolli._buffers import AnyBuffer

    Positions: TypeAlias = Iterable[chess.Board] | AnyBuffer
    """Boards, or positions packed by `pack`: bytes, or an array of bytes of shape (n, 32) or (32 * n,)."""
    Out = TypeVar("Out", bound=AnyBuffer)

_ROOM = 1 << 18
"""Moves that are written at once."""
_THREAD = local()


@overload
def evaluate_many(
    positions: Positions,
    *,
    evaluator: str | None = None,
    weights: str | PathLike[str] | None = None,
    normalised: bool = True,
    out: None = None,
) -> array[int]: ...
@overload
def evaluate_many(
    positions: Positions,
    *,
    evaluator: str | None = None,
    weights: str | PathLike[str] | None = None,
    normalised: bool = True,
    out: Out,
) -> Out: ...
def evaluate_many(
    positions: Positions,
    *,
    evaluator: str | None = None,
    weights: str | PathLike[str] | None = None,
    normalised: bool = True,
    out: Out | None = None,
) -> array[int] | Out:
    """The static value of each position, in centipawns from the point of view of its side to move.

    `positions` are boards or, faster, what `pack` has made of them: bytes of shape (n, 32) or (32 * n,). The
    values are int32, in an array that `numpy.asarray` takes without a copy, or in `out`, which is then
    returned: any array of n int32, such as `numpy.empty(n, numpy.int32)`.

    `evaluator` is `network`, `linear` or `material`, by default the best one there is; `weights` a file for
    it instead of those that came with Lolli. Values are on the scale of the scores of a search, on which
    +100 is an even chance to win, or if not `normalised` in the evaluator's own centipawns.

    Raises PositionError where a game could not go on from a position, OptionError for an evaluator or
    weights that cannot be used, ValueError for arrays of another shape or type. The interpreter lock is
    released, so that threads evaluate at once.
    """
    judge = _judge(evaluator, weights, normalised)
    if out is not None:
        _fill(judge, positions, _int32(out))
        return out
    values = array("i")
    for data in _chunks(positions):
        part = array("i", bytes(4 * (len(data) // PACKED)))
        _evaluate(judge, data, memoryview(part), len(values))
        values += part
    return values


def _fill(judge: BatchEvaluator, positions: Positions, out: memoryview) -> None:
    """Write the values into `out`, which must have as many entries as there are positions."""
    done = 0
    for data in _chunks(positions):
        count = len(data) // PACKED
        if done + count > len(out):
            raise ValueError(f"out has {len(out)} entries, fewer than there are positions")
        _evaluate(judge, data, out[done : done + count], done)
        done += count
    if done != len(out):
        raise ValueError(f"out has {len(out)} entries, and there are {done} positions")


def _evaluate(judge: BatchEvaluator, data: memoryview, out: memoryview, before: int) -> None:
    count = len(data) // PACKED
    row = judge.evaluate(data, out, 0, count)
    if row < count:
        raise unsound(before + row)


def _int32(out: AnyBuffer) -> memoryview:
    """The entries of `out`. Raises ValueError where they are not int32 in one row, or read only."""
    view = view_of(out)
    if view.ndim != 1 or view.itemsize != array("i").itemsize or view.format not in ("i", "l", "@i", "<i"):
        raise ValueError("out must be an array of int32 with one dimension")
    if view.readonly or not view.c_contiguous:
        raise ValueError("out must be writable and without gaps")
    return view if view.format == "i" else view.cast("B").cast("i")


def _chunks(positions: Positions) -> Iterator[memoryview]:
    """The positions, packed, at most AT_ONCE at a time: between them Ctrl-C is heard."""
    try:
        data = flat(cast("AnyBuffer", positions))
    except TypeError:  # not a buffer
        boards, first = iter(cast("Iterable[chess.Board]", positions)), 0
        while chunk := [*islice(boards, AT_ONCE)]:
            yield memoryview(packed_chunk(chunk, first))
            first += len(chunk)
    else:
        for first in range(0, len(data), AT_ONCE * PACKED):
            yield data[first : first + AT_ONCE * PACKED]


def _judge(evaluator: str | None, weights: str | PathLike[str] | None, normalised: bool) -> BatchEvaluator:
    """An evaluator for this thread; kept if its weights came with Lolli. Raises OptionError."""
    if weights is not None:
        return _new_judge(Choices(), evaluator, weights, normalised)
    known: dict[Any, BatchEvaluator] = _THREAD.__dict__.setdefault("judges", {})
    key = evaluator, normalised
    if key not in known:
        known[key] = _new_judge(_standard(), evaluator, None, normalised)
    return known[key]


@lru_cache(maxsize=1)
def _standard() -> Choices:
    return Choices()


def _new_judge(
    choices: Choices, evaluator: str | None, weights: str | PathLike[str] | None, normalised: bool
) -> BatchEvaluator:
    try:
        loaded = None if weights is None else choices.load(weights)
        choice = choices[evaluator or loaded or choices.names[0]]
    except (EvaluatorError, WeightsError) as error:
        raise OptionError(str(error)) from None
    outcome = choice.outcome if normalised and choice.normalises else None
    return BatchEvaluator(choice.make(), (lambda _: 100.0) if outcome is None else outcome.even)


def legal_moves(board: chess.Board) -> list[chess.Move]:
    """The legal moves, in the engine's order. Raises PositionError."""
    require_chess(board)
    try:
        moves = reader().moves(packed_chunk([board]), 0)
    except ValueError:
        raise PositionError("not a position from which a game could go on") from None
    return chess_moves(moves, board.chess960)


def legal_moves_many(positions: Positions) -> tuple[array[int], array[int]]:
    """The legal moves of many positions: all moves in one array, and for each position where its moves end.

    `positions` are as for `evaluate_many`. The moves of position `i` are `moves[ends[i - 1] : ends[i]]`, from
    0 for the first one. A move is a uint16, `origin + 64 * target + 4096 * promotion`, squares from a1 = 0,
    then b1 = 1; the promotion is 0, or 2 to 5 for knight, bishop, rook and queen, as in python-chess.
    Castling goes to the king's square, or where king and rook do not stand as in chess, to the rook's. Ends
    are int64. `numpy.asarray` takes both without a copy. Raises PositionError where a game could not go on
    from a position, ValueError for an array of another shape or type.
    """
    moves, ends = array("H"), array("q")
    found, room = memoryview(array("H", bytes(2 * _ROOM))), memoryview(array("q", bytes(8 * AT_ONCE)))
    before = 0
    for data in _chunks(positions):
        first, count = 0, len(data) // PACKED
        while first < count:
            end = reader().write_moves(data, first, found, room)
            if end < 0:
                raise unsound(before - 1 - end)
            already = len(moves)
            moves.frombytes(found[: room[end - first - 1]].cast("B"))
            ends.extend(already + each for each in room[: end - first])
            first = end
        before += count
    return moves, ends


def perft(board: chess.Board, depth: int) -> int:
    """The number of lines of `depth` plies of legal moves, 1 for depth 0.

    Raises PositionError, LimitError for a depth below 0 or above 300, TypeError for one that is not whole.
    """
    require_chess(board)
    depth = whole("the depth", depth)  # the kernel would cut a fraction off, and never get to the end
    if not 0 <= depth <= DEEPEST:
        raise LimitError(f"the depth must be from 0 to {DEEPEST}, not {depth}")
    try:
        position = parse_fen(engine_fen(board))
    except FenError as error:
        raise PositionError(str(error)) from None
    return sum(nodes for _, nodes in divide(position, depth, lambda: False)) if depth else 1
