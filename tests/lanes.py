"""The lanes of the tests: files that `scripts/test` selects with `--lane`. Without a lane all tests run.

Files are left out before they are imported, so that a lane takes no time for what is not in it.
"""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Lane:
    """Files and folders below `tests`: those `within` some, or all; and of these those not `without`."""

    within: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def has(self, path: Path) -> bool:
        """Whether a file is in the lane; a folder is where something in it may be."""
        name = path.relative_to(ROOT).as_posix()
        if any(_holds(place, name) for place in self.without):
            return False
        if not self.within:
            return True
        return any(_holds(place, name) or (path.is_dir() and _holds(name, place)) for place in self.within)


def _holds(place: str, name: str) -> bool:
    return place == name or name.startswith(f"{place}/")


_AROUND_THE_ENGINE = (
    "eval/training",
    "lolli/cli/annotation/test_resume.py",
    "lolli/cli/reports",
    "lolli/cli/tactics",
    "lolli/cli/test_check.py",
    "lolli/cli/test_completion.py",
    "lolli/cli/test_solve.py",
    "lolli/cli/test_streams.py",
    "lolli/cli/test_tournament.py",
    "lolli/cli/trees/test_figures.py",
    "lolli/cli/trees/test_page.py",
    "lolli/cli/trees/test_page_search.py",
    "lolli/cli/trees/test_tree_browser.py",
    "protocol/test_dialogue_fuzz.py",
    "protocol/test_growth.py",
    "protocol/gtp/test_short_of_memory.py",
    "protocol/uci/test_short_of_memory.py",
    "scripts",
    "test_poorer_systems.py",
)
"""Learning, the laboratory, commands that make pages, exercises and tables, browsers and shells, kills and
full disks, inputs of all lengths, fuzzed dialogues, poor systems."""

_LENGTHY = (
    "engine/board/test_against_chess.py",
    "engine/board/test_fen_fuzz.py",
    "engine/board/test_legality.py",
    "engine/games/fast/test_othello_search.py",
    "engine/games/players",
    "engine/games/rules/test_backgammon.py",
    "engine/games/rules/test_chess.py",
    "engine/games/rules/test_chess_endings.py",
    "engine/games/rules/test_chinesecheckers.py",
    "engine/games/rules/test_go.py",
    "engine/games/rules/test_othello_patterns.py",
    "engine/games/search/test_best_reply.py",
    "engine/games/search/test_enhanced_alphabeta.py",
    "engine/games/search/test_uct.py",
    "engine/lookup",
    "engine/search/test_cache_lines.py",
    "engine/search/test_deepening.py",
    "engine/search/test_handicap.py",
    "engine/search/test_mates.py",
    "engine/search/test_minimax_oracle.py",
    "engine/search/test_play.py",
    "engine/search/test_selfplay.py",
    "engine/search/test_sight.py",
    "engine/search/test_techniques.py",
    "engine/test_session.py",
    "eval/test_bad_network_files.py",
    "eval/test_bad_weight_files.py",
    "eval/test_endings.py",
    "eval/test_file_fuzz.py",
    "eval/test_linear.py",
    "eval/test_network.py",
    "protocol/gtp/test_analysis.py",
    "protocol/gtp/test_dialogues.py",
    "protocol/gtp/test_endings.py",
    "protocol/gtp/test_gnugo.py",
    "protocol/gtp/test_sgf_fuzz.py",
    "protocol/uci/test_endings.py",
    "protocol/uci/test_levels.py",
    "protocol/uci/test_pipelining.py",
    "protocol/uci/test_process.py",
    "protocol/uci/test_polyglot.py",
    "protocol/uci/test_python_chess.py",
    "protocol/uci/test_threads.py",
)
"""Files that take seconds each: games, long searches, dialogues with real processes."""

LANES = {
    "usual": Lane(without=_AROUND_THE_ENGINE),
    "rest": Lane(within=_AROUND_THE_ENGINE),
    # What the mode can change, beyond the kernel: modules that are compiled, and who calls them first.
    "plain": Lane(within=("engine", "eval", "protocol/gtp", "protocol/uci", "test_twins.py")),
    # What must give the same as plain Python.
    "kernel": Lane(
        within=("engine/board", "engine/search", "eval", "test_twins.py"),
        without=(
            "eval/training",
            "engine/search/test_deepening.py",
            "engine/search/test_handicap.py",
            "engine/search/test_mates.py",
            "engine/search/test_sight.py",
            "engine/search/test_techniques.py",
        ),
    ),
    "quick": Lane(
        within=("engine", "eval", "protocol/gtp", "protocol/uci", "test_layout.py", "test_twins.py"),
        without=(*_AROUND_THE_ENGINE, *_LENGTHY),
    ),
}
