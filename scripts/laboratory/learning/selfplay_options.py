"""The options of commands that play games of Lolli against itself: how its games begin and who thinks."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scripts.laboratory.lab_options import (
    OPENINGS,
    amount_option,
    count_option,
    file_option,
    seed_option,
)
from scripts.laboratory.learning.evaluators import evaluator_options
from scripts.laboratory.learning.selfplay_games import OpeningSource, SelfPlayRules
from scripts.laboratory.openings import OpeningSuite

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripts.laboratory.learning.evaluators import GivenEvaluator

_ROUNDING = 1e-9

_OPTIONS = (
    count_option("--nodes", 500, "Soft limit of a search: no depth is begun after this number of nodes."),
    evaluator_options,
    seed_option("the openings"),
    click.option(
        "--random-plies",
        type=(click.IntRange(0), click.IntRange(0)),
        default=(6, 9),
        show_default=True,
        help="Least and most random plies from the start position.",
    ),
    amount_option(
        "--book-share",
        0.15,
        "Share of games that begin with a book opening and up to 4 random plies.",
        most=1,
    ),
    amount_option(
        "--named-share",
        0.2,
        "Share of games that begin with a named opening and up to 3 random plies.",
        most=1,
    ),
    amount_option(
        "--chess960-share",
        0.15,
        "Share of games that begin with a start position of Chess960 and 4 to 8 random plies.",
        most=1,
    ),
    file_option("--openings", "Book of openings: EPD, FEN or PGN, also .gz, .xz, .bz2.", OPENINGS),
)


def selfplay_options(command: Callable[..., None]) -> Any:
    """The options that say how games are played; the command gets `make_rules` in place of them.

    `make_rules()` reads the book of openings. It raises OpeningSuiteError.
    """

    @wraps(command)
    def with_rules(
        *,
        nodes: int,
        evaluator: GivenEvaluator,
        seed: int,
        random_plies: tuple[int, int],
        book_share: float,
        named_share: float,
        chess960_share: float,
        openings: Path,
        **others: Any,
    ) -> None:
        if random_plies[0] > random_plies[1]:
            raise click.UsageError("--random-plies: the least is more than the most")
        rest = 1 - book_share - named_share - chess960_share
        if rest < -_ROUNDING:
            raise click.UsageError(
                "--book-share, --named-share and --chess960-share are more than 1 together"
            )

        def make_rules() -> SelfPlayRules:
            sources = (
                OpeningSource(OpeningSuite.of_start_position(), *random_plies, share=max(rest, 0)),
                OpeningSource(OpeningSuite.read(openings, chess960=False), 0, 4, share=book_share),
                OpeningSource(OpeningSuite.of_named(), 0, 3, share=named_share),
                OpeningSource(OpeningSuite.of_chess960(), 4, 8, share=chess960_share),
            )
            return SelfPlayRules(sources, evaluator, nodes, seed)

        command(make_rules=make_rules, **others)

    for option in reversed(_OPTIONS):
        with_rules = option(with_rules)
    return with_rules
