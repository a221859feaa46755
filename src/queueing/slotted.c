#include "queueing/slotted.h"

#include "core/memory.h"
#include "queueing/inputs.h"

#include <float.h>
#include <math.h>

/* Input and results of the recursion of slotted.h. Owns arrays. */
struct nb_slotted {
    long double step, rate, rate_error; /* of z */
    size_t reach;                       /* M: the recursion uses P(A>m) for m <=
                                         * M */
    long double left_out;               /* bounds sum_{m>M} w_m */
    long double *mass, *above;          /* [reach + 1] */
    struct nb_inputs_error error;       /* of both */
    long double idle;                   /* pi_0 */
    long double *pi;                    /* [last + 1 at least] */
    size_t last;
    long double middle; /* of u_n / u_last, n >= last, and half its width */
    long double spread; /* relative to the middle */
};

static void slotted_release(struct nb_slotted *work)
{
    nb_delete(work->mass);
    nb_delete(work->above);
    nb_delete(work->pi);
}

/*
 * The first m such that the tilted distribution, P(A=m) z^m / A(z) with z = 1 +
 * step, has less than exp(-exponent) beyond m: a sum of independent inputs of
 * mean mu exceeds m with probability at most exp(-(m ln(m/mu) - m + mu)).
 *
 * reached  out: that exponent at m; +inf if the inputs send no more
 */
static size_t slotted_reach(const struct nb_inputs *inputs, long double step,
                            long double exponent, long double *reached)
{
    const long double z = 1 + step, most = nb_inputs_most(inputs);
    long double mu = inputs->rate * z;
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        mu += group->inputs * group->p * z / (1 + group->p * step);
    }
    long double m = ceill(mu) + 1;
    do {
        m += 1;
        *reached = m * logl(m / mu) - m + mu;
    } while (*reached < exponent);
    if (m < most)
        return (size_t)m;
    *reached = INFINITY; /* P(A>m) = 0 from m = most on */
    return (size_t)most - 1;
}

static enum nb_status slotted_start(const struct nb_inputs *inputs,
                                    struct nb_slotted *work,
                                    struct nb_error *err)
{
    long double reached;
    enum nb_status status = NB_OK;
    NB_TRY(nb_inputs_decay(inputs, &work->step, &work->rate, &work->rate_error,
                           err));
    /* Leaves out far less than a rounding, see slotted_lack. */
    const long double exponent =
        90 + work->rate + fabsl(logl(work->step)) - logl(inputs->load.idle);
    work->reach = slotted_reach(inputs, work->step, exponent, &reached);
    NB_TRY(nb_new(&work->mass, work->reach + 1, sizeof *work->mass, "arrivals",
                  err));
    NB_TRY(nb_new(&work->above, work->reach + 1, sizeof *work->above,
                  "arrivals", err));
    NB_TRY(nb_inputs_law(inputs, work->reach + 1, work->mass, work->above,
                         &work->error, err));
    /* sum_{m>M} P(A>m) z^m <= sum_{i>M+1} P(A=i) z^i / (z-1), and the sum of
     * P(A=i) z^i over all i is z. */
    work->left_out = isinf(reached) ? 0
                                    : expl(-reached) * (1 + work->step) /
                                          (work->step * work->mass[0]);
done:
    return status;
}

/* pi_n from those before it. */
static long double slotted_next(const struct nb_slotted *work, size_t n)
{
    const size_t reach = work->reach;
    long double sum = n - 1 <= reach ? work->pi[0] * work->above[n - 1] : 0;
    for (size_t i = n > reach ? n - reach : 1; i < n; i++)
        sum += work->pi[i] * work->above[n - i];
    return sum / work->mass[0];
}

/*
 * The relative error of pi_n, divided by n, except for weights left out. pi_n
 * sums over paths of at most n steps from 0 to n, whose indices m of P(A>m) add
 * up to n - 1. A step has the errors of P(A>m) and of a_0, and at most m + 2
 * roundings, including those of the later terms of its sum.
 */
static long double slotted_error(const struct nb_slotted *work)
{
    return 2 * work->error.each + work->error.step + 3 * LDBL_EPSILON;
}

/* u_i / u_last; u_0 enters with w_{j+1} = w_j z. */
static long double slotted_level(const struct nb_slotted *work, size_t i)
{
    const size_t steps = work->last - (i > 0 ? i : 1);
    return work->pi[i] / work->pi[work->last] *
           expl(-work->rate * (long double)steps);
}

/*
 * Brackets u_n / u_last for all n >= last by the values that they are means of.
 * Fewer values are known only if pi left the range of numbers; then u_n is at
 * most the total that entered, z u_0 sum_{m>=0} w_m = z u_0 / a_0.
 */
static void slotted_bracket(struct nb_slotted *work)
{
    const size_t last = work->last;
    const size_t count = work->reach > 0 ? work->reach : 1;
    long double least = 1, greatest = 1;
    for (size_t i = last > count ? last + 1 - count : 1; i < last; i++) {
        const long double u = slotted_level(work, i);
        least = u < least ? u : least;
        greatest = u > greatest ? u : greatest;
    }
    if (last > count) {
        work->middle = (least + greatest) / 2;
        work->spread = (greatest - least) / (greatest + least);
    } else {
        work->middle = 1;
        work->spread = 1 + slotted_level(work, 0) / work->mass[0];
    }
}

/* Extends pi until the rest is geometric to all digits, or up to roundings that
 * no longer fall, or too small for any question. */
static enum nb_status slotted_run(struct nb_slotted *work, struct nb_error *err)
{
    size_t room = 0, check = 2 * work->reach + 8;
    long double before = 1;
    /* P(Q >= n) <= z^(1-n) (u_0 / a_0) z / (z - 1), see slotted_bracket. */
    const long double enough = logl(work->idle / work->mass[0]) +
                               log1pl(1 / work->step) + logl(1e40L) -
                               logl(NB_DISTRIBUTION_LEAST);
    for (size_t n = 1;; n++) {
        if (n >= room) {
            room = room == 0 ? 2 * check : 2 * room;
            const enum nb_status status = nb_grow(
                &work->pi, room, sizeof *work->pi, "queue lengths", err);
            if (status != NB_OK)
                return status;
            work->pi[0] = work->idle;
        }
        work->pi[n] = slotted_next(work, n);
        const bool is_tiny = (long double)(n - 1) * work->rate > enough;
        if (n < check && !is_tiny)
            continue;
        work->last = n;
        slotted_bracket(work);
        const bool is_still =
            work->spread < 1e-13L && work->spread > before / 2;
        if (work->spread < 16 * LDBL_EPSILON || is_still || is_tiny)
            return NB_OK;
        before = work->spread;
        check = n + n / 4;
    }
}

/* The relative error of one step due to the weights left out: they multiply
 * earlier u, so the greatest u is compared to the least. */
static long double slotted_lack(const struct nb_slotted *work)
{
    long double least = 1, greatest = 1;
    for (size_t i = 0; i < work->last; i++) {
        const long double u = slotted_level(work, i);
        least = u < least ? u : least;
        greatest = u > greatest ? u : greatest;
    }
    return work->left_out * greatest / least * 1.001L;
}

enum nb_status nb_slotted_law(const struct nb_inputs *inputs,
                              struct nb_distribution *out, struct nb_error *err)
{
    struct nb_slotted work = { .idle = inputs->load.idle };
    enum nb_status status = NB_OK;
    *out = (struct nb_distribution){ 0 };
    if (nb_inputs_are_single(inputs))
        return nb_distribution_single(inputs->load, out, err);
    NB_TRY(nb_load_check(inputs->load, 1, err));
    if (!(inputs->load.idle > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "at load %.18Lg the queue grows forever (permitted: "
                       "below 1)",
                       inputs->load.rho));
    NB_TRY(slotted_start(inputs, &work, err));
    NB_TRY(slotted_run(&work, err));
    NB_TRY(nb_distribution_reserve(out, work.last, err));
    for (size_t n = 0; n <= work.last; n++)
        out->mass[n] = work.pi[n];
    out->mass[work.last] *= work.middle;
    out->tail[work.last] = out->mass[work.last] * (1 + work.step) / work.step;
    nb_distribution_add_up(out);
    const long double lack = slotted_lack(&work);
    const long double count = (long double)work.last;
    /* a tail adds one rounding per term */
    out->error = count * (slotted_error(&work) + lack + LDBL_EPSILON) +
                 10 * LDBL_EPSILON;
    /* The levels compared were multiplied by powers of z up to the reach. */
    const long double raised = (long double)work.reach * work.rate *
                               (work.rate_error + 2 * LDBL_EPSILON);
    out->far_error =
        work.spread + 2 * raised + work.rate_error + 4 * LDBL_EPSILON;
    out->rate = work.rate;
    /* the error of each further step acts like a different rate */
    out->rate_error = work.rate_error + lack / work.rate;
done:
    slotted_release(&work);
    return status;
}

/* P(X <= depth), from positive terms only, and its relative error. */
static long double loss_within(const struct nb_distribution *distribution,
                               double depth, long double *error)
{
    const double length = (double)distribution->length;
    const size_t listed = (size_t)(depth + 1 < length ? depth + 1 : length);
    long double sum = 0;
    *error = distribution->error + ((long double)listed + 8) * LDBL_EPSILON;
    if (depth + 1 > length) {
        const long double steps = (long double)(depth + 1 - length);
        sum = -distribution->tail[distribution->length] *
              expm1l(-distribution->rate * steps);
        *error += distribution->far_error + distribution->rate_error;
    }
    for (size_t n = listed; n-- > 0;)
        sum += distribution->mass[n];
    return sum;
}

struct nb_bracket nb_slotted_loss(const struct nb_distribution *queue,
                                  struct nb_queue_load load, double depth)
{
    long double error;
    if (nb_distribution_check(queue, 1, NULL) != NB_OK || queue->is_cut ||
        nb_load_check(load, 1, NULL) != NB_OK || !(load.idle > 0) ||
        nb_depth_check(depth, NULL) != NB_OK)
        return (struct nb_bracket){ 0, 1 };
    if (load.rho == 0)
        return (struct nb_bracket){ 0, 0 };
    const long double within = loss_within(queue, depth, &error);
    const struct nb_bracket more =
        nb_distribution_tail_bracket(queue, depth + 1);
    const long double factor = load.idle / (load.rho * within);
    error += 8 * LDBL_EPSILON;
    return (struct nb_bracket){
        nb_bracket_of(factor * more.lower, error).lower,
        nb_bracket_of(factor * more.upper, error).upper,
    };
}

/* The recursion's weights: P(A>m) for m <= reach, and the rest beyond. */
static enum nb_status loss_start(const struct nb_inputs *inputs,
                                 long double log_none, size_t depth,
                                 struct nb_slotted *work, struct nb_error *err)
{
    long double reached;
    enum nb_status status = NB_OK;
    work->reach = slotted_reach(inputs, 0, 90 - log_none, &reached);
    if (work->reach > depth) {
        work->reach = depth;
        reached = INFINITY;
    }
    /* From twice the mean of A on, each P(A>m) is below half of the one
     * before. */
    work->left_out = 2 * expl(-reached - log_none);
    NB_TRY(nb_new(&work->mass, work->reach + 1, sizeof *work->mass, "arrivals",
                  err));
    NB_TRY(nb_new(&work->above, work->reach + 1, sizeof *work->above,
                  "arrivals", err));
    NB_TRY(nb_new(&work->pi, depth + 1, sizeof *work->pi, "queue", err));
    NB_TRY(nb_inputs_law(inputs, work->reach + 1, work->mass, work->above,
                         &work->error, err));
    work->pi[0] = 1;
done:
    return status;
}

/* Brackets P(Q = 0) = pi_0 / sum pi; its lower end is 0 if the sum was cut
 * short. */
static void loss_empty(struct nb_slotted *work, size_t depth, bool is_whole,
                       long double empty[2])
{
    static const long double enough = 1e40L;
    long double sum = 1, greatest = 1, lack = 0;
    size_t n = 1;
    for (; n <= depth && sum < enough; n++) {
        work->pi[n] = slotted_next(work, n);
        sum += work->pi[n];
        greatest = work->pi[n] > greatest ? work->pi[n] : greatest;
        const long double missed = work->left_out * greatest / work->pi[n];
        lack = missed > lack ? missed : lack;
    }
    const long double error =
        1.001L * (long double)n * (slotted_error(work) + lack + LDBL_EPSILON);
    empty[0] = is_whole && n > depth ? (1 - error) / sum : 0;
    empty[1] = (1 + error) / sum;
}

enum nb_status nb_slotted_loss_saturated(const struct nb_inputs *inputs,
                                         int64_t depth, struct nb_bracket *out,
                                         struct nb_error *err)
{
    struct nb_slotted work = { .idle = 1 };
    const long double log_none = nb_inputs_log_none(inputs);
    const bool is_whole = depth <= NB_SLOTTED_LOSS_DEPTH;
    const size_t levels = is_whole ? (size_t)depth : NB_SLOTTED_LOSS_DEPTH;
    /* It is at most the probability of a slot without packets. */
    long double empty[2] = { 0, expl(log_none) * 1.001L };
    enum nb_status status = NB_OK;
    *out = (struct nb_bracket){ 0, 1 };
    NB_TRY(nb_depth_check((double)depth, err));
    NB_TRY(nb_load_check(inputs->load, LDBL_MAX, err));
    if (inputs->load.idle > 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "load %.18Lg is not saturated (permitted: 1 and more)",
                       inputs->load.rho));
    if (nb_inputs_are_single(inputs)) /* one packet in every slot */
        empty[0] = empty[1] = 0;
    else if (log_none > -90) {
        NB_TRY(loss_start(inputs, log_none, levels, &work, err));
        loss_empty(&work, levels, is_whole, empty);
    }
    const struct nb_queue_load load = inputs->load;
    out->lower =
        nb_bracket_of((empty[0] - load.idle) / load.rho, 4 * LDBL_EPSILON)
            .lower;
    out->upper =
        nb_bracket_of((empty[1] - load.idle) / load.rho, 4 * LDBL_EPSILON)
            .upper;
done:
    slotted_release(&work);
    return status;
}
