"""A game in a file of its own: the one of the documentation, and what is refused."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.games.catalogue import Rules
from engine.games.rules.game import OVER, IllegalMoveError, SizeError
from engine.games.rules.own import OwnFileError, load, reporting, values_of
from engine.games.search.basics import SearchLimits, SearchStoppedError
from engine.games.search.lookup import solve
from engine.games.searchers import SEARCHERS
from tests.compiled import ROOT

PAGE = ROOT / "docs" / "searchers" / "exercises.md"
STICKS = next(
    text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "class Sticks" in text
)

DIE = """
from typing import NamedTuple

class Die(NamedTuple):
    player: int = 0
    shown: int = 0
    moves = lambda self: {0: ["roll"], -1: [-1, 1], -2: []}[self.player]
    chances = lambda self: [(-1, 0.5), (1, 0.5)]
    play = lambda self, move: Die(-1) if move == "roll" else Die(-2, move)
    payoff = lambda self: (self.shown, -self.shown)

start = Die
"""


BAD_ENDS = ("(-float('inf'), 1)", "(0, 0)", "(1, -1)", "(1,)", "'ab'", "5")
BAD_TEXTS = ("'same'", "''", "f'#{_[1]}'")


def game_of(folder: Path, text: str) -> object:
    path = folder / "sticks.py"
    path.write_text(text)
    return Rules.named(str(path), None, {}).game()


def test_best_play_is_known(tmp_path: Path) -> None:
    """The player to move loses if and only if the number of sticks is a multiple of four."""
    (tmp_path / "sticks.py").write_text(STICKS)
    game = Rules.named(str(tmp_path / "sticks.py"), None, {}).game()
    assert (game.title, game.players, game.payoffs) == ("Sticks", 2, (-1, 1))
    table: dict[Any, Sequence[float]] = {**solve(game.start())}
    for state, payoffs in table.items():
        if state.player != OVER:
            assert payoffs[state.player] == (-1 if state.left % 4 == 0 else 1)


def test_searchers_play_it(tmp_path: Path) -> None:
    (tmp_path / "sticks.py").write_text(STICKS)
    game = Rules.named(str(tmp_path / "sticks.py"), None, {}).game()
    able = {name for name, each in SEARCHERS.items() if each.obstacle(game) is None}
    assert {"minimax", "alphabeta", "enhanced", "maxn", "paranoid", "lookup", "uct", "random"} <= able
    assert not able & {"bestreply", "uct-fast", "puct"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("return Sticks(10)", "return [10]", r"start\(\) is \[10\]: a state needs player"),
        ("def start", "def begin", "defines no function start"),
        ("else -2", "else 0", "after .* moves there is no move, and the game is not over"),
        ("self.left - move, 1 -", "self.left, 1 -", "a game is not over after 1,000 moves"),
        ("1 - self.mover)", "2 - self.mover)", "after 1 moves the player is 2"),
        ("(-1, 1) if", "(-3, 3) if", r"payoff\(\) is \(.*\): PAYOFFS are -1 to 1"),
        (
            "(-1, 1) if self.mover == 0 else (1, -1)",
            "(1, 0, 1)",
            r"payoff returned \(1, 0, 1\): expected a value for",
        ),
        (
            "[number for number in (1, 2, 3) if number <= self.left]",
            "{1}",
            r"moves\(\) is \{1\}: return a list",
        ),
        (
            "[number for number in (1, 2, 3) if number <= self.left]",
            "(number for number in (1, 2, 3) if number <= self.left)",
            r"moves\(\) is <generator .*: return a list or a tuple",
        ),
        *(
            ("def start", f"PAYOFFS = {each}\ndef start", "PAYOFFS is .*: expected two finite numbers")
            for each in BAD_ENDS
        ),
        *(
            ("def start", f"text = lambda *_: {each}\ndef start", "the texts of .* must differ")
            for each in BAD_TEXTS
        ),
        ("import NamedTuple", "import Nothing", "line 3: ImportError: "),
        ("1 - self.mover)", "self.mover / 0)", "line 18: ZeroDivisionError: division by zero"),
    ],
)
def test_what_is_refused(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in STICKS
    with pytest.raises(SizeError, match=told):
        game_of(tmp_path, STICKS.replace(old, new))


def test_moves_that_cannot_be_hashed_are_refused(tmp_path: Path) -> None:
    text = STICKS.replace("[number for", "[[number] for").replace("self.left - move,", "self.left - move[0],")
    with pytest.raises(SizeError, match="unhashable type: 'list'"):
        game_of(tmp_path, text)


@pytest.mark.parametrize("moves", ["[]", "['roll']", "[1, 1]", "[-1]"])
def test_where_chance_moves_the_moves_are_its_outcomes(moves: str, tmp_path: Path) -> None:
    with pytest.raises(SizeError, match=r"moves\(\) must be the outcomes of chances\(\)"):
        game_of(tmp_path, DIE.replace("[-1, 1]", moves))


@pytest.mark.parametrize(
    "text",
    [
        f"{DIE}\nestimate = lambda state: 1",
        f"{DIE}\nestimate = lambda state: 1.04 * state.shown",  # at the end nobody asks for it
        f"{STICKS}\nestimate = lambda state: 2",
    ],
)
def test_estimates_within_the_payoffs_or_without_chance_are_accepted(text: str, tmp_path: Path) -> None:
    game_of(tmp_path, text)


def test_estimates_beyond_the_payoffs_are_refused_in_a_game_with_chance(tmp_path: Path) -> None:
    """Expectiminimax prunes by the payoffs."""
    with pytest.raises(SizeError, match=r"estimate\(\) is .*: PAYOFFS are -1 to 1"):
        game_of(tmp_path, f"{DIE}\nestimate = lambda state: 2")


def test_a_fault_is_told_at_its_line_also_from_within_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`os.environ` runs lines of Python's own, of a file that seems to be in every folder."""
    (tmp_path / "sticks.py").write_text("import os\n" + STICKS.replace("Sticks(10)", 'os.environ["NONE"]'))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SizeError, match=r"line \d+: KeyError") as error:
        Rules.named("sticks.py", None, {}).game()
    assert "frozen" not in str(error.value)


def test_a_state_that_changes_is_refused(tmp_path: Path) -> None:
    text = """
class Sticks:
    left, player = 10, 0
    __hash__ = lambda self: hash((self.left, self.player))
    moves = lambda self: [1]
    payoff = lambda self: (1, -1)
    def play(self, move):
        self.left -= 1
        self.player = -2 if self.left == 0 else 1 - self.player
        return self
start = Sticks
"""
    with pytest.raises(SizeError, match=r"play\(1\) changes the state: return another one"):
        game_of(tmp_path, text)


@pytest.mark.parametrize("value", [1, -1])
def test_an_estimate_is_never_certain(value: int, tmp_path: Path) -> None:
    """Even if it is exactly that of a win or a loss."""
    (tmp_path / "sticks.py").write_text(f"{STICKS}\nestimate = lambda state: {value}\n")
    game = Rules.named(str(tmp_path / "sticks.py"), None, {}).game()
    found = SEARCHERS["alphabeta"].player(game).choose(game.start(), SearchLimits(depth=2))
    assert (found.value, found.depth, found.exact) == (value, 2, False)


def test_moves_may_have_letters_beyond_ascii(tmp_path: Path) -> None:
    text = '\ntext = lambda state, move: ("Eins", "zwei", "zwölf")[move - 1]\n'
    (tmp_path / "sticks.py").write_text(STICKS + text, encoding="utf-8")
    game = Rules.named(str(tmp_path / "sticks.py"), None, {}).game()
    assert [game.parse(game.start(), each) for each in ("eins", "ZWEI", " zwölf ")] == [1, 2, 3]
    with pytest.raises(IllegalMoveError):
        game.parse(game.start(), "zwoelf")


@pytest.mark.parametrize(
    ("players", "options", "told"),
    [(3, {}, "Sticks is for 2 players, not 3"), (None, {"size": "3"}, "unknown option 'size'")],
)
def test_players_and_options(players: int | None, options: dict[str, str], told: str, tmp_path: Path) -> None:
    (tmp_path / "sticks.py").write_text(STICKS)
    with pytest.raises(SizeError, match=told):
        Rules.named(str(tmp_path / "sticks.py"), players, options).game()


def test_modules_beside_a_file_are_its_own(tmp_path: Path) -> None:
    """Also where they are imported late, by each other, or have the name of one of Python's or Lolli's."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, most in ((first, 3), (second, 2)):
        folder.mkdir()
        (folder / "eval.py").write_text(f"MOST = {most}")
        (folder / "helper.py").write_text("def most():\n    import eval\n    return eval.MOST")
        text = STICKS.replace("from typing", "import helper\nfrom typing")
        text = text.replace("for number in (1, 2, 3)", "for number in range(1, helper.most() + 1)")
        (folder / "sticks.py").write_text(text)
    starts = [Rules.named(str(each / "sticks.py"), None, {}).game().start() for each in (first, second)]
    assert [list(each.moves()) for each in starts] == [[1, 2, 3], [1, 2]]
    (second / "eval.py").write_text("MOST = 0 / 0")
    with (
        pytest.raises(OwnFileError, match=r"^eval\.py, line 1: ZeroDivisionError"),
        reporting(str(second / "sticks.py")),
    ):
        load(str(second / "sticks.py")).start().moves()


def test_stdin_and_stdout_are_the_commands(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "helper.py").write_text("print('helping')")
    (tmp_path / "mine.py").write_text("import helper\nprint(1, 2, sep='+', flush=True)\ninput('name?')")
    with pytest.raises(OwnFileError, match="line 3: EOFError: EOF when reading a line"):
        load(str(tmp_path / "mine.py"))
    assert capfd.readouterr() == ("", "helping\n1+2\n")


def test_a_file_may_change_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mine.py").write_text(
        "import os, pathlib\nos.chdir(os.path.dirname(__file__))\ntext = pathlib.Path('mine.py').read_text()"
    )
    monkeypatch.chdir(tmp_path)
    assert load("in/mine.py").text == load("in/mine.py").text
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    ("name", "told"), [("repr", "returned <Odd>: expected"), ("str", "line 3: Odd: <Odd>")]
)
def test_a_value_without_words_is_told_by_its_class(name: str, told: str, tmp_path: Path) -> None:
    function = "return Odd()" if name == "repr" else "raise Odd"
    (tmp_path / "mine.py").write_text(
        f"class Odd(Exception): __{name}__ = lambda self: 1 / 0\ndef estimate(state):\n    {function}\n"
    )
    with pytest.raises(OwnFileError, match=told), reporting(str(tmp_path / "mine.py")):
        values_of(load(str(tmp_path / "mine.py")).estimate(None), 2)


@pytest.mark.parametrize("raised", ["SystemExit(0)", "SearchStoppedError"])
def test_what_passes_is_told_where_the_file_itself_raises_it(raised: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from engine.games.search.basics import SearchStoppedError\n"
        f"def run(call):\n    call()\n    raise {raised}"
    )
    run = load(str(tmp_path / "mine.py")).run

    def stop() -> None:
        raise SearchStoppedError

    others = (SystemExit, SearchStoppedError)
    with pytest.raises(SearchStoppedError), reporting(str(tmp_path / "mine.py"), *others):
        run(stop)
    with pytest.raises(OwnFileError, match="line 4: "), reporting(str(tmp_path / "mine.py"), *others):
        run(list)
