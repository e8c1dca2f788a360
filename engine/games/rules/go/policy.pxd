cimport cython
from libc.math cimport exp
from engine.system.bits cimport *
from engine.games.rules.compiled_state cimport Moves, Priors, mixed
from engine.games.rules.go.board cimport *
from engine.games.rules.go.tactics cimport GoTactics

cdef int _FARTHEST, _FREE, _MOST_LINE
cdef enum:
    AT_PASS = 0
    AT_OWN_EYE = 2
    AT_CAPTURE = 3
    AT_EXTENSION = 8
    AT_SELF_ATARI = 12
    AT_ATARI = 15
    AT_TWO_LEFT = 18
    AT_RELIEF = 20
    AT_LIBERTIES = 21
    AT_LAST = 26
    AT_BEFORE = 42
    AT_LINE = 58
    SMALL = 88
cdef U64 THREE, BIG
cdef int _MARGIN, _WIDE, _PLACES
cdef int PLACE[48]   # of a large pattern: from the middle of `padded`
cdef int IMAGE[384]  # by image and place: the place it comes to
cdef int ENDS[5]     # by size: how many places
cdef U64 KEYS[256]   # by colour and place, 64 places each

@cython.final
cdef class Observer:
    cdef U64 found[32]
    cdef int count
    cdef int liberties[441]          # by head, up to _FREE
    cdef signed char padded[1024]    # the board with a wide edge
    cdef int stamps[441]
    cdef int stamp, free

    cdef void prepare(self, GoTactics state) noexcept nogil
    cdef void observe(self, GoTactics state, int move) noexcept nogil
    cdef void _add(self, U64 feature) noexcept nogil
    cdef void _clear(self) noexcept nogil
    cdef void _note(self, int p) noexcept nogil
    cdef void _count_string(self, GoTactics state, int head, int taken) noexcept nogil
    cdef int _freedom(self, GoTactics state, int p, int colour) noexcept nogil
    cdef void _see_tactics(self, GoTactics state, int p, int colour) noexcept nogil
    cdef int _at_once(self, GoTactics state, int p, int colour) noexcept nogil
    cdef int _kind_of_capture(self, GoTactics state, int p, int colour, int taken) noexcept nogil
    cdef bint _saves(self, GoTactics state, int head, int colour) noexcept nogil
    cdef void _see_strings(self, GoTactics state, int p, int colour, int free) noexcept nogil
    @cython.locals(h0=U64, h1=U64, h2=U64, h3=U64, h4=U64, h5=U64, h6=U64, h7=U64, least=U64)
    cdef void _see_patterns(self, GoTactics state, int p, int colour) noexcept nogil

cdef int code_around(GoTactics state, int p, int colour) noexcept nogil
cpdef int canonical_code(int code) noexcept nogil
cpdef int turned(int code) noexcept nogil
cpdef int mirrored(int code) noexcept nogil

cdef int _SLOTS, _MOST

@cython.final
cdef class Policy:
    cdef double small[88]
    cdef U64 keys[65536]
    cdef double values[65536]
    cdef readonly int patterns
    cdef public bint known

    cpdef void set_weight(self, U64 feature, double weight) except *
    cpdef dict probabilities(self, GoTactics state)
    cpdef double weight_of(self, U64 feature) noexcept nogil
    @cython.locals(total=double, worth=double)
    cdef void rate(self, GoTactics state, Observer observer, Moves moves, int count, Priors priors) noexcept nogil
    cdef int _slot(self, U64 feature) noexcept nogil

cpdef tuple observed(GoTactics state)

cdef Policy _learned
