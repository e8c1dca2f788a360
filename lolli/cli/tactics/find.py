"""Exercises in games: puzzles, or marked mistakes with all moves that were good enough; runs over files."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import chess
import chess.pgn
from chess.engine import InfoDict, Score

from engine.lookup.openings import opening_of
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import annotate_game, counting_limits, opening_headers
from lolli._assessment import JUDGING_NODES, Mark, after_first, mated_score, winning_chances
from lolli._findings import AnalystSettings
from lolli._motifs import board_after
from lolli._positions import skipped_plies
from lolli._puzzles import CHECK_NODES, SCAN_NODES, SKIPPED_MOVES, Analyse, puzzles_of
from lolli._reasons import Known, Reason, why_bad
from lolli.cli import given_file
from lolli.cli.given_file import bad_input
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import PlayerNameError, ReadGame, player_in, sides_of
from lolli.cli.reports.story import JudgedGame, has_scores
from lolli.cli.runs import (
    GOES_ON,
    GrowingFile,
    Job,
    Result,
    do_game,
    games_in,
    job_of,
    over_games,
    results_in,
    shown,
)
from lolli.cli.tactics import Exercise, Mistake, exercises_from, pgn_of
from lolli.cli.terminal.screen import FileDisplay, counted
from lolli.cli.workers import LocalWorkers
from protocol.text import folded

SOME_UNREADABLE = 1
"""The exit status if a game could not be read."""
_GAMES_PER_WORKER = 4  # under way, or waiting for a slower one before them
MARGIN = Mark.INACCURACY.least
"""What a right move may lose in winning chances, -1 … 1, beside the best: 5 points in a hundred."""
_WORTH_A_CHECK = 3 * MARGIN  # what a move may lose by the first look
_NEAR = (MARGIN / 2, 2 * MARGIN)  # what it loses where it is searched for longer
_LONGER = 4  # times as many nodes then
_SHOWN, _OTHERS = 10, 2  # plies after the first move: of the best line and of a mistake, and of other lines


@dataclass(frozen=True, slots=True)
class ExerciseOptions:
    """`scan_nodes` for a first look; `player` is `folded`, None for both; `skip` moves of each side.

    With `missed` only puzzles count in which another move was played; with `mistakes` these are looked for.
    """

    scan_nodes: int = SCAN_NODES
    player: str | None = None
    skip: int = SKIPPED_MOVES
    missed: bool = False
    mistakes: bool = False

    def colors(self, game: chess.pgn.Game) -> list[chess.Color]:
        return [*chess.COLORS] if self.player is None else sides_of(self.player, game.headers)


def analysed_by(analyst: Analyst) -> Analyse:
    """The search of puzzles by an analyst, which must find two lines."""
    same: object = None

    def analyse(board: chess.Board, nodes: int, game: object) -> Sequence[InfoDict]:
        nonlocal same
        if game is not same:
            analyst.new_game()
            same = game
        return analyst.lines(board, Limits(nodes=nodes))

    return analyse


def found_puzzles(read: ReadGame, analyst: Analyst, job: Job, raw: RawGame) -> Result:
    """The work of `do_game`: the number of positions; of each puzzle PGN, EPD, and whether it was missed."""
    game, options = read.game, job.options
    game.headers.update(opening_headers(game.headers, opening_of(game.end().board())))
    puzzles, positions = puzzles_of(
        game,
        analysed_by(analyst),
        nodes=job.limits.nodes or CHECK_NODES,
        scan_nodes=options.scan_nodes,
        colors=options.colors(game),
        skip=options.skip,
        missed=options.missed,
        source=f"game {raw.number}",
    )
    told = [(pgn_of(each), each.board.epd(), not each.found) for each in puzzles]
    return Result(facts={"positions": positions, "puzzles": told})


def found_mistakes(read: ReadGame, analyst: Analyst, job: Job, raw: RawGame) -> Result:
    """The work of `do_game`, as `found_puzzles`; here the positions are those of marked mistakes."""
    game = read.game
    if not job.options.colors(game):
        return Result(facts={"positions": 0, "puzzles": []})
    if not has_scores(game):
        annotate_game(game, analyst, Limits(nodes=JUDGING_NODES))
    game.headers.update(opening_headers(game.headers, opening_of(game.end().board())))
    mistakes, marked = mistakes_of(game, analyst, job.limits, job.options, f"game {raw.number}")
    told = [(pgn_of(each), each.board.epd(), True) for each in mistakes]
    return Result(facts={"positions": marked, "puzzles": told})


def mistakes_of(
    game: chess.pgn.Game, analyst: Analyst, limits: Limits, options: ExerciseOptions, source: str
) -> tuple[list[Mistake], int]:
    """The mistakes of a game with marks or evaluations, and how many moves in it are marked `?` or `??`.

    A marked move that turns out to be good enough is left out. Raises FenError.
    """
    mistakes: list[Mistake] = []
    marked = 0
    judged = JudgedGame(game)
    colors, skipped = options.colors(game), skipped_plies(game, options.skip)
    board = game.board()
    for node, step in zip(game.mainline(), judged.story.main_line[1:], strict=True):
        mark = judged.mark(step)
        is_asked = board.turn in colors and len(board.move_stack) >= skipped
        is_wanted = is_asked and bool(node.move) and board.is_valid()
        if is_wanted and mark is not None and mark is not Mark.INACCURACY:
            marked += 1
            # The moves before do not count as repetitions, since they are not part of the exercise.
            start = board.copy(stack=False)
            good, (after, reply) = good_moves(start, node.move, analyst, limits, options.scan_nodes)
            if good:
                best, (score, line) = next(iter(good.items()))
                known = Known(after_first(score, start.turn, -1), (best, *line)), Known(after, reply)
                count = partial(analyst.material, limits=counting_limits(limits))
                reason = why_bad(start, node.move, *known, count) or Reason("")
                mistakes.append(
                    Mistake(
                        board=start,
                        played=node.move,
                        mark=mark,
                        after=after,
                        reply=reply[:_SHOWN],
                        lines=tuple(
                            (move, *line[: _OTHERS if number else _SHOWN])
                            for number, (move, (_, line)) in enumerate(good.items())
                        ),
                        scores=tuple(score for score, _ in good.values()),
                        last=board.peek() if board.move_stack else None,
                        source=f"{source}, move {board.fullmove_number}",
                        headers=dict(game.headers),
                        reason=step.comment or reason.paragraph,
                        motifs=tuple(sorted(reason.motifs)),
                    )
                )
        board.push(node.move)
    return mistakes, marked


Rated: TypeAlias = tuple[Score, tuple[chess.Move, ...]]
"""White's score after a move, and the line that follows it."""


def good_moves(
    board: chess.Board, played: chess.Move, analyst: Analyst, limits: Limits, scan_nodes: int
) -> tuple[dict[chess.Move, Rated], Rated]:
    """All moves that lose less than the MARGIN, best first, none if `played` is one; and `played`, rated.

    Every move is looked at by a search of its own for `scan_nodes`, again within `limits` where it may be
    good enough, and for longer, as the best is then, where its loss is near the MARGIN. Raises FenError.
    """
    analyst.new_game()
    quick = Limits(nodes=scan_nodes)
    first = {move: chances_after(board, rated(board, move, analyst, quick)) for move in board.legal_moves}
    worth = max(first.values()) - _WORTH_A_CHECK
    checked = {played, *analyst.best(board, limits).moves[:1]}
    found = {
        move: rated(board, move, analyst, limits)
        for move, chances in first.items()
        if chances > worth or move in checked
    }
    order = _ordered(board, found)
    best = chances_after(board, found[order[0]])
    near = [move for move in order if _NEAR[0] <= best - chances_after(board, found[move]) < _NEAR[1]]
    for move in (order[0], *near) if near else ():
        found[move] = rated(board, move, analyst, longer(limits))
    order = _ordered(board, found)
    best = chances_after(board, found[order[0]])
    good = {move: found[move] for move in order if best - chances_after(board, found[move]) < MARGIN}
    return ({} if played in good else good), found[played]


def _ordered(board: chess.Board, found: Mapping[chess.Move, Rated]) -> list[chess.Move]:
    return sorted(found, key=lambda move: -chances_after(board, found[move]))


def longer(limits: Limits) -> Limits:
    return replace(limits, nodes=limits.nodes and _LONGER * limits.nodes)


def rated(board: chess.Board, move: chess.Move, analyst: Analyst, limits: Limits) -> Rated:
    after = board_after(board, move)
    if after.is_checkmate():
        return mated_score(after), ()
    found = analyst.best(after, limits)
    return found.white, found.moves


def chances_after(board: chess.Board, rated: Rated) -> float:
    """Those of the side to move on the board, -1 … 1."""
    chances = winning_chances(rated[0])
    return chances if board.turn else -chances


def is_good_enough(mistake: Mistake, move: chess.Move, analyst: Analyst, limits: Limits) -> bool:
    """Whether the move loses less than the MARGIN beside the best, by a search of both."""
    analyst.new_game()
    board = mistake.board
    best, found = (
        chances_after(board, rated(board, each, analyst, longer(limits))) for each in (mistake.line[0], move)
    )
    return best - found < MARGIN


def find_exercises(
    source_name: str,
    target: str | None,
    settings: AnalystSettings,
    limits: Limits,
    options: ExerciseOptions,
    jobs: int,
    write_others: Callable[[list[Exercise]], None],
    *,
    force: bool,
    restart: bool,
) -> tuple[list[Exercise], int]:
    """Exercises, each position once, and the exit status; `write_others` gets them before the end."""
    with (
        games_in(source_name) as given,
        given_file.rewindable(source_name, given.file) if options.player else nullcontext(given.file) as file,
    ):
        source = replace(given, file=file)
        if options.player is not None:
            with bad_input(PlayerNameError, prefix=f"{source_name}: "):
                options = replace(options, player=folded(player_in(file, options.player)))
            file.seek(0)
        job = job_of(settings, limits, options)
        run = {"command": "puzzles", **job.identity()}
        kind = "mistakes" if options.mistakes else "puzzles"
        with results_in(target, f"-{kind}.pgn", source, run, force=force, restart=restart) as output:
            totals = output.totals
            texts = list(output.pieces()) if isinstance(output, GrowingFile) else []
            known = {exercise.board.epd() for exercise in exercises_from(b"".join(texts))}
            display = FileDisplay(source.size, totals["bytes"], totals["games"])

            def take(raw: RawGame, result: Result) -> None:
                counts = {"games": 1, "unreadable": 1} if result.error is not None else {}
                data = b""
                if result.error is not None:
                    place = f"game {raw.number}, line {raw.line + result.line}"
                    display.print(f"{place}: {result.error}; left out")
                elif (facts := result.facts) is not None:
                    new = [each for each in facts["puzzles"] if each[1] not in known]
                    known.update(position for _, position, _ in new)
                    data = "".join(pgn for pgn, _, _ in new).encode()
                    texts.append(data)
                    missed = sum(missed for *_, missed in new)
                    counts = {
                        "games": 1,
                        "positions": facts["positions"],
                        "puzzles": len(new),
                        "missed": missed,
                    }
                output.write(raw, data, **counts)
                found = f", {counted(totals['puzzles'], kind.removesuffix('s'))}"
                display.reached(totals["bytes"], totals["games"], found)

            with LocalWorkers(jobs) as workers, display.shown():
                games = source.games_after(totals)
                work = partial(do_game, found_mistakes if options.mistakes else found_puzzles, job)
                window = _GAMES_PER_WORKER * jobs
                status = over_games(games, work, workers, lambda: window, take, source.stop)
            if status:
                again = GOES_ON if output.resumable else ""
                display.print(f"Stopped after {counted(totals['games'], 'game')}{again}.")
                return [], status
            display.print(_summary(totals, display, mistakes=options.mistakes))
            exercises = exercises_from(b"".join(texts))
            write_others(exercises)
            output.finish()
            if output.path is not None:
                display.print(f"wrote {shown(output.path)}")
            return exercises, SOME_UNREADABLE if totals["unreadable"] else 0


def _summary(totals: Counter[str], display: FileDisplay, *, mistakes: bool) -> str:
    """The totals include earlier parts of the run; time and rate do not."""
    games = counted(totals["games"], "game")
    if mistakes:
        found = [f"{games}, {totals['positions']:,} ? and ??", counted(totals["puzzles"], "exercise")]
    else:
        puzzles = f"{counted(totals['puzzles'], 'puzzle')}, {totals['missed']:,} of them missed"
        found = [f"{games}, {totals['positions']:,} positions", puzzles]
    parts = [
        *found,
        f"{totals['unreadable']:,} left out" if totals["unreadable"] else "",
        display.spent(totals["games"]),
    ]
    return "; ".join(part for part in parts if part)
