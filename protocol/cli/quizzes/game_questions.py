"""Questions about games: which moves of Nim win, how tic-tac-toe ends."""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import TYPE_CHECKING, Any

from engine.games.rules.game import OVER
from engine.games.rules.nim import NimGame, grundy
from engine.games.rules.tictactoe import TicTacToeGame
from engine.games.textbook.lookup import solve
from protocol.cli.quizzes.answers import MovesAnswer, ResultAnswer
from protocol.cli.quizzes.question import Question, SearchCommand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from engine.games.rules.game import Game, State
    from engine.games.rules.nim import Nim

_PILES = (3, 9)
_MOST_IN_PILES = 11
_FREE = (4, 5)  # squares of an ending
_VERBS = {1: "wins", 0: "draws", -1: "loses"}


def winning_moves_of_nim(random: Random) -> Question:
    """The moves after which splitting Nim is lost for the other; in half of the questions there are none."""
    wanted = random.choice((True, False))
    while True:
        piles = sorted((random.randint(*_PILES) for _ in range(random.randint(1, 2))), reverse=True)
        if sum(piles) > _MOST_IN_PILES:
            continue
        search = SearchCommand("nim", ",".join(map(str, piles)), "minimax")
        game = NimGame(piles=search.text)
        state = game.start()
        table = solve(state)
        values = {move: int(table[state.play(move)][state.player]) for move in state.moves()}
        winning = [move for move, value in values.items() if value > 0]
        if bool(winning) is wanted and len(state.moves()) > 1:
            break
    legal = [game.text(state, move) for move in values]
    picture = search.picture(depth=1)
    return Question(
        "Splitting Nim",
        "A move splits a pile into two unequal ones; whoever cannot move loses. Which moves win?",
        game.show(state),
        MovesAnswer(frozenset(game.text(state, move) for move in winning), legal, _legal(game, state)),
        [*_splits(game, state)],
        picture,
        search.command(),
    )


def end_of_tictactoe(random: Random) -> Question:
    """The value of a position with few free squares, and a best move; won, drawn and lost are as likely.

    The moves differ, unless all of them lose.
    """
    game = TicTacToeGame()
    wanted = random.choice((*_VERBS,))
    while True:
        state = game.start()
        free = random.choice(_FREE)
        while state.player != OVER and len(state.moves()) > free:
            state = state.play(random.choice(state.moves()))
        if state.player == OVER:
            continue
        table = solve(state)
        values = {move: int(table[state.play(move)][state.player]) for move in state.moves()}
        if max(values.values()) == wanted and (wanted < 0 or len(set(values.values())) > 1):
            break
    rows = game.show(state).splitlines()[1:-1]  # without the letters of the columns
    board = "/".join("".join(row.split()[1:-1]) for row in rows)
    search = SearchCommand("tictactoe", board, "minimax")
    result = max(values.values())
    best = tuple(game.text(state, move) for move, value in values.items() if value == result)
    mover = "XO"[state.player]
    reasons = [f"{game.text(state, move)} {_VERBS[value]}" for move, value in values.items()]
    picture = search.picture(depth=1)
    return Question(
        "Tic-tac-toe",
        f"{mover} is to move. Does {mover} win, draw or lose, and what is a best move?",
        game.show(state),
        ResultAnswer(result, best, _legal(game, state)),
        reasons,
        picture,
        search.command(),
    )


def _splits(game: NimGame, state: Nim) -> Iterator[str]:
    """The Grundy values of the piles after each move, and what they are."""
    yield "Each pile counts by its Grundy value: the least number that the xor of no split of it makes."
    for move in state.moves():
        piles = list(state.piles)
        piles.remove(sum(move))
        piles += move
        values = [grundy(pile) for pile in piles]
        total = reduce(xor, values)
        made = " xor ".join(map(str, values))
        verdict = "so it wins" if total == 0 else "so it loses"
        yield f"{game.text(state, move)}: piles {', '.join(map(str, piles))}; {made} = {total}, {verdict}"


def _legal(game: Game[Any], state: State) -> Callable[[str], str]:
    """Reads a legal move and writes it as the game does. Raises ValueError."""
    return lambda text: game.text(state, game.parse(state, text))
