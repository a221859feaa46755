#include "queueing/decay_root.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>

/* With r = x/(2+x), log(1 + x) = 2 (r + r^3/3 + ...) and 2r - x = -x r. */
long double nb_log1p_rest(long double x)
{
    if (x > 1)
        return log1pl(x) - x;
    const long double r = x / (2 + x), square = r * r;
    long double sum = 0;
    for (int n = 43; n >= 3; n -= 2) /* r <= 1/3: 9^-21 is below an ulp */
        sum = sum * square + 1.0L / n;
    return r * (2 * square * sum - x);
}

struct search {
    nb_decay_function *function;
    const void *context;
};

static double root_of_log(double log_y, void *context)
{
    const struct search *search = context;
    long double slack;
    const long double y = expl(log_y);
    /* Small values grow with y, large ones with its logarithm. */
    return (double)(search->function(search->context, y, &slack) /
                    (y < 1 ? y : 1));
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

/* Refines a root in doubles to one in extended precision, by bisection: linear
 * interpolation would fail next to a pole. */
static long double root_polish(const struct search *search, long double y)
{
    long double slack, low = y, high = y;
    for (long double gap = 1e-14L; gap < 0.5L; gap *= 16) {
        low = y * (1 - gap);
        high = y * (1 + gap);
        if (search->function(search->context, low, &slack) > 0 &&
            search->function(search->context, high, &slack) <= 0)
            break;
    }
    for (int i = 0; i < 64; i++) {
        const long double middle = low + (high - low) / 2;
        if (search->function(search->context, middle, &slack) > 0)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* The relative distance within which the function certainly changes its sign; 0
 * if that cannot be shown. */
static long double root_error(const struct search *search, long double y)
{
    for (long double error = 8 * LDBL_EPSILON; error < 1e-6L; error *= 2) {
        long double slack;
        const long double below =
            search->function(search->context, y * (1 - error), &slack);
        if (!(below > slack))
            continue;
        const long double above =
            search->function(search->context, y * (1 + error), &slack);
        if (above < -slack)
            return error;
    }
    return 0;
}

enum nb_status nb_decay_root(nb_decay_function *function, const void *context,
                             long double high, long double *y,
                             long double *error, struct nb_error *err)
{
    const struct search search = { function, context };
    long double slack, top = high < 1 ? high : 1;
    double log_y = 0;
    while (top < high && function(context, top, &slack) > 0 &&
           top < LDBL_MAX / 16)
        top = 16 * top < high ? 16 * top : high;
    long double low = top / 16;
    while (!(function(context, low, &slack) > 0) && low > LDBL_MIN * 16)
        low /= 16;
    /* Very close to the root, rounding may decide the signs. */
    enum nb_status status =
        root_start(&search, (double)logl(low) - 1e-6,
                   (double)logl(top) + (top < high ? 1e-6 : 0), &log_y, err);
    if (status != NB_OK)
        return status;
    *y = root_polish(&search, expl(log_y));
    *error = root_error(&search, *y);
    if (!(*error > 0))
        status = nb_fail(err, NB_NO_CONVERGENCE,
                         "the decay rate was not shown to be near %Lg", *y);
    return status;
}
