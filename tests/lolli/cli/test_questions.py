"""The questions of a quiz, whose answers are those of a brute force, and what counts as an answer."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import inf, log, sqrt
from operator import mul
from random import Random
from statistics import mean

import pytest

from engine.games.rules.tree import Tree
from lolli.cli.questions import TOPICS, Question, questions
from lolli.cli.questions.answers import (
    AnswerError,
    QuizAnswer,
    choice,
    numbers,
    result_and_move,
    some_leaves,
    some_moves,
)
from lolli.cli.trees.picture import Picture, notes, shown_value
from tests.engine.games.search.random_trees import value_by_definition
from tests.lolli.cli import brute_force

EACH = 12  # questions of each topic


def asked(topic: str, count: int = EACH) -> Iterator[Question]:
    return questions([topic], count, seed=11)


def right(question: Question, words: Iterable[object]) -> bool:
    text = " ".join(str(round(word, 4) if isinstance(word, float) else word) for word in words)
    return question.answer.checked(text or "none")[0]


def tree_of(question: Question) -> Tree:
    assert isinstance(question.asked, Picture)
    tree = question.asked.root.state
    assert isinstance(tree, Tree)
    return tree


@pytest.mark.parametrize("topic", ["minimax", "expectiminimax"])
def test_values(topic: str) -> None:
    for question in asked(topic):
        expected = value_by_definition(tree_of(question))
        assert right(question, [expected])
        assert right(question, [question.answer.text])
        assert not right(question, [expected + 1])


def test_pruned_leaves() -> None:
    for question in asked("alphabeta"):
        tree = tree_of(question)
        unseen = brute_force.unseen_by_alphabeta(tree, brute_force.lettered(tree))
        assert unseen
        assert right(question, sorted(unseen, reverse=True))
        assert not right(question, [])


def test_pruned_leaves_in_the_best_order() -> None:
    for question in asked("best-order"):
        tree = tree_of(question)
        best = brute_force.in_best_order(tree)
        unseen = brute_force.unseen_by_alphabeta(best, brute_force.lettered(tree))
        assert right(question, unseen)
        assert isinstance(question.solution, Picture)
        assert question.solution.root.state == best


def test_max_n_and_paranoid() -> None:
    for question in asked("maxn"):
        assert right(question, brute_force.each_for_itself(tree_of(question)))
    for question in asked("paranoid"):
        tree = tree_of(question)
        assert right(question, [brute_force.all_against_the_first(tree)])
        assert all(sum(leaf.payoffs) == 0 for leaf in tree.leaves())


def test_ucb_by_its_formula() -> None:
    for question in asked("ucb", 6):
        assert isinstance(question.asked, Picture)
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
        assert [move for move in bounds if right(question, [move])] == [chosen]


def test_backpropagation_by_its_formula() -> None:
    winners = set()
    for question in asked("backpropagation"):
        assert isinstance(question.asked, Picture)
        said = re.search(r"move (\d), then (\d), and (MAX|MIN) wins", question.text)
        assert said is not None
        node, expected = question.asked.root, []
        for move, mover in ((said[1], "MAX"), (said[2], "MIN")):
            (node,) = (child for child in node.children if child.move == move)
            (visits,) = (int(note[2:]) for note in notes(node, question.asked.search))
            wins = round(visits * float(shown_value(node, question.asked.search)))
            expected += [visits + 1, (wins + (said[3] == mover)) / (visits + 1)]
        winners.add(said[3])
        assert right(question, expected)
        assert question.answer.how.startswith("4 numbers, n and the mean of each move, such as ")
        for reason in question.reasons[1:]:
            made, value = reason.rpartition("mean = ")[2].split(" = ")
            assert eval(made.replace("·", "*")) == pytest.approx(float(value), abs=1e-4)
    assert winners == {"MAX", "MIN"}


def test_best_reply() -> None:
    """The opponents' replies count together, and looking at one of them alone would mislead."""
    for question in asked("best-reply"):
        replies = [[reply.payoffs[0] for reply in move.children] for move in tree_of(question).children]
        chosen, *alone = (
            max(range(3), key=lambda move: min(replies[move][seen]))
            for seen in (slice(0, 4), slice(0, 2), slice(2, 4))
        )
        assert right(question, [chosen])
        assert not any(right(question, [each]) for each in alone)


def test_nim() -> None:
    won = []
    for question in asked("nim"):
        assert isinstance(question.asked, str)
        piles = tuple(int(line.split()[0]) for line in question.asked.splitlines())
        moves = brute_force.splits(piles)
        winning = {move for move, after in moves.items() if not brute_force.is_won_nim(after)}
        assert all(move in question.answer.how for move in moves)
        assert right(question, winning)
        assert [reason.endswith("wins") for reason in question.reasons].count(True) == len(winning)
        assert "Grundy" in question.reasons[0]
        values = {move: 1 if move in winning else -1 for move in moves}
        assert isinstance(question.solution, Picture)
        seen = {child.move: child.visited.value for child in question.solution.root.children if child.visited}
        assert seen == values, "the tree has the result of every move"
        won.append(bool(winning))
    assert set(won) == {True, False}


def test_tictactoe() -> None:
    results = set()
    for question in asked("tictactoe"):
        assert isinstance(question.asked, str)
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
        for move, value in values.items():
            assert right(question, [best, move]) is (value == best)
        assert best < 0 or len(set(values.values())) > 1
        results.add(best)
        assert isinstance(question.solution, Picture)
        seen = {child.move: child.visited.value for child in question.solution.root.children if child.visited}
        assert seen == values, "the tree has the result of every move"
    assert results == {-1, 0, 1}


def test_windows() -> None:
    for question in asked("window"):
        tree = tree_of(question)
        assert isinstance(question.asked, Picture)
        (node,) = (node for node in question.asked.nodes if node.name == "A")
        place = re.search(r"node A, which is ([0-9>]+)\?$", question.text)
        assert place is not None
        named = tree
        for move in place[1].split(">"):
            named = named.play(int(move))
        assert node.state is named
        alpha, beta = brute_force.window_at(tree, named)
        assert -inf < alpha < beta < inf
        assert right(question, [alpha, beta])
        assert not right(question, [beta, alpha])


def test_pruning_at_chance_nodes() -> None:
    for question in asked("star1"):
        tree = tree_of(question)
        unseen = brute_force.unseen_by_star1(tree, brute_force.lettered(tree), greatest=10)
        assert unseen
        assert right(question, unseen)


def test_counts_of_deepening() -> None:
    for question in asked("deepening"):
        depths = [*range(1, tree_of(question).height() + 1)]
        nodes = [brute_force.nodes_to(tree_of(question), depth) for depth in depths]
        assert right(question, [nodes[-1], sum(nodes)])
        assert f"{depths[-1]} plies deep" in question.text


def test_transpositions_of_nim() -> None:
    for question in asked("transpositions"):
        assert isinstance(question.asked, str)
        piles = tuple(int(line.split()[0]) for line in question.asked.splitlines())
        nodes, waiting = 0, [piles]
        positions = set()
        while waiting:
            nodes += 1
            at = waiting.pop()
            positions.add(tuple(sorted(at)))
            waiting += brute_force.splits(at).values()
        assert right(question, [nodes, len(positions)])


def test_horizons() -> None:
    for question in asked("horizon"):
        tree = tree_of(question)
        means = [mean(leaf.payoffs[0] for leaf in child.leaves()) for child in tree.children]
        values = [value_by_definition(child) for child in tree.children]
        near, far = (row.index(max(row)) for row in (means, values))
        assert near != far
        assert right(question, [near, far])


def test_retrograde_analysis() -> None:
    for question in asked("retrograde"):
        assert isinstance(question.asked, str)
        rows = (line.split(": ") for line in question.asked.splitlines())
        moves = {name: [] if after == "no move" else after.split(", ") for name, after in rows}
        results = brute_force.results_in_a_graph(moves)
        assert {*results.values()} == {-1, 0, 1}
        assert right(question, [name for name, result in results.items() if result > 0])
        nouns = {1: "wins", 0: "draws", -1: "loses"}
        assert isinstance(question.solution, str)
        told = [line.split(" in ")[0] for line in question.solution.splitlines()]
        assert told == [f"{name}: {nouns[result]}" for name, result in results.items()]


def test_linear_evaluations() -> None:
    for question in asked("linear"):
        assert isinstance(question.asked, str)
        weights, *moves = (
            [*map(Fraction, re.findall(r"-?[\d.]+", line))] for line in question.asked.splitlines()
        )
        values = {int(move): sum(map(mul, weights, counts)) for move, *counts in moves}
        best = max(values, key=lambda move: values[move])
        assert right(question, [best, float(values[best])])
        assert not right(question, [best, float(values[best]) + 0.1])


def test_lists_of_threat_ads() -> None:
    rules = set()
    for question in asked("move-to-front"):
        assert isinstance(question.asked, str)
        opponents, places = question.asked.split(), []
        found = re.findall(r"p\d", question.text)
        for opponent in found:
            place = opponents.index(opponent)
            places.append(place + 1)
            to = 0 if "to the front" in question.text else max(0, place - 1)
            opponents.insert(to, opponents.pop(place))
        rules.add("to the front" in question.text)
        assert right(question, places)
        assert question.solution == " ".join(opponents)
    assert rules == {True, False}


_WITHOUT_A_TREE = {"nim", "tictactoe", "transpositions", "retrograde", "linear", "move-to-front"}


@pytest.mark.parametrize("topic", sorted({*TOPICS} - _WITHOUT_A_TREE - {"ucb", "backpropagation"}))
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


NAMES = ["a1", "b2", "c3"]


def read(word: str) -> str:
    return NAMES[NAMES.index(word)]


NUMBER, VECTOR = numbers((2.5,)), numbers((3.0, -1.0, 4.0))
LEAVES, NO_LEAVES = some_leaves("bd", "abcd"), some_leaves("", "abcd")
MOVES, NO_MOVES = some_moves(("a1", "c3"), NAMES, read), some_moves((), NAMES, read)
CHOICE, RESULT = choice("b2", NAMES), result_and_move(0, ("a1", "b2"), NAMES, read)


@pytest.mark.parametrize(
    ("answer", "typed"),
    [
        *((NUMBER, typed) for typed in ("2.5", "+2.5", "5/2", "2.50", "2.504", " 2.5 ")),
        *((VECTOR, typed) for typed in ("3 -1 4", "3, -1, 4", "3;\N{MINUS SIGN}1;4", "3.0 -1. 4")),
        *((LEAVES, typed) for typed in ("b d", "bd", "D, B", "b;d")),
        *((MOVES, typed) for typed in ("a1 c3", "C3,A1")),
        *((RESULT, typed) for typed in ("draw a1", "B2 draw", "0 a1", "drawn b2")),
        *((numbers((1 / 3,)), typed) for typed in ("1/3", ".33")),
        *((answer, answer.text) for answer in (NUMBER, VECTOR, LEAVES, NO_LEAVES, MOVES, NO_MOVES, CHOICE)),
        (numbers((-6.0,)), "-6"),
        (result_and_move(1, ("a1",), NAMES, read), "win a1"),
        (result_and_move(-1, ("a1",), NAMES, read), "-1 a1"),
    ],
)
def test_right(answer: QuizAnswer, typed: str) -> None:
    assert answer.checked(typed)[0]


@pytest.mark.parametrize(
    ("answer", "typed", "part"),
    [
        *((NUMBER, typed, "") for typed in ("3", "2.51", "-2.5", "0.00001")),
        (VECTOR, "3 -1 5", "2 of 3 right"),
        (VECTOR, "4 -1 3", "1 of 3 right"),
        (VECTOR, "1 2 3", ""),
        (LEAVES, "b", "1 of 2 found"),
        (LEAVES, "b c d", "2 of 2 found, 1 wrong"),
        (LEAVES, "none", ""),
        (NO_LEAVES, "a", ""),
        (MOVES, "a1 b2", "1 of 2 found, 1 wrong"),
        (NO_MOVES, "a1", ""),
        (CHOICE, "a1", ""),
        (RESULT, "win a1", "the move is right"),
        (RESULT, "draw c3", "the result is right"),
        (RESULT, "loss c3", ""),
    ],
)
def test_wrong_and_what_of_it_is_right(answer: QuizAnswer, typed: str, part: str) -> None:
    assert answer.checked(typed) == (False, part)


@pytest.mark.parametrize(
    ("answer", "typed"),
    [
        *((NUMBER, typed) for typed in ("", "two", "2.5 3", "1/0", "nan", "inf", "1e3", "9" * 5000, "²")),
        *((VECTOR, typed) for typed in ("3", "3 -1", "3 -1 4 1", "3-1 4 x")),
        *((LEAVES, typed) for typed in ("", "e", "b e", "1>0", "b none")),
        *((MOVES, typed) for typed in ("", "d4", "a1 d4", "a1 none")),
        *((CHOICE, typed) for typed in ("", "none", "a1 b2")),
        *((RESULT, typed) for typed in ("", "draw", "a1", "draw win a1", "draw a1 b2", "draw d4")),
        (NUMBER, "\x1b[31m"),
    ],
)
def test_no_answer_at_all(answer: QuizAnswer, typed: str) -> None:
    with pytest.raises(AnswerError, match=r"^not an answer: ") as error:
        answer.checked(typed)
    assert str(error.value).isprintable()
    assert str(error.value).endswith(f"; type {answer.how}")
