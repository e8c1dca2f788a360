# What convolution.py has in Python. GNU's vectors have the width of the processor's, and the sums of a product
# stay in registers; other compilers take plain loops.
cdef extern from *:
    """
    #define LOLLI_PANEL 16
    #if defined(__GNUC__)
    #if defined(__AVX512F__)
    #define LOLLI_WIDTH 16
    #define LOLLI_ROWS 9
    #elif defined(__AVX__)
    #define LOLLI_WIDTH 8
    #define LOLLI_ROWS 6
    #elif defined(__aarch64__)
    #define LOLLI_WIDTH 4
    #define LOLLI_ROWS 6
    #else
    #define LOLLI_WIDTH 4
    #define LOLLI_ROWS 3
    #endif
    typedef float lolli_vector __attribute__((vector_size(4 * LOLLI_WIDTH), aligned(4), may_alias));
    typedef int lolli_mask __attribute__((vector_size(4 * LOLLI_WIDTH), aligned(4), may_alias));
    #define LOLLI_POSITIVE(sum) ((lolli_vector)((lolli_mask)(sum) & ((sum) > (lolli_vector){0})))
    #define LOLLI_UNROLL _Pragma("GCC unroll 16")
    #else
    #define LOLLI_WIDTH 1
    #define LOLLI_ROWS 1
    typedef float lolli_vector;
    #define LOLLI_POSITIVE(sum) ((sum) > 0.0f ? (sum) : 0.0f)
    #define LOLLI_UNROLL
    #endif
    #define LOLLI_VECTORS (LOLLI_PANEL / LOLLI_WIDTH)
    #define LOLLI_AT(address) (*(lolli_vector *)(address))
    #define LOLLI_GET(address) (*(const lolli_vector *)(address))

    static void lolli_multiply(const float *x, const float *weights, float *out, int rows, int inputs, int outputs)
    {
        for (int panel = 0; panel < outputs; panel += LOLLI_PANEL, weights += inputs * LOLLI_PANEL)
            for (int row = 0; row < rows; row += LOLLI_ROWS) {
                const float *from = x + row * inputs, *weight = weights;
                float *to = out + row * outputs + panel;
                lolli_vector sums[LOLLI_ROWS][LOLLI_VECTORS] = {0};
                for (int input = 0; input < inputs; input++, weight += LOLLI_PANEL) {
                    LOLLI_UNROLL
                    for (int j = 0; j < LOLLI_VECTORS; j++) {
                        lolli_vector factor = LOLLI_GET(weight + j * LOLLI_WIDTH);
                        LOLLI_UNROLL
                        for (int i = 0; i < LOLLI_ROWS; i++)
                            sums[i][j] += from[i * inputs + input] * factor;
                    }
                }
                LOLLI_UNROLL
                for (int i = 0; i < LOLLI_ROWS; i++)
                    LOLLI_UNROLL
                    for (int j = 0; j < LOLLI_VECTORS; j++)
                        LOLLI_AT(to + i * outputs + j * LOLLI_WIDTH) = sums[i][j];
            }
    }

    static inline void lolli_spread_line(
        lolli_vector a, lolli_vector b, lolli_vector c, lolli_vector d, lolli_vector e, lolli_vector *to)
    {
        to[0] = 2.0f * (a - c) + d - b;
        to[1] = d - c - 2.0f * b;
        to[2] = 2.0f * b - 3.0f * c + d;
        to[3] = d - b;
        to[4] = 2.0f * (b - d) - c + e;
    }

    static void lolli_spread(const float *x, float *tiles, int down, int across, int channels, int distance)
    {
        const int width = (3 * across + 2) * channels;
        for (int row = 0; row < down; row++)
            for (int column = 0; column < across; column++)
                for (int channel = 0; channel < channels; channel += LOLLI_WIDTH) {
                    const float *from = x + 3 * row * width + 3 * column * channels + channel;
                    float *to = tiles + (row * across + column) * channels + channel;
                    lolli_vector lines[5][5], line[5];
                    for (int i = 0; i < 5; i++) {
                        const float *at = from + i * width;
                        lolli_spread_line(
                            LOLLI_GET(at), LOLLI_GET(at + channels), LOLLI_GET(at + 2 * channels),
                            LOLLI_GET(at + 3 * channels), LOLLI_GET(at + 4 * channels), lines[i]);
                    }
                    for (int j = 0; j < 5; j++) {
                        lolli_spread_line(lines[0][j], lines[1][j], lines[2][j], lines[3][j], lines[4][j], line);
                        for (int i = 0; i < 5; i++)
                            LOLLI_AT(to + (5 * i + j) * distance) = line[i];
                    }
                }
    }

    static inline void lolli_collect_line(
        lolli_vector a, lolli_vector b, lolli_vector c, lolli_vector d, lolli_vector e, lolli_vector *to)
    {
        to[0] = a + b + c + d;
        to[1] = b - c + 2.0f * d;
        to[2] = b + c + 4.0f * d + e;
    }

    static void lolli_collect(
        const float *tiles, const float *bias, const float *added, float *out, int rows, int columns, int channels,
        int distance)
    {
        const int down = (rows + 2) / 3, across = (columns + 2) / 3, width = (3 * across + 2) * channels;
        for (int row = 0; row < down; row++)
            for (int column = 0; column < across; column++) {
                const int high = rows - 3 * row < 3 ? rows - 3 * row : 3;
                const int wide = columns - 3 * column < 3 ? columns - 3 * column : 3;
                for (int channel = 0; channel < channels; channel += LOLLI_WIDTH) {
                    const float *from = tiles + (row * across + column) * channels + channel;
                    const int place = (3 * row + 1) * width + (3 * column + 1) * channels + channel;
                    const lolli_vector zero = LOLLI_GET(bias + channel);
                    lolli_vector lines[5][3], line[3];
                    for (int i = 0; i < 5; i++) {
                        const float *at = from + 5 * i * distance;
                        lolli_collect_line(
                            LOLLI_GET(at), LOLLI_GET(at + distance), LOLLI_GET(at + 2 * distance),
                            LOLLI_GET(at + 3 * distance), LOLLI_GET(at + 4 * distance), lines[i]);
                    }
                    for (int j = 0; j < wide; j++) {
                        lolli_collect_line(lines[0][j], lines[1][j], lines[2][j], lines[3][j], lines[4][j], line);
                        for (int i = 0; i < high; i++) {
                            const int at = place + i * width + j * channels;
                            lolli_vector sum = line[i] + zero;
                            if (added)
                                sum += LOLLI_GET(added + at);
                            LOLLI_AT(out + at) = LOLLI_POSITIVE(sum);
                        }
                    }
                }
            }
    }
    """
    void lolli_multiply(const float *x, const float *weights, float *out, int rows, int inputs, int outputs) noexcept nogil
    void lolli_spread(const float *x, float *tiles, int down, int across, int channels, int distance) noexcept nogil
    void lolli_collect(const float *tiles, const float *bias, const float *added, float *out, int rows, int columns, int channels, int distance) noexcept nogil

cdef inline void multiply(const float[::1] x, Py_ssize_t first, const float[::1] weights, Py_ssize_t weight, float[::1] out, Py_ssize_t to, int rows, int inputs, int outputs) noexcept nogil:
    lolli_multiply(&x[first], &weights[weight], &out[to], rows, inputs, outputs)

cdef inline void spread(const float[::1] x, Py_ssize_t first, float[::1] tiles, Py_ssize_t to, int down, int across, int channels, int distance) noexcept nogil:
    lolli_spread(&x[first], &tiles[to], down, across, channels, distance)

cdef inline void collect(const float[::1] tiles, Py_ssize_t first, const float[::1] weights, Py_ssize_t bias, bint adds, float[::1] out, Py_ssize_t to, int rows, int columns, int channels, int distance) noexcept nogil:
    lolli_collect(&tiles[first], &weights[bias], &out[to] if adds else NULL, &out[to], rows, columns, channels, distance)
