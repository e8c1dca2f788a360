"""Chess as one of the games: its rules are those of engine.board, its estimate that of an evaluator.

A move is the number that engine.board.move describes. Over GTP the first player is Black in all games: here
player 0 is Black, too, and player 1, White, begins. A game is drawn as soon as a position has occurred three
times or fifty moves have been played without capture or pawn move, as if a player always claimed it.

The endings KQK, KRK and KPK are numbered for endgame tables. A position is turned so that the side with the
third man is White. Without a pawn the board is turned and mirrored until White's king is in the triangle
a1-d1-d4; a pawn stands on files a to d. A number is ((first * 64 + second) * 64 + black king) * 2 + side to
move, 1 for White; first and second are White's king and the third man, the other way round for a pawn, and
first counts only the squares that it may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from sys import getsizeof
from typing import NoReturn, TypeAlias

from engine.board.bitboard import BLACK as _BOARD_BLACK
from engine.board.bitboard import EMPTY, KING, PAWN, QUEEN, ROOK, SQUARES
from engine.board.bitboard import WHITE as _BOARD_WHITE
from engine.board.fen import START_FEN, FenError, format_fen, parse_fen
from engine.board.move import is_castling, is_promotion, is_quiet, origin, target
from engine.board.movegen import legal_moves
from engine.board.notation import MoveError, move_text, parse_move
from engine.board.position import Position, Snapshot
from engine.games.rules.game import (
    OVER,
    Game,
    IllegalMoveError,
    NotApplicableError,
    Numbered,
    SizeError,
    grid,
)
from eval.evaluator import Evaluator

Men: TypeAlias = tuple[int, int, int]
"""The squares of the side's king that has the third man, of that man, and of the other king."""

BLACK, WHITE = 0, 1  # the players; engine.board counts its sides the other way round
FIFTY_MOVES = 100  # plies without capture or pawn move after which a game is drawn
_RECURRED = 2  # times that a position has occurred before when it is drawn
_INT_BYTES = 32


class Chess:
    """A position, and the sorted keys of those since the last irreversible move.

    Two are equal if the same can follow: the same position, clock of the fifty-move rule, and earlier
    positions that may recur.
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
        return self._moves

    def play(self, move: int) -> Chess:
        position = self._snapshot.position()
        position.make(move)
        can_recur = position.reversible > 0
        return Chess(position, tuple(sorted((*self._past, self._snapshot.key))) if can_recur else ())

    def plies_left(self) -> int:
        """How many plies can follow before the fifty-move rule, or a third recurrence, can draw the game."""
        recurs = any(self._past.count(key) >= _RECURRED for key in self._past)
        return 0 if recurs else FIFTY_MOVES - self._snapshot.halfmoves

    def chances(self) -> NoReturn:
        raise NotApplicableError("no chance in this game")

    def payoff(self) -> Sequence[float]:
        if self.winner < 0:
            return 0.0, 0.0
        return (1.0, -1.0) if self.winner == BLACK else (-1.0, 1.0)

    def turn(self, player: int) -> NoReturn:
        del player
        raise NotApplicableError("the turn cannot be given to another player in this game")

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


def player_of(position: Position) -> int:
    return 1 - position.side


ENDINGS = {"KQK": ("KQK",), "KRK": ("KRK",), "KPK": ("KQK", "KRK", "KPK")}
"""By name: the endings to which it leads, itself last. A lone bishop or knight draws by the rules."""
_KINDS = {"Q": QUEEN, "R": ROOK, "P": PAWN}
_MEN = 3
_BOARD = range(SQUARES)
_TRIANGLE = tuple(sq for sq in _BOARD if sq >> 3 <= sq & 7 < 4)
_PAWNS = tuple(sq for sq in _BOARD if sq & 7 < 4 and 1 <= sq >> 3 <= 6)


def _flipped(sq: int, *, upright: bool, sideways: bool, diagonal: bool) -> int:
    """A square of the mirrored board: rank 1 and 8 change places, files a and h, then ranks and files."""
    sq ^= 56 * upright ^ 7 * sideways
    return (sq & 7) << 3 | sq >> 3 if diagonal else sq


_TURNS = tuple(
    tuple(_flipped(sq, upright=upright, sideways=sideways, diagonal=diagonal) for sq in _BOARD)
    for upright in (False, True)
    for sideways in (False, True)
    for diagonal in (False, True)
)
"""The eight ways to turn and mirror the board; the first changes nothing."""
_INTO_TRIANGLE = tuple(next(turn for turn in _TURNS if turn[sq] in _TRIANGLE) for sq in _BOARD)
_TO_LEFT = tuple(_TURNS[0] if sq & 7 < 4 else _TURNS[2] for sq in _BOARD)


class ChessEnding:
    """The positions of one ending; see Positions."""

    def __init__(self, name: str) -> None:
        self.name = self.title = name
        self._kind = _KINDS[name[1]]
        self._firsts = _PAWNS if self._kind == PAWN else _TRIANGLE
        self._place = {sq: place for place, sq in enumerate(self._firsts)}
        self._turns = _TO_LEFT if self._kind == PAWN else _INTO_TRIANGLE
        self.size = len(self._firsts) * SQUARES * SQUARES * 2

    def at(self, number: int) -> Numbered | None:
        """Player 1 is White, who has the third man."""
        position = self._position(number)
        if position is None:
            return None
        moves = legal_moves(position)
        if moves:
            squares = self._squares(number)
            return Numbered(player_of(position), [self._after(position, squares, move) for move in moves])
        return Numbered(OVER, winner=1 - player_of(position) if position.checkers else None)

    def number(self, state: Chess) -> int | None:
        position = state.position()
        if state.player == OVER or position.men() != _MEN or position.castling:
            return None
        places = {position.piece_at(sq): sq for sq in _BOARD}
        for strong in (_BOARD_WHITE, _BOARD_BLACK):
            man = places.get(strong * 8 + self._kind)
            if man is not None:
                flip = 56 * strong
                kings = places[strong * 8 + KING] ^ flip, places[(1 - strong) * 8 + KING] ^ flip
                return self._number((kings[0], man ^ flip, kings[1]), white=position.side == strong)
        return None

    def plies_left(self, state: Chess) -> int:
        return state.plies_left()

    def is_too_late(self, state: Chess, plies: int) -> bool:
        """Only a pawn's move resets the count without giving up the win."""
        return self._kind != PAWN and plies > FIFTY_MOVES - state.position().halfmoves

    def _squares(self, number: int) -> Men:
        first, second = self._firsts[number >> 13], number >> 7 & 63
        king, man = (second, first) if self._kind == PAWN else (first, second)
        return king, man, number >> 1 & 63

    def _number(self, men: Men, *, white: bool) -> int:
        turn = self._turns[men[1] if self._kind == PAWN else men[0]]
        king, man, other = turn[men[0]], turn[men[1]], turn[men[2]]
        first, second = (man, king) if self._kind == PAWN else (king, man)
        return (self._place[first] << 12 | second << 6 | other) << 1 | white

    def _position(self, number: int) -> Position | None:
        """None where two men share a square, or the side that is not to move is in check."""
        king, man, other = squares = self._squares(number)
        if len(set(squares)) < _MEN:
            return None
        pieces = [EMPTY] * SQUARES
        pieces[king], pieces[man], pieces[other] = KING, self._kind, 8 + KING
        position = Position.set_up(pieces, _BOARD_WHITE if number & 1 else _BOARD_BLACK)
        waiting = other if number & 1 else king
        all_men = 1 << king | 1 << man | 1 << other
        return None if position.attacked(waiting, position.side, all_men) else position

    def _after(self, position: Position, squares: Men, move: int) -> int | Chess:
        """Where a move leads: to a number of the same ending, unless it captures or promotes."""
        if is_promotion(move) or target(move) in squares or is_castling(move):
            return Chess(position).play(move)
        king, man, other = (target(move) if sq == origin(move) else sq for sq in squares)
        return self._number((king, man, other), white=position.side == _BOARD_BLACK)


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
        super().__init__(players)
        if judge not in JUDGES:
            raise SizeError(f"unknown judge {judge[:40]!r}: choose from {', '.join(JUDGES)}")
        try:
            self._start = Chess(parse_fen(START_FEN if fen is None else fen))
        except FenError as error:
            raise SizeError(str(error)) from None
        self.judge = judge
        self._evaluator: Evaluator | None = None

    def start(self, size: int | None = None) -> Chess:
        self.checked_size(size)
        return self._start

    def estimate(self, state: Chess) -> Sequence[float]:
        """The evaluator's centipawns on the scale of the payoffs: 4 pawns ahead is half of a win."""
        if self._evaluator is None:
            from eval.choice import Choices  # noqa: PLC0415 - slow to load, and the rules do without

            self._evaluator = Choices()[self.judge].make()
        position = state.position()
        value = self._evaluator.static_value(position)
        ahead = value / (abs(value) + _HALF_WON)
        return (-ahead, ahead) if position.side == 0 else (ahead, -ahead)

    def noisy(self, state: Chess) -> Sequence[int]:
        """Captures and promotions, those first that go where the most valuable piece stands."""
        position = state.position()
        moves = [move for move in state.moves() if not is_quiet(move)]
        return sorted(moves, key=lambda move: _victim(position, move), reverse=True)

    def endings(self, men: str | None = None) -> Sequence[ChessEnding]:
        """The endings to which `men` lead, itself last; by default KPK. Raises NotApplicableError."""
        name = "KPK" if men is None else men.strip().upper()
        if name not in ENDINGS:
            raise NotApplicableError(f"no endgame table for {name[:40]!r}: choose from {', '.join(ENDINGS)}")
        return [ChessEnding(each) for each in ENDINGS[name]]

    def text(self, _state: Chess, move: int) -> str:
        return move_text(move)

    def parse(self, state: Chess, text: str) -> int:
        """The legal move of a text as UCI has it, in capitals or not, or in SAN. Raises IllegalMoveError."""
        position, wanted = state.position(), text.strip()
        if state.moves():
            with suppress(MoveError):
                return parse_move(position, wanted)
            with suppress(ValueError):
                return parse_move(position, _from_san(position, wanted))
        raise IllegalMoveError(f"{wanted[:40]!r} is not a legal move")

    def record(self, moves: Sequence[str], names: Sequence[str], payoffs: Sequence[float]) -> str:
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
        position = state.position()

        def mark(column: int, row: int) -> str:
            piece = position.piece_at(row * SIZE + column)
            letter = _LETTERS[piece & 7]
            return letter.lower() if piece >= SIZE else letter

        return f"{grid(SIZE, SIZE, mark)}\n{format_fen(position)}"


def _victim(position: Position, move: int) -> int:
    """The kind of the piece that a move captures; -1 where none stands on its target."""
    piece = position.piece_at(target(move))
    return -1 if piece == EMPTY else piece & 7


def _from_san(position: Position, text: str) -> str:
    """A move in SAN as UCI writes it, castling as king takes rook. Raises ValueError."""
    import chess  # noqa: PLC0415 - slow to load, seldom needed

    return chess.Board(format_fen(position), chess960=True).parse_san(text).uci()
