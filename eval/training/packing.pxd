cimport cython
from engine.board.attacks cimport *
from engine.board.bitboard cimport *
from engine.board.move cimport *
from engine.board.movegen cimport MoveStack, generate, threats
from engine.board.packed cimport PackedReader
from engine.board.position cimport Position
from eval.evaluator cimport Evaluator
from eval.training.layout cimport *

cdef enum:
    HALVING = 256           # centipawns; from here on steps are coarser after each doubling
    STEPS_A_HALVING = 32
    LINEAR_STEPS = 64
    LONGEST_DIFFERENCE = 9  # bits after the first
    RANKS = 0               # where the contexts of each kind begin
    SCORES = 384
    SIZES = 6144
    BYTES = 8448
    IN_TURN = 12544
    AT_HOME = 12545
    PIECES = 12609
    CONTEXTS = 13633
    ACTIONS = 1024
    DESTINATIONS = 2048
    UNKNOWN = 65536         # the weight of a move of which nothing is known
    MOST_LEAD = 63          # of a move's weight over the next
    RANK_CLASSES = 6
    MOST_SEEN = 255
    MOST_MOVES = 248        # of a position; a game has at most 218
    LAST_ENDING = 7
    WORD = 64               # bits
    LARGEST_SAMPLED_SCORE = 2500    # centipawns
    RECENT = 1024

cdef U64 MIXER

cdef int RATE[256]
cdef signed char HOME[64]

cdef void _fill_tables() noexcept

@cython.final
cdef class GameCoder:
    cdef PackedReader reader
    cdef readonly Position position
    cdef MoveStack stack
    cdef const unsigned char[::1] packed, raw
    cdef unsigned char[::1] out, unpacked, start
    cdef object nothing
    cdef U64[::1] words
    cdef Py_ssize_t at, end, raw_at, row
    cdef U64 low, high, code
    cdef bint packing
    cdef readonly bint failed
    cdef readonly U64 number
    cdef U64 next_number
    cdef readonly int plies, result, ending, move, score
    cdef int last_score, score_before, rank
    cdef unsigned int odds[13633]
    cdef int action_weight[1024]
    cdef int destination_weight[2048]
    cdef int features[256]
    cdef int keys[256]
    cdef U64 checks[8]
    cdef signed char squares[64]

    cpdef bytes unpack(self, const unsigned char[::1] packed, int count, Py_ssize_t plies)
    cpdef Py_ssize_t records(self, const unsigned char[::1] packed, Py_ssize_t count, object words, Py_ssize_t first) except -1
    cdef _begin(self, object packed, object out)
    @cython.locals(at=Py_ssize_t, word=Py_ssize_t, i=int, ply=int)
    cdef void _pack(self) noexcept nogil
    @cython.locals(at=Py_ssize_t, i=int, ply=int)
    cdef void _unpack(self, int count) noexcept nogil
    @cython.locals(ply=int)
    cdef void _write_records(self, Py_ssize_t count) noexcept nogil
    @cython.locals(result=int)
    cdef void _write_record(self, int ply) noexcept nogil
    @cython.locals(word=int)
    cdef int _u16(self, Py_ssize_t at) noexcept nogil
    cdef void _put(self, Py_ssize_t at, int word) noexcept nogil
    @cython.locals(number=U64, i=int, high=int, end=int)
    cdef void code_head(self) noexcept nogil
    @cython.locals(occupied=U64, place=int, square=int, home=int, below=int, i=int, alike=int)
    cdef void _code_start(self) noexcept nogil
    @cython.locals(count=int, played=int)
    cdef void code_ply(self) noexcept nogil
    cdef void advance(self) noexcept nogil
    @cython.locals(us=int, turn=int, occupied=U64, king=int, attacked=U64, men=int, phase=int, i=int, move=int, src=int, dst=int, kind=int, action=int, destination=int, weight=int, key=int, first=int)
    cdef int _weigh(self, int count) noexcept nogil
    @cython.locals(key=int, i=int, second=int, other=int, lead=int, best=int, context=int, chance=int, is_played=int, change=int)
    cdef void _code_move(self, int count) noexcept nogil
    @cython.locals(steps=int, surprise=int, size=int, kind=int, level=int, rank=int, context=int, difference=int, negative=int, length=int)
    cdef void _code_score(self) noexcept nogil
    @cython.locals(found=int, i=int)
    cdef int _digits(self, int size, int length, int context) noexcept nogil
    cdef int _byte(self, int value, int tree) noexcept nogil
    @cython.locals(node=int, i=int)
    cdef int _number(self, int value, int length, int tree) noexcept nogil
    @cython.locals(odds="unsigned int", chance=U64, seen=int, middle=U64)
    cdef int _code(self, int value, int context) noexcept nogil
    cdef void _shift_byte_out(self) noexcept nogil
    cdef void _shift_byte_in(self) noexcept nogil

@cython.locals(size=int, below=int, steps=int)
cpdef int steps_of(int score) noexcept nogil
@cython.locals(size=int, halvings=int)
cpdef int score_of(int steps) noexcept nogil
@cython.locals(black=bint, present=U64, occupied=U64, rank=int, low=U64, high=U64, piece=U64, place=int, first=Py_ssize_t, about=U64)
cdef void write_record(U64[::1] words, Py_ssize_t row, Position position, int score, int result, int ply, U64 game) noexcept nogil

@cython.final
cdef class Sampler(Evaluator):
    cdef Evaluator inner, teacher
    cdef int one_in, capacity
    cdef readonly int count
    cdef U64 game, salt
    cdef U64 recent[1024]       # keys chosen not long ago
    cdef object words
    cdef U64[::1] _word_at

    cdef bint _chooses(self, U64 key) noexcept nogil

@cython.locals(row=Py_ssize_t, at=Py_ssize_t)
cpdef Py_ssize_t first_unsound(const U64[::1] words) noexcept
@cython.locals(left=U64, kings=int, enemies=int, man=int)
cdef bint _is_sound_record(U64 occupied, U64 low, U64 high, U64 rest) noexcept nogil
