cimport cython
from libc.math cimport tanhf
from engine.games.compiled.convolution cimport convolve


cdef int OUTPUTS, _PLAN

@cython.final
cdef class PolicyNetwork:
    cdef readonly object shape
    cdef readonly int rows, columns
    cdef int _planes, _channels, _blocks, _pooled, _hidden
    cdef int _stride
    cdef Py_ssize_t _rest
    cdef float[::1] _weights
    cdef int[::1] _plans
    cdef float[::1] _seen
    cdef float[::1] _x
    cdef float[::1] _inner
    cdef float[::1] _y
    cdef float[::1] _features
    cdef float[::1] _means

    cpdef void evaluate(self, const float[::1] planes, int count, float[::1] policy, float[::1] values)
    @cython.locals(to=Py_ssize_t)
    cdef Py_ssize_t _pack(self, const float[::1] given, Py_ssize_t at, int inputs, int outputs) noexcept nogil
    cdef void _copy(self, const float[::1] given, Py_ssize_t at, Py_ssize_t to, Py_ssize_t count) noexcept nogil
    @cython.locals(at=Py_ssize_t, to=Py_ssize_t)
    cdef void _look(self, const float[::1] planes, Py_ssize_t first) noexcept nogil
    cdef void _convolve_all(self) noexcept nogil
    @cython.locals(plan=Py_ssize_t)
    cdef void _convolve(self, int layer, const float[::1] x, const float[::1] added, float[::1] out) noexcept nogil
    @cython.locals(at=Py_ssize_t)
    cdef void _clear_edges(self, float[::1] out) noexcept nogil
    @cython.locals(plan=Py_ssize_t)
    cdef void _project(self, int layer) noexcept nogil
    @cython.locals(at=Py_ssize_t, total=float, most=float, zero=float)
    cdef void _pool(self) noexcept nogil
    @cython.locals(at=Py_ssize_t, to=Py_ssize_t, weight=Py_ssize_t, bias=Py_ssize_t, total=float)
    cdef void _judge_moves(self, float[::1] policy, Py_ssize_t first) noexcept nogil
    @cython.locals(weight=Py_ssize_t, total=float, unit=float, zero=float)
    cdef float _value(self) noexcept nogil
