"""`lolli play`: games of chess against the engine, with a clock, draws by agreement and a record as PGN."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from math import inf
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple, Self

import chess
import chess.pgn
from chess.engine import PovScore, Score
from rich.console import Console
from rich.text import Text

from engine.lookup.openings import opening_of
from engine.search import limits
from engine.search.limits import FULL_STRENGTH, WEAKEST_LEVEL, Handicap, Limits
from lolli._analyst import Analyst
from lolli._annotator import opening_headers
from lolli._coach import explained
from lolli._findings import Finding
from lolli._positions import move_words
from lolli.cli.analysis.notation import color_name, displayed, looks_like_move, move_of, why_not
from lolli.cli.given_file import GameFile
from lolli.cli.pgn.game_reader import header_value
from lolli.cli.playing import Dialogue, Lines, Reply, Word, changed, last_lines, said, whole_number
from lolli.cli.terminal.board import BoardSize, board_lines, look_of, position_notes, size_for
from lolli.cli.terminal.screen import chances_text, score_text
from protocol.about import NAME, VERSION

# The clock

_FORMAT = re.compile(
    r"(?:(?P<minutes>\d+(?:\.\d+)?)m?|(?P<whole>\d+):(?P<rest>[0-5]?\d(?:\.\d+)?)|(?P<seconds>\d+(?:\.\d+)?)s)"
    r"(?:\+(?P<increment>\d+(?:\.\d+)?)s?)?",
    re.ASCII,
)
_EXAMPLES = "write 5+3 for five minutes and three seconds more for each move, 90s or 1:30 for ninety seconds"
_LONGEST = 24 * 3600
_TENTHS_BELOW = 10


@dataclass(frozen=True, slots=True)
class TimeControl:
    """`base` seconds for all moves, and `increment` seconds more after each."""

    base: float
    increment: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `5+3`, `1:30+3` or `90s+3`; the increment may be missing. Raises ValueError, in one line."""
        found = _FORMAT.fullmatch(text.strip().lower().replace(" ", ""))
        if found is None:
            raise ValueError(f"not a time control: {text[:30]!r}; {_EXAMPLES}")
        base = Decimal(found["minutes"] or found["whole"] or 0) * 60
        base += Decimal(found["seconds"] or found["rest"] or 0)
        increment = Decimal(found["increment"] or 0)
        if base > _LONGEST or increment > _LONGEST:
            raise ValueError(f"longer than a day: {text[:30]!r}")
        if base == 0:
            raise ValueError(f"no time for the first move: {text[:30]!r}")
        return cls(float(base), float(increment))

    @property
    def pgn(self) -> str:
        """The value of the PGN tag TimeControl, `300+3`."""
        return f"{self.base:g}+{self.increment:g}" if self.increment else f"{self.base:g}"

    def __str__(self) -> str:
        minutes = self.base / 60
        base = f"{minutes:g}" if minutes >= 1 and (2 * minutes).is_integer() else f"{self.base:g}s"
        return f"{base}+{self.increment:g}"


def clock_text(seconds: float) -> str:
    """`1:02:03`, `4:59`, and in the last ten seconds `0:09.8`; rounded down."""
    seconds = max(0.0, seconds)
    if seconds < _TENTHS_BELOW:
        return f"0:0{int(seconds * 10) / 10:.1f}"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# A game and its record

_FIFTY_MOVES = 100  # plies
_REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "neither side can mate",
    chess.Termination.SEVENTYFIVE_MOVES: "75 moves without a capture or a pawn move",
    chess.Termination.FIVEFOLD_REPETITION: "the position has occurred five times",
}
_COLUMNS = 80


@dataclass(frozen=True, slots=True)
class Ending:
    winner: chess.Color | None
    reason: str
    on_time: bool = False

    @property
    def result(self) -> str:
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner else "0-1"


class ChessGame:
    """One game with its clocks, in seconds. None runs between a move and the next `begin_turn`."""

    def __init__(
        self, start: chess.Board, control: TimeControl | None = None, now: Callable[[], float] = monotonic
    ) -> None:
        """Begin from a position; its history counts for repetitions and is part of the record."""
        self.board = start.copy()
        self.control = control
        self.ending: Ending | None = None
        self._now = now
        self._left = dict.fromkeys(chess.COLORS, inf if control is None else control.base)
        self._since: float | None = None  # when the clock of the side to move was started
        self._before: list[dict[chess.Color, float]] = []  # the clocks before each move
        self.clock_times: list[float] = []
        """The mover's time left after each ply since the start; infinite without a clock."""
        self._find_ending()

    @property
    def played(self) -> int:
        return len(self._before)

    def left(self, color: chess.Color) -> float:
        """The time left; below zero once the flag has fallen, infinite without a clock."""
        runs = self._since is not None and color == self.board.turn
        return self._left[color] - (self._now() - (self._since or 0.0) if runs else 0.0)

    def begin_turn(self) -> None:
        if self._since is None and self.ending is None:
            self._since = self._now()

    def move(self, move: chess.Move) -> None:
        """Play a legal move; if the mover's time is up, end the game instead."""
        if self.ending is not None or self.check_time():
            return
        mover = self.board.turn
        self._before.append({color: self.left(color) for color in chess.COLORS})
        self._halt()
        self._left[mover] += self.control.increment if self.control else 0.0
        self.clock_times.append(self._left[mover])
        self.board.push(move)
        self._find_ending()

    def check_time(self) -> bool:
        if self.ending is not None or self.left(self.board.turn) > 0:
            return False
        winner: chess.Color | None = not self.board.turn
        reason = f"{color_name(self.board.turn)}'s time is up"
        if self.board.has_insufficient_material(not self.board.turn):
            winner, reason = None, f"{reason}, but {color_name(not self.board.turn)} cannot mate"
        self.end(Ending(winner, reason, on_time=True))
        return True

    def take_back(self, plies: int) -> None:
        """Undo moves played since the start, restore the clocks, and cancel an ending."""
        for _ in range(plies):
            self.board.pop()
            self._left = self._before.pop()
            self.clock_times.pop()
        self._since = self.ending = None

    def claim(self) -> str | None:
        """Why the side to move may claim a draw; None if it may not."""
        if self.board.is_repetition(3):
            return "the position has occurred three times"
        if self.board.halfmove_clock >= _FIFTY_MOVES:
            return "50 moves without a capture or a pawn move"
        return None

    def end(self, ending: Ending) -> None:
        self._halt()
        self.ending = ending

    def _halt(self) -> None:
        self._left[self.board.turn], self._since = self.left(self.board.turn), None

    def resign(self, loser: chess.Color) -> None:
        self.end(Ending(not loser, f"{color_name(loser)} resigns"))

    def _find_ending(self) -> None:
        outcome = self.board.outcome()
        if outcome is not None:
            self.end(Ending(outcome.winner, _REASONS[outcome.termination]))


def pgn_text(game: ChessGame, white: str, black: str, started: datetime) -> str:
    record, ending = chess.pgn.Game.from_board(game.board), game.ending
    headers = record.headers
    headers.update(
        {
            "Event": "Casual game",
            "Date": started.strftime("%Y.%m.%d"),
            "Round": "-",
            "White": header_value(white),
            "Black": header_value(black),
            "Result": ending.result if ending else "*",
        }
    )
    headers.update(opening_headers(headers, opening_of(game.board)))
    headers["TimeControl"] = game.control.pgn if game.control else "-"
    headers["Termination"] = (
        "unterminated" if ending is None else "time forfeit" if ending.on_time else "normal"
    )
    nodes = list(record.mainline())[-game.played :] if game.control and game.played else []
    for node, seconds in zip(nodes, game.clock_times, strict=False):
        node.set_clock(max(0.0, seconds))
    if ending is not None and not game.board.is_checkmate():
        end = record.end()
        end.comment = f"{end.comment} {ending.reason[0].upper()}{ending.reason[1:]}.".strip()
    return f"{record.accept(chess.pgn.StringExporter(columns=_COLUMNS))}\n\n"


# The opponent

_OVERHEAD = 20  # milliseconds of a move that are not spent on searching


class Strength(NamedTuple):
    handicap: Handicap
    name: str
    description: str

    @classmethod
    def of_level(cls, level: int) -> Self:
        skill = Handicap.of_level(level)
        if level == FULL_STRENGTH:
            return cls(skill, "full strength", "full strength")
        place = level - WEAKEST_LEVEL
        worth = f"about {limits.ELO_OF_LEVEL[place]} Elo among engines"
        if place < len(limits.RATING_OF_LEVEL):
            worth += f", {limits.RATING_OF_LEVEL[place]} by puzzles"
        return cls(skill, f"level {level}", f"level {level} of {FULL_STRENGTH}, {worth}")

    @classmethod
    def of_elo(cls, elo: int) -> Self:
        return cls(Handicap.of_elo(elo), f"{elo} Elo", f"about {elo} Elo among engines")


def weaken(analyst: Analyst, strength: Handicap, chooser: Random) -> None:
    """Make a player of an engine without another user; `chooser` makes the random choices of `strength`."""
    analyst.session.settings.move_overhead = _OVERHEAD
    analyst.session.settings.handicap = strength
    analyst.session.chooser = chooser


# The dialogue

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


class ChessDialogue(Dialogue):
    own_words = (
        Word("hint", "", "what the engine would play at full strength"),
        Word("eval", "", "the engine's evaluation of the position"),
        Word("why", "[MOVE]", "what was wrong with your last move, or what a move would do"),
        Word("moves", "[SQUARE]", "the legal moves, or those from a square, as in moves e2"),
        Word("draw", "", "claim a draw if the rules allow it, otherwise offer one"),
        Word("accept", "", f"accept {NAME}'s offer to resign"),
        Word("go", "", f"let {NAME} move for you, and change sides"),
        Word("level", "[N]", f"show the level, or change it: {WEAKEST_LEVEL} … {FULL_STRENGTH}"),
        Word("elo", "[N]", f"the same in Elo among engines: {limits.WEAKEST_ELO} … {limits.STRONGEST_ELO}"),
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
        self,
        make_engine: Callable[[], Analyst],
        strength: Strength,
        chooser: Random,
        *,
        start: chess.Board | None,
        color: chess.Color | None,
        control: TimeControl | None,
        limits: Limits,
        advice: Limits,
        player: str,
        path: Path | None,
        board_size: BoardSize | None,
    ) -> None:
        """`make_engine` makes the hints' engine, too. `start` None: any of Chess960; `color` None: random."""
        super().__init__(board_size)
        self._make_engine = make_engine
        self._strength, self._chooser = strength, chooser
        self._start, self._color, self._control = start, color, control
        self._limits, self._advice, self._name = limits, advice, player
        self._opponent = make_engine()
        self._adviser: Analyst | None = None  # at full strength
        self._file = GameFile(path) if path else None
        self._is_turned = False
        weaken(self._opponent, strength.handicap, chooser)
        self._begin()

    def _begin(self) -> None:
        start = self._start
        if start is None:
            start = chess.Board.from_chess960_pos(self._chooser.randrange(960))
        self._game = ChessGame(start, self._control)
        self._player = self._chooser.choice(chess.COLORS) if self._color is None else self._color
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
        return None if game.control is None or game.ending else game.left(game.board.turn)

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
        if meant := self.similar_to(text):
            return f"{displayed(text)!r}: did you mean {meant}?"
        return f"{displayed(text)!r} is neither a move nor a command. Type help or moves."

    def thinker(self) -> str:
        return NAME

    def answer(self) -> Lines:
        """The engine claims a draw unless it stands better."""
        game, limits = self._game, self._limits
        game.begin_turn()
        if game.control is not None:
            white, black = (max(1, round(1000 * game.left(color))) for color in chess.COLORS)
            increment = round(1000 * game.control.increment)
            limits = replace(limits, time=(white, black), increment=(increment, increment))
        move, value = self._opponent.choice(game.board, limits)
        self._hopeless = self._hopeless + 1 if value < _HOPELESS else 0
        claim = game.claim()
        if claim is not None and value <= 0 and not game.check_time():
            game.end(Ending(None, claim))
            return (f"{NAME} claims a draw.",)
        played = f"{NAME} plays {game.board.variation_san([move])}."
        game.move(move)
        if game.ending is not None:
            return (f"{NAME} lost on time." if game.ending.on_time else played,)
        offers = self._hopeless == _HOPELESS_MOVES
        return (played, f"{NAME} offers to resign: type accept, or play on.") if offers else (played,)

    def stop(self) -> None:
        for engine in (self._opponent, self._adviser):
            if engine is not None:
                engine.stop()

    def remarks(self) -> Lines:
        ending = self._game.ending
        if ending is None:
            reason = self._game.claim()
            return (f"You may claim a draw ({reason}): type draw.",) if reason else ()
        who = "A draw"
        if ending.winner is not None:
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
        for engine in (self._opponent, self._adviser):
            if engine is not None:
                engine.close()
        return kept

    def _pgn(self) -> str:
        names = (self._name, f"{NAME} {VERSION}, {self._strength.name}")
        white, black = names if self._player else names[::-1]
        return pgn_text(self._game, white, black, self._started)

    def _keep(self) -> Lines:
        text = self._pgn()
        if self._file is None or text == self._kept or not (self._game.played or self._kept):
            return ()
        try:
            (self._file.add if self._kept is None else self._file.replace)(text)
        except OSError as error:
            self.has_failed = True
            return (f"The game could not be saved: {error.strerror or error}.",)
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
        game = self._game
        mark = "> " if game.ending is None and game.board.turn == color else "  "
        name = "You" if color == self._player else f"{NAME}, {self._strength.name}"
        clock = f"  {clock_text(game.left(color))}" if game.control else ""
        return f"{mark}{name}{clock}"

    def move_texts(self) -> list[str]:
        board = self._game.board
        return [board.san(move) for move in board.legal_moves]

    def completions(self, line: str) -> list[str]:
        """The argument of `moves` is a square."""
        *before, word = line.split(" ")
        if before == ["moves"]:
            squares = {chess.square_name(move.from_square) for move in self._game.board.legal_moves}
            return sorted(square for square in squares if square.startswith(word))
        return super().completions(line)

    def _helper(self) -> Analyst:
        if self._adviser is None:
            self._adviser = self._make_engine()
        return self._adviser

    def _advise(self) -> Finding:
        with self.keyboard.busy(self.stop):
            return self._helper().best(self._game.board, self._advice)

    def do_hint(self, _argument: str) -> Reply:
        board, finding = self._game.board, self._advise()
        move, *replies = finding.moves
        after = board.copy(stack=False)
        after.push(move)
        then = f", then perhaps {after.variation_san(replies[:_REPLIES])}" if replies else ""
        return said(f"Try {board.san(move)}{_virtue(board, move)} ({_outlook(finding.score)}){then}.")

    def do_eval(self, _argument: str) -> Reply:
        finding = self._advise()
        figures = score_text(finding.white)
        if finding.chances is not None and not finding.white.is_mate():
            figures += f"; win/draw/loss for White: {chances_text(finding.chances)} %"
        line = self._game.board.variation_san(finding.moves[:_LINE])
        return said(f"{_verdict(finding.white)} ({figures}): {line}")

    def do_why(self, argument: str) -> Reply:
        board = self._game.board.copy()
        move = move_of(board, argument) if argument else self._last_move(board)
        if move is None:
            return said(
                f"{displayed(argument)} {why_not(board, argument)}."
                if argument
                else "You have not moved yet."
            )
        with self.keyboard.busy(self.stop):
            told = explained(self._helper(), board, move, self._advice)
        return said(f"{move_words(board, move)}{told.mark}: {told.text}")

    def _last_move(self, board: chess.Board) -> chess.Move | None:
        """The person's last move; the board is brought back to before it."""
        for _ in range(self._game.played):
            move = board.pop()
            if board.turn == self._player:
                return move
        return None

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
            self._game.end(Ending(None, reason))
        return changed()

    def do_resign(self, argument: str) -> Reply:
        self._game.resign(self._player)
        return super().do_resign(argument)

    def do_accept(self, _argument: str) -> Reply:
        if self._hopeless < _HOPELESS_MOVES:
            return said("There is no offer to accept.")
        self._game.resign(not self._player)
        return changed()

    def do_go(self, _argument: str) -> Reply:
        self._player = not self._player
        return changed(f"You play {color_name(self._player)} now.")

    def do_level(self, argument: str) -> Reply:
        return self._change(Strength.of_level, argument, "level")

    def do_elo(self, argument: str) -> Reply:
        return self._change(Strength.of_elo, argument, "Elo")

    def _change(self, strength: Callable[[int], Strength], argument: str, what: str) -> Reply:
        if not argument:
            return said(f"{NAME} plays at {self._strength.description}.")
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
        return changed()

    def do_clock(self, _argument: str) -> Reply:
        game = self._game
        if game.control is None:
            return said("There is no clock in this game.")
        white, black = (clock_text(game.left(color)) for color in chess.COLORS)
        return said(f"White {white}, Black {black}, {game.control}")

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
            return said(
                f"{displayed(argument)} cannot be written: {getattr(error, 'strerror', '') or error}."
            )
        return said(f"Saved to {path}.")

    def do_new(self, _argument: str) -> Reply:
        kept = self._keep()
        self._begin()
        return changed(*kept, f"A new game: you play {color_name(self._player)}.")


def _objection(board: chess.Board, color: chess.Color, finding: Finding) -> str:
    value = finding.score.pov(color).score(mate_score=_MATE)
    if value > _EQUAL:
        return f"its position is better, {score_text(finding.white)}"
    if value > -_BETTER and board.fullmove_number < _EARLY_UNTIL:
        return f"it is too early for a draw, {score_text(finding.white)}"
    return ""


def _virtue(board: chess.Board, move: chess.Move) -> str:
    if move.promotion:
        return f", which promotes to a {chess.piece_name(move.promotion)}"
    if board.is_capture(move):
        taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
        return f", which takes a {chess.piece_name(taken or chess.PAWN)}"
    if board.is_castling(move):
        return ", which brings the king to safety"
    return ", with check" if board.gives_check(move) else ""


def _outlook(score: PovScore) -> str:
    mate = score.relative.mate()
    if mate is None:
        return f"{score_text(score.relative)} for you"
    return f"mate in {mate}" if mate > 0 else f"mated in {-mate}"


def _verdict(score: Score) -> str:
    mate = score.mate()
    if mate is not None:
        return f"{'White' if mate > 0 else 'Black'} mates"
    value = score.score() or 0
    side = "White" if value > 0 else "Black"
    for least, words in ((_WINNING, "is winning"), (_BETTER, "is better"), (_EQUAL, "is a little better")):
        if abs(value) >= least:
            return f"{side} {words}"
    return "About equal"
