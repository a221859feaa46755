#include "queueing/law.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

static bool law_is_listed(const struct nb_law *law)
{
    return law != NULL && law->length > 0 && law->mass != NULL &&
           law->tail != NULL;
}

enum nb_status nb_law_check(const struct nb_law *law, size_t least,
                            struct nb_error *err)
{
    const size_t length = law_is_listed(law) ? law->length : 0;
    return length >= least && length > 0
               ? NB_OK
               : nb_fail(err, NB_INVALID,
                         "a law of %zu masses (permitted: one that was found, "
                         "of %zu and more)",
                         length, least > 0 ? least : 1);
}

enum nb_status nb_law_reserve(struct nb_law *law, size_t length,
                              struct nb_error *err)
{
    *law = (struct nb_law){ .length = length };
    enum nb_status status = NB_OK;
    if (length == SIZE_MAX)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for a law of %zu masses",
                       length));
    NB_TRY(nb_new(&law->mass, length + 1, sizeof *law->mass, "law", err));
    NB_TRY(nb_new(&law->tail, length + 1, sizeof *law->tail, "law", err));
done:
    if (status != NB_OK)
        nb_law_release(law);
    return status;
}

void nb_law_release(struct nb_law *law)
{
    nb_delete(law->mass);
    nb_delete(law->tail);
    *law = (struct nb_law){ 0 };
}

enum nb_status nb_law_single(struct nb_queue_load load, struct nb_law *out,
                             struct nb_error *err)
{
    enum nb_status status = nb_load_check(load, 1, err);
    *out = (struct nb_law){ 0 };
    if (status == NB_OK)
        status = nb_law_reserve(out, 2, err);
    if (status != NB_OK)
        return status;
    out->mass[0] = load.idle;
    out->mass[1] = out->tail[1] = load.rho;
    out->tail[0] = 1;
    out->error = LDBL_EPSILON;
    out->rate = INFINITY;
    return NB_OK;
}

void nb_law_add_up(struct nb_law *law)
{
    for (size_t n = law->length; n-- > 0;)
        law->tail[n] = law->tail[n + 1] + law->mass[n];
}

/* z^-steps; 1 for no steps, even if z is infinite. */
static long double law_shrink(const struct nb_law *law, long double steps)
{
    return steps > 0 ? expl(-law->rate * steps) : 1;
}

/* Whether the law tells anything of n >= 0. */
static bool law_knows(const struct nb_law *law, double n)
{
    return law_is_listed(law) &&
           (law->is_cut ? n <= (double)law->length : !isnan(n));
}

long double nb_law_mass(const struct nb_law *law, double n)
{
    const double last = (double)law->length;
    if (!law_knows(law, n) || n < 0)
        return n < 0 ? 0 : NAN;
    if (n <= last)
        return law->mass[(size_t)n];
    return law->mass[law->length] * law_shrink(law, n - last);
}

long double nb_law_tail(const struct nb_law *law, double n)
{
    const double last = (double)law->length;
    if (!law_knows(law, n) || n < 0)
        return n < 0 ? 1 : NAN;
    if (n <= last)
        return law->tail[(size_t)n];
    return law->tail[law->length] * law_shrink(law, n - last);
}

/* Beyond length, one rounding of the exponent grows with n as the rate's own
 * error does. */
long double nb_law_tail_error(const struct nb_law *law, double n)
{
    if (!law_knows(law, n) || n < 0)
        return n < 0 ? 0 : INFINITY;
    const double last = (double)law->length;
    const long double far = law->tail[law->length];
    if (n <= last)
        return law->error +
               (far > 0 ? law->far_error * far / law->tail[(size_t)n] : 0);
    if (isinf(law->rate))
        return law->error;
    const long double exponent = law->rate * (long double)(n - last);
    return (1 + law->error + law->far_error + 4 * LDBL_EPSILON) *
               expl(exponent * (law->rate_error + 2 * LDBL_EPSILON)) -
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

struct nb_bracket nb_law_tail_bracket(const struct nb_law *law, double n)
{
    if (n <= 0)
        return (struct nb_bracket){ 1, 1 };
    if (!law_knows(law, n)) { /* it falls from what a cut law has at length */
        const bool is_beyond = law_is_listed(law) && n > (double)law->length;
        const double last = is_beyond ? (double)law->length : 0;
        return (struct nb_bracket){ 0, nb_law_tail_bracket(law, last).upper };
    }
    const long double tail = nb_law_tail(law, n);
    if (tail < LDBL_MIN && !isinf(law->rate)) /* too small to be rounded well */
        return (struct nb_bracket){ 0, DBL_TRUE_MIN };
    struct nb_bracket bracket = nb_bracket_of(tail, nb_law_tail_error(law, n));
    bracket.upper = bracket.upper > 1 ? 1 : bracket.upper;
    return bracket;
}

/* The least n in (low, high] whose bracket is below overflow: its upper end
 * (is_sure) or its lower end; where doubles are further apart than 1, one not
 * below it or not above it. */
static double law_search(const struct nb_law *law, double overflow,
                         bool is_sure, double low, double high)
{
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        if (!(middle > low && middle < high))
            return is_sure ? high : low;
        const struct nb_bracket tail = nb_law_tail_bracket(law, middle);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct nb_bracket nb_law_depth(const struct nb_law *law, double overflow)
{
    double high = (double)law->length;
    if (!law_is_listed(law) || !(overflow > DBL_TRUE_MIN))
        return (struct nb_bracket){ 0, INFINITY };
    if (!law->is_cut) /* far beyond, but in reach of whole doubles */
        while (nb_law_tail_bracket(law, high).upper >= overflow)
            high = 2 * high + 1;
    const bool is_reached = nb_law_tail_bracket(law, high).upper < overflow;
    return (struct nb_bracket){
        law_search(law, overflow, false, -1, high),
        is_reached ? law_search(law, overflow, true, -1, high) : INFINITY,
    };
}

/* 1 - 1/z */
static long double law_gap(const struct nb_law *law)
{
    return -expm1l(-law->rate);
}

/* Sums over the geometric part divide by the gap once more each time, and the
 * gap's relative error is at most that of the rate. share: of the sum, what
 * lies from length on, which every listed tail contains. */
static long double law_sum_error(const struct nb_law *law, long double share,
                                 int divisions)
{
    return law->error + law->far_error * share +
           (long double)divisions * (law->rate_error + 4 * LDBL_EPSILON) +
           (2 * (long double)law->length + 8) * LDBL_EPSILON;
}

struct nb_bracket nb_law_mean(const struct nb_law *law)
{
    if (!law_is_listed(law) || law->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    const long double far = law->tail[law->length] / law_gap(law);
    long double sum = far;
    for (size_t n = law->length; n-- > 1;)
        sum += law->tail[n];
    const long double all =
        far + (long double)(law->length - 1) * law->tail[law->length];
    return nb_bracket_of(sum, law_sum_error(law, all > 0 ? all / sum : 0, 1));
}

struct nb_bracket nb_law_variance(const struct nb_law *law)
{
    if (!law_is_listed(law) || law->is_cut)
        return (struct nb_bracket){ 0, INFINITY };
    /* E[X^2] = sum_{n>=1} (2n - 1) P(X >= n); the square of the mean is
     * taken away from it, so that the error is one of E[X^2]. */
    const long double gap = law_gap(law);
    const long double far = law->tail[law->length] / gap;
    const long double length = (long double)law->length;
    const long double ratio = expl(-law->rate);
    long double mean = far;
    const long double beyond = (2 * length - 1) * far + 2 * far * ratio / gap;
    long double square = beyond;
    for (size_t n = law->length; n-- > 1;) {
        mean += law->tail[n];
        square += (2 * (long double)n - 1) * law->tail[n];
    }
    /* the sum of 2n - 1 for n < length is (length - 1)^2 */
    const long double all =
        beyond + (length - 1) * (length - 1) * law->tail[law->length];
    const long double error = law_sum_error(law, all > 0 ? all / square : 0, 2);
    const long double value = square - mean * mean;
    const long double slack = 4 * error * square;
    const struct nb_bracket low = nb_bracket_of(fmaxl(value - slack, 0), 0);
    const struct nb_bracket high = nb_bracket_of(value + slack, 0);
    return (struct nb_bracket){ low.lower, high.upper };
}

enum nb_status nb_law_wait(const struct nb_law *queue, struct nb_law *out,
                           struct nb_error *err)
{
    enum nb_status status = nb_law_check(queue, 2, err);
    *out = (struct nb_law){ 0 };
    if (status == NB_OK && !(queue->tail[1] > 0))
        status = nb_fail(err, NB_INVALID,
                         "no packet waits in a queue that is empty with "
                         "probability 1 (permitted: one that is not)");
    const size_t length = status == NB_OK ? queue->length - 1 : 0;
    if (status == NB_OK)
        status = nb_law_reserve(out, length, err);
    if (status != NB_OK)
        return status;
    const long double busy = queue->tail[1];
    for (size_t n = 0; n <= length; n++) {
        out->mass[n] = queue->mass[n + 1] / busy;
        out->tail[n] = queue->tail[n + 1] / busy;
    }
    out->error = queue->error + nb_law_tail_error(queue, 1) + 2 * LDBL_EPSILON;
    out->far_error = queue->far_error;
    out->rate = queue->rate;
    out->rate_error = queue->rate_error;
    out->is_cut = queue->is_cut;
    return NB_OK;
}
