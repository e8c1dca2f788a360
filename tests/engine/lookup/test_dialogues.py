"""Scripted dialogues with the real process: its opening book and its endgame tables as a GUI sets them."""

import shutil
from pathlib import Path

import chess
import pytest

from tests.engine.lookup.books import four, saved
from tests.engine.lookup.endings import AS_ASKED, FOLDER, needs_fathom, needs_tables
from tests.protocol.uci.dialogue import Dialogue, field, infos, moves_of

ROOK = "8/8/8/8/8/4k3/8/K6R w - - 0 1"
DRAW = "8/8/8/8/4k3/8/4P3/4K3 b - - 0 1"
LONG_WIN = "8/8/8/8/8/4k3/8/KBN5 w - - 70 100"

PAWN_MOVES_ARE_NEARER = [
    ("4K3/8/8/2p3k1/8/8/8/3q4 b - - 0 1", "g5f6"),
    ("8/K7/8/1k6/6p1/8/1q6/8 b - - 0 1", "b5c6"),
]
"""To a pawn move than to the mate in two, which begins with this move."""


def option(name: str, value: object) -> str:
    return f"setoption name {name} value {value}"


def test_a_book_move_at_once(lolli_command: list[str], tmp_path: Path) -> None:
    path = saved(tmp_path, four())
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(option("BookFile", path), option("OwnBook", "true"), option("Best Book Move", "true"))
        dialogue.send("go wtime 600000 btime 600000")
        assert dialogue.expect("bestmove .*") == [
            "info string book move, weight 50 of 100",
            "bestmove e2e4 ponder e7e5",
        ]
        dialogue.send("position startpos moves e2e4", "go ponder wtime 1000 btime 1000", "isready")
        assert dialogue.expect("readyok") == ["readyok"]
        dialogue.send("ponderhit")
        assert dialogue.expect("bestmove .*")[-1] == "bestmove e7e5"
        for name, value in (("UCI_AnalyseMode", "true"), ("MultiPV", 2), ("OwnBook", "false")):
            assert not infos(dialogue.go("nodes 50")[0])
            dialogue.ask(option(name, value))
            assert infos(dialogue.go("nodes 50")[0])
            dialogue.ask(option("UCI_AnalyseMode", "false"), option("MultiPV", 1))


def test_tables_that_are_not_there(lolli_command: list[str], tmp_path: Path) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(option("SyzygyPath", f"{tmp_path}/nowhere:{tmp_path}"))
        faults = f"{tmp_path}/nowhere: no such folder; {tmp_path}: no Syzygy tables"
        assert lines == [f"info string SyzygyPath: no tables; {faults}"]
        assert dialogue.ask(option("SyzygyPath", "<empty>"), option("SyzygyPath", "")) == []
        dialogue.send(f"position fen {ROOK}")
        assert infos(dialogue.go("nodes 100")[0])


@needs_tables
@pytest.mark.parametrize(
    ("fen", "score", "chances"),
    [(ROOK, "cp 20000", "1000 0 0"), (DRAW, "cp 0", "0 1000 0"), (LONG_WIN, "cp 20", "0 1000 0")],
)
def test_scores_of_the_tables(lolli_command: list[str], fen: str, score: str, chances: str) -> None:
    with Dialogue(lolli_command) as dialogue:
        lines = dialogue.ask(option("SyzygyPath", FOLDER), option("UCI_ShowWDL", "true"))
        assert lines == [
            f"info string SyzygyPath: {len(list(FOLDER.glob('*.rtbw')))} endings of up to 4 pieces{AS_ASKED}"
        ]
        dialogue.send(f"position fen {fen}")
        told = infos(dialogue.go("nodes 60")[0])
        dialogue.ask(option("Syzygy50MoveRule", "false"))
        assert (" score cp 20000 " in infos(dialogue.go("nodes 60")[0])[0]) == (fen != DRAW)
    assert told
    assert all(f" score {score} wdl {chances} " in line for line in told)
    assert all(field(line, "tbhits") > 0 for line in told)


@needs_tables
@pytest.mark.parametrize(("fen", "best"), PAWN_MOVES_ARE_NEARER)
def test_a_search_for_a_mate_does_without_tables(lolli_command: list[str], fen: str, best: str) -> None:
    """They would leave it only the pawn's moves, after which the mate takes longer."""
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(option("SyzygyPath", FOLDER))
        dialogue.send(f"position fen {fen}")
        lines, found = dialogue.go("mate 2 depth 6")
    assert found == best
    assert " score mate 2 " in lines[-1]


@needs_tables
def test_all_lines_are_told_though_not_all_are_searched(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(option("SyzygyPath", FOLDER), option("MultiPV", 30))
        dialogue.send(f"position fen {ROOK}")
        told = infos(dialogue.go("depth 2")[0])
    board = chess.Board(ROOK)
    last = [line for line in told if line.startswith("info depth 2 ")]
    assert {moves_of(line)[0] for line in last} == {move.uci() for move in board.legal_moves}
    assert [field(line, "multipv") for line in last] == list(range(1, len(last) + 1))
    scores = [field(line, "cp") for line in last]
    assert scores == sorted(scores, reverse=True)


NEARLY = "8/8/4k3/3p4/8/4P3/1R6/4K3 w - - 0 1"
"""A man more than the tables have; once the pawn has fallen, the rook and White's pawn win."""


def hits(dialogue: Dialogue, words: str = "depth 9") -> int:
    dialogue.send("ucinewgame", f"position fen {NEARLY}")
    return field(infos(dialogue.go(words)[0])[-1], "tbhits")


@needs_tables
@needs_fathom
def test_tables_inside_the_search(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(option("UCI_ShowWDL", "true"))
        assert hits(dialogue) == 0
        dialogue.ask(option("SyzygyPath", FOLDER))
        dialogue.send("ucinewgame", f"position fen {NEARLY}")
        line = infos(dialogue.go("depth 16")[0])[-1]
        assert 19900 < field(line, "cp") < 20000
        assert " wdl 1000 0 0 " in line
        assert field(line, "tbhits") > 0
        dialogue.ask(option("SyzygyPath", ""))
        assert hits(dialogue) == 0


@needs_tables
@needs_fathom
def test_how_many_positions_are_asked(lolli_command: list[str]) -> None:
    with Dialogue(lolli_command) as dialogue:
        dialogue.ask(option("SyzygyPath", FOLDER))
        usual = hits(dialogue)
        dialogue.ask(option("SyzygyProbeDepth", 3))
        assert 0 < hits(dialogue) < usual
        dialogue.ask(option("SyzygyProbeDepth", 1), option("SyzygyProbeLimit", 3))
        assert hits(dialogue) < usual
        dialogue.ask(option("SyzygyProbeLimit", 0))
        assert hits(dialogue) == 0
        dialogue.send(f"position fen {ROOK}")
        assert field(infos(dialogue.go("depth 2")[0])[-1], "tbhits") == 0
        dialogue.ask(option("SyzygyProbeLimit", 7))
        assert hits(dialogue) == usual
        assert hits(dialogue, "mate 2 depth 6") == 0
        dialogue.ask(option("Skill Level", 10))
        assert hits(dialogue, "depth 6") == 0


@needs_tables
@needs_fathom
def test_fathom_itself_is_not_heard(lolli_command: list[str], tmp_path: Path) -> None:
    """It would write of an incomplete file to stdout, where that is read when the process ends."""
    for path in FOLDER.iterdir():
        shutil.copy(path, tmp_path)
    (tmp_path / "KQvK.rtbw").write_bytes((FOLDER / "KQvK.rtbw").read_bytes()[:-5])
    (tmp_path / "KRvK.rtbz").write_bytes((FOLDER / "KRvK.rtbz").read_bytes()[:-5])
    faults = f"{tmp_path}/KQvK.rtbw: incomplete; {tmp_path}/KRvK.rtbz: incomplete"
    with Dialogue(lolli_command) as dialogue:
        for _ in range(2):
            lines = dialogue.ask(option("SyzygyPath", tmp_path))
            assert lines == [f"info string SyzygyPath: 11 endings of up to 4 pieces; {faults}"]
        hits(dialogue)
        dialogue.send("quit")
        assert dialogue.rest() == []
