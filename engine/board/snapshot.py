"""A position without the moves that led to it: what a game tree of many positions can afford to keep."""

from engine.board.position import Position


class Snapshot:
    """One position in some 300 bytes; a Position, with room for the moves of a game, takes 40,000.

    `side`, `halfmoves` and `key` are those of the position.
    """

    def __init__(self, position: Position) -> None:
        self.by_type = [0] * 6
        self.by_colour = [0] * 2
        self.board = [0] * 64
        self.rook_home = [-1] * 4
        self.castling_empty = [0] * 4
        self.castling_safe = [0] * 4
        self.rights_kept = [15] * 64
        self._take(position)

    def position(self) -> Position:
        """The position, as if the game had begun there: nothing can be taken back, nothing has recurred."""
        position = Position()
        for i in range(6):
            position.by_type[i] = self.by_type[i]
        for i in range(2):
            position.by_colour[i] = self.by_colour[i]
        for i in range(64):
            position.board[i] = self.board[i]
            position.rights_kept[i] = self.rights_kept[i]
        for i in range(4):
            position.rook_home[i] = self.rook_home[i]
            position.castling_empty[i] = self.castling_empty[i]
            position.castling_safe[i] = self.castling_safe[i]
        position.side = self.side
        position.castling = self.castling
        position.en_passant = self.en_passant
        position.halfmoves = self.halfmoves
        position.base_ply = self.ply
        position.key = self.key
        position.pawn_key = self.pawn_key
        position.checkers = self.checkers
        return position

    def _take(self, position: Position) -> None:
        """Copy all but the history."""
        for i in range(6):
            self.by_type[i] = position.by_type[i]
        for i in range(2):
            self.by_colour[i] = position.by_colour[i]
        for i in range(64):
            self.board[i] = position.board[i]
            self.rights_kept[i] = position.rights_kept[i]
        for i in range(4):
            self.rook_home[i] = position.rook_home[i]
            self.castling_empty[i] = position.castling_empty[i]
            self.castling_safe[i] = position.castling_safe[i]
        self.side = position.side
        self.castling = position.castling
        self.en_passant = position.en_passant
        self.halfmoves = position.halfmoves
        self.ply = position.base_ply + position.height
        self.key = position.key
        self.pawn_key = position.pawn_key
        self.checkers = position.checkers
