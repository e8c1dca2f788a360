"""scripts/lab judge-policy: networks of Connect Four against the solver, and their curves."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from scripts.laboratory.judge_policy import STAGES, judge_policy, read_judgements, solved_positions
from scripts.laboratory.learn_policy import snapshots
from scripts.laboratory.long_run import FAILED
from tests.scripts.laboratory.tiny_runs import COMPILED, connect_four_folder

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("policy") / "four"
    connect_four_folder(folder)
    return folder


def judge(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(judge_policy, [str(folder), *words])


def test_connect_four_is_judged_and_drawn(four: Path, tmp_path: Path) -> None:
    """Other playouts are added, the same ones are replaced; the curves are of all networks."""
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    old = {
        "seconds": 30,
        "playouts": 7,
        "kept": dict.fromkeys(STAGES, 0.5),
        "positions": dict.fromkeys(STAGES, 4),
    }
    (folder / "judged.jsonl").write_text(f"{json.dumps(old)}\n")
    assert judge(folder, "--first", "3").exit_code == 0
    first = [*read_judgements(folder / "judged.jsonl").values()]
    assert {each.playouts for each in first} == {0, 7, 100}
    assert first[0].together == 0.5
    result = judge(folder, "--first", "2", "--playouts", "0")
    assert result.exit_code == 0, result.output
    assert re.search(r"\d\.\d%", result.output)
    found = [*read_judgements(folder / "judged.jsonl").values()]
    assert len(found) == 1 + 2 * len(snapshots(folder))
    for each in found:
        assert {*each.positions.values()} == {{0: 2, 7: 4, 100: 3}[each.playouts]}
        assert not each.playouts or each in first
    curves = (folder / "curves.svg").read_text()
    assert curves.count(">the policy alone<") == curves.count(">PUCT, 100 playouts<") == 1


def test_what_was_judged_by_something_else_is_not_reported(four: Path, tmp_path: Path) -> None:
    """It is not lost either: nothing is added beside it."""
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    (folder / "judged.jsonl").write_text("{}\n")
    result = judge(folder)
    assert result.exit_code == FAILED
    assert f"{folder / 'judged.jsonl'}: not what judge-policy writes" in result.output
    assert (folder / "judged.jsonl").read_text() == "{}\n"


def test_nothing_to_judge(tmp_path: Path) -> None:
    result = judge(tmp_path)
    assert result.exit_code == FAILED
    assert result.output == f"Cannot judge: {tmp_path}: no network of scripts/lab learn-policy\n"


def test_a_folder_without_networks(four: Path, tmp_path: Path) -> None:
    folder = tmp_path / "four"
    shutil.copytree(four, folder, ignore=lambda *_: ["networks"])
    result = judge(folder)
    assert (result.exit_code, result.output) == (FAILED, f"Cannot judge: {folder}: no networks yet\n")
    assert not (folder / "curves.svg").exists()


def test_the_own_positions_are_hard_and_have_good_moves() -> None:
    positions = solved_positions()
    assert len(positions) == 800
    assert all(0 < len(each.keeping) < len(each.state().moves()) for each in positions)
    states = {np.asarray(position.state().planes()).tobytes() for position in positions}
    assert len(states) == 800
