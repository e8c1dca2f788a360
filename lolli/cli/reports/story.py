"""A game as its page shows it: steps and rows, heading, marks, critical moments; statistics of a player."""

from __future__ import annotations

import re
from calendar import monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from statistics import fmean
from typing import Literal

import chess
import chess.pgn
from chess.engine import Score

from engine.lookup.openings import opening_line
from lolli._annotator import LAST_IN_BOOK, opening_headers
from lolli._assessment import (
    MOST_MOMENTS,
    Mark,
    MoveAssessment,
    PlayerSummary,
    assess,
    critical_moves,
    header_measures,
    is_analysed,
    measured,
    over_games,
    score_of,
    summary,
    told_score,
    winning_chances,
)
from lolli.cli.pgn.game_reader import header_text, sides_of
from lolli.cli.reports.pictures import Course, moved_squares
from lolli.cli.terminal.screen import DASH, MINUS

_COMMANDS = re.compile(r"\[%[^][]*\]")
_SPACES = re.compile(r"\s+")
# https://en.wikipedia.org/wiki/Portable_Game_Notation#Standard_NAGs, with the signs of the Informator
_NAGS = {
    "!": (1,),
    "?": (2,),
    "!!": (3,),
    "??": (4, 9),
    "!?": (5,),
    "?!": (6,),
    "□": (7, 8),
    "=": (10, 11, 12),
    "∞": (13,),
    "+/=": (14,),
    "=/+": (15,),
    "±": (16,),
    "∓": (17,),
    f"+{MINUS}": (18, 20),
    f"{MINUS}+": (19, 21),
    "⊙": (22, 23),
    "↻": (32, 33),
    "↑": (36, 37),
    "→": (40, 41),
    "=∞": (44, 45),
    "⇆": (132, 133),
    "⊕": (138, 139),
    "N": (146,),
}
_SIGNS = {nag: sign for sign, nags in _NAGS.items() for nag in nags}
_JUDGEMENTS = frozenset(range(1, 10))  # NAGs for a move; the others are for a position


Bracket = Literal["(", ")"]


@dataclass(frozen=True, slots=True)
class Step:
    """The first step, of index 0, has no move and no parent.

    `depth` is 0 in the main line, 1 in a variation; `ply` is 1 after White's first move; `squares` are origin
    and target, when castling the king's; `score` is White's; `clock` is what is left and `elapsed` what the
    move took, in seconds. Comments lack their commands. `opening` is the comment before a variation. A
    drawing is an arrow or a circle, with its colour.
    """

    index: int
    parent: int | None
    depth: int
    ply: int
    fen: str
    move: chess.Move | None
    number: str
    san: str
    squares: tuple[str, ...]
    check: str | None
    score: Score | None
    clock: float | None
    elapsed: float | None
    nags: tuple[int, ...]
    opening: str
    comment: str
    drawings: tuple[tuple[str, str, str], ...]

    @property
    def by_white(self) -> bool:
        return self.number.endswith(".")


class Story:
    def __init__(self, parts: Sequence[Step | Bracket]) -> None:
        """`parts` are the steps by index, with brackets around the variations."""
        self.parts = parts
        self.steps = [step for step in parts if isinstance(step, Step)]
        self.main_line = [step for step in self.steps if step.depth == 0]
        self._next: dict[int, list[Step]] = {}
        for step in self.steps:
            if step.parent is not None:
                self._next.setdefault(step.parent, []).append(step)

    def alternatives(self, step: Step) -> list[Step]:
        return [] if step.parent is None else [each for each in self._next[step.parent] if each is not step]

    def line(self, step: Step) -> Iterator[Step]:
        following = [step]
        while following:
            yield following[0]
            following = self._next.get(following[0].index, [])


_Task = tuple[chess.pgn.ChildNode, chess.Board, int, int]  # with the board before it, its parent and depth


def story_of(game: chess.pgn.Game) -> Story:
    """The story of a game. Of the steps after a position, the one with the lowest index is the main one."""
    board = game.board()
    parts: list[Step | Bracket] = [_step(0, None, 0, game, None, board)]
    count = 1
    todo: list[_Task | Bracket] = [(node, board, 0, 0) for node in game.variations[:1]]
    while todo:
        task = todo.pop()
        if isinstance(task, str):
            parts.append(task)
            continue
        node, before, parent, depth = task
        after = before.copy(stack=False)
        after.push(node.move)
        parts.append(_step(count, parent, depth, node, before, after))
        todo += [(each, after, count, depth) for each in node.variations[:1]]
        if node.is_main_variation():
            for sibling in reversed(node.parent.variations[1:]):
                todo += [")", (sibling, before, parent, depth + 1), "("]
        count += 1
    return Story(parts)


def _step(
    index: int,
    parent: int | None,
    depth: int,
    node: chess.pgn.GameNode,
    before: chess.Board | None,
    after: chess.Board,
) -> Step:
    move = node.move
    return Step(
        index=index,
        parent=parent,
        depth=depth,
        ply=after.ply(),
        fen=after.fen(),
        move=move,
        number=f"{before.fullmove_number}{'.' if before.turn else '…'}" if before else "",
        san=before.san(move) if before and move is not None else "",
        squares=tuple(map(chess.square_name, moved_squares(before, move))) if before and move else (),
        check=_check(after),
        score=score_of(node, after),
        clock=_seconds(node.clock),
        elapsed=_seconds(node.emt),
        nags=tuple(sorted(node.nags)),
        opening=text_of(node.starting_comment),
        comment=text_of(node.comment),
        drawings=tuple(
            (chess.square_name(arrow.tail), chess.square_name(arrow.head), arrow.color)
            for arrow in node.arrows()
        ),
    )


def text_of(comment: str) -> str:
    """A comment without its commands such as `[%clk 0:10:00]`, in one line."""
    return _SPACES.sub(" ", _COMMANDS.sub(" ", comment)).strip()


def has_scores(game: chess.pgn.Game) -> bool:
    """Whether at least every other move has one: moves of the opening and the last move may lack it.

    In a game that Lolli has annotated, those before the first that has one were skipped, and do not count.
    """
    turn = game.turn()
    scores = [told_score(node.comment, turn) is not None for node in game.mainline()]
    if is_analysed(game.headers) and any(scores):
        scores = scores[scores.index(True) :]
    return 2 * sum(scores) >= len(scores) > 0


def _seconds(told: Callable[[], float | None]) -> float | None:
    try:
        return told()
    except (ValueError, OverflowError):  # too many digits
        return None


def _check(board: chess.Board) -> str | None:
    king = board.king(board.turn)
    return chess.square_name(king) if king is not None and board.is_check() else None


def signs(nags: Iterable[int]) -> tuple[str, str]:
    """The signs of NAGs, for the move and for the position after it. Unknown ones as `$255`."""
    known = sorted(nags)
    of_move = "".join(_SIGNS[nag] for nag in known if nag in _JUDGEMENTS)
    return of_move, " ".join(_SIGNS.get(nag, f"${nag}") for nag in known if nag not in _JUDGEMENTS)


@dataclass(frozen=True, slots=True)
class VariationPiece:
    """A piece of a variation: a move, with a number if needed, a comment `text`, or a bracket."""

    part: Literal["open", "close", "comment", "move"]
    step: Step | None = None
    number: str = ""
    text: str = ""


@dataclass(slots=True)
class MoveRow:
    """A row of the main line, with comments and variations. A missing move is in the row before or after."""

    number: int
    white: Step | None = None
    black: Step | None = None
    notes: list[str | list[VariationPiece]] = field(default_factory=list)


def rows_of(story: Story) -> list[MoveRow]:
    rows: list[MoveRow] = []
    parts = iter(story.parts)
    next(parts)  # the first position
    for each in parts:
        if isinstance(each, str):
            rows[-1].notes.append(list(_pieces(_variation(parts))))
            continue
        if each.by_white or not rows or rows[-1].black or rows[-1].notes:
            rows.append(MoveRow(int(each.number[:-1])))
        if each.by_white:
            rows[-1].white = each
        else:
            rows[-1].black = each
        rows[-1].notes += filter(None, (each.opening, each.comment))
    return rows


def _variation(parts: Iterator[Step | Bracket]) -> Iterator[Step | Bracket]:
    depth = 1
    for each in parts:
        if isinstance(each, str):
            depth += 1 if each == "(" else -1
            if depth == 0:
                return
        yield each


def _pieces(parts: Iterable[Step | Bracket]) -> Iterator[VariationPiece]:
    needs_number = True
    for each in parts:
        if isinstance(each, str):
            yield VariationPiece("open" if each == "(" else "close")
            needs_number = True
            continue
        if each.opening:
            yield VariationPiece("comment", text=each.opening)
        yield VariationPiece("move", each, each.number if each.by_white or needs_number else "")
        needs_number = bool(each.comment)
        if each.comment:
            yield VariationPiece("comment", text=each.comment)


_RESULTS = {"1-0": ("1", "0"), "0-1": ("0", "1"), "1/2-1/2": ("½", "½")}
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_CLOCK = re.compile(r"(\d{1,9})(?:\+(\d{1,9}))?")
_DATE = re.compile(r"(?!0000)(\d{4})(?:\.(\d\d)(?:\.(\d\d))?)?")
_UNKNOWN = frozenset(("", "?", "-"))
_LONGEST_LINE = 5  # plies of the better line


@dataclass(frozen=True, slots=True)
class PlayerHeading:
    name: str
    title: str
    elo: str
    points: str


@dataclass(frozen=True, slots=True)
class Heading:
    """Empty where not known. `iso_date` is for machines; `variant` is `Chess960` or empty."""

    white: PlayerHeading
    black: PlayerHeading
    result: str
    event: str
    date: str
    iso_date: str
    opening: str
    time_control: str
    variant: str
    analysis: str

    @property
    def title(self) -> str:
        return f"{self.white.name} {DASH} {self.black.name}" + (f", {self.result}" if self.result else "")


def heading_of(headers: Mapping[str, str]) -> Heading:
    known = {name: text for name, value in headers.items() if (text := header_text(value)) not in _UNKNOWN}
    points = _RESULTS.get(known.get("Result", ""), ("", ""))
    event = [known.get("Event", ""), known.get("Site", "")]
    if round_ := known.get("Round", ""):
        event.append(f"round {round_}")
    opening = ": ".join(known[name] for name in ("Opening", "Variation") if name in known)
    dates = (_date(known.get(name, "")) for name in ("UTCDate", "Date"))
    date, iso_date = next(filter(any, dates), ("", ""))
    return Heading(
        white=_player(known, "White", points[0]),
        black=_player(known, "Black", points[1]),
        result=DASH.join(points) if points[0] else "",
        event=", ".join(text for text in event if text),
        date=date,
        iso_date=iso_date,
        opening=" ".join(filter(None, (known.get("ECO"), opening))),
        time_control=_time_control(known.get("TimeControl", "")),
        variant="Chess960" if chess.pgn.Headers({"Variant": known.get("Variant", "")}).is_chess960() else "",
        analysis=known.get("Analysis", ""),
    )


def _player(known: Mapping[str, str], color: str, points: str) -> PlayerHeading:
    name, title, elo = (known.get(f"{color}{each}", "") for each in ("", "Title", "Elo"))
    return PlayerHeading(name or color, title, elo, points)


def _date(text: str) -> tuple[str, str]:
    """`1999.01.20` as `20 January 1999` and `1999-01-20`; unknown parts are left out."""
    match = _DATE.match(text)
    if match is None:
        return "", ""
    year, month, day = match.groups()
    if month is None or not 1 <= int(month) <= len(_MONTHS):
        return year, year
    name = _MONTHS[int(month) - 1]
    last = monthrange(int(year), int(month))[1]
    if day is None or not 1 <= int(day) <= last:
        return f"{name} {year}", f"{year}-{month}"
    return f"{int(day)} {name} {year}", f"{year}-{month}-{day}"


def _time_control(text: str) -> str:
    """`300+3` as `5 min + 3 s`; other text unchanged."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        return text
    base, increment = int(match[1]), int(match[2] or 0)
    shown = f"{base // 60} min" if base % 60 == 0 else f"{base} s"
    return f"{shown} + {increment} s" if increment else shown


@dataclass(frozen=True, slots=True)
class Moment:
    """`better` is at most five plies of the better line in the file; `goes_on` if the file has more."""

    before: Step
    played: Step
    mark: Mark
    better: tuple[Step, ...]
    goes_on: bool


@dataclass(frozen=True, slots=True)
class PlayerPerformance:
    measures: PlayerSummary
    marks: dict[Mark, int]


class JudgedGame:
    """A game with its scores, measures and marks.

    Measures in Lolli's headers are used: they include the first position, whose score the file lacks. Marks
    are the file's, if it has any or Lolli annotated it. Otherwise they follow from the scores; with
    `opening`, none for moves of a named opening.
    """

    def __init__(self, game: chess.pgn.Game, *, opening: bool = True) -> None:
        name, plies = opening_line(game.end().board())
        headers = {**game.headers, **opening_headers(game.headers, name)}
        self.game = game
        self.heading: Heading = heading_of(headers)
        family = header_text(headers.get("Opening", "")).partition(": ")[0]
        self.opening_family: str = "" if family in _UNKNOWN else family
        """The name of the opening without its variation; empty if not known."""
        self.result: str = headers.get("Result", "*")
        self.time_control: str = headers.get("TimeControl", "")
        self.story: Story = story_of(game)
        self.chess960: bool = game.board().chess960
        self._first = game.turn()
        self._header_measures = {color: header_measures(game.headers, color) for color in chess.COLORS}
        self._scores = [step.score for step in self.story.main_line]
        moves = self.story.main_line[1:]
        self.assessments: Sequence[MoveAssessment | None] = assess(self._first, self._scores)
        """One for each move of the main line; None if it was not evaluated."""
        ends = [ply for ply, step in enumerate(moves, 1) if LAST_IN_BOOK in step.comment]
        self.book: int = ends[0] if ends else plies
        """How many of the first moves are in the book, or else in the named opening."""
        self.phases: Sequence[Phase] = phases_of(self.story.main_line)
        """That of each position of the main line."""
        self.times: Sequence[tuple[float | None, float | None]] = times_of(
            self.story.main_line, self.time_control
        )
        """The seconds that each move of the main line took, and those left before it; None if not known."""
        unmarked = plies if opening else 0
        self.is_marked: bool = bool(self.heading.analysis) or any(Mark.among(step.nags) for step in moves)
        """Whether the marks are those of the file."""
        self._marks = {
            step.index: Mark.among(step.nags)
            if self.is_marked
            else (assessment.mark if assessment and ply >= unmarked else None)
            for ply, (step, assessment) in enumerate(zip(moves, self.assessments, strict=True))
        }

    @property
    def judged(self) -> bool:
        """Whether there is a graph to draw: at least two positions have scores."""
        return sum(score is not None for score in self._scores) > 1

    def player(self, color: chess.Color) -> PlayerPerformance | None:
        measures = summary(self._first, self._scores, color)
        if measures is None:
            return None
        written = self._header_measures.get(color, {})
        mine = [self._marks[step.index] for step in self.story.main_line[1:] if step.by_white == color]
        return PlayerPerformance(replace(measures, **written), {mark: mine.count(mark) for mark in Mark})

    def mark(self, step: Step) -> Mark | None:
        return self._marks.get(step.index)

    def sign(self, step: Step) -> str:
        """A move's sign, such as `?!`: that in the file, otherwise that of its mark."""
        of_move, _ = signs(step.nags)
        mark = self._marks.get(step.index)
        return of_move or (mark.symbol if mark else "")

    def course(self) -> Course:
        line = self.story.main_line
        return Course(
            [step.ply for step in line],
            [None if score is None else winning_chances(score) for score in self._scores],
            [self._marks.get(step.index) for step in line],
            [(step.ply, phase.value) for phase, step in self.phase_starts()],
            line[self.book].ply if self.book else None,
        )

    def phase_starts(self) -> list[tuple[Phase, Step]]:
        """Each phase that the game has, with its first position."""
        line = self.story.main_line
        return [(phase, line[self.phases.index(phase)]) for phase in Phase if phase in self.phases]

    def moments(self, most: int = MOST_MOMENTS) -> list[Moment]:
        """The `most` marked moves that lost the most winning chances, in the order of the game."""
        line = self.story.main_line
        losses = [
            each if self._marks[step.index] else None
            for step, each in zip(line[1:], self.assessments, strict=True)
        ]
        return [
            self._moment(line[move], line[move + 1], mark)
            for move in critical_moves(losses, most)
            if (mark := self._marks[line[move + 1].index])
        ]

    def _moment(self, before: Step, played: Step, mark: Mark) -> Moment:
        rivals = [step for step in self.story.alternatives(played) if step.move]  # a null move is no advice
        # Of several variations the one with a score on its first move is the engine's.
        rivals.sort(key=lambda step: step.score is None)
        line = list(self.story.line(rivals[0])) if rivals else []
        return Moment(before, played, mark, tuple(line[:_LONGEST_LINE]), len(line) > _LONGEST_LINE)


_MIDDLE_GAME, _ENDGAME = 10, 6  # queens, rooks, bishops and knights of both sides, at most
_SPARSE = 4  # fewer men on their own first rank: the opening is over
_HURRY = 30  # seconds left
_POINTS = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
_UNKNOWN_OPENING = "Unknown opening"


class Phase(Enum):
    """A phase of a game, as Lichess divides it but for the mixing of pawns and pieces of both sides."""

    OPENING = "Opening"
    MIDDLE_GAME = "Middle game"
    ENDGAME = "Endgame"


@dataclass(frozen=True, slots=True)
class PlayerMove:
    """A move of the player. `seconds` were spent on it, of the `left` before it; None where not known."""

    phase: Phase
    assessment: MoveAssessment | None
    mark: Mark | None
    seconds: float | None
    left: float | None


@dataclass(slots=True)
class PlayerGame:
    """`points` is None if the game has no result; the measures are those on its page."""

    color: chess.Color
    opening: str
    points: float | None
    moves: list[PlayerMove]
    measures: PlayerSummary | None

    def part(self, belongs: Callable[[PlayerMove], bool]) -> PlayerGame:
        moves = [move for move in self.moves if belongs(move)]
        return replace(self, moves=moves, measures=measured(move.assessment for move in moves))

    def in_phase(self, phase: Phase) -> PlayerGame:
        return self.part(lambda move: move.phase is phase)


@dataclass(slots=True)
class Row:
    label: str
    games: list[PlayerGame]

    @property
    def moves(self) -> list[PlayerMove]:
        return [move for game in self.games for move in game.moves]

    @property
    def measures(self) -> PlayerSummary | None:
        return over_games(game.measures for game in self.games)

    @property
    def score(self) -> str:
        """`7½ of 12`; empty if no game has a result."""
        points = [game.points for game in self.games if game.points is not None]
        if not points:
            return ""
        whole, half = divmod(sum(points), 1)
        number = f"{int(whole)}" if whole or not half else ""
        return f"{number}{'½' if half else ''} of {len(points)}"

    @property
    def seconds(self) -> float | None:
        known = [move.seconds for move in self.moves if move.seconds is not None]
        return fmean(known) if known else None

    def marked(self, mark: Mark) -> int:
        return sum(move.mark is mark for move in self.moves)


class PlayerStatistics:
    def __init__(self, name: str) -> None:
        self.name = name
        self.games: list[PlayerGame] = []

    def add(self, game: JudgedGame) -> None:
        self.games += [_record(game, color) for color in self.colors(game)]

    def colors(self, game: JudgedGame) -> list[chess.Color]:
        return sides_of(self.name, game.game.headers)

    def overall(self) -> list[Row]:
        rows = [("All games", chess.COLORS), ("White", (chess.WHITE,)), ("Black", (chess.BLACK,))]
        return [Row(label, [game for game in self.games if game.color in colors]) for label, colors in rows]

    def phases(self) -> list[Row]:
        games = self.games
        rows = [Row(phase.value, [game.in_phase(phase) for game in games]) for phase in Phase]
        hurried = [game.part(lambda move: move.left is not None and move.left < _HURRY) for game in games]
        if any(game.moves for game in hurried):
            rows.append(Row(f"Under {_HURRY} s left", hurried))
        return rows

    def openings(self, color: chess.Color) -> list[Row]:
        found: dict[str, list[PlayerGame]] = defaultdict(list)
        for game in self.games:
            if game.color == color:
                found[game.opening].append(game)
        return [Row(name, found[name]) for name in sorted(found, key=lambda name: (-len(found[name]), name))]


def _record(game: JudgedGame, color: chess.Color) -> PlayerGame:
    points = _POINTS.get(game.result)
    if points is not None and color == chess.BLACK:
        points = 1 - points
    opening = game.opening_family or game.heading.variant or _UNKNOWN_OPENING
    performance = game.player(color)
    measures = performance.measures if performance else None
    return PlayerGame(color, opening, points, _moves(game, color), measures)


def _moves(game: JudgedGame, color: chess.Color) -> list[PlayerMove]:
    judged = zip(game.story.main_line[1:], game.phases, game.assessments, game.times, strict=False)
    return [
        PlayerMove(phase, assessment, game.mark(step), *times)
        for step, phase, assessment, times in judged
        if step.by_white == color
    ]


def times_of(steps: Sequence[Step], time_control: str) -> list[tuple[float | None, float | None]]:
    """See `JudgedGame.times`. On Lichess the clock does not run until both have moved, and adds nothing."""
    base, increment = _clock_settings(time_control)
    left: dict[chess.Color, float | None] = {chess.WHITE: base, chess.BLACK: base}
    times = []
    for number, step in enumerate(steps[1:]):
        before, spent = left[step.by_white], step.elapsed
        is_untimed = number < 2 and step.clock == base
        if spent is None and before is not None and step.clock is not None and not is_untimed:
            spent = max(0.0, before + increment - step.clock)
        times.append((spent, before))
        left[step.by_white] = step.clock
    return times


def phases_of(steps: Sequence[Step]) -> list[Phase]:
    """The phase of each position. A game goes from one phase to the next, never back."""
    phases = list(Phase)
    reached = 0
    found = []
    for step in steps:
        reached = max(reached, phases.index(_phase(chess.BaseBoard(step.fen.split(maxsplit=1)[0]))))
        found.append(phases[reached])
    return found


def _phase(board: chess.BaseBoard) -> Phase:
    pieces = (board.occupied & ~board.pawns & ~board.kings).bit_count()
    if pieces <= _ENDGAME:
        return Phase.ENDGAME
    ranks = (
        chess.BB_RANK_1 & board.occupied_co[chess.WHITE],
        chess.BB_RANK_8 & board.occupied_co[chess.BLACK],
    )
    if pieces <= _MIDDLE_GAME or any(rank.bit_count() < _SPARSE for rank in ranks):
        return Phase.MIDDLE_GAME
    return Phase.OPENING


def _clock_settings(text: str) -> tuple[float | None, float]:
    """The seconds to begin with and those added for each move, from `300+3`; None and 0 for anything else."""
    match = _CLOCK.fullmatch(text)
    return (float(match[1]), float(match[2] or 0)) if match else (None, 0.0)
