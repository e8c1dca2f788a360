"""Whole matches between scripted engines."""

import io
from collections import Counter
from pathlib import Path

import chess
import chess.pgn
import pytest

from scripts.laboratory.jobs import JobError
from scripts.laboratory.matches.match import EngineMatch, Schedule
from scripts.laboratory.matches.record import Store, Termination
from scripts.laboratory.matches.rules import MatchRulesError
from scripts.laboratory.openings import OpeningSuite
from scripts.laboratory.statistics import Sprt, SprtVerdict
from tests.scripts.laboratory.matches.fakes import (
    LONGEST_GAME,
    STALL_SECONDS,
    fake_engine,
    play_match,
    short_rules,
)

OPENINGS = (
    "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq -",
    "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -",
    "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
)


def read_games(path: Path) -> list[chess.pgn.Game]:
    """All games of a PGN, which must be free of errors."""
    text = io.StringIO(path.read_text(encoding="utf-8"))
    games = []
    while (game := chess.pgn.read_game(text)) is not None:
        assert not game.errors
        games.append(game)
    return games


def test_each_opening_is_played_once_with_either_colour(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    book = OpeningSuite(OPENINGS, is_pgn=False, chess960=False)
    rules = short_rules(fake_engine("A"), fake_engine("B"))
    match, records = play_match(rules, 6, book, store, concurrency=2)
    store.close()

    assert [record.number for record in records] == list(range(6))
    assert match.tally.played == sum(match.tally.games) == 6
    assert sum(match.tally.pairs) == 3
    games = {game.headers["Round"]: game for game in read_games(tmp_path / "games.pgn")}
    assert set(games) == {f"{pair}.{game}" for pair in (1, 2, 3) for game in (1, 2)}
    for pair in (1, 2, 3):
        first, second = games[f"{pair}.1"], games[f"{pair}.2"]
        assert (first.headers["White"], first.headers["Black"]) == ("A", "B")
        assert (second.headers["White"], second.headers["Black"]) == ("B", "A")
        assert first.headers["FEN"] == second.headers["FEN"]
    assert {game.board().epd() for game in games.values()} == set(OPENINGS)


def test_a_pgn_tells_result_clocks_and_termination(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    _, records = play_match(short_rules(fake_engine("A"), fake_engine("B")), 2, store=store)
    store.close()

    for record, game in zip(records, read_games(tmp_path / "games.pgn"), strict=True):
        assert game.headers["Result"] == record.result
        assert game.headers["TimeControl"] == "600+0.1"
        assert int(game.headers["PlyCount"]) == len(list(game.mainline_moves())) == record.plies
        if record.ending is Termination.MOVE_LIMIT:
            assert game.headers["Termination"] == "adjudication"
            assert record.plies == 2 * LONGEST_GAME
        assert record.ending.value in game.end().comment
        for number, node in enumerate(game.mainline()):
            score, clock = node.eval(), node.clock()
            assert score is not None
            assert clock is not None
            assert score.pov(not node.turn()).score() == number // 2 + 1
            assert 1 < clock <= 600 + 0.1 * (number // 2 + 1)


def test_what_the_engines_spent_is_counted() -> None:
    match, records = play_match(short_rules(fake_engine("A"), fake_engine("B")), 2)
    for seat in (0, 1):
        usage = match.tally.usage[seat]
        assert usage.moves == usage.depth_moves == sum(record.usage[seat].moves for record in records)
        assert sum(record.plies for record in records) == sum(used.moves for used in match.tally.usage)
        assert usage.nodes == 10 * usage.depth
        assert 0 < usage.longest_move < usage.time
        assert usage.lowest_clock is not None
        assert usage.lowest_clock < 600e9
        assert 4 << 20 < usage.peak_memory < 512 << 20


def test_a_clock_counts_the_nodes_that_the_engines_report(tmp_path: Path) -> None:
    """A fake engine reports ten nodes more at each move; ten of them count as a millisecond."""
    store = Store(tmp_path / "games.pgn", {})
    slow = fake_engine("A", "late 11", tc="0.2+0.002", nodestime="10")
    play_match(short_rules(slow, fake_engine("B", tc="0.2+0.002", nodestime="10")), 2, store=store)
    store.close()

    for game in read_games(tmp_path / "games.pgn"):
        clocks = [node.clock() for node in game.mainline()][::2]
        spent = [0.001 * number - 0.002 for number in range(1, len(clocks) + 1)]
        assert clocks == pytest.approx([0.2 - sum(spent[: number + 1]) for number in range(len(clocks))])


@pytest.mark.parametrize(
    ("manner", "ending", "told"),
    [
        ("illegal", Termination.ILLEGAL_MOVE, "< bestmove e2e5"),
        ("crash", Termination.CRASH, "! this is the end"),
        ("silent", Termination.STALL, "> stop"),
        ("late", Termination.TIME_LOSS, "> stop"),
    ],
)
def test_a_forfeit_is_counted_against_the_engine(manner: str, ending: Termination, told: str) -> None:
    pace = {"tc": "0.2"} if ending in (Termination.STALL, Termination.TIME_LOSS) else {}
    stall = STALL_SECONDS if ending is Termination.STALL else 60
    rules = short_rules(fake_engine("good"), fake_engine("bad", manner, **pace), stall_seconds=stall)
    match, records = play_match(rules, 2)

    assert [record.ending for record in records] == [ending, ending]
    assert [record.result for record in records] == ["1-0", "0-1"]
    assert match.tally.games == [0, 0, 2]
    assert match.tally.pairs == [0, 0, 0, 0, 1]
    assert match.tally.forfeits_of(0) == Counter()
    assert match.tally.forfeits_of(1) == {ending: 2}
    assert told in records[0].last_lines


@pytest.mark.parametrize(("opponent", "guesses_right"), [("first", True), ("legal", False)])
def test_an_engine_ponders_on_the_answer_that_it_expects(
    tmp_path: Path, opponent: str, guesses_right: bool
) -> None:
    """What the engine reads is kept by tee on its way."""
    heard = tmp_path / "heard"
    command = f"sh -c 'tee {heard} | {' '.join(fake_engine('A').command)}'"
    rules = short_rules(fake_engine("A", cmd=command, ponder="true"), fake_engine("B", opponent))
    match, records = play_match(rules, 2)

    assert match.tally.forfeits == []
    lines = heard.read_text().splitlines()
    assert "setoption name Ponder value true" in lines
    pondered = [index for index, line in enumerate(lines) if line.startswith("go ponder wtime ")]
    hits = lines.count("ponderhit")
    assert hits + lines.count("stop") == len(pondered) > 10
    assert hits > 10 if guesses_right else hits < len(pondered) / 2
    for index in pondered:
        *before, guessed = lines[index - 1].split()
        after = lines[index + 1 : index + 3]
        if after[0] == "stop" and after[1].startswith("position"):
            *played, answer = after[1].split()
            assert played == before
            assert answer != guessed
        else:
            assert after[0] in ("ponderhit", "stop")
    own = sum(record.usage[0].moves for record in records)
    assert hits + sum(line.startswith("go wtime ") for line in lines) == own


def test_an_engine_without_a_clock_may_not_stall_either() -> None:
    bad = fake_engine("bad", "silent", nodes="10")
    rules = short_rules(fake_engine("good"), bad, stall_seconds=STALL_SECONDS)
    _, records = play_match(rules, 2)
    assert [record.ending for record in records] == [Termination.STALL, Termination.STALL]


def test_margin_forgives_a_late_move() -> None:
    rules = short_rules(fake_engine("A"), fake_engine("B", "late 11", tc="0.2+0.1", timemargin="60000"))
    match, _ = play_match(rules, 2)
    assert match.tally.forfeits == []


def test_chess960_games_castle_and_start_where_they_should(tmp_path: Path) -> None:
    store = Store(tmp_path / "games.pgn", {})
    rules = short_rules(fake_engine("A"), fake_engine("B"), chess960=True)
    book = OpeningSuite.of_chess960()
    match, _ = play_match(rules, 4, book, store)
    store.close()

    assert match.tally.forfeits == []
    games = read_games(tmp_path / "games.pgn")
    for number, game in enumerate(games):
        start = game.board()
        assert start.chess960
        assert start.shredder_fen() == book.entries[book.order(7)[number // 2]]


def test_a_match_stops_when_it_is_decided() -> None:
    rules = short_rules(fake_engine("good"), fake_engine("bad", "illegal 0"))
    schedule = Schedule(
        1000, OpeningSuite.of_start_position(), seed=None, sprt=Sprt(-50, 50, alpha=0.4, beta=0.4)
    )
    match = EngineMatch(rules, schedule, None)
    records = list(match.play(1))
    assert match.verdict is SprtVerdict.H1
    assert 2 <= len(records) < 1000
    assert not list(match.play(1))


def test_an_engine_that_does_not_start_ends_the_match() -> None:
    missing = fake_engine("B", cmd="/nonexistent/engine")
    with pytest.raises(JobError, match="B cannot be started"):
        play_match(short_rules(fake_engine("A"), missing), 2)


def test_an_option_that_an_engine_lacks_ends_the_match() -> None:
    wrong = fake_engine("B", **{"option.Hsah": "16"})
    with pytest.raises(JobError, match="B has no option 'Hsah'"):
        play_match(short_rules(fake_engine("A"), wrong), 2)


def test_engines_need_names_of_their_own() -> None:
    with pytest.raises(MatchRulesError, match="both engines are called 'A'"):
        short_rules(fake_engine("A"), fake_engine("A"))
