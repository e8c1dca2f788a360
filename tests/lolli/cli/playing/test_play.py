"""`lolli play` by script: whole games of chess and of all others, and the words besides moves."""

import re
from pathlib import Path

import chess
import chess.pgn
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.catalogue import GAMES, Rules
from engine.search.limits import Limits
from lolli._analyst import Analyst
from lolli.cli.analysis.notation import looks_like_move
from lolli.cli.group import group
from lolli.cli.playing import Dialogue
from lolli.cli.playing.chess import ChessDialogue
from lolli.cli.playing.games import GameDialogue
from protocol.about import VERSION
from tests.lolli.cli.running import run_command

FAST = ("--nodes", "30", "--seed", "1")
TICTACTOE = ("--game", "tictactoe", "--seed", "1", "--seat", "1", "random")
ENDGAME = "8/8/8/4k3/8/8/3p4/3K4 w - - 0 1"
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
    done = CliRunner().invoke(group, ["play", *words], input=said)
    assert done.exit_code == status, done.output
    return done.output


def play(*words: str, said: str = "") -> str:
    return talk(*FAST, *words, said=said)


def game_in(path: Path) -> chess.pgn.Game:
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
        assert game is not None
        assert not game.errors
        assert chess.pgn.read_game(file) is None
    return game


def fens(text: str) -> list[str]:
    return re.findall(r"^(?:Your move|Game over): fen\n(.+)$", text, re.MULTILINE)


@pytest.mark.parametrize(("words", "dialogue"), [(FAST, ChessDialogue), (TICTACTOE, GameDialogue)])
def test_help_has_every_command(words: tuple[str, ...], dialogue: type[Dialogue]) -> None:
    text = talk(*words, said="?\n")
    for word in dialogue.words():
        assert re.search(f"^  {word.name} .*{re.escape(word.description)}$", text, re.MULTILINE)
        assert callable(getattr(dialogue, f"do_{word.name}", None)) or word.name == "quit"


@pytest.mark.parametrize(
    ("words", "first", "second", "resigned"),
    [
        (FAST, "Na3", "Nf3", "Lolli wins: White resigns. 0-1"),
        ((*FAST, "--color", "black"), "Na6", "Nf6", "Lolli wins: Black resigns. 1-0"),
        (TICTACTOE, "b2", "a1", "You resign as X."),
    ],
)
def test_resigning_and_taking_it_back(words: tuple[str, ...], first: str, second: str, resigned: str) -> None:
    lines = ("board", "resign", "hint", "undo", "undo", first, second, "undo", "resign", "undo 2", "resign")
    said = "\n".join((*lines, "new", "quit", "new\n"))
    text = talk(*words, said=said)
    board = text.split("Your move: board\n")[1].split("Your move: ")[0].rstrip("\n")
    assert text.count(f"\n{resigned}\n") == 3
    assert "\nGame over: hint\nThe game is over: undo, new" in text
    assert f"\nGame over: undo\n{board}\n\nYour resignation is taken back.\n" in text
    assert "\nYour move: undo\nThere is no move to take back.\n" in text
    assert f"\nGame over: undo 2\n{board}\n\nTaken back.\n" in text
    assert text.count("\nA new game") == 1
    assert text.endswith("Your move: quit\n\n")


@pytest.mark.parametrize("words", [FAST, TICTACTOE])
def test_through_pipes(lolli_command: list[str], words: tuple[str, ...]) -> None:
    """The real process: no colours, and the same as here."""
    said = "b3\n \nreisgn\nquit\nresign\n"
    done = run_command("play", lolli_command, *words, said=said.encode())
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert done.stdout.strip() == talk(*words, said=said).strip()
    assert "did you mean resign?" in done.stdout
    assert "wins" not in done.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--clock", "5+"), "--clock: not a time control: '5+'; write 5+3"),
        (("--level", "41"), "the level must be from 1 to 40, not 41"),
        (("--elo", "9000"), "the Elo must be from"),
        (("--elo", "1500", "--level", "2"), "--level and --elo cannot be combined"),
        (("1. f3 e5 2. g4 Qh4#",), "the game is over: 0-1"),
        (("--chess960", "5", ENDGAME), "--chess960 and POSITION cannot be combined"),
        (("--pgn", "no/such/folder/games.pgn"), "no/such/folder/games.pgn cannot be written"),
        (("--game", "shogi"), "unknown game 'shogi'; available: "),
        (("--game", "nim", "--elo", "900"), "--elo is for chess without --game"),
        (("--seat", "1"), "--seat needs --game"),
        (("--game", "nim", "--level", "99"), "unknown level 99"),
        (("--game", "nim", "--level", "1", "uct"), "--level and SEARCHER cannot be combined"),
        (("--game", "nim", "uct", "uct"), "2 searchers given, not one"),
        (("--game", "nim", "--moves", "9-9"), "--moves: move 1: '9-9' is not a legal move"),
        (("--game", "nim", "--seat", "3"), "the seat must be from 1 to 2"),
        (("--game", "nim", "--seat", "1", "--color", "white"), "--seat and --color cannot be combined"),
        (("--game", "focus", "--players", "3", "--color", "white"), "--color white needs a game of two"),
        (("--game", "backgammon", "alphabeta"), "alphabeta: needs a game without chance"),
    ],
)  # fmt: skip
def test_a_command_line_that_cannot_be_used(words: tuple[str, ...], reason: str) -> None:
    text = talk(*words, status=2)
    assert len(text.splitlines()) == 1
    assert reason in text


@pytest.mark.parametrize(
    ("words", "said", "told"),
    [
        (("1. f3 e5 2. g4",), "qh4\nnf3", ["You win: checkmate. 0-1", "The game is over: *"]),
        (("1. f3 e5 2. g4", "--color", "white"), "", ["Lolli plays 2...Qh4#.", "Lolli wins: checkmate. 0-1"]),
        (("1. e4 g5 2. d4 f6", "--color", "black"), "", ["Lolli plays 3. Qh5#.", "Lolli wins: checkmate. *"]),
        (("7k/8/6Q1/8/8/8/8/K7 w - - 0 1",), "Ka2", ["A draw: stalemate. 1/2-1/2"]),
        (
            ("4k3/8/8/8/8/8/8/R3K3 w - - 99 90",),
            "Ra2",
            ["Lolli claims a draw.", "A draw: 50 moves without a capture or a pawn move. 1/2-1/2"],
        ),
        (
            ("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",),
            "draw",
            [
                "You may claim a draw (the position has occurred three times): type draw.",
                "A draw: the position has occurred three times. 1/2-1/2",
            ],
        ),
        (("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 9",), "draw", ["Lolli declines: its position is better, *."]),
        (("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 9",), "draw", ["A draw: agreed. 1/2-1/2"]),
        (("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 9",), "draw", ["Lolli declines: it is too early *."]),
        (("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 60",), "draw", ["A draw: agreed. 1/2-1/2"]),
        (
            ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6",),
            "hint\neval",
            ["Try Qxf7#, which takes a pawn (mate in 1).", "White mates (#1): 4. Qxf7#"],
        ),
        (
            ("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6",),
            "why\nwhy Qxf7\nwhy Kf3\nQf3\nwhy",
            [
                "You have not moved yet.",
                "4. Qxf7#: Checkmate.",
                "Kf3 is not a legal move: *",
                "4. Qf3??: Misses mate: 4. Qxf7#.",
            ],
        ),
        (
            (ENDGAME,),
            "moves d1\nmoves d2\nmoves x9",
            ["Kc2, Ke2, Kxd2", "No legal move from d2.", "Not a square: 'x9'. Type for example moves e2."],
        ),
        (
            (),
            "level\nlevel 3\nlevel 0\nlevel x\nelo 1600\nelo\nelo 99\nlevel 16\nlevel 40",
            [
                "Lolli plays at full strength.",
                "Lolli now plays at level 3 of 40, about * Elo among engines, 600 by puzzles.",
                "the level must be from 1 to 40, not 0.",
                "Not a valid level: 'x'.",
                "Lolli now plays at about 1600 Elo among engines.",
                "Lolli plays at about 1600 Elo among engines.",
                "the Elo must be from * to *, not 99.",
                "Lolli now plays at level 16 of 40, about * Elo among engines.",
                "Lolli now plays at full strength.",
            ],
        ),
        ((), "go", ["You play Black now.", "Lolli plays 1. *."]),
        ((), "--\nKd1\nxyz", [
            "-- is not a legal move: passing is not allowed.",
            "Kd1 is not a legal move: the queen on d1 is in the way.",
            "'xyz' is neither a move nor a command. Type help or moves.",
        ]),
        (("--game", "backgammon", "--moves", "65", "--seat", "1", "random"), "moves 8", ["8/2,8/3"]),
        (
            ("--game", "backgammon", "--moves", "65", "--seat", "1", "random"),
            "moves 24/",
            ["24/13 24/18,13/8 24/18,8/3"],
        ),
        (
            ("--game", "backgammon", "--moves", "31", "--seat", "1", "random"),
            "hint",
            ["Try 8/5,6/5: value *", "8/5,6/5 +0.*; * *"],
        ),
        (
            ("--game", "tictactoe", "--seat", "1", "random"),
            "b2\nsearcher uct:playouts=30\nseat 2\nwhy\nlevel 2",
            [
                "You play against uct:playouts=30 now.",
                "X (uct:playouts=30) plays *30 random games*",
                "You play O now.",
                "* visits, mean *",
                "You play against level2 (alphabeta, depth=1) now.",
            ],
        ),
        (
            ("--game", "nim", "--size", "20", "--level", "2"),
            "19-1\nlevel 3\nwhy\neval",
            ["level2: move *", "level3: move *"],
        ),
        (
            ("--game", "tictactoe", "--moves", "B2", "alphabeta:depth=1"),
            "eval\ntree\ntree uct:playouts=3\nseat",
            [
                "value * for O*",
                "alphabeta:depth=1, Tic-tac-toe: * nodes, value *",
                "├── A1 *",
                "In this picture MAX is the player to move: O.",
                "◇ O *",
                "uct:playouts=3, Tic-tac-toe: *",
                "2: O, You",
            ],
        ),
        (
            ("--game", "tictactoe", "--level", "3", "--seed", "1"),
            "b2\nhint\nwhy\neval\nmoves a\nundo\nundo\nundo 1x\nboard\nlevel\nseat",
            [
                "O (level3) plays *: value * for O (estimate); line *; depth 2, * nodes, *",
                "Try *: value +0 for X; line *",
                "level3: move *",
                "depth 2, *; limits depth=2",
                "Taken back.",
                "There is no move to take back.",
                "Type undo for your last move, undo 2 for the last two.",
                " 3 . . . 3     O  level3",
                "> level 3: alphabeta, depth=2",
                "2: O, level3",
            ],
        ),
        ((ENDGAME, "--clock", "60+1000"), "clock", ["White *:*, Black 1:00:00, 60+1000"]),
        (  # at the highest level, whatever limits the searcher
            ("--game", "tictactoe", "--moves", "B2 A1", "--depth", "1", "minimax"),
            "hint",
            ["Try *: value +0 for X; line *; depth 7, *"],
        ),
        (
            ("--game", "chess", "--color", "black", "--set", "judge=material", "random"),
            "",
            ["Chess: you play Black against random.", "White (random) plays *"],
        ),
    ],
)  # fmt: skip
def test_what_is_told(words: tuple[str, ...], said: str, told: list[str]) -> None:
    """Where a star stands for any text."""
    limits = () if "--game" in words else ("--nodes", "500", "--seed", "1")
    text = talk(*limits, *words, said=f"{said}\n")
    for line in told:
        pattern = re.escape(line).replace(r"\*", ".*")
        assert re.search(f"^{pattern}$", text, re.MULTILINE), (line, text)


def test_the_engine_offers_to_resign() -> None:
    """After six moves that are hopeless; it says so once, and means it."""
    offer = "Lolli offers to resign: type accept, or play on."
    walk = "".join(f"Ka{rank}\n" for rank in range(2, 9))
    text = play("8/8/8/7k/8/8/3Q4/K5R1 w - - 0 1", said=f"accept\n{walk}accept\n")
    assert text.count(offer) == 1
    assert text.index("There is no offer to accept.") < text.index("Your move: Ka7") < text.index(offer)
    assert "\nYou win: Black resigns. 1-0\n" in text


def test_taking_back_a_blunder_that_ended_the_game(tmp_path: Path) -> None:
    """The file has the game as it really ended."""
    path = tmp_path / "games.pgn"
    said = "Ra7\nundo\nRa8\n"
    text = play("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "--pgn", str(path), said=said)
    assert "You win: checkmate. 1-0" in text
    assert game_in(path).headers["Result"] == "1-0"
    said = "g4\nundo\nresign\nfen\n"
    text = play("1. f3 e5", "--pgn", str(tmp_path / "b.pgn"), "--nodes", "500", said=said)
    assert "Lolli wins: checkmate. 0-1" in text
    game = game_in(tmp_path / "b.pgn")
    assert game.end().comment == "White resigns."
    assert game.end().board().fen() == fens(text)[0]


def test_the_game_is_saved_and_shown_as_it_was_played(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    said = f"e4\nd4\nsave {path}\nsave\nsave {tmp_path}\nfen\npgn\n"
    text = play("--clock", "5+3", said=said)
    assert "\nAdd the name of a file: save FILE.\n" in text
    assert f"\n{str(tmp_path)[:19]}… cannot be written: Is a directory.\n" in text
    game = game_in(path)
    assert game.end().board().fen() == fens(text)[0]
    assert all(node.clock() is not None for node in game.mainline())
    assert path.read_text().strip() in text


@pytest.mark.parametrize(
    ("words", "move_time"),
    [((), 2000), (("--clock", "5+3"), None), (("--clock", "5+3", "--time", "3"), 3000)],
)
def test_a_clock_replaces_the_default_time_for_a_move(
    words: tuple[str, ...], move_time: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Limits] = []
    choice = Analyst.choice

    def quick(analyst: Analyst, board: chess.Board, limits: Limits) -> tuple[chess.Move, int]:
        found.append(limits)
        return choice(analyst, board, Limits(nodes=30))

    monkeypatch.setattr(Analyst, "choice", quick)
    talk(*words, said="e4\n")
    (limits,) = found
    assert limits.move_time == move_time
    assert (limits.time != (None, None)) == ("--clock" in words)


def test_chess960(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    text = play("--chess960", "518", "--pgn", str(path), said="Nf3\ng3\nBg2\n0-0\nfen\n")
    game = game_in(path)
    assert game.headers["Variant"] == "Chess960"
    assert game.end().board().fen() == fens(text)[0]
    assert "O-O" in [node.san() for node in game.mainline()]
    starts = {fens(play("--chess960", "--seed", seed, said="fen\n"))[0] for seed in "12"}
    assert len(starts) == 2


def test_the_same_seed_gives_the_same_game() -> None:
    words = ("--level", "2", "--color", "random")
    texts = [play(*words, "--seed", seed, said="go\ngo\npgn\n") for seed in "771"]
    assert texts[0] == texts[1] != texts[2]


def is_neither_move_nor_command(line: str) -> bool:
    names = {name for word in ChessDialogue.words() for name in (word.name, *word.others)}
    return line.strip().partition(" ")[0].lower() not in names and not looks_like_move(line)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\n\r")).filter(is_neither_move_nor_command)
    )
)
def test_what_is_no_move_changes_nothing(lines: list[str]) -> None:
    text = play(said="".join(f"{line}\nfen\n" for line in lines))
    assert fens(text) == [chess.STARTING_FEN] * len(lines)
    assert "Lolli plays " not in text.replace("Lolli 0", "")


def test_input_that_is_no_text(lolli_command: list[str]) -> None:
    said = b"\xff\xfe\n\0\n" + b"x" * 100_000 + b"\r\ne4\r\nfen\nd4"
    done = run_command("play", lolli_command, *FAST, said=said)
    assert done.stderr == ""
    assert " w KQkq " in done.stdout


def first_moves(dialogue: GameDialogue, which: int) -> list[str]:
    """What to say to play the first or the last legal move each time, to the end of the game."""
    said = []
    while not dialogue.is_over:
        if dialogue.is_mine:
            said.append("pass" if dialogue.game.name == "go" else dialogue.move_texts()[which])
            assert not dialogue.play(said[-1])
        else:
            dialogue.answer()
    return said


@pytest.mark.parametrize("name", sorted({*GAMES} - {*UNENDING}))
def test_a_whole_game(name: str) -> None:
    given = list(zip(WHOLE[name][::2], WHOLE[name][1::2], strict=True))
    options = dict(value.split("=", 1) for option, value in given if option == "--set")
    others = {option: value for option, value in given if option != "--set"}
    size, moves = int(others.get("--size", 0)) or None, others.get("--moves", "").split()
    dialogue = GameDialogue(Rules(name, None, options), "random", size=size, moves=moves, seed=5)
    said = first_moves(dialogue, 0)
    text = talk("--game", name, *WHOLE[name], "--seed", "5", "random", said="\n".join([*said, "zz", ""]))
    payoffs = dialogue.state.payoff()
    assert text.count("Your move: ") == len(said)
    assert "is not" not in text
    tail = text.splitlines()[-4:]
    assert tail[-1] == "Game over: "
    assert tail[-3:-1] == ["Game over: zz", "The game is over: undo, new or quit."]
    mine, other = payoffs[dialogue.seat], payoffs[1 - dialogue.seat]
    if name == "tree":
        assert tail[0] == f"The payoffs: MAX {payoffs[0]:+g}, MIN {payoffs[1]:+g}."
    elif mine == other:
        assert tail[0] == "A draw."
    else:
        assert tail[0].startswith("You win") if mine > other else " (random) wins" in tail[0]
    if name != "chess":  # whose board is drawn otherwise
        rows = dialogue.game.show(dialogue.state).splitlines()
        shown = text.splitlines()
        assert any(all(map(str.startswith, shown[i:], rows)) for i in range(len(shown) - len(rows)))


@pytest.mark.parametrize(
    ("game", "line", "answer"),
    [
        ("tictactoe", "zz", "'zz' is not a vertex of this board: type moves or help."),
        ("nim", "hlep", "'hlep' is not a legal move: did you mean help?"),
        ("nim", "searcher nobody", "unknown searcher 'nobody': choose from "),
        ("nim", "searcher expectiminimax:depth=x", "expectiminimax:depth=x: depth must be a whole number"),
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


@pytest.mark.parametrize(
    ("playing", "shown", "word"),
    [
        ("uct-fast:playouts=40:exploration=0.5:reuse=off", "uct:exploration=0.5, ", "uct, the textbook of"),
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


@pytest.mark.parametrize(("game", "size"), [("virus", "5"), ("focus", "8"), ("chinesecheckers", None)])
def test_a_game_of_three(game: str, size: str | None) -> None:
    words = ("--game", game, "--players", "3", "--seat", "2", "--seed", "1")
    text = talk(*words, *(("--size", size) if size else ()), "--depth", "1", "maxn", said="seat\nresign\n")
    assert re.search(r"^p1 \(maxn\) plays \S+: value p1:\S+ p2:\S+ p3:\S+ \(estimate\); ", text, re.MULTILINE)
    assert "Your move: seat\n1: p1, maxn\n2: p2, You\n3: p3, maxn\n" in text
    assert "\nYou resign as p2.\n" in text
    assert re.search(r"  > p2  You$", text, re.MULTILINE)


def test_new_games_and_the_record_of_all(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    said = "e4\nnew\nd4\nresign\nnew\nfen\n"
    text = play("--pgn", str(path), "--name", "Ann\nLee", said=said)
    assert text.count(f"\nSaved to {path}.\n") == 2
    assert text.count("\nA new game: you play White.\n") == 2
    assert fens(text) == [chess.STARTING_FEN]
    headers = []
    with path.open() as file:
        while (read := chess.pgn.read_headers(file)) is not None:
            headers.append(read)
    assert [each["Result"] for each in headers] == ["*", "0-1"]
    assert {each["White"] for each in headers} == {"Ann Lee"}
    assert {each["Black"] for each in headers} == {f"Lolli {VERSION}, full strength"}
