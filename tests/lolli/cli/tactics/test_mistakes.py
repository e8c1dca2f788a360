"""Exercises from mistakes: every move that is good enough is right, and no other one."""

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Limit, Mate, MateGiven

import lolli
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli._annotator import annotate_game
from lolli._assessment import Mark, winning_chances
from lolli._findings import AnalystSettings
from lolli._puzzles import Goal, Puzzle
from lolli.cli.pgn import RawGame
from lolli.cli.pgn.game_reader import read_game
from lolli.cli.runs import job_of
from lolli.cli.tactics import Mistake, exercise_of, exercises_page, find, pgn_of, right_moves
from lolli.cli.tactics.find import MARGIN, ExerciseOptions, is_good_enough, mistakes_of
from tests.lolli.cli.annotation.annotating import read
from tests.lolli.cli.reports.browser import Reader, reader
from tests.lolli.cli.reports.commands import inside, outside, refused
from tests.lolli.cli.tactics.tactical_games import QUIET, SCHOLAR

CLUB = """\
[White "Ada"]
[Black "Ben"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1

"""
"""Ada takes on e5, then on f7, which both lose."""
MATE = '[White "Cleo"]\n[Black "Ada"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
LIMITS, QUICK = Limits(nodes=50_000), 2000
FEW = ("--nodes", "4000", "--scan-nodes", "500", "--hash", "1", "--jobs", "1")


@pytest.fixture(scope="module")
def analyst() -> Iterator[Analyst]:
    with Analyst(AnalystSettings(megabytes=4)) as analyst:
        yield analyst


@pytest.fixture(scope="module")
def annotated(analyst: Analyst) -> list[chess.pgn.Game]:
    games = [read(text) for text in (CLUB, SCHOLAR, QUIET)]
    for game in games:
        annotate_game(game, analyst, LIMITS)
    return games


@pytest.fixture(scope="module")
def mistakes(annotated: list[chess.pgn.Game], analyst: Analyst) -> list[Mistake]:
    options = ExerciseOptions(scan_nodes=QUICK, skip=0)
    return [each for game in annotated for each in mistakes_of(game, analyst, LIMITS, options, "game 1")[0]]


def marked(games: list[chess.pgn.Game]) -> list[tuple[str, chess.Move]]:
    """Positions before moves with the NAGs for `?` and `??`."""
    nodes = [node for game in games for node in game.mainline() if node.nags & {2, 4}]
    return [(node.parent.board().fen(), node.move) for node in nodes]


def test_each_marked_mistake_is_an_exercise(annotated: list[chess.pgn.Game], mistakes: list[Mistake]) -> None:
    assert [(each.board.fen(), each.played) for each in mistakes] == marked(annotated)
    assert len(mistakes) > 2
    for each in mistakes:
        assert each.played not in right_moves(each)
        assert len({*right_moves(each)}) == len(each.lines) == len(each.scores)
        for line in (*each.lines, (each.played, *each.reply)):
            each.board.variation_san(line)  # raises ValueError unless legal


def test_every_good_move_is_right_and_no_other(mistakes: list[Mistake]) -> None:
    """By searches of an engine of its own: of each legal move, and longer where it may be good enough.

    Scores of two searches differ, so that the bound is tested from half the margin to twice that.
    """

    def chances(board: chess.Board, move: chess.Move, nodes: int) -> float:
        after = board.copy()
        after.push(move)
        info = engine.analyse(after, Limit(nodes=nodes), game=after.fen())
        return winning_chances(Mate(1) if after.is_checkmate() else -info["score"].relative)

    with lolli.Engine(hash=16) as engine:
        for mistake in mistakes:
            board = mistake.board
            found = {move: chances(board, move, 20_000) for move in board.legal_moves}
            close = [move for move in found if max(found.values()) - found[move] < 4 * MARGIN]
            found |= {move: chances(board, move, 200_000) for move in close}
            lost = {move: max(found.values()) - each for move, each in found.items()}
            right = {*right_moves(mistake)}
            told = sorted((round(loss, 2), board.san(move), move in right) for move, loss in lost.items())
            assert {move for move, loss in lost.items() if loss < 0.5 * MARGIN} <= right, (mistake.task, told)
            assert right <= {move for move, loss in lost.items() if loss < 2 * MARGIN}, (mistake.task, told)


@pytest.mark.parametrize(("answer", "good"), [("d1d8", True), ("e2e8", True), ("e2e6", False)])
def test_a_move_that_is_not_known_is_searched(analyst: Analyst, answer: str, good: bool) -> None:
    """There are two mates; the queen can be lost. The file knows one mate."""
    board = chess.Board("6k1/5ppp/8/8/8/8/4QPPP/3R2K1 w - - 0 1")
    mate, lost, given = (chess.Move.from_uci(text) for text in ("d1d8", "e2e7", answer))
    mistake = Mistake(board, lost, Mark.BLUNDER, Cp(0), (), ((mate,),), (MateGiven,), None, "", {})
    assert is_good_enough(mistake, given, analyst, Limits(nodes=2000)) is good


def test_a_marked_move_that_is_good_is_left_out(analyst: Analyst) -> None:
    game = read(QUIET.replace("3. Bb5", "3. Bb5??"))
    assert mistakes_of(game, analyst, LIMITS, ExerciseOptions(scan_nodes=QUICK, skip=0), "") == ([], 1)


def test_a_marked_pass_is_no_mistake(analyst: Analyst) -> None:
    game = read("1. e4 e5 2. Qh5 -- $4 3. Qxe5 *\n")
    assert mistakes_of(game, analyst, LIMITS, ExerciseOptions(scan_nodes=QUICK, skip=0), "") == ([], 0)


def test_whose_and_from_where(annotated: list[chess.pgn.Game], analyst: Analyst) -> None:
    def found(**options: object) -> set[tuple[chess.Color, int]]:
        given = ExerciseOptions(scan_nodes=100, **{"skip": 0, **options})  # type: ignore[arg-type]
        mistakes, _ = mistakes_of(annotated[0], analyst, Limits(nodes=1000), given, "")
        return {(each.board.turn, each.board.fullmove_number) for each in mistakes}

    assert {color for color, _ in found(player="ada")} == {chess.WHITE}
    assert {color for color, _ in found(player="ben")} <= {chess.BLACK}
    assert min(number for _, number in found(skip=4)) > 4


def test_games_of_others_are_not_analysed(analyst: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "annotate_game", None)  # cannot be called
    read, raw = read_game(b'[White "Ada"]\n\n1. f3 e5 2. g4 Qh4# *\n'), RawGame(1, 1, 0, b"")
    job = job_of(AnalystSettings(), LIMITS, ExerciseOptions(QUICK, player="ben", mistakes=True))
    assert find.found_mistakes(read, analyst, job, raw).facts == {"positions": 0, "puzzles": []}


def test_a_mate_that_was_missed_is_told_with_its_moves(analyst: Analyst) -> None:
    game = read('[FEN "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 w - - 0 1"]\n\n1. h3 $4 h6 *\n')
    (mistake,), _ = mistakes_of(game, analyst, LIMITS, ExerciseOptions(scan_nodes=QUICK, skip=0), "")
    assert mistake.reason == "Misses back-rank mate: 1. Rd8#."
    assert mistake.scores == (MateGiven,)


def test_pgn_and_back(mistakes: list[Mistake]) -> None:
    for mistake in mistakes:
        told = replace(mistake, reason="Loses the queen.")
        game = read(pgn_of(told))
        again = exercise_of(game)
        assert isinstance(again, Mistake)
        assert pgn_of(again) == pgn_of(told)
        assert (again.lines, again.scores) == (mistake.lines, mistake.scores)
        assert (again.played, again.reply) == (mistake.played, mistake.reply)
        assert (again.mark, again.after, again.reason) == (mistake.mark, mistake.after, "Loses the queen.")
        assert [node.move for node in game.variations] == [*right_moves(mistake), mistake.played]


@pytest.fixture(scope="module")
def command_file(
    lolli_command: list[str], annotated: list[chess.pgn.Game], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Of games with evaluations, some of them twice, and one without."""
    path = tmp_path_factory.mktemp("mistakes") / "games.pgn"
    path.write_text("\n\n".join(map(str, [*annotated[:2], *annotated[:1]])) + f"\n\n{MATE}")
    done = outside(lolli_command, "puzzles", path, "--mistakes", *FEW)
    assert done.exit_code == 0, done.stderr
    assert sorted(each.name for each in path.parent.iterdir()) == ["games-mistakes.pgn", "games.pgn"]
    return path.with_name("games-mistakes.pgn")


def exercises(text: str) -> list[chess.pgn.Game]:
    file = io.StringIO(text)
    games = []
    while (game := chess.pgn.read_game(file)) is not None:
        games.append(game)
    return games


def test_the_file_of_mistakes(command_file: Path, tmp_path: Path) -> None:
    """Each position once. From it an EPD with all right moves, and the page."""
    games = exercises(command_file.read_text())
    assert len({game.board().epd() for game in games}) == len(games) > 2
    assert {game.headers["PuzzleGoal"] for game in games} == {"better"}
    done = inside("puzzles", command_file, "--epd", tmp_path / "m.epd", "--page", tmp_path / "m.html")
    assert done.exit_code == 0, done.stderr
    for line, game in zip((tmp_path / "m.epd").read_text().splitlines(), games, strict=True):
        _, operations = chess.Board.from_epd(line)
        right = [node.move for node in game.variations if node.move.uci() != game.headers["PuzzlePlayed"]]
        assert isinstance(operations["bm"], list)
        assert {*map(str, operations["bm"])} == {*map(str, right)}
    page = (tmp_path / "m.html").read_text()
    assert "<h1>Mistakes of games</h1>" in page
    assert "uzzle" not in page.split("<script")[0].split("<body>")[1]


def test_solving_in_the_terminal(lolli_command: list[str], command_file: Path) -> None:
    """The last right move is as good as the first; the mistake itself is none."""
    games = exercises(command_file.read_text())
    played = [game.headers["PuzzlePlayed"] for game in games]
    answers = [game.variations[-2].move.uci() for game in games]
    said = "".join(f"{answer}\n" for answer in answers).encode()
    done = outside(lolli_command, "puzzles", command_file, "--solve", *FEW[:2], said=said)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.endswith(f"{len(games)} of {len(games)} solved at the first attempt\n")
    said = f"{played[0]}\n{answers[0]}\nquit\n".encode()
    done = outside(lolli_command, "puzzles", command_file, "--solve", *FEW[:2], said=said)
    assert done.stdout.endswith("0 of 1 solved at the first attempt\n")


def test_the_two_kinds_are_never_mixed(command_file: Path, tmp_path: Path) -> None:
    assert "is a file of mistakes: use --page" in refused(inside("puzzles", command_file))
    puzzle = Puzzle(chess.Board(), Goal.WIN, (chess.Move.from_uci("e2e4"),), (Cp(500),), None, None, "", {})
    puzzles, both = tmp_path / "puzzles.pgn", tmp_path / "both.pgn"
    puzzles.write_text(pgn_of(puzzle))
    told = refused(inside("puzzles", puzzles, "--mistakes", "--solve"))
    assert told.endswith("is a file of puzzles, not of mistakes")
    for parts in ((puzzles, command_file), (command_file, puzzles)):
        both.write_text("".join(path.read_text() for path in parts))
        assert ": a file has one kind" in refused(inside("puzzles", both, "--page", tmp_path / "p.html"))
    assert not (tmp_path / "p.html").exists()
    assert "no meaning with --mistakes" in refused(inside("puzzles", puzzles, "--mistakes", "--missed"))
    broken = exercises(command_file.read_text())[0]
    broken.variations[-1].nags.clear()
    both.write_text(str(broken))
    assert "a mistake has a mark" in refused(inside("puzzles", both, "--epd", tmp_path / "p.epd"))


FEN = "r1bqkbnr/pppp1ppp/8/4p3/2BnP3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    board = chess.Board(FEN)
    moves = [board.parse_san(text) for text in ("Nxd4", "O-O", "Nxe5")]
    mistake = Mistake(
        board=board,
        played=moves[2],
        mark=Mark.MISTAKE,
        after=Cp(-120),
        reply=(chess.Move.from_uci("d8g5"),),
        lines=((moves[0], chess.Move.from_uci("e5d4")), (moves[1],)),
        scores=(Cp(60), Cp(40)),
        last=None,
        source="game 1, move 4",
        headers={"White": "<b>Ada</b>"},
        reason="Leaves g2 <i>undefended</i>.",
    )
    path = tmp_path_factory.mktemp("page") / "mistakes.html"
    path.write_text(
        exercises_page([mistake, replace(mistake, reason="")], "Mistakes of Ada"), encoding="utf-8"
    )
    with reader() as found:
        found.media()
        found.window(1200, 900)
        found.open(path)
        found.ask("localStorage.clear()")
        yield found


def typed(page: Reader, move: str) -> str:
    page.element("#typed").send_keys(f"{move}\n")
    return page.text("#message")


def after(move: str) -> str:
    board = chess.Board(FEN)
    board.push_san(move)
    return board.board_fen()


@pytest.mark.parametrize("number", [1, 2])
def test_the_page_takes_every_right_move(page: Reader, number: int) -> None:
    page.driver.refresh()
    page.ask("localStorage.clear()")
    page.driver.refresh()
    page.click(f"#list li:nth-child({number}) button")
    assert page.text("#task") == f"{number}. White played Nxe5?. Find a better move."
    assert page.ask("return document.querySelectorAll('#board polygon').length") == 1
    assert typed(page, "d3") == "d3 is not it. Try again."
    assert typed(page, "Nxe5") == "Nxe5 is not it. Try again."
    assert typed(page, "O-O") == "O-O is right. The best is Nxd4."
    assert page.board() == after("O-O")
    assert page.text("#line") == "4. Nxd4 exd4"
    assert page.text("#others") == "Also right: O-O (+0.40)."
    assert page.text("#reason") == ("Leaves g2 <i>undefended</i>." if number == 1 else "")
    assert page.text("#story") == "<b>Ada</b> played 4. Nxe5?: +0.60 became −1.20."  # noqa: RUF001
    page.click("#list li:nth-child(1) button")
    assert page.board() == FEN.split(maxsplit=1)[0]
    assert typed(page, "Nxd4").startswith("Nxd4 is right.")
    assert page.board() == after("Nxd4")
    assert page.problems() == []
