"""`lolli play`: a game against the engine, in the terminal."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click

from engine import files
from engine.search.handicap import USUAL_LEVEL
from engine.search.limits import Limits
from protocol.cli.engine_options import analyst_from, engine_options
from protocol.cli.evaluators import BadInputError
from protocol.cli.limits import limit_options, limits_from
from protocol.cli.playing.strength import ELOS, FULL, LEVELS, PlayStrength
from protocol.cli.playing.time_control import FischerTimeControl, TimeControlError

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.cli.analysis.settings import AnalystSettings
    from protocol.cli.playing.match import PlayTerms

_COLORS = {"white": chess.WHITE, "black": chess.BLACK, "random": None}
_ANY, _LAST_START = "any", 959
_USUAL = Limits(move_time=2000)
_ADVICE = Limits(move_time=1000)


class _Start(click.ParamType[str | int]):
    """The number of a start position of Chess960, or `any`."""

    name = "start"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        """As click wants it."""
        if value == _ANY:
            return _ANY
        return click.IntRange(0, _LAST_START).convert(value, param, ctx)


@click.command(
    epilog="""\b
Examples:
  lolli play
  lolli play --level 3 --color black
  lolli play --elo 1500 --clock 5+3 --pgn games.pgn
  lolli play --level 20 --time 5                        full strength, five seconds a move
  lolli play --chess960                                 one of the 960 starting positions
  lolli play "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" --level 20""",
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION]")
@click.option("--level", type=int, metavar="N", help=f"How strong Lolli is to be, {LEVELS}.")
@click.option("--elo", type=int, metavar="N", help=f"The same as a rating, {ELOS}.")
@click.option(
    "--color",
    type=click.Choice(list(_COLORS)),
    help="The pieces that you have.",
)
@click.option("--clock", metavar="5+3", help="Minutes, or 90s or 1:30, and seconds more for each move.")
@click.option(
    "--chess960",
    type=_Start(),
    is_flag=False,
    flag_value=_ANY,
    metavar="[N]",
    help="Play Chess960, from start position N, 0 … 959, or each time from another.",
)
@click.option(
    "--pgn", "path", type=click.Path(dir_okay=False, path_type=Path), help="Add the games to this file."
)
@click.option("--name", default="Player", show_default=True, help="Your name in the PGN.")
@limit_options
@engine_options()
@click.option("--seed", type=int, metavar="N", help="Choose by chance as the last time with this number.")
def command(  # noqa: PLR0913, PLR0917 - an argument for each option
    words: tuple[str, ...],
    level: int | None,
    elo: int | None,
    color: str | None,
    clock: str | None,
    chess960: str | int | None,
    path: Path | None,
    name: str,
    settings: AnalystSettings,
    seed: int | None,
    **limit: Any,
) -> None:
    """Play against Lolli, at the terminal or through pipes.

    POSITION is where to begin, in any form that `lolli analyse` takes: FEN, moves, a file with a game, of
    which it is the end. You have White unless you choose, or in a POSITION the side that is to move.

    Lolli plays at level 5 unless you choose; at its full strength with --level 20, or where --time,
    --nodes or --depth alone limit its moves. Without these and without a clock no move takes it more than
    two seconds. With a clock, yours runs from the first board on, and a fallen flag loses, unless the other
    side cannot mate. A draw by threefold repetition or the rule of 50 moves is claimed with the word
    `draw`; one by fivefold repetition or 75 moves needs no claim.

    While Lolli thinks, Ctrl-C has it move at once. At the end, whatever the end is, the game is added to the
    file of --pgn.
    """
    strength = _strength(level, elo, limited=any(value is not None for value in limit.values()))
    terms = _terms(words, color, clock, chess960, limits_from(**limit) or _USUAL, name)
    _check_writable(path)
    advice = limits_from(**limit) or _ADVICE
    raise SystemExit(_play(terms, strength, settings, advice, path, random.Random(seed)))


def _strength(level: int | None, elo: int | None, *, limited: bool) -> PlayStrength:
    """Raises BadInputError."""
    if level is not None and elo is not None:
        raise BadInputError("--level and --elo exclude each other")
    try:
        if elo is not None:
            return PlayStrength.of_elo(elo)
        if level is not None:
            return PlayStrength.of_level(level)
    except ValueError as error:
        raise BadInputError(str(error)) from None
    return FULL if limited else PlayStrength.of_level(USUAL_LEVEL)


def _terms(
    words: tuple[str, ...],
    color: str | None,
    clock: str | None,
    chess960: str | int | None,
    limits: Limits,
    name: str,
) -> PlayTerms:
    """Raises BadInputError."""
    from protocol.cli.analysis.recognition_setup import one_line  # noqa: PLC0415 - not for --help
    from protocol.cli.playing.match import PlayTerms  # noqa: PLC0415

    if words and chess960 is not None:
        raise BadInputError("--chess960 and a position exclude each other")
    try:
        control = None if clock is None else FischerTimeControl.parse(clock)
    except TimeControlError as error:
        raise BadInputError(f"--clock: {error}") from None
    board = _position(words) if words else chess.Board()
    side = board.turn if color is None else _COLORS[color]
    start = _chess960_starts(chess960) if chess960 is not None else lambda _: board
    return PlayTerms(start, side, control, limits, one_line(name) or "?")


def _position(words: tuple[str, ...]) -> chess.Board:
    """Raises BadInputError."""
    from protocol.cli.analysis.recognition import RecognitionError, recognise  # noqa: PLC0415 - not for --help

    try:
        setups = recognise(" ".join(words))
    except RecognitionError as error:
        raise BadInputError(str(error)) from None
    if len(setups) > 1:
        raise BadInputError(f"that is {len(setups)} positions, not one")
    board = setups[0].board
    if outcome := board.outcome():
        raise BadInputError(f"that game is over: {outcome.result()}")
    return board if all(board.move_stack) else board.copy(stack=False)


def _chess960_starts(number: str | int) -> Callable[[random.Random], chess.Board]:
    """The start position of that number, or of another each time."""

    def start(chooser: random.Random) -> chess.Board:
        chosen = number if isinstance(number, int) else chooser.randint(0, _LAST_START)
        return chess.Board.from_chess960_pos(chosen)

    return start


def _check_writable(path: Path | None) -> None:
    """Better said now than after the game. Raises BadInputError."""
    if path is None:
        return
    try:
        os.close(files.descriptor_of(path, os.O_WRONLY | os.O_APPEND))
    except FileNotFoundError:
        if not os.access(path.parent, os.W_OK):
            raise BadInputError(f"{path} cannot be written") from None
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}") from None


def _play(
    terms: PlayTerms,
    strength: PlayStrength,
    settings: AnalystSettings,
    advice: Limits,
    path: Path | None,
    chooser: random.Random,
) -> int:
    """The exit status."""
    from protocol.cli.playing.adviser import Adviser  # noqa: PLC0415 - not for --help
    from protocol.cli.playing.host import Host  # noqa: PLC0415
    from protocol.cli.playing.match import PlayMatch  # noqa: PLC0415
    from protocol.cli.playing.opponent import Opponent  # noqa: PLC0415
    from protocol.cli.playing.record import GameFile  # noqa: PLC0415

    opponent = Opponent(analyst_from(settings), strength.handicap, chooser)
    adviser = Adviser(lambda: analyst_from(settings), advice)
    match = PlayMatch(terms, strength, opponent, chooser, GameFile(path) if path else None)
    return Host(match, opponent, adviser).run()
