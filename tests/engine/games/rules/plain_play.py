"""What holds for every game, looked at from outside, in games that are played at random."""

import math
from collections.abc import Iterator
from random import Random
from typing import Any

from engine.games.rules.game import OVER, Game


def random_game(game: Game[Any], size: int | None, seed: int) -> Iterator[tuple[Any, Any]]:
    """Each state of a random game with the move that is played there; the last with None."""
    random = Random(seed)
    state = game.start(size)
    while state.player != OVER:
        move = random.choice(state.moves())
        yield state, move
        state = state.play(move)
    yield state, None


def check_game(game: Game[Any], size: int | None, seed: int) -> None:
    """Moves are unique and stable, states immutable, hashes and notation sound, numbers within bounds."""
    seen: dict[str, Any] = {}
    for state, move in random_game(game, size, seed):
        before = game.show(state)
        assert "" not in before.splitlines()
        moves = state.moves()
        assert not hasattr(state, "copy") or moves == state.copy().moves()
        assert len(set(moves)) == len(moves) > 0 or move is None
        if move is not None:
            texts = [game.text(state, each) for each in moves]
            assert len(set(texts)) == len(texts)
            assert not any(" " in text for text in texts)
            text = game.text(state, move)
            assert [game.parse(state, each) for each in (text, text.lower(), text.upper())] == [move] * 3
            after = state.play(move)
            assert after != state
            assert after == state.play(move)
            assert hash(after) == hash(state.play(move))
            check_estimate(game, state)
        assert game.show(state) == before
        assert moves == state.moves()
        seen.setdefault(f"{hash(state)}", state)
        assert seen[f"{hash(state)}"] == state
    check_payoff(game, state)


def check_estimate(game: Game[Any], state: Any) -> None:
    least, greatest = game.payoffs
    estimate = game.estimate(state)
    assert len(estimate) == game.players
    assert all(least < each < greatest for each in estimate)
    assert math.isclose(sum(estimate), 0, abs_tol=1e-9)


def check_payoff(game: Game[Any], state: Any) -> None:
    payoff = state.payoff()
    least, greatest = game.payoffs
    assert state.player == OVER
    assert list(state.moves()) == []
    assert payoff in {(0.0,) * game.players} | {
        tuple(greatest if player == winner else least for player in range(game.players))
        for winner in range(game.players)
    }
