"""`lolli play` through pipes: whole games."""

import re
import subprocess
from pathlib import Path

import chess
import chess.pgn
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.search.handicap import USUAL_LEVEL
from protocol.about import VERSION
from protocol.cli.group import group
from protocol.cli.playing.moves import MoveTextError, move_of
from protocol.cli.playing.play_commands import COMMANDS, WORDS
from tests.protocol.uci.dialogue import PATIENCE

FAST = ("--nodes", "30", "--seed", "1")
ENDGAME = "8/8/8/4k3/8/8/3p4/3K4 w - - 0 1"


def play(command: list[str], *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Say lines, and then nothing more."""
    return subprocess.run(
        [*command, "play", *FAST, *words],
        input=said,
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        timeout=4 * PATIENCE,
    )


def talk(command: list[str], *words: str, said: str = "") -> str:
    """What is said to these lines; all is well."""
    done = play(command, *words, said=said)
    assert done.stderr == ""
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    return done.stdout


def game_in(path: Path) -> chess.pgn.Game:
    """The only game of a file."""
    with path.open(encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
        assert game is not None
        assert not game.errors
        assert chess.pgn.read_game(file) is None
    return game


def fens(text: str) -> list[str]:
    """What `fen` has answered."""
    return re.findall(r"^(?:Your move|Game over): fen\n(.+)$", text, re.MULTILINE)


def test_the_player_mates_with_black(lolli_command: list[str]) -> None:
    text = talk(lolli_command, "1. f3 e5 2. g4", said="qh4\nnf3\nfen\n")
    assert "You play Black." in text
    assert "\nYou win: checkmate. 0-1\n" in text
    assert "\nGame over: nf3\nThe game is over: undo, new, pgn, save or quit.\n" in text
    board = chess.Board(fens(text)[0])
    assert board.is_checkmate()


def test_the_engine_mates_with_black(lolli_command: list[str]) -> None:
    text = talk(lolli_command, "1. f3 e5 2. g4", "--color", "white", "--nodes", "500")
    assert "\nLolli plays 2...Qh4#.\nLolli wins: checkmate. 0-1\n" in text


def test_the_engine_mates_with_white(lolli_command: list[str]) -> None:
    text = talk(lolli_command, "1. e4 g5 2. d4 f6", "--color", "black", "--nodes", "500")
    assert "\nLolli plays 3. Qh5#.\nLolli wins: checkmate. 1-0\n" in text


@pytest.mark.parametrize(
    ("fen", "move", "end"),
    [
        ("7k/8/6Q1/8/8/8/8/K7 w - - 0 1", "Ka2", "A draw: stalemate. 1/2-1/2"),
        (ENDGAME, "kd2", "A draw: neither side can mate. 1/2-1/2"),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 149 90",
            "Ra2",
            "A draw: 75 moves without a capture or a pawn move. 1/2-1/2",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w - - 99 90",
            "Ra2",
            "A draw: 50 moves without a capture or a pawn move. 1/2-1/2",
        ),
    ],
)
def test_draws(lolli_command: list[str], fen: str, move: str, end: str) -> None:
    text = talk(lolli_command, fen, said=f"{move}\n")
    assert f"\n{end}\n" in text
    assert ("Lolli claims a draw." in text) == (" 99 " in fen)


def test_a_draw_that_the_player_may_claim(lolli_command: list[str]) -> None:
    text = talk(lolli_command, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", said="draw\n")
    assert "\nYou may claim a draw (the position has occurred three times): type draw.\n" in text
    assert "\nA draw: the position has occurred three times. 1/2-1/2\n" in text


@pytest.mark.parametrize(
    ("fen", "answer"),
    [
        ("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 9", r"Lolli declines: its position is better, (\+\d+\.|#)\d+\."),
        ("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 9", r"A draw: agreed\. 1/2-1/2"),
        (
            "4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 9",
            r"Lolli declines: it is too early for a draw, [+-]0\.\d\d\.",
        ),
        ("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 60", r"A draw: agreed\. 1/2-1/2"),
    ],
)
def test_a_draw_that_is_offered(lolli_command: list[str], fen: str, answer: str) -> None:
    assert re.search(f"^{answer}$", talk(lolli_command, fen, "--depth", "1", said="draw\n"), re.MULTILINE)


def test_resigning(lolli_command: list[str]) -> None:
    assert "\nLolli wins: White resigns. 0-1\n" in talk(lolli_command, said="e4\nresign\n")


def test_the_engine_offers_to_resign(lolli_command: list[str]) -> None:
    """After six moves that are hopeless; it says so once, and means it."""
    offer = "Lolli offers to resign: type accept, or play on."
    walk = "".join(f"Ka{rank}\n" for rank in range(2, 9))
    text = talk(lolli_command, "8/8/8/7k/8/8/3Q4/K5R1 w - - 0 1", said=f"accept\n{walk}accept\n")
    assert text.count(offer) == 1
    assert text.index("There is no offer to accept.") < text.index("Your move: Ka7") < text.index(offer)
    assert "\nYou win: Black resigns. 1-0\n" in text


def test_taking_back(lolli_command: list[str]) -> None:
    said = "undo\ne4\nfen\nundo\nfen\nd4\nc4\nundo 3\nundo x\nundo 2\nfen\n"
    text = talk(lolli_command, said=said)
    assert text.count("There is no move to take back.") == 1
    assert text.count("You have not made that many moves.") == 1
    assert text.count("Type undo for your last move, undo 2 for the last two.") == 1
    after, back, again = fens(text)
    assert after != chess.STARTING_FEN
    assert back == again == chess.STARTING_FEN


def test_taking_back_a_blunder_that_ended_the_game(lolli_command: list[str], tmp_path: Path) -> None:
    """The file has the game as it really ended."""
    path = tmp_path / "games.pgn"
    said = "Ra7\nundo\nRa8\n"
    text = talk(lolli_command, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "--pgn", str(path), said=said)
    assert "You win: checkmate. 1-0" in text
    assert game_in(path).headers["Result"] == "1-0"
    said = "g4\nundo\nresign\nfen\n"
    text = talk(lolli_command, "1. f3 e5", "--pgn", str(tmp_path / "b.pgn"), "--nodes", "500", said=said)
    assert "Lolli wins: checkmate. 0-1" in text
    game = game_in(tmp_path / "b.pgn")
    assert game.end().comment == "White resigns."
    assert game.end().board().fen() == fens(text)[0]


@pytest.mark.parametrize("color", ["white", "black"])
def test_undo_after_a_resignation_takes_it_back_first(lolli_command: list[str], color: str) -> None:
    said = "fen\nresign\nundo\nfen\nundo\nNa6\nNa3\nresign\nundo 2\nfen\n"
    text = talk(lolli_command, "--color", color, "--nodes", "100", said=said)
    before, back, again = fens(text)
    assert before == back == again
    assert text.count("\nYour resignation is taken back.\n") == 1
    assert text.count("\nThere is no move to take back.\n") == 1
    assert text.count("\nTaken back.\n") == 1


def test_the_engine_moves_for_the_player(lolli_command: list[str]) -> None:
    text = talk(lolli_command, said="go\nfen\ne5\nfen\n")
    first, second = fens(text)
    assert "You play Black now.\nLolli plays 1. " in text
    assert first.split()[1] == "b"
    assert second.split()[1] == "b"
    assert text.count("Lolli plays") == 2


def test_the_board_is_seen_from_the_side_of_the_player(lolli_command: list[str]) -> None:
    files = re.compile(r"^ +([a-h] ?){8}$", re.MULTILINE)
    for color, first, flipped in (("white", "a", "h"), ("black", "h", "a")):
        shown = list(files.finditer(talk(lolli_command, "--color", color, said="flip\n")))
        assert [each[0].split()[0] for each in shown] == [first, flipped]


def test_hint_and_eval(lolli_command: list[str]) -> None:
    text = talk(lolli_command, "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6", "--depth", "2", said="hint\neval\n")
    assert "\nTry Qxf7#, which takes a pawn (mate in 1).\n" in text
    assert "\nWhite mates (#1): 4. Qxf7#\n" in text


def test_legal_moves(lolli_command: list[str]) -> None:
    text = talk(lolli_command, ENDGAME, said="moves\nmoves d1\nmoves d2\nmoves x9\n")
    assert text.count("\nKc2, Ke2, Kxd2\n") == 2
    assert "\nNo legal move from d2.\n" in text
    assert "\nNot a square: 'x9'. Type for example moves e2.\n" in text


def test_another_strength(lolli_command: list[str]) -> None:
    text = talk(lolli_command, said="level\nlevel 3\nlevel 0\nlevel x\nelo 1600\nelo 99\nlevel 20\n")
    for line in (
        r"Lolli plays at full strength\.",
        r"Lolli now plays at level 3 of 20, about \d+ Elo\.",
        r"the level must be from 1 to 20, not 0\.",
        r"Not a valid level: 'x'\.",
        r"Lolli now plays at about 1600 Elo\.",
        r"the Elo must be from \d+ to \d+, not 99\.",
        r"Lolli now plays at full strength\.",
    ):
        assert len(re.findall(f"^{line}$", text, re.MULTILINE)) == 1, line


def test_new_games_and_the_record_of_all(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    said = "e4\nnew\nd4\nresign\nnew\nfen\n"
    text = talk(lolli_command, "--pgn", str(path), "--name", "Ann\nLee", said=said)
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


def test_the_game_is_saved_and_shown_as_it_was_played(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    said = f"e4\nd4\nsave {path}\nsave\nsave {tmp_path}\nfen\npgn\n"
    text = talk(lolli_command, "--clock", "5+3", said=said)
    assert "\nAdd the name of a file: save FILE.\n" in text
    assert f"\n{str(tmp_path)[:19]}… cannot be written: Is a directory.\n" in text
    game = game_in(path)
    assert game.end().board().fen() == fens(text)[0]
    assert all(node.clock() is not None for node in game.mainline())
    assert path.read_text().strip() in text


def test_chess960(lolli_command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    text = talk(lolli_command, "--chess960", "518", "--pgn", str(path), said="Nf3\ng3\nBg2\n0-0\nfen\n")
    game = game_in(path)
    assert game.headers["Variant"] == "Chess960"
    assert game.end().board().fen() == fens(text)[0]
    assert "O-O" in [node.san() for node in game.mainline()]
    starts = {fens(talk(lolli_command, "--chess960", "--seed", seed, said="fen\n"))[0] for seed in "12"}
    assert len(starts) == 2


def test_the_same_seed_gives_the_same_game(lolli_command: list[str]) -> None:
    words = ("--level", "2", "--color", "random")
    texts = [talk(lolli_command, *words, "--seed", seed, said="go\ngo\npgn\n") for seed in "771"]
    assert texts[0] == texts[1] != texts[2]


def test_help_has_every_command(lolli_command: list[str]) -> None:
    text = talk(lolli_command, said="?\n")
    for command in COMMANDS:
        assert re.search(f"^  {command.name} .*{re.escape(command.description)}$", text, re.MULTILINE)


def test_quit_and_what_was_nearly_typed(lolli_command: list[str]) -> None:
    text = talk(lolli_command, said="\n  \nreisgn\nquit\nresign\n")
    assert "'reisgn': did you mean resign?" in text
    assert "wins" not in text


def test_the_usual_level_is_the_one_that_help_tells(lolli_command: list[str]) -> None:
    usage = subprocess.run([*lolli_command, "play", "--help"], capture_output=True, check=True, text=True)
    assert f"Lolli plays at level {USUAL_LEVEL} by default" in " ".join(usage.stdout.split())
    done = subprocess.run([*lolli_command, "play"], input="", capture_output=True, check=True, text=True)
    assert f"plays at level {USUAL_LEVEL} of 20, about " in done.stdout


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--clock", "5+"), "--clock: not a time control: '5+'; write 5+3"),
        (("--level", "21"), "the level must be from 1 to 20, not 21"),
        (("--elo", "9000"), "the Elo must be from"),
        (("--elo", "1500", "--level", "2"), "--level and --elo cannot be combined"),
        (("rubbish",), "not a FEN, a file or a move: 'rubbish'"),
        (("1. f3 e5 2. g4 Qh4#",), "the game is over: 0-1"),
        (("--chess960", "5", ENDGAME), "--chess960 and POSITION cannot be combined"),
        (("--pgn", "no/such/folder/games.pgn"), "no/such/folder/games.pgn cannot be written"),
        (("--weights", "no/such/file"), "no/such/file: there is no such file"),
    ],
)
def test_bad_words_get_one_line(words: tuple[str, ...], reason: str) -> None:
    done = CliRunner().invoke(group, ["play", *words])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"Error: {reason}")
    assert done.stderr.count("\n") == 1


def is_neither_move_nor_command(line: str) -> bool:
    """Of the start position."""
    try:
        return WORDS.find(line) is None and move_of(chess.Board(), line) is None
    except MoveTextError:
        return True


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\n\r")).filter(is_neither_move_nor_command)
    )
)
def test_what_is_no_move_changes_nothing(lolli_command: list[str], lines: list[str]) -> None:
    text = talk(lolli_command, said="".join(f"{line}\nfen\n" for line in lines))
    assert fens(text) == [chess.STARTING_FEN] * len(lines)
    assert "Lolli plays " not in text.replace("Lolli 0", "")


def test_input_that_is_no_text(lolli_command: list[str]) -> None:
    said = b"\xff\xfe\n\0\n" + b"x" * 100_000 + b"\r\ne4\r\nfen\nd4"
    done = subprocess.run(
        [*lolli_command, "play", *FAST], input=said, capture_output=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert b" w KQkq " in done.stdout
