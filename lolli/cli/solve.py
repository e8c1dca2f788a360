"""`lolli solve`: the exact value of a position of the other games, and endgame tables."""

import json
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import click

from engine.games.players.solvers import (
    BeyondReachError,
    ExactSolver,
    Solution,
    TableFileError,
    exact_solver,
    load_table,
    packed,
)
from engine.games.rules.game import CHANCE, OVER, Game, Move, NotApplicableError, State, variation
from engine.games.rules.tree import TreeGame
from engine.games.search.basics import Meter, SearchLimits, SearchStoppedError
from engine.games.search.endgame_table import EndgameTable, make_table
from engine.games.search.lookup import Payoffs, TooManyStatesError, solve, strategy
from engine.system.memory import NoMemoryError
from lolli.cli.given_file import STDIO, check_target, write_result
from lolli.cli.shared_options import (
    MOST_NODES,
    BadInputError,
    bad_input,
    flag_option,
    game_options,
    json_option,
    number_option,
    refuse,
    time_option,
)
from lolli.cli.terminal.board import side_name
from lolli.cli.terminal.screen import answered, count_text, duration_text, figures_table, output
from lolli.cli.trees import number_text

_LARGEST_TABLE = 65_536  # MB
_UNFINISHED = 1  # exit status


@click.command(
    epilog="""\b
Examples:
  lolli solve
  lolli solve --game tictactoe --moves "B2 A2"
  lolli solve --game "nim 50,49,20"
  lolli solve --game "nim 7" --strategy 2
  lolli solve --categories
  lolli solve --game connectfour --set columns=5 --set rows=4
  lolli solve --game othello --size 4
  lolli solve --game "chess 8/8/8/8/8/3k4/8/R3K3 w - -"
  lolli solve --game checkers --set fen=B:W32:BK1,K7
  lolli solve --make KPK.table --game chess --men KPK
  lolli solve --table KPK.table --game "chess 8/8/8/8/4k3/8/4P3/4K3 w - -"
  lolli gtp --game chess --searcher alphabeta --option look_up=KPK.table"""
)
@game_options("tictactoe")
@click.option("--table", type=click.Path(), metavar="FILE", help="Look the position up in an endgame table.")
@number_option(
    "--strategy",
    least=1,
    metavar="PLAYER",
    help="Print what this player, 1 for the first, does at each turn.",
)
@flag_option("--categories", help="Count how the positions that can follow end, by their estimate.")
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
    game: Game[Any], state: State, make: str | None, men: str | None, force: bool, as_json: bool, **how: Any
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

    --strategy prints the whole strategy, or policy, of a player, not only a line: a move for each position
    that can come if it plays so, whatever the others and chance do. --categories takes together all positions
    that have the same estimate for the player to move, and counts how many of them that player wins, draws
    and loses with best play: their mean is what such an estimate is worth. Both need all states that can
    follow, up to a million.

    With --json the object has game, to_move (also chance, or null), values (of each player), verdict (of the
    player to move), plies, score, line, whole (whether the line is proved to its end, which is that of the
    game, a node of chance or a repetition), method, nodes, seconds; if asked for, strategy (after, move) and
    categories (estimate, positions, won, drawn, lost, mean, example); for a table that was made: game, men,
    parts (men, decided: positions won or lost, longest_win in plies), seconds. If a limit or Ctrl-C comes
    first, what is proved up to then is printed.
    """
    if make is not None:
        refuse(("table", "weak", "time", "nodes", "strategy", "categories"), "has no meaning with --make")
        with bad_input(NotApplicableError):
            check_target(make)
            if Path(make).is_file() and not force:
                raise BadInputError(f"{make} already exists (use --force to overwrite)")
            made, text, data = _made(game, men)
            write_result(make, data)
        click.echo(json.dumps(made) if as_json else text, err=make == STDIO)
        return
    refuse(("men", "force"), "needs --make FILE")
    if isinstance(game, TreeGame) and game.unknown:
        raise BadInputError(f"the value of {game.unknown[0]} is not known")
    more = _more(game, state, how["strategy"], ends=how["categories"])
    with bad_input(TableFileError, prefix="--table: "):
        known = None if how["table"] is None else load_table(how["table"], game)
    with bad_input(BeyondReachError):
        with bad_input(NoMemoryError, ValueError, prefix="--table-mb: "):
            solver = exact_solver(game, state, known, how["table_mb"])
        nodes = None if how["nodes"] is None else min(how["nodes"], MOST_NODES)
        solver.begin(SearchLimits(seconds=how["time"], nodes=nodes))
        began = monotonic()
        found: list[Solution] = []

        def ask() -> None:
            with suppress(SearchStoppedError):
                found.extend(solver.solutions(state, strong=not how["weak"]))

        status = answered(ask, solver.stop, lambda: f"{count_text(solver.nodes)} positions")
    proof = Proof(game, state, solver, found[-1] if found else None, monotonic() - began)
    if as_json:
        click.echo(json.dumps(proof.content() | more))
    else:
        click.echo(f"{game.show(state)}\n{proof.text()}")
        _tell(more)
    if not proof.whole:
        raise SystemExit(status or _UNFINISHED)


def _more(game: Game[Any], state: State, number: int | None, *, ends: bool) -> dict[str, Any]:
    """The strategy of player `number`, from 1, and with `ends` the categories, as JSON has them.

    Raises BadInputError, SystemExit after a signal.
    """
    found: dict[str, Any] = {}
    if number is None and not ends:
        return found
    stops: list[bool] = []
    meter = Meter(stopped=lambda: bool(stops))

    def ask() -> None:
        with suppress(SearchStoppedError):
            values = solve(state, meter=meter)
            if number is not None:
                found["strategy"] = list(plan(game, state, number, values))
            if ends:
                found["categories"] = list(categories(game, state, values))

    with bad_input(TooManyStatesError, NotApplicableError):
        status = answered(ask, lambda: stops.append(True), lambda: f"{count_text(meter.visited)} positions")
    if not found:
        raise SystemExit(status)
    return found


def plan(
    game: Game[Any], state: State, number: int, values: dict[State, Payoffs]
) -> Iterator[dict[str, str]]:
    """What player `number`, from 1, does after each line that can come, the shortest line to a position.

    `values` are those of `solve(state)`. Raises BadInputError for a player who is not in the game.
    """
    if number > game.players:
        raise BadInputError(f"--strategy: the game has {game.players} players, not {number}")
    chosen = strategy(state, number - 1, values)
    for reached, line in _lines(game, state, lambda at: (chosen[at],) if at in chosen else at.moves()):
        if reached in chosen:
            yield {"after": line, "move": game.text(reached, chosen[reached])}


def categories(game: Game[Any], state: State, values: dict[State, Payoffs]) -> Iterator[dict[str, Any]]:
    """The positions that can follow, by their estimate for the player to move, the highest first.

    `won`, `drawn` and `lost` count the payoffs of that player, whose mean is `mean`; `example` is a line to
    such a position. Raises NotApplicableError unless two players' payoffs add up to 0.
    """
    if game.players != 2 or not game.zero_sum:
        raise NotApplicableError("--categories needs two players whose payoffs add up to 0")
    ends: dict[float, list[float]] = {}
    examples: dict[float, str] = {}
    for reached, line in _lines(game, state, lambda at: at.moves()):
        if reached.player >= 0:
            estimate = round(game.estimate(reached)[reached.player], 4) + 0.0
            ends.setdefault(estimate, []).append(values[reached][reached.player])
            examples.setdefault(estimate, line)
    for estimate, payoffs in sorted(ends.items(), reverse=True):
        signs = Counter((payoff > 0) - (payoff < 0) for payoff in payoffs)
        yield {
            "estimate": estimate,
            "positions": len(payoffs),
            **{noun: signs[sign] for noun, sign in (("won", 1), ("drawn", 0), ("lost", -1))},
            "mean": round(sum(payoffs) / len(payoffs), 4),
            "example": examples[estimate],
        }


def _lines(
    game: Game[Any], state: State, moves: Callable[[State], Iterable[Move]]
) -> Iterator[tuple[State, str]]:
    """Each state that can come by `moves`, once, and the shortest line to it, as text."""
    lines = {state: ""}
    waiting = deque(lines)
    while waiting:
        reached = waiting.popleft()
        yield reached, lines[reached]
        for move in moves(reached):
            child = reached.play(move)
            if child not in lines:
                lines[child] = f"{lines[reached]} {game.text(reached, move)}".lstrip()
                waiting.append(child)


def _tell(more: dict[str, Any]) -> None:
    for each in more.get("strategy", ()):
        click.echo(f"after {each['after']}: {each['move']}" if each["after"] else f"at first: {each['move']}")
    rows = [
        (number_text(estimate), {name: str(cell) for name, cell in rest.items()})
        for estimate, rest in ((each.pop("estimate"), each) for each in more.get("categories", ()))
    ]
    if rows:
        output().print(figures_table(output(), "Estimate", rows))


@dataclass(frozen=True, slots=True)
class Proof:
    game: Game[Any]
    state: State
    solver: ExactSolver
    solution: Solution | None
    seconds: float

    @property
    def has_winner(self) -> bool:
        return self.game.players == 2 and self.game.payoffs == (-1, 1)

    @property
    def whole(self) -> bool:
        """Whether the line is proved to its end: that of the game, a node of chance, or a repetition."""
        return self.solution is not None and self.solution.whole

    def verdict(self) -> str:
        """`wins`, `draws` or `loses` for the player to move; empty elsewhere, as for an expectation."""
        if self.solution is None or self.state.player < 0 or not self.has_winner:
            return ""
        value = self.solution.values[self.state.player]
        verdicts: dict[float, str] = {-1: "loses", 0: "draws", 1: "wins"}
        return verdicts.get(value, "")

    def text(self) -> str:
        if self.solution is None:
            return f"nothing is proved yet; {self._work()}"
        lines = [self._result(self.solution)]
        if self.state.player == OVER:
            return lines[0]
        if self.whole:
            lines.append(" ".join(self.moves()) or "no moves")
        else:
            lines.append(f"{self.moves()[0]} keeps that; the rest of the line is not proved yet")
        return "\n".join([*lines, f"{self.solver.title}: {self._work()}"])

    def moves(self) -> list[str]:
        if self.solution is None:
            return []
        return [text for _, text in variation(self.game, self.state, self.solution.line)]

    def content(self) -> dict[str, Any]:
        found, player = self.solution, self.state.player
        return {
            "game": self.game.name,
            "to_move": self._name(player) if player >= 0 else "chance" if player == CHANCE else None,
            "values": None if found is None else list(found.values),
            "verdict": self.verdict() or None,
            "plies": found.plies if found else None,
            "score": found.score if found else None,
            "line": self.moves(),
            "whole": self.whole,
            "method": self.solver.title,
            "nodes": self.solver.nodes,
            "seconds": round(self.seconds, 3),
        }

    def _result(self, found: Solution) -> str:
        if self.state.player == OVER and self.has_winner:
            winner = next((player for player, value in enumerate(found.values) if value > 0), None)
            return "the game is over: " + ("a draw" if winner is None else f"{self._name(winner)} has won")
        if not self.verdict():
            players = range(self.game.players)
            return "values " + ", ".join(f"{self._name(i)} {found.values[i]:g}" for i in players)
        details = f" in {found.plies} plies" if found.plies is not None else ""
        details += f", score {found.score}" if found.score is not None else ""
        details += f": {found.note}" if found.note else ""
        return f"{self._name(self.state.player)}, to move, {self.verdict()}{details}"

    def _work(self) -> str:
        return f"{self.solver.nodes:,} positions, {duration_text(self.seconds)}"

    def _name(self, player: int) -> str:
        return side_name(self.game, player)


def _made(game: Game[Any], men: str | None) -> tuple[dict[str, Any], str, bytes]:
    """As JSON, as text, and as a file. Raises NotApplicableError, SystemExit after a signal."""
    endings = game.endings(men)
    began = monotonic()
    stops: list[bool] = []
    meter = Meter(stopped=lambda: bool(stops))
    made: list[EndgameTable] = []

    def ask() -> None:
        with suppress(SearchStoppedError):
            made.append(make_table(endings, meter))

    status = answered(ask, lambda: stops.append(True), lambda: f"{count_text(meter.visited)} positions")
    if not made:
        raise SystemExit(status)
    name = endings[-1].name
    parts = [
        {
            "men": part.positions.name,
            "decided": part.positions.size - part.entries.count(0),
            # In plies, for the player to move.
            "longest_win": max((each - 1 for each in set(part.entries) if each and each % 2 == 0), default=0),
        }
        for part in made[0].parts
    ]
    seconds = monotonic() - began
    lines = [
        f"{part.positions.title}: {told['decided']:,} positions won or lost, the longest win in"
        f" {told['longest_win']} plies"
        for part, told in zip(made[0].parts, parts, strict=True)
    ]
    content = {"game": game.name, "men": name, "parts": parts, "seconds": round(seconds, 3)}
    text = "\n".join([*lines, f"made in {duration_text(seconds)}"])
    return content, text, packed(game, name, made[0])
