#include "queueing/path_delay.h"

#include "core/memory.h"
#include "queueing/convolve.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>

/* Sums of means and of variances over one part of a mix. */
static void moments_part(const struct nb_delay_path *path, int kind,
                         uint32_t number, struct nb_enclosure *mean,
                         struct nb_enclosure *variance)
{
    const size_t width = path->mix.width[kind];
    const uint32_t *at = path->mix.distributions[kind] + number * width;
    for (size_t i = 0; i < width; i++) {
        *mean = nb_enclosure_add(*mean, path->hops[at[i]]->mean);
        *variance = nb_enclosure_add(*variance, path->hops[at[i]]->variance);
    }
}

/* Sums of means, including the hops' own cycles, and of variances over one of
 * the paths. */
static void moments_of(const struct nb_delay_path *path, size_t share,
                       struct nb_enclosure *mean, struct nb_enclosure *variance)
{
    *mean = nb_enclosure_of_whole((uint32_t)path->count);
    *variance = nb_enclosure_of_whole(0);
    if (path->mix.share_count > 0) {
        for (int kind = 0; kind < NB_MIX_PARTS; kind++)
            moments_part(path, kind, path->mix.shares[share].part[kind], mean,
                         variance);
        return;
    }
    for (size_t i = 0; i < path->count; i++) {
        *mean = nb_enclosure_add(*mean, path->hops[i]->mean);
        *variance = nb_enclosure_add(*variance, path->hops[i]->variance);
    }
}

static size_t moments_shares(const struct nb_delay_path *path)
{
    return path->mix.share_count > 0 ? path->mix.share_count : 1;
}

/* weight / total, which fit 63 bits. */
static struct nb_enclosure moments_share(const struct nb_delay_path *path,
                                         size_t share)
{
    if (path->mix.share_count == 0)
        return nb_enclosure_of_whole(1);
    return nb_enclosure_of_ratio(nb_ratio_make(
        (nb_int128)path->mix.shares[share].weight, (nb_int128)path->mix.total));
}

struct nb_enclosure nb_delay_path_mean(const struct nb_delay_path *path)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0), mean, variance;
    if (nb_delay_path_is_empty(path))
        return (struct nb_enclosure){ .lower = NAN, .upper = NAN };
    for (size_t i = 0; i < moments_shares(path); i++) {
        moments_of(path, i, &mean, &variance);
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(moments_share(path, i), mean));
    }
    return sum;
}

/* E[D^2] */
static struct nb_enclosure moments_square(const struct nb_delay_path *path)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0), mean, variance;
    for (size_t i = 0; i < moments_shares(path); i++) {
        moments_of(path, i, &mean, &variance);
        const struct nb_enclosure own =
            nb_enclosure_add(variance, nb_enclosure_multiply(mean, mean));
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(moments_share(path, i), own));
    }
    return sum;
}

struct nb_enclosure nb_delay_mean(const struct nb_delay *delay)
{
    struct nb_enclosure sum = nb_enclosure_of_whole(0);
    for (size_t i = 0; i < delay->path_count; i++) {
        const struct nb_enclosure weight =
            nb_enclosure_of_ratio(delay->paths[i].weight);
        if (nb_delay_path_is_empty(&delay->paths[i]))
            continue;
        sum = nb_enclosure_add(
            sum, nb_enclosure_multiply(weight,
                                       nb_delay_path_mean(&delay->paths[i])));
    }
    return sum;
}

struct nb_enclosure nb_delay_variance(const struct nb_delay *delay)
{
    struct nb_enclosure square = nb_enclosure_of_whole(0), mean, variance;
    if (delay->path_count == 1 && moments_shares(delay->paths) == 1) {
        moments_of(delay->paths, 0, &mean, &variance);
        return variance;
    }
    for (size_t i = 0; i < delay->path_count; i++) {
        const struct nb_delay_path *path = &delay->paths[i];
        if (!nb_delay_path_is_empty(path))
            square = nb_enclosure_add(
                square,
                nb_enclosure_multiply(nb_enclosure_of_ratio(path->weight),
                                      moments_square(path)));
    }
    mean = nb_delay_mean(delay);
    return nb_enclosure_excess(square, nb_enclosure_multiply(mean, mean));
}

enum nb_status nb_delay_path_reserve(struct nb_delay_path *path, size_t count,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    path->count = path->kind_count = count;
    NB_TRY(nb_new(&path->hops, count, sizeof *path->hops, "a path", err));
    NB_TRY(nb_new(&path->distributions, count, sizeof *path->distributions,
                  "a path", err));
done:
    return status;
}

void nb_delay_release(struct nb_delay *delay)
{
    for (size_t i = 0; i < delay->path_count; i++) {
        nb_delete(delay->paths[i].hops);
        nb_delete(delay->paths[i].distributions);
        nb_distribution_mix_release(&delay->paths[i].mix);
        nb_distribution_release(&delay->paths[i].sum);
    }
    nb_delete(delay->paths);
    *delay = (struct nb_delay){ 0 };
}

bool nb_delay_path_is_empty(const struct nb_delay_path *path)
{
    return path->weight.numerator == 0;
}

static struct nb_twofold delay_weight(const struct nb_delay_path *path)
{
    if (nb_delay_path_is_empty(path))
        return nb_twofold_from(0); /* a zero-initialised weight has no value */
    return nb_twofold_of_ratio(path->weight);
}

static struct nb_distribution_sum delay_sum(const struct nb_delay_path *path)
{
    const bool is_mix = path->mix.share_count > 0;
    return (struct nb_distribution_sum){ path->distributions, path->kind_count,
                                         is_mix ? &path->mix : NULL };
}

/* Weighted sums over paths at one delay, times NB_DISTRIBUTION_SCALE. */
struct deviation_sum {
    struct nb_twofold chernoff, estimate;
};

/* Adds a path's part for each of the delays. */
static enum nb_status deviation_add_path(const struct nb_delay_path *path,
                                         const double *d, size_t count,
                                         struct deviation_sum *total,
                                         struct nb_error *err)
{
    const struct nb_distribution_sum sum = delay_sum(path);
    struct nb_deviation *own = NULL;
    double *n = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&own, count, sizeof *own, "delays", err));
    NB_TRY(nb_new(&n, count, sizeof *n, "delays", err));
    for (size_t i = 0; i < count; i++)
        n[i] = fmax(d[i] - (double)path->count, 0);
    NB_TRY(nb_deviations_at(&sum, n, count, own, err));
    for (size_t i = 0; i < count; i++) {
        const struct nb_twofold weight = nb_scaled(delay_weight(path));
        total[i].chernoff = nb_twofold_add(
            total[i].chernoff, nb_twofold_times(weight, own[i].chernoff));
        total[i].estimate = nb_twofold_add(
            total[i].estimate, nb_twofold_times(weight, own[i].bahadur_rao));
    }
done:
    nb_delete(n);
    nb_delete(own);
    return status;
}

enum nb_status nb_delay_deviations(const struct nb_delay *delay,
                                   const double *d, size_t count,
                                   struct nb_deviation *out,
                                   struct nb_error *err)
{
    struct deviation_sum *total = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&total, count, sizeof *total, "delays", err));
    for (size_t i = 0; i < delay->path_count; i++)
        if (!nb_delay_path_is_empty(&delay->paths[i]))
            NB_TRY(deviation_add_path(&delay->paths[i], d, count, total, err));
    for (size_t i = 0; i < count; i++) {
        /* two roundings of each product and one of the addition */
        const struct nb_bracket bracket = nb_scaled_bracket_of(
            total[i].chernoff,
            3 * (double)delay->path_count * NB_TWOFOLD_ERROR);
        out[i].chernoff = bracket.upper < 1 ? bracket.upper : 1;
        out[i].bahadur_rao = nb_scaled_value(total[i].estimate);
    }
done:
    nb_delete(total);
    return status;
}

enum nb_status nb_delay_deviation(const struct nb_delay *delay, double d,
                                  struct nb_deviation *out,
                                  struct nb_error *err)
{
    return nb_delay_deviations(delay, &d, 1, out, err);
}

enum nb_status nb_delay_reach(const struct nb_delay *delay, double overflow,
                              double *every, double *sum, struct nb_error *err)
{
    struct nb_deviation at;
    double low = INFINITY, high = 0;
    enum nb_status status = NB_OK;
    NB_TRY(nb_overflow_check(overflow, DBL_TRUE_MIN, err));
    for (size_t i = 0; i < delay->path_count; i++) {
        const struct nb_distribution_sum own = delay_sum(&delay->paths[i]);
        double depth;
        if (nb_delay_path_is_empty(&delay->paths[i]))
            continue;
        NB_TRY(nb_deviation_depth(&own, overflow, &depth, err));
        depth += (double)delay->paths[i].count;
        high = fmax(depth, high);
        low = fmin(depth - 1, low); /* no path is below overflow yet */
    }
    *every = high;
    while (high - low > 1) {
        const double middle = floor(low + (high - low) / 2);
        NB_TRY(nb_delay_deviation(delay, middle, &at, err));
        if (at.chernoff < overflow)
            high = middle;
        else
            low = middle;
    }
    *sum = high;
done:
    return status;
}

enum nb_status nb_delay_convolve(struct nb_delay *delay, double d,
                                 struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (!(d >= 1 && d < 0x1p53))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "delays up to %g cycles (permitted: 1 to 2^53)", d));
    for (size_t i = 0; i < delay->path_count; i++) {
        struct nb_delay_path *path = &delay->paths[i];
        const double rest = d - (double)path->count;
        const size_t length = rest > 1 ? (size_t)rest : 1;
        if (nb_delay_path_is_empty(path))
            continue;
        if (path->mix.share_count > 0)
            NB_TRY(nb_distribution_mix_convolve(&path->mix, path->distributions,
                                                length, &path->sum, err));
        else
            NB_TRY(nb_distributions_convolve(path->distributions, path->count,
                                             length, &path->sum, err));
    }
done:
    return status;
}

/* Whether the hops together never wait n slots; known only if every queue has a
 * maximum length. */
static bool delay_path_ends(const struct nb_delay_path *path, double n)
{
    size_t most = 0;
    for (size_t i = 0; i < path->kind_count; i++) {
        const struct nb_distribution *distribution = path->distributions[i];
        if (!isinf(distribution->rate.high))
            return false;
        for (size_t m = most + 1; m <= distribution->length; m++)
            most = distribution->mass[m].high > 0 ? m : most;
    }
    return (double)most * (double)path->count < n;
}

/* P(D >= d), and its possible error; both times NB_DISTRIBUTION_SCALE. */
static struct nb_twofold delay_path_value(const struct nb_delay_path *path,
                                          double d, double *slack)
{
    const double least = NB_DISTRIBUTION_LEAST * NB_DISTRIBUTION_SCALE;
    const double n = d - (double)path->count;
    *slack = 0;
    if (n <= 0)
        return nb_twofold_from(NB_DISTRIBUTION_SCALE);
    if (!(n <= (double)path->sum.length)) { /* at most the tail at length */
        *slack = nb_distribution_tail_bracket(&path->sum, n).upper *
                 NB_DISTRIBUTION_SCALE;
        return nb_twofold_from(0);
    }
    const struct nb_twofold tail = path->sum.tail[(size_t)n];
    if (tail.high > 0 || !delay_path_ends(path, n))
        *slack = path->sum.error * fmax(tail.high, least);
    return tail;
}

/* The slack is a double, rounded a few times. */
static struct nb_bracket delay_bracket(struct nb_twofold value, double slack,
                                       double error)
{
    const double wide = slack * (1 + 0x1p-51);
    const struct nb_twofold low = nb_twofold_more(value, -wide);
    const double lower =
        low.high > 0 ? nb_scaled_bracket_of(low, error).lower : 0;
    const double upper =
        nb_scaled_bracket_of(nb_twofold_more(value, wide), error).upper;
    return (struct nb_bracket){ lower, upper < 1 ? upper : 1 };
}

struct nb_bracket nb_delay_path_tail(const struct nb_delay_path *path, double d)
{
    double slack;
    const struct nb_twofold value = delay_path_value(path, d, &slack);
    if (d <= (double)path->count)
        return (struct nb_bracket){ 1, 1 };
    return delay_bracket(value, slack, NB_TWOFOLD_ERROR);
}

struct nb_bracket nb_delay_tail(const struct nb_delay *delay, double d)
{
    struct nb_twofold value = { 0, 0 };
    double slack = 0;
    bool is_certain = true;
    for (size_t i = 0; i < delay->path_count; i++) {
        double own;
        const struct nb_twofold weight = delay_weight(&delay->paths[i]);
        if (nb_delay_path_is_empty(&delay->paths[i]))
            continue;
        value = nb_twofold_add(
            value, nb_twofold_multiply(
                       weight, delay_path_value(&delay->paths[i], d, &own)));
        slack += weight.high * own;
        is_certain = is_certain && d <= (double)delay->paths[i].count;
    }
    if (is_certain)
        return (struct nb_bracket){ 1, 1 };
    return delay_bracket(value,
                         slack * (1 + (double)delay->path_count * DBL_EPSILON),
                         4 * (double)delay->path_count * NB_TWOFOLD_ERROR);
}

struct nb_bracket nb_delay_quantile(const struct nb_delay *delay,
                                    const struct nb_delay_path *path,
                                    double overflow, double reach)
{
    /* d + 1: P(D > d) = P(D >= d + 1) */
    double low[2] = { 0, 0 }, high[2] = { reach, reach };
    if (!isfinite(reach))
        return (struct nb_bracket){ 0, INFINITY };
    if (path != NULL && nb_delay_path_is_empty(path))
        return (struct nb_bracket){ NAN, NAN };
    for (int is_sure = 0; is_sure < 2; is_sure++)
        while (high[is_sure] - low[is_sure] > 1) {
            const double middle =
                floor(low[is_sure] + (high[is_sure] - low[is_sure]) / 2);
            const struct nb_bracket tail =
                path != NULL ? nb_delay_path_tail(path, middle)
                             : nb_delay_tail(delay, middle);
            if ((is_sure ? tail.upper : tail.lower) <= overflow)
                high[is_sure] = middle;
            else
                low[is_sure] = middle;
        }
    return (struct nb_bracket){ high[0] - 1, high[1] - 1 };
}
