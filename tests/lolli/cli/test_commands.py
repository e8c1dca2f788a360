"""`lolli` with words: what a person types at a terminal."""

import json
import re
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engine.board.fen import parse_fen
from engine.board.position import COMPILED
from eval.linear import Linear
from eval.network import Network
from eval.network_file import save_network
from eval.weight_file import save
from lolli import __main__ as entry
from lolli.cli.group import COMMANDS
from protocol import about, evaluation
from protocol.uci.bench import POSITIONS
from tests.eval.some_networks import random_network
from tests.eval.some_weights import MODEL, random_weights
from tests.lolli.cli.terminal.screen import CTRL_C, Screen
from tests.patience import PATIENCE
from tests.pure import ROOT

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def run(command: list[str], *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*command, *words], input=said, capture_output=True, check=False, text=True, timeout=PATIENCE
    )


def lines_of_json(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_version_tells_the_mode(lolli_command: list[str]) -> None:
    done = run(lolli_command, "--version")
    mode = r"compiled for \S.*" if COMPILED else "uncompiled"
    assert re.fullmatch(rf"Lolli {re.escape(about.VERSION)}, {mode}\n", done.stdout)
    assert done.returncode == 0


def test_help_has_examples_and_every_command(lolli_command: list[str]) -> None:
    text = run(lolli_command, "--help").stdout
    assert "Examples:" in text
    assert all(f"\n  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(lolli_command: list[str], name: str) -> None:
    done = run(lolli_command, name, "--help")
    assert done.returncode == 0
    assert f"lolli {name}" in done.stdout


@pytest.mark.parametrize("words", [("xyzzy",), ("--nothing",), ("perft",), ("perft", "x"), ("bench", "0")])
def test_bad_words_get_one_clear_answer(lolli_command: list[str], words: tuple[str, ...]) -> None:
    done = run(lolli_command, *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_the_american_way_to_spell_it(lolli_command: list[str]) -> None:
    ours, theirs = (run(lolli_command, name, "--help") for name in ("analyse", "analyze"))
    assert theirs.returncode == 0
    assert theirs.stdout.replace("analyze", "analyse") == ours.stdout
    assert "analyze" not in run(lolli_command, "--help").stdout


def test_uci_with_weights_that_cannot_be_read(lolli_command: list[str]) -> None:
    done = run(lolli_command, "uci", "--weights", "no/such/file")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "Error: no/such/file: there is no such file\n"


@pytest.mark.parametrize(
    "words",
    [
        ("perft", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "2"),
        ("perft", "4k3/8/8/8/8/8/8/4K2R", "w", "K", "-", "2"),
    ],
)
def test_perft(lolli_command: list[str], words: tuple[str, ...]) -> None:
    done = run(lolli_command, *words)
    assert "\ne1g1: 3\n" in done.stdout
    assert done.stdout.endswith("\n\nNodes searched: 66\n\n")
    assert done.stderr.endswith(" nps\n")


def test_perft_as_json(lolli_command: list[str]) -> None:
    done = run(lolli_command, "perft", "4k3/8/8/8/8/8/8/4K2R w K -", "2", "--json", "--chess960")
    *moves, total = lines_of_json(done.stdout)
    assert done.stderr == ""
    assert {"type": "move", "move": "e1h1", "nodes": 3} in moves
    assert sum(each["nodes"] for each in moves) == total["nodes"] == 66
    assert total["type"] == "sum"
    assert total["time"] >= 0
    assert total["nps"] > 0


@pytest.mark.parametrize("words", [("perft", "20"), ("bench", "60")])
def test_work_that_is_interrupted(lolli_command: list[str], words: tuple[str, ...]) -> None:
    with Screen([*lolli_command, *words], columns=50) as screen:
        screen.expect(r"^ 0/\d\d ")
        assert screen.cursor_hidden
        screen.type(f"keys\rthat do not matter{CTRL_C}")
        assert screen.wait() == 130
        assert not screen.cursor_hidden
        assert screen.text == ""


def test_eval_is_the_table_of_the_dialogue(lolli_command: list[str]) -> None:
    table = run(lolli_command, "eval", "4k3/8/8/8/8/8/8/4K2R", "b", "K", "-").stdout
    said = "position fen 4k3/8/8/8/8/8/8/4K2R b K -\neval\n"
    assert table == run(lolli_command, said=said).stdout
    assert "| Total " in table


def test_eval_as_json_says_what_the_table_says(lolli_command: list[str], tmp_path: Path) -> None:
    save(tmp_path / "w.json", random_weights())
    words = ("eval", "--weights", str(tmp_path / "w.json"), KIWIPETE)
    (content,) = lines_of_json(run(lolli_command, *words, "--json").stdout)
    position = parse_fen(KIWIPETE)
    explanation = Linear(random_weights()).explain(position)
    assert content.pop("chances") == dict(
        zip(("win", "draw", "loss"), MODEL.chances(explanation.value, 78), strict=True)
    )
    assert content.pop("normalised") == MODEL.normalised(explanation.value, 78)
    assert (content.pop("fen"), content.pop("evaluator")) == (KIWIPETE, "linear")
    assert content.pop("check") is False
    assert content == json.loads(json.dumps(asdict(explanation)))
    assert f"\nValue: {explanation.value / 100:+.2f} pawns" in run(lolli_command, *words).stdout


@pytest.fixture
def network(tmp_path: Path) -> str:
    save_network(tmp_path / "n.lolli", random_network())
    return str(tmp_path / "n.lolli")


def test_eval_by_a_network(lolli_command: list[str], network: str) -> None:
    """As in the dialogue; the terms of `linear` follow, for comparison."""
    output = run(lolli_command, "eval", "--weights", network, KIWIPETE).stdout
    said = f"position fen {KIWIPETE}\neval\n"
    assert output == run(lolli_command, "uci", "--weights", network, said=said).stdout
    assert [line for line in output.splitlines() if line.startswith("Evaluation: ")] == [
        "Evaluation: network",
        "Evaluation: linear",
    ]
    parts = Network(random_network()).explain(parse_fen(KIWIPETE)).network
    assert parts is not None
    assert all(line in output for line in evaluation.pieces(parts, parse_fen(KIWIPETE)))


def test_eval_by_a_network_as_json(lolli_command: list[str], network: str) -> None:
    words = ("eval", "--weights", network, KIWIPETE, "--json")
    (content,) = lines_of_json(run(lolli_command, *words).stdout)
    parts = Network(random_network()).explain(parse_fen(KIWIPETE)).network
    assert parts is not None
    assert content["evaluator"] == "network"
    assert content["network"]["buckets"] == [*parts.buckets]
    assert content["network"]["used"] == parts.used == 7
    men = content["network"]["men"]
    assert len(men) == 30
    assert (men["a1"], men["e7"]) == (parts.men[0], parts.men[52])


def test_eval_by_a_network_on_a_terminal(lolli_command: list[str], network: str) -> None:
    """The men in colours, where there are any."""
    words = [*lolli_command, "eval", "--weights", network, KIWIPETE]
    with Screen(words) as screen:
        assert screen.wait() == 0
        assert "♛" in screen.text
        assert "than 1, 3, 3, 5, 9" in screen.text
        assert screen.text.index("♛") < screen.text.index("Value: ") < screen.text.index("Evaluation: linear")
    with Screen(words, term="dumb") as screen:
        assert screen.wait() == 0
        assert "♛" not in screen.text
        assert "\n   a        b  " in screen.text


def test_eval_of_several_positions(lolli_command: list[str], tmp_path: Path) -> None:
    fens = [KIWIPETE, "4k3/8/8/8/8/8/8/1K4R1 w G - 0 1", "4k3/8/8/8/8/8/8/4K2R b K - 0 1"]
    path = tmp_path / "positions.epd"
    path.write_text(f'{fens[0]}\n{fens[1]}\n{fens[2][:-4]} id "the last";\n')
    output = run(lolli_command, "eval", str(path), "--eval", "material").stdout
    tables = [run(lolli_command, "eval", fen, "--eval", "material").stdout for fen in fens]
    headings = [fens[0], fens[1].replace("G", "K"), f"the last: {fens[2]}"]
    assert output == "".join(f"\n{heading}\n{table}" for heading, table in zip(headings, tables, strict=True))
    lines = run(lolli_command, "eval", str(path), "--json").stdout
    assert lines == "".join(run(lolli_command, "eval", fen, "--json").stdout for fen in fens)


def test_eval_says_what_it_assumes(lolli_command: list[str]) -> None:
    done = run(lolli_command, "eval", "4k3/8/8/8/8/8/8/4K2R")
    assert done.stderr == "Assumed: White to move, no castling.\n"


def test_eval_in_check_says_so(lolli_command: list[str]) -> None:
    words = ("eval", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "--eval", "material")
    assert "side to move is in check" in run(lolli_command, *words).stdout
    assert json.loads(run(lolli_command, *words, "--json").stdout)["check"] is True


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("eval", "8/8/8/8/8/8/8/8 w - -"), "king"),
        (("eval", "rubbish"), "FEN"),
        (("eval", "--weights", "/no/such.json"), "/no/such.json: there is no such file"),
        (("eval", "--weights", "{short}"), "short.json: is not a whole file of weights"),
        (
            ("eval", "--weights", "{short}", "--eval", "material"),
            "short.json is for --eval linear, not for --eval material",
        ),
        (("bench", "1", "--weights", "{short}"), "short.json: is not a whole file of weights"),
    ],
)
def test_bad_input_gets_one_line(
    lolli_command: list[str], tmp_path: Path, words: tuple[str, ...], reason: str
) -> None:
    short = tmp_path / "short.json"
    save(short, random_weights())
    short.write_bytes(short.read_bytes()[:2000])
    done = run(lolli_command, *(word.format(short=short) for word in words))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_bench_as_json(lolli_command: list[str]) -> None:
    done = run(lolli_command, "bench", "1", "--json")
    *positions, total = lines_of_json(done.stdout)
    assert done.stderr == ""
    assert [each["position"] for each in positions] == list(range(1, len(POSITIONS) + 1))
    assert [each["fen"] for each in positions] == list(POSITIONS)
    assert {each["type"] for each in positions} == {"position"}
    nodes = run(lolli_command, "bench", "1").stdout.split()[0]
    assert sum(each["nodes"] for each in positions) == total["nodes"] == int(nodes)
    assert total["type"] == "sum"


def test_bench_with_an_evaluator(lolli_command: list[str], tmp_path: Path) -> None:
    save(tmp_path / "w.json", random_weights())
    choices = (("--eval", "material"), ("--weights", str(tmp_path / "w.json")))
    lines = [run(lolli_command, "bench", "1", *words).stdout for words in choices]
    assert all(re.fullmatch(r"\d+ nodes \d+ nps\n", line) for line in lines)
    assert lines[0].split()[0] != lines[1].split()[0]


def test_a_reader_that_goes_away(lolli_command: list[str]) -> None:
    """As in `lolli perft 2 | head -1`."""
    process = subprocess.Popen([*lolli_command, "perft", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=PATIENCE)
    assert b"Traceback" not in errors
    assert b"BrokenPipe" not in errors


def test_openbench_reads_the_last_line_of_bench(lolli_command: list[str]) -> None:
    """It reads both streams as one, and takes the last number that stands with `nodes`, and with `nps`."""
    counts = set()
    for _ in range(2):
        command = [*lolli_command, "bench", "1"]
        both = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=True
        )
        match = re.fullmatch(r"(\d+) nodes (\d+) nps", both.stdout.strip().split("\n")[-1])
        assert match is not None
        counts.add(match[1])
    assert len(counts) == 1


def test_a_processor_that_lacks_something_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr("engine.system.processor.problem", lambda: "this processor lacks avx2")
    with pytest.raises(SystemExit) as caught:
        entry.main()
    assert str(caught.value.code).startswith("lolli: this processor lacks avx2; to compile it here: scripts")
    assert "\n" not in str(caught.value.code)


def test_ctrl_c_before_the_engine_is_loaded() -> None:
    """The first module of the engine to be looked for finds that Ctrl-C was pressed."""
    code = (
        "import os, sys\n"
        "class Finder:\n"
        "    find_spec = lambda name, *_: os.kill(os.getpid(), 2) if name[:7] == 'engine.' else None\n"
        "sys.meta_path.insert(0, Finder)\n"
        "from lolli.__main__ import main\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_the_way_to_uci_is_short() -> None:
    """What a GUI need not wait for is not imported."""
    code = (
        "import sys, io; sys.argv = ['lolli']; sys.stdin = io.TextIOWrapper(io.BytesIO(b'uci'));"
        "from lolli.__main__ import main; main();"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True, timeout=PATIENCE
    )
    heavy = {
        "click",
        "chess",
        "numpy",
        "rich",
        "psutil",
        "logging",
        "asyncio",
        "subprocess",
        "multiprocessing",
    }
    assert not heavy & set(done.stderr.split())
    assert "uciok" in done.stdout
