# The product that a network spends its time in, for 16 outputs and some squares at a time, whose sums stay in
# registers. GNU's vectors have the width of the processor's; other compilers take plain loops.
cdef extern from *:
    """
    #define LOLLI_OUTPUTS 16
    #if defined(__GNUC__)
    #if defined(__AVX512F__)
    #define LOLLI_WIDTH 16
    #define LOLLI_SQUARES 9
    #elif defined(__AVX__)
    #define LOLLI_WIDTH 8
    #define LOLLI_SQUARES 6
    #elif defined(__aarch64__)
    #define LOLLI_WIDTH 4
    #define LOLLI_SQUARES 6
    #else
    #define LOLLI_WIDTH 4
    #define LOLLI_SQUARES 3
    #endif
    typedef float lolli_vector __attribute__((vector_size(4 * LOLLI_WIDTH), aligned(4), may_alias));
    #define LOLLI_SET(sum, number) sum = (lolli_vector){0} + (number)
    #define LOLLI_AT(address) (*(lolli_vector *)(address))
    #define LOLLI_GET(address) (*(const lolli_vector *)(address))
    #else
    #define LOLLI_WIDTH 1
    #define LOLLI_SQUARES 1
    typedef float lolli_vector;
    #define LOLLI_AT(address) (*(address))
    #define LOLLI_GET(address) (*(address))
    #endif
    #define LOLLI_VECTORS (LOLLI_OUTPUTS / LOLLI_WIDTH)

    static void lolli_convolve(
        const float *x, const float *weights, const float *added, float *out, const int *plan)
    {
        const int inputs = plan[4], outputs = plan[5], squares = plan[6], adds = plan[7], tap_count = plan[8];
        const int *taps = plan + 9;
        const float *bias = weights + plan[2];
        x += plan[0];
        weights += plan[1];
        added += plan[3];
        out += plan[3];
        for (int first = 0; first < squares; first += LOLLI_SQUARES) {
            if (first + LOLLI_SQUARES > squares && squares >= LOLLI_SQUARES)
                first = squares - LOLLI_SQUARES;
            lolli_vector sums[LOLLI_SQUARES][LOLLI_VECTORS];
            const float *weight = weights;
            for (int i = 0; i < LOLLI_SQUARES; i++)
                for (int j = 0; j < LOLLI_VECTORS; j++)
                    sums[i][j] = LOLLI_GET(bias + j * LOLLI_WIDTH);
            for (int tap = 0; tap < tap_count; tap++) {
                const float *from = x + taps[tap] + first * inputs;
                for (int input = 0; input < inputs; input++) {
                    for (int j = 0; j < LOLLI_VECTORS; j++) {
                        lolli_vector factor = LOLLI_GET(weight + j * LOLLI_WIDTH);
                        for (int i = 0; i < LOLLI_SQUARES; i++)
                            sums[i][j] += from[i * inputs + input] * factor;
                    }
                    weight += LOLLI_OUTPUTS;
                }
            }
            for (int i = 0; i < LOLLI_SQUARES; i++) {
                float *to = out + (first + i) * outputs;
                for (int j = 0; j < LOLLI_VECTORS; j++) {
                    if (adds)
                        sums[i][j] += LOLLI_GET(added + (first + i) * outputs + j * LOLLI_WIDTH);
                    LOLLI_AT(to + j * LOLLI_WIDTH) = sums[i][j];
                }
                for (int j = 0; j < LOLLI_OUTPUTS; j++)
                    to[j] = to[j] > 0.0f ? to[j] : 0.0f;
            }
        }
    }
    """
    void lolli_convolve(const float *x, const float *weights, const float *added, float *out, const int *plan) noexcept nogil

cdef inline void convolve(const float[::1] x, const float[::1] weights, const float[::1] added, float[::1] out, const int[::1] plans, Py_ssize_t plan) noexcept nogil:
    lolli_convolve(&x[0], &weights[0], &added[0], &out[0], &plans[plan])
