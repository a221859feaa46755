#include "core/twofold_rows.h"

#include <string.h>

enum {
    ROWS_BLOCK = 8,
    /* Between two normalisations. Until then the low parts of the sum grow to
     * at most ROWS_STEPS + 4 units of 2^-53 of it, so that each of the two
     * additions to them loses (ROWS_STEPS + 4) 2^-106 at most, and the
     * product, which is below 2^-51 of its high part, less than 8 2^-106: in
     * total less than NB_TWOFOLD_ROWS_ERROR. */
    ROWS_STEPS = 16
};

typedef double pair __attribute__((vector_size(16)));

/* What every machine has, in vectors of two. */
#define ROWS_NAME(name) plain_##name
#define ROWS_TARGET
#define ROWS_VECTOR     pair
#define ROWS_LANES      2
#define ROWS_EVEN(a, b) __builtin_shufflevector(a, b, 0, 2)
#define ROWS_ODD(a, b)  __builtin_shufflevector(a, b, 1, 3)
#ifdef FP_FAST_FMA
#define ROWS_SPLIT
#define ROWS_REST(error, product, high)                                        \
    error = (pair)                                                             \
    {                                                                          \
        fma(factor_high[0], (high)[0], -(product)[0]),                         \
            fma(factor_high[1], (high)[1], -(product)[1])                      \
    }
#else
/* The exact error of a product by halves of 26 bits. Source: [Dekker1971]. */
#define HALF(high, a)                                                          \
    ((high) = (a)*0x8000001p0, (high) = (high) - ((high) - (a)))
#define ROWS_SPLIT                                                             \
    pair factor_top;                                                           \
    HALF(factor_top, factor_high);                                             \
    const pair factor_end = factor_high - factor_top
#define ROWS_REST(error, product, high)                                        \
    do {                                                                       \
        pair top;                                                              \
        HALF(top, high);                                                       \
        const pair half = high - top;                                          \
        error = ((factor_top * top - product) + factor_top * half +            \
                 factor_end * top) +                                           \
                factor_end * half;                                             \
    } while (0)
#endif
#include "core/twofold_rows.inc"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
typedef double quad __attribute__((vector_size(32)));
#define ROWS_FUSED
#define ROWS_NAME(name) fused_##name
#define ROWS_TARGET     __attribute__((target("avx2,fma")))
#define ROWS_VECTOR     quad
#define ROWS_LANES      4
#define ROWS_EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define ROWS_ODD(a, b)  __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define ROWS_SPLIT
#define ROWS_REST(error, product, high)                                        \
    error = (quad)_mm256_fmsub_pd((__m256d)factor_high, (__m256d)high,         \
                                  (__m256d)product)
#include "core/twofold_rows.inc"
#endif

#ifdef ROWS_FUSED
/* The fused functions give the same results, faster. */
static bool rows_are_fused(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static void rows_sums(size_t inner, const struct nb_twofold *factor,
                      const struct nb_twofold *rows, ptrdiff_t step,
                      double unit, struct nb_twofold *out)
{
#ifdef ROWS_FUSED
    if (rows_are_fused()) {
        fused_sums(inner, factor, rows, step, unit, out);
        return;
    }
#endif
    for (int b = 0; b < ROWS_BLOCK; b += 4)
        plain_sums(inner, factor, rows + b, step, unit, out + b);
}

static void rows_dots(size_t inner, const struct nb_twofold *factors,
                      ptrdiff_t factors_step, const struct nb_twofold *rows,
                      ptrdiff_t step, double unit, struct nb_twofold *out)
{
#ifdef ROWS_FUSED
    if (rows_are_fused()) {
        fused_dots(inner, factors, factors_step, rows, step, unit, out);
        return;
    }
#endif
    for (int b = 0; b < ROWS_BLOCK; b += 4)
        plain_dots(inner, factors + b, factors_step, rows + b, step, unit,
                   out + b);
}

typedef struct nb_twofold rows_block[ROWS_BLOCK];

/* A part of a block, and zeros, since nothing may be read beyond. */
static void rows_copy(const struct nb_twofold *rows, ptrdiff_t step, size_t n,
                      size_t count, rows_block *out)
{
    for (size_t k = 0; k < count; k++, rows += step)
        for (size_t b = 0; b < ROWS_BLOCK; b++)
            out[k][b] = b < n ? rows[b] : (struct nb_twofold){ 0 };
}

/* Fewer sums than a block. */
static void rows_few_sums(size_t inner, const struct nb_twofold *factor,
                          const struct nb_twofold *rows, ptrdiff_t step,
                          size_t n, double unit, struct nb_twofold *out)
{
    rows_block copy[ROWS_STEPS], block;
    rows_copy(out, 0, n, 1, &block);
    for (size_t a = 0; a < inner; a += ROWS_STEPS) {
        const size_t count = inner - a < ROWS_STEPS ? inner - a : ROWS_STEPS;
        rows_copy(rows + (ptrdiff_t)a * step, step, n, count, copy);
        rows_sums(count, factor + a, copy[0], ROWS_BLOCK, unit, block);
    }
    memcpy(out, block, n * sizeof *out);
}

void nb_twofold_sums(size_t inner, const struct nb_twofold *factor,
                     const struct nb_twofold *rows, ptrdiff_t step, size_t n,
                     double unit, struct nb_twofold *out)
{
    size_t b = 0;
    for (; b + ROWS_BLOCK <= n; b += ROWS_BLOCK)
        rows_sums(inner, factor, rows + b, step, unit, out + b);
    if (b == n)
        return;
    if (n < ROWS_BLOCK) {
        rows_few_sums(inner, factor, rows, step, n, unit, out);
        return;
    }
    /* The last block overlaps the one before, whose results are kept. */
    rows_block block;
    const size_t start = n - ROWS_BLOCK, kept = b - start;
    memcpy(block, out + start, sizeof block);
    rows_sums(inner, factor, rows + start, step, unit, block);
    memcpy(out + b, block + kept, (n - b) * sizeof *block);
}

void nb_twofold_dots(size_t inner, const struct nb_twofold *factors,
                     ptrdiff_t factors_step, const struct nb_twofold *rows,
                     ptrdiff_t step, size_t n, double unit,
                     struct nb_twofold *out)
{
    size_t b = 0;
    for (; b + ROWS_BLOCK <= n; b += ROWS_BLOCK)
        rows_dots(inner, factors + b, factors_step, rows + b, step, unit,
                  out + b);
    for (size_t a = 0; b < n && a < inner; a++) {
        const ptrdiff_t at = (ptrdiff_t)a;
        rows_block left, right, block;
        rows_copy(factors + at * factors_step + b, 0, n - b, 1, &left);
        rows_copy(rows + at * step + b, 0, n - b, 1, &right);
        rows_copy(out + b, 0, n - b, 1, &block);
        rows_dots(1, left, 0, right, 0, unit, block);
        memcpy(out + b, block, (n - b) * sizeof *out);
    }
}

void nb_twofold_convolve(const struct nb_twofold *x, size_t terms,
                         const struct nb_twofold *first, size_t begin,
                         size_t end, double unit, struct nb_twofold *sum)
{
    /* From the top, since each sum needs those before it. */
    while (end > begin) {
        const size_t rest = end - begin;
        const size_t width = rest < ROWS_BLOCK ? rest : ROWS_BLOCK;
        const size_t start = end - width;
        const size_t inner = start + 1 < terms ? start + 1 : terms;
        struct nb_twofold block[ROWS_BLOCK] = { 0 };
        if (first != NULL)
            memcpy(block, first + start, width * sizeof *block);
        nb_twofold_sums(inner, x, sum + start, -1, width, unit, block);
        /* What reaches below the first sum of the block. */
        for (size_t b = 1; b < width; b++)
            for (size_t m = inner; m < terms && m <= start + b; m++)
                nb_twofold_sums(1, x + m, sum + start + b - m, 1, 1, unit,
                                block + b);
        memcpy(sum + start, block, width * sizeof *block);
        end = start;
    }
}
