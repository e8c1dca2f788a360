"""The moves arranged for reading."""

import chess.pgn
import pytest

from protocol.cli.reports.story import Bracket, MoveRow, PieceKind, rows_of, signs, story_of
from tests.protocol.cli.reports.samples import NAMES, parsed, sample


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
