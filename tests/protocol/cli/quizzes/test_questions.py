"""The questions of a quiz: answers are those of a brute force, and no drawing gives them away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import log, sqrt
from random import Random
from typing import TYPE_CHECKING

import pytest

from engine.games.rules.game import OVER
from engine.games.rules.tree import Tree, parse_tree
from engine.games.textbook.best_reply import InTurn, best_reply
from engine.games.textbook.search import Meter
from protocol.cli.quizzes.answers import LeavesAnswer, MovesAnswer, NumbersAnswer, ResultAnswer
from protocol.cli.quizzes.topics import TOPICS, questions
from protocol.cli.quizzes.tree_questions import in_best_order
from protocol.cli.trees.picture import Picture, notes, shown_value
from tests.engine.games.textbook.random_trees import value_by_definition
from tests.protocol.cli.quizzes import brute_force

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.cli.quizzes.question import Question

EACH = 12
"""Questions of each topic."""


def asked(topic: str, count: int = EACH) -> Iterator[Question]:
    """Some questions."""
    return questions([topic], count, seed=11)


@dataclass(frozen=True)
class Replies:
    """A state of three players in a tree of moves of the first, then two replies of each of the others."""

    tree: Tree
    whose: int = 0

    @property
    def player(self) -> int:
        return self.whose if self.tree.children else OVER

    def after(self) -> Sequence[Tree]:
        """What can follow."""
        return [self.tree.children[move] for move in self.moves()]

    def moves(self) -> Sequence[int]:
        return range(3) if self.whose == 0 else range(2 * self.whose - 2, 2 * self.whose)

    def play(self, move: int) -> Replies:
        return Replies(self.tree.children[move], 1 if self.whose == 0 else 0)

    def payoff(self) -> Sequence[float]:
        return self.tree.payoffs

    def chances(self) -> Sequence[tuple[int, float]]:
        return ()

    def turn(self, player: int) -> Replies:
        return Replies(self.tree, player)


def tree_of(question: Question) -> Tree:
    """The tree that is drawn."""
    assert isinstance(question.asked, Picture)
    tree = question.asked.root.state
    assert isinstance(tree, Tree)
    return tree


@pytest.mark.parametrize("topic", ["minimax", "expectiminimax"])
def test_values(topic: str) -> None:
    for question in asked(topic):
        expected = value_by_definition(tree_of(question))
        assert isinstance(question.answer, NumbersAnswer)
        assert question.answer.values == pytest.approx((expected,))
        assert question.answer.is_right(question.answer.text)
        assert not question.answer.is_right(str(expected + 1))


def test_pruned_leaves() -> None:
    for question in asked("alphabeta"):
        tree = tree_of(question)
        unseen = brute_force.unseen_by_alphabeta(tree, brute_force.lettered(tree))
        assert isinstance(question.answer, LeavesAnswer)
        assert question.answer.right == unseen != set()
        assert question.answer.is_right("".join(sorted(unseen, reverse=True)))
        assert not question.answer.is_right("none")


def test_pruned_leaves_in_the_best_order() -> None:
    for question in asked("best-order"):
        tree = tree_of(question)
        best = brute_force.in_best_order(tree)
        unseen = brute_force.unseen_by_alphabeta(best, brute_force.lettered(tree))
        assert isinstance(question.answer, LeavesAnswer)
        assert question.answer.right == unseen
        assert question.solution.root.state == best


def test_best_order_leaves_equal_moves_as_they_are() -> None:
    text, names = in_best_order(parse_tree("((2,1),(3,3),(1,4))"))
    assert (text, names) == ("((3,3),(1,2),(1,4))", "cdbaef")


def test_max_n_and_paranoid() -> None:
    for question in asked("maxn"):
        assert question.answer == NumbersAnswer(tuple(brute_force.each_for_itself(tree_of(question))))
    for question in asked("paranoid"):
        tree = tree_of(question)
        assert question.answer == NumbersAnswer((brute_force.all_against_the_first(tree),))
        assert all(sum(leaf.payoffs) == 0 for leaf in tree.leaves())


def test_no_player_of_max_n_is_indifferent() -> None:
    def reversed_tree(tree: Tree) -> Tree:
        children = tuple(map(reversed_tree, reversed(tree.children)))
        return Tree(tree.player, children, (), tree.payoffs, 0)

    for question in asked("maxn"):
        tree = tree_of(question)
        assert brute_force.each_for_itself(reversed_tree(tree)) == brute_force.each_for_itself(tree)


def test_ucb_by_its_formula() -> None:
    for question in asked("ucb", 6):
        assert isinstance(question.asked, Picture)
        assert isinstance(question.answer, MovesAnswer)
        exploration = float(question.text.split("c = ")[1].rstrip("?"))
        counted = {}
        for child in question.asked.root.children:
            (visits,) = (int(note[2:]) for note in notes(child, question.asked.search))
            counted[child.move] = visits, float(shown_value(child, question.asked.search))
        total = sum(visits for visits, _ in counted.values())
        assert f"played N = {total} random games" in question.text
        bounds = {
            move: rate + exploration * sqrt(log(total) / visits) for move, (visits, rate) in counted.items()
        }
        chosen = max(bounds, key=lambda move: bounds[move])
        assert question.answer.right == {chosen}
        assert question.answer.is_right(chosen)
        assert not question.answer.is_right(next(move for move in bounds if move != chosen))


def test_backpropagation_by_its_formula() -> None:
    winners = set()
    for question in asked("backpropagation"):
        assert isinstance(question.asked, Picture)
        assert isinstance(question.answer, NumbersAnswer)
        said = re.search(r"move (\d), then (\d), and (MAX|MIN) wins", question.text)
        assert said is not None
        node, expected = question.asked.root, []
        for move, mover in ((said[1], "MAX"), (said[2], "MIN")):
            (node,) = (child for child in node.children if child.move == move)
            (visits,) = (int(note[2:]) for note in notes(node, question.asked.search))
            wins = round(visits * float(shown_value(node, question.asked.search)))
            expected += [visits + 1, (wins + (said[3] == mover)) / (visits + 1)]
        winners.add(said[3])
        assert question.answer.values == pytest.approx(expected)
        assert question.answer.how.startswith("4 numbers, n and the mean of each move, such as ")
        for reason in question.reasons[1:]:
            made, value = reason.rpartition("mean = ")[2].split(" = ")
            assert eval(made.replace("·", "*")) == pytest.approx(float(value), abs=1e-4)
    assert winners == {"MAX", "MIN"}


def test_best_reply() -> None:
    """By the searcher itself, in a game where the turn can be given to an opponent."""
    for question in asked("best-reply"):
        tree, opponents = tree_of(question), InTurn(0, 3)
        found = best_reply(Replies(tree), 2, lambda _: (), Meter(), opponents)
        assert isinstance(question.answer, MovesAnswer)
        assert question.answer.right == {str(found.line[0])}
        for opponent in (1, 2):
            alone = [
                min(reply.payoffs[0] for reply in Replies(each, opponent).after()) for each in tree.children
            ]
            assert question.answer.right != {str(alone.index(max(alone)))}


def test_nim() -> None:
    won = []
    for question in asked("nim"):
        assert isinstance(question.asked, str)
        assert isinstance(question.answer, MovesAnswer)
        piles = tuple(int(line.split()[0]) for line in question.asked.splitlines())
        moves = brute_force.splits(piles)
        winning = {move for move, after in moves.items() if not brute_force.is_won_nim(after)}
        assert set(question.answer.legal) == set(moves)
        assert question.answer.right == winning
        assert question.answer.is_right(" ".join(winning) or "none")
        assert [reason.endswith("wins") for reason in question.reasons].count(True) == len(winning)
        assert "Grundy" in question.reasons[0]
        values = {move: 1 if move in winning else -1 for move in moves}
        seen = {child.move: child.visited.value for child in question.solution.root.children if child.visited}
        assert seen == values, "the tree has the result of every move"
        won.append(bool(winning))
    assert set(won) == {True, False}


def test_tictactoe() -> None:
    results = set()
    for question in asked("tictactoe"):
        assert isinstance(question.asked, str)
        assert isinstance(question.answer, ResultAnswer)
        rows = [line.split()[1:-1] for line in question.asked.splitlines()[1:-1]]
        board = "".join("".join(row) for row in rows)
        mover = "X" if board.count("X") == board.count("O") else "O"
        values = {}
        for square in range(9):
            if board[square] == ".":
                after = board[:square] + mover + board[square + 1 :]
                name = f"{'ABC'[square % 3]}{3 - square // 3}"
                values[name] = -brute_force.result_of_tictactoe(after, "XO"[mover == "X"])
        best = max(values.values())
        assert question.text.startswith(f"{mover} is to move")
        assert question.answer.result == best
        assert set(question.answer.best) == {move for move, value in values.items() if value == best}
        assert best < 0 or len(set(values.values())) > 1
        results.add(best)
        seen = {child.move: child.visited.value for child in question.solution.root.children if child.visited}
        assert seen == values, "the tree has the result of every move"
    assert results == {-1, 0, 1}


@pytest.mark.parametrize("topic", sorted({*TOPICS} - {"nim", "tictactoe", "ucb", "backpropagation"}))
def test_the_drawing_of_a_question_has_no_answer(topic: str) -> None:
    for question in asked(topic, 3):
        assert not isinstance(question.asked, str)
        for node in question.asked.nodes:
            assert not node.best
            assert not node.pruned
            assert node.left_out == 0
            assert bool(shown_value(node, question.asked.search)) is not bool(node.children)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_same_seed_asks_the_same(topic: str) -> None:
    one, same, other = (TOPICS[topic](Random(seed)) for seed in (3, 3, 4))
    told = [(each.text, each.command, each.answer.text, list(each.reasons)) for each in (one, same, other)]
    assert told[0] == told[1] != told[2]


def test_topics_come_one_after_the_other() -> None:
    titles = [question.title for question in questions(["nim", "minimax"], 5, seed=1)]
    assert titles == ["Splitting Nim", "Minimax", "Splitting Nim", "Minimax", "Splitting Nim"]


def test_reasons_add_up() -> None:
    for question in asked("paranoid"):
        first, *steps = [each for each in question.reasons if "pruned" not in each]
        assert "p1 takes the greatest, p2 and p3 the least" in first
        assert len(steps) == 7  # all nodes that are no leaves
        for step in steps:
            read = re.fullmatch(r"\S+: (\S+) = the (greatest|least) of (.*)", step)
            assert read is not None
            numbers = [float(each) for each in read[3].split(", ")]
            assert float(read[1]) == (max(numbers) if read[2] == "greatest" else min(numbers))
        assert steps[-1].startswith(f"root: {question.answer.text} = ")
    for question in asked("expectiminimax"):
        for reason in question.reasons:
            value, made = reason.split(": ", 1)[1].split(" = ")
            if "·" in made:
                terms = [[eval(number) for number in term.split("·")] for term in made.split(" + ")]
                assert sum(odds * number for odds, number in terms) == pytest.approx(float(value))
    for question in asked("alphabeta", 3):
        cuts = [
            re.match(r".*: alpha (\S+) ≥ beta (\S+): moves? .* pruned$", each) for each in question.reasons
        ]
        assert cuts
        assert all(cut and float(cut[1]) >= float(cut[2]) for cut in cuts)
