#include "queueing/inputs.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "core/twofold_rows.h"
#include "queueing/decay_root.h"
#include "queueing/distribution.h"

#include <math.h>
#include <string.h>

/* p and 1 - p from a common denominator: whole numbers are rounded once,
 * numbers that are already rounded at most five times. */
static struct nb_input_group inputs_group(struct nb_twofold numerator,
                                          struct nb_twofold rest,
                                          struct nb_twofold denominator,
                                          double count)
{
    return (struct nb_input_group){ nb_twofold_divide(numerator, denominator),
                                    nb_twofold_divide(rest, denominator),
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
    /* 1 - load/count without cancellation where load is close to count */
    const nb_int128 rest = (nb_int128)count * load.exact.denominator -
                           (nb_int128)load.exact.numerator;
    const struct nb_twofold idle =
        nb_ratio_is_known(load.exact)
            ? nb_twofold_divide(nb_twofold_of(rest),
                                nb_twofold_of(load.exact.denominator))
            : nb_twofold_more(load.idle, count - 1);
    *out->groups = inputs_group(load.rho, idle, nb_twofold_from(count), count);
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
    const struct nb_twofold own =
        nb_twofold_of((nb_int128)p.numerator * sum.denominator);
    const struct nb_twofold whole =
        nb_twofold_of((nb_int128)sum.numerator * p.denominator);
    return inputs_group(nb_twofold_multiply(own, load.rho),
                        nb_twofold_add(nb_twofold_of(others),
                                       nb_twofold_multiply(own, load.idle)),
                        whole, 1);
}

enum nb_status nb_inputs_unequal(const struct nb_ratio *p, size_t count,
                                 struct nb_queue_load load,
                                 struct nb_inputs *out, struct nb_error *err)
{
    struct nb_ratio sum;
    *out = (struct nb_inputs){ .load = load };
    enum nb_status status = nb_load_check(load, (double)count, err);
    if (status == NB_OK)
        status = nb_inputs_sum(p, count, &sum, err);
    if (status == NB_OK && sum.numerator == 0 && load.rho.high > 0)
        status = nb_fail(err, NB_INVALID,
                         "load %.15g of inputs that never send (permitted: 0)",
                         load.rho.high);
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
                          : inputs_group(nb_twofold_of(p[i].numerator),
                                         nb_twofold_of(p[i].denominator -
                                                       p[i].numerator),
                                         nb_twofold_of(p[i].denominator), 1);
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
    double most = inputs->rate.high > 0 ? INFINITY : 0;
    for (size_t i = 0; i < inputs->group_count; i++)
        if (inputs->groups[i].p.high > 0)
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

static struct nb_twofold arrivals_log_q(const struct nb_input_group *group)
{
    return group->p.high < 0.5 ? nb_twofold_log1p(nb_twofold_negate(group->p))
                               : nb_twofold_log(group->q);
}

struct nb_twofold nb_inputs_log_none(const struct nb_inputs *inputs)
{
    struct nb_twofold sum = nb_twofold_negate(inputs->rate);
    for (size_t i = 0; i < inputs->group_count; i++)
        if (!(inputs->groups[i].q.high > 0))
            return nb_twofold_from(-INFINITY);
    for (size_t i = 0; i < inputs->group_count; i++)
        sum = nb_twofold_add(
            sum, nb_twofold_times(arrivals_log_q(&inputs->groups[i]),
                                  inputs->groups[i].inputs));
    return sum;
}

/* One group's distribution: mass[m] = C(inputs, m) p^m q^(inputs-m) by the
 * ratio of neighbours, m < count. */
static void arrivals_binomial(const struct nb_input_group *group, size_t count,
                              struct nb_twofold *mass)
{
    const struct nb_twofold odds = nb_twofold_divide(group->p, group->q);
    const double n = group->inputs;
    mass[0] = nb_twofold_exp(nb_twofold_times(arrivals_log_q(group), n),
                             NB_DISTRIBUTION_POWER);
    for (size_t m = 1; m < count; m++) {
        const double at = (double)m;
        const struct nb_twofold next = nb_twofold_multiply(mass[m - 1], odds);
        mass[m] = at <= n
                      ? nb_twofold_divide(nb_twofold_times(next, n - at + 1),
                                          nb_twofold_from(at))
                      : nb_twofold_from(0);
    }
}

static void arrivals_poisson(struct nb_twofold rate, size_t count,
                             struct nb_twofold *mass)
{
    mass[0] = nb_twofold_exp(nb_twofold_negate(rate), NB_DISTRIBUTION_POWER);
    for (size_t m = 1; m < count; m++)
        mass[m] = nb_twofold_divide(nb_twofold_multiply(mass[m - 1], rate),
                                    nb_twofold_from((double)m));
}

/* The number of a group's masses below count that are not zero. */
static size_t arrivals_terms(const struct nb_input_group *group, size_t count)
{
    return group->inputs + 1 < (double)count ? (size_t)group->inputs + 1
                                             : count;
}

static void arrivals_mass(const struct nb_inputs *inputs, size_t count,
                          struct nb_twofold *scratch, struct nb_twofold *mass)
{
    memset(mass, 0, count * sizeof *mass);
    mass[0] = nb_twofold_from(NB_DISTRIBUTION_SCALE);
    if (inputs->rate.high > 0)
        arrivals_poisson(inputs->rate, count, mass);
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        if (inputs->rate.high == 0 && i == 0) {
            arrivals_binomial(group, count, mass);
            continue;
        }
        arrivals_binomial(group, count, scratch);
        nb_twofold_convolve(scratch, arrivals_terms(group, count), NULL, 0,
                            count, NB_DISTRIBUTION_SCALE, mass);
    }
}

/*
 * Whether the part beyond the last of width masses is negligible against P(A >
 * count - 1) >= mass[count]. The distribution is log-concave (its generating
 * function has only real roots), so ratios of neighbours fall: the rest is
 * below mass[width-1]. With r = mass[count]/mass[count-1] this is at most
 * mass[count] 2^-103 if r <= 1/2, since width >= count + 104, and by the test
 * otherwise.
 */
static bool arrivals_is_enough(const struct nb_twofold *mass, size_t width,
                               size_t count)
{
    return mass[width - 1].high <= mass[width - 2].high / 2 &&
           mass[width - 1].high <= mass[count - 1].high * NB_TWOFOLD_ERROR / 4;
}

/*
 * Errors of masses: p and q have at most five roundings. A group's first mass
 * is a power whose argument has those and the error of a logarithm, and each
 * step adds 9 roundings; a product adds the error of each of its m + 1 terms
 * and of one more.
 *
 * P(A > m) sums the masses i > m. Mass i has i - m steps more than mass m and
 * goes through i - m additions: E[A - m | A > m] of each on average. Since the
 * distribution is log-concave, that falls with m from E[A] / P(A > 0). The part
 * left out counts as one.
 */
static struct nb_inputs_error arrivals_error(const struct nb_inputs *inputs)
{
    const double unit = NB_TWOFOLD_ERROR, power = NB_TWOFOLD_MATH_ERROR;
    const double some = -expm1(nb_inputs_log_none(inputs).high);
    const double rate = inputs->rate.high;
    double each = 4 * rate * unit + power + 4 * unit;
    double step = rate > 0 ? 3 * unit : 0;
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        each +=
            (power + 8 * unit) * group->inputs * -arrivals_log_q(group).high +
            power + 2 * NB_TWOFOLD_ROWS_ERROR;
        step = (step > 9 * unit ? step : 9 * unit) + NB_TWOFOLD_ROWS_ERROR;
    }
    each += 1.001 * (step + unit) * inputs->load.rho.high / some + unit;
    return (struct nb_inputs_error){ each, step };
}

enum nb_status nb_inputs_law(const struct nb_inputs *inputs, size_t count,
                             struct nb_twofold *mass, struct nb_twofold *above,
                             struct nb_inputs_error *error,
                             struct nb_error *err)
{
    const double most = nb_inputs_most(inputs);
    struct nb_twofold *wide = NULL, *scratch = NULL;
    enum nb_status status = NB_OK;
    for (size_t width = count + 104;; width *= 2) {
        if ((double)width > most + 2) /* at least one zero past the end */
            width = (size_t)most + 2 > count ? (size_t)most + 2 : count + 1;
        nb_delete(wide);
        nb_delete(scratch);
        scratch = NULL;
        NB_TRY(nb_new(&wide, width, sizeof *wide, "arrivals", err));
        NB_TRY(nb_new(&scratch, width, sizeof *scratch, "arrivals", err));
        arrivals_mass(inputs, width, scratch, wide);
        if ((double)width < most + 2 && !arrivals_is_enough(wide, width, count))
            continue;
        struct nb_twofold sum = { 0, 0 };
        for (size_t m = width; m-- > 0;) {
            if (m < count) {
                mass[m] = wide[m];
                above[m] = sum;
            }
            sum = nb_twofold_add(sum, wide[m]);
        }
        *error = arrivals_error(inputs);
        break;
    }
done:
    nb_delete(wide);
    nb_delete(scratch);
    return status;
}

/* The group of the inputs with the greatest p, NULL for Poisson batches. */
static const struct nb_input_group *decay_leader(const struct nb_inputs *inputs)
{
    const struct nb_input_group *leader = NULL;
    for (size_t i = 0; i < inputs->group_count; i++)
        if (leader == NULL || inputs->groups[i].p.high > leader->p.high)
            leader = &inputs->groups[i];
    return leader;
}

/*
 * g(y) = log(1 + y) - log A(1 + y). One input of the greatest p is combined
 * with log(1 + y), since the two would cancel if it sends nearly always:
 *
 *     log(1 + y) - log(1 + p y) = log(1 + x),   x = q y / (1 + p y);
 *
 * and for small y the first-order terms, which would cancel near saturation,
 * are left out: with l(x) = log(1+x) - x,
 *
 *     g(y) = (1 - rho) y + l(x) - x p y - sum of l(p_i y) of the others.
 *
 * The slack counts the errors of p, of 1 - rho and of the logarithms, each
 * below 2^-80.
 */
static struct nb_twofold decay_value(const void *context, struct nb_twofold y,
                                     double *slack)
{
    const struct nb_inputs *inputs = context;
    const struct nb_input_group *leader = decay_leader(inputs);
    const bool is_small = y.high < 1;
    const struct nb_twofold none = { 0, 0 }, one = { 1, 0 };
    const struct nb_twofold sent =
        leader != NULL ? nb_twofold_multiply(leader->p, y) : none;
    const struct nb_twofold x =
        leader != NULL ? nb_twofold_divide(nb_twofold_multiply(leader->q, y),
                                           nb_twofold_add(one, sent))
                       : y;
    const struct nb_twofold first = nb_twofold_multiply(
        is_small ? inputs->load.idle : nb_twofold_negate(inputs->rate), y);
    const struct nb_twofold own =
        is_small ? nb_twofold_subtract(nb_log1p_rest(x),
                                       nb_twofold_multiply(x, sent))
                 : nb_twofold_log1p(x);
    struct nb_twofold value = nb_twofold_add(first, own);
    double size = fabs(first.high) + fabs(own.high);
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        const struct nb_twofold at = nb_twofold_multiply(group->p, y);
        const struct nb_twofold term = nb_twofold_times(
            is_small ? nb_log1p_rest(at) : nb_twofold_log1p(at),
            group->inputs - (group == leader ? 1 : 0));
        value = nb_twofold_subtract(value, term);
        size += fabs(term.high);
    }
    *slack = size * (16 + (double)inputs->group_count) * 0x1p-80;
    return value;
}

enum nb_status nb_inputs_decay(const struct nb_inputs *inputs,
                               struct nb_twofold *step, struct nb_twofold *rate,
                               double *error, struct nb_error *err)
{
    *step = *rate = nb_twofold_from(INFINITY);
    *error = 0;
    if (nb_inputs_are_single(inputs))
        return NB_OK;
    const enum nb_status status =
        nb_decay_root(decay_value, inputs, step, error, err);
    *rate = nb_twofold_log1p(*step);
    *error += 2 * NB_TWOFOLD_MATH_ERROR;
    return status;
}
