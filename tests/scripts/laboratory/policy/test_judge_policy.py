"""scripts/lab judge-policy and report-policy: networks of Connect Four, judged by the solver and reported."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

from scripts.laboratory.long_run import FAILED
from scripts.laboratory.policy.judge_policy import judge_policy
from scripts.laboratory.policy.judgements import read_judgements
from scripts.laboratory.policy.policy_folder import snapshots
from scripts.laboratory.policy.report_policy import report_policy
from scripts.laboratory.policy.solved_sets import own_positions
from tests.scripts.laboratory.policy.tiny_runs import COMPILED, learn

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

pytestmark = pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a run of a second of Connect Four."""
    folder = tmp_path_factory.mktemp("policy") / "four"
    assert learn(folder, "--minutes", "0.02", "--processor-time").exit_code == 0
    return folder


def judge(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(judge_policy, [str(folder), *words])


def page_of(folder: Path, out: Path) -> str:
    result = CliRunner().invoke(report_policy, [str(folder), "--out", str(out)])
    assert result.exit_code == 0, result.output
    return (out / "report.md").read_text()


def test_connect_four_is_judged_by_the_solver_and_reported(four: Path, tmp_path: Path) -> None:
    """Positions of a file are solved once; the page has the curve of all networks on the way."""
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    positions = tmp_path / "some"
    positions.write_text("2252576253462244111563365343671351441 -1\n7422341735647741166133573473242566 1\n")
    words = ["--positions", str(positions), "--playouts", "0", "--playouts", "200"]
    result = judge(folder, *words)
    assert result.exit_code == 0, result.output
    assert "100.0" in result.output
    solved = [json.loads(line) for line in positions.with_name("some.moves.jsonl").read_text().splitlines()]
    assert [each["value"] for each in solved] == [-1, 1]
    positions.with_name("some.moves.jsonl").write_text('{"stage": "a')
    assert judge(folder, *words).output == result.output
    positions.write_text("4453 1\n")
    other = judge(folder, *words)
    assert other.exit_code == FAILED
    assert "some.moves.jsonl: of other positions than some; remove it" in other.output
    page = page_of(folder, tmp_path / "page")
    assert page.startswith("# How a network learned Connect Four\n")
    assert "## Moves that keep the proven value" in page
    assert "| 0 | 200 | 2 |" in page
    assert (tmp_path / "page" / "curves.svg").read_text().startswith("<?xml")


def test_what_was_judged_on_other_terms_stays(four: Path, tmp_path: Path) -> None:
    """Other playouts and other positions are added; the same ones are replaced."""
    folder, positions = tmp_path / "four", tmp_path / "some"
    shutil.copytree(four, folder)
    positions.write_text("2252576253462244111563365343671351441 -1\n")
    assert judge(folder, "--first", "3").exit_code == 0
    first = {(each.seconds, each.playouts): each for each in read_judgements(folder / "judged.jsonl")}
    assert {playouts for _, playouts in first} == {0, 100}
    assert judge(folder, "--first", "2", "--playouts", "0").exit_code == 0
    assert judge(folder, "--positions", str(positions), "--playouts", "0").exit_code == 0
    found = read_judgements(folder / "judged.jsonl")
    assert len(found) == 3 * len(snapshots(folder))
    for each in found:
        counts = {share.positions for share in each.shares.values()}
        assert counts == {1 if each.sets == ("some",) else 2 if each.playouts == 0 else 3}
        assert each.playouts == 0 or each == first[each.seconds, 100]
    page = page_of(folder, tmp_path / "page")
    assert "| seconds | playouts | positions | end | middle | beginning |" in page
    assert "| seconds | playouts | positions | some |" in page
    assert "| 0 | 0 | 6 |" in page
    assert "| 0 | 100 | 9 |" in page
    assert "| 0 | 0 | 1 |" in page
    curves = (tmp_path / "page" / "curves.svg").read_text()
    assert curves.count(">the policy alone<") == 2
    assert curves.count(">PUCT, 100 playouts<") == 1
    assert "in end and 2 more sets" in curves


def test_where_all_positions_are_hard_a_share_is_told_once(four: Path, tmp_path: Path) -> None:
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    judged = judge(folder, "--first", "3", "--playouts", "0").output
    page = page_of(folder, tmp_path / "page")
    for told in (judged, page):
        assert re.search(r"\d\.\d%", told)
        assert not re.search(r"\d, \d", told)
        assert "hard" not in told


def test_a_page_without_steps_and_judgements_has_no_picture(four: Path, tmp_path: Path) -> None:
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    journal = folder / "learning.jsonl"
    journal.write_text(re.sub(r'"losses":\[[^]]*\]', '"losses":[]', journal.read_text()))
    page = page_of(folder, tmp_path / "page")
    assert page.endswith(" | - | - |\n")
    assert "![" not in page
    assert not (tmp_path / "page" / "curves.svg").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("12x 1\n", "not a position: '12x 1'"),
        ("1212121 1\n", "the game is over: 1212121"),
        ("2252576253462244111563365343671351441 1\n", "has another value than 1"),
    ],
)
def test_positions_that_cannot_be_judged_by(text: str, said: str, four: Path, tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text(text)
    result = judge(four, "--positions", str(file))
    assert result.exit_code == FAILED
    assert said in result.output
    assert not file.with_name("positions.moves.jsonl").exists()


def test_what_was_judged_by_something_else_is_not_reported(four: Path, tmp_path: Path) -> None:
    """And not lost: nothing is judged beside it."""
    folder = tmp_path / "four"
    shutil.copytree(four, folder)
    (folder / "judged.jsonl").write_text("{}\n")
    for command in (report_policy, judge_policy):
        result = CliRunner().invoke(command, [str(folder)])
        assert result.exit_code == FAILED
        assert f"{folder / 'judged.jsonl'}: not what judge-policy writes" in result.output
    assert (folder / "judged.jsonl").read_text() == "{}\n"


def test_nothing_to_report(tmp_path: Path) -> None:
    result = CliRunner().invoke(report_policy, [str(tmp_path)])
    assert result.exit_code == FAILED
    assert result.output == f"Cannot report: {tmp_path}: no network of scripts/lab learn-policy\n"


def test_the_own_positions_are_hard_and_have_good_moves() -> None:
    positions = own_positions()
    assert len(positions) == 800
    assert all(position.hard and position.keeping for position in positions)
    states = {np.asarray(position.state().planes()).tobytes() for position in positions}
    assert len(states) == 800
