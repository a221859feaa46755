#include "queueing/decay_root.h"

#include "core/twofold_math.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

/* From 2^-12 on, the difference loses few digits; below, the series
 *
 *     -x^2 (1/2 - x (1/3 - x (1/4 - ...)))
 *
 * needs only doubles from the term of 1/6 on, and none from that of 1/11 on. */
struct nb_twofold nb_log1p_rest(struct nb_twofold x)
{
    if (x.high > 0x1p-12)
        return nb_twofold_subtract(nb_twofold_log1p(x), x);
    double rest = 0;
    for (int n = 10; n > 5; n--)
        rest = 1.0 / n - x.high * rest;
    struct nb_twofold sum = nb_twofold_from(rest);
    for (int n = 5; n > 1; n--)
        sum = nb_twofold_subtract(
            nb_twofold_divide(nb_twofold_from(1), nb_twofold_from(n)),
            nb_twofold_multiply(x, sum));
    return nb_twofold_multiply(nb_twofold_negate(nb_twofold_multiply(x, x)),
                               sum);
}

struct search {
    nb_decay_function *function;
    const void *context;
};

static double search_at(const struct search *search, double y)
{
    double slack;
    return search->function(search->context, nb_twofold_from(y), &slack).high;
}

static double root_of_log(double log_y, void *context)
{
    const double y = exp(log_y);
    /* Small values grow with y, large ones with its logarithm. */
    return search_at(context, y) / (y < 1 ? y : 1);
}

/* A first root in doubles, of log y in [low, high]. */
static enum nb_status root_start(const struct search *search, double low,
                                 double high, double *log_y,
                                 struct nb_error *err)
{
    struct search own = *search;
    gsl_function function = { root_of_log, &own };
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (solver == NULL)
        return nb_fail(err, NB_NO_MEMORY, "no memory for root finding");
    int code = gsl_root_fsolver_set(solver, &function, low, high);
    for (int i = 0; i < 200 && code == GSL_SUCCESS; i++) {
        code = gsl_root_fsolver_iterate(solver);
        if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver),
                                   gsl_root_fsolver_x_upper(solver), 1e-12,
                                   0) == GSL_SUCCESS)
            break;
    }
    *log_y = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return code == GSL_SUCCESS ? NB_OK
                               : nb_fail(err, NB_NO_CONVERGENCE,
                                         "the decay rate was not found (%s)",
                                         gsl_strerror(code));
}

/* Whether the function is positive at y (1 + part). */
static bool root_is_above(const struct search *search, struct nb_twofold y,
                          double part)
{
    double slack;
    const struct nb_twofold at = nb_twofold_add(y, nb_twofold_times(y, part));
    return search->function(search->context, at, &slack).high > 0;
}

/* Refines a root in doubles, by bisection: linear interpolation would fail next
 * to a pole. */
static struct nb_twofold root_polish(const struct search *search, double y)
{
    enum { STEPS = 48 }; /* to 2^-90 or so, below what root_error tries */
    const struct nb_twofold start = nb_twofold_from(y);
    double low = 0, high = 0;
    for (double gap = 1e-14; gap < 0.5; gap *= 16) {
        low = -gap;
        high = gap;
        if (root_is_above(search, start, low) &&
            !root_is_above(search, start, high))
            break;
    }
    for (int i = 0; i < STEPS; i++) {
        const double middle = low + (high - low) / 2;
        if (root_is_above(search, start, middle))
            low = middle;
        else
            high = middle;
    }
    return nb_twofold_add(start,
                          nb_twofold_times(start, low + (high - low) / 2));
}

/* The relative distance within which the function certainly changes its sign; 0
 * if that cannot be shown. */
static double root_error(const struct search *search, struct nb_twofold y)
{
    for (double error = 0x1p-80; error < 1e-6; error *= 2) {
        double slack;
        const struct nb_twofold step = nb_twofold_times(y, error);
        const struct nb_twofold below = search->function(
            search->context, nb_twofold_subtract(y, step), &slack);
        if (!(below.high > slack))
            continue;
        const struct nb_twofold above =
            search->function(search->context, nb_twofold_add(y, step), &slack);
        if (above.high < -slack)
            return error * (1 + 0x1p-20);
    }
    return 0;
}

enum nb_status nb_decay_root(nb_decay_function *function, const void *context,
                             struct nb_twofold *y, double *error,
                             struct nb_error *err)
{
    const struct search search = { function, context };
    double top = 1, log_y = 0;
    *error = 0;
    *y = nb_twofold_from(NB_DECAY_MOST);
    while (search_at(&search, top) > 0) {
        if (top >= NB_DECAY_MOST)
            return NB_OK;
        top *= 16;
    }
    double low = top / 16;
    while (!(search_at(&search, low) > 0) && low > 0x1p-1000)
        low /= 16;
    /* Very close to the root, rounding may decide the signs. */
    enum nb_status status =
        root_start(&search, log(low) - 1e-6, log(top) + 1e-6, &log_y, err);
    if (status != NB_OK)
        return status;
    *y = root_polish(&search, exp(log_y));
    *error = root_error(&search, *y);
    if (!(*error > 0))
        status = nb_fail(err, NB_NO_CONVERGENCE,
                         "the decay rate was not shown to be near %g", y->high);
    return status;
}
