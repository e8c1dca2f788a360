"""What a player can type besides moves: the words, and what each of them does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import chess

from protocol.about import NAME
from protocol.cli.analysis.lazy_analyst import LazyAnalyst
from protocol.cli.playing.chess_game import GameFile, clock_text
from protocol.cli.playing.command_words import (
    BOARD,
    HELP,
    LEAVE,
    NEW,
    RESIGN,
    UNDO,
    CommandWords,
    PlayCommand,
    PlayReply,
    whole_number,
)
from protocol.cli.playing.moves import displayed
from protocol.cli.playing.play_match import ELOS, LEVELS, PlayStrength
from protocol.cli.terminal.words import chances_text, score_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    import chess
    from chess.engine import PovScore, Score

    from engine.search.limits import Limits
    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.analysis.finding import Finding
    from protocol.cli.playing.play_match import PlayMatch

_REPLIES, _LINE = 3, 8  # plies
_EQUAL, _BETTER, _WINNING = 30, 100, 250  # centipawns; at 100 every second game is won
_EARLY_UNTIL = 30  # moves
_MATE = 100_000  # centipawns
_MOST_MOVES = 1000  # to take back at once
_MOST_ELO = 9999
_NEED_A_RUNNING_GAME = frozenset(("hint", "eval", "moves", "draw", "resign", "accept", "go"))


class Adviser:
    """The engine at full strength: hints, judgements, and whether it agrees to a draw.

    `stop` may be called from any thread or signal handler.
    """

    def __init__(self, make: Callable[[], Analyst], limits: Limits) -> None:
        """`limits` apply to each question."""
        self._analyst = LazyAnalyst(make)
        self._limits = limits
        self.stop, self.close = self._analyst.stop, self._analyst.close

    def hint(self, board: chess.Board) -> str:
        """A move for the side to move, with its merits. The game must not be over."""
        finding = self._ask(board)
        move, *replies = finding.moves
        then = f", then perhaps {_line(board, move, replies)}" if replies else ""
        return f"Try {board.san(move)}{_virtue(board, move)} ({_outlook(finding.score)}){then}."

    def judgement(self, board: chess.Board) -> str:
        """The side that is better, White's score and chances, and the expected line."""
        finding = self._ask(board)
        figures = score_text(finding.white)
        if finding.chances is not None and not finding.white.is_mate():
            figures += f"; win/draw/loss for White: {chances_text(finding.chances)} %"
        return f"{_verdict(finding.white)} ({figures}): {board.variation_san(finding.moves[:_LINE])}"

    def objection(self, board: chess.Board, color: chess.Color) -> str | None:
        """Why a side does not agree to a draw; None if it does."""
        finding = self._ask(board)
        value = finding.score.pov(color).score(mate_score=_MATE)
        if value > _EQUAL:
            return f"its position is better, {score_text(finding.white)}"
        if value > -_BETTER and board.fullmove_number < _EARLY_UNTIL:
            return f"it is too early for a draw, {score_text(finding.white)}"
        return None

    def _ask(self, board: chess.Board) -> Finding:
        return self._analyst.get().best(board, self._limits)


def _line(board: chess.Board, move: chess.Move, replies: list[chess.Move]) -> str:
    after = board.copy(stack=False)
    after.push(move)
    return after.variation_san(replies[:_REPLIES])


def _virtue(board: chess.Board, move: chess.Move) -> str:
    """The obvious merit of a move."""
    if move.promotion:
        return f", which promotes to a {chess.piece_name(move.promotion)}"
    if board.is_capture(move):
        taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
        return f", which takes a {chess.piece_name(taken or chess.PAWN)}"
    if board.is_castling(move):
        return ", which brings the king to safety"
    return ", with check" if board.gives_check(move) else ""


def _outlook(score: PovScore) -> str:
    """The score for the side to move."""
    mate = score.relative.mate()
    if mate is None:
        return f"{score_text(score.relative)} for you"
    return f"mate in {mate}" if mate > 0 else f"mated in {-mate}"


def _verdict(score: Score) -> str:
    """`score` is White's."""
    mate = score.mate()
    if mate is not None:
        return f"{'White' if mate > 0 else 'Black'} mates"
    value = score.score() or 0
    side = "White" if value > 0 else "Black"
    for least, words in ((_WINNING, "is winning"), (_BETTER, "is better"), (_EQUAL, "is a little better")):
        if abs(value) >= least:
            return f"{side} {words}"
    return "About equal"


COMMANDS = (
    UNDO,
    PlayCommand("hint", "", "what the engine would play at full strength"),
    PlayCommand("eval", "", "the engine's judgement of the position"),
    PlayCommand("moves", "[SQUARE]", "the legal moves, or those from a square, as in moves e2"),
    PlayCommand("draw", "", "claim a draw if the rules allow it, otherwise offer one"),
    RESIGN,
    PlayCommand("accept", "", "accept Lolli's offer to resign"),
    PlayCommand("go", "", "let Lolli move for you, and change sides"),
    PlayCommand("level", "[N]", f"show the level, or change it: {LEVELS}"),
    PlayCommand("elo", "N", f"set the strength as a rating: {ELOS}"),
    PlayCommand("flip", "", "turn the board around"),
    BOARD,
    PlayCommand("clock", "", "show the clocks"),
    PlayCommand("fen", "", "show the position as FEN"),
    PlayCommand("pgn", "", "show the game as PGN"),
    PlayCommand("save", "FILE", "add the game to a PGN file"),
    NEW,
    HELP,
    LEAVE,
)

_INTRODUCTION = """\
Type a move as in Nf3, exd5, O-O or e8=Q, or by its squares as in g1f3;
capitals, x, + and = may be left out if the move is still unambiguous.
""".splitlines()


WORDS = CommandWords(COMMANDS, _INTRODUCTION)


def completions(line: str, board: chess.Board) -> list[str]:
    """Completions of the last word of a line: commands and moves, or squares after `moves`."""
    *before, word = line.split(" ")
    if not any(before):
        words = WORDS.names + [board.san(move) for move in board.legal_moves]
    elif before == ["moves"]:
        words = sorted({move.uci()[:2] for move in board.legal_moves})
    else:
        return []
    return [each for each in words if each.startswith(word)]


OVER = PlayReply(("The game is over: undo, new, pgn, save or quit.",))


class PlayCommands:
    """Executes all commands but `quit`."""

    def __init__(
        self,
        match: PlayMatch,
        adviser: Adviser,
        busy: Callable[[Callable[[], None]], AbstractContextManager[None]],
    ) -> None:
        """`busy(stop)` is a context in which Ctrl-C calls `stop`."""
        self.is_turned = False
        self._match = match
        self._adviser = adviser
        self._busy = busy
        self._orders: dict[str, Callable[[str], PlayReply]] = {
            "undo": self._undo,
            "hint": self._hint,
            "eval": self._eval,
            "moves": self._moves,
            "draw": self._draw,
            "resign": self._resign,
            "accept": self._accept,
            "go": self._go,
            "level": self._level,
            "elo": self._elo,
            "flip": self._flip,
            "board": lambda _: PlayReply(changed=True),
            "clock": self._clock,
            "fen": lambda _: PlayReply((self._match.game.board.fen(),)),
            "pgn": lambda _: PlayReply(tuple(self._match.pgn().rstrip().splitlines()), alone=True),
            "save": self._save,
            "new": self._new,
            "help": lambda _: PlayReply(tuple(WORDS.help_lines()), alone=True),
        }

    def obey(self, name: str, argument: str) -> PlayReply:
        """Execute a command. Afterwards it may be the engine's turn."""
        if name in _NEED_A_RUNNING_GAME and self._match.game.ending is not None:
            return OVER
        return self._orders[name](argument)

    def _undo(self, argument: str) -> PlayReply:
        count = whole_number(argument or "1", 1, _MOST_MOVES)
        if count is None:
            return PlayReply(("Type undo for your last move, undo 2 for the last two.",))
        had_resigned = self._match.player_resigned
        if not self._match.take_back(count):
            why = "There is no move to take back." if count == 1 else "You have not made that many moves."
            return PlayReply((why,))
        if had_resigned and count == 1:
            return PlayReply(("Your resignation is taken back.",), changed=True)
        return PlayReply(("Taken back.",), changed=True)

    def _hint(self, _argument: str) -> PlayReply:
        with self._busy(self._adviser.stop):
            return PlayReply((self._adviser.hint(self._match.game.board),))

    def _eval(self, _argument: str) -> PlayReply:
        with self._busy(self._adviser.stop):
            return PlayReply((self._adviser.judgement(self._match.game.board),))

    def _moves(self, argument: str) -> PlayReply:
        board = self._match.game.board
        moves = list(board.legal_moves)
        if argument:
            if argument.lower() not in chess.SQUARE_NAMES:
                return PlayReply((f"Not a square: {displayed(argument)!r}. Type for example moves e2.",))
            square = chess.parse_square(argument.lower())
            moves = [move for move in moves if move.from_square == square]
            if not moves:
                return PlayReply((f"No legal move from {chess.square_name(square)}.",))
        return PlayReply((", ".join(sorted(board.san(move) for move in moves)),))

    def _draw(self, _argument: str) -> PlayReply:
        match, game = self._match, self._match.game
        reason = game.claim()
        if reason is None:
            with self._busy(self._adviser.stop):
                objection = self._adviser.objection(game.board, not match.player)
            if objection is not None:
                return PlayReply((f"{NAME} declines: {objection}.",))
            reason = "agreed"
        if not game.check_time():
            game.end_drawn(reason)
        return PlayReply(changed=True)

    def _resign(self, _argument: str) -> PlayReply:
        self._match.game.resign(self._match.player)
        return PlayReply(changed=True)

    def _accept(self, _argument: str) -> PlayReply:
        if not self._match.is_hopeless:
            return PlayReply(("There is no offer to accept.",))
        self._match.game.resign(not self._match.player)
        return PlayReply(changed=True)

    def _go(self, _argument: str) -> PlayReply:
        self._match.player = not self._match.player
        return PlayReply((f"You play {_color(self._match)} now.",), changed=True)

    def _level(self, argument: str) -> PlayReply:
        if not argument:
            return PlayReply((f"{NAME} plays at {self._match.strength.description}.",))
        return self._change(PlayStrength.of_level, argument, "level")

    def _elo(self, argument: str) -> PlayReply:
        return self._change(PlayStrength.of_elo, argument, "Elo")

    def _change(self, strength: Callable[[int], PlayStrength], argument: str, what: str) -> PlayReply:
        number = whole_number(argument, 0, _MOST_ELO)
        if number is None:
            return PlayReply((f"Not a valid {what}: {displayed(argument)!r}.",))
        try:
            self._match.play_as(strength(number))
        except ValueError as error:
            return PlayReply((f"{error}.",))
        return PlayReply((f"{NAME} now plays at {self._match.strength.description}.",))

    def _flip(self, _argument: str) -> PlayReply:
        self.is_turned = not self.is_turned
        return PlayReply(changed=True)

    def _clock(self, _argument: str) -> PlayReply:
        clock = self._match.game.clock
        if clock is None:
            return PlayReply(("There is no clock in this game.",))
        white, black = (clock_text(clock.left(color)) for color in chess.COLORS)
        return PlayReply((f"White {white}, Black {black}, {clock.control}",))

    def _save(self, argument: str) -> PlayReply:
        if not argument:
            return PlayReply(("Add the name of a file: save FILE.",))
        try:
            path = Path(argument).expanduser()
            GameFile(path).add(self._match.pgn())
        except (OSError, RuntimeError, ValueError) as error:
            return PlayReply((f"{displayed(argument)} cannot be written: {reason_of(error)}.",))
        return PlayReply((f"Saved to {path}.",))

    def _new(self, _argument: str) -> PlayReply:
        self._match.begin()
        return PlayReply((f"A new game: you play {_color(self._match)}.",), changed=True)


def reason_of(error: Exception) -> str:
    """The reason of an error, in a few words."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _color(match: PlayMatch) -> str:
    return "White" if match.player else "Black"
