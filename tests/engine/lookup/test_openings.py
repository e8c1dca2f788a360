"""The names of openings, by what is known of them, and the table as python-chess reads it."""

from collections import Counter
from random import Random

import chess
import pytest

from engine.board.fen import START_FEN, parse_fen
from engine.board.notation import move_text
from engine.lookup.openings import COMMENT, TABLE, OpeningName, named_moves, named_positions, opening_of

# From the Encyclopaedia's own index; lines that end where the name begins, and what transposes into them.
KNOWN = {
    "e4 e5 Nf3 Nc6 Bb5": ("C60", "Ruy Lopez"),
    "e4 e5 Nf3 Nc6 Bc4 Bc5": ("C50", "Italian Game: Giuoco Piano"),
    "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6": ("B90", "Sicilian Defense: Najdorf Variation"),
    "e4 c6": ("B10", "Caro-Kann Defense"),
    "d4 d5 c4 e6 Nc3 Nf6": ("D35", "Queen's Gambit Declined: Normal Defense"),
    "d4 Nf6 c4 e6 Nc3 Bb4": ("E20", "Nimzo-Indian Defense"),
    "c4 Nf6 Nc3 e6 d4 Bb4": ("E20", "Nimzo-Indian Defense"),
    "Nf3 Nf6 c4 e6 d4 Bb4+": ("E11", "Bogo-Indian Defense"),
    "e4 e6 d4 d5 e5": ("C02", "French Defense: Advance Variation"),
    "e4 d6 d4 Nf6 Nc3 g6": ("B07", "Pirc Defense"),
}


def board_after(moves: str) -> chess.Board:
    board = chess.Board()
    for san in moves.split():
        board.push_san(san)
    return board


@pytest.mark.parametrize("moves", KNOWN)
def test_openings_that_everybody_knows(moves: str) -> None:
    eco, name = KNOWN[moves]
    found = opening_of(board_after(moves))
    assert found is not None
    assert found.eco == eco
    assert name.startswith(found.name) or found.name.startswith(name)


def test_the_last_position_with_a_name_counts() -> None:
    board = board_after("e4 e5 Nf3 Nc6 Bb5 h5 a3 a5")
    assert opening_of(board) == opening_of(board_after("e4 e5 Nf3 Nc6 Bb5"))
    assert opening_of(chess.Board()) is None
    assert opening_of(chess.Board.from_chess960_pos(0)) is None


def test_a_position_without_its_moves() -> None:
    board = board_after("c4 Nf6 Nc3 e6 d4 Bb4")
    assert opening_of(chess.Board(board.fen())) == opening_of(board)


def test_family_and_variation() -> None:
    opening = OpeningName("C57", "Italian Game: Two Knights Defense, Fried Liver Attack")
    assert (opening.family, opening.variation) == ("Italian Game", "Two Knights Defense, Fried Liver Attack")
    assert OpeningName("B10", "Caro-Kann Defense").variation == ""
    assert str(opening) == "C57 Italian Game: Two Knights Defense, Fried Liver Attack"


def test_the_table() -> None:
    """Each position is one of python-chess's, as it writes it, and has one name."""
    head, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    assert head.startswith(COMMENT)
    assert "lichess-org/chess-openings" in head
    assert "CC0" in head
    rows = [line.split("\t") for line in lines]
    assert len(rows) > 3000
    assert len({epd for _, _, epd in rows}) == len(rows)
    for eco, name, epd in rows:
        assert eco[0] in "ABCDE"
        assert eco[1:].isdecimal()
        assert len(eco) == 3
        assert name == " ".join(name.split())
        board, _ = chess.Board.from_epd(epd)
        assert board.is_valid()
        assert board.epd() == epd


def test_a_move_chosen_from_the_table_leads_to_a_name() -> None:
    """In any game that it plays, for some moves; and the better known ones are played more often."""
    first = Counter[str]()
    for seed in range(60):
        position, board, chooser = parse_fen(START_FEN), chess.Board(), Random(seed)
        for ply in range(4):
            weights = named_moves(position)
            if not weights:
                break
            move = chooser.choices([*weights], [*weights.values()])[0]
            position.make(move)
            board.push_uci(move_text(move))
            assert board.epd() in named_positions()
            if ply == 0:
                first[move_text(move)] += 1
    assert first["e2e4"] + first["d2d4"] > 60 / 2
    assert len(first) > 2


def test_where_the_table_has_no_move() -> None:
    assert named_moves(parse_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")) == {}
