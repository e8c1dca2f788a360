"""Games to make reports of."""

import io
from pathlib import Path

import chess.pgn

FOLDER = Path(__file__).parent / "games"
ANNOTATED = "annotated.pgn"
NAMES = sorted(path.name for path in FOLDER.iterdir())


def sample(name: str) -> chess.pgn.Game:
    with (FOLDER / name).open(encoding="utf-8") as file:
        return parsed(file.read())


def parsed(pgn: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(pgn))
    assert game is not None
    assert not game.errors
    return game


def nodes_in_order(game: chess.pgn.Game) -> list[chess.pgn.GameNode]:
    """The nodes of a game as its text tells them; a second way to do it, by recursion."""

    def after(node: chess.pgn.GameNode) -> list[chess.pgn.GameNode]:
        if not node.variations:
            return []
        main, *others = node.variations
        told: list[chess.pgn.GameNode] = [main]
        for other in others:
            told += [other, *after(other)]
        return told + after(main)

    return [game, *after(game)]
