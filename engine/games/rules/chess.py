"""Chess as one of the games: its rules are those of engine.board, its estimate that of an evaluator.

A move is the number that engine.board.move describes. Over GTP the first player is Black in all games: here
player 0 is Black, too, and player 1, White, begins. A game is drawn as soon as a position has occurred three
times or fifty moves have been played without capture or pawn move, as if a player always claimed it.
"""

from __future__ import annotations

from random import Random
from sys import getsizeof
from typing import TYPE_CHECKING, NoReturn

from engine.board.bitboard import EMPTY
from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.move import is_quiet, target
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.snapshot import Snapshot
from engine.games.rules.game import OVER, Game, IllegalMoveError, NotApplicableError, SizeError
from engine.games.rules.vertices import grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.board.position import Position
    from engine.games.rules.game import Positions
    from eval.evaluator import Evaluator

BLACK, WHITE = 0, 1
"""The players; engine.board counts its sides the other way round."""
SIZE = 8
JUDGES = ("material", "linear", "network")
_HALF_WON = 400  # centipawns that are estimated as half of a win
FIFTY_MOVES = 100
"""Plies without capture or pawn move after which a game is drawn."""
_RECURRED = 2  # times that a position has occurred before when it is drawn
_LETTERS = "PNBRQK.."
_INT_BYTES = 32


class Chess:
    """A position, and the keys of those since the last move that cannot be taken back, in order of size.

    Two are equal if the same can follow: the same position, the same clock of the fifty-move rule, and the
    same positions that have occurred before and may recur.
    """

    __slots__ = ("_moves", "_past", "_snapshot", "player", "winner")

    def __init__(self, position: Position, past: tuple[int, ...] = ()) -> None:
        """`winner` is -1 for a draw, and for a game that goes on."""
        mover = player_of(position)
        self._moves = tuple(legal_moves(position))
        self._past = past
        self._snapshot = Snapshot(position)
        self.player, self.winner = mover, -1
        if not self._moves:
            self.player = OVER
            if position.checkers:
                self.winner = 1 - mover
        elif position.is_fifty_moves() or position.is_insufficient() or past.count(position.key) >= _RECURRED:
            self.player, self._moves = OVER, ()

    def position(self) -> Position:
        """The board, without the moves that led to it."""
        return self._snapshot.position()

    def moves(self) -> Sequence[int]:
        """The legal moves, in the generator's order."""
        return self._moves

    def play(self, move: int) -> Chess:
        """The state after a legal move."""
        position = self._snapshot.position()
        position.make(move)
        can_recur = position.reversible > 0
        return Chess(position, tuple(sorted((*self._past, self._snapshot.key))) if can_recur else ())

    def plies_left(self) -> int:
        """How many plies can follow before the fifty-move rule, or a third recurrence, can draw the game."""
        recurs = any(self._past.count(key) >= _RECURRED for key in self._past)
        return 0 if recurs else FIFTY_MOVES - self._snapshot.halfmoves

    def chances(self) -> NoReturn:
        """Never: there is no chance in this game."""
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        """Won, drawn or lost, for both."""
        if self.winner < 0:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == BLACK else (-1.0, 1.0)

    def turn(self, player: int) -> NoReturn:
        """Never: where a king is in check, nobody else could move."""
        del player
        raise NotApplicableError("the turn cannot be given to another player in this game")

    def playout(self, seed: int) -> Sequence[float]:
        """The payoffs after a random game from here; the same for the same seed."""
        state, random = self, Random(seed)
        while state.player != OVER:
            state = state.play(random.choice(state._moves))
        return state.payoff()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Chess):
            return NotImplemented
        mine, theirs = self._snapshot, other._snapshot
        return (mine.key, mine.halfmoves, self._past) == (theirs.key, theirs.halfmoves, other._past)

    def __hash__(self) -> int:
        return hash((self._snapshot.key, self._snapshot.halfmoves))

    def __sizeof__(self) -> int:
        parts = (self._snapshot, self._moves, self._past)
        numbers = len(self._moves) + len(self._past)
        return object.__sizeof__(self) + sum(map(getsizeof, parts)) + _INT_BYTES * numbers


class ChessRules(Game[Chess]):
    """Moves are written as in UCI, `e2e4` and `e7e8q`, and read as SAN, too: `Nf3`, `exd5`, `O-O`."""

    name = "chess"
    title = "Chess"
    sizes = (SIZE,)

    def __init__(self, players: int = 2, fen: str | None = None, judge: str = "linear") -> None:
        """`fen`: where games begin; `judge`: the evaluator, one of JUDGES. Raises SizeError."""
        if players != 2:
            raise SizeError("chess is for 2 players")
        if judge not in JUDGES:
            raise SizeError(f"unknown judge {judge[:40]!r}: choose from {', '.join(JUDGES)}")
        try:
            self._start = Chess(parse_fen(START_FEN if fen is None else fen))
        except FenError as error:
            raise SizeError(str(error)) from None
        self.judge = judge
        self._evaluator: Evaluator | None = None

    def start(self, size: int | None = None) -> Chess:
        """The usual position, or the one that was asked for."""
        if size not in {None, SIZE}:
            raise SizeError(f"chess is played on a board of 8 by 8, not {size}")
        return self._start

    def estimate(self, state: Chess) -> Sequence[float]:
        """The evaluator's centipawns on the scale of the payoffs: 4 pawns ahead is half of a win."""
        if self._evaluator is None:
            self._evaluator = _evaluator(self.judge)
        position = state.position()
        value = self._evaluator.static_value(position)
        ahead = value / (abs(value) + _HALF_WON)
        return (-ahead, ahead) if position.side == 0 else (ahead, -ahead)

    def noisy(self, state: Chess) -> Sequence[int]:
        """Captures and promotions, those first that go where the most valuable piece stands."""
        position = state.position()
        moves = [move for move in state.moves() if not is_quiet(move)]
        return sorted(moves, key=lambda move: _victim(position, move), reverse=True)

    def endings(self, men: str | None = None) -> Sequence[Positions]:
        """KQK, KRK or KPK."""
        from engine.games.rules.chess_endings import chess_endings  # noqa: PLC0415 - it imports this module

        return chess_endings(men)

    def text(self, _state: Chess, move: int) -> str:
        return move_text(move)

    def parse(self, state: Chess, text: str) -> int:
        """The legal move of a text as UCI has it, in capitals or not, or in SAN. Raises IllegalMoveError."""
        position, wanted = state.position(), text.strip()
        if state.moves():
            try:
                return parse_move(position, wanted)
            except MoveError:
                pass
            try:
                return parse_move(position, _from_san(position, wanted))
            except ValueError:
                pass
        raise IllegalMoveError(f"{wanted[:40]!r} is not a legal move")

    def record(self, moves: Sequence[str], names: Sequence[str], payoffs: Sequence[float]) -> str:
        """As PGN."""
        import chess.pgn  # noqa: PLC0415 - slow to load, seldom needed

        game = chess.pgn.Game()
        game.setup(format_fen(self._start.position()))
        result = "1-0" if payoffs[WHITE] > 0 else "0-1" if payoffs[BLACK] > 0 else "1/2-1/2"
        game.headers.update(White=names[WHITE], Black=names[BLACK], Result=result)
        node: chess.pgn.GameNode = game
        for move in moves:
            node = node.add_variation(node.board().parse_uci(move))
        return game.accept(chess.pgn.StringExporter(columns=80))

    def show(self, state: Chess) -> str:
        """White's pieces are capitals; below the board its FEN."""
        position = state.position()

        def mark(column: int, row: int) -> str:
            piece = position.piece_at(row * SIZE + column)
            letter = _LETTERS[piece & 7]
            return letter.lower() if piece >= SIZE else letter

        return f"{grid(SIZE, SIZE, mark)}\n{format_fen(position)}"


def player_of(position: Position) -> int:
    """The player to move."""
    return 1 - position.side


def _evaluator(judge: str) -> Evaluator:
    """Raises EvaluatorError where its weights cannot be used."""
    from eval.choice import Choices  # noqa: PLC0415 - slow to load, and the rules do without

    return Choices()[judge].make()


def _victim(position: Position, move: int) -> int:
    """The kind of the piece that a move captures; -1 where none stands on its target."""
    piece = position.piece_at(target(move))
    return -1 if piece == EMPTY else piece & 7


def _from_san(position: Position, text: str) -> str:
    """A move in SAN as UCI writes it, castling as king takes rook. Raises ValueError."""
    import chess  # noqa: PLC0415 - slow to load, seldom needed

    return chess.Board(format_fen(position), chess960=True).parse_san(text).uci()
