"""Puzzles: positions of games in which one move alone is right.

Each position gets a quick look, then a long one where one move seems to be right: the best line reaches a
goal, and the second best is far from it, both by the WDL model of the evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import chess
from chess.engine import InfoDict, Limit, Score, Wdl

from lolli._assessment import after_first
from lolli._engine import Engine, Value
from lolli._motifs import VALUES, board_after
from lolli._positions import is_recapture, skipped_plies
from protocol.text import folded

if TYPE_CHECKING:
    import chess.pgn

__all__ = ["Puzzle", "puzzles"]

LINES = 2
"""What a search has to find: the best line, and the one that it is compared with."""
CHECK_NODES, SCAN_NODES, SKIPPED_MOVES = 400_000, 20_000, 5
"""Defaults: nodes for a candidate and for a first look; the first moves of each side that are left out."""
_LONGER = 4  # times as many nodes to confirm a puzzle
_LONGEST = 6  # moves of the solver
_FEWEST = 2  # legal moves, so that there is something to choose

Analyse = Callable[[chess.Board, int, object], Sequence[InfoDict]]
"""The `LINES` best lines of a board, by a search of so many nodes that knows only of the same game."""


class Goal(Enum):
    WIN = "win"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which the side to move reaches `goal` with the moves of `line` alone.

    `goal.value` is `win` or `draw`. `line` has the solver's moves and the best replies, and ends with the
    solver; `scores` are White's, after each of the solver's moves. `played` in the game and the move `last`
    before are None if not known. `source` is as `game 3, move 24`; `headers` are those of the game.
    """

    board: chess.Board
    goal: Goal
    line: tuple[chess.Move, ...]
    scores: tuple[Score, ...]
    played: chess.Move | None
    last: chess.Move | None
    source: str
    headers: Mapping[str, str]

    @property
    def found(self) -> bool:
        """Whether the right move was played."""
        return self.played == self.line[0]

    @property
    def task(self) -> str:
        """As `White to move and win.`"""
        return f"{'White' if self.board.turn else 'Black'} to move and {self.goal.value}."


@dataclass(frozen=True, slots=True)
class Margin:
    """The right move reaches its goal in at least `most` of a thousand games, others in at most `least`.

    With a draw as the goal its score is at most `level` centipawns from 0.
    """

    least: int
    most: int
    level: int


CANDIDATE = Margin(450, 650, 100)
"""Enough for a position to be looked at again with more nodes."""
CERTAIN = Margin(300, 850, 30)


def only_move(lines: Sequence[InfoDict], margin: Margin = CERTAIN) -> Goal | None:
    """The goal that only the first line reaches. One line alone, or one without a move, proves nothing."""
    first, *others = lines
    if not first.get("pv"):
        return None
    if others and (not others[0].get("pv") or others[0]["pv"][0] == first["pv"][0]):
        return None  # the search ended before it had the second line of this depth
    best = _chances(first)
    second = _chances(others[0]) if others else None
    for goal in Goal:
        if reached(goal, best) >= margin.most:
            if goal is Goal.DRAW and not _is_level(first["score"].relative, margin):
                return None  # better than a draw, if not a win
            return goal if second is None or reached(goal, second) <= margin.least else None
    return None


def _is_level(score: Score, margin: Margin) -> bool:
    value = score.score()
    return value is not None and abs(value) <= margin.level


def reached(goal: Goal, chances: Wdl) -> int:
    """In how many of a thousand games a side reaches the goal; a win also counts as a draw."""
    return chances.wins if goal is Goal.WIN else chances.wins + chances.draws


def _chances(line: InfoDict) -> Wdl:
    """Those of the side to move; Stockfish's where the evaluator has no model."""
    return (line.get("wdl") or line["score"].wdl(model="sf")).relative


def takes_for_free(board: chess.Board, move: chess.Move) -> bool:
    """Whether the move takes a man that is worth more than its own, or that cannot be taken back."""
    if not board.is_capture(move):
        return False
    squares = (move.from_square, move.to_square)
    taker, taken = (board.piece_type_at(square) or chess.PAWN for square in squares)
    after = board_after(board, move)
    takes_back = any(after.generate_legal_captures(to_mask=chess.BB_SQUARES[move.to_square]))
    return not takes_back or VALUES[taken] > VALUES[taker]


def puzzles_of(
    game: chess.pgn.Game,
    analyse: Analyse,
    *,
    nodes: int = CHECK_NODES,
    scan_nodes: int = SCAN_NODES,
    colors: Collection[chess.Color] = chess.COLORS,
    skip: int = SKIPPED_MOVES,
    missed: bool = False,
    source: str = "",
) -> tuple[list[Puzzle], int]:
    """The puzzles of one game, and how many positions were looked at; `colors` are those of the solvers.

    `skip` moves of each side are left out, unless the game is from a position; with `missed` all positions
    in which the right move was played. Raises what `analyse` raises.
    """
    puzzles: list[Puzzle] = []
    solved: set[str] = set()
    looked_at = 0
    known: object = object()
    headers = dict(game.headers)
    for board, played in _positions(game, colors, skipped_plies(game, skip)):
        looked_at += 1
        lines = analyse(board, scan_nodes, known)
        if only_move(lines, CANDIDATE) is None or board.epd() in solved:
            continue
        best = lines[0]["pv"][0]
        if is_recapture(board, best) or (missed and best == played):
            continue
        known = object()
        # The moves before do not count as repetitions, since they are not part of the puzzle.
        start = board.copy(stack=False)
        if (found := _solution(start, analyse, nodes, known)) is None:
            continue
        goal, line, scores = found
        if is_recapture(board, line[0]) or (missed and line[0] == played):
            continue
        if goal is Goal.DRAW and takes_for_free(board, line[0]):
            continue
        lines = analyse(start, _LONGER * nodes, known)
        if only_move(lines, CERTAIN) is not goal or lines[0]["pv"][0] != line[0]:
            continue
        replay = start.copy()
        for number, each in enumerate(line):
            if number % 2 == 0:
                solved.add(replay.epd())
            replay.push(each)
        last = board.peek() if board.move_stack else None
        where = ", ".join(filter(None, (source, f"move {board.fullmove_number}")))
        told = (after_first(lines[0]["score"].white(), start.turn), *scores[1:])
        puzzles.append(Puzzle(start, goal, tuple(line), told, played, last, where, headers))
    return puzzles, looked_at


def _positions(
    game: chess.pgn.Game, colors: Collection[chess.Color], skipped: int
) -> Iterator[tuple[chess.Board, chess.Move]]:
    board = game.board()
    for node in game.mainline():
        is_late = len(board.move_stack) >= skipped
        is_wanted = board.turn in colors and is_late and bool(node.move)
        if is_wanted and board.is_valid() and board.legal_moves.count() >= _FEWEST:
            yield board, node.move
        board.push(node.move)


def _solution(
    start: chess.Board, analyse: Analyse, nodes: int, known: object
) -> tuple[Goal, list[chess.Move], list[Score]] | None:
    """The line of only moves from `start`, and the scores after the solver's; None if the first is none."""
    board = start.copy()
    aim: Goal | None = None
    line: list[chess.Move] = []
    scores: list[Score] = []
    chosen = 0  # the moves up to the solver's last one that was not forced
    while len(scores) < _LONGEST:
        lines = analyse(board, nodes, known)
        goal = only_move(lines, CERTAIN)
        if goal is None or (aim is not None and goal is not aim):
            break
        aim = goal
        move, *rest = lines[0]["pv"]
        line.append(move)
        scores.append(after_first(lines[0]["score"].white(), start.turn))
        if len(lines) > 1:
            chosen = len(line)
        board.push(move)
        if board.is_game_over() or not rest:
            break
        line.append(rest[0])
        board.push(rest[0])
        if board.is_game_over():
            break
    if aim is None or not chosen:
        return None  # also where the search ended before it had a second line to compare with
    return aim, line[:chosen], scores[: (chosen + 1) // 2]


def puzzles(
    games: Iterable[chess.pgn.Game],
    *,
    player: str | None = None,
    missed: bool = False,
    skip: int = SKIPPED_MOVES,
    nodes: int = CHECK_NODES,
    scan_nodes: int = SCAN_NODES,
    **options: Value,
) -> Iterator[Puzzle]:
    """The puzzles of games, each position once: what the command `lolli puzzles` finds, as it is found.

    `player`: only positions in which this player, by the whole name in any case, was to move. `missed`: only
    those in which another move was played. `skip`: leave out the first moves of each side, unless the game is
    from a position. Each position is searched for `scan_nodes`, and what seems to be a puzzle for `nodes`.
    `options` are those of an `Engine`. Raises PositionError, OptionError.
    """
    wanted = None if player is None else folded(player)
    seen: set[str] = set()
    with Engine(**{"hash": 16, **options, "uci_showwdl": True}) as engine:

        def analyse(board: chess.Board, nodes: int, known: object) -> Sequence[InfoDict]:
            return engine.analyse(board, Limit(nodes=nodes), multipv=LINES, game=known)

        for number, game in enumerate(games, 1):
            names = {chess.WHITE: game.headers.get("White", ""), chess.BLACK: game.headers.get("Black", "")}
            colors = [color for color, name in names.items() if wanted in {None, folded(name)}]
            found, _ = puzzles_of(
                game,
                analyse,
                nodes=nodes,
                scan_nodes=scan_nodes,
                colors=colors,
                skip=skip,
                missed=missed,
                source=f"game {number}",
            )
            for puzzle in found:
                if puzzle.board.epd() not in seen:
                    seen.add(puzzle.board.epd())
                    yield puzzle
