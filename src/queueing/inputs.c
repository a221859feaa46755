#include "queueing/inputs.h"

#include "core/memory.h"

#include <math.h>

/* p and 1 - p from a common denominator: of whole numbers rounded once, and
 * at most five times of what has been rounded before. */
static struct nb_input_group inputs_group(long double numerator,
                                          long double rest,
                                          long double denominator, double count)
{
    return (struct nb_input_group){ numerator / denominator, rest / denominator,
                                    count };
}

enum nb_status nb_inputs_bernoulli(struct nb_queue_load load, double count,
                                   struct nb_inputs *out, struct nb_error *err)
{
    *out = (struct nb_inputs){ 0 };
    if (!(count >= 1 && count <= 0x1p63))
        return nb_fail(err, NB_INVALID, "%g inputs (permitted: 1 to 2^63)",
                       count);
    enum nb_status status = nb_load_check(load, count, err);
    if (status == NB_OK)
        status = nb_new(&out->groups, 1, sizeof *out->groups, "inputs", err);
    if (status != NB_OK)
        return status;
    out->load = load;
    out->group_count = 1;
    /* 1 - load/count without cancelling where load is near count */
    const nb_int128 rest = (nb_int128)count * load.exact.denominator -
                           (nb_int128)load.exact.numerator;
    const long double idle =
        nb_ratio_is_known(load.exact)
            ? (long double)rest / (long double)load.exact.denominator
            : (long double)(count - 1) + load.idle;
    *out->groups = inputs_group(load.rho, idle, count, count);
    return NB_OK;
}

struct nb_inputs nb_inputs_poisson(struct nb_queue_load load)
{
    return (struct nb_inputs){ .load = load, .rate = load.rho };
}

enum nb_status nb_inputs_sum(const struct nb_ratio *p, size_t count,
                             struct nb_ratio *sum, struct nb_error *err)
{
    *sum = nb_ratio_zero;
    for (size_t i = 0; i < count; i++) {
        if (!nb_ratio_is_known(p[i]) || p[i].numerator < 0 ||
            p[i].numerator > p[i].denominator)
            return nb_fail(err, NB_INVALID,
                           "probability %g of input %zu (permitted: 0 to 1)",
                           nb_ratio_value(p[i]), i);
        *sum = nb_ratio_add(*sum, p[i]);
    }
    return nb_ratio_is_known(*sum)
               ? NB_OK
               : nb_fail(err, NB_OVERFLOW,
                         "the sum of the %zu inputs' probabilities does not "
                         "fit a ratio of 64-bit numbers",
                         count);
}

/* p load / sum, and 1 - that = ((sum - p) + p (1 - load)) / sum. */
static struct nb_input_group
inputs_scaled(struct nb_ratio p, struct nb_ratio sum, struct nb_queue_load load)
{
    const nb_int128 others = (nb_int128)sum.numerator * p.denominator -
                             (nb_int128)p.numerator * sum.denominator;
    const long double own =
        (long double)p.numerator * (long double)sum.denominator;
    const long double whole =
        (long double)sum.numerator * (long double)p.denominator;
    return inputs_group(own * load.rho, (long double)others + own * load.idle,
                        whole, 1);
}

enum nb_status nb_inputs_unequal(const struct nb_ratio *p, size_t count,
                                 struct nb_queue_load load,
                                 struct nb_inputs *out, struct nb_error *err)
{
    struct nb_ratio sum;
    *out = (struct nb_inputs){ .load = load };
    enum nb_status status = nb_load_check(load, (long double)count, err);
    if (status == NB_OK)
        status = nb_inputs_sum(p, count, &sum, err);
    if (status == NB_OK && sum.numerator == 0 && load.rho > 0)
        status = nb_fail(err, NB_INVALID,
                         "load %.18Lg of inputs that never send (permitted: 0)",
                         load.rho);
    if (status == NB_OK)
        status =
            nb_new(&out->groups, count, sizeof *out->groups, "inputs", err);
    if (status != NB_OK)
        return status;
    const bool is_scaled = !nb_ratio_is_known(load.exact) ||
                           nb_ratio_compare(load.exact, sum) != 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && nb_ratio_compare(p[i], p[i - 1]) == 0)
            out->groups[out->group_count - 1].inputs++;
        else
            out->groups[out->group_count++] =
                is_scaled ? inputs_scaled(p[i], sum, load)
                          : inputs_group((long double)p[i].numerator,
                                         (long double)(p[i].denominator -
                                                       p[i].numerator),
                                         (long double)p[i].denominator, 1);
    }
    return NB_OK;
}

void nb_inputs_release(struct nb_inputs *inputs)
{
    nb_delete(inputs->groups);
    *inputs = (struct nb_inputs){ 0 };
}

double nb_inputs_most(const struct nb_inputs *inputs)
{
    double most = inputs->rate > 0 ? INFINITY : 0;
    for (size_t i = 0; i < inputs->group_count; i++)
        if (inputs->groups[i].p > 0)
            most += inputs->groups[i].inputs;
    return most;
}

bool nb_inputs_are_single(const struct nb_inputs *inputs)
{
    return nb_inputs_most(inputs) <= 1;
}

static struct nb_ratio over(struct nb_ratio a, int64_t divisor)
{
    return nb_ratio_divide(a, nb_ratio_make(divisor, 1));
}

void nb_inputs_bernoulli_moments(struct nb_ratio load, int64_t count,
                                 struct nb_ratio *mean,
                                 struct nb_ratio *variance)
{
    /* f2 = rho^2 (1 - 1/k), f3 = rho^3 (1 - 1/k) (1 - 2/k) */
    const struct nb_ratio first =
        count == 0 ? nb_ratio_one : nb_ratio_make(count - 1, count);
    const struct nb_ratio second =
        count == 0 ? nb_ratio_one : nb_ratio_make(count - 2, count);
    const struct nb_ratio idle = nb_ratio_subtract(nb_ratio_one, load);
    const struct nb_ratio f2 =
        nb_ratio_multiply(nb_ratio_multiply(load, load), first);
    const struct nb_ratio f3 =
        nb_ratio_multiply(nb_ratio_multiply(f2, load), second);
    const struct nb_ratio wait = over(nb_ratio_divide(f2, idle), 2);
    const struct nb_ratio square = nb_ratio_multiply(wait, wait);
    /* Var V = f3/(3 idle) + E[V]^2 + E[V];  Var A = f2 + rho - rho^2 */
    const struct nb_ratio of_found = nb_ratio_add(
        over(nb_ratio_divide(f3, idle), 3), nb_ratio_add(square, wait));
    const struct nb_ratio of_arrivals = nb_ratio_add(
        f2, nb_ratio_subtract(load, nb_ratio_multiply(load, load)));
    *mean = nb_ratio_add(load, wait);
    *variance = nb_ratio_add(of_found, of_arrivals);
}
