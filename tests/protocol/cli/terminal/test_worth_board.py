"""What each man is worth, in colours."""

import chess
import pytest
from rich.style import Style

from engine.board.fen import parse_fen
from eval.explanation import NetworkParts
from protocol.cli.terminal.worth_board import worth_lines

FEN = "8/8/4k3/3p4/8/8/4n3/1N1QK3 b - - 0 1"
WORTHS = {chess.B1: 312, chess.D1: 1045, chess.E2: -5, chess.D5: 200}


def board() -> list[str]:
    parts = NetworkParts((0,) * 8, 1, tuple(WORTHS.get(square) for square in range(64)))
    return [line.plain.replace("\ufe0e", "") for line in worth_lines(parts, parse_fen(FEN))]


def test_men_and_numbers_stand_on_their_squares() -> None:
    lines = board()
    assert [line[:3] for line in lines[:16:2]] == [f" {rank} " for rank in range(8, 0, -1)]
    assert all(len(line) == 3 + 8 * 7 for line in lines[:16])
    for square in range(64):
        upper, lower = (lines[2 * (7 - square // 8) + row][3 + 7 * (square % 8) :][:7] for row in (0, 1))
        piece = chess.Board(FEN).piece_at(square)
        assert upper.strip() == ("♟♞♝♜♛♚"[piece.piece_type - 1] if piece else "")
        assert lower.strip() == (f"{WORTHS[square] / 100:.2f}" if square in WORTHS else "")
    assert lines[16].split() == list("abcdefgh")
    assert lines[17].endswith("than 1, 3, 3, 5, 9")


@pytest.mark.parametrize(
    ("worth", "colour"),
    [(0, "#d75f5f"), (200, "#d78787"), (300, "#afafaf"), (400, "#87af87"), (500, "#5faf5f")],
)
def test_colours_compare_with_the_usual_worth(worth: int, colour: str) -> None:
    parts = NetworkParts((0,) * 8, 1, tuple(worth if square == chess.B1 else None for square in range(64)))
    line = worth_lines(parts, parse_fen(FEN))[14]
    knight = next(span for span in line.spans if span.start <= 3 + 7 + 3 < span.end)
    assert isinstance(knight.style, Style)
    assert knight.style.bgcolor is not None
    assert knight.style.bgcolor.name == colour
