"""Chess as one of the games: its rules are those of engine.board, its estimate that of an evaluator.

A move is the number that engine.board.move describes. Over GTP the first player is Black in all games: here
player 0 is Black, too, and player 1, White, begins. A game is drawn as soon as a position has occurred three
times or fifty moves have been played without capture or pawn move, as if a player always claimed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.board.bitboard import EMPTY
from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.move import is_quiet, target
from engine.board.notation import MoveError, move_text, parse_move
from engine.games.rules.chess_endings import chess_endings
from engine.games.rules.chess_state import BLACK, WHITE, Chess
from engine.games.rules.game import Game, IllegalMoveError, SizeError, grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.board.position import Position
    from engine.games.rules.game import Positions
    from eval.evaluator import Evaluator

SIZE = 8
JUDGES = ("material", "linear", "network")
_HALF_WON = 400  # centipawns that are estimated as half of a win
_LETTERS = "PNBRQK.."


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
