"""The commands of GTP: what each does, and one table of all of them.

A command returns its answer, or None; an analysis returns a function that passes on its lines until it is
over. A command that fails raises GtpError, or another ValueError with a message for the controller, and has
changed nothing. GoGui's commands need a board of points, and vertices as moves.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.games.catalogue import GAMES, Rules
from engine.games.limits import limits_text
from engine.games.rules.game import CHANCE, IllegalMoveError, NotApplicableError, SizeError, variation
from engine.games.rules.own import is_file
from engine.games.search.basics import SearchLimits
from engine.games.searchers import Value, algorithm, options_text
from engine.system.files import write_whole
from protocol import about
from protocol.gtp import analysis
from protocol.gtp.analysis import Analysis
from protocol.gtp.match import Clock, Setup, TimeControl, points
from protocol.gtp.parser import (
    GAME_OVER,
    SYNTAX_ERROR,
    Arguments,
    GtpError,
    Request,
    colour_name,
    failure,
    parse_decimal,
    parse_number,
    parse_player,
    parse_seconds,
    parse_settings,
    success,
)
from protocol.gtp.session import GtpSession, LastSearch
from protocol.text import describe
from protocol.writer import errors_reported, report_error

STATUSES = ("alive", "seki", "dead")
ANY = 1 << 30  # arguments
_MOST_KOMI = 1000.0  # more than there are points on any board: a larger one decides nothing else
_KGS_NUMBERS = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
_RULE_NAMES = ("chinese-kgs", "chinese-ogs", "chinese")  # GUIs send the last, which has another rule for ko
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


_NONE = "none"
_VERTEX = re.compile(r"[A-HJ-Z][1-9][0-9]?|pass", re.IGNORECASE)
ANALYSES = (
    "var/Principal variation/search-variation",
    "pspairs/Visit counts/search-visits",
    "string/Evaluation/search-value",
    "hstring/Statistics/search-stats",
    "hstring/Searchers/search-algorithm",
    "hstring/Levels/search-level",
    "plist/Legal moves/gogui-rules_legal_moves",
    "string/Final score/final_score",
)
"""The entries of GoGui's menu: how to show the answer, the entry's name, the command."""


@dataclass(frozen=True, slots=True)
class Command:
    """`run` answers a command, given `least` to `most` arguments; `endless`: until the next line comes."""

    name: str
    run: Callable[[GtpSession, Arguments], str | Analysis | None]
    least: int = 0
    most: int = 0
    endless: bool = False


def answer(
    session: GtpSession,
    request: Request,
    tell: Callable[[str], None] | None = None,
    over: Callable[[], bool] = lambda: True,
) -> list[str]:
    """Obey a request; the lines of its answer. Never raises.

    `tell` hears the lines of an analysis as they come; only its end is then returned. `over()`: whether it is
    to end.
    """
    command = COMMANDS.get(request.name)
    if command is None:
        return failure(request.id, "unknown command")
    if not command.least <= len(request.arguments) <= command.most:
        return failure(request.id, SYNTAX_ERROR)
    told: list[str] = []
    try:
        found = command.run(session, request.arguments)
        if found is None or isinstance(found, str):
            return success(request.id, found or "")
        head, *end = success(request.id)
        tell = tell or told.append
        tell(head)
        with errors_reported("the analysis failed"):
            found(tell, over)
    except (ValueError, NotApplicableError) as error:  # GtpError, SizeError, …: the controller's mistake
        return failure(request.id, str(error))
    except BaseException as error:  # noqa: BLE001 - no line may end the game
        report_error("internal error", error)
        return failure(request.id, f"internal error: {describe(error)}")
    return [*told, *end]


# The choice of a game


def set_game(session: GtpSession, arguments: Arguments) -> None:
    """`set_game NAME [players=N] [option=value …] [text]`: the text is a tree, piles, or the like."""
    if is_file(arguments[0]):
        raise GtpError("a file is named on the command line: lolli gtp --game FILE")
    words = [word for word in arguments[1:] if "=" not in word]
    options = parse_settings(tuple(word for word in arguments[1:] if "=" in word))
    players = options.pop("players", None)
    count = None if players is None else parse_number(players)
    session.set_game(Rules(arguments[0], count, options, " ".join(words)))


# The board, moves and clocks


def boardsize(session: GtpSession, arguments: Arguments) -> None:
    """`boardsize SIZE`: an empty board; a game with only one size accepts that size."""
    try:
        session.begin(parse_number(arguments[0]))
    except SizeError:
        raise GtpError("unacceptable size") from None


def komi(session: GtpSession, arguments: Arguments) -> None:
    """`komi NUMBER`: accepted by all games, ignored by those without komi."""
    session.set_komi(max(-_MOST_KOMI, min(parse_decimal(arguments[0]), _MOST_KOMI)))


def genmove(session: GtpSession, arguments: Arguments) -> str:
    """`genmove COLOUR` searches for a move and plays it, `genmove dice` rolls."""
    player = _player(session, arguments[0])
    return session.roll() if player == CHANCE else session.generate(player)


def genmove_cleanup(session: GtpSession, arguments: Arguments) -> str:
    """`kgs-genmove_cleanup COLOUR`: `genmove` that takes the enemy's dead stones before all else."""
    return session.generate(_player(session, arguments[0]), cleaning=True)


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


def time_settings(session: GtpSession, arguments: Arguments) -> None:
    """`time_settings MAIN BYO_YOMI STONES`, in seconds: byo-yomi for 0 stones means no limit."""
    main, byo_yomi = map(parse_seconds, arguments[:2])
    session.set_time(TimeControl(main, byo_yomi, parse_number(arguments[2])))


def kgs_time_settings(session: GtpSession, arguments: Arguments) -> None:
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
    time_settings(session, (main, period, count))


def time_left(session: GtpSession, arguments: Arguments) -> None:
    """`time_left COLOUR SECONDS STONES`: 0 stones in main time. Ignored without a time limit.

    KGS tells the periods that are left in place of stones.
    """
    player = _player(session, arguments[0])
    left, stones = parse_decimal(arguments[1]), parse_number(arguments[2])
    if player == CHANCE:
        raise GtpError(SYNTAX_ERROR)
    if session.control is not None:
        session.clocks[player] = Clock(max(0.0, left), min(stones, session.control.stones or stones))


def _player(session: GtpSession, text: str) -> int:
    return parse_player(text, session.game.players)


# Go, and games like it: points, dead stones, handicap, files


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
        raise GtpError("invalid number of stones") from None
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
    raise GtpError("invalid number of stones")


def set_free_handicap(session: GtpSession, arguments: Arguments) -> None:
    """`set_free_handicap VERTEX …`: place stones there."""
    try:
        _place(session, arguments)
    except IllegalMoveError:
        raise GtpError("bad vertex list") from None


def loadsgf(session: GtpSession, arguments: Arguments) -> None:
    """`loadsgf FILE [NUMBER]`: the end of a game of Go, or the position before move NUMBER."""
    *words, last = arguments
    before = parse_number(last) if words and last.isdigit() else None
    path = " ".join(arguments if before is None else words)
    from protocol.gtp.sgf import SgfError, read_sgf  # noqa: PLC0415 - brings in a library, seldom needed

    try:
        session.take_over(read_sgf(path, session.rules, before))
    except (SgfError, GtpError, SizeError, IllegalMoveError, NotApplicableError) as error:
        raise GtpError(f"cannot load file: {error}") from None


def printsgf(session: GtpSession, arguments: Arguments) -> str | None:
    """`printsgf [FILE]`: the game of Go as SGF, here or in a file."""
    from protocol.gtp.sgf import written_sgf  # noqa: PLC0415 - as above

    data = written_sgf(session.match)
    if not arguments:
        return f"\n{data.decode()}"
    try:
        write_whole(Path(" ".join(arguments)), data)
    except OSError as error:
        raise GtpError(f"cannot write file: {error.strerror}") from None
    return None


def set_rules(_session: GtpSession, arguments: Arguments) -> None:
    """`kata-set-rules NAME`, `kata-set-rules JSON`: accepted if they are the rules that are played."""
    text = " ".join(arguments)
    try:
        wanted = json.loads(text) if text.startswith("{") else {} if text.lower() in _RULE_NAMES else None
    except (ValueError, RecursionError):
        raise GtpError(SYNTAX_ERROR) from None
    if wanted is None or not wanted.items() <= (_RULES | {key: wanted.get(key) for key in _NO_RULES}).items():
        raise GtpError(f"the rules are {_RULE_NAMES[0]}: {json.dumps(_RULES)}")


def _with_points(run: Callable[[GtpSession, Arguments], str | None]) -> Callable[..., str | None]:
    """A command that fails in a game without points."""

    def checked(session: GtpSession, arguments: Arguments) -> str | None:
        if not session.match.has_points:
            raise NotApplicableError(f"{session.game.title} has no komi and no choice of rules")
        return run(session, arguments)

    return checked


def _place(session: GtpSession, points: Sequence[str]) -> str:
    match = session.match
    if match.played or match.setup is not None or getattr(match.start, "handicap", False):
        raise GtpError("board not empty")
    session.begin(match.size, Setup(tuple((0, point) for point in points), 1))
    return " ".join(points)


# Who plays and how well, and the result of the last search


def search_algorithm(session: GtpSession, arguments: Arguments) -> str | None:
    """`search-algorithm [NAME [option=value …]]` chooses a searcher.

    An option that says how long to search replaces limits set before. Without arguments: the searcher that
    plays, then all that could, one a line, with the values of their options.
    """
    player = session.player
    if arguments:
        before = player.limits
        if is_file(name := arguments[0].lower()):
            raise GtpError("a file is named on the command line: lolli gtp --searcher FILE")
        player.use(name, parse_settings(arguments[1:]))
        if before is None or player.limits is not None:
            return None
        return f"{options_text(player.asked)} in place of {limits_text(before)}"
    lines = [_with_options(player.searcher, algorithm(player.searcher).values(player.game, player.options))]
    lines += [
        f"{_with_options(searcher.name, searcher.values(player.game))}: {searcher.summary}"
        for searcher in player.fitting
    ]
    return "\n".join(lines)


def search_level(session: GtpSession, arguments: Arguments) -> str | None:
    """`search-level [NUMBER]` chooses a level. Without argument: the level, then all levels, one a line."""
    player = session.player
    if arguments:
        player.use_level(parse_number(arguments[0]))
        return None
    levels = [
        f"{level.number}: {_with_options(level.searcher, level.options)} {limits_text(level.limits)}"
        for level in player.levels
    ]
    return "\n".join([str(player.level.number) if player.level else _NONE, *levels])


def search_limits(session: GtpSession, arguments: Arguments) -> str | None:
    """`search-limits [none | seconds=… depth=… nodes=… playouts=…]` sets the limits. Without: the limits."""
    if arguments:
        session.player.set_limits(None if arguments == (_NONE,) else _limits(parse_settings(arguments)))
        return None
    return limits_text(session.player.limits_within(None))


def search_stats(session: GtpSession, _arguments: Arguments) -> str:
    """The statistics of the last search, a name and a number a line; the value as in `search-value`.

    Nodes are those of the last depth finished; `total-` are those of all depths, where there were several.
    """
    last = _last(session)
    decision = last.decision
    total = decision.counts
    counts = decision.last_depth or total
    deepened = [
        f"total-visited {total.visited}",
        f"total-expanded {total.expanded}",
        f"total-leaves {total.leaves}",
    ]
    lines = [
        f"searcher {last.searcher}",
        f"move {session.game.text(last.state, decision.move)}",
        f"value {_value(session, last)}",
        f"exact {str(decision.exact).lower()}",
        f"depth {decision.depth}",
        f"limits {limits_text(decision.limits)}",
        f"visited {counts.visited}",
        f"expanded {counts.expanded}",
        f"leaves {counts.leaves}",
        *(deepened if total != counts else ()),
        f"playouts {counts.playouts}",
        f"seconds {decision.seconds:.3f}",
    ]
    line = variation(session.game, last.state, decision.line)
    return "\n".join([*lines, " ".join(["line", *(text for _, text in line)])])


def search_value(session: GtpSession, _arguments: Arguments) -> str:
    """The value that the last search found for the player to move; with more than two, for all players.

    `(estimate)` follows where it is not exact.
    """
    return _value(session, _last(session))


def search_variation(session: GtpSession, _arguments: Arguments) -> str:
    """The principal variation of the last search: colour, move, colour, move, …"""
    last = _last(session)
    line = variation(session.game, last.state, last.decision.line)
    players = session.game.players
    names = {player: colour_name(player, players) for player, _ in line}
    if players == 2:
        names |= {0: "b", 1: "w"}
    return " ".join(f"{names[player]} {text}" for player, text in line)


def search_visits(session: GtpSession, _arguments: Arguments) -> str:
    """How often a searcher that samples has tried each move: a move and a number a line."""
    last = _last(session)
    tried = last.decision.tried
    return "\n".join(f"{session.game.text(last.state, each.move)} {each.visits}" for each in tried)


def _last(session: GtpSession) -> LastSearch:
    if session.player.last is None:
        raise GtpError("no search yet")
    return session.player.last


def _value(session: GtpSession, last: LastSearch) -> str:
    decision = last.decision
    if decision.value is None:
        return "unknown"
    values = (decision.values if session.game.players > 2 else None) or (decision.value,)
    text = " ".join(f"{value:g}" for value in values)
    return text if decision.exact else f"{text} (estimate)"


def _limits(given: dict[str, str]) -> SearchLimits:
    seconds = parse_decimal(given.pop("seconds")) if "seconds" in given else None
    whole = {name: parse_number(text) for name, text in given.items()}
    if not set(whole) <= {"depth", "nodes", "playouts"} or 0 in whole.values():
        raise GtpError(SYNTAX_ERROR)
    if seconds is not None and seconds <= 0:
        raise GtpError(SYNTAX_ERROR)
    return SearchLimits(seconds=seconds, **whole)


def _with_options(name: str, options: Mapping[str, Value]) -> str:
    return f"{name} {options_text(options)}".strip()


# What GoGui asks


def _on_a_grid(run: Callable[[GtpSession, list[list[str]]], str]) -> Callable[[GtpSession, Arguments], str]:
    """A command that gets the points of the board, and fails in a game that GoGui cannot show."""

    def checked(session: GtpSession, arguments: Arguments) -> str:
        rows = points(session.game, session.match.state)
        if not rows or not all(map(_VERTEX.fullmatch, legal_moves(session, arguments).split())):
            title = session.game.title
            raise GtpError(f"GoGui cannot show {title}: the board is not a grid of black and white stones")
        return run(session, rows)

    return checked


def gogui_size(_session: GtpSession, rows: list[list[str]]) -> str:
    """The size, or width and height where they differ."""
    width, height = len(rows[0]), len(rows)
    return str(width) if width == height else f"{width} {height}"


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("protocol_version", lambda *_: "2"),
        Command("name", lambda *_: about.NAME),
        Command("version", lambda *_: about.build()),
        Command("quit", lambda *_: None, most=ANY),  # the dialogue ends after the answer
        Command("list_games", lambda *_: "\n".join(GAMES)),
        Command("set_game", set_game, 1, ANY),
        Command("known_command", lambda _, words: str(" ".join(words) in COMMANDS).lower(), most=ANY),
        Command("list_commands", lambda *_: "\n".join(COMMANDS), most=ANY),
        Command("boardsize", boardsize, 1, 1),
        Command("clear_board", lambda session, _: session.begin(session.match.size)),
        Command("komi", komi, 1, 1),
        Command(
            "play", lambda session, words: session.match.play_text(_player(session, words[0]), words[1]), 2, 2
        ),
        Command("genmove", genmove, 1, 1),
        Command("reg_genmove", lambda session, words: session.suggest(_player(session, words[0])), 1, 1),
        Command("undo", lambda session, _: session.undo(), most=ANY),  # of one move, as in GNU Go
        Command(
            "gg-undo", lambda session, words: session.undo(parse_number(words[0]) if words else 1), most=1
        ),
        Command("showboard", showboard),
        Command("time_settings", time_settings, 3, 3),
        Command("time_left", time_left, 3, 3),
        Command("final_score", lambda session, _: session.match.result()),
        Command("final_status_list", final_status_list, 1, 1),
        Command("fixed_handicap", fixed_handicap, 1, 1),
        Command("place_free_handicap", place_free_handicap, 1, 1),
        Command("set_free_handicap", set_free_handicap, 2, ANY),
        Command("loadsgf", loadsgf, 1, ANY),
        Command("search-algorithm", search_algorithm, most=ANY),
        Command("search-level", search_level, most=1),
        Command("search-limits", search_limits, most=ANY),
        Command("search-stats", search_stats),
        Command("search-value", search_value),
        Command("search-variation", search_variation),
        Command("search-visits", search_visits),
        Command("printsgf", printsgf, most=ANY),
        Command("move_history", move_history),
        Command("legal_moves", legal_moves),
        Command("get_komi", _with_points(lambda session, _: f"{session.game.komi:g}")),
        Command("kata-get-rules", _with_points(lambda *_: json.dumps(_RULES))),
        Command("kata-set-rules", _with_points(set_rules), 1, ANY),
        Command("kgs-time_settings", kgs_time_settings, 1, 4),
        Command("kgs-genmove_cleanup", genmove_cleanup, 1, 1),
        Command("kgs-game_over", lambda *_: None, most=ANY),
        Command("cgos-genmove_analyze", analysis.cgos_genmove_analyze, 1, ANY),
        Command("lz-analyze", analysis.analyze("lz"), most=ANY, endless=True),
        Command("kata-analyze", analysis.analyze("kata"), most=ANY, endless=True),
        Command("lz-genmove_analyze", analysis.genmove_analyze("lz"), most=ANY),
        Command("kata-genmove_analyze", analysis.genmove_analyze("kata"), most=ANY),
        Command("gogui-analyze_commands", lambda *_: "\n".join(ANALYSES)),
        Command("gogui-interrupt", lambda *_: None),  # says that the comment `# interrupt` stops a search
        Command("gogui-rules_game_id", _on_a_grid(lambda session, _: session.game.name.capitalize())),
        Command("gogui-rules_board", _on_a_grid(lambda _, rows: "\n".join(" ".join(row) for row in rows))),
        Command("gogui-rules_board_size", _on_a_grid(gogui_size)),
        Command("gogui-rules_legal_moves", _on_a_grid(lambda session, _: legal_moves(session, ()))),
        Command(
            "gogui-rules_side_to_move",  # the first player where the game is over
            _on_a_grid(lambda session, _: colour_name(max(0, session.match.state.player))),
        ),
        Command(
            "gogui-rules_final_result",
            _on_a_grid(lambda session, _: session.match.result() if session.match.over else ""),
        ),
    )
}
