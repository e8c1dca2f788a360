"""`lolli solve`: the exact value of a position of the other games, and endgame tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lolli.cli.shared_options import (
    MOST_NODES,
    BadInputError,
    bad_input,
    flag_option,
    game_options,
    json_option,
    number_option,
    time_option,
)

if TYPE_CHECKING:
    from engine.games.rules.game import Game, State

_LARGEST_TABLE = 65_536  # MB
_UNFINISHED = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli solve
  lolli solve --game tictactoe --moves "B2 A2"
  lolli solve --game "nim 50,49,20"
  lolli solve --game connectfour --set columns=5 --set rows=4
  lolli solve --game othello --size 4
  lolli solve --game "chess 8/8/8/8/8/3k4/8/R3K3 w - -"
  lolli solve --game checkers --set fen=B:W32:BK1,K7
  lolli solve --make KPK.table --game chess --men KPK
  lolli solve --table KPK.table --game "chess 8/8/8/8/4k3/8/4P3/4K3 w - -"
  lolli gtp --game chess --searcher alphabeta --option look_up=KPK.table""",
)
@game_options("tictactoe")
@click.option("--table", type=click.Path(), metavar="FILE", help="Look the position up in an endgame table.")
@flag_option("--weak", help="Prove only who wins, not how soon or by how much.")
@time_option("Stop after SECONDS.")
@number_option("--nodes", least=1, help="Stop after N positions.")
@number_option(
    "--table-mb",
    least=1,
    most=_LARGEST_TABLE,
    default=64,
    help="Size in MB of the table of bounds for alpha-beta.",
)
@click.option("--make", type=click.Path(), metavar="FILE", help="Make an endgame table and write it to FILE.")
@click.option(
    "--men", metavar="MEN", help="The men of that table: KQK, KRK or KPK; in checkers 2 or 3 in all."
)
@flag_option("--force", help="Overwrite FILE if it exists.")
@json_option("Print JSON, one object.")
def command(
    game: Game[Any],
    state: State,
    make: str | None,
    men: str | None,
    force: bool,
    as_json: bool,
    **how: Any,
) -> None:
    """Find the exact value of a position, with best play of both to the end.

    The first of these that fits the position solves it: the rules, where the game is over; a theory of the
    game (splitting Nim); an endgame table, from --table or made at once (chess with KQK, KRK or KPK, checkers
    with 2 or 3 men); alpha-beta to the end of the game (Connect Four, the last 26 squares of Othello); a
    table of all states that can follow, up to a million (tic-tac-toe, trees, other games on small boards, for
    any number of players). Connect Four's empty board takes minutes, best with --table-mb 1024.

    With alpha-beta the score is how many men the winner has left, and one more, in Connect Four, and the
    difference in discs in Othello; it is for the player to move. With an endgame table the plies are those of
    the shortest win, in chess the distance to mate.

    --make writes an endgame table, with those of the endings that can follow: KPK has KQK and KRK in it.
    `alphabeta` plays with it where its option look_up names the file.

    With --json the object has game, to_move (also chance, or null), values (of each player), verdict (of the
    player to move), plies, score, line, whole (whether the line is proved to its end, which is that of the
    game, a node of chance or a repetition), method, nodes, seconds; for a table that was made: game, men,
    parts (men, decided: positions won or lost, longest_win in plies), seconds. If a limit or Ctrl-C comes
    first, what is proved up to then is printed.
    """
    if make is not None:
        for option in ("table", "weak", "time", "nodes"):
            if how[option]:
                raise BadInputError(f"--{option} has no meaning with --make")
        _make(game, make, men, force=force, as_json=as_json)
        return
    if men is not None or force:
        raise BadInputError(f"{'--men' if men is not None else '--force'} needs --make FILE")
    _solve(game, state, as_json=as_json, **how)


def _solve(
    game: Game[Any],
    state: State,
    *,
    table: str | None,
    weak: bool,
    time: float | None,
    nodes: int | None,
    table_mb: int,
    as_json: bool,
) -> None:
    from engine.games.players.solvers import BeyondReachError, TableFileError, exact_solver, load_table  # noqa: PLC0415 - not for --help  # noqa: PLC0415
    from engine.games.search.basics import SearchLimits  # noqa: PLC0415
    from engine.system.memory import NoMemoryError  # noqa: PLC0415
    from lolli.cli.solutions import prove  # noqa: PLC0415

    with bad_input(TableFileError, prefix="--table: "):
        known = None if table is None else load_table(table, game)
    with bad_input(NoMemoryError, ValueError, prefix="--table-mb: "), bad_input(BeyondReachError):
        solver = exact_solver(game, state, known, table_mb)
        limits = SearchLimits(seconds=time, nodes=None if nodes is None else min(nodes, MOST_NODES))
        proof = prove(game, state, solver, limits, strong=not weak)
    click.echo(json.dumps(proof.content()) if as_json else f"{game.show(state)}\n{proof.text()}")
    if not proof.whole:
        raise SystemExit(proof.interrupted or _UNFINISHED)


def _make(game: Game[Any], file: str, men: str | None, *, force: bool, as_json: bool) -> None:
    from engine.games.rules.game import NotApplicableError  # noqa: PLC0415 - not for --help
    from lolli.cli.given_file import check_target, write_result  # noqa: PLC0415
    from lolli.cli.solutions import make  # noqa: PLC0415

    check_target(file)
    if Path(file).is_file() and not force:
        raise BadInputError(f"{file} already exists (use --force to overwrite)")
    with bad_input(NotApplicableError):
        made = make(game, men)
    write_result(file, made.file())
    click.echo(json.dumps(made.content()) if as_json else made.text())
