#include "queueing/dimension.h"

#include "core/try.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

enum { DIMENSION_KEPT = 4 };

/* The queue for which the load is sought, and the state of the evaluations. A
 * distribution may take seconds, so the last few values are kept. */
struct dimension {
    const struct nb_arrivals *arrivals;
    double depth, overflow;
    double last; /* the largest load to try */
    struct {
        double log_odds, excess;
    } kept[DIMENSION_KEPT];
    size_t count; /* evaluations so far */
    enum nb_status status;
    struct nb_error *err;
};

/* P(Q >= depth) at a load: value and bracket. */
static enum nb_status dimension_tail(const struct dimension *work, double load,
                                     double *value, struct nb_bracket *tail)
{
    struct nb_distribution distribution = { 0 };
    const enum nb_status status = nb_arrivals_law(
        work->arrivals, nb_load_of_value(load), &distribution, work->err);
    if (status != NB_OK)
        return status;
    *value = nb_distribution_tail(&distribution, work->depth);
    *tail = nb_distribution_tail_bracket(&distribution, work->depth);
    nb_distribution_release(&distribution);
    return NB_OK;
}

static double dimension_load(double log_odds)
{
    return log_odds < 0 ? exp(log_odds) / (1 + exp(log_odds))
                        : 1 / (1 + exp(-log_odds));
}

/* log(P(Q >= depth) / overflow) as a function of log(load / (1 - load)). */
static double dimension_excess(double log_odds, void *context)
{
    static const double least = -700; /* tails below this are not doubles */
    struct dimension *work = context;
    struct nb_bracket tail = { 0, 0 };
    double value = 0;
    for (size_t i = 0; i < work->count && i < DIMENSION_KEPT; i++)
        if (work->kept[i].log_odds == log_odds)
            return work->kept[i].excess;
    if (work->status == NB_OK)
        work->status = dimension_tail(
            work, fmin(dimension_load(log_odds), work->last), &value, &tail);
    const double log_tail = value > 0 ? log(value) : least;
    const double excess =
        (log_tail > least ? log_tail : least) - log(work->overflow);
    work->kept[work->count % DIMENSION_KEPT].log_odds = log_odds;
    work->kept[work->count++ % DIMENSION_KEPT].excess = excess;
    return excess;
}

/* The root below the last load, given that its tail there is not below
 * overflow. */
static enum nb_status dimension_root(struct dimension *work, double *load)
{
    double high = log(work->last / (1 - work->last));
    double low = high - 1;
    /* This ends: P(Q >= depth) <= P(Q >= 1) = load. */
    for (double step = 2; dimension_excess(low, work) >= 0; step *= 2) {
        if (work->status != NB_OK)
            return work->status;
        high = low;
        low -= step;
    }
    gsl_function function = { dimension_excess, work };
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL)
        return nb_fail(work->err, NB_NO_MEMORY, "no memory for root finding");
    int code = gsl_root_fsolver_set(solver, &function, low, high);
    for (int i = 0; i < 200 && code == GSL_SUCCESS && work->status == NB_OK;
         i++) {
        code = gsl_root_fsolver_iterate(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 1e-14,
                                   1e-15) == GSL_SUCCESS)
            break;
    }
    *load = dimension_load(gsl_root_fsolver_root(solver));
    gsl_root_fsolver_free(solver);
    if (work->status != NB_OK || code == GSL_SUCCESS)
        return work->status;
    return nb_fail(work->err, NB_NO_CONVERGENCE,
                   "the largest load was not found (%s)", gsl_strerror(code));
}

/* Steps away from load, downward or upward, until the tail is certainly below
 * overflow, or certainly not. */
static enum nb_status dimension_verify(const struct dimension *work,
                                       double load, bool is_below, double limit,
                                       double *end)
{
    for (double step = 16 * DBL_EPSILON; step < 1; step *= 2) {
        struct nb_bracket tail;
        double value;
        *end = is_below ? load * (1 - step) : load * (1 + step);
        if (!is_below && *end >= limit) {
            *end = limit;
            return NB_OK;
        }
        const enum nb_status status = dimension_tail(work, *end, &value, &tail);
        if (status != NB_OK)
            return status;
        if (is_below ? tail.upper < work->overflow
                     : tail.lower >= work->overflow)
            return NB_OK;
    }
    return nb_fail(work->err, NB_NO_CONVERGENCE,
                   "no load near %g is shown to be %s overflow %g", load,
                   is_below ? "below" : "above", work->overflow);
}

/* The largest load that sources can reach, rounded up. */
static double dimension_limit(const struct nb_arrivals *arrivals)
{
    double lower, upper;
    nb_ratio_bracket(nb_arrivals_most(arrivals), &lower, &upper);
    return upper;
}

enum nb_status nb_dimension_max_load(const struct nb_arrivals *arrivals,
                                     int64_t depth, double overflow,
                                     struct nb_bracket *out,
                                     struct nb_error *err)
{
    struct dimension work = { .arrivals = arrivals,
                              .depth = (double)depth,
                              .overflow = overflow,
                              .err = err };
    enum nb_status status = NB_OK;
    *out = (struct nb_bracket){ 0, 1 };
    NB_TRY(nb_arrivals_check(arrivals, nb_load_of_value(0), err));
    NB_TRY(nb_depth_check((double)depth, err));
    NB_TRY(nb_overflow_check(overflow, NB_DISTRIBUTION_LEAST, err));
    const double limit = dimension_limit(arrivals);
    /* At their limit, sources with bursts of one packet alternate forever. */
    const double last = limit < 1 ? limit * (1 - 1e-12) : 1 - DBL_EPSILON;
    struct nb_bracket tail;
    double value;
    double load = last;
    work.last = last;
    *out = (struct nb_bracket){ limit, limit };
    if (depth == 1) { /* P(Q >= 1) is the load */
        out->lower = nextafter(fmin(overflow, limit), 0);
        out->upper = nextafter(fmin(overflow, limit), INFINITY);
        return NB_OK;
    }
    NB_TRY(dimension_tail(&work, last, &value, &tail));
    if (overflow >= 1 || tail.upper == 0) /* 0: no packet ever waits */
        goto done;
    if (value >= overflow)
        NB_TRY(dimension_root(&work, &load));
    NB_TRY(dimension_verify(&work, load, true, last, &out->lower));
    if (value >= overflow)
        NB_TRY(dimension_verify(&work, load, false, limit, &out->upper));
done:
    return status;
}
