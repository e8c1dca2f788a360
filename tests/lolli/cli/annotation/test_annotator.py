"""One game annotated, against a plain search and figures worked out by hand."""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import chess
import chess.pgn
import pytest
from chess.engine import Cp, MateGiven, PovScore, Score

from engine.board.fen import FenError
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import AnnotationOptions, analysis_text, annotate_game
from lolli._assessment import Mark, summary
from lolli._findings import AnalystSettings, Finding
from lolli.cli.reports.story import JudgedGame
from tests.lolli.cli.annotation.annotating import SCHOLAR, random_games, read

LIMITS = Limits(nodes=60)
Pair = tuple[chess.pgn.Game, list[tuple[Score, chess.Move | None]]]
NAGS = {chess.pgn.NAG_DUBIOUS_MOVE: 0.1, chess.pgn.NAG_MISTAKE: 0.2, chess.pgn.NAG_BLUNDER: 0.3}


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(megabytes=1)) as analyst:
        yield analyst


def searched(
    analyst: Analyst, game: chess.pgn.Game, limits: Limits = LIMITS
) -> list[tuple[Score, chess.Move | None]]:
    """The oracle: each position of the main line in turn, White's point of view, and the best move."""
    analyst.new_game()
    found = []
    for node in [game, *game.mainline()]:
        finding = analyst.best(node.board(), limits)
        found.append((finding.score.white(), finding.moves[0] if finding.moves else None))
    return found


def chances(score: Score) -> float:
    """Lichess' formula."""
    if score.is_mate():
        return 1.0 if score > Cp(0) else -1.0
    value = max(-1000, min(1000, score.score() or 0))
    return 2 / (1 + math.exp(-0.00368208 * value)) - 1


def centipawns(score: Score) -> int:
    return max(-1000, min(1000, score.score(mate_score=10**6)))


@pytest.fixture(scope="module", params=range(3))
def pair(request: pytest.FixtureRequest, analyst: Analyst) -> Pair:
    text = random_games(1, 24, seed=request.param).decode()
    expected = searched(analyst, read(text))
    game = read(text)
    analyst.best(chess.Board(), LIMITS)  # what it knows from elsewhere must not matter
    assert annotate_game(game, analyst, LIMITS, AnnotationOptions(opening=False))
    return game, expected


def test_every_move_has_the_eval_of_the_position_after_it(pair: Pair) -> None:
    game, expected = pair
    evals = [node.eval() for node in game.mainline()]
    assert evals == [PovScore(score, chess.WHITE) for score, _ in expected[1:]]


def test_marks_go_by_the_loss_in_winning_chances(pair: Pair) -> None:
    game, expected = pair
    for node, (before, best), (after, _) in zip(game.mainline(), expected[:-1], expected[1:], strict=True):
        sign = 1 if node.parent.turn() == chess.WHITE else -1
        loss = sign * (chances(before) - chances(after))
        wanted = [nag for nag, least in NAGS.items() if loss >= least and node.move != best]
        assert node.nags == set(wanted[-1:])


def test_a_marked_move_has_the_best_line_beside_it(pair: Pair) -> None:
    game, expected = pair
    marked = 0
    for node, (before, best) in zip(game.mainline(), expected, strict=False):
        lines = node.parent.variations[1:]
        assert len(lines) == bool(node.nags)
        for line in lines:
            marked += 1
            assert line.move == best
            plies = 1 + len(list(line.mainline()))
            assert line.comment == f"[%eval {eval_text(before)}] [%line {plies}]"
            assert plies <= AnnotationOptions().line_plies
    assert marked


def eval_text(score: Score) -> str:
    return f"#{score.mate()}" if score.is_mate() else f"{(score.score() or 0) / 100:.2f}"


def test_headers_follow_from_the_evals(pair: Pair) -> None:
    game, expected = pair
    scores = [score for score, _ in expected]
    for color, name in ((chess.WHITE, "White"), (chess.BLACK, "Black")):
        sign = 1 if color == chess.WHITE else -1
        losses = [
            max(0, sign * (centipawns(before) - centipawns(after)))
            for before, after in list(pairwise(scores))[color != chess.WHITE :: 2]
        ]
        assert game.headers[f"{name}ACPL"] == str(round(sum(losses) / len(losses)))
        player = summary(chess.WHITE, scores, color)
        assert player is not None
        assert game.headers[f"{name}Accuracy"] == f"{player.accuracy:.1f}"
    assert game.headers["Analysis"] == "Lolli 0.1.0, network, 60 nodes a move"
    assert game.headers["Annotator"] == "Lolli 0.1.0"


def test_annotating_again_changes_nothing(pair: Pair, analyst: Analyst) -> None:
    game, _ = pair
    again = read(str(game))
    annotate_game(again, analyst, LIMITS, AnnotationOptions(opening=False))
    assert str(again) == str(game)


@pytest.mark.parametrize(
    ("moves", "opening"),
    [
        ("1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. e5 h5 5. a3", 7),  # Winawer
        ("1. e4 e5 2. f4 exf4 3. Nf3 Nh6 4. d4", 5),  # King's Gambit
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Nh6 5. a3", 7),  # Evans Gambit
        ("1. f3 e5 2. g4 Qh4#", 1),  # Fool's Mate, the last of which is named
    ],
)
def test_moves_of_the_opening_are_judged_but_not_marked(
    analyst: Analyst, monkeypatch: pytest.MonkeyPatch, moves: str, opening: int
) -> None:
    """With an engine to which every move is a blunder."""
    found = analyst.best(chess.Board(), LIMITS)

    def horrified(_: Analyst, board: chess.Board, __: Limits) -> tuple[Finding, ...]:
        return (replace(found, score=PovScore(Cp(900), board.turn), moves=()),)

    monkeypatch.setattr(Analyst, "findings", horrified)
    game, judged = read(f"{moves} *"), read(f"{moves} *")
    judgement = annotate_game(game, analyst, LIMITS)
    assert judgement
    annotate_game(judged, analyst, LIMITS, AnnotationOptions(opening=False))
    plies = len(list(game.mainline())) - game.end().board().is_checkmate()
    marked = [bool(node.nags) for node in game.mainline()][:plies]
    assert marked == [False] * opening + [True] * (plies - opening)
    assert all(node.nags for node in list(judged.mainline())[:plies])
    assert None not in judgement.evals
    assert (judgement.book, judgement.opening) == (0, opening)


def test_fresh_takes_out_what_others_said(analyst: Analyst) -> None:
    others = "{[%eval 0.2] oh} Nf6 $6 $14 {[%clk 0:09:00] Mistake. g6} ({look:} 3... d6 $1)"
    text = SCHOLAR.replace("Nf6", others)
    game, plain = read(text), read(SCHOLAR.replace("Nf6", "Nf6 {[%clk 0:09:00]}"))
    game.headers["Annotator"] = "Somebody"
    for each in (game, plain):
        annotate_game(each, analyst, LIMITS, AnnotationOptions(fresh=each is game))
    assert str(game) == str(plain)


def test_fresh_takes_it_out_of_a_game_that_is_not_judged_too(analyst: Analyst) -> None:
    """All of its moves are skipped; the headers of an earlier analysis go with the scores."""
    game = read(SCHOLAR.replace("Nf6", "{[%clk 0:09:00]} Nf6 $2 (3... d6)"))
    assert annotate_game(game, analyst, LIMITS)
    assert annotate_game(game, analyst, LIMITS, AnnotationOptions(skip=9, fresh=True)) is None
    plain = read(SCHOLAR.replace("Nf6", "{[%clk 0:09:00]} Nf6"))
    assert game.mainline().accept(chess.pgn.StringExporter()) == plain.mainline().accept(
        chess.pgn.StringExporter()
    )
    assert game.headers.keys() <= {*plain.headers, "ECO", "Opening", "Variation"}


def test_the_first_position_of_a_study_is_told(analyst: Analyst) -> None:
    """So that its first move can be a critical moment."""
    game = read('[FEN "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1"]\n\n{Find it} 1. Qf7 *')
    for _ in range(2):
        annotate_game(game, analyst, Limits(depth=4))
    assert game.comment == "Find it [%eval #1]"
    judged = JudgedGame(game)
    assert [each.played.san for each in judged.moments()] == ["Qf7"]
    assert judged.course().chances == [1.0, 0.0]


def test_checkmate_has_no_eval_and_loses_nothing(analyst: Analyst) -> None:
    game = read(SCHOLAR)
    judgement = annotate_game(game, analyst, Limits(depth=3))
    assert judgement is not None
    *_, nf6, mate = game.mainline()
    assert nf6.comment.startswith("[%eval #1] [%why ")
    assert "] Allows mate: 4. Qxf7#. Better was 3... " in nf6.comment
    assert nf6.nags == {chess.pgn.NAG_BLUNDER}
    assert (mate.comment, mate.nags) == ("", set())
    assert judgement.evals[-1] == MateGiven
    assert judgement.positions == 8
    assert judgement.marks[-2] is Mark.BLUNDER


@pytest.mark.parametrize("nag", range(1, 7))
def test_the_mark_of_a_person_stays(analyst: Analyst, nag: int) -> None:
    game = read(SCHOLAR.replace("Nf6", f"Nf6 ${nag}"))
    annotate_game(game, analyst, Limits(depth=3))
    *_, nf6, _ = game.mainline()
    assert nf6.nags == {nag}
    (line,) = nf6.parent.variations[1:]
    assert not line.comment  # only with our mark
    again = read(str(game))
    annotate_game(again, analyst, Limits(depth=3))
    assert str(again) == str(game)


def test_a_line_that_is_there_is_not_repeated(analyst: Analyst) -> None:
    game = read(SCHOLAR)
    annotate_game(game, analyst, Limits(depth=3))
    *_, nf6, _ = game.mainline()
    best = nf6.parent.variations[1].san()
    other = read(SCHOLAR.replace("Nf6", f"Nf6 (3... {best} {{mine}})"))
    annotate_game(other, analyst, Limits(depth=3))
    *_, nf6, _ = other.mainline()
    (line,) = nf6.parent.variations[1:]
    assert line.comment == "mine"
    assert nf6.nags == {chess.pgn.NAG_BLUNDER}


def test_variations_and_comments_of_people_are_kept(analyst: Analyst) -> None:
    text = SCHOLAR.replace(
        "Nf6", "Nf6 {oh} ({look:} 3... d6 $1 {[%eval 0.10] better} 4. Nf3 (4. d3)) (3... a6 {[%eval 9.99]})"
    )
    game = read(text)
    annotate_game(game, analyst, Limits(depth=3))
    annotate_game(game, analyst, Limits(depth=4))
    *_, nf6, _ = game.mainline()
    assert nf6.comment.startswith("oh [%eval #1] [%why ")
    d6 = nf6.parent.variations[1]
    assert (d6.starting_comment, d6.nags, d6.comment) == ("look:", {1}, "[%eval 0.10] better")
    assert len(d6.variations) == 2


def test_lines_of_others_stay_though_they_have_evals(analyst: Analyst) -> None:
    """As other tools write them, with their own marks; only `[%line N]` makes a line Lolli's."""
    game = read(SCHOLAR.replace("Nf6", "Nf6 $2 {[%eval 0.30]} (3... a6 {[%eval 9.99]} 4. Nf3)"))
    annotate_game(game, analyst, Limits(depth=3))
    once = str(game)
    assert "( 3... a6 { [%eval 9.99] } 4. Nf3 )" in once
    annotate_game(game, analyst, Limits(depth=3))
    assert str(game) == once
    *_, nf6, _ = game.mainline()
    assert nf6.nags == {chess.pgn.NAG_MISTAKE}


@pytest.mark.parametrize("longer", [True, False])
def test_a_line_of_ours_that_somebody_has_changed_is_theirs(analyst: Analyst, longer: bool) -> None:
    game = read(SCHOLAR)
    annotate_game(game, analyst, Limits(depth=3))
    *_, nf6, _ = game.mainline()
    line = nf6.parent.variations[1]
    if longer:
        end = line.end()
        end.add_variation(next(iter(end.board().legal_moves)))
    else:
        line.variations.clear()
    changed = [node.move for node in line.mainline()]
    annotate_game(game, analyst, Limits(depth=3))
    assert nf6.parent.variations[1] is line
    assert [node.move for node in line.mainline()] == changed


def test_the_header_of_another_analysis_stays(analyst: Analyst) -> None:
    game = read('[Analysis "Deep Thought, by hand"]\n\n' + SCHOLAR.partition("\n\n")[2])
    annotate_game(game, analyst, LIMITS)
    once = str(game)
    annotate_game(game, analyst, LIMITS)
    assert str(game) == once
    assert game.headers["Analysis"] == "Deep Thought, by hand; Lolli 0.1.0, network, 60 nodes a move"
    game.headers["Analysis"] = "Lolli 0.0.9"
    annotate_game(game, analyst, LIMITS)
    assert game.headers["Analysis"] == "Lolli 0.1.0, network, 60 nodes a move"


@pytest.mark.parametrize("added", ["", " Ouch!", " [%clk 0:01:00]"])
def test_a_reason_is_replaced_and_nothing_else(analyst: Analyst, added: str) -> None:
    game = read(SCHOLAR.replace("Nf6", "Nf6 {oh}"))
    annotate_game(game, analyst, Limits(depth=3))
    *_, nf6, _ = game.mainline()
    first = nf6.comment
    assert first.count("Allows mate") == 1
    nf6.comment += added
    annotate_game(game, analyst, Limits(depth=3), AnnotationOptions(reasons=False))
    assert nf6.comment.split() == f"oh [%eval #1]{added}".split()
    annotate_game(game, analyst, Limits(depth=3))
    assert nf6.comment.split() == f"oh [%eval #1]{added} {first[len('oh [%eval #1] ') :]}".split()


def test_a_reason_that_somebody_has_edited_is_theirs(analyst: Analyst) -> None:
    game = read(SCHOLAR)
    annotate_game(game, analyst, Limits(depth=3))
    *_, nf6, _ = game.mainline()
    nf6.comment = nf6.comment.replace("Allows mate", "Oh no, this really allows mate")
    annotate_game(game, analyst, Limits(depth=3), AnnotationOptions(reasons=False))
    assert "Oh no, this really allows mate: 4. Qxf7#." in nf6.comment
    assert "%why" not in nf6.comment


def test_moves_that_are_skipped_are_left_alone(analyst: Analyst) -> None:
    game = read(SCHOLAR)
    judgement = annotate_game(game, analyst, LIMITS, AnnotationOptions(skip=2))
    assert judgement is not None
    evals = [node.eval() for node in game.mainline()]
    assert [each is None for each in evals] == [True] * 3 + [False] * 3 + [True]  # the last one is mate
    assert judgement.positions == 4
    fresh = Analyst(AnalystSettings(megabytes=1))
    board = game.board()
    for move in list(game.mainline_moves())[:4]:
        board.push(move)
    assert evals[3] == fresh.best(board, LIMITS).score
    fresh.close()


@pytest.mark.parametrize("skip", [4, 100])
def test_a_game_that_is_all_skipped_stays_as_it_is(analyst: Analyst, skip: int) -> None:
    """Nor is it searched, which would never end."""
    game = read(SCHOLAR)
    assert annotate_game(game, analyst, Limits(infinite=True), AnnotationOptions(skip=skip)) is None
    assert str(game) == str(read(SCHOLAR))


def test_null_moves_are_not_judged(analyst: Analyst) -> None:
    game = read("1. e4 e5 2. -- Nf6 3. Nf3 Nc6 *")
    judgement = annotate_game(game, analyst, LIMITS)
    assert judgement is not None
    assert [score is None for score in judgement.evals] == [False, False, True, False, False, False]
    assert judgement.marks[2:4] == (None, None)


def test_a_position_that_the_engine_refuses_changes_nothing(analyst: Analyst) -> None:
    refused = read('[FEN "8/8/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. Kd2 *')
    before = str(refused)
    with pytest.raises(FenError):
        annotate_game(refused, analyst, LIMITS)
    assert str(refused) == before


def test_chess960(analyst: Analyst) -> None:
    fen = "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1"
    text = f'[Variant "Chess960"]\n[FEN "{fen}"]\n\n1. O-O O-O-O 2. e4 *'
    game = read(text)
    expected = searched(analyst, read(text))
    annotate_game(game, analyst, LIMITS)
    assert [node.eval() for node in game.mainline()] == [
        PovScore(score, chess.WHITE) for score, _ in expected[1:]
    ]


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(nodes=5), "Lolli 0.1.0, material, 5 nodes a move"),
        (Limits(depth=12), "Lolli 0.1.0, material, depth 12"),
        (Limits(move_time=250, depth=3), "Lolli 0.1.0, material, depth 3, 0.25 s a move"),
    ],
)
def test_what_the_header_says(limits: Limits, text: str) -> None:
    assert analysis_text("material", limits) == text


@pytest.mark.parametrize(
    ("given", "different"),
    [
        ("", {}),
        ('[ECO "?"]\n[Opening "-"]\n', {}),
        ('[ECO "B99"]\n', {"ECO": "B99"}),
        ('[Opening "Mine"]\n', {"Opening": "Mine", "Variation": None}),
    ],
)
def test_the_opening_is_named_unless_the_game_names_it(
    analyst: Analyst, given: str, different: dict[str, str | None]
) -> None:
    game = read(f"{given}\n1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *")
    assert annotate_game(game, analyst, LIMITS) is not None
    named = {"ECO": "B90", "Opening": "Sicilian Defense", "Variation": "Najdorf Variation", **different}
    assert {name: game.headers.get(name) for name in named} == named
