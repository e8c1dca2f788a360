"""Between the player and a match of chess: reads lines, executes them, shows the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.about import NAME, VERSION
from protocol.cli.playing.command_words import QUIT, PlayReply
from protocol.cli.playing.moves import MoveTextError, displayed, move_of, refusal, shape_of
from protocol.cli.playing.play_commands import OVER, WORDS, PlayCommands, completions, reason_of
from protocol.cli.playing.play_dialogue import PlayDialogue
from protocol.cli.playing.play_terminal import GameView, TimeUpError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from protocol.cli.playing.play_commands import Adviser
    from protocol.cli.playing.play_match import Opponent, PlayMatch
    from protocol.cli.terminal.board import BoardSize


class Host(PlayDialogue):
    """Runs a match of chess in the terminal, or through pipes."""

    def __init__(
        self,
        match: PlayMatch,
        opponent: Opponent,
        adviser: Adviser,
        board_size: BoardSize | None = None,
    ) -> None:
        """Nothing is shown to the player yet."""
        super().__init__(lambda line: completions(line, match.game.board), board_size)
        self._match = match
        self._opponent = opponent
        self._adviser = adviser
        self._orders = PlayCommands(match, adviser, self.keyboard.busy)

    def begin(self) -> PlayReply:
        """See PlayDialogue."""
        return self._proceed(self._greeting())

    def end(self) -> tuple[str, ...]:
        """See PlayDialogue; the game is saved."""
        kept = self._keep()
        self._opponent.close()
        self._adviser.close()
        return kept

    def _greeting(self) -> tuple[str, ...]:
        color = "White" if self._match.player else "Black"
        return (
            f"{NAME} {VERSION} plays at {self._match.strength.description}. You play {color}.",
            "Type a move, as in e4, Nf3 or e2e4, or help for the commands.",
        )

    def ask(self) -> str:
        """The line that is typed while the clock runs; empty if the time is up. See PlayDialogue."""
        game = self._match.game
        game.begin_turn()
        running = game.ending is None
        try:
            return self.keyboard.ask(
                "Your move: " if running else "Game over: ", game.time_left() if running else None
            )
        except TimeUpError:
            return ""

    def obey(self, line: str) -> PlayReply:
        """Execute a line, and let the engine move if it is its turn then. See PlayDialogue."""
        game = self._match.game
        command = WORDS.find(line)
        if command is not None and command[0] == QUIT:
            raise EOFError
        if game.check_time():
            return self._proceed()
        if command is None:
            reply = self._play(line) if line.strip() else PlayReply()
        else:
            kept = self._keep() if command[0] == "new" else ()
            reply = self._orders.obey(*command)
            reply = PlayReply((*kept, *reply.lines), reply.changed, reply.alone)
        return self._proceed(reply.lines) if reply.changed or game.check_time() else reply

    def _play(self, text: str) -> PlayReply:
        """Play the move in a line."""
        game = self._match.game
        if game.ending is not None:
            return OVER
        try:
            move = move_of(game.board, text)
        except MoveTextError as error:
            return PlayReply((str(error),))
        if move is None:
            meant = None if shape_of(text) else WORDS.similar_to(text)
            return PlayReply(
                (f"{displayed(text)!r}: did you mean {meant}?" if meant else refusal(game.board, text),)
            )
        game.move(move)
        return PlayReply(changed=True)

    def _proceed(self, lines: tuple[RenderableType, ...] = ()) -> PlayReply:
        """Let the engine move if it is its turn. The reply begins with `lines`."""
        match, game = self._match, self._match.game
        if game.ending is None and not match.players_turn:
            lines = (*lines, *self._have_answered(lines))
        if game.ending is not None:
            return PlayReply((*lines, *self._conclusion()), changed=True)
        if reason := game.claim():
            lines = (*lines, f"You may claim a draw ({reason}): type draw.")
        return PlayReply(lines, changed=True)

    def _have_answered(self, lines: tuple[RenderableType, ...]) -> list[str]:
        """Let the engine move, showing `lines` meanwhile. Returns sentences about the move."""
        match = self._match
        if self.screen.redraws:
            self.screen.show(self.view(), (*lines, f"{NAME} is thinking …"))
        with self.keyboard.busy(self._opponent.stop):
            sentences = [match.answer()]
        if match.game.ending is None and match.has_just_become_hopeless:
            sentences.append(f"{NAME} offers to resign: type accept, or play on.")
        return sentences

    def _conclusion(self) -> tuple[str, ...]:
        """How the game ended, and where it was saved."""
        ending = self._match.game.ending
        if ending is None:
            return ()
        if ending.winner is None:
            who = "A draw"
        else:
            who = "You win" if ending.winner == self._match.player else f"{NAME} wins"
        return (f"{who}: {ending.reason}. {ending.result}", *self._keep())

    def _keep(self) -> tuple[str, ...]:
        """Save the game if there is a file for it. Returns a sentence about it."""
        try:
            path = self._match.keep()
        except OSError as error:
            self.has_failed = True
            return (f"The game could not be saved: {reason_of(error)}.",)
        return (f"Saved to {path}.",) if path else ()

    def view(self) -> GameView:
        """See PlayDialogue."""
        match = self._match
        turned = self._orders.is_turned == match.player
        return GameView(match.game, match.names, flipped=turned, size=self.board_size)
