#include "queueing/large_deviations.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>

/* The sum tilted by z = exp(theta): log E[z^S], mean and variance under the
 * tilted distribution; error bounds the error of the logarithm. */
struct tilt {
    long double log, mean, variance, error;
};

/* The theta evaluated last, and the tilted sum there. */
struct looked {
    double theta;
    struct tilt tilt;
};

struct search {
    const struct nb_distribution_sum *sum;
    struct tilt *distributions, *parts[NB_MIX_PARTS]; /* scratch of a mix */
    struct looked none, cap, last; /* no tilt, the greatest tilt, the last
                                    * one */
};

/*
 * One distribution, by Horner's rule from its geometric part down: with
 * A_n = sum_{m>=n} x_m z^(m-n), and B_n, C_n the same with a factor (m-n) and
 * (m-n)^2,
 *
 *     A_n = x_n + z A_{n+1},  B_n = z (A + B)_{n+1},
 *     C_n = z (A + 2B + C)_{n+1}
 *
 * and at the list's end A = b/(1-q), B = b q/(1-q)^2, C = b q (1+q)/(1-q)^3,
 * q = z/z0.
 */
static struct tilt deviation_law(const struct nb_distribution *distribution,
                                 long double theta)
{
    const long double z = expl(theta), away = distribution->rate - theta;
    const long double gap = -expm1l(-away), q = 1 - gap;
    const size_t length = distribution->length;
    const long double first = isinf(away) ? 0 : distribution->mass[length];
    long double a = first / gap, b = a * q / gap;
    long double c = b * (1 + q) / gap;
    long double far = a; /* its share of the final A */
    for (size_t n = length; n-- > 0;) {
        c = z * (a + 2 * b + c);
        b = z * (a + b);
        a = distribution->mass[n] + z * a;
        far *= z;
    }
    const long double mean = b / a;
    struct tilt tilt = { logl(a), mean, c / a - mean * mean, 0 };
    /* exp(theta) is rounded, as is the distance to the pole, which changes the
     * far part by at most twice its own relative change. */
    const long double shift = distribution->rate * distribution->rate_error +
                              LDBL_EPSILON * (2 + 2 * theta);
    tilt.error = distribution->error +
                 (2 * (long double)length + 16) * LDBL_EPSILON +
                 fabsl(tilt.log) * LDBL_EPSILON;
    if (first > 0)
        tilt.error +=
            shift < away / 2
                ? far / a * (distribution->far_error + 2.1L * shift / away)
                : INFINITY;
    return tilt;
}

static void deviation_add(struct tilt one, struct tilt *total)
{
    total->log += one.log;
    total->mean += one.mean;
    total->variance += one.variance;
    total->error += one.error + 2 * LDBL_EPSILON * (1 + fabsl(total->log));
}

/* Tilts every part of one kind. most: the greatest logarithm; worst: the
 * greatest absolute logarithm and error. */
static void deviation_parts(const struct search *search, int kind,
                            long double *most, struct tilt *worst)
{
    const struct nb_distribution_mix *mix = search->sum->mix;
    const uint32_t *distribution = mix->distributions[kind];
    *most = -INFINITY;
    for (size_t i = 0; i < mix->count[kind]; i++) {
        struct tilt *part = &search->parts[kind][i];
        *part = (struct tilt){ 0 };
        for (size_t j = 0; j < mix->width[kind]; j++)
            deviation_add(search->distributions[*distribution++], part);
        *most = fmaxl(*most, part->log);
        worst->log = fmaxl(worst->log, fabsl(part->log));
        worst->error = fmaxl(worst->error, part->error);
    }
}

/* With weights w and the parts' generating functions U, V, each divided by the
 * greatest of its kind: sums of w U V, of w U V times the mean m, and of w U V
 * times (m^2 + variance). */
static struct tilt deviation_mix(const struct search *search, long double theta)
{
    const struct nb_distribution_sum *sum = search->sum;
    const struct nb_distribution_mix *mix = sum->mix;
    long double most[NB_MIX_PARTS], a = 0, b = 0, c = 0;
    struct tilt worst[NB_MIX_PARTS] = { { 0 } };
    for (size_t i = 0; i < sum->count; i++)
        search->distributions[i] = deviation_law(sum->distributions[i], theta);
    for (int kind = 0; kind < NB_MIX_PARTS; kind++) {
        deviation_parts(search, kind, &most[kind], &worst[kind]);
        for (size_t i = 0; i < mix->count[kind]; i++)
            search->parts[kind][i].log =
                expl(search->parts[kind][i].log - most[kind]);
    }
    for (size_t i = 0; i < mix->share_count; i++) {
        const struct nb_distribution_share *share = &mix->shares[i];
        const struct tilt *u =
            &search->parts[NB_MIX_FIRST][share->part[NB_MIX_FIRST]];
        const struct tilt *v =
            &search->parts[NB_MIX_LAST][share->part[NB_MIX_LAST]];
        const long double weight = (long double)share->weight * u->log * v->log;
        const long double mean = u->mean + v->mean;
        a += weight;
        b += weight * mean;
        c += weight * (mean * mean + u->variance + v->variance);
    }
    const long double mean = b / a;
    struct tilt tilt = { most[0] + most[1] + logl(a / (long double)mix->total),
                         mean, c / a - mean * mean, 0 };
    /* Logarithms are rounded when subtracted, added and taken; each share three
     * times and once more when it is added. */
    tilt.error = worst[0].error + worst[1].error +
                 LDBL_EPSILON * ((long double)mix->share_count + 16 +
                                 4 * (worst[0].log + worst[1].log));
    return tilt;
}

static struct tilt deviation_tilt(const struct search *search,
                                  long double theta)
{
    const struct nb_distribution_sum *sum = search->sum;
    struct tilt total = { 0 }, one = { 0 };
    if (sum->mix != NULL)
        return deviation_mix(search, theta);
    for (size_t i = 0; i < sum->count; i++) {
        if (i == 0 || sum->distributions[i] != sum->distributions[i - 1])
            one = deviation_law(sum->distributions[i], theta);
        deviation_add(one, &total);
    }
    return total;
}

/* The greatest theta to try: short of the nearest pole, and large enough that a
 * bounded distribution's last mass dominates while no power overflows. */
static double deviation_cap(const struct nb_distribution_sum *sum)
{
    long double cap = 800; /* exp(-800) < NB_DISTRIBUTION_LEAST */
    for (size_t i = 0; i < sum->count; i++) {
        const struct nb_distribution *distribution = sum->distributions[i];
        const long double own = isinf(distribution->rate)
                                    ? 11000 / (long double)distribution->length
                                    : distribution->rate * (1 - 1e-9L);
        cap = own < cap ? own : cap;
    }
    return (double)cap;
}

/* The largest value of S, for a mix perhaps a larger number; +inf if there is
 * no limit. */
static double deviation_most(const struct nb_distribution_sum *sum)
{
    const struct nb_distribution_mix *mix = sum->mix;
    double most = 0, greatest = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const double own = isinf(sum->distributions[i]->rate)
                               ? (double)sum->distributions[i]->length - 1
                               : INFINITY;
        most += own;
        greatest = own > greatest ? own : greatest;
    }
    if (mix == NULL)
        return most;
    return greatest *
           (double)(mix->width[NB_MIX_FIRST] + mix->width[NB_MIX_LAST]);
}

static struct looked deviation_look(const struct search *search, double theta)
{
    return (struct looked){ theta, deviation_tilt(search, theta) };
}

/* The bound is flat at its minimum: if the mean is this close to n, in standard
 * deviations, the bound is 1e-20 above it. */
static bool deviation_is_near(const struct tilt *tilt, double n)
{
    const long double miss = tilt->mean - n;
    return miss * miss <= 1e-20L * tilt->variance;
}

/* Newton's step to the zero of 1/n - 1/mean: near a pole the mean is the pole's
 * order over the distance, so this is nearly a straight line; the variance is
 * the mean's derivative. */
static double deviation_step(const struct looked *at, double n)
{
    const struct tilt *tilt = &at->tilt;
    return (double)(at->theta +
                    (n - tilt->mean) * tilt->mean / (n * tilt->variance));
}

/* Finds the tilt with mean n between none and the cap, starting from the last
 * one. Bisects if steps leave the interval or become too many. */
static void deviation_solve(struct search *search, double n)
{
    enum { STEPS = 200, FREE = 8 };
    double low = search->none.theta, high = search->cap.theta;
    for (int i = 0; i < STEPS; i++) {
        double theta = deviation_step(&search->last, n);
        if (!(theta > low && theta < high) || (i > FREE && i % 2 == 0))
            theta = low + (high - low) / 2;
        search->last = deviation_look(search, theta);
        if (deviation_is_near(&search->last.tilt, n))
            break;
        if (search->last.tilt.mean < n)
            low = theta;
        else
            high = theta;
    }
}

/* Bound and estimate from a theta: every theta is valid, the tilt with mean n
 * is best. */
static struct nb_deviation deviation_of(const struct looked *at, long double n)
{
    const struct tilt *tilt = &at->tilt;
    const long double theta = at->theta;
    const long double log_bound = tilt->log - n * theta;
    /* n theta and the difference are rounded, and theta is not quite log z */
    const long double error =
        tilt->error + LDBL_EPSILON * (n * (1 + theta) + fabsl(tilt->log) + 4);
    struct nb_deviation result = { 1, 1 };
    if (!(error < 0.5L))
        return result;
    const long double bound = fmaxl(expl(log_bound), LDBL_MIN);
    const long double estimate =
        bound / (-expm1l(-theta) *
                 sqrtl(2 * 3.14159265358979323846L * fmaxl(tilt->variance, 0)));
    const struct nb_bracket bracket = nb_bracket_of(bound, 2 * error);
    result.chernoff = bracket.upper < 1 ? bracket.upper : 1;
    result.bahadur_rao = estimate < 1 ? (double)estimate : 1;
    return result;
}

static struct nb_deviation deviation_find(struct search *search, double n)
{
    const long double mean = search->none.tilt.mean;
    if (!((double)(1 / n - 1 / mean) < 0)) /* up to the mean, as rounded */
        return (struct nb_deviation){ 1, 1 };
    if (n > deviation_most(search->sum))
        return (struct nb_deviation){ 0, 0 };
    /* Beyond the reach of the cap, the cap is as good a choice as any. */
    if (search->cap.tilt.mean > n && mean > 0)
        deviation_solve(search, n);
    else
        search->last = search->cap;
    struct looked at = search->last;
    /* A far part with a large error must not dominate. */
    for (int i = 0; i < 60 && !(at.tilt.error < 0.25L); i++)
        at = deviation_look(search, at.theta * 0.75);
    return deviation_of(&at, n);
}

static enum nb_status deviation_check(const struct nb_distribution_sum *sum,
                                      struct nb_error *err)
{
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sum->count; i++) {
        NB_TRY(nb_distribution_check(sum->distributions[i], 1, err));
        if (sum->distributions[i]->is_cut)
            NB_TRY(nb_fail(
                err, NB_INVALID,
                "a distribution cut at %zu (permitted: one that is not cut)",
                sum->distributions[i]->length));
    }
done:
    return status;
}

static void search_release(struct search *search)
{
    nb_delete(search->distributions);
    for (int kind = 0; kind < NB_MIX_PARTS; kind++)
        nb_delete(search->parts[kind]);
}

static enum nb_status search_init(const struct nb_distribution_sum *sum,
                                  struct search *out, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct search){ .sum = sum };
    NB_TRY(deviation_check(sum, err));
    if (sum->mix != NULL) {
        NB_TRY(nb_new(&out->distributions, sum->count,
                      sizeof *out->distributions, "tilts", err));
        for (int kind = 0; kind < NB_MIX_PARTS; kind++)
            NB_TRY(nb_new(&out->parts[kind], sum->mix->count[kind],
                          sizeof *out->parts[kind], "tilts", err));
    }
    out->none = out->last = deviation_look(out, 0);
    out->cap = deviation_look(out, deviation_cap(sum));
done:
    return status;
}

enum nb_status nb_deviations_at(const struct nb_distribution_sum *sum,
                                const double *n, size_t count,
                                struct nb_deviation *out, struct nb_error *err)
{
    struct search search;
    enum nb_status status = search_init(sum, &search, err);
    for (size_t i = 0; i < count; i++) {
        out[i] = (struct nb_deviation){ 1, 1 };
        if (status == NB_OK && !(n[i] >= 0 && n[i] < INFINITY))
            status =
                nb_fail(err, NB_INVALID,
                        "a delay of %g cycles (permitted: 0 and more)", n[i]);
        if (status == NB_OK)
            out[i] = deviation_find(&search, n[i]);
    }
    search_release(&search);
    return status;
}

enum nb_status nb_deviation_at(const struct nb_distribution_sum *sum, double n,
                               struct nb_deviation *out, struct nb_error *err)
{
    return nb_deviations_at(sum, &n, 1, out, err);
}

enum nb_status nb_deviation_depth(const struct nb_distribution_sum *sum,
                                  double overflow, double *out,
                                  struct nb_error *err)
{
    struct search search = { 0 };
    double low = 0, high = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_overflow_check(overflow, DBL_TRUE_MIN, err));
    NB_TRY(search_init(sum, &search, err));
    do {
        low = high;
        high = 2 * high + 1;
        if (high > 0x1p53) /* whole numbers are no longer all doubles */
            NB_TRY(nb_fail(err, NB_NO_CONVERGENCE,
                           "delays of probability %g are beyond 2^53 cycles",
                           overflow));
    } while (deviation_find(&search, high).chernoff >= overflow);
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        if (deviation_find(&search, middle).chernoff < overflow)
            high = middle;
        else
            low = middle;
    }
    *out = high;
done:
    search_release(&search);
    return status;
}
