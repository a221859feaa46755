/*
 * Times tails of queues and delays against a general-purpose inversion of their
 * generating functions: values on a circle beyond the unit circle and a fast
 * Fourier transform, in doubles. Both must give the same depth.
 *
 *     bench_queueing [quick]    with "quick", each only a few times
 */
#include "measure.h"
#include "queueing/convolve.h"
#include "queueing/large_deviations.h"
#include "queueing/onoff.h"
#include "queueing/phases.h"
#include "queueing/positive.h"
#include "queueing/slotted.h"
#include "queueing/scaled.h"

#include <complex.h>
#include <gsl/gsl_complex_math.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fft_complex.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

#define QUEUEING_OVERFLOW 1e-15

enum { POINTS = 1024, BURSTY_POINTS = 256, RADIX = 16, BURSTY_RADIX = 32 };

static void queueing_must(enum nb_status status, const struct nb_error *err)
{
    if (status == NB_OK)
        return;
    fprintf(stderr, "bench_queueing: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* The least n with P(X >= n) < overflow from values of the generating
 * function at radius exp(2 pi i m / count), m < count. */
static double queueing_invert(double complex *values, size_t count,
                              double radius)
{
    gsl_fft_complex_radix2_forward((double *)values, 1, count);
    double tail = 0;
    for (size_t n = count; n-- > 0;) {
        tail += creal(values[n]) / (double)count * pow(radius, -(double)n);
        if (tail >= QUEUEING_OVERFLOW)
            return (double)n + 1;
    }
    return 0;
}

/* Q(z)^hops for radix Bernoulli inputs. */
static double queueing_peer(double load, int hops, double radius)
{
    static double complex values[POINTS];
    const double p = load / RADIX;
    for (size_t m = 0; m < POINTS; m++) {
        const double complex z =
            radius * cexp(2 * M_PI * I * (double)m / POINTS);
        const double complex a = cpow(1 - p + p * z, RADIX);
        values[m] = cpow((1 - load) * (z - 1) * a / (z - a), hops);
    }
    return queueing_invert(values, POINTS, radius);
}

static double queueing_ours(struct nb_queue_load load, size_t hops)
{
    struct nb_error err = { 0 };
    struct nb_inputs inputs = { 0 };
    struct nb_distribution queue = { 0 }, delay = { 0 };
    const struct nb_distribution *parts[8];
    queueing_must(nb_inputs_bernoulli(load, RADIX, &inputs, &err), &err);
    queueing_must(nb_slotted_law(&inputs, &queue, &err), &err);
    double depth = nb_distribution_depth(&queue, QUEUEING_OVERFLOW).upper;
    for (size_t i = 0; i < hops; i++)
        parts[i] = &queue;
    if (hops > 1) {
        const struct nb_distribution_sum sum = { .distributions = parts,
                                                 .count = hops };
        double length = 0;
        queueing_must(
            nb_deviation_depth(&sum, QUEUEING_OVERFLOW, &length, &err), &err);
        queueing_must(nb_distributions_convolve(parts, hops, (size_t)length,
                                                &delay, &err),
                      &err);
        depth = nb_distribution_depth(&delay, QUEUEING_OVERFLOW).upper;
    }
    nb_distribution_release(&delay);
    nb_distribution_release(&queue);
    nb_inputs_release(&inputs);
    return depth;
}

static void queueing_print(const char *name, double ours, double peer,
                           double depth, double other)
{
    printf("%-44s %9.4f %9.4f %8.1f  %4.0f %s\n", name, 1e3 * ours, 1e3 * peer,
           peer / ours, depth, depth == other ? "same" : "DIFFERS");
}

static bool queueing_row(const char *name, struct nb_queue_load load,
                         size_t hops, int times)
{
    double depth = 0, other = 0;
    double start = measure_now();
    for (int i = 0; i < times; i++)
        depth = queueing_ours(load, hops);
    const double ours = (measure_now() - start) / times;
    start = measure_now();
    for (int i = 0; i < times; i++) /* a suitable radius for this load */
        other = queueing_peer(load.rho.high, (int)hops, 1.17);
    queueing_print(name, ours, (measure_now() - start) / times, depth, other);
    return depth == other;
}

/* The generating function of the levels' sum at z: pi(z) (z I - A(z)) =
 * (z - 1) pi_0 A(z) with A(z) = change diag((stay + join z)^senders). */
static double complex bursty_value(const struct nb_phases *phases,
                                   const double *start, double complex z)
{
    const size_t n = phases->count;
    gsl_matrix_complex *matrix = gsl_matrix_complex_alloc(n, n);
    gsl_vector_complex *right = gsl_vector_complex_calloc(n);
    gsl_vector_complex *left = gsl_vector_complex_alloc(n);
    gsl_permutation *pivots = gsl_permutation_alloc(n);
    double complex sum = 0;
    int sign;
    for (size_t j = 0; j < n; j++) {
        const double complex power =
            cpow(phases->stay.high + phases->join.high * z,
                 (double)phases->senders[j]);
        double complex own = 0;
        for (size_t i = 0; i < n; i++) { /* transposed: unknowns are a row */
            const double complex entry =
                nb_scaled_value(phases->change[i * n + j]) * power;
            const double complex cell = (i == j ? z : 0) - entry;
            own += start[i] * entry;
            gsl_matrix_complex_set(matrix, j, i,
                                   gsl_complex_rect(creal(cell), cimag(cell)));
        }
        own *= z - 1;
        gsl_vector_complex_set(right, j,
                               gsl_complex_rect(creal(own), cimag(own)));
    }
    gsl_linalg_complex_LU_decomp(matrix, pivots, &sign);
    gsl_linalg_complex_LU_solve(matrix, pivots, right, left);
    for (size_t j = 0; j < n; j++) {
        const gsl_complex part = gsl_vector_complex_get(left, j);
        sum += GSL_REAL(part) + I * GSL_IMAG(part);
    }
    gsl_matrix_complex_free(matrix);
    gsl_vector_complex_free(right);
    gsl_vector_complex_free(left);
    gsl_permutation_free(pivots);
    return sum;
}

enum { PHASES = BURSTY_RADIX + 1 };

/* down = sum_l A_l down^l in doubles, iterated from 0 until it converges: row j
 * of the sum is change times the row of (stay + join down)^senders_j. */
static void bursty_down(const struct nb_phases *phases,
                        double down[PHASES][PHASES])
{
    static double mixed[PHASES][PHASES], rows[PHASES][PHASES];
    double moved = 1;
    memset(down, 0, sizeof(double[PHASES][PHASES]));
    while (moved > 1e-14) {
        for (size_t i = 0; i < PHASES; i++)
            for (size_t j = 0; j < PHASES; j++)
                mixed[i][j] = phases->join.high * down[i][j] +
                              (i == j ? phases->stay.high : 0);
        for (size_t j = 0; j < PHASES; j++) {
            double row[PHASES] = { 0 };
            row[j] = 1;
            for (size_t s = 0; s < phases->senders[j]; s++) {
                double next[PHASES] = { 0 };
                for (size_t a = 0; a < PHASES; a++)
                    for (size_t b = 0; b < PHASES; b++)
                        next[b] += row[a] * mixed[a][b];
                memcpy(row, next, sizeof row);
            }
            memcpy(rows[j], row, sizeof row);
        }
        moved = 0;
        for (size_t i = 0; i < PHASES; i++)
            for (size_t j = 0; j < PHASES; j++) {
                double sum = 0;
                for (size_t a = 0; a < PHASES; a++)
                    sum += nb_scaled_value(phases->change[i * PHASES + a]) *
                           rows[a][j];
                moved = fmax(moved, fabs(sum - down[i][j]));
                down[i][j] = sum;
            }
    }
}

static double bursty_peer(const struct nb_arrivals *arrivals,
                          struct nb_queue_load load)
{
    static double complex values[BURSTY_POINTS];
    static double down[PHASES][PHASES];
    static struct nb_twofold chain[PHASES * PHASES], first[PHASES];
    double start[PHASES];
    struct nb_error err = { 0 };
    struct nb_phases built = { 0 }, *const phases = &built;
    const double radius = 1.9;
    queueing_must(nb_phases_build(arrivals, load, phases, &err), &err);
    bursty_down(phases, down);
    for (size_t i = 0; i < PHASES * PHASES; i++)
        chain[i] = nb_scaled(nb_twofold_from(down[i / PHASES][i % PHASES]));
    nb_positive_stationary(PHASES, chain, first);
    for (size_t j = 0; j < PHASES; j++)
        start[j] = nb_scaled_value(first[j]) * load.idle.high;
    for (size_t m = 0; m <= BURSTY_POINTS / 2; m++) {
        values[m] = bursty_value(
            phases, start,
            radius * cexp(2 * M_PI * I * (double)m / BURSTY_POINTS));
        if (m > 0)
            values[BURSTY_POINTS - m] = conj(values[m]);
    }
    nb_phases_release(phases);
    return queueing_invert(values, BURSTY_POINTS, radius);
}

static bool bursty_row(struct nb_queue_load load, int times)
{
    const struct nb_arrivals arrivals = { .kind = NB_ARRIVE_ONOFF,
                                          .radix = BURSTY_RADIX,
                                          .burst = { 5, 1 } };
    struct nb_error err = { 0 };
    struct nb_distribution queue = { 0 };
    double depth = 0, other = 0, start = measure_now();
    for (int i = 0; i < times; i++) {
        nb_distribution_release(&queue);
        queueing_must(nb_onoff_law(&arrivals, load, &queue, &err), &err);
        depth = nb_distribution_depth(&queue, QUEUEING_OVERFLOW).upper;
    }
    const double ours = (measure_now() - start) / times;
    start = measure_now();
    for (int i = 0; i < times; i++)
        other = bursty_peer(&arrivals, load);
    queueing_print("bursty queue, k=32, load 0.6, burst 5", ours,
                   (measure_now() - start) / times, depth, other);
    nb_distribution_release(&queue);
    return depth == other;
}

int main(int count, char **arguments)
{
    const bool is_quick = count > 1 && strcmp(arguments[1], "quick") == 0;
    const int times = is_quick ? 20 : 1000;
    const struct nb_queue_load load =
        nb_load_of_ratio((struct nb_ratio){ 9, 10 });
    gsl_set_error_handler_off();
    puts("Depth for an overflow probability of 1e-15, k=16 unless stated "
         "otherwise; peer: inversion by FFT\n"
         "                                              ours ms   peer ms  "
         "peer/ours depth");
    bool agrees = queueing_row("one Bernoulli queue, load 0.9", load, 1, times);
    agrees =
        queueing_row("delay over 5 hops, load 0.9", load, 5, times) && agrees;
    agrees = bursty_row(nb_load_of_ratio((struct nb_ratio){ 3, 5 }),
                        is_quick ? 2 : 20) &&
             agrees;
    return agrees ? EXIT_SUCCESS : EXIT_FAILURE;
}
