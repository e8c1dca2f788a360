"""A person's own defaults over UCI: told as the options' defaults, and overruled by the client."""

from pathlib import Path

import chess.engine
import pytest

from engine.lookup import book
from protocol.config import VARIABLE
from tests.protocol.uci.dialogue import Dialogue


def test_defaults_and_what_the_client_sets(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client sends only what differs from the default that it was told."""
    file = tmp_path / "config.toml"
    file.write_text(
        f'hash = 32\nthreads = 2\neval = "linear"\ntables = "{tmp_path}"\nbook = true\n'
        '[uci]\n"move overhead" = 100\nUCI_ShowWDL = true\nThreads = 3\n'
    )
    monkeypatch.setenv(VARIABLE, str(file))
    with Dialogue(lolli_command) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
        told = {line.split(" type ")[0]: line for line in lines}
        for expected in (
            "option name Hash type spin default 32 ",
            "option name Threads type spin default 3 ",
            "option name Eval type combo default linear ",
            f"option name SyzygyPath type string default {tmp_path}",
            "option name OwnBook type check default true",
            "option name BookFile type string default <standard>",
            "option name Move Overhead type spin default 100 ",
            "option name UCI_ShowWDL type check default true",
            "option name MultiPV type spin default 1 ",
        ):
            assert told[expected.split(" type ")[0]].startswith(expected)
        assert not [line for line in lines if line.startswith("info string") and "config" in line]
        said = dialogue.ask("setoption name OwnBook value false", "position startpos")
        assert any("SyzygyPath: no tables" in line for line in said), said
        assert "Evaluation: linear" in dialogue.ask("eval")
        lines, _ = dialogue.go("depth 3")
        assert all(" wdl " in line for line in lines if line.startswith("info depth"))
        assert not any("book move" in line for line in lines)


def test_the_own_book(lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As python-chess plays, which sets only what it is told to; beside the file, by its name."""
    (tmp_path / "my.bin").write_bytes(book.STANDARD.read_bytes())
    (tmp_path / "config.toml").write_text('book = "my.bin"\n')
    monkeypatch.setenv(VARIABLE, str(tmp_path / "config.toml"))
    with chess.engine.SimpleEngine.popen_uci(lolli_command) as engine:
        assert engine.options["BookFile"].default == str(tmp_path / "my.bin")
        played = engine.play(chess.Board(), chess.engine.Limit(depth=3), info=chess.engine.INFO_ALL)
        assert "book move" in played.info["string"]


def test_mistakes_are_told_and_the_rest_counts(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        "hash = 24\nhsh = 1\n[uci]\nNope = 1\nThreads = 0\nUCI_EngineAbout = 'me'\n'Clear Hash' = true\n"
        "SyzygyPath = ['a', 'b']\nhash = 'x'\nponder = 3\nParameters = 'no=1'\n"
        f"MultiPV = 0x{'f' * 6000}\n"
    )
    monkeypatch.setenv(VARIABLE, str(file))
    with Dialogue(lolli_command, quiet=False) as dialogue:
        dialogue.send("uci")
        lines = dialogue.expect("uciok")
        assert any(line.startswith("option name Hash type spin default 24 ") for line in lines)
        told = [line for line in lines if line.startswith("info string") and str(file) in line]
        assert told == [
            f"info string {file}, line {line}: {text}"
            for line, text in (
                (2, "hsh: unknown key, did you mean hash?"),
                (4, "Nope: unknown option"),
                (5, "Threads: must be from 1 to 512"),
                (6, "UCI_EngineAbout: is read only"),
                (7, "Clear Hash: has no value"),
                (8, "SyzygyPath: neither a text, a number, true nor false"),
                (9, "hash: not a whole number: 'x'"),
                (10, "ponder: must be true or false, not '3'"),
                (11, "Parameters: unknown parameter 'no'"),
                (12, "MultiPV: a number of thousands of digits"),
            )
        ]
        dialogue.ask("isready")


def test_words_of_the_command_line_count_more(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('eval = "linear"\nhash = 24\n')
    monkeypatch.setenv(VARIABLE, str(file))
    for words, evaluator, megabytes in (
        (["uci"], "linear", 24),
        (["uci", "--eval", "material"], "material", 24),
        (["--no-config", "uci", "--eval", "material"], "material", 16),
    ):
        with Dialogue([*lolli_command, *words]) as dialogue:
            dialogue.send("uci")
            lines = dialogue.expect("uciok")
            assert f"Hash type spin default {megabytes} " in " ".join(lines)
            assert f"Evaluation: {evaluator}" in dialogue.ask("eval")


def test_the_signature_stays_the_same(
    lolli_command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`bench` is what versions are compared by."""
    file = tmp_path / "config.toml"
    sums = []
    for text in ("", 'eval = "material"\nhash = 1\nthreads = 2\n[uci]\nParameters = "null_move=off"\n'):
        file.write_text(text)
        monkeypatch.setenv(VARIABLE, str(file))
        with Dialogue(lolli_command) as dialogue:
            dialogue.send("bench 1")
            sums.append(dialogue.expect(r"\d+ nodes \d+ nps")[-1].split()[0])
    assert sums[0] == sums[1]
