/* The decay of a slotted queue (declared in inputs.h). */
#include "queueing/decay_root.h"
#include "queueing/inputs.h"

#include <float.h>
#include <math.h>

/* The group of the input that sends most often, NULL for Poisson batches. */
static const struct nb_input_group *decay_leader(const struct nb_inputs *inputs)
{
    const struct nb_input_group *leader = NULL;
    for (size_t i = 0; i < inputs->group_count; i++)
        if (leader == NULL || inputs->groups[i].p > leader->p)
            leader = &inputs->groups[i];
    return leader;
}

/*
 * g(y) = log(1 + y) - log A(1 + y). One input of the greatest p is set against
 * log(1 + y), with which it would cancel if it sends nearly always:
 *
 *     log(1 + y) - log(1 + p y) = log(1 + x),   x = q y / (1 + p y);
 *
 * and for small y terms of first order, which would cancel near saturation,
 * are left out: with l(x) = log(1+x) - x,
 *
 *     g(y) = (1 - rho) y + l(x) - x p y - sum of l(p_i y) of the others.
 *
 * The slack counts the errors of p, of 1 - rho and of the logarithms, some
 * units each.
 */
static long double decay_value(const void *context, long double y,
                               long double *slack)
{
    const struct nb_inputs *inputs = context;
    const struct nb_input_group *leader = decay_leader(inputs);
    const bool is_small = y < 1;
    const long double p = leader != NULL ? leader->p : 0;
    const long double x = leader != NULL ? leader->q * y / (1 + p * y) : y;
    const long double first =
        is_small ? inputs->load.idle * y : -inputs->rate * y;
    const long double own = is_small ? nb_log1p_rest(x) - x * p * y : log1pl(x);
    long double value = first + own, size = fabsl(first) + fabsl(own);
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        const long double at = group->p * y;
        const long double term = (group->inputs - (group == leader ? 1 : 0)) *
                                 (is_small ? nb_log1p_rest(at) : log1pl(at));
        value -= term;
        size += fabsl(term);
    }
    *slack = size * (16 + (long double)inputs->group_count) * LDBL_EPSILON;
    return value;
}

enum nb_status nb_inputs_decay(const struct nb_inputs *inputs,
                               long double *step, long double *rate,
                               long double *error, struct nb_error *err)
{
    *step = *rate = INFINITY;
    *error = 0;
    if (nb_inputs_are_single(inputs))
        return NB_OK;
    const enum nb_status status =
        nb_decay_root(decay_value, inputs, INFINITY, step, error, err);
    *rate = log1pl(*step);
    *error += 2 * LDBL_EPSILON;
    return status;
}
