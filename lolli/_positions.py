"""Positions: boards and moves as the engine has them, packed, and by the million."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, takewhile
from os import PathLike
from threading import local
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict, TypeVar, Unpack, cast, overload

import chess

from engine.board.fen import FenError, parse_fen
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.packed import PackedReader, pack_bitboards
from engine.board.perft import DEEPEST, divide
from engine.board.position import Position
from engine.session import Session
from eval.batch import BatchEvaluator
from eval.choice import Choices, EvaluatorError
from eval.weight_file import WeightsError
from lolli._errors import LimitError, OptionError, PositionError, whole

Board: TypeAlias = chess.Board | str
"""A board, or its FEN."""
_FIFTY_MOVES = 100  # plies
_ALL_PIECES = 32
_LARGEST_COUNTER = 9999  # of a FEN


def set_position(session: Session, board: Board) -> None:
    """Bring a session to a board, with the moves that may be repeated. Raises PositionError."""
    try:
        session.set_position(*history(board_of(board)))
    except (FenError, MoveError) as error:
        raise PositionError(str(error)) from None


def board_of(board: Board) -> chess.Board:
    """A board as it is, or that of a FEN: of Chess960 if it can castle otherwise than in chess.

    Raises PositionError for a variant other than chess and Chess960 and for a text that is no FEN, TypeError
    for anything else.
    """
    if isinstance(board, str):
        try:
            board = chess.Board(board)
        except ValueError:
            raise PositionError(f"not a FEN: {board!r:.100}") from None
        board.chess960 = board.has_chess960_castling_rights()
    if not isinstance(board, chess.Board):
        raise TypeError(f"a chess.Board or a FEN, not {type(board).__name__}")
    if type(board).uci_variant != "chess":
        raise PositionError(f"Lolli plays chess and Chess960, not {type(board).uci_variant}")
    return board


def engine_moves(position: Position, moves: Iterable[chess.Move]) -> tuple[int, ...]:
    """These moves as the engine has them. Raises PositionError for one that is not legal, and for none."""
    try:
        found = tuple(parse_move(position, move.uci()) for move in moves)
    except MoveError as error:
        raise PositionError(str(error)) from None
    if not found:
        raise PositionError("no root moves given")
    return found


@cache
def chess_move(move: int, chess960: bool) -> chess.Move:
    """The engine's move as python-chess has it: castling by the king's target, in Chess960 by the rook."""
    return chess.Move.from_uci(move_text(move, chess960))


def chess_moves(moves: Sequence[int], chess960: bool) -> list[chess.Move]:
    """The engine's moves as python-chess has them."""
    return [chess_move(move, chess960) for move in moves]


def engine_fen(board: chess.Board) -> str:
    """The FEN of a board as the engine reads it: in Chess960 with the files of the rooks.

    It has the square behind a pawn just pushed where no capture is legal, too: keys of books depend on it.
    """
    if max(board.halfmove_clock, board.fullmove_number) > _LARGEST_COUNTER:
        board = board.copy(stack=False)
        board.halfmove_clock = min(board.halfmove_clock, _LARGEST_COUNTER)
        board.fullmove_number = min(board.fullmove_number, _LARGEST_COUNTER)
    return board.shredder_fen(en_passant="fen") if board.chess960 else board.fen(en_passant="fen")


def move_words(board: chess.Board, move: chess.Move) -> str:
    """`24. Qd2`, `24... Qd7`."""
    return f"{board.fullmove_number}{'.' if board.turn else '...'} {board.san(move)}"


def is_recapture(board: chess.Board, move: chess.Move) -> bool:
    """Whether the move takes what has just taken, as far as the board's stack tells."""
    if not board.move_stack:
        return False
    before = board.copy(stack=1)
    last = before.pop()
    return before.is_capture(last) and move.to_square == last.to_square


def skipped_plies(game: chess.pgn.Game, moves: int) -> int:
    """The plies of the first `moves` of each side; 0 in a game from a position, which has no opening."""
    board = game.board()
    return 2 * moves if board.ply() == 0 and board.occupied.bit_count() == _ALL_PIECES else 0


def history(board: chess.Board) -> tuple[str, Sequence[str]]:
    """A FEN and the moves from there: those since a capture, a pawn move or a null move, at most 100 plies.

    Earlier positions cannot be repeated, or not before the game is drawn. Sending all moves of a game for
    each of its positions would be quadratic in its length.
    """
    most = min(len(board.move_stack), board.halfmove_clock, _FIFTY_MOVES)
    last = list(takewhile(bool, islice(reversed(board.move_stack), most)))
    begin = board.copy(stack=len(last))
    for _ in last:
        begin.pop()
    return engine_fen(begin), [move.uci() for move in reversed(last)]


class NumpyArray(Protocol):
    """An array of numpy, which type checkers do not know to be a buffer before Python 3.12."""

    @property
    def __array_interface__(self) -> dict[str, Any]: ...


if TYPE_CHECKING:
    import chess.pgn
    from typing_extensions import Buffer

    AnyBuffer: TypeAlias = Buffer | NumpyArray
    Positions: TypeAlias = Iterable[Board] | AnyBuffer
    """Boards, FENs, or positions packed by `pack`: bytes, or an array of bytes, (n, 32) or (32 * n,)."""
    Out = TypeVar("Out", bound=AnyBuffer)

PACKED = 32
"""Bytes of a packed position."""
AT_ONCE = 1 << 14
"""Positions between two looks at whether Ctrl-C was pressed."""
_NO_SQUARE, _NO_FILE = 255, 15
_THREAD = local()


def reader() -> PackedReader:
    """This thread's reader."""
    if not hasattr(_THREAD, "reader"):
        _THREAD.reader = PackedReader()
    found: PackedReader = _THREAD.reader
    return found


def pack(boards: Iterable[Board]) -> memoryview:
    """Boards as bytes of shape (n, 32), or (0,) for none; `numpy.asarray` takes them without a copy.

    A packed position is complete but for the moves that led to it; `unpack` gives the boards back. Raises
    PositionError for a variant, and for a board with more than 32 men.
    """
    packed = bytearray()
    boards = iter(boards)
    while chunk := [*islice(boards, AT_ONCE)]:
        packed += packed_chunk(chunk, len(packed) // PACKED)
    return memoryview(packed).cast("B", (len(packed) // PACKED, PACKED)) if packed else memoryview(packed)


def packed_chunk(boards: Sequence[Board], first: int = 0) -> bytearray:
    """A list of boards as bytes; the first is number `first` in messages. Raises PositionError."""
    packed = bytearray(PACKED * len(boards))
    for row, each in enumerate(boards):
        board = each if type(each) is chess.Board else board_of(each)
        kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        fits = pack_bitboards(
            packed,
            row,
            kinds,
            board.occupied_co[chess.WHITE],
            board.castling_rights,
            board.chess960,
            -1 if board.ep_square is None else board.ep_square,
            (0 if board.turn else 1, board.halfmove_clock, board.fullmove_number),
        )
        if not fits:
            raise PositionError(f"position {first + row} has more than 32 men")
    return packed


def flat(packed: AnyBuffer) -> memoryview:
    """Packed positions as one row of bytes.

    Raises ValueError for an array of another type or shape, TypeError for what is not an array.
    """
    view = memoryview(cast("Any", packed))
    fits = view.nbytes % PACKED == 0 and (view.shape or ())[1:] in ((), (PACKED,))
    if view.itemsize != 1 or not view.c_contiguous or not fits:
        raise ValueError("packed positions are bytes of shape (n, 32) or (32 * n,), without gaps")
    return view.cast("B") if view.nbytes else memoryview(b"")


def unsound(row: int) -> PositionError:
    """The error for a position from which no game could go on."""
    return PositionError(f"position {row} is not one from which a game could go on")


def unpack(packed: AnyBuffer) -> list[chess.Board]:
    """The boards of packed positions, without the moves that led to them.

    A board is of Chess960 if it can castle otherwise than in chess. Raises PositionError where a game could
    not go on from a position, ValueError for an array of another shape or type.
    """
    data = flat(packed)
    boards = []
    for row in range(len(data) // PACKED):
        if not reader().is_sound(data, row):
            raise unsound(row)
        boards.append(_board(data[row * PACKED : (row + 1) * PACKED]))
    return boards


def _board(data: memoryview) -> chess.Board:
    board = chess.Board(None)
    left = int.from_bytes(data[8:24], "little")
    for square in chess.scan_forward(int.from_bytes(data[:8], "little")):
        board.set_piece_at(square, chess.Piece(1 + (left & 7), not left & 8))
        left >>= 4
    board.turn = not data[24] & 1
    files = int.from_bytes(data[25:27], "little")
    for right in range(4):
        file = files >> 4 * right & 15
        if file != _NO_FILE:
            board.castling_rights |= chess.BB_SQUARES[56 * (right >> 1) + file]
    board.chess960 = board.has_chess960_castling_rights()
    board.ep_square = None if data[27] == _NO_SQUARE else data[27]
    board.halfmove_clock = data[28]
    board.fullmove_number = int.from_bytes(data[29:31], "little")
    return board


_ROOM = 1 << 18  # moves that are written at once


class Evaluation(TypedDict, total=False):
    """The arguments of `evaluate_many` that say how to evaluate."""

    evaluator: str | None
    weights: str | PathLike[str] | None
    normalised: bool


@overload
def evaluate_many(positions: Positions, *, out: None = None, **given: Unpack[Evaluation]) -> array[int]: ...
@overload
def evaluate_many(positions: Positions, *, out: Out, **given: Unpack[Evaluation]) -> Out: ...
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
    view = None if out is None else _int32(out)
    judge, values, done = _judge(evaluator, weights, normalised), array("i"), 0
    for data in _chunks(positions):
        count = len(data) // PACKED
        part = array("i", bytes(4 * count))
        row = judge.evaluate(data, memoryview(part), 0, count)
        if row < count:
            raise unsound(done + row)
        if view is None:
            values += part
        elif done + count > len(view):
            raise ValueError(f"out has {len(view)} entries, fewer than there are positions")
        else:
            view[done : done + count] = memoryview(part)
        done += count
    if out is None or view is None:
        return values
    if len(view) != done:
        raise ValueError(f"out has {len(view)} entries, and there are {done} positions")
    return out


def _int32(out: AnyBuffer) -> memoryview:
    """The entries of `out`. Raises ValueError where they are not int32 in one row, or read only."""
    view = memoryview(cast("Any", out))
    if view.ndim != 1 or view.itemsize != array("i").itemsize or view.format not in ("i", "l", "@i", "<i"):
        raise ValueError("out must be an array of int32 with one dimension")
    if view.readonly or not view.c_contiguous:
        raise ValueError("out must be writable and without gaps")
    return view if view.format == "i" else view.cast("B").cast("i")


def _chunks(positions: Positions) -> Iterator[memoryview]:
    """At most AT_ONCE at a time: between them Ctrl-C is heard."""
    try:
        data = flat(cast("AnyBuffer", positions))
    except TypeError:  # not a buffer
        boards, first = iter(cast("Iterable[Board]", positions)), 0
        while chunk := [*islice(boards, AT_ONCE)]:
            yield memoryview(packed_chunk(chunk, first))
            first += len(chunk)
    else:
        for first in range(0, len(data), AT_ONCE * PACKED):
            yield data[first : first + AT_ONCE * PACKED]


def _judge(evaluator: str | None, weights: str | PathLike[str] | None, normalised: bool) -> BatchEvaluator:
    """An evaluator for this thread; kept if its weights came with Lolli. Raises OptionError."""
    kept: dict[Any, BatchEvaluator] = _THREAD.__dict__.setdefault("judges", {})
    if weights is None and (evaluator, normalised) in kept:
        return kept[evaluator, normalised]
    choices = _standard_choices() if weights is None else Choices()
    try:
        loaded = None if weights is None else choices.load(weights)
        choice = choices[evaluator or loaded or choices.names[0]]
    except (EvaluatorError, WeightsError) as error:
        raise OptionError(str(error)) from None
    outcome = choice.outcome if normalised and choice.normalises else None
    judge = BatchEvaluator(choice.make(), (lambda _: 100.0) if outcome is None else outcome.even)
    if weights is None:
        kept[evaluator, normalised] = judge
    return judge


@cache
def _standard_choices() -> Choices:
    return Choices()


def legal_moves(board: Board) -> list[chess.Move]:
    """The legal moves, in the engine's order. Raises PositionError."""
    board = board_of(board)
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


def perft(board: Board, depth: int) -> int:
    """The number of lines of `depth` plies of legal moves, 1 for depth 0.

    Raises PositionError, LimitError for a depth below 0 or above 300, TypeError for one that is not whole.
    """
    board = board_of(board)
    depth = whole("the depth", depth)  # the kernel would cut a fraction off, and never get to the end
    if not 0 <= depth <= DEEPEST:
        raise LimitError(f"the depth must be from 0 to {DEEPEST}, not {depth}")
    try:
        position = parse_fen(engine_fen(board))
    except FenError as error:
        raise PositionError(str(error)) from None
    return sum(nodes for _, nodes in divide(position, depth)) if depth else 1
