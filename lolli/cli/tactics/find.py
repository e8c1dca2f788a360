"""The puzzles of a game: a quick look at each position, then a long one where one move seems to be right.

One move alone is right if the best line reaches a goal, and the second best is far from it, both by the WDL
model of the evaluator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import chess
import chess.pgn
from chess.engine import Score, Wdl

from engine.lookup.openings import opening_of
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import opening_headers
from lolli._findings import Finding
from lolli._positions import is_recapture, skipped_plies
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import ReadGame, header_text
from lolli.cli.runs import Job, Result
from lolli.cli.tactics import Goal, Puzzle

LINES = 2
"""What the analyst has to find in each position: the best line, and the one that it is compared with."""
_LONGER = 4  # times as many nodes to confirm a puzzle
_LONGEST = 6  # moves of the solver
_SIDES = {chess.WHITE: "White", chess.BLACK: "Black"}
_FEWEST = 2  # legal moves, so that there is something to choose


@dataclass(frozen=True, slots=True)
class Margin:
    """The right move reaches its goal in at least `most` of a thousand games, others in at most `least`."""

    least: int
    most: int


CANDIDATE = Margin(450, 650)
"""Enough for a position to be looked at again with more nodes."""
CERTAIN = Margin(300, 850)


def only_move(findings: Sequence[Finding], margin: Margin = CERTAIN) -> Goal | None:
    """The goal that only the first line reaches. One line alone, or one without a move, proves nothing."""
    first, *others = findings
    if not first.moves:
        return None
    if others and (not others[0].moves or others[0].moves[0] == first.moves[0]):
        return None  # the search ended before it had the second line of this depth
    best = _chances(first)
    second = _chances(others[0]) if others else None
    for goal in Goal:
        if reached(goal, best) >= margin.most:
            return goal if second is None or reached(goal, second) <= margin.least else None
    return None


def reached(goal: Goal, chances: Wdl) -> int:
    """In how many of a thousand games a side reaches the goal; a win also counts as a draw."""
    return chances.wins if goal is Goal.WIN else chances.wins + chances.draws


def _chances(finding: Finding) -> Wdl:
    """Those of the side to move; Stockfish's where the evaluator has no model."""
    chances = finding.chances or finding.score.wdl(model="sf")
    return chances.relative


@dataclass(frozen=True, slots=True)
class PuzzleOptions:
    """`scan_nodes` for each position; `player` is case-folded, None for both; `skip` moves of each side.

    With `missed` only positions count in which another move was played.
    """

    scan_nodes: int = 20_000
    player: str | None = None
    skip: int = 5
    missed: bool = False


def puzzles_of(
    game: chess.pgn.Game, analyst: Analyst, limits: Limits, options: PuzzleOptions, source: str
) -> tuple[list[Puzzle], int]:
    """With the number of positions looked at. `analyst` must find two lines. Raises FenError."""
    analyst.new_game()
    puzzles: list[Puzzle] = []
    solved: set[str] = set()
    looked_at = 0
    headers = {**game.headers, **opening_headers(game.headers, opening_of(game.end().board()))}
    for board, move in _positions(game, options):
        looked_at += 1
        findings = analyst.findings(board, Limits(nodes=options.scan_nodes))
        if only_move(findings, CANDIDATE) is None or board.epd() in solved:
            continue
        best = findings[0].moves[0]
        if is_recapture(board, best) or (options.missed and best == move):
            continue
        found = _solution(board, analyst, limits)
        if found is None or (options.missed and found[1][0] == move):
            continue
        goal, line, scores = found
        longer = replace(limits, nodes=limits.nodes and _LONGER * limits.nodes)
        findings = analyst.findings(board.copy(stack=False), longer)
        if only_move(findings, CERTAIN) is not goal or findings[0].moves[0] != line[0]:
            continue
        replay = board.copy(stack=False)
        for number, each in enumerate(line):
            if number % 2 == 0:
                solved.add(replay.epd())
            replay.push(each)
        last = board.peek() if board.move_stack else None
        where = f"{source}, move {board.fullmove_number}"
        start = board.copy(stack=False)
        puzzles.append(
            Puzzle(
                board=start,
                goal=goal,
                line=tuple(line),
                scores=tuple(scores),
                played=move,
                last=last,
                source=where,
                headers=headers,
            )
        )
    return puzzles, looked_at


def _positions(game: chess.pgn.Game, options: PuzzleOptions) -> Iterator[tuple[chess.Board, chess.Move]]:
    board = game.board()
    names = {color: header_text(game.headers.get(name, "")).casefold() for color, name in _SIDES.items()}
    skipped = skipped_plies(game, options.skip)
    for node in game.mainline():
        wanted = options.player in {None, names[board.turn]}
        late = len(board.move_stack) >= skipped
        if wanted and late and node.move and board.is_valid() and board.legal_moves.count() >= _FEWEST:
            yield board, node.move
        board.push(node.move)


def _solution(
    start: chess.Board, analyst: Analyst, limits: Limits
) -> tuple[Goal, list[chess.Move], list[Score]] | None:
    """The line of only moves from `start`, and the scores after the solver's; None if the first is not one.

    The moves before do not count as repetitions, since they are not part of the puzzle.
    """
    analyst.new_game()
    board = start.copy(stack=False)
    aim: Goal | None = None
    line: list[chess.Move] = []
    scores: list[Score] = []
    chosen = 0  # the moves up to the solver's last one that was not forced
    while len(scores) < _LONGEST:
        findings = analyst.findings(board, limits)
        goal = only_move(findings, CERTAIN)
        if goal is None or (aim is not None and goal is not aim):
            break
        aim = goal
        move, *rest = findings[0].moves
        if not line and is_recapture(start, move):
            return None
        line.append(move)
        scores.append(findings[0].white)
        if len(findings) > 1:
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


def found_puzzles(read: ReadGame, analyst: Analyst, job: Job, raw: RawGame) -> Result:
    """The work of `do_game`: the number of positions; of each puzzle PGN, EPD, and whether it was missed."""
    puzzles, positions = puzzles_of(read.game, analyst, job.limits, job.options, f"game {raw.number}")
    told = [(each.pgn(), each.board.epd(), not each.found) for each in puzzles]
    return Result(facts={"positions": positions, "puzzles": told})
