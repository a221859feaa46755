/* The law of arrivals in a slot (declared in inputs.h). */
#include "queueing/inputs.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

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

/* One group's law: mass[m] = C(inputs, m) p^m q^(inputs-m) by the ratio of
 * neighbours, m < count. */
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

/* How many of a group's masses below count are not zero. */
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
 * Whether what lies beyond the last of width masses is nothing beside
 * P(A > count - 1) >= mass[count]. The law is log-concave (its generating
 * function has only real roots), so that ratios of neighbours fall: the rest
 * is below mass[width-1]. With r = mass[count]/mass[count-1] this is at most
 * mass[count] 2^-63 if r <= 1/2, as width >= count + 64, and by the test
 * otherwise.
 */
static bool arrivals_is_enough(const long double *mass, size_t width,
                               size_t count)
{
    return mass[width - 1] <= mass[width - 2] / 2 &&
           mass[width - 1] <= mass[count - 1] * LDBL_EPSILON / 4;
}

/*
 * Of masses, by roundings: p and q have five at most. A group's first is a
 * power whose argument lies within 6 parts of its own, and each step adds 7; a
 * product adds one for each of its m + 1 terms and one more.
 *
 * P(A > m) is a mean of masses i > m, which are added i - m times: it has
 * E[A - m | A > m] steps more on average. That falls with m, the law being
 * log-concave, from E[A] / P(A > 0); what is left out counts as one.
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
        if ((double)width > most + 2) /* one zero past the end at least */
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
