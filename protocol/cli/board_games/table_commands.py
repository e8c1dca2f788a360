"""What a person can type besides moves in a game against a searcher, and what each word does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from engine.games.players.levels import levels
from engine.games.players.watched import textbook_of
from engine.games.textbook.search import SearchLimits
from protocol.cli.board_games.table import MOST_ADVICE
from protocol.cli.playing.command_words import (
    BOARD,
    HELP,
    LEAVE,
    NEW,
    RESIGN,
    UNDO,
    CommandWords,
    PlayCommand,
    PlayReply,
    whole_number,
)
from protocol.cli.terminal.decision_text import effort_text, line_text, moves_text, summary, value_text
from protocol.cli.terminal.game_looks import side_name
from protocol.cli.tournaments.entrant import EntrantError, entrants
from protocol.cli.trees.picture import PictureLimits, picture_of
from protocol.cli.trees.terminal_tree import terminal_tree
from protocol.cli.trees.watched_search import WatchError, watchable, watched_search
from protocol.gtp.gtp_player import stricter
from protocol.gtp.replies import limits_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from engine.games.rules.game import State
    from engine.games.textbook.search import Decision
    from protocol.cli.board_games.table import GameTable

_MOST_MOVES = 1000  # to take back at once
_MOST_LEVEL = 9999
_TREE_NODES, _SEARCHED_NODES = 60, 5_000
"""How many are drawn of a tree, and how many are searched at the most: a second or two of random games."""
_NEED_A_RUNNING_GAME = frozenset(("hint", "eval", "moves", "resign", "seat", "tree"))

COMMANDS = (
    UNDO,
    PlayCommand("hint", "", f"what the highest level would play, after {MOST_ADVICE:g} seconds at most"),
    PlayCommand("eval", "", "what the searcher thinks: value, line, nodes, visits"),
    PlayCommand("why", "", "what the searcher found before its last move"),
    PlayCommand(
        "tree",
        "[SEARCHER]",
        "the tree that it searches from here, as `lolli tree` draws it; for NAME-fast that of NAME",
    ),
    PlayCommand("moves", "[TEXT]", "the legal moves, or those that begin with TEXT"),
    PlayCommand("level", "[N]", "show the levels, or play against another one", ("levels",)),
    PlayCommand(
        "searcher",
        "[NAME]",
        "show the searchers, or play against uct:playouts=300",
        ("searchers",),
    ),
    PlayCommand("seat", "[N]", "show the seats, or take another one"),
    RESIGN,
    BOARD,
    NEW,
    HELP,
    LEAVE,
)
_INTRODUCTION = ("Type a move in the notation of the game; moves shows all that are legal.",)
WORDS = CommandWords(COMMANDS, _INTRODUCTION)
OVER = PlayReply(("The game is over: undo, new or quit.",))


def completions(line: str, table: GameTable) -> list[str]:
    """Completions of the first word of a line: commands and moves."""
    if " " in line:
        return []
    state = table.state
    moves = [table.game.text(state, move) for move in state.moves()] if table.is_mine else []
    return [word for word in (*WORDS.names, *moves) if word.lower().startswith(line.lower())]


class TableCommands:
    """Executes all commands but `quit`."""

    def __init__(
        self, table: GameTable, busy: Callable[[Callable[[], None]], AbstractContextManager[None]]
    ) -> None:
        """`busy(stop)` is a context in which Ctrl-C calls `stop`."""
        self._table = table
        self._busy = busy
        self._orders: dict[str, Callable[[str], PlayReply]] = {
            "undo": self._undo,
            "hint": self._hint,
            "eval": self._eval,
            "why": self._why,
            "tree": self._tree,
            "moves": self._moves,
            "level": self._level,
            "searcher": self._searcher,
            "seat": self._seat,
            "resign": self._resign,
            "board": lambda _: PlayReply(changed=True),
            "new": self._new,
            "help": lambda _: PlayReply(tuple(WORDS.help_lines()), alone=True),
        }

    def obey(self, name: str, argument: str) -> PlayReply:
        """Execute a command. Afterwards it may be the searcher's turn."""
        if name in _NEED_A_RUNNING_GAME and self._table.is_over:
            return OVER
        return self._orders[name](argument)

    def _undo(self, argument: str) -> PlayReply:
        count = whole_number(argument or "1", 1, _MOST_MOVES)
        if count is None:
            return PlayReply(("Type undo for your last move, undo 2 for the last two.",))
        had_resigned = self._table.resigned
        if not self._table.take_back(count):
            why = "There is no move to take back." if count == 1 else "You have not made that many moves."
            return PlayReply((why,))
        if had_resigned and count == 1:
            return PlayReply(("Your resignation is taken back.",), changed=True)
        return PlayReply(("Taken back.",), changed=True)

    def _hint(self, _argument: str) -> PlayReply:
        table = self._table
        with self._busy(table.stop):
            decision = table.advice()
        move = table.game.text(table.state, decision.move)
        others = moves_text(table.game, table.state, decision) if table.game.chance else ""
        lines = (f"Try {move}{summary(table.game, table.state, decision)}.", others)
        return PlayReply(tuple(filter(None, lines)))

    def _eval(self, _argument: str) -> PlayReply:
        table = self._table
        with self._busy(table.stop):
            decision = table.judgement()
        return PlayReply(self._described(table.entrant.label, table.state, decision))

    def _why(self, _argument: str) -> PlayReply:
        last = self._table.last
        if last is None:
            return PlayReply(("The searcher has not moved yet.",))
        return PlayReply(self._described(self._table.last_label, last.state, last.decision))

    def _described(self, label: str, state: State, decision: Decision) -> tuple[str, ...]:
        game = self._table.game
        lines = (
            f"{label}: move {game.text(state, decision.move)}",
            value_text(game, state, decision),
            line_text(game, state, decision),
            "; ".join(filter(None, (effort_text(decision), f"limits {limits_text(decision.limits)}"))),
            moves_text(game, state, decision),
        )
        return tuple(filter(None, lines))

    def _tree(self, argument: str) -> PlayReply:
        table = self._table
        try:
            entrant = watchable(table.entrant, table.game)
            if argument:
                (entrant,) = entrants([argument], table.game, SearchLimits())
            limits = stricter(entrant.limits, SearchLimits(nodes=_SEARCHED_NODES))
            search = watched_search(table.game, table.state, replace(entrant, limits=limits), 0)
        except (EntrantError, WatchError) as error:
            return PlayReply((f"{error}.",))
        picture = picture_of(search, PictureLimits(nodes=_TREE_NODES), with_options=False)
        name = side_name(table.game, table.state.player)
        is_named = search.has_sides and table.game.max_player is None
        who = f"In this picture MAX is the player to move: {name}." if is_named else ""
        whose = "" if argument else _whose(table.entrant.searcher, entrant.searcher)
        below = [Text(line, "dim") for line in (whose, who, picture.left_out) if line]
        return PlayReply((Text(search.title(), "bold"), terminal_tree(picture), *below), alone=True)

    def _moves(self, argument: str) -> PlayReply:
        game, state = self._table.game, self._table.state
        texts = [game.text(state, move) for move in state.moves()]
        fitting = [text for text in texts if text.lower().startswith(argument.lower())]
        return PlayReply((" ".join(fitting) or "No legal move begins like that.",))

    def _level(self, argument: str) -> PlayReply:
        table = self._table
        if argument:
            number = whole_number(argument, 1, _MOST_LEVEL)
            if number is None:
                return PlayReply(("Type level 2 for level 2, level for all of them.",))
            return self._play_against(f"level{number}")
        lines = [
            f"{'>' if table.entrant.label == f'level{level.number}' else ' '} level {level.number}: "
            f"{level.searcher}, {limits_text(level.limits)}"
            for level in levels(table.game)
        ]
        return PlayReply(tuple(lines))

    def _searcher(self, argument: str) -> PlayReply:
        if argument:
            return self._play_against(argument)
        table = self._table
        return PlayReply((f"{table.entrant.label} plays. These can:", *table.searchers()))

    def _play_against(self, description: str) -> PlayReply:
        try:
            self._table.use(description)
        except EntrantError as error:
            return PlayReply((f"{error}.",))
        return PlayReply((f"You play against {self._opponent()} now.",), changed=True)

    def seated(self) -> str:
        """`you play X against level3 (alphabeta, depth=2)`."""
        return f"you play {side_name(self._table.game, self._table.seat)} against {self._opponent()}"

    def _opponent(self) -> str:
        entrant = self._table.entrant
        limits = (
            "" if ":" in entrant.label or entrant.limits == SearchLimits() else limits_text(entrant.limits)
        )
        searcher = "" if entrant.label.partition(":")[0] == entrant.searcher else entrant.searcher
        known = ", ".join(filter(None, (searcher, limits)))
        return f"{entrant.label} ({known})" if known else entrant.label

    def _seat(self, argument: str) -> PlayReply:
        table = self._table
        if not argument:
            seats = enumerate(table.names())
            return PlayReply(tuple(f"{i + 1}: {side_name(table.game, i)}, {name}" for i, name in seats))
        number = whole_number(argument, 1, table.game.players)
        if number is None:
            return PlayReply((f"The seat must be from 1 to {table.game.players}.",))
        table.seat = number - 1
        return PlayReply((f"You play {side_name(table.game, table.seat)} now.",), changed=True)

    def _resign(self, _argument: str) -> PlayReply:
        self._table.resigned = True
        return PlayReply(changed=True)

    def _new(self, _argument: str) -> PlayReply:
        self._table.begin()
        return PlayReply(("A new game.",), changed=True)


def _whose(playing: str, watched: str) -> str:
    """Whose tree is drawn, where that of the searcher that plays cannot be."""
    if watched == playing:
        return ""
    related = f"the textbook of {playing}" if textbook_of(playing) else f"not of {playing}"
    return f"{playing} cannot be watched: this is the tree of {watched}, {related}."
