"""Virus against its rules, written down once more with sets and without haste."""

from dataclasses import dataclass

import pytest

from engine.games.rules.game import OVER, NotApplicableError, parse_vertex
from engine.games.rules.virus import Virus, VirusGame
from tests.engine.games.rules.plain_play import random_game

Square = tuple[int, int]


@dataclass(frozen=True)
class Rules:
    players: int
    size: int
    pattern: str

    def neighbours(self, square: Square) -> set[Square]:
        return {
            each for each in self.around(square) if abs(each[0] - square[0]) + abs(each[1] - square[1]) == 1
        }

    def around(self, square: Square) -> set[Square]:
        column, row = square
        squares = {(column + right, row + up) for right in (-1, 0, 1) for up in (-1, 0, 1)}
        return {each for each in squares if min(each) >= 0 and max(each) < self.size}

    def targets(self, owners: dict[Square, int], player: int) -> set[Square]:
        mine = {square for square, owner in owners.items() if owner == player}
        return {near for square in mine for near in self.neighbours(square)} - mine

    def infect(self, owners: dict[Square, int], player: int, square: Square) -> dict[Square, int]:
        reached = self.neighbours(square) | {square} if self.pattern == "plus" else self.around(square)
        return owners | dict.fromkeys(reached, player)

    def follower(self, owners: dict[Square, int], player: int) -> int:
        """Who is next after a player, or OVER if nobody else is left."""
        standing = set(owners.values())
        if standing == {player}:
            return OVER
        return next(p % self.players for p in range(player + 1, 99) if p % self.players in standing)


def owners_of(state: Virus) -> dict[Square, int]:
    squares = [(column, row) for column in range(state.size) for row in range(state.size)]
    owners = {square: state.owner(16 * square[1] + square[0]) for square in squares}
    return {square: owner for square, owner in owners.items() if owner >= 0}


def check_against_rules(players: int, size: int, pattern: str, seed: int) -> None:
    game, rules = VirusGame(players=players, pattern=pattern), Rules(players, size, pattern)
    owners, player = owners_of(game.start(size)), 0
    assert len(owners) == players
    for plies, (state, move) in enumerate(random_game(game, size, seed)):
        assert owners_of(state) == owners
        assert [state.squares(each) for each in range(players)] == [
            list(owners.values()).count(each) for each in range(players)
        ]
        if move is None:
            check_end(rules, state, owners, plies)
            return
        assert state.player == player
        texts = [game.text(state, each) for each in state.moves()]
        assert {parse_vertex(text, size, size) for text in texts} == rules.targets(owners, player)
        owners = rules.infect(owners, player, parse_vertex(game.text(state, move), size, size))
        player = rules.follower(owners, player)


def check_end(rules: Rules, state: Virus, owners: dict[Square, int], plies: int) -> None:
    counts = sorted((list(owners.values()).count(player), player) for player in range(rules.players))
    drawn = counts[-1][0] == counts[-2][0]
    assert state.winner == (-1 if drawn else counts[-1][1])
    if len(set(owners.values())) > 1:
        assert plies == 4 * rules.size**2 - 4 * rules.size**2 % rules.players


@pytest.mark.parametrize("pattern", ["plus", "square"])
@pytest.mark.parametrize(("players", "size"), [(2, 5), (2, 8), (3, 6), (4, 8), (5, 7), (6, 12)])
@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_random_games_follow_the_rules(players: int, size: int, pattern: str, games: int) -> None:
    for seed in range(games):
        check_against_rules(players, size, pattern, seed)


def test_the_last_one_on_the_board_wins() -> None:
    game = VirusGame(players=3)
    state = game.position(["....3", ".....", ".....", "111..", "112.."])
    after = state.play(game.parse(state, "c1"))
    assert after.remaining() == (0, 2)
    assert after.player == 2
    assert not any(game.text(after.turn(0), move) == "C1" for move in after.turn(0).moves())
    with pytest.raises(NotApplicableError):
        after.turn(1)
    last = game.position(["11113", "11112", "11111", "11111", "11111"])
    over = last.play(game.parse(last, "E5"))
    assert (over.player, over.payoff(), over.moves()) == (OVER, (1.0, -0.5, -0.5), ())


def test_start_is_in_the_corners() -> None:
    starts = {
        players: VirusGame(players=players).show(VirusGame(players=players).start(5)) for players in (2, 4, 6)
    }
    rows = {
        players: [line[3:12].replace(" ", "") for line in text.split("\n")[1:-1]]
        for players, text in starts.items()
    }
    assert rows[2] == ["....2", ".....", ".....", ".....", "1...."]
    assert rows[4] == ["2...3", ".....", ".....", ".....", "1...4"]
    assert rows[6] == ["3...4", ".....", "2...5", ".....", "1...6"]
