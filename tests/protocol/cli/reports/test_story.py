"""A game in reading order, and the rows of its moves."""

import sys

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.cli.reports.story import Bracket, MoveRow, PieceKind, rows_of, signs, story_of, text_of
from tests.protocol.cli.reports.samples import NAMES, nodes_in_order, parsed, sample


class Told(chess.pgn.BaseVisitor[list[str]]):
    """What a PGN file tells, in its order."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        self.words.append(board.san(move))

    def begin_variation(self) -> None:
        self.words.append("(")

    def end_variation(self) -> None:
        self.words.append(")")

    def result(self) -> list[str]:
        return self.words


def check(game: chess.pgn.Game) -> None:
    story = story_of(game)
    nodes = nodes_in_order(game)
    assert [step.index for step in story.steps] == list(range(len(nodes)))
    place = {id(node): index for index, node in enumerate(nodes)}
    for step, node in zip(story.steps, nodes, strict=True):
        board = node.board()
        assert step.fen == board.fen()
        assert step.ply == board.ply()
        assert step.check == (chess.square_name(board.king(board.turn) or 0) if board.is_check() else None)
        assert step.parent == (None if node.parent is None else place[id(node.parent)])
        if isinstance(node, chess.pgn.ChildNode):
            assert (step.move, step.san) == (node.move, node.san())
            assert step.by_white == (node.turn() == chess.BLACK)
        following = [place[id(each)] for each in node.variations]
        assert following == sorted(following)  # the script of the page takes the lowest for the main one
        told = list(story.line(step))
        assert [each.index for each in told[1:]] == [place[id(each)] for each in node.mainline()]
    words = [each.value if isinstance(each, Bracket) else each.san for each in story.parts]
    assert words[1:] == game.accept(Told())
    assert [step.fen for step in story.main_line] == [
        game.board().fen(),
        *(node.board().fen() for node in game.mainline()),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_samples(name: str) -> None:
    check(sample(name))


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=25))
def test_any_tree_of_moves(choices: list[tuple[int, int]]) -> None:
    game = chess.pgn.Game()
    nodes: list[chess.pgn.GameNode] = [game]
    for where, which in choices:
        node = nodes[where % len(nodes)]
        moves = [move for move in node.board().legal_moves if not node.has_variation(move)]
        if moves:
            nodes.append(node.add_variation(moves[which % len(moves)]))
    check(game)


def test_variations_nested_deeper_than_calls_of_python() -> None:
    depth = sys.getrecursionlimit() + 10
    game = chess.pgn.Game()
    node: chess.pgn.GameNode = game
    board = game.board()
    shuffle = [chess.Move.from_uci(text) for text in ("g1f3", "g8f6", "f3g1", "f6g8")]
    for ply in range(depth):
        node.add_variation(next(move for move in board.legal_moves if move != shuffle[ply % 4]))
        node = node.add_variation(shuffle[ply % 4])
        board.push(shuffle[ply % 4])
    story = story_of(game)
    assert len(story.steps) == 1 + 2 * depth
    assert max(step.depth for step in story.steps) == depth


def test_castling_in_chess960_leads_the_king_to_its_square() -> None:
    game = sample("chess960.pgn")
    castled = {step.san: step.squares for step in story_of(game).main_line if step.san.startswith("O-O")}
    assert castled == {"O-O": ("e1", "g1"), "O-O-O": ("e8", "c8")}


def test_what_comments_say() -> None:
    game = parsed(
        "{ Before. } 1. e4 { [%clk 0:01:02.5] Two\n lines. [%eval 0.25,12] } "
        "( { Or } 1. d4 $4 $14 { [%cal Gd2d4,Rd4d4][%csl Ye5] } ) 1... e5 { [%eval #-3] } *"
    )
    first, e4, d4, e5 = story_of(game).steps
    assert first.comment == "Before."
    assert (e4.comment, e4.clock, e4.score) == ("Two lines.", 62.5, chess.engine.Cp(25))
    assert (d4.opening, d4.comment, d4.nags) == ("Or", "", (4, 14))
    assert {(each.tail, each.head, each.color) for each in d4.drawings} == {
        ("d2", "d4", "green"),
        ("d4", "d4", "red"),
        ("e5", "e5", "yellow"),
    }
    assert e5.score == chess.engine.Mate(-3)


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("[%eval 0.3] [%clk 1:00:00]", ""),
        ("good [%eval 0.3]move", "good move"),
        ("[brackets] 50% [%", "[brackets] 50% [%"),
    ],
)
def test_commands_are_no_text(comment: str, text: str) -> None:
    assert text_of(comment) == text


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ("1. f3 e5 2. g4 Qh4# { [%eval #0] }", "Mate(-0)"),
        ("1. e4 f5 2. Qh5+ g6 3. Nc3 a6 4. Nd5 a5 5. Nxc7+ Qxc7 6. exf5 a4 7. f6 a3 8. Qxg6+ hxg6", "None"),
        ("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#", "MateGiven"),
    ],
)
def test_the_rules_score_a_game_that_is_over(moves: str, text: str) -> None:
    assert repr(story_of(parsed(moves)).main_line[-1].score) == text


def test_a_stalemate_is_even() -> None:
    game = parsed('[FEN "7k/4Q3/8/8/8/8/8/K7 w - - 0 1"]\n\n1. Qf7')
    assert [step.score for step in story_of(game).main_line] == [None, chess.engine.Cp(0)]


def told_again(rows: list[MoveRow]) -> list[str]:
    """The moves and brackets of rows, in the order in which they are read."""
    words = []
    for row in rows:
        words += [step.san for step in (row.white, row.black) if step]
        for note in row.notes:
            if note.variation:
                inner = [piece.step.san if piece.step else piece.part.value for piece in note.variation]
                words += ["open", *(word for word in inner if word != "comment"), "close"]
    return words


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_or_moved(name: str) -> None:
    story = story_of(sample(name))
    names = {Bracket.OPEN: "open", Bracket.CLOSE: "close"}
    told = [names[each] if isinstance(each, Bracket) else each.san for each in story.parts[1:]]
    assert told_again(rows_of(story)) == told


def test_rows_and_notes() -> None:
    game = parsed(
        "1. e4 { King's pawn. } (1. d4 d5 (1... Nf6 2. c4 { best } 2... e6) 2. c4) 1... e5 2. Nf3 Nc6"
    )
    rows = rows_of(story_of(game))
    shape = [(row.number, row.white and row.white.san, row.black and row.black.san) for row in rows]
    assert shape == [(1, "e4", None), (1, None, "e5"), (2, "Nf3", "Nc6")]
    comment, variation = rows[0].notes
    assert comment.comment == "King's pawn."
    pieces = [
        (piece.number, piece.step.san) if piece.step else (piece.part, piece.text)
        for piece in variation.variation
    ]
    assert pieces == [
        ("1.", "d4"),
        ("", "d5"),
        (PieceKind.OPEN, ""),
        ("1…", "Nf6"),
        ("2.", "c4"),
        (PieceKind.COMMENT, "best"),
        ("2…", "e6"),
        (PieceKind.CLOSE, ""),
        ("2.", "c4"),
    ]


def test_a_game_that_black_begins() -> None:
    rows = rows_of(story_of(sample("from_position.pgn")))
    assert [row.number for row in rows] == [37, 38, 39, 40]
    assert rows[0].white is None


@pytest.mark.parametrize(
    ("nags", "expected"),
    [
        ([], ("", "")),
        ([chess.pgn.NAG_BLUNDER, chess.pgn.NAG_WHITE_SLIGHT_ADVANTAGE], ("??", "+/=")),
        ([chess.pgn.NAG_SPECULATIVE_MOVE], ("!?", "")),
        ([7, 10, 255], ("□", "= $255")),
    ],
)
def test_signs(nags: list[int], expected: tuple[str, str]) -> None:
    assert signs(nags) == expected
