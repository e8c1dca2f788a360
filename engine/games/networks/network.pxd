cimport cython
from libc.math cimport tanhf
from engine.games.networks.convolution cimport collect, multiply, spread


cdef int _TOGETHER, _POINTS, _PANEL

@cython.locals(scale=float, i=Py_ssize_t)
cpdef void dequantise(const signed char[::1] stored, const float[::1] scales, float[::1] out)

@cython.final
cdef class PolicyNetwork:
    cdef readonly object shape
    cdef readonly int rows, columns
    cdef int _planes, _inputs, _channels, _blocks, _pooled, _hidden
    cdef int _down, _across, _width, _squares, _most
    cdef Py_ssize_t _rest
    cdef float[::1] _weights
    cdef float[::1] _seen
    cdef float[::1] _x
    cdef float[::1] _inner
    cdef float[::1] _points
    cdef float[::1] _products
    cdef float[::1] _features
    cdef float[::1] _judged
    cdef float[::1] _means
    cdef float[::1] _base
    cdef float[::1] _units

    @cython.locals(first=int)
    cpdef void evaluate(self, const float[::1] planes, int count, float[::1] policy, float[::1] values)
    @cython.locals(size=Py_ssize_t, places=Py_ssize_t, bias=Py_ssize_t)
    cdef void evaluate_some(self, const float[::1] planes, Py_ssize_t first, int count, float[::1] policy, float[::1] values) noexcept nogil
    @cython.locals(to=Py_ssize_t, place=Py_ssize_t, total=double, a=double, b=double)
    cdef Py_ssize_t _transform(self, const float[::1] given, Py_ssize_t at, Py_ssize_t to, int inputs, int filled, const double[::1] basis)
    cdef Py_ssize_t _pack(self, const float[::1] given, Py_ssize_t at, Py_ssize_t to, int inputs, int outputs) noexcept nogil
    cdef void _copy(self, const float[::1] given, Py_ssize_t at, Py_ssize_t to, Py_ssize_t count) noexcept nogil
    @cython.locals(at=Py_ssize_t, to=Py_ssize_t)
    cdef void _look(self, const float[::1] planes, Py_ssize_t first, int position) noexcept nogil
    @cython.locals(weight=Py_ssize_t)
    cdef Py_ssize_t _convolve_all(self, int count) noexcept nogil
    @cython.locals(tiles=int, distance=int, size=int)
    cdef Py_ssize_t _convolve(self, const float[::1] x, int inputs, Py_ssize_t weight, bint adds, float[::1] out, int count) noexcept nogil
    @cython.locals(at=Py_ssize_t, unit=float, zero=float)
    cdef void _pool(self, int position, Py_ssize_t bias) noexcept nogil
    @cython.locals(at=Py_ssize_t, to=Py_ssize_t, weight=Py_ssize_t, total=float, unit=float, zero=float)
    cdef void _judge_moves(self, int position, float[::1] policy, Py_ssize_t first, Py_ssize_t bias) noexcept nogil
    @cython.locals(weight=Py_ssize_t, total=float, mean=float, zero=float)
    cdef float _value(self) noexcept nogil
