"""The options that commands share."""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from math import inf, isfinite
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from engine.search.limits import Limits
from engine.system.services import processors
from eval.choice import NAMES, Choices, EvaluatorError, owner
from eval.weight_file import WeightsError
from lolli._findings import AnalystSettings
from lolli.cli.given_file import BadInputError as BadInputError  # noqa: PLC0414 - for the commands
from lolli.cli.given_file import bad_input as bad_input  # noqa: PLC0414
from protocol.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from lolli._analyst import Analyst
    from lolli.cli.analysis.notation import RecognisedPosition
    from lolli.cli.terminal.board import BoardSize

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

T = TypeVar("T")

DEEPEST = 127  # plies
MOST_JOBS = 512
MOST_NODES = 1 << 60  # fits into the kernel's counter
_LONGEST = 1e9  # seconds; more is as good as no limit, and milliseconds have to fit into the clock


class FiniteRange(click.FloatRange):
    """As in click, which accepts nan, and inf where there is no upper bound."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


class _Flag(click.Option):
    """A flag with an opposite, such as --no-json, to undo a default; the help does not list it."""

    def __init__(self, names: Sequence[str], **rest: Any) -> None:
        flag = next(name for name in names if name.startswith("--"))
        opposite = f"{flag}/--no-{flag.removeprefix('--')}"
        super().__init__([opposite if name == flag else name for name in names], is_flag=True, **rest)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        opposites, self.secondary_opts = self.secondary_opts, []
        try:
            return super().get_help_record(ctx)
        finally:
            self.secondary_opts = opposites


def flag_option(*names: str, **rest: Any) -> Decorator:
    return click.option(*names, cls=_Flag, **rest)


class _MarkOpenings(_Flag):
    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        _, words = super().get_help_record(ctx) or ("", "")
        return "--mark-openings, --no-book", words


def mark_openings_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The opposite of AnnotationOptions.opening; its other name would contradict `annotate --book`."""

    @wraps(command)
    def with_marks(*args: Any, mark_openings: bool, no_book: bool, **rest: Any) -> Any:
        if "book" in rest:
            no_book = unless_typed("no_book", no_book, "book") or False
            rest["book"] = unless_typed("book", rest["book"], "no_book")
        if no_book and rest.get("book"):
            raise BadInputError("--book and --no-book (the same as --mark-openings) cannot be combined")
        return command(*args, mark_openings=mark_openings or no_book, **rest)

    words = "Mark the moves that lead to a named opening, too."
    return _with(
        with_marks,
        click.option("--mark-openings", cls=_MarkOpenings, help=words),
        flag_option("--no-book", hidden=True),
    )


def number_option(*names: str, least: int, most: int | None = None, **rest: Any) -> Decorator:
    """An option with a whole number N from `least` to `most`; the help shows a default, if there is one."""
    given = {"metavar": "N", "show_default": "default" in rest, **rest}
    return click.option(*names, type=click.IntRange(least, most), **given)


def jobs_option(words: str) -> Decorator:
    """--jobs, by default all processors."""
    most = min(processors(), MOST_JOBS)
    return number_option(
        "--jobs", least=1, most=MOST_JOBS, default=most, show_default="all processors", help=words
    )


def named_values(option: str, words: Sequence[str]) -> dict[str, str]:
    """The names and values in words of the form NAME=VALUE, given to `option`. Raises BadInputError."""
    parts = [word.partition("=") for word in words]
    for word, (name, equals, _) in zip(words, parts, strict=True):
        if not (name and equals):
            raise BadInputError(f"{option} needs NAME=VALUE, not {quoted(word)}")
    return {name: value for name, _, value in parts}


set_option = click.option(
    "--set", "rules", multiple=True, metavar="NAME=VALUE", help="An option of the game, such as komi=6.5."
)


def output_option(metavar: str, help_text: str, **rest: Any) -> Decorator:
    return click.option(
        "-o", "--output", "target", type=click.Path(), metavar=metavar, help=help_text, **rest
    )


def player_option(help_text: str) -> Decorator:
    return click.option("--player", metavar="NAME", help=f"{help_text} A part of the name will do.")


def board_size_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --board-size to a command, which gets `board_size`: a BoardSize, or None for what fits."""
    return click.option(
        "--board-size",
        type=click.Choice(["auto", "small", "medium", "large"]),
        default="auto",
        show_default=True,
        callback=_board_size,
        help="The size of the board; auto: as large as the terminal has room for.",
    )(command)


def _board_size(_ctx: click.Context, _param: click.Parameter, value: str) -> BoardSize | None:
    from lolli.cli.terminal.board import BoardSize  # noqa: PLC0415 - rich is not for --help

    return None if value == "auto" else BoardSize[value.upper()]


def json_option(help_text: str) -> Decorator:
    return flag_option("--json", "as_json", help=help_text)


def time_option(help_text: str) -> Decorator:
    return click.option("--time", type=float, callback=_seconds, metavar="SECONDS", help=help_text)


def _seconds(_ctx: click.Context, _param: click.Parameter, value: float | None) -> float | None:
    if value is None:
        return None
    if not 0 < value < inf:
        raise click.BadParameter(f"{value} is not a number of seconds above 0.")
    return min(value, _LONGEST)


def limit_numbers(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --depth, --nodes and --time to a command, which gets them as `depth`, `nodes` and `time`."""
    return _with(
        command,
        number_option("--depth", least=1, most=DEEPEST, help="Search N plies deep."),
        number_option("--nodes", least=1, help="Search N nodes."),
        time_option("Search each position for SECONDS."),
    )


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --depth, --nodes and --time to a command, which gets `limits`: None if none of them is given."""

    @wraps(command)
    def with_limits(*args: Any, depth: int | None, nodes: int | None, time: float | None, **rest: Any) -> Any:
        limits = None
        if not depth is nodes is time is None:
            nodes = None if nodes is None else min(nodes, MOST_NODES)
            move_time = None if time is None else max(1, round(time * 1000))
            limits = Limits(depth=depth, nodes=nodes, move_time=move_time)
        return command(*args, limits=limits, **rest)

    return limit_numbers(with_limits)


def evaluator_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --eval and --weights to a command, which gets them as `evaluator` and `weights`."""
    return _with(
        command,
        click.option(
            "--eval",
            "evaluator",
            type=click.Choice(NAMES),
            callback=_evaluator_beside_weights,
            help=f"The evaluation: {', '.join(NAMES[:-1])} or {NAMES[-1]}."
            " Default: the last that can be loaded.",
        ),
        click.option(
            "--weights",
            type=click.Path(path_type=Path),
            is_eager=True,  # before --eval, which looks at it
            help="Use the weights in this file, for the linear evaluation or the network.",
        ),
    )


def _evaluator_beside_weights(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Weights name their evaluator: given them, the user's default evaluator does not count."""
    own = ctx.get_parameter_source(param.name or "") is ParameterSource.DEFAULT_MAP
    return None if own and ctx.params.get("weights") else value


def chosen_evaluator(evaluator: str | None, weights: Path | None) -> tuple[str, Choices]:
    """The name of the evaluator, and the choices that hold it. Raises BadInputError."""
    weights = _weights_for(evaluator, weights)
    choices = Choices()
    with bad_input(WeightsError, EvaluatorError):
        loaded = choices.load(weights) if weights else choices.names[0]
        return choices[evaluator or loaded].name, choices


def _weights_for(evaluator: str | None, weights: Path | None) -> Path | None:
    """The weights, which must be for the evaluator. Raises BadInputError."""
    if weights and evaluator and evaluator != (wanted := owner(weights)):
        if unless_typed("weights", weights, "evaluator"):
            raise BadInputError(f"--weights {weights} is for --eval {wanted}, not for --eval {evaluator}")
        return None
    return weights


def engine_options(*, threads: bool = True) -> Decorator:
    """Add --eval, --weights, --hash and, with `threads`, --threads to a command, which gets `settings`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_settings(
            *args: Any,
            evaluator: str | None,
            weights: Path | None,
            megabytes: int,
            threads: int = 1,
            **rest: Any,
        ) -> Any:
            weights = _weights_for(evaluator, weights)
            path = None if weights is None else str(weights)
            settings = AnalystSettings(evaluator, path, megabytes, threads)
            return command(*args, settings=settings, **rest)

        options = [
            number_option("--threads", least=1, most=512, default=1, help="Search with N threads."),
            number_option(
                *("--hash", "megabytes"),
                least=1,
                most=65536,
                default=AnalystSettings().megabytes,
                metavar="MB",
                help="The size of the transposition table.",
            ),
            evaluator_options,
        ]
        return _with(with_settings, *options[not threads :])

    return add


def analyst_from(settings: AnalystSettings) -> Analyst:
    """An analyst with these settings. Raises BadInputError if the engine cannot be set up so."""
    from engine.search.table import TableError  # noqa: PLC0415 - a command says something first
    from lolli._analyst import Analyst  # noqa: PLC0415

    with bad_input(EvaluatorError, TableError, WeightsError):
        return Analyst(settings)


def position_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return _with(
        command,
        click.option(
            "--moves",
            metavar="MOVES",
            help="Play these moves from the position, in SAN or UCI's notation, with or without numbers.",
        ),
        number_option("--game", least=1, most=maxsize, help="Take only the Nth game or position of a file."),
        number_option("--ply", least=0, help="Stop after N half-moves of a game; otherwise at its end."),
    )


def recognised_positions(
    words: Sequence[str], moves: str | None = None, game: int | None = None, ply: int | None = None
) -> list[RecognisedPosition]:
    from lolli.cli.analysis.notation import RecognitionError, play_moves  # noqa: PLC0415 - not for --help
    from lolli.cli.analysis.recognition import recognise_words  # noqa: PLC0415

    with bad_input(RecognitionError):
        positions = recognise_words(words, game=game, ply=ply)
    if moves is not None:
        with bad_input(RecognitionError, prefix="--moves: "):
            for position in positions:
                play_moves(position.board, moves)
    return positions


def report_assumptions(positions: Sequence[RecognisedPosition]) -> None:
    from lolli.cli.terminal.screen import messages  # noqa: PLC0415 - not for --help

    for position in positions:
        if position.assumed:
            messages().print(f"Assumed: {position.assumed}.")


def refuse(names: Collection[str], why: str) -> None:
    """Raise BadInputError for the first of these parameters that was given on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise BadInputError(f"{parameter.opts[0]} {why}")


def unless_typed(name: str, value: T, *others: str) -> T | None:
    """The value of a parameter; None if it is from config.toml and one of the others was typed."""
    source_of = click.get_current_context().get_parameter_source
    is_typed = ParameterSource.COMMANDLINE in map(source_of, others)
    return None if is_typed and source_of(name) is ParameterSource.DEFAULT_MAP else value


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    return _with(
        command,
        number_option("--players", least=1, help="The number of players, if the game allows several."),
        number_option("--size", least=1, help="The size of the board."),
        set_option,
        click.option(
            "--moves",
            default="",
            metavar="MOVES",
            help="Play these moves first, in the game's notation, rolls of dice among them.",
        ),
    )


@contextmanager
def faults_of_game(name: str) -> Iterator[None]:
    """Raise BadInputError in place of an error of the game, if that is in a file."""
    from engine.games.rules.game import SizeError  # noqa: PLC0415 - not for --help
    from engine.games.rules.own import reporting_game  # noqa: PLC0415
    from lolli.cli.trees import WatchError  # noqa: PLC0415

    not_of_games = (click.ClickException, click.Abort, click.exceptions.Exit, SystemExit, OSError, WatchError)
    with bad_input(SizeError), reporting_game(name, *not_of_games):
        yield


def game_options(default: str) -> Decorator:
    """The command gets `game` and `state`, which may be over, or a chance node. `default` names a game."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_game(
            *args: Any, name: str, players: int | None, size: int | None, moves: str, rules: Any, **rest: Any
        ) -> Any:
            from engine.games.catalogue import Rules  # noqa: PLC0415
            from engine.games.rules.game import SizeError  # noqa: PLC0415 - games are not for --help
            from lolli.cli.trees import WatchError, position_after  # noqa: PLC0415

            with bad_input(SizeError, WatchError):
                game = Rules.named(name, players, named_values("--set", rules)).game()
                with faults_of_game(name):
                    state = position_after(game, size, moves.split())
                    return command(*args, game=game, state=state, **rest)

        return click.option(
            "--game",
            "name",
            default=default,
            show_default=True,
            metavar="GAME",
            help='The game; of a tree or piles of Nim also which, as in --game "tree sixteen".',
        )(rules_options(with_game))

    return add


def watch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `game_options`, SEARCHER and how it searches to a command, which gets `search`, a WatchedSearch."""

    @wraps(command)
    def with_search(
        *args: Any,
        game: Any,
        state: Any,
        searcher: str | None,
        fixed_depth: int | None,
        seed: int,
        **rest: Any,
    ) -> Any:
        from engine.games.search.basics import SearchLimits  # noqa: PLC0415 - as above
        from lolli.cli.contest import EntrantError, entrants  # noqa: PLC0415
        from lolli.cli.trees import WatchError, preferred_searcher, watched_search  # noqa: PLC0415

        with bad_input(EntrantError, WatchError):
            (entrant,) = entrants([searcher or preferred_searcher(game)], game, SearchLimits())
            if fixed_depth is not None:
                entrant = entrant.at_depth(fixed_depth)
            search = watched_search(game, state, entrant, seed)
        return command(*args, search=search, **rest)

    return _with(
        with_search,
        click.argument("searcher", required=False, metavar="[SEARCHER[:OPTION=VALUE...]]"),
        game_options("tree"),
        number_option(
            "--fixed-depth", least=1, most=DEEPEST, help="Search N plies deep without iterative deepening."
        ),
        number_option("--seed", least=0, default=0, help="The seed of random games."),
    )


def _with(command: Callable[..., Any], *options: Decorator) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
