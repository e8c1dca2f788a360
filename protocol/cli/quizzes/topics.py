"""What a quiz may ask, by topic."""

from __future__ import annotations

from itertools import cycle, islice
from random import Random
from typing import TYPE_CHECKING

from protocol.cli.quizzes import game_questions, tree_questions, uct_questions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.cli.quizzes.question import Question

TOPICS: dict[str, Callable[[Random], Question]] = {
    "minimax": tree_questions.minimax_value,
    "alphabeta": tree_questions.pruned_leaves,
    "best-order": tree_questions.pruned_leaves_in_best_order,
    "expectiminimax": tree_questions.expected_value,
    "maxn": tree_questions.maxn_vector,
    "paranoid": tree_questions.paranoid_value,
    "best-reply": tree_questions.best_reply_choice,
    "ucb": uct_questions.ucb_choice,
    "backpropagation": uct_questions.backpropagated,
    "nim": game_questions.winning_moves_of_nim,
    "tictactoe": game_questions.end_of_tictactoe,
}
"""Each makes a random question; in the order of a course."""


def questions(topics: Sequence[str], count: int, seed: int) -> Iterator[Question]:
    """`count` questions, the topics one after the other and again. The same seed asks the same questions."""
    random = Random(seed)
    for topic in islice(cycle(topics), count):
        yield TOPICS[topic](Random(random.getrandbits(64)))
