"""`lolli play --game`: whole games by script, and the words besides moves."""

import re

import pytest
from click.testing import CliRunner, Result

from engine.games.players.catalogue import GAMES
from engine.games.textbook.search import SearchLimits
from protocol.cli.board_games.table import GameTable, TableTerms
from protocol.cli.board_games.table_commands import COMMANDS
from protocol.cli.group import group
from protocol.gtp.rules import Rules
from tests.protocol.cli.running import run_command

WHOLE: dict[str, tuple[str, ...]] = {
    "tree": ("--set", "tree=max([1,9],min(2,8))"),
    "tictactoe": (),
    "nim": ("--size", "7"),
    "connectfour": (),
    "othello": ("--size", "4"),
    "checkers": ("--set", "fen=B:W32:B23,22,K18"),
    "chess": ("--set", "fen=7k/5Q2/8/8/8/8/8/K7 w - - 98 80", "--set", "judge=material"),
    "go": ("--moves", "E5 pass"),
    "backgammon": (),
    "virus": ("--size", "5"),
}
"""Games that soon end, with what makes them short."""
UNENDING = ("chinesecheckers", "focus")


def talk(*words: str, said: str = "", status: int = 0) -> str:
    """What is said to these lines."""
    done: Result = CliRunner().invoke(group, ["play", *words], input=said)
    assert done.exit_code == status, done.output
    return done.output


def test_every_game_is_tried() -> None:
    assert {*WHOLE, *UNENDING} == set(GAMES)


def first_moves(name: str, words: tuple[str, ...]) -> tuple[list[str], GameTable]:
    """What to say to play the first legal move each time against `random`, and the table at the end."""
    given = list(zip(words[::2], words[1::2], strict=True))
    options = dict(value.split("=", 1) for option, value in given if option == "--set")
    others = {option: value for option, value in given if option != "--set"}
    terms = TableTerms(
        Rules(name, None, options),
        int(others["--size"]) if "--size" in others else None,
        others.get("--moves", "").split(),
        None,
        SearchLimits(),
        5,
    )
    table, said = GameTable(terms, "random"), []
    while not table.is_over:
        if not table.is_mine:
            table.answer()
            continue
        said.append("pass" if name == "go" else table.game.text(table.state, table.state.moves()[0]))
        table.play(said[-1])
    return said, table


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_game(name: str) -> None:
    said, table = first_moves(name, WHOLE[name])
    text = talk("--game", name, *WHOLE[name], "--seed", "5", "random", said="\n".join([*said, "zz", ""]))
    payoffs = table.state.payoff()
    assert text.count("Your move: ") == len(said)
    assert "is not" not in text
    tail = text.splitlines()[-4:]
    assert tail[-1] == "Game over: "
    assert tail[-3:-1] == ["Game over: zz", "The game is over: undo, new or quit."]
    mine, other = payoffs[table.seat], payoffs[1 - table.seat]
    if name == "tree":
        assert tail[0] == f"The payoffs: MAX {payoffs[0]:+g}, MIN {payoffs[1]:+g}."
    elif mine == other:
        assert tail[0] == "A draw."
    else:
        assert tail[0].startswith("You win") if mine > other else " (random) wins" in tail[0]
    if name != "chess":  # whose board is drawn otherwise
        rows = table.game.show(table.state).splitlines()
        shown = text.splitlines()
        assert any(all(map(str.startswith, shown[i:], rows)) for i in range(len(shown) - len(rows)))


def test_the_words_besides_moves() -> None:
    text = talk(
        "--game", "tictactoe", "--level", "3", "--seed", "1",
        said="b2\nhint\nwhy\neval\nmoves a\nundo\nundo\nundo 1x\nboard\nlevel\nseat\nhelp\n",
    )  # fmt: skip
    said = dict(re.findall(r"^Your move: (.+)\n((?:(?!Your move: ).*\n)*)", text, re.MULTILINE))
    assert re.search(
        r"^O \(level3\) plays \w\d: value \S+ for O \(estimate\); line .*; depth 2, \d+ nodes, ",
        said["b2"],
        re.MULTILINE,
    )
    hint = re.fullmatch(r"Try (\w\d): value \+0 for X; line \1 .*\n", said["hint"])
    assert hint is not None
    assert said["why"].splitlines()[0].startswith("level3: move ")
    assert said["why"].splitlines()[-1].endswith("; limits depth=2")
    assert said["eval"].splitlines()[0].startswith("level3: move ")
    assert said["moves a"] in {"A1 A2 A3\n", "A2 A3\n", "A1 A3\n", "A1 A2\n"}
    assert said["undo"] == "There is no move to take back.\n"  # the second one
    assert text.count("\nTaken back.\n") == 1
    assert said["undo 1x"] == "Type undo for your last move, undo 2 for the last two.\n"
    assert said["board"].startswith("\n   A B C     > X  You\n 3 . . . 3     O  level3\n")
    assert "\n> level 3: alphabeta, depth=2\n" in said["level"]
    assert said["seat"] == "1: X, You\n2: O, level3\n"
    assert all(f"  {command.name}" in said["help"] for command in COMMANDS)


def test_moves_with_commas_are_listed_with_blanks() -> None:
    text = talk("--game", "backgammon", "--moves", "65", "--seat", "1", "random", said="moves 8\n")
    assert "\nYour move: moves 8\n8/2,8/3\n" in text
    text = talk("--game", "backgammon", "--moves", "65", "--seat", "1", "random", said="moves 24/\n")
    assert "\n24/13 24/18,13/8 24/18,8/3\n" in text
    text = talk("--game", "backgammon", "--moves", "31", "--seat", "1", "random", said="hint\n")
    assert re.search(
        r"\nYour move: hint\nTry 8/5,6/5: value .*\n8/5,6/5 \+0\.\d{3}(; \S+ [+-]0\.\d{3}){4}\n", text
    )


def test_a_takeback_goes_to_the_board_before_the_move() -> None:
    text = talk("--game", "connectfour", "--seed", "1", "random", said="d\nd\ne\nboard\nundo 2\nundo 2\n")
    first, second, third, shown, back, _ = text.split("Your move: ")[1:7]
    assert shown.removeprefix("board") == third.removeprefix("e").rpartition("O (random)")[0]
    assert back.startswith("undo 2\n")
    assert (
        back.removeprefix("undo 2").replace("Taken back.\n", "")
        == first.removeprefix("d").rpartition("O (")[0]
    )
    assert first != second
    assert "\nYou have not made that many moves.\n" in text


@pytest.mark.parametrize(
    ("game", "line", "answer"),
    [
        ("tictactoe", "zz", "'zz' is not a vertex of this board: type moves or help."),
        ("connectfour", "k7", "'k7' is not a legal move: type moves or help."),
        ("backgammon", "8/5 6/7", "'8/5 6/7' is not a legal move: type moves or help."),
        ("checkers", "1-32", "'1-32' is not a legal move: type moves or help."),
        ("nim", "hlep", "'hlep' is not a legal move: did you mean help?"),
        ("nim", "searcher nobody", "unknown searcher 'nobody': choose from "),
        ("nim", "searcher expectiminimax:depth=x", "expectiminimax:depth=x: depth must be a whole number"),
        ("backgammon", "searcher minimax", "minimax: needs a game without chance."),
        ("nim", "level 99", "unknown level 99: this game has levels 1 to 6."),
        ("nim", "level x", "Type level 2 for level 2, level for all of them."),
        ("nim", "seat 3", "The seat must be from 1 to 2."),
        ("connectfour", "tree uct-fast", "uct-fast cannot be watched: choose from "),
        ("nim", "why", "The searcher has not moved yet."),
        ("nim", "moves x", "No legal move begins like that."),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_the_position_stays(game: str, line: str, answer: str) -> None:
    before = talk("--game", game, "--seed", "1", "--seat", "1", "random", said="board\n")
    after = talk("--game", game, "--seed", "1", "--seat", "1", "random", said=f"{line}\nboard\n")
    told = after.split(f"Your move: {line}\n")[1].splitlines()
    assert told[0].startswith(answer)
    assert told[1] == "Your move: board"
    assert after.split("board\n")[1] == before.split("board\n")[1]


def test_the_searcher_and_the_seat_change_during_a_game() -> None:
    text = talk("--game", "tictactoe", "random", said="b2\nsearcher uct:playouts=30\nseat 2\nwhy\nlevel 2\n")
    assert "\nYou play against uct:playouts=30 now.\n" in text
    assert re.search(r"^X \(uct:playouts=30\) plays \w\d: .*30 random games", text, re.MULTILINE)
    assert "\nYou play O now.\n" in text
    assert re.search(r"^(\w\d \d+ visits, mean [+-]\d\.\d\d(; )?)+$", text, re.MULTILINE)
    assert "\nYou play against level2 (alphabeta, depth=1) now.\n" in text


def test_resigning_and_a_new_game() -> None:
    text = talk("--game", "tictactoe", "random", said="b2\nresign\nhint\nundo\nresign\nnew\nquit\n")
    assert text.count("\nYou resign as X.\n") == 2
    assert "Game over: hint\nThe game is over: undo, new or quit.\n" in text
    board = text[: text.index("Tic-tac-toe: ")]
    assert text.endswith(f"{board}A new game.\nYour move: quit\n\n")


def test_undo_after_a_resignation_takes_it_back_first() -> None:
    text = talk(
        "--game", "tictactoe", "--seat", "1", "random", said="resign\nundo\nundo\nb2\nresign\nundo 2\n"
    )
    before, _, after = text.partition("Your move: resign\n")
    board = before[: before.index("Tic-tac-toe: ")]
    assert (
        f"{board}Your resignation is taken back.\nYour move: undo\nThere is no move to take back.\n" in after
    )
    assert after.endswith(f"Game over: undo 2\n{board}Taken back.\nYour move: \n")


def test_why_names_the_searcher_that_has_moved() -> None:
    text = talk("--game", "nim", "--size", "20", "--level", "2", said="19-1\nlevel 3\nwhy\neval\n")
    assert re.search(r"^Your move: why\nlevel2: move ", text, re.MULTILINE)
    assert re.search(r"^Your move: eval\nlevel3: move ", text, re.MULTILINE)


def test_chess_is_seen_from_the_persons_side() -> None:
    for color, ranks in (("white", "87654321"), ("black", "12345678")):
        text = talk("--game", "chess", "--color", color, "--set", "judge=material", "random", said="")
        assert "".join(re.findall(r"^ ([1-8]) [ \[]", text, re.MULTILINE)) == ranks
        assert ("h g f e d c b a" in text) == (color == "black")


def test_a_player_has_one_name_in_a_game() -> None:
    words = ("--game", "tictactoe", "--moves", "B2", "alphabeta:depth=1")
    text = talk(*words, said="eval\ntree\ntree uct:playouts=3\nseat\n")
    assert re.search(r"^value \S+ for O", text, re.MULTILINE)
    assert "\nIn this picture MAX is the player to move: O.\n" in text
    assert "\n◇ O " in text
    assert "2: O, You\n" in text


def test_the_tree() -> None:
    text = talk(
        "--game", "tictactoe", "--moves", "B2 A1 C3", "alphabeta:depth=1", said="tree\ntree uct:playouts=9\n"
    )
    assert "alphabeta:depth=1, Tic-tac-toe: 7 nodes, value " in text
    assert "\n├── B1 " in text
    assert "uct:playouts=9, Tic-tac-toe: " in text
    assert "--nodes" not in talk("--game", "tictactoe", "alphabeta:depth=3", said="tree\n")


@pytest.mark.parametrize(
    ("playing", "shown", "word"),
    [
        ("uct-fast:playouts=40:exploration=0.5:reuse=off", "uct:exploration=0.5, ", "uct, the textbook of"),
        ("puct-fast:playouts=2", "puct, ", "puct, the textbook of"),
        ("solver:nodes=1000", "alphabeta, ", "alphabeta, not of"),
        ("random", "alphabeta, ", "alphabeta, not of"),
    ],
)
def test_the_tree_of_a_searcher_that_cannot_be_watched(playing: str, shown: str, word: str) -> None:
    name = playing.partition(":")[0]
    text = talk("--game", "connectfour", playing, said="d\ntree\n")
    assert f"Your move: tree\n{shown}" in text
    assert f"\n{name} cannot be watched: this is the tree of {word} {name}.\n" in text
    watched = shown.partition(":")[0].removesuffix(", ")
    assert "cannot be watched" not in talk("--game", "connectfour", playing, said=f"tree {watched}:nodes=9\n")


def test_a_hint_is_that_of_the_highest_level_whatever_limits_the_searcher() -> None:
    game = ("--game", "tictactoe", "--moves", "B2 A1")
    hint = talk(*game, "--depth", "1", "minimax", said="hint\n")
    assert re.search(r"^Try \w\d: value \+0 for X; line ( ?\w\d){7}; depth 7, ", hint, re.MULTILINE), hint


def test_only_random_games_are_called_so() -> None:
    for name in ("puct", "puct-fast"):
        text = talk("--game", "connectfour", f"{name}:playouts=3", said="d\nwhy\n")
        assert text.count(", 3 simulations") == 2
        assert "random games" not in text
    assert ", 8 random games, " in talk("--game", "connectfour", "uct-fast:playouts=8", said="d\n")


def test_the_same_seed_rolls_the_same_dice() -> None:
    one, two, other = (
        re.findall(
            r"^Chance: (\d\d)\.$",
            talk("--game", "backgammon", "--seed", seed, "random", said=""),
            re.MULTILINE,
        )
        for seed in ("4", "4", "9")
    )
    assert one == two != other
    assert set("".join(one)) <= set("123456")


def test_chance_in_a_tree() -> None:
    text = talk("--game", "tree", "--set", "tree=max([1,9],2)", "--seed", "1", "random", said="0\n")
    rolled = re.search(r"^Chance: ([01])\.$", text, re.MULTILINE)
    assert rolled is not None
    assert (
        f"The payoffs: MAX {'+9' if rolled[1] == '1' else '+1'}, MIN {'-9' if rolled[1] == '1' else '-1'}."
        in text
    )


@pytest.mark.parametrize(("game", "size"), [("virus", "5"), ("focus", "8"), ("chinesecheckers", None)])
def test_a_game_of_three(game: str, size: str | None) -> None:
    words = (
        "--game",
        game,
        "--players",
        "3",
        "--seat",
        "2",
        "--seed",
        "1",
        *(("--size", size) if size else ()),
    )
    text = talk(*words, "--depth", "1", "maxn", said="seat\nresign\n")
    assert re.search(r"^p1 \(maxn\) plays \S+: value p1:\S+ p2:\S+ p3:\S+ \(estimate\); ", text, re.MULTILINE)
    assert "Your move: seat\n1: p1, maxn\n2: p2, You\n3: p3, maxn\n" in text
    assert "\nYou resign as p2.\n" in text
    assert re.search(r"  > p2  You$", text, re.MULTILINE)


def test_a_whole_game_of_three() -> None:
    words = ("--game", "virus", "--players", "3", "--size", "5", "--seat", "3", "--seed", "2")
    terms = TableTerms(Rules("virus", 3), 5, [], 2, SearchLimits(), 2)
    table, said = GameTable(terms, "random"), []
    while not table.is_over:
        if table.is_mine:
            said.append(table.game.text(table.state, table.state.moves()[-1]))
            table.play(said[-1])
        else:
            table.answer()
    payoffs = table.state.payoff()
    text = talk(*words, "random", said="\n".join([*said, ""]))
    listed = ", ".join(f"p{i + 1} {payoff:+g}" for i, payoff in enumerate(payoffs))
    assert text.splitlines()[-2].endswith(f": {listed}.")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--game", "shogi"), "unknown game 'shogi'; available: "),
        (("--game", "nim", "--elo", "900"), "--elo is for chess without --game"),
        (("--game", "nim", "--pgn", "x"), "--pgn is for chess without --game"),
        (("--seat", "1"), "--seat needs --game"),
        (("--playouts", "1"), "--playouts needs --game"),
        (("--game", "nim", "--level", "99"), "unknown level 99"),
        (("--game", "nim", "--level", "1", "uct"), "--level and SEARCHER cannot be combined"),
        (("--game", "nim", "uct", "uct"), "2 searchers given, not one"),
        (("--game", "nim", "--moves", "9-9"), "--moves: move 1: '9-9' is not a legal move"),
        (("--game", "nim", "--seat", "3"), "the seat must be from 1 to 2"),
        (("--game", "nim", "--seat", "1", "--color", "white"), "--seat and --color cannot be combined"),
        (("--game", "focus", "--players", "3", "--color", "white"), "--color white needs a game of two"),
        (("--game", "othello", "--size", "7"), "7"),
        (("--game", "go", "--set", "komi"), "--set needs NAME=VALUE"),
        (("--game", "backgammon", "alphabeta"), "alphabeta: needs a game without chance"),
    ],
)  # fmt: skip
def test_a_command_line_that_cannot_be_used(words: tuple[str, ...], said: str) -> None:
    text = talk(*words, status=2)
    assert len(text.splitlines()) == 1
    assert said in text


@pytest.mark.parametrize(("color", "side"), [("black", "Black"), ("white", "White")])
def test_the_color_of_chess_among_the_games(color: str, side: str) -> None:
    text = talk("--game", "chess", "--color", color, "--set", "judge=material", "random", said="")
    assert f"Chess: you play {side} against random." in text
    assert ("White (random) plays " in text) == (side == "Black")


def test_through_pipes(lolli_command: list[str]) -> None:
    """The real process: no colours, and the same as here."""
    words = ("--game", "tictactoe", "--seed", "1", "random")
    done = run_command("play", lolli_command, *words, said=b"b2\nxyz\nquit\n")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert done.stdout.strip() == talk(*words, said="b2\nxyz\nquit\n").strip()
