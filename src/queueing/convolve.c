#include "queueing/convolve.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <float.h>
#include <math.h>

enum { BLOCK = 4 }; /* parallel sums, so that their additions overlap */

/* The ratio of neighbours in the geometric part. */
static long double convolve_ratio(const struct nb_distribution *distribution)
{
    return isinf(distribution->rate) ? 0 : expl(-distribution->rate);
}

/*
 * What a distribution's error adds to that of sums up to length: its own error;
 * that of its far part, weighted by its largest possible share in a tail of
 * NB_DISTRIBUTION_LEAST; and the ratio's error, once for every step beyond the
 * list (its own two roundings and those of the step).
 */
static long double convolve_error(const struct nb_distribution *distribution,
                                  size_t length)
{
    const long double far = distribution->tail[distribution->length];
    const long double share =
        far < NB_DISTRIBUTION_LEAST ? far / NB_DISTRIBUTION_LEAST : 1;
    const long double steps = length > distribution->length
                                  ? (long double)(length - distribution->length)
                                  : 0;
    const long double step =
        isinf(distribution->rate)
            ? 0
            : distribution->rate * distribution->rate_error + 4 * LDBL_EPSILON;
    return distribution->error + distribution->far_error * share + steps * step;
}

/* The first distribution itself, continued up to out->length. */
static void convolve_start(const struct nb_distribution *distribution,
                           struct nb_distribution *out)
{
    const long double ratio = convolve_ratio(distribution);
    const size_t listed = distribution->length;
    for (size_t n = 0; n <= out->length; n++)
        out->mass[n] =
            n <= listed ? distribution->mass[n] : out->mass[n - 1] * ratio;
    out->tail[out->length] =
        nb_distribution_tail(distribution, (double)out->length);
    out->error = convolve_error(distribution, out->length) + 2 * LDBL_EPSILON;
}

/* P(S+X >= L) from P(S >= L): beyond its list, P(X >= n) continues by the
 * ratio. */
static void convolve_tail(const struct nb_distribution *distribution,
                          struct nb_distribution *out)
{
    const long double ratio = convolve_ratio(distribution);
    const size_t length = out->length;
    long double sum = out->tail[length], tail = 0;
    for (size_t n = 1; n <= length; n++) {
        tail = n <= distribution->length ? distribution->tail[n] : tail * ratio;
        sum += out->mass[length - n] * tail;
    }
    out->tail[length] = sum;
}

/* g_n for n <= out->length */
static void convolve_far(const struct nb_distribution *distribution,
                         const struct nb_distribution *sum, long double *far)
{
    const long double ratio = convolve_ratio(distribution);
    const long double first = distribution->mass[distribution->length];
    long double value = 0;
    for (size_t n = 0; n <= sum->length; n++) {
        value *= ratio;
        if (n >= distribution->length)
            value += first * sum->mass[n - distribution->length];
        far[n] = value;
    }
}

/* Masses of S+X in place, from the top, since each needs those of S below. */
static void convolve_masses(const struct nb_distribution *distribution,
                            const long double *far, struct nb_distribution *sum)
{
    const long double *x = distribution->mass;
    const size_t listed = distribution->length;
    size_t n = sum->length + 1; /* masses from n on are done */
    for (; n >= BLOCK && n - BLOCK + 1 >= listed; n -= BLOCK) {
        if (nb_run_is_stopped())
            return;
        long double *at = sum->mass + n - BLOCK;
        long double a = far[n - 4], b = far[n - 3];
        long double c = far[n - 2], d = far[n - 1];
        for (size_t m = 0; m < listed; m++) {
            const long double weight = x[m];
            const long double *s = at - m;
            a += weight * s[0];
            b += weight * s[1];
            c += weight * s[2];
            d += weight * s[3];
        }
        at[0] = a;
        at[1] = b;
        at[2] = c;
        at[3] = d;
    }
    while (n-- > 0 && !nb_run_is_stopped()) {
        const size_t reach = n < listed ? n + 1 : listed;
        long double value = far[n];
        for (size_t m = 0; m < reach; m++)
            value += x[m] * sum->mass[n - m];
        sum->mass[n] = value;
    }
}

/* Refuses convolutions that would take too long or not fit. */
static enum nb_status
convolve_check(const struct nb_distribution *const *distributions, size_t count,
               size_t length, struct nb_error *err)
{
    double steps = 0;
    for (size_t i = 1; i < count; i++)
        steps += (double)distributions[i]->length * (double)length;
    if (steps > NB_CONVOLVE_STEPS)
        return nb_fail(
            err, NB_INVALID,
            "a delay distribution of %zu terms over %zu queues takes %g steps "
            "(permitted: up to %g; a load further from 1, a larger overflow "
            "or fewer hops take less)",
            length, count, steps, NB_CONVOLVE_STEPS);
    return nb_memory_require(3.0 * sizeof(long double) * (double)length,
                             "a delay distribution", err);
}

void nb_distribution_join(const struct nb_distribution *distribution,
                          struct nb_distribution *sum, long double *scratch)
{
    /* A mass is a sum of at most length + 1 products and the far part, a tail
     * is one of length products: one rounding for each, and one of the
     * product. */
    convolve_tail(distribution, sum);
    convolve_far(distribution, sum, scratch);
    convolve_masses(distribution, scratch, sum);
    sum->error += convolve_error(distribution, sum->length) +
                  ((long double)sum->length + 4) * LDBL_EPSILON;
}

enum nb_status
nb_distributions_convolve(const struct nb_distribution *const *distributions,
                          size_t count, size_t length,
                          struct nb_distribution *out, struct nb_error *err)
{
    long double *far = NULL;
    enum nb_status status = NB_OK;
    *out = (struct nb_distribution){ 0 };
    if (count == 0 || length == 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%zu delays up to %zu (permitted: 1 and more of both)",
                       count, length));
    for (size_t i = 0; i < count; i++)
        NB_TRY(nb_distribution_check(distributions[i], 1, err));
    NB_TRY(convolve_check(distributions, count, length, err));
    NB_TRY(nb_distribution_reserve(out, length, err));
    out->is_cut = true;
    convolve_start(distributions[0], out);
    if (count > 1)
        NB_TRY(nb_new(&far, length + 1, sizeof *far, "delays", err));
    for (size_t i = 1; i < count; i++) {
        nb_distribution_join(distributions[i], out, far);
        NB_TRY(nb_run_check_stop(err));
    }
    nb_distribution_add_up(out);
    out->error += ((long double)length + 1) * LDBL_EPSILON;
done:
    nb_delete(far);
    if (status != NB_OK)
        nb_distribution_release(out);
    return status;
}
