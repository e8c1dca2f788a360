"""`lolli analyse`: what the engine thinks of a position, as it thinks."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from engine.search.limits import Limits
from protocol.cli.analysis.recognition import (
    RecognisedPosition,
    RecognitionError,
    play_moves,
    recognise_words,
)
from protocol.cli.engine_options import analyst_from, engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options, limits_from
from protocol.cli.terminal.analysis_output import AnalysisOutput, JsonOutput, TextOutput
from protocol.cli.terminal.interrupt import stopping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.cli.analysis.analyst import Analyst
    from protocol.cli.analysis.settings import AnalystSettings

_USUAL = Limits(move_time=5000)
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
  xclip -o | lolli analyse -                           whatever has been copied""",
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
@click.option(
    "--moves", metavar="MOVES", help="Play these moves first, SAN or UCI's, with numbers or without."
)
@limit_options
@click.option(
    "--lines",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Look for the N best lines.",
)
@engine_options()
@click.option("--flip", "flipped", is_flag=True, help="Show the board with Black at the bottom.")
@click.option(
    "--game", type=click.IntRange(1), metavar="N", help="Only the Nth game, or position, of a file."
)
@click.option(
    "--ply", type=click.IntRange(0), metavar="N", help="Not the end of a game, but after N half-moves."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, a line for each finding.")
def command(
    words: tuple[str, ...],
    moves: str | None,
    lines: int,
    settings: AnalystSettings,
    flipped: bool,
    game: int | None,
    ply: int | None,
    as_json: bool,
    **limit: Any,
) -> None:
    """Think about a position and tell the best line, depth by depth.

    POSITION is FEN, EPD or `position ...` as in UCI, perhaps with other text around it, an address of
    lichess' or chess.com's board with one in it, moves from the start position, a PGN text, a file with any
    of these, or `-` for what comes on stdin; nothing or `startpos` is the start position. Of a game it is
    the end. Several positions are taken one after the other, each with an empty table.

    In a terminal it thinks until Ctrl-C, which ends it with the best line so far; a second Ctrl-C ends it at
    once. It thinks for 5 seconds where the output is not a terminal, with --json, and about each of
    several positions; --depth, --nodes and --time are other limits, the first that is reached being the end.

    With --json each finding is an object: fen, chess960, name, line (1 is the best), depth, seldepth,
    score ({"cp": centipawns} or {"mate": moves}) and bound (exact, lower, upper), wdl (per mille, or null),
    nodes, nps, time (seconds), pv (UCI's notation), san. Score, bound and wdl are White's. Each position
    ends with an object that has `best`, too: the move to play, and all the rest about its line; or null,
    with result and reason, where the game is over.
    """
    setups = _setups(words, moves, game, ply)
    output: AnalysisOutput
    endless = False
    if as_json:
        output = JsonOutput()
    else:
        output = TextOutput(lines, flipped)
        endless = output.is_terminal and len(setups) == 1
    limits = limits_from(**limit) or (_UNTIL_STOPPED if endless else _USUAL)
    raise SystemExit(_analyse(setups, limits, replace(settings, lines=lines), output))


def _setups(
    words: Sequence[str], moves: str | None, game: int | None, ply: int | None
) -> list[RecognisedPosition]:
    """What the words on the command line mean, with the moves that come on top."""
    try:
        setups = recognise_words(words, game=game, ply=ply)
    except RecognitionError as error:
        raise BadInputError(str(error)) from None
    return setups if moves is None else [_played(setup, moves) for setup in setups]


def _played(setup: RecognisedPosition, moves: str) -> RecognisedPosition:
    board = setup.board.copy()
    try:
        play_moves(board, moves)
    except RecognitionError as error:
        raise BadInputError(f"--moves: {error}") from None
    return replace(setup, board=board)


class _Engine:
    """An analyst that is made when it is first needed: the board is shown before."""

    def __init__(self, settings: AnalystSettings) -> None:
        self._settings = settings
        self._analyst: Analyst | None = None

    def ready(self) -> Analyst:
        """With nothing remembered. Raises BadInputError."""
        if self._analyst is None:
            self._analyst = analyst_from(self._settings)
        else:
            self._analyst.new_game()
        return self._analyst

    def stop(self) -> None:
        """From any thread."""
        if self._analyst is not None:
            self._analyst.stop()

    def close(self) -> None:
        """Leave no thread behind."""
        if self._analyst is not None:
            self._analyst.close()


def _analyse(
    setups: Sequence[RecognisedPosition], limits: Limits, settings: AnalystSettings, output: AnalysisOutput
) -> int:
    """One position after the other; the exit status."""
    engine = _Engine(settings)
    with stopping(engine.stop) as interruption, closing(engine):
        for number, setup in enumerate(setups, 1):
            output.position(setup, number, len(setups))
            if outcome := setup.board.outcome():
                output.over(outcome)
                continue
            best = None
            analyst = engine.ready()
            with output.searching() as show:
                for finding in analyst.search(setup.board, limits):
                    if finding.line == 1:
                        best = finding
                    show(finding)
                    if interruption.signal:
                        analyst.stop()  # the signal may have come before there was something to stop
            if best is not None:
                output.found(best)
            if interruption.signal:
                whole = interruption.by_person and best is not None and number == len(setups)
                return 0 if whole else interruption.exit_status
    return 0
