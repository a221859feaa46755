#include "queueing/convolve.h"

#include "core/memory.h"
#include "core/parallel.h"
#include "core/twofold_math.h"
#include "core/twofold_rows.h"
#include "queueing/scaled.h"

#include <math.h>

/* The ratio of neighbours in the geometric part. */
static struct nb_twofold
convolve_ratio(const struct nb_distribution *distribution)
{
    return nb_twofold_exp(nb_twofold_negate(distribution->rate), 0);
}

/*
 * What a distribution's error adds to that of sums up to length: its own error;
 * that of its far part, weighted by its largest possible share in a tail of
 * NB_DISTRIBUTION_LEAST; and the ratio's error, once for every step beyond the
 * list (its own and those of the step).
 */
static double convolve_error(const struct nb_distribution *distribution,
                             size_t length)
{
    const double least = NB_DISTRIBUTION_LEAST * NB_DISTRIBUTION_SCALE;
    const double far = distribution->tail[distribution->length].high;
    const double share = far < least ? far / least : 1;
    const double steps = length > distribution->length
                             ? (double)(length - distribution->length)
                             : 0;
    const double rate = distribution->rate.high;
    const double step =
        isinf(rate) ? 0
                    : rate * (distribution->rate_error + NB_TWOFOLD_ERROR) +
                          NB_TWOFOLD_MATH_ERROR + 4 * NB_TWOFOLD_ERROR;
    return distribution->error + distribution->far_error * share + steps * step;
}

/* The first distribution itself, continued up to out->length. */
static void convolve_start(const struct nb_distribution *distribution,
                           struct nb_distribution *out)
{
    const struct nb_twofold ratio = convolve_ratio(distribution);
    const size_t listed = distribution->length;
    for (size_t n = 0; n <= out->length; n++)
        out->mass[n] = n <= listed
                           ? distribution->mass[n]
                           : nb_twofold_multiply(out->mass[n - 1], ratio);
    out->tail[out->length] =
        nb_distribution_scaled_tail(distribution, (double)out->length);
    out->error =
        convolve_error(distribution, out->length) + 2 * NB_TWOFOLD_MATH_ERROR;
}

/* P(S+X >= L) from P(S >= L): beyond its list, P(X >= n) continues by the
 * ratio. tail is scratch for P(X >= L - n), n < L. */
static void convolve_tail(const struct nb_distribution *distribution,
                          struct nb_distribution *out, struct nb_twofold *tail)
{
    const struct nb_twofold ratio = convolve_ratio(distribution);
    const size_t length = out->length;
    for (size_t n = 1; n <= length; n++)
        tail[length - n] =
            n <= distribution->length
                ? distribution->tail[n]
                : nb_twofold_multiply(tail[length - n + 1], ratio);
    nb_twofold_sums(length, out->mass, tail, 1, 1, NB_DISTRIBUTION_SCALE,
                    &out->tail[length]);
}

/* g_n for n <= out->length */
static void convolve_far(const struct nb_distribution *distribution,
                         const struct nb_distribution *sum,
                         struct nb_twofold *far)
{
    const struct nb_twofold ratio = convolve_ratio(distribution);
    const struct nb_twofold first = distribution->mass[distribution->length];
    struct nb_twofold value = { 0, 0 };
    for (size_t n = 0; n <= sum->length; n++) {
        value = nb_twofold_multiply(value, ratio);
        if (n >= distribution->length)
            value = nb_twofold_add(
                value,
                nb_scaled_multiply(first, sum->mass[n - distribution->length]));
        far[n] = value;
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
    return nb_memory_require(3.0 * sizeof(struct nb_twofold) * (double)length,
                             "a delay distribution", err);
}

enum { CONVOLVE_PART = 64 }; /* masses between two looks at the stop */

void nb_distribution_join(const struct nb_distribution *distribution,
                          struct nb_distribution *sum,
                          struct nb_twofold *scratch)
{
    /* A mass is a sum of at most length + 1 products and the far part, a tail
     * is one of length products. */
    convolve_tail(distribution, sum, scratch);
    convolve_far(distribution, sum, scratch);
    for (size_t end = sum->length + 1; end > 0 && !nb_run_is_stopped();) {
        const size_t begin = end > CONVOLVE_PART ? end - CONVOLVE_PART : 0;
        nb_twofold_convolve(distribution->mass, distribution->length, scratch,
                            begin, end, NB_DISTRIBUTION_SCALE, sum->mass);
        end = begin;
    }
    sum->error += convolve_error(distribution, sum->length) +
                  ((double)sum->length + 4) * NB_TWOFOLD_ROWS_ERROR;
}

enum nb_status
nb_distributions_convolve(const struct nb_distribution *const *distributions,
                          size_t count, size_t length,
                          struct nb_distribution *out, struct nb_error *err)
{
    struct nb_twofold *far = NULL;
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
    out->error += ((double)length + 1) * NB_TWOFOLD_ERROR;
done:
    nb_delete(far);
    if (status != NB_OK)
        nb_distribution_release(out);
    return status;
}
