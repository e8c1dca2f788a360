cimport cython
from engine.games.rules.backgammon.network cimport is_race

cdef int ROLL, DIRECT, INDIRECT, FIRM, POINTS, OWN_HOME, BAR
cdef double HOME_POINT, PRIME_POINT, ANCHOR, ENTRY, DECIDED

@cython.locals(lead=double)
cdef double counted(signed char* men, int roller) noexcept nogil
cdef int _pips(signed char* men, int side) noexcept nogil
@cython.locals(worth=double)
cdef double _position(signed char* men, int own, int other) noexcept nogil
cdef int _shots(signed char* men, int other, int point) noexcept nogil
