#include "queueing/inputs.h"

#include "core/memory.h"
#include "queueing/decay_root.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* p and 1 - p from a common denominator: whole numbers are rounded once,
 * numbers that are already rounded at most five times. */
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
    /* 1 - load/count without cancellation where load is close to count */
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

static long double arrivals_log_q(const struct nb_input_group *group)
{
    return group->p < 0.5L ? log1pl(-group->p) : logl(group->q);
}

long double nb_inputs_log_none(const struct nb_inputs *inputs)
{
    long double sum = -inputs->rate;
    for (size_t i = 0; i < inputs->group_count; i++)
        sum += inputs->groups[i].inputs * arrivals_log_q(&inputs->groups[i]);
    return sum;
}

/* One group's distribution: mass[m] = C(inputs, m) p^m q^(inputs-m) by the
 * ratio of neighbours, m < count. */
static void arrivals_binomial(const struct nb_input_group *group, size_t count,
                              long double *mass)
{
    const long double odds = group->p / group->q;
    const long double n = group->inputs;
    mass[0] = expl(n * arrivals_log_q(group));
    for (size_t m = 1; m < count; m++) {
        const long double at = (long double)m;
        mass[m] = at <= n ? mass[m - 1] * odds * (n - at + 1) / at : 0;
    }
}

static void arrivals_poisson(long double rate, size_t count, long double *mass)
{
    mass[0] = expl(-rate);
    for (size_t m = 1; m < count; m++)
        mass[m] = mass[m - 1] * rate / (long double)m;
}

/* The number of a group's masses below count that are not zero. */
static size_t arrivals_terms(const struct nb_input_group *group, size_t count)
{
    return group->inputs + 1 < (double)count ? (size_t)group->inputs + 1
                                             : count;
}

/* sum = sum * other, in place from the top. */
static void arrivals_convolve(const long double *other, size_t terms,
                              size_t count, long double *sum)
{
    for (size_t m = count; m-- > 0;) {
        long double value = 0;
        for (size_t i = 0; i <= m && i < terms; i++)
            value += other[i] * sum[m - i];
        sum[m] = value;
    }
}

static void arrivals_mass(const struct nb_inputs *inputs, size_t count,
                          long double *scratch, long double *mass)
{
    memset(mass, 0, count * sizeof *mass);
    mass[0] = 1;
    if (inputs->rate > 0)
        arrivals_poisson(inputs->rate, count, mass);
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        if (inputs->rate == 0 && i == 0) {
            arrivals_binomial(group, count, mass);
            continue;
        }
        arrivals_binomial(group, count, scratch);
        arrivals_convolve(scratch, arrivals_terms(group, count), count, mass);
    }
}

/*
 * Whether the part beyond the last of width masses is negligible against P(A >
 * count - 1) >= mass[count]. The distribution is log-concave (its generating
 * function has only real roots), so ratios of neighbours fall: the rest is
 * below mass[width-1]. With r = mass[count]/mass[count-1] this is at most
 * mass[count] 2^-63 if r <= 1/2, since width >= count + 64, and by the test
 * otherwise.
 */
static bool arrivals_is_enough(const long double *mass, size_t width,
                               size_t count)
{
    return mass[width - 1] <= mass[width - 2] / 2 &&
           mass[width - 1] <= mass[count - 1] * LDBL_EPSILON / 4;
}

/*
 * Roundings of masses: p and q have at most five. A group's first mass is a
 * power whose argument lies within 6 parts of its own, and each step adds 7; a
 * product adds one for each of its m + 1 terms and one more.
 *
 * P(A > m) sums the masses i > m. Mass i has i - m steps more than mass m and
 * goes through i - m additions: E[A - m | A > m] of each on average. Since the
 * distribution is log-concave, that falls with m from E[A] / P(A > 0). The part
 * left out counts as one.
 */
static struct nb_inputs_error arrivals_error(const struct nb_inputs *inputs)
{
    const long double some = -expm1l(nb_inputs_log_none(inputs));
    long double each = 4 * inputs->rate + 4, step = inputs->rate > 0 ? 2 : 0;
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        each += 6 * group->inputs * -arrivals_log_q(group) + 3;
        step = (step > 7 ? step : 7) + 1;
    }
    each += 1.001L * (step + 1) * inputs->load.rho / some + 1;
    return (struct nb_inputs_error){ each * LDBL_EPSILON, step * LDBL_EPSILON };
}

enum nb_status nb_inputs_law(const struct nb_inputs *inputs, size_t count,
                             long double *mass, long double *above,
                             struct nb_inputs_error *error,
                             struct nb_error *err)
{
    const double most = nb_inputs_most(inputs);
    long double *wide = NULL, *scratch = NULL;
    enum nb_status status = NB_OK;
    for (size_t width = count + 64;; width *= 2) {
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
        long double sum = 0;
        for (size_t m = width; m-- > 0;) {
            if (m < count) {
                mass[m] = wide[m];
                above[m] = sum;
            }
            sum += wide[m];
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
        if (leader == NULL || inputs->groups[i].p > leader->p)
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
