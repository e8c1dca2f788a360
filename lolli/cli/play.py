"""`lolli play`: a game against the engine, or in any of the games against a searcher, in the terminal."""

import os
import random
from collections.abc import Mapping
from pathlib import Path
from random import SystemRandom
from typing import Any

import chess
import click

from engine.games.catalogue import GAMES, Rules
from engine.search.limits import FULL_STRENGTH, STRONGEST_ELO, USUAL_LEVEL, WEAKEST_ELO, WEAKEST_LEVEL, Limits
from engine.system import files
from lolli._findings import AnalystSettings
from lolli.cli.shared_options import (
    BadInputError,
    analyst_from,
    bad_input,
    board_size_option,
    engine_options,
    faults_of_game,
    limit_options,
    named_values,
    number_option,
    recognised_positions,
    refuse,
    rules_options,
    unless_typed,
)

_OF_CHESS = ("elo", "clock", "chess960", "path", "name", "evaluator", "weights", "megabytes", "threads")
_OF_GAMES = ("players", "seat", "size", "rules", "moves", "playouts")
_SEEDS = 1 << 32
_COLORS = {"white": chess.WHITE, "black": chess.BLACK, "random": None}
_ANY = "any"
_DEFAULT_LIMITS = Limits(move_time=2000)
_ADVICE = Limits(move_time=1000)


class _Start(click.ParamType):  # type: ignore[type-arg] # generic only since click 8.4
    """The number of a start position of Chess960, or `any`."""

    name = "start"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str | int:
        if value == _ANY:
            return _ANY
        return click.IntRange(0, 959).convert(value, param, ctx)


@click.command(
    epilog="""\b
Examples:
  lolli play
  lolli play --level 3 --color black
  lolli play --elo 1500 --clock 5+3 --pgn games.pgn
  lolli play --level 40 --time 5                        full strength, five seconds a move
  lolli play --chess960                                 one of the 960 starting positions
  lolli play "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1" --level 40
  lolli play --game othello --level 4
  lolli play --game connectfour --seat 2 uct:playouts=500
  lolli play --game virus --players 3 paranoid:depth=2
  lolli play --game backgammon --seed 7 expectiminimax:depth=1"""
)
@click.argument("words", nargs=-1, type=click.Path(), metavar="[POSITION | SEARCHER[:OPTION=VALUE...]]")
@click.option(
    "--level",
    type=int,
    metavar="N",
    help=f"Lolli's strength, {WEAKEST_LEVEL} … {FULL_STRENGTH}; of another game see `lolli games GAME`.",
)
@click.option(
    "--elo",
    type=int,
    metavar="N",
    help=f"Lolli's strength in Elo, on the scale of engines, {WEAKEST_ELO} … {STRONGEST_ELO}.",
)
@click.option("--color", type=click.Choice(list(_COLORS)), help="Your side, in a game of two.")
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
@number_option("--playouts", least=1, help="Let a searcher play N random games for each move.")
@engine_options()
@click.option(
    "--game",
    "game_name",
    metavar="GAME",
    help=f"Play a game against a searcher, one of {', '.join(GAMES)};"
    ' of a tree or piles of Nim also which, as in --game "tree sixteen".',
)
@rules_options
@number_option(
    "--seat", least=1, help="Your seat; the searcher has all others. Default: that of the first to move."
)
@board_size_option
@click.option(
    "--seed", type=int, metavar="N", help="The seed of the random numbers. Default: a different one."
)
def command(  # noqa: PLR0917 - an argument for each option
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
    game_name: str | None,
    **given: Any,
) -> None:
    """Play against Lolli, in the terminal or through pipes: chess, or with --game any game of `lolli games`.

    POSITION is where to begin, as for `lolli analyse`: a FEN, moves, or a file with a game, which continues
    from its final position. You play White by default; from a POSITION, the side to move.

    Lolli plays at level 10 by default; at full strength with --level 40, or if --time, --nodes or --depth
    alone limit its moves. Without these limits and without a clock it takes at most two seconds for a move.
    With a clock, yours runs from the first board on, and running out of time loses unless the other side
    cannot mate. Claim a draw by threefold repetition or the 50-move rule with the word `draw`; fivefold
    repetition and 75 moves are drawn automatically.

    While Lolli thinks, Ctrl-C makes it move at once, and a second one quits. However the game ends, it is
    added to the file of --pgn.

    With --game you play against a searcher of the lectures, as `lolli tournament` describes it, or a level;
    by default the level in the middle. In a game of two black is the first player, as over GTP. Dice are
    rolled for all. The words hint, eval, why and tree tell what a search finds. --game chess is chess by
    these searchers.
    """
    game_name = unless_typed("game_name", game_name, *_OF_CHESS)
    level = unless_typed("level", level, "elo", "game_name")
    elo = unless_typed("elo", elo, "level")
    if words:
        level = level if game_name is None else unless_typed("level", level, "words")
        chess960 = unless_typed("chess960", chess960, "words")
    if game_name is not None:
        refuse(_OF_CHESS, "is for chess without --game")
        raise SystemExit(_play_game(game_name, words, level, color, seed, limits, given))
    refuse(_OF_GAMES, "needs --game")
    if level is not None and elo is not None:
        raise BadInputError("--level and --elo cannot be combined")
    if words and chess960 is not None:
        raise BadInputError("--chess960 and POSITION cannot be combined")
    from lolli.cli.analysis.notation import one_line  # noqa: PLC0415 - not for --help
    from lolli.cli.playing.chess import ChessDialogue, Strength, TimeControl  # noqa: PLC0415

    with bad_input(ValueError):
        if elo is not None:
            strength = Strength.of_elo(elo)
        else:
            usual = USUAL_LEVEL if limits is None else FULL_STRENGTH
            strength = Strength.of_level(usual if level is None else level)
    with bad_input(ValueError, prefix="--clock: "):
        control = None if clock is None else TimeControl.parse(clock)
    board: chess.Board | None = None
    if chess960 is None:
        board = _position(words) if words else chess.Board()
    elif chess960 != _ANY:
        board = chess.Board.from_chess960_pos(int(chess960))
    _check_writable(path)
    dialogue = ChessDialogue(
        lambda: analyst_from(settings),
        strength,
        random.Random(seed),
        start=board,
        color=(board is None or board.turn) if color is None else _COLORS[color],
        control=control,
        limits=limits or (_DEFAULT_LIMITS if control is None else Limits()),
        advice=limits or _ADVICE,
        player=one_line(name) or "?",
        path=path,
        board_size=given["board_size"],
    )
    raise SystemExit(dialogue.run())


def _play_game(
    name: str,
    words: tuple[str, ...],
    level: int | None,
    color: str | None,
    seed: int | None,
    limits: Limits | None,
    given: Mapping[str, Any],
) -> int:
    from engine.games.rules.game import SizeError  # noqa: PLC0415 - games are not for --help
    from engine.games.search.basics import SearchLimits  # noqa: PLC0415
    from lolli.cli.contest import EntrantError  # noqa: PLC0415
    from lolli.cli.playing.games import GameDialogue, SeatingError  # noqa: PLC0415

    if len(words) > 1:
        raise BadInputError(f"{len(words)} searchers given, not one")
    if words and level is not None:
        raise BadInputError("--level and SEARCHER cannot be combined")
    seed = SystemRandom().randrange(_SEEDS) if seed is None else seed
    limits = limits or Limits()
    seconds = None if limits.move_time is None else limits.move_time / 1000
    with bad_input(SizeError, EntrantError, SeatingError):
        rules = Rules.named(name, given["players"], named_values("--set", given["rules"]))
        dialogue = GameDialogue(
            rules,
            words[0] if words else None if level is None else f"level{level}",
            size=given["size"],
            moves=given["moves"].split(),
            seat=_seat(given["seat"], unless_typed("color", color, "seat"), rules.game().players, seed),
            limits=SearchLimits(seconds, limits.depth, limits.nodes, given["playouts"]),
            seed=seed,
            board_size=given["board_size"],
        )
    with faults_of_game(name):
        return dialogue.run()


def _seat(seat: int | None, color: str | None, players: int, seed: int) -> int | None:
    if seat is not None and color is not None:
        raise BadInputError("--seat and --color cannot be combined")
    if color is None:
        return None if seat is None else seat - 1
    if color == "random":
        return random.Random(seed).randrange(players)
    if players != 2:
        raise BadInputError(f"--color {color} needs a game of two players: use --seat")
    return ("black", "white").index(color)


def _position(words: tuple[str, ...]) -> chess.Board:
    found = recognised_positions(words)
    if len(found) > 1:
        raise BadInputError(f"{len(found)} positions found, not one")
    board = found[0].board
    if outcome := board.outcome():
        raise BadInputError(f"the game is over: {outcome.result()}")
    return board if all(board.move_stack) else board.copy(stack=False)


def _check_writable(path: Path | None) -> None:
    if path is None:
        return
    try:
        os.close(files.descriptor_of(path, os.O_WRONLY | os.O_APPEND))
    except FileNotFoundError:
        if not os.access(path.parent, os.W_OK):
            raise BadInputError(f"{path} cannot be written") from None
    except OSError as error:
        raise BadInputError(f"{path} cannot be written: {error.strerror}") from None
