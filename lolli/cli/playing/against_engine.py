"""`lolli play`: one game of chess after the other against the engine."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Self

import chess
from chess.engine import PovScore, Score
from rich.console import Console
from rich.text import Text

from engine.board.notation import move_text
from engine.lookup.openings import opening_of
from engine.search import handicap
from engine.search.handicap import FULL_STRENGTH, WEAKEST_LEVEL, Handicap
from engine.search.limits import Limits
from lolli.cli.analysis.analyst import Analyst
from lolli.cli.analysis.finding import Finding
from lolli.cli.analysis.notation import color_name, displayed, looks_like_move, move_of, why_not
from lolli.cli.playing.chess_game import ChessGame, FischerTimeControl, GameFile, clock_text, pgn_text
from lolli.cli.playing.dialogue import Dialogue, Lines, Reply, Word, last_lines, said, whole_number
from lolli.cli.terminal.board import BoardSize, board_lines, look_of, position_notes, size_for
from lolli.cli.terminal.screen import chances_text, score_text
from protocol.about import NAME, VERSION

_OVERHEAD = 20  # milliseconds of a move that are not spent on searching
_HOPELESS, _HOPELESS_MOVES = -1000, 6
"""The engine offers to resign after `_HOPELESS_MOVES` searches in a row with a score below `_HOPELESS`."""
_REPLIES, _LINE = 3, 8  # plies
_EQUAL, _BETTER, _WINNING = 30, 100, 250  # centipawns; at 100 every second game is won
_EARLY_UNTIL = 30  # moves
_MATE = 100_000  # centipawns
_MOST_ELO = 9999
_TOP, _BOTTOM = 0, 7  # lines of the board
_MOVE_LINES = range(2, 6)
_GAP = 3  # columns between the board and the notes
_BESIDE, _AROUND = 34, 6  # columns for the notes; lines for what is said below the board
_NARROWEST, _WIDEST = 16, 48
_UNBROKEN = "\xa0"
_IN_PAIR = re.compile(r" (?!\d+\.)")  # as in 12. Nf3 Nf6


@dataclass(frozen=True, slots=True)
class PlayStrength:
    """A handicap with a short name for the board and a description for a sentence."""

    handicap: Handicap
    name: str
    description: str

    @classmethod
    def of_level(cls, level: int) -> Self:
        """Raises ValueError for an unknown level."""
        skill = Handicap.of_level(level)
        if level == FULL_STRENGTH:
            return cls(skill, "full strength", "full strength")
        elo = handicap.ELO_OF_LEVEL[level - WEAKEST_LEVEL]
        return cls(skill, f"level {level}", f"level {level} of {FULL_STRENGTH}, about {elo} Elo")

    @classmethod
    def of_elo(cls, elo: int) -> Self:
        """Raises ValueError if the rating is out of range."""
        return cls(Handicap.of_elo(elo), f"{elo} Elo", f"about {elo} Elo")


@dataclass(frozen=True, slots=True)
class ChessTerms:
    """The conditions of all games: `color` is the player's side, None for a random one.

    `start` None is any start position of Chess960; `limits` apply to each move of the engine, `advice` to
    hints. The games are added to the file `path`.
    """

    start: chess.Board | None
    color: chess.Color | None
    control: FischerTimeControl | None
    limits: Limits
    advice: Limits
    player: str
    path: Path | None
    board_size: BoardSize | None


def weaken(analyst: Analyst, strength: Handicap, chooser: Random) -> None:
    """Make a player of an engine without another user; `chooser` makes the random choices of `strength`."""
    analyst.session.settings.move_overhead = _OVERHEAD
    analyst.session.settings.handicap = strength
    analyst.session.chooser = chooser


def chosen_move(analyst: Analyst, board: chess.Board, limits: Limits) -> tuple[chess.Move, int]:
    """The engine's move and its score for the mover, 0 if no depth was finished; the game must not be over.

    Raises FenError, and any error of the search.
    """
    reports, outcome = analyst.choice(board, limits)
    move = chess.Move.from_uci(move_text(outcome.best, board.chess960))
    return move, reports[-1].score.value if reports else 0


class EngineDialogue(Dialogue):
    """Games against the engine, with a clock, draws by agreement and a record as PGN."""

    own_words = (
        Word("hint", "", "what the engine would play at full strength"),
        Word("eval", "", "the engine's evaluation of the position"),
        Word("moves", "[SQUARE]", "the legal moves, or those from a square, as in moves e2"),
        Word("draw", "", "claim a draw if the rules allow it, otherwise offer one"),
        Word("accept", "", f"accept {NAME}'s offer to resign"),
        Word("go", "", f"let {NAME} move for you, and change sides"),
        Word("level", "[N]", f"show the level, or change it: {WEAKEST_LEVEL} … {FULL_STRENGTH}"),
        Word("elo", "N", f"set the strength as a rating: {handicap.WEAKEST_ELO} … {handicap.STRONGEST_ELO}"),
        Word("flip", "", "turn the board around"),
        Word("clock", "", "show the clocks"),
        Word("fen", "", "show the position as FEN"),
        Word("pgn", "", "show the game as PGN"),
        Word("save", "FILE", "add the game to a PGN file"),
    )
    while_playing = frozenset(("hint", "eval", "moves", "draw", "resign", "accept", "go"))
    introduction = (
        "Type a move as in Nf3, exd5, O-O or e8=Q, or by its squares as in g1f3;",
        "capitals, x, + and = may be left out if the move is still unambiguous.",
    )
    over = "The game is over: undo, new, pgn, save or quit."

    def __init__(
        self, terms: ChessTerms, strength: PlayStrength, make_engine: Callable[[], Analyst], chooser: Random
    ) -> None:
        """`make_engine` is called once for the opponent, and again for the first hint."""
        super().__init__(terms.board_size)
        self._terms = terms
        self._strength = strength
        self._chooser = chooser
        self._make_engine = make_engine
        self._opponent = make_engine()
        self._adviser: Analyst | None = None  # at full strength
        self._file = GameFile(terms.path) if terms.path else None
        self._is_turned = False
        weaken(self._opponent, strength.handicap, chooser)
        self._begin()

    def _begin(self) -> None:
        start = self._terms.start
        if start is None:
            start = chess.Board.from_chess960_pos(self._chooser.randrange(960))
        self._game = ChessGame(start, self._terms.control)
        color = self._terms.color
        self._player = self._chooser.choice(chess.COLORS) if color is None else color
        self._started = datetime.now().astimezone()
        self.resigned = False
        self._hopeless = 0
        self._kept: str | None = None
        self._opponent.new_game()

    @property
    def is_over(self) -> bool:
        return self._game.ending is not None

    @property
    def is_mine(self) -> bool:
        return self._game.board.turn == self._player

    def greeting(self) -> Lines:
        return (
            f"{NAME} {VERSION} plays at {self._strength.description}. You play {color_name(self._player)}.",
            "Type a move, as in e4, Nf3 or e2e4, or help for the commands.",
        )

    def begin_turn(self) -> float | None:
        game = self._game
        game.begin_turn()
        return None if game.clock is None or game.ending else game.clock.left(game.board.turn)

    def is_late(self) -> bool:
        return self._game.check_time()

    def play(self, text: str) -> str:
        board = self._game.board
        move = move_of(board, text)
        if move is not None:
            self._game.move(move)
            return ""
        if looks_like_move(text):
            return f"{displayed(text)} {why_not(board, text)}."
        meant = self.similar_to(text)
        if meant:
            return f"{displayed(text)!r}: did you mean {meant}?"
        return f"{displayed(text)!r} is neither a move nor a command. Type help or moves."

    def thinker(self) -> str:
        return NAME

    def answer(self) -> Lines:
        """See Dialogue; the engine claims a draw unless it stands better."""
        game = self._game
        game.begin_turn()
        move, value = chosen_move(self._opponent, game.board, self._limits())
        self._hopeless = self._hopeless + 1 if value < _HOPELESS else 0
        claim = game.claim()
        if claim is not None and value <= 0 and not game.check_time():
            game.end_drawn(claim)
            return (f"{NAME} claims a draw.",)
        played = f"{NAME} plays {game.board.variation_san([move])}."
        game.move(move)
        if game.ending is not None:
            return (f"{NAME} lost on time." if game.ending.on_time else played,)
        offers = self._hopeless == _HOPELESS_MOVES
        return (played, f"{NAME} offers to resign: type accept, or play on.") if offers else (played,)

    def _limits(self) -> Limits:
        """The limits of one move, with the present clock times."""
        clock = self._game.clock
        if clock is None:
            return self._terms.limits
        white, black = (max(1, round(1000 * clock.left(color))) for color in chess.COLORS)
        increment = round(1000 * clock.control.increment)
        return replace(self._terms.limits, time=(white, black), increment=(increment, increment))

    def stop(self) -> None:
        for engine in (self._opponent, self._adviser):
            if engine is not None:
                engine.stop()

    def remarks(self) -> Lines:
        ending = self._game.ending
        if ending is None:
            reason = self._game.claim()
            return (f"You may claim a draw ({reason}): type draw.",) if reason else ()
        if ending.winner is None:
            who = "A draw"
        else:
            who = "You win" if ending.winner == self._player else f"{NAME} wins"
        return (f"{who}: {ending.reason}. {ending.result}", *self._keep())

    def take_back(self, moves: int) -> bool:
        plies = 2 * moves - (not self.is_mine)
        if plies > self._game.played:
            return False
        self._game.take_back(plies)
        self._hopeless = 0
        return True

    def end(self) -> Lines:
        kept = self._keep()
        self._opponent.close()
        if self._adviser is not None:
            self._adviser.close()
        return kept

    def _pgn(self) -> str:
        engine = f"{NAME} {VERSION}, {self._strength.name}"
        names = (self._terms.player, engine)
        white, black = names if self._player else names[::-1]
        return pgn_text(self._game, white, black, self._started)

    def _keep(self) -> Lines:
        """Save the game if there is a file and the game has changed. Returns a sentence about it."""
        text = self._pgn()
        if self._file is None or text == self._kept or not (self._game.played or self._kept):
            return ()
        try:
            if self._kept is None:
                self._file.add(text)
            else:
                self._file.replace(text)
        except OSError as error:
            self.has_failed = True
            return (f"The game could not be saved: {_reason_of(error)}.",)
        self._kept = text
        return (f"Saved to {self._file.path}.",)

    def draw(self, console: Console) -> list[Text]:
        game, look = self._game, look_of(console)
        flipped = self._is_turned == self._player
        ahead = position_notes(game.board, flipped=flipped, look=look)
        notes = {
            _TOP: self._side(color=flipped),
            _TOP + 1: ahead.get(_TOP, ""),
            _BOTTOM - 1: ahead.get(_BOTTOM, ""),
            _BOTTOM: self._side(color=not flipped),
        }
        size = size_for(console, self.board_size, beside=_BESIDE, around=_AROUND)
        width = min(_WIDEST, console.width - size.extent(look)[0] - _GAP)
        if width >= _NARROWEST:
            opening = opening_of(game.board)
            name = str(opening or "")
            told = [name if len(name) <= width else f"{name[: width - 1]}…"] if opening else []
            pairs = _IN_PAIR.sub(_UNBROKEN, game.board.root().variation_san(game.board.move_stack))
            lines = last_lines(pairs, width, len(_MOVE_LINES) - len(told))
            told += [line.replace(_UNBROKEN, " ") for line in lines]
            notes.update(zip(_MOVE_LINES, told, strict=False))
        notes = {line: text for line, text in notes.items() if text}
        last = game.board.peek() if game.board.move_stack else None
        return board_lines(game.board, flipped=flipped, last=last, look=look, notes=notes, size=size)

    def _side(self, *, color: chess.Color) -> str:
        """Who plays a side, and the clock; the side to move is marked."""
        game = self._game
        mark = "> " if game.ending is None and game.board.turn == color else "  "
        name = "You" if color == self._player else f"{NAME}, {self._strength.name}"
        clock = f"  {clock_text(game.clock.left(color))}" if game.clock else ""
        return f"{mark}{name}{clock}"

    def move_texts(self) -> list[str]:
        board = self._game.board
        return [board.san(move) for move in board.legal_moves]

    def completions(self, line: str) -> list[str]:
        """See Dialogue. The argument of `moves` is a square."""
        *before, word = line.split(" ")
        if before == ["moves"]:
            squares = {chess.square_name(move.from_square) for move in self._game.board.legal_moves}
            return sorted(square for square in squares if square.startswith(word))
        return super().completions(line)

    def _advise(self) -> Finding:
        """What the engine finds at full strength. The game must not be over."""
        if self._adviser is None:
            self._adviser = self._make_engine()
        with self.keyboard.busy(self.stop):
            return self._adviser.best(self._game.board, self._terms.advice)

    def do_hint(self, _argument: str) -> Reply:
        return said(_hint(self._game.board, self._advise()))

    def do_eval(self, _argument: str) -> Reply:
        finding = self._advise()
        figures = score_text(finding.white)
        if finding.chances is not None and not finding.white.is_mate():
            figures += f"; win/draw/loss for White: {chances_text(finding.chances)} %"
        line = self._game.board.variation_san(finding.moves[:_LINE])
        return said(f"{_verdict(finding.white)} ({figures}): {line}")

    def do_moves(self, argument: str) -> Reply:
        board = self._game.board
        moves = list(board.legal_moves)
        if argument:
            if argument.lower() not in chess.SQUARE_NAMES:
                return said(f"Not a square: {displayed(argument)!r}. Type for example moves e2.")
            square = chess.parse_square(argument.lower())
            moves = [move for move in moves if move.from_square == square]
            if not moves:
                return said(f"No legal move from {chess.square_name(square)}.")
        return said(", ".join(sorted(board.san(move) for move in moves)))

    def do_draw(self, _argument: str) -> Reply:
        reason = self._game.claim()
        if reason is None:
            if objection := _objection(self._game.board, not self._player, self._advise()):
                return said(f"{NAME} declines: {objection}.")
            reason = "agreed"
        if not self._game.check_time():
            self._game.end_drawn(reason)
        return Reply(changed=True)

    def do_resign(self, argument: str) -> Reply:
        self._game.resign(self._player)
        return super().do_resign(argument)

    def do_accept(self, _argument: str) -> Reply:
        if self._hopeless < _HOPELESS_MOVES:
            return said("There is no offer to accept.")
        self._game.resign(not self._player)
        return Reply(changed=True)

    def do_go(self, _argument: str) -> Reply:
        self._player = not self._player
        return Reply((f"You play {color_name(self._player)} now.",), changed=True)

    def do_level(self, argument: str) -> Reply:
        if not argument:
            return said(f"{NAME} plays at {self._strength.description}.")
        return self._change(PlayStrength.of_level, argument, "level")

    def do_elo(self, argument: str) -> Reply:
        return self._change(PlayStrength.of_elo, argument, "Elo")

    def _change(self, strength: Callable[[int], PlayStrength], argument: str, what: str) -> Reply:
        number = whole_number(argument, 0, _MOST_ELO)
        if number is None:
            return said(f"Not a valid {what}: {displayed(argument)!r}.")
        try:
            self._strength = strength(number)
        except ValueError as error:
            return said(f"{error}.")
        weaken(self._opponent, self._strength.handicap, self._chooser)
        return said(f"{NAME} now plays at {self._strength.description}.")

    def do_flip(self, _argument: str) -> Reply:
        self._is_turned = not self._is_turned
        return Reply(changed=True)

    def do_clock(self, _argument: str) -> Reply:
        clock = self._game.clock
        if clock is None:
            return said("There is no clock in this game.")
        white, black = (clock_text(clock.left(color)) for color in chess.COLORS)
        return said(f"White {white}, Black {black}, {clock.control}")

    def do_fen(self, _argument: str) -> Reply:
        return said(self._game.board.fen())

    def do_pgn(self, _argument: str) -> Reply:
        return Reply(tuple(self._pgn().rstrip().splitlines()), alone=True)

    def do_save(self, argument: str) -> Reply:
        if not argument:
            return said("Add the name of a file: save FILE.")
        try:
            path = Path(argument).expanduser()
            GameFile(path).add(self._pgn())
        except (OSError, RuntimeError, ValueError) as error:
            return said(f"{displayed(argument)} cannot be written: {_reason_of(error)}.")
        return said(f"Saved to {path}.")

    def do_new(self, _argument: str) -> Reply:
        kept = self._keep()
        self._begin()
        return Reply((*kept, f"A new game: you play {color_name(self._player)}."), changed=True)


def _reason_of(error: Exception) -> str:
    """The reason of an error, in a few words."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _hint(board: chess.Board, finding: Finding) -> str:
    move, *replies = finding.moves
    after = board.copy(stack=False)
    after.push(move)
    then = f", then perhaps {after.variation_san(replies[:_REPLIES])}" if replies else ""
    return f"Try {board.san(move)}{_virtue(board, move)} ({_outlook(finding.score)}){then}."


def _objection(board: chess.Board, color: chess.Color, finding: Finding) -> str:
    """Why a side does not agree to a draw; empty if it does."""
    value = finding.score.pov(color).score(mate_score=_MATE)
    if value > _EQUAL:
        return f"its position is better, {score_text(finding.white)}"
    if value > -_BETTER and board.fullmove_number < _EARLY_UNTIL:
        return f"it is too early for a draw, {score_text(finding.white)}"
    return ""


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
