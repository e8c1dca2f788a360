cimport cython
from engine.board.move cimport is_quiet
from engine.board.movegen cimport generate
from engine.board.position cimport Position
from engine.search.constants cimport UNKNOWN
from engine.search.selfplay cimport SelfPlayer
from eval.evaluator cimport Evaluator

@cython.final
cdef class Teacher(Evaluator):
    cdef SelfPlayer player
