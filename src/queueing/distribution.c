#include "queueing/distribution.h"

#include "core/memory.h"

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
    const size_t size = sizeof(long double);
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
    out->mass[0] = load.idle;
    out->mass[1] = out->tail[1] = load.rho;
    out->tail[0] = 1;
    out->error = LDBL_EPSILON;
    out->rate = INFINITY;
    return NB_OK;
}

void nb_distribution_add_up(struct nb_distribution *distribution)
{
    for (size_t n = distribution->length; n-- > 0;)
        distribution->tail[n] =
            distribution->tail[n + 1] + distribution->mass[n];
}

/* z^-steps; 1 for no steps, even if z is infinite. */
static long double law_shrink(const struct nb_distribution *distribution,
                              long double steps)
{
    return steps > 0 ? expl(-distribution->rate * steps) : 1;
}

/* Whether the distribution says anything about n >= 0. */
static bool law_knows(const struct nb_distribution *distribution, double n)
{
    return law_is_listed(distribution) &&
           (distribution->is_cut ? n <= (double)distribution->length
                                 : !isnan(n));
}

long double nb_distribution_mass(const struct nb_distribution *distribution,
                                 double n)
{
    const double last = (double)distribution->length;
    if (!law_knows(distribution, n) || n < 0)
        return n < 0 ? 0 : NAN;
    if (n <= last)
        return distribution->mass[(size_t)n];
    return distribution->mass[distribution->length] *
           law_shrink(distribution, n - last);
}

long double nb_distribution_tail(const struct nb_distribution *distribution,
                                 double n)
{
    const double last = (double)distribution->length;
    if (!law_knows(distribution, n) || n < 0)
        return n < 0 ? 1 : NAN;
    if (n <= last)
        return distribution->tail[(size_t)n];
    return distribution->tail[distribution->length] *
           law_shrink(distribution, n - last);
}

/* Beyond length, a rounding of the exponent grows with n, as does the error of
 * the rate. */
long double
nb_distribution_tail_error(const struct nb_distribution *distribution, double n)
{
    if (!law_knows(distribution, n) || n < 0)
        return n < 0 ? 0 : INFINITY;
    const double last = (double)distribution->length;
    const long double far = distribution->tail[distribution->length];
    if (n <= last)
        return distribution->error + (far > 0
                                          ? distribution->far_error * far /
                                                distribution->tail[(size_t)n]
                                          : 0);
    if (isinf(distribution->rate))
        return distribution->error;
    const long double exponent = distribution->rate * (long double)(n - last);
    return (1 + distribution->error + distribution->far_error +
            4 * LDBL_EPSILON) *
               expl(exponent * (distribution->rate_error + 2 * LDBL_EPSILON)) -
           1 + 2 * LDBL_EPSILON;
}

struct nb_bracket nb_bracket_of(long double value, long double error)
{
    /* Two further roundings in the products; then outward to doubles. */
    const long double wide = error + 2 * LDBL_EPSILON;
    const long double low = wide < 1 ? value * (1 - wide) : 0;
    const long double high = value * (1 + wide);
    struct nb_bracket bracket = { (double)low, (double)high };
    if ((long double)bracket.lower > low)
        bracket.lower = nextafter(bracket.lower, 0);
    if ((long double)bracket.upper < high)
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
    const long double tail = nb_distribution_tail(distribution, n);
    if (tail < LDBL_MIN &&
        !isinf(distribution->rate)) /* too small to be rounded well */
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    struct nb_bracket bracket =
        nb_bracket_of(tail, nb_distribution_tail_error(distribution, n));
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
static long double law_gap(const struct nb_distribution *distribution)
{
    return -expm1l(-distribution->rate);
}

/* Each summation over the geometric part divides by the gap once more, and the
 * relative error of the gap is at most that of the rate. share: the part of the
 * sum from length on, which every listed tail contains. */
static long double law_sum_error(const struct nb_distribution *distribution,
                                 long double share, int divisions)
{
    return distribution->error + distribution->far_error * share +
           (long double)divisions *
               (distribution->rate_error + 4 * LDBL_EPSILON) +
           (2 * (long double)distribution->length + 8) * LDBL_EPSILON;
}

struct nb_bracket
nb_distribution_mean(const struct nb_distribution *distribution)
{
    if (!law_is_listed(distribution) || distribution->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    const long double far =
        distribution->tail[distribution->length] / law_gap(distribution);
    long double sum = far;
    for (size_t n = distribution->length; n-- > 1;)
        sum += distribution->tail[n];
    const long double all = far + (long double)(distribution->length - 1) *
                                      distribution->tail[distribution->length];
    return nb_bracket_of(
        sum, law_sum_error(distribution, all > 0 ? all / sum : 0, 1));
}

struct nb_bracket
nb_distribution_variance(const struct nb_distribution *distribution)
{
    if (!law_is_listed(distribution) || distribution->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    /* E[X^2] = sum_{n>=1} (2n - 1) P(X >= n). The square of the mean is
     * subtracted from it, so the error is one of E[X^2]. */
    const long double gap = law_gap(distribution);
    const long double far = distribution->tail[distribution->length] / gap;
    const long double length = (long double)distribution->length;
    const long double ratio = expl(-distribution->rate);
    long double mean = far;
    const long double beyond = (2 * length - 1) * far + 2 * far * ratio / gap;
    long double square = beyond;
    for (size_t n = distribution->length; n-- > 1;) {
        mean += distribution->tail[n];
        square += (2 * (long double)n - 1) * distribution->tail[n];
    }
    /* the sum of 2n - 1 for n < length is (length - 1)^2 */
    const long double all =
        beyond +
        (length - 1) * (length - 1) * distribution->tail[distribution->length];
    const long double error =
        law_sum_error(distribution, all > 0 ? all / square : 0, 2);
    const long double value = square - mean * mean;
    const long double slack = 4 * error * square;
    const struct nb_bracket low = nb_bracket_of(fmaxl(value - slack, 0), 0);
    const struct nb_bracket high = nb_bracket_of(value + slack, 0);
    return (struct nb_bracket){ low.lower, high.upper };
}

enum nb_status nb_distribution_wait(const struct nb_distribution *queue,
                                    struct nb_distribution *out,
                                    struct nb_error *err)
{
    enum nb_status status = nb_distribution_check(queue, 2, err);
    *out = (struct nb_distribution){ 0 };
    if (status == NB_OK && !(queue->tail[1] > 0))
        status = nb_fail(err, NB_INVALID,
                         "no packet waits in a queue that is empty with "
                         "probability 1 (permitted: one that is not)");
    const size_t length = status == NB_OK ? queue->length - 1 : 0;
    if (status == NB_OK)
        status = nb_distribution_reserve(out, length, err);
    if (status != NB_OK)
        return status;
    const long double busy = queue->tail[1];
    for (size_t n = 0; n <= length; n++) {
        out->mass[n] = queue->mass[n + 1] / busy;
        out->tail[n] = queue->tail[n + 1] / busy;
    }
    out->error =
        queue->error + nb_distribution_tail_error(queue, 1) + 2 * LDBL_EPSILON;
    out->far_error = queue->far_error;
    out->rate = queue->rate;
    out->rate_error = queue->rate_error;
    out->is_cut = queue->is_cut;
    return NB_OK;
}
