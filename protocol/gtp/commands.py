"""The commands of GTP: one table of all of them, how one is obeyed, and what each does.

The commands about the search and those for GoGui are in `search_commands` and `gogui`. A command is a
function of the session and the arguments that returns its answer, which may have several lines. A command
that fails raises GtpError, or another ValueError whose text is a message for the controller, and has changed
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.games.players.catalogue import GAMES
from engine.games.rules.game import CHANCE, IllegalMoveError, NotApplicableError, SizeError
from engine.system.files import write_whole
from protocol import about
from protocol.gtp import analysis, gogui, search_commands
from protocol.gtp.clock import Clock, TimeControl
from protocol.gtp.gtp_session import GtpSession
from protocol.gtp.match import Setup
from protocol.gtp.parser import (
    SYNTAX_ERROR,
    Arguments,
    GtpError,
    parse_decimal,
    parse_number,
    parse_player,
    parse_seconds,
    parse_settings,
)
from protocol.gtp.replies import (
    BAD_STONES,
    BAD_VERTICES,
    BOARD_NOT_EMPTY,
    CANNOT_LOAD,
    GAME_OVER,
    UNACCEPTABLE_SIZE,
    UNKNOWN_COMMAND,
    colour_name,
    failure,
    success,
)
from protocol.gtp.rules import Rules
from protocol.text import describe
from protocol.writer import report_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.gtp.parser import Request

PROTOCOL_VERSION = "2"
STATUSES = ("alive", "seki", "dead")
ANY = 1 << 30  # arguments
_MOST_KOMI = 1000.0  # more than there are points on any board: a larger one decides nothing else
_KGS_NUMBERS = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
_RULE_NAMES = ("chinese-kgs", "chinese-ogs")
_CHINESE = "chinese"  # what GUIs send; like these without handicap stones
_RULES = {
    "hasButton": False,
    "ko": "POSITIONAL",
    "scoring": "AREA",
    "suicide": False,
    "tax": "NONE",
    "whiteHandicapBonus": "N",
}
"""As KataGo names what GoGame plays."""
_NO_RULES = ("friendlyPassOk",)  # a setting of KataGo's search, not a rule
_MOST_FREE = 9  # handicap stones that the engine places by itself: the usual points


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `run` answers it, given `least` to `most` arguments."""

    name: str
    run: Callable[[GtpSession, Arguments], str]
    least: int = 0
    most: int = 0


def answer(session: GtpSession, request: Request) -> list[str]:
    """Obey a request; the lines of its answer. Never raises."""
    command = COMMANDS.get(request.name)
    if command is None:
        return failure(request.id, UNKNOWN_COMMAND)
    if not command.least <= len(request.arguments) <= command.most:
        return failure(request.id, SYNTAX_ERROR)
    try:
        return success(request.id, command.run(session, request.arguments))
    except (ValueError, NotApplicableError) as error:  # GtpError, SizeError, …: the controller's mistake
        return failure(request.id, str(error))
    except Exception as error:  # noqa: BLE001 - no line may end the game
        report_error("internal error", error)
        return failure(request.id, f"internal error: {describe(error)}")


# The engine, and the choice of a game


def protocol_version(_session: GtpSession, _arguments: Arguments) -> str:
    """The version of GTP."""
    return PROTOCOL_VERSION


def name(_session: GtpSession, _arguments: Arguments) -> str:
    """The engine's name."""
    return about.NAME


def version(_session: GtpSession, _arguments: Arguments) -> str:
    """The engine's version."""
    return about.build()


def known_command(_session: GtpSession, arguments: Arguments) -> str:
    """`known_command NAME`: `true` or `false`. Never fails."""
    return str(" ".join(arguments) in COMMANDS).lower()


def list_commands(_session: GtpSession, _arguments: Arguments) -> str:
    """The names of all commands. Never fails."""
    return "\n".join(COMMANDS)


def leave(_session: GtpSession, _arguments: Arguments) -> str:
    """`quit`: the dialogue ends after the answer."""
    return ""


def list_games(_session: GtpSession, _arguments: Arguments) -> str:
    """The names of all games, one a line."""
    return "\n".join(GAMES)


def set_game(session: GtpSession, arguments: Arguments) -> str:
    """`set_game NAME [players=N] [option=value …] [text]`: the text is a tree, piles, or the like."""
    words = [word for word in arguments[1:] if "=" not in word]
    options = parse_settings(tuple(word for word in arguments[1:] if "=" in word))
    players = options.pop("players", None)
    count = None if players is None else parse_number(players)
    session.set_game(Rules(arguments[0], count, options, " ".join(words)))
    return ""


# The board, moves and clocks


def boardsize(session: GtpSession, arguments: Arguments) -> str:
    """`boardsize SIZE`: an empty board; a game with only one size accepts that size."""
    size = parse_number(arguments[0])
    try:
        session.begin(size)
    except SizeError:
        board = gogui.points(session.game, session.match.state)
        if session.game.sizes or not gogui.is_square(board, size):
            raise GtpError(UNACCEPTABLE_SIZE) from None
        session.begin(None)
    return ""


def clear_board(session: GtpSession, _arguments: Arguments) -> str:
    """Back to the first state, without handicap."""
    session.begin(session.match.size)
    return ""


def komi(session: GtpSession, arguments: Arguments) -> str:
    """`komi NUMBER`: accepted by all games, ignored by those without komi."""
    session.set_komi(max(-_MOST_KOMI, min(parse_decimal(arguments[0]), _MOST_KOMI)))
    return ""


def play(session: GtpSession, arguments: Arguments) -> str:
    """`play COLOUR MOVE`, `play dice 31`."""
    session.match.play_text(_player(session, arguments[0]), arguments[1])
    return ""


def genmove(session: GtpSession, arguments: Arguments) -> str:
    """`genmove COLOUR` searches for a move and plays it, `genmove dice` rolls."""
    player = _player(session, arguments[0])
    return session.roll() if player == CHANCE else session.generate(player)


def cleanup(session: GtpSession, arguments: Arguments) -> str:
    """`kgs-genmove_cleanup COLOUR`: `genmove` that takes the enemy's dead stones before all else."""
    return session.generate(_player(session, arguments[0]), cleaning=True)


def game_over(_session: GtpSession, _arguments: Arguments) -> str:
    """`kgs-game_over`: the server is told that the engine is ready for another game."""
    return ""


def reg_genmove(session: GtpSession, arguments: Arguments) -> str:
    """`reg_genmove COLOUR`: a move that is not played, the same one each time."""
    return session.suggest(_player(session, arguments[0]))


def undo(session: GtpSession, _arguments: Arguments) -> str:
    """Take back the last move or roll. As in GNU Go, arguments are ignored: `undo 0` takes one back."""
    session.undo()
    return ""


def undo_several(session: GtpSession, arguments: Arguments) -> str:
    """`gg-undo [NUMBER]`, GNU Go's and GoGui's: take back NUMBER moves, by default 1; all of them or none."""
    session.undo(parse_number(arguments[0]) if arguments else 1)
    return ""


def move_history(session: GtpSession, _arguments: Arguments) -> str:
    """`move_history`, GNU Go's: colours, rolls and moves, a line each, the last one first."""
    game = session.game
    return "\n".join(
        f"{colour_name(each.player, game.players)} {game.text(each.state, each.move)}"
        for each in reversed(session.match.played)
    )


def legal_moves(session: GtpSession, _arguments: Arguments) -> str:
    """`legal_moves`: all of them in the notation of the game, or the rolls; empty where the game is over."""
    state = session.match.state
    return " ".join(session.game.text(state, move) for move in state.moves())


def showboard(session: GtpSession, _arguments: Arguments) -> str:
    """The board for people; the last line says who is to move, or how the game has ended."""
    match = session.match
    if match.over:
        standing = f"{GAME_OVER}: {match.result()}"
    else:
        standing = f"{colour_name(match.state.player, match.game.players)} to move"
    return f"\n{match.game.show(match.state)}\n{standing}"


def time_settings(session: GtpSession, arguments: Arguments) -> str:
    """`time_settings MAIN BYO_YOMI STONES`, in seconds: byo-yomi for 0 stones means no limit."""
    main, byo_yomi = map(parse_seconds, arguments[:2])
    session.set_time(TimeControl(main, byo_yomi, parse_number(arguments[2])))
    return ""


def kgs_time_settings(session: GtpSession, arguments: Arguments) -> str:
    """`none`, `absolute MAIN`, `canadian MAIN BYO_YOMI STONES` or `byoyomi MAIN PERIOD PERIODS`.

    A player who keeps to one period never loses another.
    """
    kind, *numbers = arguments
    if len(numbers) != _KGS_NUMBERS.get(kind):
        raise GtpError(SYNTAX_ERROR)
    main, period, count = (*numbers, "0", "0", "0")[:3]
    if kind == "none":
        period = "1"  # for 0 stones: no limit
    elif kind == "byoyomi":
        period, count = (period, "1") if parse_number(count) else ("0", "0")
    return time_settings(session, (main, period, count))


def time_left(session: GtpSession, arguments: Arguments) -> str:
    """`time_left COLOUR SECONDS STONES`: 0 stones in main time. Ignored without a time limit.

    KGS tells the periods that are left in place of stones.
    """
    player = _player(session, arguments[0])
    left, stones = parse_decimal(arguments[1]), parse_number(arguments[2])
    if player == CHANCE:
        raise GtpError(SYNTAX_ERROR)
    if session.control is not None:
        session.clocks[player] = Clock(max(0.0, left), min(stones, session.control.stones or stones))
    return ""


def _player(session: GtpSession, text: str) -> int:
    return parse_player(text, session.game.players)


# Go, and games like it: points, dead stones, handicap, files


def score(session: GtpSession, _arguments: Arguments) -> str:
    """`final_score`: `B+3.5`, `W+12`, `0`."""
    return session.match.result()


def final_status_list(session: GtpSession, arguments: Arguments) -> str:
    """`final_status_list STATUS`: the stones that are alive, dead, or alive in seki, a block a line."""
    status = arguments[0].lower()
    if status not in STATUSES:
        raise GtpError(SYNTAX_ERROR)
    blocks = session.game.fates(session.match.state).get(status, ())
    return "\n".join(" ".join(block) for block in blocks)


def fixed_handicap(session: GtpSession, arguments: Arguments) -> str:
    """`fixed_handicap NUMBER`: place NUMBER stones on the usual points; the vertices."""
    try:
        points = session.game.handicap_points(session.match.size, parse_number(arguments[0]))
    except SizeError:
        raise GtpError(BAD_STONES) from None
    return _place(session, points)


def place_free_handicap(session: GtpSession, arguments: Arguments) -> str:
    """`place_free_handicap NUMBER`: place at most NUMBER stones; the vertices."""
    wanted = parse_number(arguments[0])
    for stones in range(min(wanted, _MOST_FREE), 1, -1):
        try:
            points = session.game.handicap_points(session.match.size, stones)
        except SizeError:
            continue
        return _place(session, points)
    raise GtpError(BAD_STONES)


def set_free_handicap(session: GtpSession, arguments: Arguments) -> str:
    """`set_free_handicap VERTEX …`: place stones there."""
    try:
        _place(session, arguments)
    except IllegalMoveError:
        raise GtpError(BAD_VERTICES) from None
    return ""


def loadsgf(session: GtpSession, arguments: Arguments) -> str:
    """`loadsgf FILE [NUMBER]`: the end of a game of Go, or the position before move NUMBER."""
    *words, last = arguments
    before = parse_number(last) if words and last.isdigit() else None
    path = " ".join(arguments if before is None else words)
    from protocol.gtp.sgf import SgfError, read_sgf  # noqa: PLC0415 - brings in a library, seldom needed

    try:
        session.take_over(read_sgf(path, session.rules, before))
    except (SgfError, GtpError, SizeError, IllegalMoveError, NotApplicableError) as error:
        raise GtpError(f"{CANNOT_LOAD}: {error}") from None
    return ""


def printsgf(session: GtpSession, arguments: Arguments) -> str:
    """`printsgf [FILE]`: the game of Go as SGF, here or in a file."""
    from protocol.gtp.sgf import written_sgf  # noqa: PLC0415 - as above

    data = written_sgf(session.match)
    if not arguments:
        return f"\n{data.decode()}"
    try:
        write_whole(Path(" ".join(arguments)), data)
    except OSError as error:
        raise GtpError(f"cannot write file: {error.strerror}") from None
    return ""


def get_rules(session: GtpSession, _arguments: Arguments) -> str:
    """`kata-get-rules`: the rules of Go as KataGo writes them."""
    _require_points(session)
    return json.dumps(_RULES)


def set_rules(session: GtpSession, arguments: Arguments) -> str:
    """`kata-set-rules NAME`, `kata-set-rules JSON`: accepted if they are the rules that are played."""
    _require_points(session)
    text = " ".join(arguments)
    start: Any = session.match.start
    names = _RULE_NAMES if start.handicap else (*_RULE_NAMES, _CHINESE)
    try:
        wanted = json.loads(text) if text.startswith("{") else {} if text.lower() in names else None
    except (ValueError, RecursionError):
        raise GtpError(SYNTAX_ERROR) from None
    if wanted is None or not wanted.items() <= (_RULES | {key: wanted.get(key) for key in _NO_RULES}).items():
        raise GtpError(f"the rules are {_RULE_NAMES[0]}: {json.dumps(_RULES)}")
    return ""


def get_komi(session: GtpSession, _arguments: Arguments) -> str:
    """`get_komi`: the komi of a game that has points."""
    _require_points(session)
    return f"{session.game.komi:g}"


def _require_points(session: GtpSession) -> None:
    if not session.match.has_points:
        raise NotApplicableError(f"{session.game.title} has no komi and no choice of rules")


def _place(session: GtpSession, points: Sequence[str]) -> str:
    match = session.match
    if match.played or match.setup is not None:
        raise GtpError(BOARD_NOT_EMPTY)
    session.begin(match.size, Setup(tuple((0, point) for point in points), 1))
    return " ".join(points)


COMMANDS = {
    command.name: command
    for command in (
        Command("protocol_version", protocol_version),
        Command("name", name),
        Command("version", version),
        Command("quit", leave, most=ANY),
        Command("list_games", list_games),
        Command("set_game", set_game, 1, ANY),
        Command("known_command", known_command, most=ANY),
        Command("list_commands", list_commands, most=ANY),
        Command("boardsize", boardsize, 1, 1),
        Command("clear_board", clear_board),
        Command("komi", komi, 1, 1),
        Command("play", play, 2, 2),
        Command("genmove", genmove, 1, 1),
        Command("reg_genmove", reg_genmove, 1, 1),
        Command("undo", undo, most=ANY),
        Command("gg-undo", undo_several, most=1),
        Command("showboard", showboard),
        Command("time_settings", time_settings, 3, 3),
        Command("time_left", time_left, 3, 3),
        Command("final_score", score),
        Command("final_status_list", final_status_list, 1, 1),
        Command("fixed_handicap", fixed_handicap, 1, 1),
        Command("place_free_handicap", place_free_handicap, 1, 1),
        Command("set_free_handicap", set_free_handicap, 2, ANY),
        Command("loadsgf", loadsgf, 1, ANY),
        Command("search-algorithm", search_commands.search_algorithm, most=ANY),
        Command("search-level", search_commands.search_level, most=1),
        Command("search-limits", search_commands.search_limits, most=ANY),
        Command("search-stats", search_commands.search_stats),
        Command("search-value", search_commands.search_value),
        Command("search-variation", search_commands.search_variation),
        Command("search-visits", search_commands.search_visits),
        Command("printsgf", printsgf, most=ANY),
        Command("move_history", move_history),
        Command("legal_moves", legal_moves),
        Command("get_komi", get_komi),
        Command("kata-get-rules", get_rules),
        Command("kata-set-rules", set_rules, 1, ANY),
        Command("kgs-time_settings", kgs_time_settings, 1, 4),
        Command("kgs-genmove_cleanup", cleanup, 1, 1),
        Command("kgs-game_over", game_over, most=ANY),
        Command(analysis.CGOS_MOVE, analysis.cgos_genmove_analyze, 1, ANY),
        Command(analysis.LEELA, analysis.lz_analyze, most=ANY),
        Command(analysis.KATAGO, analysis.kata_analyze, most=ANY),
        Command(analysis.LEELA_MOVE, analysis.lz_genmove_analyze, most=ANY),
        Command(analysis.KATAGO_MOVE, analysis.kata_genmove_analyze, most=ANY),
        *(Command(gogui_name, run) for gogui_name, run in gogui.HANDLERS.items()),
    )
}
