"""The value of a network, computed from lists of men, exact fractions and whole matrices."""

from fractions import Fraction

import chess
import numpy as np

from eval.network_file import NetworkWeights
from tests.eval.ending_oracle import FULL_SCALE, LIMIT, drawn_scale, is_won
from tests.eval.seen import pair

FEW = 12  # men with which drawn endings are scaled


class NetworkOracle:
    def __init__(self, weights: NetworkWeights) -> None:
        self._weights = weights
        numbers = np.array(weights.numbers, np.int64)
        inputs = 768 * (1 + max(weights.king_places[square] for square in range(64) if square % 8 < 4))
        rows = numbers[: (inputs + 1) * weights.width].reshape(inputs + 1, weights.width)
        self._rows, self._biases = rows[:-1], rows[-1]
        self._outputs = numbers[(inputs + 1) * weights.width :].reshape(8, 2, weights.width)

    def value(self, board: chess.Board) -> int | None:
        """Centipawns for the mover; None for what rules of won endings decide."""
        weights = self._weights
        if weights.won_endings and (is_won(board, chess.WHITE) or is_won(board, chess.BLACK)):
            return None
        men = len(board.piece_map())
        value = self.in_bucket(board, (men - 1) // 4)
        if weights.drawish_endings and men <= FEW:
            scale = drawn_scale(board, board.turn if value > 0 else not board.turn)
            value = int(value * Fraction(scale, FULL_SCALE))
        return value

    def in_bucket(self, board: chess.Board, bucket: int) -> int:
        total = 0
        for half, colour in enumerate((board.turn, not board.turn)):
            units = np.clip(self.units(board, colour), 0, 255)
            total += int((units * units * self._outputs[bucket, half]).sum())
        logit = Fraction(int(Fraction(total, 255)) + self._weights.output_biases[bucket], 255 * 64)
        return max(-LIMIT, min(LIMIT, int(logit * self._weights.scale)))

    def units(self, board: chess.Board, colour: bool) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        king = board.king(colour)
        assert king is not None
        right = chess.square_file(king) > 3

        def seen(square: int) -> int:
            file, rank = pair(square)
            return 8 * (rank if colour else 7 - rank) + (7 - file if right else file)

        bucket = self._weights.king_places[seen(king)]
        active = [
            768 * bucket + 384 * (piece.color != colour) + 64 * (piece.piece_type - 1) + seen(square)
            for square, piece in board.piece_map().items()
        ]
        found: np.ndarray[tuple[int], np.dtype[np.int64]] = self._rows[active].sum(axis=0) + self._biases
        return found
