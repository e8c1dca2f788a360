"""`lolli analyse`: what the engine thinks of a position, depth by depth."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits
from lolli.cli.shared_options import (
    analyst_from,
    board_size_option,
    engine_options,
    flag_option,
    json_option,
    limit_options,
    number_option,
    position_options,
    recognised_positions,
)
from lolli.cli.terminal.analysis import JsonOutput, TextOutput
from lolli.cli.terminal.keys import Interruption, stopping

if TYPE_CHECKING:
    from collections.abc import Sequence

    import chess

    from lolli._analyst import Analyst
    from lolli._findings import AnalystSettings, Finding
    from lolli.cli.analysis.notation import RecognisedPosition
    from lolli.cli.terminal.analysis import Reasons
    from lolli.cli.terminal.board import BoardSize

_DEFAULT_LIMITS = Limits(move_time=5000)
_UNTIL_STOPPED = Limits()


@click.command(
    epilog="""\b
Examples:
  lolli analyse                                        the start position, until Ctrl-C
  lolli analyse --moves "e4 e5 Nf3" --depth 20
  lolli analyse "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3" --lines 3
  lolli analyse 1. e4 e5 2. Bc4 Nc6 3. Qh5             moves from the start position
  lolli analyse game.pgn --game 2 --ply 30             after Black's 15th move of the second game
  lolli analyse positions.epd --time 1 --json          all positions of a file
  xclip -o | lolli analyse -                           the text in the clipboard"""
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
@position_options
@limit_options
@number_option("--lines", least=1, most=256, default=1, help="Find the N best lines.")
@engine_options()
@flag_option("--flip", "flipped", help="Show the board with Black at the bottom.")
@board_size_option
@flag_option("--why", help="Say what the best move does, and what was wrong with the last move of a game.")
@json_option("Print JSON, a line for each finding.")
def command(
    words: tuple[str, ...],
    lines: int,
    settings: AnalystSettings,
    flipped: bool,
    board_size: BoardSize | None,
    why: bool,
    as_json: bool,
    limits: Limits | None,
    **position: Any,
) -> None:
    """Analyse a position and show the best line, depth by depth.

    POSITION is a FEN, EPD or UCI's `position ...`, even with other text around it; the address of a board at
    lichess or chess.com; moves from the start position; a PGN text; a file with any of these; or `-` for
    stdin. The default, or `startpos`, is the start position. Of a game the final position is analysed.
    Several positions are analysed in turn, each with an empty table.

    In a terminal the search runs until Ctrl-C, which prints the best line so far; a second Ctrl-C quits at
    once. If the output is not a terminal, with --json, and with several positions, the default is 5 seconds
    per position. --depth, --nodes and --time set other limits; the search ends at the first one reached.

    With --json each finding is an object: fen, chess960, name, opening ({"eco", "name"} of the last position
    with a name, or null), line (1 is the best), depth, seldepth,
    score ({"cp": centipawns} or {"mate": moves}) and bound (exact, lower, upper), wdl (per mille, or null),
    nodes, nps, time (seconds), pv (UCI's notation), san. Score, bound and wdl are White's. The last object of
    a position also has `best`, the move to play, and with --why `why` and `last`: move, text and motifs, by
    Lichess's names, of the best move and of the one played last, or null. If the game is over, `best` is
    null, with --why `why` too, and result and reason follow.
    """
    positions = recognised_positions(words, **position)
    output: TextOutput | JsonOutput
    endless = False
    if as_json:
        output = JsonOutput()
    else:
        output = TextOutput(lines, flipped, board_size)
        endless = output.is_terminal and len(positions) == 1
    limits = limits or (_UNTIL_STOPPED if endless else _DEFAULT_LIMITS)
    raise SystemExit(_analyse(positions, limits, replace(settings, lines=lines), output, why=why))


def _analyse(
    positions: Sequence[RecognisedPosition],
    limits: Limits,
    settings: AnalystSettings,
    output: TextOutput | JsonOutput,
    *,
    why: bool,
) -> int:
    made: list[Analyst] = []  # none before the first board is shown

    def stop() -> None:
        for each in made:
            each.stop()

    with stopping(stop) as interruption, ExitStack() as at_the_end:
        for number, position in enumerate(positions, 1):
            output.position(position, number, len(positions))
            board, best, outcome = position.board, None, position.board.outcome()
            if not made and (why or not outcome):
                made.append(at_the_end.enter_context(analyst_from(settings)))
            if made:
                made[0].new_game()
            if outcome:
                output.over(outcome, _reasons(made[0], board) if why else None)
            elif best := _best(made[0], position, limits, output, interruption):
                output.found(best, _reasons(made[0], board, best) if why else None)
            if interruption.signal:
                whole = interruption.by_person and best is not None and number == len(positions)
                return 0 if whole else interruption.exit_status
    return 0


def _reasons(analyst: Analyst, board: chess.Board, best: Finding | None = None) -> Reasons:
    """What is said of the best move, and of the one played last."""
    from lolli._coach import EXPLAINING_NODES, explained, idea  # noqa: PLC0415 - only for --why

    played = None
    if board.move_stack and board.peek():
        before = board.copy()
        last = before.pop()
        played = (before, last, explained(analyst, before, last, Limits(nodes=EXPLAINING_NODES)))
    return None if best is None else (board, best.moves[0], idea(analyst, board, best)), played


def _best(
    analyst: Analyst,
    position: RecognisedPosition,
    limits: Limits,
    output: TextOutput | JsonOutput,
    interruption: Interruption,
) -> Finding | None:
    best = None
    with output.searching() as show:
        for finding in analyst.search(position.board, limits):
            if finding.line == 1:
                best = finding
            show(finding)
            if interruption.signal:
                analyst.stop()  # the signal may have come before the search began
    return best
