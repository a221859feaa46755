#include "queueing/distribution.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

static bool law_is_listed(const struct nb_distribution *distribution)
{
    return distribution != NULL && distribution->length > 0 &&
           distribution->mass != NULL && distribution->tail != NULL;
}

enum nb_status nb_distribution_check(const struct nb_distribution *distribution,
                                     size_t least, struct nb_error *err)
{
    const size_t length =
        law_is_listed(distribution) ? distribution->length : 0;
    return length >= least && length > 0
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "a distribution of %zu masses (permitted: a computed "
                         "one, with %zu or more)",
                         length, least > 0 ? least : 1);
}

enum nb_status nb_distribution_reserve(struct nb_distribution *distribution,
                                       size_t length, struct nb_error *err)
{
    const size_t size = sizeof(struct nb_twofold);
    enum nb_status status = NB_OK;
    *distribution = (struct nb_distribution){ .length = length };
    if (length == SIZE_MAX)
        return nb_fail(err, NB_NO_MEMORY,
                       "no memory for a distribution of %zu masses", length);
    NB_TRY(nb_new(&distribution->mass, length + 1, size, "law", err));
    NB_TRY(nb_new(&distribution->tail, length + 1, size, "law", err));
done:
    if (status != NB_OK)
        nb_distribution_release(distribution);
    return status;
}

void nb_distribution_release(struct nb_distribution *distribution)
{
    nb_delete(distribution->mass);
    nb_delete(distribution->tail);
    *distribution = (struct nb_distribution){ 0 };
}

enum nb_status nb_distribution_single(struct nb_queue_load load,
                                      struct nb_distribution *out,
                                      struct nb_error *err)
{
    enum nb_status status = nb_load_check(load, 1, err);
    *out = (struct nb_distribution){ 0 };
    if (status == NB_OK)
        status = nb_distribution_reserve(out, 2, err);
    if (status != NB_OK)
        return status;
    out->mass[0] = nb_scaled(load.idle);
    out->mass[1] = out->tail[1] = nb_scaled(load.rho);
    out->tail[0] = nb_twofold_from(NB_DISTRIBUTION_SCALE);
    out->error = NB_TWOFOLD_ERROR;
    out->rate = nb_twofold_from(INFINITY);
    return NB_OK;
}

void nb_distribution_add_up(struct nb_distribution *distribution)
{
    for (size_t n = distribution->length; n-- > 0;)
        distribution->tail[n] =
            nb_twofold_add(distribution->tail[n + 1], distribution->mass[n]);
}

/* value z^-steps; value for no steps, even if z is infinite. */
static struct nb_twofold law_shrink(const struct nb_distribution *distribution,
                                    struct nb_twofold value, double steps)
{
    if (!(steps > 0))
        return value;
    if (isinf(distribution->rate.high))
        return nb_twofold_from(0);
    return nb_scaled_multiply(
        value, nb_twofold_exp(nb_twofold_times(distribution->rate, -steps),
                              NB_DISTRIBUTION_POWER));
}

/* Whether the distribution says anything about n >= 0. */
static bool law_knows(const struct nb_distribution *distribution, double n)
{
    return law_is_listed(distribution) &&
           (distribution->is_cut ? n <= (double)distribution->length
                                 : !isnan(n));
}

/* An entry of mass or tail, or what continues it. */
static struct nb_twofold law_at(const struct nb_distribution *distribution,
                                const struct nb_twofold *list, double n)
{
    const double last = (double)distribution->length;
    return n <= last
               ? list[(size_t)n]
               : law_shrink(distribution, list[distribution->length], n - last);
}

struct nb_twofold
nb_distribution_scaled_mass(const struct nb_distribution *distribution,
                            double n)
{
    if (!law_knows(distribution, n) || n < 0)
        return nb_twofold_from(n < 0 ? 0 : NAN);
    return law_at(distribution, distribution->mass, n);
}

struct nb_twofold
nb_distribution_scaled_tail(const struct nb_distribution *distribution,
                            double n)
{
    if (!law_knows(distribution, n) || n < 0)
        return nb_twofold_from(n < 0 ? NB_DISTRIBUTION_SCALE : NAN);
    return law_at(distribution, distribution->tail, n);
}

double nb_distribution_mass(const struct nb_distribution *distribution,
                            double n)
{
    return nb_scaled_value(nb_distribution_scaled_mass(distribution, n));
}

double nb_distribution_tail(const struct nb_distribution *distribution,
                            double n)
{
    return nb_scaled_value(nb_distribution_scaled_tail(distribution, n));
}

/* Beyond length, a rounding of the exponent grows with n, as does the error of
 * the rate. */
double nb_distribution_tail_error(const struct nb_distribution *distribution,
                                  double n)
{
    if (!law_knows(distribution, n) || n < 0)
        return n < 0 ? 0 : INFINITY;
    const double last = (double)distribution->length;
    const double far = distribution->tail[distribution->length].high;
    if (n <= last)
        return distribution->error +
               (far > 0 ? distribution->far_error * far /
                              distribution->tail[(size_t)n].high
                        : 0);
    if (isinf(distribution->rate.high))
        return distribution->error;
    const double exponent = distribution->rate.high * (n - last);
    const double start = distribution->error + distribution->far_error +
                         2 * NB_TWOFOLD_MATH_ERROR;
    const double more =
        expm1(exponent * (distribution->rate_error + 4 * NB_TWOFOLD_ERROR));
    return (start + more + start * more) * (1 + 0x1p-50);
}

double nb_scaled_value(struct nb_twofold value)
{
    return value.high / NB_DISTRIBUTION_SCALE;
}

struct nb_bracket nb_bracket_of(struct nb_twofold value, double error)
{
    /* Some roundings here; then outward to doubles. */
    const double wide = error * (1 + 0x1p-51) + 4 * NB_TWOFOLD_ERROR;
    const struct nb_twofold part = nb_twofold_times(value, wide);
    const struct nb_twofold low =
        wide < 1 ? nb_twofold_subtract(value, part) : nb_twofold_from(0);
    const struct nb_twofold high = nb_twofold_add(value, part);
    return (struct nb_bracket){
        low.low < 0 ? nextafter(low.high, 0) : low.high,
        high.low > 0 ? nextafter(high.high, INFINITY) : high.high,
    };
}

struct nb_bracket nb_scaled_bracket_of(struct nb_twofold value, double error)
{
    const struct nb_bracket scaled = nb_bracket_of(value, error);
    struct nb_bracket bracket = { scaled.lower / NB_DISTRIBUTION_SCALE,
                                  scaled.upper / NB_DISTRIBUTION_SCALE };
    /* Subnormal numbers are rounded. */
    if (bracket.lower * NB_DISTRIBUTION_SCALE > scaled.lower)
        bracket.lower = nextafter(bracket.lower, 0);
    if (bracket.upper * NB_DISTRIBUTION_SCALE < scaled.upper)
        bracket.upper = nextafter(bracket.upper, INFINITY);
    return bracket;
}

struct nb_bracket
nb_distribution_tail_bracket(const struct nb_distribution *distribution,
                             double n)
{
    if (n <= 0)
        return (struct nb_bracket){ 1, 1 };
    if (!law_knows(distribution,
                   n)) { /* below the tail at length of a cut distribution */
        const bool is_beyond =
            law_is_listed(distribution) && n > (double)distribution->length;
        const double last = is_beyond ? (double)distribution->length : 0;
        return (struct nb_bracket){
            0, nb_distribution_tail_bracket(distribution, last).upper
        };
    }
    const struct nb_twofold tail = nb_distribution_scaled_tail(distribution, n);
    /* Too small to be rounded well; the error may double it. */
    if (tail.high < NB_SCALED_MIN && !isinf(distribution->rate.high))
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    struct nb_bracket bracket =
        nb_scaled_bracket_of(tail, nb_distribution_tail_error(distribution, n));
    bracket.upper = bracket.upper > 1 ? 1 : bracket.upper;
    return bracket;
}

/* The least n in (low, high] whose bracket is below overflow: its upper end
 * (is_sure) or its lower end. Where doubles are further apart than 1, a value
 * not below it or not above it. */
static double law_search(const struct nb_distribution *distribution,
                         double overflow, bool is_sure, double low, double high)
{
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        if (!(middle > low && middle < high))
            return is_sure ? high : low;
        const struct nb_bracket tail =
            nb_distribution_tail_bracket(distribution, middle);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct nb_bracket
nb_distribution_depth(const struct nb_distribution *distribution,
                      double overflow)
{
    double high = (double)distribution->length;
    if (!law_is_listed(distribution) || !(overflow > DBL_TRUE_MIN))
        return (struct nb_bracket){ 0, INFINITY };
    if (!distribution->is_cut) /* far beyond, but within the range of whole
                                * doubles */
        while (nb_distribution_tail_bracket(distribution, high).upper >=
               overflow)
            high = 2 * high + 1;
    const bool is_reached =
        nb_distribution_tail_bracket(distribution, high).upper < overflow;
    return (struct nb_bracket){
        law_search(distribution, overflow, false, -1, high),
        is_reached ? law_search(distribution, overflow, true, -1, high)
                   : INFINITY,
    };
}

/* 1 - 1/z */
static struct nb_twofold law_gap(const struct nb_distribution *distribution)
{
    return nb_twofold_negate(
        nb_twofold_expm1(nb_twofold_negate(distribution->rate)));
}

/* Each summation over the geometric part divides by the gap once more, and the
 * relative error of the gap is at most that of the rate. share: the part of the
 * sum from length on, which every listed tail contains. */
static double law_sum_error(const struct nb_distribution *distribution,
                            double share, int divisions)
{
    return distribution->error + distribution->far_error * share +
           divisions * (distribution->rate_error + 2 * NB_TWOFOLD_MATH_ERROR) +
           (2 * (double)distribution->length + 8) * NB_TWOFOLD_ERROR;
}

struct nb_bracket
nb_distribution_mean(const struct nb_distribution *distribution)
{
    if (!law_is_listed(distribution) || distribution->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    const struct nb_twofold last = distribution->tail[distribution->length];
    const struct nb_twofold far =
        nb_twofold_divide(last, law_gap(distribution));
    struct nb_twofold sum = far;
    for (size_t n = distribution->length; n-- > 1;)
        sum = nb_twofold_add(sum, distribution->tail[n]);
    const double all =
        far.high + (double)(distribution->length - 1) * last.high;
    return nb_scaled_bracket_of(
        sum, law_sum_error(distribution, all > 0 ? all / sum.high : 0, 1));
}

struct nb_bracket
nb_distribution_variance(const struct nb_distribution *distribution)
{
    if (!law_is_listed(distribution) || distribution->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    /* E[X^2] = sum_{n>=1} (2n - 1) P(X >= n). The square of the mean is
     * subtracted from it, so the error is one of E[X^2]. */
    const struct nb_twofold last = distribution->tail[distribution->length];
    const struct nb_twofold gap = law_gap(distribution);
    const struct nb_twofold far = nb_twofold_divide(last, gap);
    const double length = (double)distribution->length;
    const struct nb_twofold ratio =
        nb_twofold_exp(nb_twofold_negate(distribution->rate), 0);
    struct nb_twofold mean = far;
    const struct nb_twofold beyond = nb_twofold_add(
        nb_twofold_times(far, 2 * length - 1),
        nb_twofold_divide(nb_twofold_multiply(nb_twofold_times(far, 2), ratio),
                          gap));
    struct nb_twofold square = beyond;
    for (size_t n = distribution->length; n-- > 1;) {
        const struct nb_twofold tail = distribution->tail[n];
        mean = nb_twofold_add(mean, tail);
        square =
            nb_twofold_add(square, nb_twofold_times(tail, 2 * (double)n - 1));
    }
    /* the sum of 2n - 1 for n < length is (length - 1)^2 */
    const double all = beyond.high + (length - 1) * (length - 1) * last.high;
    const double error =
        law_sum_error(distribution, all > 0 ? all / square.high : 0, 2);
    const struct nb_twofold plain =
        nb_twofold_shift(mean, 1 / NB_DISTRIBUTION_SCALE);
    const struct nb_twofold value =
        nb_twofold_subtract(square, nb_twofold_multiply(mean, plain));
    const double slack = 4 * error * square.high;
    const struct nb_twofold low = nb_twofold_more(value, -slack);
    return (struct nb_bracket){
        low.high > 0 ? nb_scaled_bracket_of(low, 0).lower : 0,
        nb_scaled_bracket_of(nb_twofold_more(value, slack), 0).upper,
    };
}

enum nb_status nb_distribution_wait(const struct nb_distribution *queue,
                                    struct nb_distribution *out,
                                    struct nb_error *err)
{
    enum nb_status status = nb_distribution_check(queue, 2, err);
    *out = (struct nb_distribution){ 0 };
    const double busy = status == NB_OK ? nb_scaled_value(queue->tail[1]) : 0;
    if (status == NB_OK && !(busy > 0))
        status = nb_fail(err, NB_INVALID,
                         "no packet waits in a queue that is empty with "
                         "probability 1 (permitted: one that is not)");
    if (status == NB_OK && busy < NB_DISTRIBUTION_LEAST_LOAD)
        status = nb_fail(err, NB_INVALID,
                         "waits at load %g are not known (permitted: %g and "
                         "more)",
                         busy, NB_DISTRIBUTION_LEAST_LOAD);
    const size_t length = status == NB_OK ? queue->length - 1 : 0;
    if (status == NB_OK)
        status = nb_distribution_reserve(out, length, err);
    if (status != NB_OK)
        return status;
    const struct nb_twofold scale = nb_twofold_from(NB_DISTRIBUTION_SCALE);
    const struct nb_twofold over = nb_twofold_divide(scale, queue->tail[1]);
    for (size_t n = 0; n <= length; n++) {
        out->mass[n] = nb_twofold_multiply(queue->mass[n + 1], over);
        out->tail[n] = nb_twofold_multiply(queue->tail[n + 1], over);
    }
    out->error = queue->error + nb_distribution_tail_error(queue, 1) +
                 4 * NB_TWOFOLD_ERROR;
    out->far_error = queue->far_error;
    out->rate = queue->rate;
    out->rate_error = queue->rate_error;
    out->is_cut = queue->is_cut;
    return NB_OK;
}
