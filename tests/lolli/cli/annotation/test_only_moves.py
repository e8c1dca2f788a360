"""`annotate --lines` and `--book`: `!` for only moves, against a plain search, and moves of the book."""

import io
from collections.abc import Iterator
from pathlib import Path

import chess
import chess.pgn
import chess.polyglot
import pytest
from chess.engine import Score

from engine.lookup.book import STANDARD
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import AnnotationOptions, annotate_game
from lolli._findings import AnalystSettings
from lolli.cli.runs import GrowingFile
from tests.lolli.cli.annotation.annotating import SCHOLAR, read
from tests.lolli.cli.annotation.test_annotator import chances
from tests.lolli.cli.reports.commands import inside, outside, refused

LIMITS = Limits(nodes=2000)
RUY = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 h5 5. Bxc6 dxc6 6. Nxe5 Qd4 7. Nf3 Qxe4+ *"
LEGAL = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# *"
GOOD = chess.pgn.NAG_GOOD_MOVE


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(megabytes=1, lines=2)) as analyst:
        yield analyst


def lines_of(analyst: Analyst, game: chess.pgn.Game) -> list[list[tuple[Score, chess.Move]]]:
    """The oracle: score and first move of both lines in each position of the main line, White's view."""
    analyst.new_game()
    found = []
    for node in [game, *game.mainline()]:
        board = node.board()
        if not board.is_checkmate():
            findings = analyst.findings(board, LIMITS)
            found.append([(finding.white, finding.moves[0]) for finding in findings if finding.moves])
    return found


def takes_back(node: chess.pgn.ChildNode) -> bool:
    """By the men on the board: on that square the other side has just taken one."""
    before = node.parent
    if not isinstance(before, chess.pgn.ChildNode):
        return False
    took = before.parent.board().piece_at(before.move.to_square) is not None
    return took and before.move.to_square == node.move.to_square


@pytest.mark.parametrize("moves", [LEGAL, RUY, SCHOLAR])
def test_only_moves_are_those_whose_second_best_is_a_mistake(analyst: Analyst, moves: str) -> None:
    expected = lines_of(analyst, read(moves))
    game = read(moves)
    judgement = annotate_game(game, analyst, LIMITS)
    assert judgement is not None
    for node, lines, only in zip(game.mainline(), expected, judgement.only, strict=False):
        before = node.parent.board()
        lead = 0.0
        if len(lines) > 1:
            lead = (chances(lines[0][0]) - chances(lines[1][0])) * (1 if before.turn else -1)
        is_only = lead >= 0.2 and node.move == lines[0][1] and not takes_back(node)
        assert only == is_only
        assert (GOOD in node.nags) == is_only
        if is_only:
            assert [each.move for each in node.parent.variations[1:]] == [lines[1][1]]


def test_legal_sacrifices_and_mates_with_only_moves(analyst: Analyst) -> None:
    game = read(LEGAL)
    assert annotate_game(game, analyst, LIMITS)
    praised = [node.san() for node in game.mainline() if GOOD in node.nags]
    assert "Bxf7+" in praised
    assert "Nd5#" in praised
    assert "Ke7" not in praised


def test_annotating_again_replaces_what_was_ours_and_keeps_what_was_not(analyst: Analyst) -> None:
    game = read(LEGAL.replace("Nd5#", "Nd5# $3"))
    assert annotate_game(game, analyst, LIMITS)
    once = str(game)
    assert annotate_game(game, analyst, LIMITS)
    assert str(game) == once
    assert game.end().nags == {chess.pgn.NAG_BRILLIANT_MOVE}
    with Analyst(AnalystSettings(megabytes=1)) as single:
        assert annotate_game(game, single, LIMITS)
    assert not any(GOOD in node.nags for node in game.mainline())


def test_a_mark_where_the_second_line_is_somebodys(analyst: Analyst) -> None:
    """Their variation stays as it is, and a later annotation takes the mark back with its own line alone."""
    expected = lines_of(analyst, read(LEGAL))
    game = read(LEGAL)
    node = next(node for node in game.mainline() if node.san() == "Bxf7+")
    second = expected[node.ply() - 1][1][1]
    theirs = node.parent.add_line([second], starting_comment="I had hoped for this")
    theirs.nags.add(GOOD)
    assert annotate_game(game, analyst, LIMITS)
    assert GOOD in node.nags
    assert [each.move for each in node.parent.variations] == [node.move, second, second]
    assert node.parent.variations[1] is theirs
    assert (theirs.starting_comment, theirs.comment, theirs.nags) == ("I had hoped for this", "", {GOOD})
    once = str(game)
    again = read(once)
    assert annotate_game(again, analyst, LIMITS)
    assert str(again) == once
    with Analyst(AnalystSettings(megabytes=1)) as single:
        assert annotate_game(again, single, LIMITS)
    praised = [each for each in again.mainline() if GOOD in each.nags]
    assert praised == []
    assert str(again).count("I had hoped") == 1
    assert str(again).count(f"6. {node.parent.board().san(second)}") == 1


def test_moves_of_the_book_are_not_judged(analyst: Analyst) -> None:
    game = read(RUY)
    judgement = annotate_game(game, analyst, LIMITS, AnnotationOptions(book=str(STANDARD)))
    assert judgement is not None
    board, plies = chess.Board(), 0
    with chess.polyglot.open_reader(STANDARD) as book:
        for move in read(RUY).mainline_moves():
            if move not in {entry.move for entry in book.find_all(board)}:
                break
            board.push(move)
            plies += 1
    assert judgement.book == plies > 2
    nodes = list(game.mainline())
    assert all(node.eval() is None and not node.nags for node in nodes[: plies - 1])
    assert all(node.eval() is not None for node in nodes[plies - 1 :])
    assert "book until here" in nodes[plies - 1].comment
    text = str(game)
    assert annotate_game(game, analyst, LIMITS, AnnotationOptions(book=str(STANDARD)))
    assert str(game) == text
    assert annotate_game(game, analyst, LIMITS)
    assert "book until here" not in str(game), "without a book there is none to speak of"


def test_what_a_person_says_of_a_book_stays(analyst: Analyst) -> None:
    said = "my book until here, then memory"
    game = read(RUY.replace("Nc6", f"Nc6 {{{said}}}"))
    for book in (str(STANDARD), None):
        annotate_game(game, analyst, LIMITS, AnnotationOptions(book=book))
        assert said in str(game)


def test_a_game_of_the_book_alone_stays_as_it_is(analyst: Analyst) -> None:
    game = read("1. e4 e5 *")
    text = str(game)
    assert annotate_game(game, analyst, LIMITS, AnnotationOptions(book=str(STANDARD))) is None
    assert str(game) == text


def test_another_book_of_the_same_name_makes_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pgn, book = tmp_path / "games.pgn", tmp_path / "book.bin"
    pgn.write_text("1. e4 *\n")
    content = Path(STANDARD).read_bytes()
    book.write_bytes(content)
    words = ("annotate", pgn, "--nodes", "40", "--hash", "1", "--jobs", "1", "--book", book)
    monkeypatch.setattr(GrowingFile, "finish", lambda _: int("stop"))
    with pytest.raises(ValueError, match="stop"):
        inside(*words)
    monkeypatch.undo()
    book.write_bytes(content[16:])
    assert "belongs to another run: book was 'book.bin (" in refused(inside(*words))


def test_on_the_command_line(lolli_command: list[str], tmp_path: Path) -> None:
    pgn = tmp_path / "games.pgn"
    pgn.write_text(f'[Event "L"]\n\n{LEGAL}\n\n')
    words = ("annotate", pgn, "-o", tmp_path / "out.pgn", "--nodes", "2000", "--hash", "1", "--jobs", "1")
    done = outside([*lolli_command], *words, "--lines", "2", "--book", "--json")
    assert done.exit_code == 0, done.stderr
    assert '"only_moves": ' in done.stdout
    assert '"book": ' in done.stdout
    game = chess.pgn.read_game(io.StringIO((tmp_path / "out.pgn").read_text()))
    assert game is not None
    assert GOOD in game.end().nags
    assert "cannot be combined" in refused(inside(*words, "--book", str(STANDARD), "--no-book"))
    assert "not a " in refused(inside(*words, "--force", "--book", str(pgn)))
    assert "no such file" in refused(inside(*words, "--force", "--book", str(tmp_path / "no.bin")))
