"""`lolli.annotate`, `lolli.accuracy` and `lolli.explain`: the same as on the command line."""

import io
from typing import Any

import chess
import chess.pgn
import pytest
from chess.engine import Limit

import lolli
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import annotate_game
from lolli._coach import explained
from lolli._engine import engine_limits
from lolli._findings import Finding
from lolli.cli.reports.story import JudgedGame
from protocol.uci.parser import Go, parse
from tests.lolli.cli.annotation.annotating import SCHOLAR, random_games

FEN = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
LIMIT = Limit(nodes=300)


def read(text: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    return game


@pytest.fixture(scope="module")
def game() -> chess.pgn.Game:
    return read(random_games(1, 30, seed=4).decode())


def test_annotate_gives_a_copy_as_the_command_writes_it(game: chess.pgn.Game) -> None:
    before, expected = str(game), read(str(game))
    with Analyst() as analyst:
        annotate_game(expected, analyst, engine_limits(LIMIT))
    assert str(lolli.annotate(game, LIMIT)) == str(expected)
    assert "%why" in str(expected)
    assert str(game) == before


def test_annotating_needs_a_limit_that_ends(game: chess.pgn.Game) -> None:
    with pytest.raises(lolli.LimitError, match="a search needs a limit"):
        lolli.annotate(game, Limit())


def test_annotate_as_it_is_told(game: chess.pgn.Game) -> None:
    bare = lolli.annotate(game, LIMIT, reasons=False)
    assert "%why" not in str(bare)
    assert str(lolli.annotate(lolli.annotate(game, LIMIT), LIMIT, reasons=False)) == str(bare)
    said = read(SCHOLAR.replace("Nf6", "Nf6 {oh}"))
    assert "oh" in str(lolli.annotate(said, LIMIT))
    assert "oh" not in str(lolli.annotate(said, LIMIT, fresh=True))


def test_accuracy_is_what_the_page_says(game: chess.pgn.Game) -> None:
    annotated = lolli.annotate(game, LIMIT)
    told = lolli.accuracy(annotated)
    assert [f"{told.white}", f"{told.black}"] == [
        annotated.headers["WhiteAccuracy"],
        annotated.headers["BlackAccuracy"],
    ]
    for header in ("Analysis", "WhiteAccuracy", "BlackAccuracy", "WhiteACPL", "BlackACPL"):
        del annotated.headers[header]  # as of another program
    for color, value in zip(chess.COLORS, lolli.accuracy(annotated), strict=True):
        shown = JudgedGame(annotated).player(color)
        assert shown is not None
        assert value == round(shown.measures.accuracy, 1)
    assert lolli.accuracy(game) == (None, None)


def test_a_game_of_a_variant_is_not_annotated() -> None:
    atomic = read('[Variant "Atomic"]\n\n1. e4 e5 *')
    with pytest.raises(lolli.PositionError, match="not atomic"):
        lolli.annotate(atomic, LIMIT)


@pytest.mark.parametrize("lines", [0, -1, 257])
def test_annotate_refuses_a_wrong_number_of_lines(game: chess.pgn.Game, lines: int) -> None:
    with pytest.raises(lolli.OptionError, match="lines must be from 1 to 256"):
        lolli.annotate(game, LIMIT, lines=lines)


@pytest.mark.parametrize("move", ["Nf6", "g8f6", chess.Move.from_uci("g8f6")])
@pytest.mark.parametrize("board", [FEN, chess.Board(FEN)])
def test_explain_a_blunder(board: chess.Board | str, move: chess.Move | str) -> None:
    told = lolli.explain(board, move, nodes=2000)
    assert str(told) == told.text
    assert told.text.startswith("Allows mate: 4. Qxf7#.")
    assert (told.mark, {*told.motifs}) == ("??", {"mate", "mateIn1"})
    assert [each.uci() for each in told.reply] == ["h5f7"]
    assert told.better[0] in chess.Board(FEN).legal_moves


def test_explain_a_good_move() -> None:
    told = lolli.explain(FEN, "g6", nodes=2000)
    assert (told.text, told.mark) == ("Stops the threat of mate by Qxf7#.", "")
    assert {*told.motifs} == {"defensiveMove"}
    told = lolli.explain("7k/8/5K2/8/8/8/8/R7 w - - 0 1", "Kf7", nodes=3000)
    assert told.text == "Mates in 2: 1. Kf7 Kh7 2. Rh1#."
    assert lolli.explain(chess.Board(), "e4", nodes=500).text.startswith("Loses nothing: 1. e4 ")


@pytest.mark.parametrize(
    ("board", "move", "told"),
    [
        (
            "r4rk1/2p1bpp1/qp2p2p/p3P3/P1p2B2/4P2P/1PQ2PP1/2R2RK1 b - - 4 18",
            "f6",
            "Better was 18... b5.",
        ),
    ],
)
def test_a_move_with_a_mark_is_never_praised(board: str, move: str, told: str) -> None:
    """Not even where nothing certain can be said of what it loses."""
    found = lolli.explain(board, move, nodes=500)
    assert found.mark
    assert found.text == told


def test_a_move_that_loses_what_is_lost_anyhow_is_not_praised() -> None:
    told = lolli.explain("3r2k1/5ppp/8/8/8/8/4qPPP/R5K1 w - - 0 1", "Ra7", nodes=2000)
    assert told.text.startswith("Allows mate: 1... ")
    assert not told.mark


@pytest.mark.parametrize(
    ("board", "move", "message"),
    [
        ("hello", "e4", "not a FEN: 'hello'"),
        (chess.STARTING_FEN, "e5", "not a legal move: 'e5'"),
        (chess.STARTING_FEN, "hello", "not a legal move: 'hello'"),
        (chess.STARTING_FEN, chess.Move.from_uci("e2e5"), "not a legal move: e2e5"),
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "Kb1", "not a position from which a game could go on"),
    ],
)
def test_what_cannot_be_explained(board: str, move: Any, message: str) -> None:
    with pytest.raises(lolli.PositionError) as error:
        lolli.explain(board, move)
    assert str(error.value) == message


def test_explaining_needs_a_node() -> None:
    with pytest.raises(lolli.LimitError, match="the nodes must be at least 1, not 0"):
        lolli.explain(chess.STARTING_FEN, "e4", nodes=0)


def test_explaining_takes_as_many_nodes_as_go_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Limits] = []

    def noted(_analyst: Analyst, _board: chess.Board, _move: chess.Move, limits: Limits) -> None:
        asked.append(limits)

    monkeypatch.setattr("lolli._coach.explained", noted)
    for nodes in (5000, 10**20):
        lolli.explain(chess.STARTING_FEN, "e4", nodes=nodes)
        go = parse(f"go nodes {nodes}")
        assert isinstance(go, Go)
        assert asked.pop() == go.limits


def test_a_mate_that_could_be_put_off_is_allowed() -> None:
    found = lolli.explain("8/8/8/8/8/4k3/q7/5K2 w - - 0 1", "Ke1", nodes=5000)
    assert found.text.startswith("Allows mate: 1... Q")
    assert found.text.endswith("Better was 1. Kg1.")


def test_castling_has_two_names() -> None:
    fen = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
    by_target, onto_rook = (
        lolli.explain(fen, chess.Move.from_uci(text), nodes=2000) for text in ("e1g1", "e1h1")
    )
    assert by_target == onto_rook


def test_a_stop_shortens_the_searches_to_come() -> None:
    asked = []

    class Stopped(Analyst):
        def best(self, board: chess.Board, limits: Limits) -> Finding:
            asked.append(limits)
            found = super().best(board, limits)
            self.stop()
            return found

    limits = Limits(nodes=20_000)
    with Stopped() as analyst:
        for _ in range(2):
            explained(analyst, chess.Board(), chess.Move.from_uci("a2a3"), limits)
    assert asked == [limits, Limits(nodes=1000)] * 2


def test_any_mate_is_right() -> None:
    found = lolli.explain("6k1/5ppp/8/8/8/8/8/RR4K1 w - - 0 1", "Rb8#", nodes=2000)
    assert (found.text, found.mark) == ("Checkmate.", "")
