#include "core/memory.h"
#include "queueing/reorder_work.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum nb_status nb_reorder_bound_find(const struct nb_law *delay,
                                     struct nb_queue_load load,
                                     struct nb_reorder_bound *out,
                                     struct nb_error *err)
{
    enum nb_status status = nb_law_check(delay, 1, err);
    *out = (struct nb_reorder_bound){ 0 };
    if (status == NB_OK)
        status = nb_load_check(load, 1, err);
    if (status != NB_OK)
        return status;
    const size_t length = delay->length;
    status =
        nb_new(&out->sum, length + 1, sizeof *out->sum, "reorder bound", err);
    if (status != NB_OK)
        return status;
    out->delay = delay;
    long double sum = 0, worst = 0;
    for (size_t d = 0; d < length; d++) {
        const long double error = nb_reorder_below_error(delay, d);
        worst = error > worst ? error : worst;
        out->sum[d + 1] =
            out->sum[d] + load.rho * nb_reorder_below(delay, d, sum);
        sum += delay->mass[d];
    }
    out->error = worst + ((long double)length + 4) * LDBL_EPSILON;
    return NB_OK;
}

void nb_reorder_bound_release(struct nb_reorder_bound *bound)
{
    nb_delete(bound->sum);
    *bound = (struct nb_reorder_bound){ 0 };
}

/* The first d with S_d >= n, or the delay's length. */
static size_t reorder_bound_reach(const struct nb_reorder_bound *bound,
                                  long double n)
{
    size_t low = 0, high = bound->delay->length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (bound->sum[middle] >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The exponent at S_d < n, which is at most 0 and grows with S_d, and a bound
 * of its error: its derivative by S is n/S - 1. */
static long double reorder_exponent(const struct nb_reorder_bound *bound,
                                    size_t d, long double n, long double *error)
{
    const long double s = bound->sum[d];
    const long double part = logl(s / n);
    *error = (n - s) * bound->error * 2 + 4 * LDBL_EPSILON * (n + s - n * part);
    return n - s + n * part;
}

struct nb_bracket nb_reorder_bound_tail(const struct nb_reorder_bound *bound,
                                        size_t n)
{
    const struct nb_law *delay = bound->delay;
    if (delay == NULL)
        return (struct nb_bracket){ n == 0, 1 };
    const long double k = (long double)n;
    size_t d = reorder_bound_reach(bound, k);
    const bool is_inside = d < delay->length;
    long double low = is_inside ? delay->tail[d] : 0, high = delay->tail[d];
    /* From here down the exponentials fall with d, so that all that are left
     * are together less than the next. */
    while (d-- > 0 && bound->sum[d] > 0) {
        long double error;
        const long double exponent = reorder_exponent(bound, d, k, &error);
        const long double most = exponent + error;
        const long double next = most < 0 ? expl(most) : 1;
        if (next < high * LDBL_EPSILON / 16) {
            high += next;
            break;
        }
        high += delay->mass[d] * next;
        low += delay->mass[d] * next * (1 - 2 * error);
    }
    const long double wide =
        delay->error + ((long double)delay->length + 8) * LDBL_EPSILON;
    const long double far = nb_reorder_far(delay);
    return n == 0 ? (struct nb_bracket){ 1, 1 }
                  : nb_reorder_bracket(low * (1 - wide) - far,
                                       high * (1 + wide) + far);
}

/* The least n > low for which an end of the bracket is below overflow. */
static double reorder_bound_search(const struct nb_reorder_bound *bound,
                                   double overflow, bool is_sure)
{
    size_t low = 0, high = 1;
    for (;;) {
        const struct nb_bracket tail = nb_reorder_bound_tail(bound, high);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            break;
        if (high > SIZE_MAX / 2)
            return INFINITY;
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const struct nb_bracket tail = nb_reorder_bound_tail(bound, middle);
        if ((is_sure ? tail.upper : tail.lower) < overflow)
            high = middle;
        else
            low = middle;
    }
    return (double)high;
}

struct nb_bracket nb_reorder_bound_depth(const struct nb_reorder_bound *bound,
                                         double overflow)
{
    return (struct nb_bracket){
        reorder_bound_search(bound, overflow, false),
        reorder_bound_search(bound, overflow, true),
    };
}
