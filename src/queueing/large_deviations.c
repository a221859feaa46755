#include "queueing/large_deviations.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>

/* The sum tilted by z = exp(theta): log E[z^S], mean and variance under the
 * tilted distribution. Doubles are enough to search for theta, since every
 * theta gives a bound. error bounds that of the logarithm as log_sum finds it,
 * which has more digits. */
struct tilt {
    double log, mean, variance, error;
};

/* The theta evaluated last, and the tilted sum there. */
struct looked {
    double theta;
    struct tilt tilt;
};

struct search {
    const struct nb_distribution_sum *sum;
    struct tilt *distributions, *parts[NB_MIX_PARTS]; /* scratch of a mix */
    struct nb_twofold *logs[1 + NB_MIX_PARTS];        /* the same for log_mix */
    struct looked none, cap, last; /* no tilt, the greatest tilt, the last
                                    * one */
};

/* 1 - z/z0, accurate next to the pole. */
static double deviation_gap(const struct nb_distribution *distribution,
                            double theta)
{
    const struct nb_twofold away = nb_twofold_more(distribution->rate, -theta);
    return isinf(distribution->rate.high)
               ? 1
               : -nb_twofold_expm1(nb_twofold_negate(away)).high;
}

/* A scale for doubles that leaves room for powers of z. */
#define SMALL_SCALE 0x1p256

static double small(struct nb_twofold mass)
{
    return mass.high * (SMALL_SCALE / NB_DISTRIBUTION_SCALE);
}

/* The greatest value that a bounded distribution takes. */
static size_t deviation_last(const struct nb_distribution *distribution)
{
    size_t last = distribution->length;
    while (last > 0 && !(distribution->mass[last].high > 0))
        last--;
    return last;
}

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
static struct tilt deviation_far(const struct nb_distribution *distribution,
                                 double theta)
{
    const double z = nb_twofold_exp(nb_twofold_from(theta), 0).high;
    const double gap = deviation_gap(distribution, theta), q = 1 - gap;
    const double rate = distribution->rate.high;
    const size_t length = distribution->length;
    const double first = small(distribution->mass[length]);
    double a = first / gap, b = a * q / gap, c = b * (1 + q) / gap;
    double far = a; /* its share of the final A */
    for (size_t n = length; n-- > 0;) {
        c = z * (a + 2 * b + c);
        b = z * (a + b);
        a = small(distribution->mass[n]) + z * a;
        far *= z;
    }
    const double mean = b / a;
    struct tilt tilt = { log(a / SMALL_SCALE), mean, c / a - mean * mean, 0 };
    /* The distance to the pole is rounded, which changes the far part by at
     * most twice its own relative change. */
    const double away = nb_twofold_more(distribution->rate, -theta).high;
    const double shift = rate * distribution->rate_error +
                         NB_TWOFOLD_MATH_ERROR * (2 + 2 * theta);
    if (first > 0)
        tilt.error =
            shift < away / 2
                ? far / a * (distribution->far_error + 2.1 * shift / away)
                : INFINITY;
    return tilt;
}

/* A bounded distribution, in powers of 1/z below its last value, so that none
 * overflows: the same sums with m from the last value N down to 0, where
 * z^(m-n) is (1/z)^(n-m). */
static struct tilt deviation_near(const struct nb_distribution *distribution,
                                  double theta)
{
    const double w = nb_twofold_exp(nb_twofold_from(-theta), 0).high;
    const size_t last = deviation_last(distribution);
    double a = 0, b = 0, c = 0;
    for (size_t n = 0; n <= last; n++) {
        c = w * (a + 2 * b + c);
        b = w * (a + b);
        a = small(distribution->mass[n]) + w * a;
    }
    const double below = b / a, most = (double)last;
    return (struct tilt){ most * theta + log(a / SMALL_SCALE), most - below,
                          c / a - below * below, 0 };
}

static struct tilt deviation_law(const struct nb_distribution *distribution,
                                 double theta)
{
    struct tilt tilt = isinf(distribution->rate.high)
                           ? deviation_near(distribution, theta)
                           : deviation_far(distribution, theta);
    /* exp(theta) is rounded, as are powers and the logarithm. */
    tilt.error +=
        distribution->error +
        ((2 + 2 * theta) * (double)distribution->length + 20 + fabs(tilt.log)) *
            NB_TWOFOLD_MATH_ERROR;
    return tilt;
}

/* The logarithm of A_0 in deviation_law. */
static struct nb_twofold log_law(const struct nb_distribution *distribution,
                                 double theta)
{
    const bool is_bounded = isinf(distribution->rate.high);
    const size_t last =
        is_bounded ? deviation_last(distribution) : distribution->length - 1;
    const struct nb_twofold step =
        nb_twofold_exp(nb_twofold_from(is_bounded ? -theta : theta), 0);
    struct nb_twofold a = { 0, 0 };
    if (!is_bounded) {
        const struct nb_twofold away =
            nb_twofold_more(distribution->rate, -theta);
        a = nb_twofold_divide(
            nb_twofold_negate(distribution->mass[distribution->length]),
            nb_twofold_expm1(nb_twofold_negate(away)));
    }
    for (size_t i = 0; i <= last; i++)
        a = nb_twofold_add(distribution->mass[is_bounded ? i : last - i],
                           nb_twofold_multiply(step, a));
    const struct nb_twofold own =
        nb_twofold_log(nb_twofold_shift(a, 1 / NB_DISTRIBUTION_SCALE));
    return is_bounded
               ? nb_twofold_add(own, nb_twofold_product((double)last, theta))
               : own;
}

static void deviation_add(struct tilt one, struct tilt *total)
{
    total->log += one.log;
    total->mean += one.mean;
    total->variance += one.variance;
    total->error += one.error + 2 * NB_TWOFOLD_ERROR * (1 + fabs(total->log));
}

/* Tilts every part of one kind. most: the greatest logarithm; worst: the
 * greatest absolute logarithm and error. */
static void deviation_parts(const struct search *search, int kind, double *most,
                            struct tilt *worst)
{
    const struct nb_distribution_mix *mix = search->sum->mix;
    const uint32_t *distribution = mix->distributions[kind];
    *most = -INFINITY;
    for (size_t i = 0; i < mix->count[kind]; i++) {
        struct tilt *part = &search->parts[kind][i];
        *part = (struct tilt){ 0 };
        for (size_t j = 0; j < mix->width[kind]; j++)
            deviation_add(search->distributions[*distribution++], part);
        *most = fmax(*most, part->log);
        worst->log = fmax(worst->log, fabs(part->log));
        worst->error = fmax(worst->error, part->error);
    }
}

/* With weights w and the parts' generating functions U, V, each divided by the
 * greatest of its kind: sums of w U V, of w U V times the mean m, and of w U V
 * times (m^2 + variance). */
static struct tilt deviation_mix(const struct search *search, double theta)
{
    const struct nb_distribution_sum *sum = search->sum;
    const struct nb_distribution_mix *mix = sum->mix;
    double most[NB_MIX_PARTS], a = 0, b = 0, c = 0;
    struct tilt worst[NB_MIX_PARTS] = { { 0 } };
    for (size_t i = 0; i < sum->count; i++)
        search->distributions[i] = deviation_law(sum->distributions[i], theta);
    for (int kind = 0; kind < NB_MIX_PARTS; kind++) {
        deviation_parts(search, kind, &most[kind], &worst[kind]);
        for (size_t i = 0; i < mix->count[kind]; i++)
            search->parts[kind][i].log =
                exp(search->parts[kind][i].log - most[kind]);
    }
    for (size_t i = 0; i < mix->share_count; i++) {
        const struct nb_distribution_share *share = &mix->shares[i];
        const struct tilt *u =
            &search->parts[NB_MIX_FIRST][share->part[NB_MIX_FIRST]];
        const struct tilt *v =
            &search->parts[NB_MIX_LAST][share->part[NB_MIX_LAST]];
        const double weight = (double)share->weight * u->log * v->log;
        const double mean = u->mean + v->mean;
        a += weight;
        b += weight * mean;
        c += weight * (mean * mean + u->variance + v->variance);
    }
    const double mean = b / a;
    struct tilt tilt = { most[0] + most[1] + log(a / (double)mix->total), mean,
                         c / a - mean * mean, 0 };
    /* Logarithms are rounded when subtracted, added and taken; each share four
     * times and once more when it is added. */
    tilt.error = worst[0].error + worst[1].error +
                 NB_TWOFOLD_MATH_ERROR * ((double)mix->share_count + 16 +
                                          4 * (worst[0].log + worst[1].log));
    return tilt;
}

/* The logarithm in deviation_mix. */
static struct nb_twofold log_mix(const struct search *search, double theta)
{
    const struct nb_distribution_sum *sum = search->sum;
    const struct nb_distribution_mix *mix = sum->mix;
    struct nb_twofold most[NB_MIX_PARTS], total = { 0, 0 };
    struct nb_twofold *const own = search->logs[NB_MIX_PARTS];
    for (size_t i = 0; i < sum->count; i++)
        own[i] = log_law(sum->distributions[i], theta);
    for (int kind = 0; kind < NB_MIX_PARTS; kind++) {
        const uint32_t *at = mix->distributions[kind];
        struct nb_twofold *const logs = search->logs[kind];
        most[kind] = nb_twofold_from(-INFINITY);
        for (size_t i = 0; i < mix->count[kind]; i++) {
            logs[i] = nb_twofold_from(0);
            for (size_t j = 0; j < mix->width[kind]; j++)
                logs[i] = nb_twofold_add(logs[i], own[*at++]);
            if (nb_twofold_is_less(most[kind], logs[i]))
                most[kind] = logs[i];
        }
        for (size_t i = 0; i < mix->count[kind]; i++)
            logs[i] =
                nb_twofold_exp(nb_twofold_subtract(logs[i], most[kind]), 0);
    }
    for (size_t i = 0; i < mix->share_count; i++) {
        const struct nb_distribution_share *share = &mix->shares[i];
        const struct nb_twofold product = nb_twofold_multiply(
            search->logs[NB_MIX_FIRST][share->part[NB_MIX_FIRST]],
            search->logs[NB_MIX_LAST][share->part[NB_MIX_LAST]]);
        total = nb_twofold_add(
            total, nb_twofold_multiply(nb_twofold_of((nb_int128)share->weight),
                                       product));
    }
    const struct nb_twofold mean =
        nb_twofold_divide(total, nb_twofold_of((nb_int128)mix->total));
    return nb_twofold_add(nb_twofold_add(most[0], most[1]),
                          nb_twofold_log(mean));
}

static struct nb_twofold log_sum(const struct search *search, double theta)
{
    const struct nb_distribution_sum *sum = search->sum;
    struct nb_twofold total = { 0, 0 }, one = { 0, 0 };
    if (sum->mix != NULL)
        return log_mix(search, theta);
    for (size_t i = 0; i < sum->count; i++) {
        if (i == 0 || sum->distributions[i] != sum->distributions[i - 1])
            one = log_law(sum->distributions[i], theta);
        total = nb_twofold_add(total, one);
    }
    return total;
}

static struct tilt deviation_tilt(const struct search *search, double theta)
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
    double cap = 800; /* exp(-800) < NB_DISTRIBUTION_LEAST */
    for (size_t i = 0; i < sum->count; i++) {
        /* Decay rates are below ln NB_DECAY_MOST. */
        const double own =
            fmin(sum->distributions[i]->rate.high * (1 - 1e-9), 350);
        if (!isinf(sum->distributions[i]->rate.high))
            cap = fmin(cap, own);
    }
    return cap;
}

/* The largest value of S, for a mix perhaps a larger number; +inf if there is
 * no limit. */
static double deviation_most(const struct nb_distribution_sum *sum)
{
    const struct nb_distribution_mix *mix = sum->mix;
    double most = 0, greatest = 0;
    for (size_t i = 0; i < sum->count; i++) {
        const double own = isinf(sum->distributions[i]->rate.high)
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
    const double miss = tilt->mean - n;
    return miss * miss <= 1e-20 * tilt->variance;
}

/* Newton's step to the zero of 1/n - 1/mean: near a pole the mean is the pole's
 * order over the distance, so this is nearly a straight line; the variance is
 * the mean's derivative. */
static double deviation_step(const struct looked *at, double n)
{
    const struct tilt *tilt = &at->tilt;
    return at->theta + (n - tilt->mean) * tilt->mean / (n * tilt->variance);
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
static struct nb_deviation deviation_of(const struct search *search,
                                        const struct looked *at, double n)
{
    const struct tilt *tilt = &at->tilt;
    const double theta = at->theta;
    const struct nb_twofold least = { -900, 0 }; /* so that it is not 0 */
    struct nb_twofold log_bound = nb_twofold_subtract(
        log_sum(search, theta), nb_twofold_product(n, theta));
    if (nb_twofold_is_less(log_bound, least))
        log_bound = least;
    /* the difference is rounded */
    const double error =
        tilt->error +
        NB_TWOFOLD_MATH_ERROR * (n * (1 + theta) + fabs(tilt->log) + 4);
    struct nb_deviation result = { 1, 1 };
    if (!(error < 0.5))
        return result;
    const struct nb_twofold bound =
        nb_twofold_exp(log_bound, NB_DISTRIBUTION_POWER);
    const double gap = -nb_twofold_expm1(nb_twofold_from(-theta)).high;
    const double estimate = nb_scaled_value(bound) /
                            (gap * sqrt(2 * M_PI * fmax(tilt->variance, 0)));
    const struct nb_bracket bracket = nb_scaled_bracket_of(bound, 2 * error);
    result.chernoff = bracket.upper < 1 ? bracket.upper : 1;
    result.bahadur_rao = estimate < 1 ? estimate : 1;
    return result;
}

static struct nb_deviation deviation_find(struct search *search, double n)
{
    const double mean = search->none.tilt.mean;
    if (!(1 / n - 1 / mean < 0)) /* up to the mean, as rounded */
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
    for (int i = 0; i < 60 && !(at.tilt.error < 0.25); i++)
        at = deviation_look(search, at.theta * 0.75);
    return deviation_of(search, &at, n);
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
    for (int kind = 0; kind < NB_MIX_PARTS; kind++) {
        nb_delete(search->parts[kind]);
        nb_delete(search->logs[kind]);
    }
    nb_delete(search->logs[NB_MIX_PARTS]);
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
        NB_TRY(nb_new(&out->logs[NB_MIX_PARTS], sum->count,
                      sizeof *out->logs[NB_MIX_PARTS], "tilts", err));
        for (int kind = 0; kind < NB_MIX_PARTS; kind++) {
            NB_TRY(nb_new(&out->parts[kind], sum->mix->count[kind],
                          sizeof *out->parts[kind], "tilts", err));
            NB_TRY(nb_new(&out->logs[kind], sum->mix->count[kind],
                          sizeof *out->logs[kind], "tilts", err));
        }
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
