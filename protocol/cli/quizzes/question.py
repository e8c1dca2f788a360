"""A question of an exercise sheet: what is asked about which picture, the answer, and why it is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.games.textbook.search import SearchLimits
from protocol.cli.tournaments.entrant import entrants
from protocol.cli.trees.picture import PictureLimits, picture_of
from protocol.cli.trees.watched_search import watched_search
from protocol.gtp.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.games.rules.game import Game
    from protocol.cli.quizzes.answers import QuizAnswer
    from protocol.cli.trees.picture import Picture
    from protocol.cli.trees.watched_search import WatchedSearch


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a tree, or about a board as text, and its solution.

    `reasons` are lines; `command` is the command of `lolli` that shows the solution.
    """

    title: str
    text: str
    asked: Picture | str
    answer: QuizAnswer
    reasons: Sequence[str]
    solution: Picture
    command: str


@dataclass(frozen=True, slots=True)
class SearchCommand:
    """A search as the command line has it: the game with its text, the searcher, the seed."""

    game: str
    text: str
    searcher: str
    seed: int = 0

    def rules(self) -> Game[Any]:
        """The game."""
        return Rules(self.game, text=self.text).game()

    def watched(self) -> WatchedSearch:
        """What the searcher does."""
        game = self.rules()
        (entrant,) = entrants([self.searcher], game, SearchLimits())
        return watched_search(game, game.start(), entrant, self.seed)

    def picture(self, depth: int | None = None) -> Picture:
        """What it has searched, `depth` plies of it."""
        return picture_of(self.watched(), PictureLimits(depth=depth))

    def command(self) -> str:
        """The same on the command line, with a page to step through."""
        seed = f" --seed {self.seed}" if self.seed else ""
        return f'lolli tree --game "{self.game} {self.text}" {self.searcher}{seed} --html question.html'
