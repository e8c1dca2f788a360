"""`lolli play --game`: games of any kind against a searcher, which has all seats but the person's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console
from rich.text import Text

from engine.games.catalogue import Rules
from engine.games.levels import levels
from engine.games.limits import limits_text, stricter
from engine.games.players.textbook import textbook_of
from engine.games.rules.game import CHANCE, Game, IllegalMoveError, NotApplicableError, State
from engine.games.search.basics import Decision, SearchLimits
from lolli.cli.contest import Entrant, EntrantError, entrants
from lolli.cli.playing import Dialogue, Lines, Reply, Word, changed, last_lines, said, whole_number
from lolli.cli.terminal.board import (
    NOTES,
    BoardSize,
    ShownState,
    beside,
    effort_text,
    line_text,
    moves_text,
    position_lines,
    side_name,
    side_text,
    summary,
    value_text,
)
from lolli.cli.trees import WatchError, watchable, watched_search
from lolli.cli.trees.picture import picture_of, terminal_tree
from protocol.gtp.session import GtpPlayer, GtpSession, LastSearch

_LONGEST_HINT = 3.0  # seconds, should the highest level not have decided before
_MOST_LEVEL = 9999
_TREE_NODES, _SEARCHED_NODES = 60, 5_000
"""How many nodes of a tree are drawn, and how many at most are searched: a second or two."""
_TREE, _CHESS = "tree", "chess"
_BLACK = 0  # seat
_BELOW = 8  # lines kept for what is said below the board
_MOVE_WIDTH, _MOVE_LINES = 44, 4


class SeatingError(ValueError):
    """Moves or a seat that the game does not have; the message says why."""


class GameDialogue(Dialogue):
    own_words = (
        Word("hint", "", f"what the highest level would play, after {_LONGEST_HINT:g} seconds at most"),
        Word("eval", "", "what the searcher thinks: value, line, nodes, visits"),
        Word("why", "", "what the searcher found before its last move"),
        Word("tree", "[SEARCHER]", "draw the tree that it searches from here; for NAME-fast that of NAME"),
        Word("moves", "[TEXT]", "the legal moves, or those that begin with TEXT"),
        Word("level", "[N]", "show the levels, or play against another one", ("levels",)),
        Word("searcher", "[NAME]", "show the searchers, or play against uct:playouts=300", ("searchers",)),
        Word("seat", "[N]", "show the seats, or take another one"),
    )
    while_playing = frozenset(("hint", "eval", "tree", "moves", "seat", "resign"))
    introduction = ("Type a move in the notation of the game; moves shows all that are legal.",)
    over = "The game is over: undo, new or quit."

    def __init__(
        self,
        rules: Rules,
        searcher: str | None = None,
        *,
        size: int | None = None,
        moves: Sequence[str] = (),
        seat: int | None = None,
        limits: SearchLimits | None = None,
        seed: int = 0,
        board_size: BoardSize | None = None,
    ) -> None:
        """`moves` are played first. `seat` None: the side to move. `limits` are the searcher's default.

        Raises SizeError, EntrantError, SeatingError.
        """
        super().__init__(board_size)
        self._size, self._moves, self._limits = size, moves, limits or SearchLimits()
        self._session = GtpSession(rules, size, seed=seed)
        known = levels(self.game)
        usual = f"level{(len(known) + 1) // 2}" if self._limits == SearchLimits() else known[-1].searcher
        self._use(searcher or usual)
        best = stricter(known[-1].limits, SearchLimits(seconds=_LONGEST_HINT))
        self._adviser = GtpPlayer(self.game, seed, best)
        if seat is not None and seat >= self.game.players:
            raise SeatingError(f"the seat must be from 1 to {self.game.players}")
        self._begin()
        self.seat = seat if seat is not None else max(0, self.state.player)

    def _begin(self) -> None:
        self._session.begin(self._size)
        self.resigned = False
        self._last: LastSearch | None = None
        self._last_label = ""
        for number, text in enumerate(self._moves, 1):
            if refusal := self._refusal(text):
                raise SeatingError(f"--moves: move {number}: {refusal}")

    def _use(self, description: str) -> None:
        (entrant,) = entrants([description], self.game, self._limits)
        self._entrant: Entrant = entrant
        self._session.player.use(entrant.searcher, dict(entrant.options))
        self._session.player.set_limits(entrant.limits if entrant.limits != SearchLimits() else None)

    @property
    def game(self) -> Game[Any]:
        return self._session.game

    @property
    def state(self) -> State:
        return self._session.match.state

    @property
    def is_over(self) -> bool:
        return self.resigned or self._session.match.over

    @property
    def is_mine(self) -> bool:
        return not self.is_over and bool(self.state.player == self.seat)

    def greeting(self) -> Lines:
        moves = self.move_texts()
        example = f", as in {moves[0]}" if moves else ""
        seated = f"you play {side_name(self.game, self.seat)} against {self._opponent()}"
        return f"{self.game.title}: {seated}.", f"Type a move{example}, or help for the commands."

    def play(self, text: str) -> str:
        refusal = self._refusal(text)
        if not refusal:
            return ""
        meant = self.similar_to(text)
        return f"{refusal}: {f'did you mean {meant}?' if meant else 'type moves or help.'}"

    def _refusal(self, text: str) -> str:
        state = self.state
        try:
            self._session.match.play(state, self.game.parse(state, text))
        except IllegalMoveError as error:
            return str(error)
        return ""

    def thinker(self) -> str:
        return "" if self.state.player == CHANCE else self._entrant.label

    def answer(self) -> Lines:
        session, state = self._session, self.state
        if state.player == CHANCE:
            return (f"Chance: {session.roll()}.",)
        text = session.generate(state.player)
        self._last, self._last_label = session.player.last, self._entrant.label
        found = summary(self.game, state, self._last.decision) if self._last else ""
        return (f"{self._player(state.player)} plays {text}{found}.",)

    def stop(self) -> None:
        self._session.player.stop()
        self._adviser.stop()

    def remarks(self) -> Lines:
        if self.is_over:
            return (self._result(),)
        return ("You can only pass: type pass.",) if self.move_texts() == ["pass"] else ()

    def _result(self) -> str:
        if self.resigned:
            return f"You resign as {side_name(self.game, self.seat)}."
        payoffs = self.state.payoff()
        best = max(payoffs)
        winners = [player for player, payoff in enumerate(payoffs) if payoff == best]
        listed = ", ".join(
            f"{side_name(self.game, player)} {payoff:+g}" for player, payoff in enumerate(payoffs)
        )
        if self.game.name == _TREE:
            return f"The payoffs: {listed}."
        if len(winners) > 1:
            return "A draw." if self.game.players == 2 else f"Nobody wins alone: {listed}."
        won = "You win" if winners == [self.seat] else f"{self._player(winners[0])} wins"
        return f"{won}{self._margin()}." if self.game.players == 2 else f"{won}: {listed}."

    def _margin(self) -> str:
        try:
            points = abs(self.game.margin(self.state))
        except NotApplicableError:
            return ""
        return f" by {points:g} point{'' if points == 1 else 's'}"

    def take_back(self, moves: int) -> bool:
        played = self._session.match.played
        since = len(self._moves)
        mine = [i for i, each in enumerate(played) if each.player == self.seat and i >= since]
        if len(mine) < moves:
            return False
        if moves:
            self._session.undo(len(played) - mine[-moves])
            self._last = None
        return True

    def move_texts(self) -> list[str]:
        state = self.state
        return [self.game.text(state, move) for move in state.moves()] if self.is_mine else []

    def _seats(self) -> list[str]:
        players = range(self.game.players)
        return ["You" if player == self.seat else self._entrant.label for player in players]

    def _player(self, player: int) -> str:
        return f"{side_name(self.game, player)} ({self._seats()[player]})"

    def _opponent(self) -> str:
        entrant = self._entrant
        unlimited = ":" in entrant.label or entrant.limits == SearchLimits()
        limits = "" if unlimited else limits_text(entrant.limits)
        searcher = "" if entrant.label.partition(":")[0] == entrant.searcher else entrant.searcher
        known = ", ".join(filter(None, (searcher, limits)))
        return f"{entrant.label} ({known})" if known else entrant.label

    def draw(self, console: Console) -> list[Text]:
        flipped = self.game.name == _CHESS and self.seat == _BLACK
        played = self._session.match.played
        before, move = (played[-1].state, played[-1].move) if played else (None, None)
        position = ShownState(self.game, self.state, before, move, flipped)
        board = position_lines(position, console, _BELOW, self.board_size)
        room = console.width - max(line.cell_len for line in board) - 3
        width = max(NOTES // 2, min(_MOVE_WIDTH, room))
        moves = map(Text, last_lines(self._record(), width, _MOVE_LINES))
        sides = [
            Text.assemble(
                "> " if not self.is_over and self.state.player == player else "  ",
                side_text(self.game, player, console),
                f"  {name}",
            )
            for player, name in enumerate(self._seats())
        ]
        return beside(board, [*sides, Text(), *moves], console.width)

    def _record(self) -> str:
        """All moves, those of chance in parentheses; numbered where two sides take turns."""
        texts, game = [], self.game
        numbered = game.players == 2 and not game.chance
        for i, each in enumerate(self._session.match.played):
            text = game.text(each.state, each.move)
            shown = f"({text})" if each.player == CHANCE else text
            texts.append(f"{i // 2 + 1}. {shown}" if numbered and i % 2 == 0 else shown)
        return " ".join(texts)

    def do_hint(self, _argument: str) -> Reply:
        game, state = self.game, self.state
        with self.keyboard.busy(self.stop):
            decision = self._adviser.choose_again(state)
        others = moves_text(game, state, decision) if game.chance else ""
        line = f"Try {game.text(state, decision.move)}{summary(game, state, decision)}."
        return said(*filter(None, (line, others)))

    def do_eval(self, _argument: str) -> Reply:
        with self.keyboard.busy(self.stop):
            decision = self._session.player.choose_again(self.state)
        return self._described(self._entrant.label, self.state, decision)

    def do_why(self, _argument: str) -> Reply:
        if self._last is None:
            return said("The searcher has not moved yet.")
        return self._described(self._last_label, self._last.state, self._last.decision)

    def _described(self, label: str, state: State, decision: Decision) -> Reply:
        game = self.game
        lines = (
            f"{label}: move {game.text(state, decision.move)}",
            value_text(game, state, decision),
            line_text(game, state, decision),
            "; ".join(filter(None, (effort_text(decision), f"limits {limits_text(decision.limits)}"))),
            moves_text(game, state, decision),
        )
        return said(*filter(None, lines))

    def do_tree(self, argument: str) -> Reply:
        game, state = self.game, self.state
        try:
            entrant = watchable(self._entrant, game)
            if argument:
                (entrant,) = entrants([argument], game, SearchLimits())
            limits = stricter(entrant.limits, SearchLimits(nodes=_SEARCHED_NODES))
            with self.keyboard.busy(self.stop):
                search = watched_search(game, state, replace(entrant, limits=limits), 0)
        except (EntrantError, WatchError) as error:
            return said(f"{error}.")
        picture = picture_of(search, nodes=_TREE_NODES, with_options=False)
        is_named = search.has_sides and game.max_player is None
        who = (
            f"In this picture MAX is the player to move: {side_name(game, state.player)}." if is_named else ""
        )
        whose = "" if argument else _whose(self._entrant.searcher, entrant.searcher)
        below = [Text(line, "dim") for line in (whose, who, picture.left_out) if line]
        return Reply((Text(search.title(), "bold"), terminal_tree(picture), *below), alone=True)

    def do_moves(self, argument: str) -> Reply:
        fitting = [text for text in self.move_texts() if text.lower().startswith(argument.lower())]
        return said(" ".join(fitting) or "No legal move begins like that.")

    def do_level(self, argument: str) -> Reply:
        if not argument:
            label = self._entrant.label
            return said(
                *(
                    f"{'>' if label == f'level{level.number}' else ' '} level {level.number}: "
                    f"{level.searcher}, {limits_text(level.limits)}"
                    for level in levels(self.game)
                )
            )
        number = whole_number(argument, 1, _MOST_LEVEL)
        if number is None:
            return said("Type level 2 for level 2, level for all of them.")
        return self._play_against(f"level{number}")

    def do_searcher(self, argument: str) -> Reply:
        if argument:
            return self._play_against(argument)
        fitting = (f"{each.name}: {each.summary}" for each in self._session.player.fitting)
        return said(f"{self._entrant.label} plays. These can:", *fitting)

    def _play_against(self, description: str) -> Reply:
        try:
            self._use(description)
        except EntrantError as error:
            return said(f"{error}.")
        return changed(f"You play against {self._opponent()} now.")

    def do_seat(self, argument: str) -> Reply:
        game = self.game
        if not argument:
            return said(*(f"{i + 1}: {side_name(game, i)}, {name}" for i, name in enumerate(self._seats())))
        number = whole_number(argument, 1, game.players)
        if number is None:
            return said(f"The seat must be from 1 to {game.players}.")
        self.seat = number - 1
        return changed(f"You play {side_name(game, self.seat)} now.")

    def do_new(self, _argument: str) -> Reply:
        self._begin()
        return changed("A new game.")


def _whose(playing: str, watched: str) -> str:
    if watched == playing:
        return ""
    related = f"the textbook of {playing}" if textbook_of(playing) else f"not of {playing}"
    return f"{playing} cannot be watched: this is the tree of {watched}, {related}."
