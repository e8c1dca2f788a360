from engine.board.bitboard cimport i64
from engine.board.position cimport Position
from engine.board.movegen cimport MoveStack, count_moves, generate

cdef long long _walk(Position pos, MoveStack ms, int start, int depth) noexcept nogil
cdef long long _released(Position pos, MoveStack ms, int depth)
