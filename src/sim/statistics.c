#include "sim/statistics.h"

#include "core/memory.h"
#include "core/twofold.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>

/* Fewer make intervals wide and their widths uncertain: t is 2.36 with 8
 * batches, 3.18 with 4, 1.96 with many. */
enum { STATISTICS_LEAST_BATCHES = 8 };

/* The number of independent values that a series must be worth for its mean to
 * be nearly normal, and of relaxation times that a replication must last for
 * its beginning to be forgotten. */
enum { STATISTICS_LEAST_WORTH = 40, STATISTICS_LEAST_TIMES = 8 };

/* A correlation above this number of deviations causes neighbours to be merged.
 * It is small, because merging in vain widens an interval by some percent,
 * while a missed correlation makes it wrong. */
static const double statistics_deviations = 0.5;

double nb_t_tail(double chance, size_t count)
{
    return count < 2 ? INFINITY : gsl_cdf_tdist_Qinv(chance, (double)count - 1);
}

double nb_t_quantile(double confidence, size_t count)
{
    return nb_t_tail((1 - confidence) / 2, count);
}

/* weight NULL: all 1. */
static double statistics_weight(const double *weight, size_t i)
{
    return weight != NULL ? weight[i] : 1;
}

/* A batch's excess over the mean. */
static double statistics_residual(const double *sum, const double *weight,
                                  size_t i, double mean)
{
    return sum[i] - mean * statistics_weight(weight, i);
}

/* The sum of all over the weight of all, NAN without any. In twofold numbers,
 * so that equal values have exactly their value as mean, and no variance. */
static double statistics_mean(const double *sum, const double *weight,
                              size_t count)
{
    struct nb_twofold sums = { 0 }, weights = { 0 };
    for (size_t i = 0; i < count; i++) {
        sums = nb_twofold_more(sums, sum[i]);
        weights = nb_twofold_more(weights, statistics_weight(weight, i));
    }
    return weights.high > 0 ? nb_twofold_divide(sums, weights).high : NAN;
}

/* chance: of the mean above the interval, and of the mean below it */
static struct nb_estimate statistics_estimate(const double *sum,
                                              const double *weight,
                                              size_t count, double chance)
{
    struct nb_estimate estimate = { statistics_mean(sum, weight, count),
                                    INFINITY };
    const double k = (double)count;
    double squares = 0, weights = 0;
    size_t observed = 0;
    for (size_t i = 0; i < count; i++) {
        const double residual =
            statistics_residual(sum, weight, i, estimate.mean);
        squares += residual * residual;
        weights += statistics_weight(weight, i);
        observed += statistics_weight(weight, i) > 0;
    }
    /* The residuals sum to 0, so if only one batch observed anything, its
     * residual is 0 and says nothing about the error. */
    if (observed >= 2)
        estimate.half_width =
            nb_t_tail(chance, count) * (sqrt(k / (k - 1) * squares) / weights);
    return estimate;
}

struct nb_estimate nb_estimate_ratio(const double *sum, const double *weight,
                                     size_t count, double confidence)
{
    return statistics_estimate(sum, weight, count, (1 - confidence) / 2);
}

struct nb_estimate nb_estimate_mean(const double *value, size_t count,
                                    double confidence)
{
    return statistics_estimate(value, NULL, count, (1 - confidence) / 2);
}

struct nb_interval nb_interval_cut(struct nb_interval interval, double most)
{
    /* NAN is neither above nor below. */
    if (interval.lower > most)
        interval.lower = most;
    if (interval.lower < 0)
        interval.lower = 0;
    if (interval.upper > most)
        interval.upper = fmax(interval.value, most);
    return interval;
}

struct nb_interval nb_interval_of(struct nb_estimate estimate, double most)
{
    const double mean = estimate.mean, half = estimate.half_width;
    return nb_interval_cut(
        (struct nb_interval){ mean, mean - half, mean + half }, most);
}

struct nb_interval nb_interval_of_wait(struct nb_estimate estimate,
                                       struct nb_estimate wait)
{
    struct nb_interval interval = nb_interval_of(estimate, INFINITY);
    const double left = 1 - wait.half_width / wait.mean;
    interval.upper = estimate.mean + estimate.half_width / fmax(left, 0.5);
    return interval;
}

struct nb_interval nb_interval_scale(struct nb_interval interval, double scale)
{
    return (struct nb_interval){ scale * interval.value, scale * interval.lower,
                                 scale * interval.upper };
}

bool nb_extreme_take(struct nb_interval *extreme, enum nb_extreme_kind kind,
                     struct nb_estimate estimate, double surer)
{
    const double mean = estimate.mean, half = estimate.half_width;
    const bool is_least = kind == NB_LEAST;
    double (*const choose)(double, double) = is_least ? fmin : fmax;
    const bool is_it =
        is_least ? !(extreme->value <= mean) : !(extreme->value >= mean);
    extreme->value = choose(extreme->value, mean);
    extreme->lower = choose(extreme->lower, mean - (is_least ? half : surer));
    extreme->upper = choose(extreme->upper, mean + (is_least ? surer : half));
    return is_it;
}

void nb_jain_take(struct nb_jain *jain, struct nb_estimate estimate)
{
    jain->count++;
    jain->sum += estimate.mean;
    jain->squares += estimate.mean * estimate.mean;
    jain->error += estimate.half_width * estimate.half_width;
}

struct nb_interval nb_jain_index(const struct nb_jain *jain)
{
    const double n = (double)jain->count, right = acos(0);
    const double value = jain->sum * jain->sum / (n * jain->squares);
    if (isnan(value))
        return (struct nb_interval){ NAN, NAN, NAN };
    const double angle = acos(fmin(1, sqrt(value)));
    const double error = asin(fmin(1, sqrt(jain->error / jain->squares)));
    const double near = cos(fmax(angle - error, 0));
    const double far = cos(fmin(angle + error, right));
    return (struct nb_interval){ value, fmax(far * far, 1 / n), near * near };
}

/*
 * The lag-1 correlation of neighbours by von Neumann's ratio, and its standard
 * deviation among independent batches. With N batches of R replications, P =
 * N - R pairs of neighbours:
 *
 *     C = 1 - (D / 2P) / (S / (N - 1)),
 *     D = sum over pairs of (e_i - e_{i+1})^2,  S = sum of e_i^2
 *
 * For independent normal e about their mean, D / S is independent of S, so the
 * moments of the ratio are the ratios of moments: E D = 2P, E S = N - 1,
 * E D^2 = 4P^2 + 2 (6N - 8R), E S^2 = (N - 1)(N + 1), whence E C = 0 and
 *
 *     Var C = ((N - 1)(3N - 4R) / P^2 - 2) / (N + 1),
 *
 * which is (N - 2) / (N^2 - 1) for R = 1. As the mean is that of all
 * replications, C is high as well if these differ by more than their batches.
 * deviation: out, sqrt(Var C)
 */
static double statistics_correlation(const double *sum, const double *weight,
                                     size_t count, size_t replications,
                                     double *deviation)
{
    const size_t length = count / replications;
    const double n = (double)count, r = (double)replications;
    const double mean = statistics_mean(sum, weight, count);
    double differences = 0, squares = 0;
    double previous = 0;
    for (size_t i = 0; i < count; i++) {
        const double residual = statistics_residual(sum, weight, i, mean);
        const double step = residual - previous;
        if (i % length != 0)
            differences += step * step;
        squares += residual * residual;
        previous = residual;
    }
    *deviation =
        sqrt(((n - 1) * (3 * n - 4 * r) / ((n - r) * (n - r)) - 2) / (n + 1));
    if (!(squares > 0)) /* nothing varies, or nothing was observed */
        return 0;
    return 1 - differences * (n - 1) / (2 * (n - r) * squares);
}

static bool statistics_is_correlated(const double *sum, const double *weight,
                                     size_t count, size_t replications)
{
    double deviation;
    const double correlation =
        statistics_correlation(sum, weight, count, replications, &deviation);
    return correlation > statistics_deviations * deviation;
}

bool nb_is_slow(const double *sum, const double *weight, size_t count,
                size_t replications)
{
    const double n = (double)count, r = (double)replications;
    const double a =
        fmax(2 * STATISTICS_LEAST_WORTH / n, STATISTICS_LEAST_TIMES * r / n);
    const double most = expm1(-a) * expm1(-a) / (2 * (a + expm1(-a)));
    double deviation;
    if (count == replications)
        return false;
    const double correlation =
        statistics_correlation(sum, weight, count, replications, &deviation);
    return correlation - deviation > most;
}

/* Sums of neighbours in pairs; the last of a replication joins three if their
 * number is odd. */
static void statistics_merge(double *value, size_t length, size_t replications)
{
    const size_t kept = length / 2;
    for (size_t r = 0; r < replications; r++)
        for (size_t i = 0; i < kept; i++) {
            const double *from = value + r * length + 2 * i;
            double merged = from[0] + from[1];
            if (i + 1 == kept && length % 2 != 0)
                merged += from[2];
            value[r * kept + i] = merged;
        }
}

size_t nb_merge_batches(double *sum, double *weight, size_t count,
                        size_t replications)
{
    assert(replications >= 1 && count % replications == 0);
    size_t length = count / replications;
    while (length > 1 &&
           (length / 2 * replications >= STATISTICS_LEAST_BATCHES ||
            replications >= STATISTICS_LEAST_BATCHES / 2) &&
           statistics_is_correlated(sum, weight, length * replications,
                                    replications)) {
        statistics_merge(sum, length, replications);
        statistics_merge(weight, length, replications);
        length /= 2;
    }
    return length * replications;
}

size_t nb_mser_cut(const double *value, size_t count)
{
    const size_t half = count / 2;
    double mean = 0, squares = 0, least = INFINITY;
    size_t cut = count;
    if (half == 0)
        return count;
    /* From the end, so that one pass yields the rest of every cut. */
    for (size_t i = count; i-- > 0;) {
        const double left = (double)(count - i);
        const double step = value[i] - mean;
        mean += step / left;
        squares += step * (value[i] - mean);
        if (i <= half && squares / (left * left) <= least) {
            least = squares / (left * left);
            cut = i;
        }
    }
    return 10 * cut > 9 * half ? count : cut;
}

bool nb_is_growing(const double *increment, size_t count, double level,
                   size_t tests)
{
    const struct nb_estimate estimate =
        statistics_estimate(increment, NULL, count, level / (double)tests);
    return estimate.mean - estimate.half_width > 0;
}

enum nb_status nb_histogram_init(struct nb_histogram *histogram, size_t size,
                                 struct nb_error *err)
{
    *histogram = (struct nb_histogram){ .size = size };
    assert(size < SIZE_MAX);
    return nb_new(&histogram->count, size + 1, sizeof *histogram->count,
                  "a histogram", err);
}

void nb_histogram_release(struct nb_histogram *histogram)
{
    nb_delete(histogram->count);
    *histogram = (struct nb_histogram){ 0 };
}

void nb_histogram_add(struct nb_histogram *to, const struct nb_histogram *other)
{
    assert(to->size == other->size);
    if (other->total == 0) /* possibly without an array */
        return;
    for (size_t i = 0; i <= to->size; i++)
        to->count[i] += other->count[i];
    to->total += other->total;
}

size_t nb_histogram_quantile(const struct nb_histogram *histogram, double share)
{
    uint64_t sum = 0;
    if (histogram->total == 0)
        return 0;
    /* The quotient is rounded like the share's decimals: 9 of 10 is 0.9. */
    for (size_t i = 0; i < histogram->size; i++) {
        sum += histogram->count[i];
        if ((double)sum / (double)histogram->total >= share)
            return i;
    }
    return histogram->size;
}
