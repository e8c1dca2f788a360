"""`lolli play`: a game against the engine, in the terminal."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click

from engine import files
from engine.search.handicap import FULL_STRENGTH, STRONGEST_ELO, USUAL_LEVEL, WEAKEST_ELO, WEAKEST_LEVEL
from engine.search.limits import Limits
from protocol.cli.shared_options import (
    BadInputError,
    analyst_from,
    bad_input,
    engine_options,
    limit_options,
    recognised_positions,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.cli.analysis.finding import AnalystSettings
    from protocol.cli.playing.play_match import PlayStrength, PlayTerms

_COLORS = {"white": chess.WHITE, "black": chess.BLACK, "random": None}
_ANY, _LAST_START = "any", 959
_DEFAULT_LIMITS = Limits(move_time=2000)
_ADVICE = Limits(move_time=1000)


class _Start(click.ParamType[str | int]):
    """The number of a start position of Chess960, or `any`."""

    name = "start"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        """See click.ParamType."""
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
@click.option("--level", type=int, metavar="N", help=f"Lolli's strength, {WEAKEST_LEVEL} … {FULL_STRENGTH}.")
@click.option(
    "--elo", type=int, metavar="N", help=f"Lolli's strength as a rating, {WEAKEST_ELO} … {STRONGEST_ELO}."
)
@click.option("--color", type=click.Choice(list(_COLORS)), help="Your side.")
@click.option(
    "--clock", metavar="5+3", help="Play with a clock: minutes (or 90s, 1:30) and increment in seconds."
)
@click.option(
    "--chess960",
    type=_Start(),
    is_flag=False,
    flag_value=_ANY,
    metavar="[N]",
    help="Play Chess960 from start position N, 0 … 959; without N from a random one each game.",
)
@click.option(
    "--pgn", "path", type=click.Path(dir_okay=False, path_type=Path), help="Add the games to this file."
)
@click.option("--name", default="Player", show_default=True, help="Your name in the PGN.")
@limit_options
@engine_options()
@click.option(
    "--seed", type=int, metavar="N", help="The seed of the random numbers. Default: a different one."
)
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
    limits: Limits | None,
) -> None:
    """Play against Lolli, in the terminal or through pipes.

    POSITION is where to begin, as for `lolli analyse`: a FEN, moves, or a file with a game, which continues
    from its final position. You play White by default; from a POSITION, the side to move.

    Lolli plays at level 5 by default; at full strength with --level 20, or if --time, --nodes or --depth
    alone limit its moves. Without these limits and without a clock it takes at most two seconds for a move.
    With a clock, yours runs from the first board on, and running out of time loses unless the other side
    cannot mate. Claim a draw by threefold repetition or the 50-move rule with the word `draw`; fivefold
    repetition and 75 moves are drawn automatically.

    While Lolli thinks, Ctrl-C makes it move at once. However the game ends, it is added to the file of --pgn.
    """
    strength = _strength(level, elo, limited=limits is not None)
    terms = _terms(words, color, clock, chess960, limits or _DEFAULT_LIMITS, name)
    _check_writable(path)
    raise SystemExit(_play(terms, strength, settings, limits or _ADVICE, path, random.Random(seed)))


def _strength(level: int | None, elo: int | None, *, limited: bool) -> PlayStrength:
    """Raises BadInputError."""
    if level is not None and elo is not None:
        raise BadInputError("--level and --elo cannot be combined")
    from protocol.cli.playing.play_match import FULL, PlayStrength  # noqa: PLC0415 - not for --help

    with bad_input(ValueError):
        if elo is not None:
            return PlayStrength.of_elo(elo)
        if level is not None:
            return PlayStrength.of_level(level)
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
    from protocol.cli.analysis.notation import one_line  # noqa: PLC0415 - not for --help
    from protocol.cli.playing.chess_game import FischerTimeControl, TimeControlError  # noqa: PLC0415
    from protocol.cli.playing.play_match import PlayTerms  # noqa: PLC0415

    if words and chess960 is not None:
        raise BadInputError("--chess960 and POSITION cannot be combined")
    with bad_input(TimeControlError, prefix="--clock: "):
        control = None if clock is None else FischerTimeControl.parse(clock)
    board = _position(words) if words else chess.Board()
    side = board.turn if color is None else _COLORS[color]
    start = _chess960_starts(chess960) if chess960 is not None else lambda _: board
    return PlayTerms(start, side, control, limits, one_line(name) or "?")


def _position(words: tuple[str, ...]) -> chess.Board:
    """Raises BadInputError."""
    found = recognised_positions(words)
    if len(found) > 1:
        raise BadInputError(f"{len(found)} positions found, not one")
    board = found[0].board
    if outcome := board.outcome():
        raise BadInputError(f"the game is over: {outcome.result()}")
    return board if all(board.move_stack) else board.copy(stack=False)


def _chess960_starts(number: str | int) -> Callable[[random.Random], chess.Board]:
    """The start position with this number, or a random one each time."""

    def start(chooser: random.Random) -> chess.Board:
        chosen = number if isinstance(number, int) else chooser.randint(0, _LAST_START)
        return chess.Board.from_chess960_pos(chosen)

    return start


def _check_writable(path: Path | None) -> None:
    """Check before the game, not after it. Raises BadInputError."""
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
    from protocol.cli.playing.chess_game import GameFile  # noqa: PLC0415
    from protocol.cli.playing.host import Host  # noqa: PLC0415
    from protocol.cli.playing.play_commands import Adviser  # noqa: PLC0415 - not for --help
    from protocol.cli.playing.play_match import Opponent, PlayMatch  # noqa: PLC0415

    opponent = Opponent(analyst_from(settings), strength.handicap, chooser)
    adviser = Adviser(lambda: analyst_from(settings), advice)
    match = PlayMatch(terms, strength, opponent, chooser, GameFile(path) if path else None)
    return Host(match, opponent, adviser).run()
