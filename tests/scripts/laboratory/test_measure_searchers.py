"""scripts/lab measure-searchers: what is measured, and the tables that come of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.catalogue import game
from engine.games.search.basics import SearchLimits
from lolli.cli.contest import entrants
from scripts.laboratory import measure_searchers
from scripts.laboratory.measure_searchers import FAMILIES, SearcherSetting, efforts, filled

PAGES = Path(__file__).parents[3] / "docs" / "searchers"
SMALL = SearcherSetting(
    "tictactoe", "Small", plies=4, depths=(("minimax", 9), ("alphabeta", 9)), players=("minimax", "random")
)


def test_all_settings_can_be_played_and_all_pages_can_be_filled() -> None:
    for name, settings in FAMILIES.items():
        assert "text" in filled((PAGES / f"{name}.md").read_text(), "text")
        for setting in settings:
            rules = game(setting.game, setting.seats)
            rules.start(setting.size)
            texts = [*setting.players, *(text for text, _ in setting.depths)]
            assert entrants(texts, rules, SearchLimits(depth=1))


def test_all_search_the_same_positions() -> None:
    """Five empty squares: 5 · 4 · 3 · 2 games at most, fewer nodes with alpha-beta, the same ones again."""
    (plain, _, (visited, expanded, leaves, _)), (pruned, _, fewer) = efforts(SMALL, 3, seed=1)
    assert [plain, pruned] == ["minimax", "alphabeta"]
    assert visited == pytest.approx(expanded + leaves)
    assert fewer[0] < visited <= 1 + 5 + 20 + 60 + 120 + 120
    assert next(efforts(SMALL, 3, seed=1))[2][:3] == [visited, expanded, leaves]


def test_the_command_writes_the_page_unless_it_runs_dry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "small.md"
    page.write_text("<!-- measured: begin -->\n<!-- measured: end -->\n")
    monkeypatch.setattr(measure_searchers, "FAMILIES", {"small": (SMALL,)})
    monkeypatch.setattr(measure_searchers, "_PAGES", tmp_path)
    words = ["--positions", "1", "--time", "0.005", "--rounds", "1"]
    dry = CliRunner().invoke(measure_searchers.pages, [*words, "--dry"])
    assert dry.exit_code == 0, dry.output
    assert "| `alphabeta` | 9 |" in dry.output
    assert "alphabeta" not in page.read_text()
    assert CliRunner().invoke(measure_searchers.pages, words).exit_code == 0
    assert "### Small" in page.read_text()
    page.write_text("no marks")
    failed = CliRunner().invoke(measure_searchers.pages, words)
    assert failed.exit_code == 1
    assert "no marks" in failed.output
