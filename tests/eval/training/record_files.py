"""Records and files of games for tests, of random games."""

import io
import random
from array import array
from collections.abc import Callable
from pathlib import Path

import chess
import numpy as np

from engine.board.fen import parse_fen
from engine.board.movegen import legal_moves
from engine.board.notation import parse_move
from engine.board.position import Position
from eval.outcome import Ending
from eval.training import positions
from eval.training.game_file import (
    GAMES,
    SUFFIX,
    GameFileError,
    GameRecord,
    pack_block,
    pack_game,
    pack_position,
    unpack_position,
)
from eval.training.positions import NONE_HELD_OUT, RECORD, Block, Corpus, Generation, Records, Scratch
from tests.engine.board.games import choose


def record_of(position: Position, score: int = 0, result: int = 1, ply: int = 0, game: int = 0) -> np.void:
    """The record of a position, `result` being the mover's; written without the decoder."""
    record = np.zeros(1, RECORD)
    turn = 56 * position.side
    men = [
        (square, position.piece_at(square ^ turn) ^ 8 * position.side)
        for square in range(64)
        if position.piece_at(square ^ turn) != 7
    ]
    record["occupied"] = sum(1 << square for square, _ in men)
    packed = sum(piece << 4 * place for place, (_, piece) in enumerate(men))
    record["pieces"] = list(packed.to_bytes(16, "little"))
    record["score"], record["result"], record["ply"], record["game"] = score, result, min(ply, 255), game
    first: np.void = record[0]
    return first


def random_game(board: chess.Board, seed: int, plies: int, number: int = 0) -> bytes:
    rng = random.Random(seed)
    position = parse_fen(board.fen())
    start = pack_position(position)
    moves, scores = array("H"), array("h")
    for _ in range(plies):
        if not any(board.legal_moves):
            break
        move = choose(board, rng)
        moves.append(parse_move(position, board.uci(move)))
        scores.append(rng.choice((-2000, -1500, -1499, 0, 35, 1499, 1500, 32000)))
        board.push(move)
        position.advance(moves[-1])
    return pack_game(number, rng.choice((-1, 0, 1)), 7, start, moves.tobytes(), scores.tobytes())


def end_of(game: GameRecord) -> Position:
    *_, position = unpack_position(game.start), *game.positions()
    return position


_BY_RULE = {Ending.CHECKMATE, Ending.STALEMATE, Ending.INSUFFICIENT, Ending.FIFTY_MOVES, Ending.REPETITION}


def verify(game: GameRecord) -> None:
    """Replay a game. Raises GameFileError at an illegal move, or if it did not end as recorded."""
    position = end_of(game)
    moves = legal_moves(position)
    mated = not moves and bool(position.checkers)
    found = {
        Ending.CHECKMATE: mated,
        Ending.STALEMATE: not moves and not mated,
        Ending.INSUFFICIENT: position.is_insufficient(),
        Ending.FIFTY_MOVES: position.is_fifty_moves(),
        Ending.REPETITION: position.is_repetition(0),
    }
    ending = list(Ending)[game.ending]
    if (ending in _BY_RULE and not found[ending]) or (ending not in _BY_RULE and any(found.values())):
        raise GameFileError(f"game {game.number}: not an ending by {ending.value}")
    expected = (1 if position.side else -1) if mated else 0
    if ending is not Ending.CLEAR_WIN and game.result != expected:
        raise GameFileError(f"game {game.number}: the result is {expected}, not {game.result}")


def write_games(path: Path, count: int, plies: int = 40, seed: int = 0) -> Path:
    bodies = []
    for number in range(count):
        rng = random.Random(seed + number)
        board = chess.Board()
        position = parse_fen(board.fen())
        start = pack_position(position)
        moves, scores = array("H"), array("h")
        while len(moves) < plies and any(board.legal_moves):
            move = choose(board, rng)
            ahead = len(board.piece_map()) and _ahead(board)
            moves.append(parse_move(position, board.uci(move)))
            scores.append(100 * ahead)
            board.push(move)
            position.advance(moves[-1])
        ahead = _ahead(board) * (1 if board.turn else -1)
        result = (ahead > 0) - (ahead < 0)
        bodies.append(pack_game(number, result, 7, start, moves.tobytes(), scores.tobytes()))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(GAMES.pack_header({"seed": seed, "nodes": 1}) + pack_block(bodies))
    return path


def _ahead(board: chess.Board) -> int:
    own = chess.popcount(board.occupied_co[board.turn])
    return own - chess.popcount(board.occupied_co[not board.turn])


def some_records(count: int, seed: int = 0) -> Records:
    """Records of random positions with 2 to 32 men, some with each side's king on either half."""
    found = np.empty(count, RECORD)
    for number in range(count):
        rng = random.Random(seed + number)
        squares = rng.sample(range(64), rng.randint(2, 32))
        kinds = [5, 13, *(rng.choice((0, 1, 2, 3, 4)) + 8 * rng.randint(0, 1) for _ in squares[2:])]
        men = sorted(zip(squares, kinds, strict=True))
        packed = sum(piece << 4 * place for place, (_, piece) in enumerate(men))
        found[number] = (
            sum(1 << square for square, _ in men),
            list(packed.to_bytes(16, "little")),
            rng.randint(-400, 400),
            rng.randint(0, 2),
            rng.randint(0, 255),
            number,
        )
    return found


def corpus_of(found: Records, held_out: int, blocks: int = 1) -> Corpus:
    """A generation of these records, the learned ones in so many blocks, the slope being 0.005."""
    apart = found["game"] % held_out == held_out - 1
    scratch = Scratch(io.BytesIO())
    parts = np.array_split(found[~apart], blocks)
    places = [Block(0, scratch.append(part), len(part)) for part in parts]
    return Corpus([Generation("some", SUFFIX, [], 0.005, found[apart])], places, scratch)


def all_records(corpus: Corpus) -> Records:
    """Those held out are last."""
    held_out = [each.held_out for each in corpus.generations]
    return np.concatenate([corpus.examples(corpus.blocks, 0, 0).records, *held_out])


def read_corpus(
    folders: list[Path],
    suffix: str = SUFFIX,
    before: Corpus | None = None,
    held_out: int = NONE_HELD_OUT,
    say: Callable[[str], object] = print,
) -> Corpus:
    contents = None if before is None else before.contents()
    sources = [(folder, suffix) for folder in folders]
    return positions.load(sources, 2, held_out, Scratch(io.BytesIO()), say, contents)
