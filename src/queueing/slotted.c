#include "queueing/slotted.h"

#include "core/memory.h"
#include "core/twofold_math.h"
#include "core/twofold_rows.h"
#include "queueing/decay_root.h"
#include "queueing/inputs.h"
#include "queueing/scaled.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SLOTTED_BLOCK = 8,              /* values of pi that are found together */
    SLOTTED_MARGIN = SLOTTED_BLOCK, /* zeros before and after P(A>m) */
};

/* Input and results of the recursion of slotted.h, in probabilities times
 * NB_DISTRIBUTION_SCALE. Owns arrays. */
struct nb_slotted {
    struct nb_twofold step, rate; /* of z */
    double rate_error;
    size_t reach;                 /* M: the recursion uses P(A>m) for m <= M */
    double log_left_out;          /* logarithm of a bound of sum_{m>M} w_m */
    struct nb_twofold *mass;      /* [reach + 1] */
    struct nb_twofold *margins;   /* [reach + 1 and two margins] */
    struct nb_twofold *above;     /* P(A>m), in margins */
    struct nb_twofold over;       /* 1 / mass[0] */
    struct nb_inputs_error error; /* of both */
    struct nb_twofold idle;       /* pi_0 */
    struct nb_twofold *pi;        /* [last + SLOTTED_BLOCK at least] */
    size_t last;
    struct nb_twofold middle; /* of u_n / u_last, n >= last */
    double spread;            /* half its width, relative to the middle */
};

static void slotted_release(struct nb_slotted *work)
{
    nb_delete(work->mass);
    nb_delete(work->margins);
    nb_delete(work->pi);
}

/*
 * The first m such that the tilted distribution, P(A=m) z^m / A(z) with z = 1 +
 * step, has less than exp(-exponent) beyond m: a sum of independent inputs of
 * mean mu exceeds m with probability at most exp(-(m ln(m/mu) - m + mu)).
 *
 * reached  out: that exponent at m; +inf if the inputs send no more
 */
static size_t slotted_reach(const struct nb_inputs *inputs, double step,
                            double exponent, double *reached)
{
    const double z = 1 + step, most = nb_inputs_most(inputs);
    double mu = inputs->rate.high * z;
    for (size_t i = 0; i < inputs->group_count; i++) {
        const struct nb_input_group *group = &inputs->groups[i];
        const double p = group->p.high;
        mu += group->inputs * p * z / (1 + p * step);
    }
    double m = ceil(mu) + 1;
    do {
        m += 1;
        *reached = m * log(m / mu) - m + mu;
    } while (*reached < exponent);
    if (m < most)
        return (size_t)m;
    *reached = INFINITY; /* P(A>m) = 0 from m = most on */
    return (size_t)most - 1;
}

static double slotted_none(const struct nb_slotted *work)
{
    return nb_scaled_value(work->mass[0]);
}

/* P(A=m) and P(A>m) up to the reach. */
static enum nb_status slotted_arrivals(const struct nb_inputs *inputs,
                                       struct nb_slotted *work,
                                       struct nb_error *err)
{
    const size_t count = work->reach + 1;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&work->mass, count, sizeof *work->mass, "arrivals", err));
    NB_TRY(nb_new(&work->margins, count + 2 * SLOTTED_MARGIN,
                  sizeof *work->margins, "arrivals", err));
    work->above = work->margins + SLOTTED_MARGIN;
    NB_TRY(nb_inputs_law(inputs, count, work->mass, work->above, &work->error,
                         err));
    work->over = nb_twofold_divide(nb_twofold_from(1), work->mass[0]);
done:
    return status;
}

static enum nb_status slotted_start(const struct nb_inputs *inputs,
                                    struct nb_slotted *work,
                                    struct nb_error *err)
{
    double reached;
    enum nb_status status = NB_OK;
    NB_TRY(nb_inputs_decay(inputs, &work->step, &work->rate, &work->rate_error,
                           err));
    const double step = work->step.high;
    /* Leaves out far less than a digit, see slotted_lack. */
    const double exponent =
        90 + work->rate.high + fabs(log(step)) - log(inputs->load.idle.high);
    work->reach = slotted_reach(inputs, step, exponent, &reached);
    NB_TRY(slotted_arrivals(inputs, work, err));
    /* sum_{m>M} P(A>m) z^m <= sum_{i>M+1} P(A=i) z^i / (z-1), and the sum of
     * P(A=i) z^i over all i is z. */
    work->log_left_out = -reached + log1p(1 / step) - log(slotted_none(work));
done:
    return status;
}

/* SLOTTED_BLOCK values from pi_n on, from those before. */
static void slotted_next(struct nb_slotted *work, size_t n)
{
    const size_t reach = work->reach, first = n > reach ? n - reach : 1;
    struct nb_twofold sum[SLOTTED_BLOCK] = { 0 };
    for (size_t b = 0; b < SLOTTED_BLOCK && n + b <= reach + 1; b++)
        sum[b] = nb_twofold_multiply(work->pi[0], work->above[n + b - 1]);
    nb_twofold_sums(n - first, work->pi + first, work->above + (n - first), -1,
                    SLOTTED_BLOCK, 1, sum);
    for (size_t b = 0; b < SLOTTED_BLOCK; b++) {
        work->pi[n + b] = nb_twofold_multiply(sum[b], work->over);
        /* only what follows is used */
        nb_twofold_sums(1, &work->pi[n + b], work->above - b, 1, SLOTTED_BLOCK,
                        1, sum);
    }
}

/*
 * The relative error of pi_n, divided by n, except for weights left out. pi_n
 * sums over paths of at most n steps from 0 to n, whose indices m of P(A>m) add
 * up to n - 1. A step has the errors of P(A>m) and of a_0, two roundings of 1 /
 * a_0, and at most m + 2 products and additions, including those of the later
 * terms of its sum.
 */
static double slotted_error(const struct nb_slotted *work)
{
    return 2 * work->error.each + work->error.step + 3 * NB_TWOFOLD_ROWS_ERROR +
           2 * NB_TWOFOLD_ERROR;
}

/* ln(u_i / u_last), an estimate; u_0 enters with w_{j+1} = w_j z. */
static double slotted_level(const struct nb_slotted *work, size_t i)
{
    const size_t steps = work->last - (i > 0 ? i : 1);
    return log(work->pi[i].high) - log(work->pi[work->last].high) -
           work->rate.high * (double)steps;
}

/*
 * Brackets u_n / u_last for all n >= last by the values that they are means of.
 * Fewer values are known only if pi left the range of numbers, or if z is too
 * large; then u_n is at most the total that entered, z u_0 sum_{m>=0} w_m = z
 * u_0 / a_0.
 */
static void slotted_bracket(struct nb_slotted *work)
{
    const size_t last = work->last;
    const size_t count = work->reach > 0 ? work->reach : 1;
    const bool is_lost = !(work->pi[last].high > 0); /* below any question */
    if (is_lost || last <= count || !(work->step.high < NB_DECAY_MOST)) {
        work->middle = nb_twofold_from(1);
        work->spread = is_lost ? 1
                               : 1.001 + 1.001 * exp(slotted_level(work, 0)) /
                                             slotted_none(work);
        return;
    }
    const struct nb_twofold z = nb_twofold_more(work->step, 1);
    struct nb_twofold level = work->pi[last]; /* pi_i if u_i = u_last */
    double least = 0, greatest = 0;           /* of u_i / u_last - 1 */
    for (size_t i = last - 1; i > last - count; i--) {
        level = nb_twofold_multiply(level, z);
        const double more = nb_twofold_subtract(work->pi[i], level).high;
        const double part = level.high < INFINITY ? more / level.high : -1;
        least = part < least ? part : least;
        greatest = part > greatest ? part : greatest;
    }
    work->middle = nb_twofold_sum(1, (least + greatest) / 2);
    work->spread = (greatest - least) / (2 + greatest + least);
}

/* Below SETTLED, more terms change no digit of a double; roundings keep the
 * spread from falling only below NEARLY. */
static const double slotted_settled = 0x1p-59, slotted_nearly = 1e-13;

/* Extends pi until the rest is geometric to all digits, or up to roundings that
 * no longer fall, or too small for any question. */
static enum nb_status slotted_run(struct nb_slotted *work, struct nb_error *err)
{
    size_t room = 0, found = 1, check = 2 * work->reach + 8;
    double before = 1;
    /* P(Q >= n) <= z^(1-n) (u_0 / a_0) z / (z - 1), see slotted_bracket. */
    const double enough = log(work->idle.high / slotted_none(work)) +
                          log1p(1 / work->step.high) + log(1e40) -
                          log(NB_DISTRIBUTION_LEAST);
    for (size_t n = 1;; n++) {
        if (n + SLOTTED_BLOCK > room) {
            room = room == 0 ? 2 * check + SLOTTED_BLOCK : 2 * room;
            const enum nb_status status = nb_grow(
                &work->pi, room, sizeof *work->pi, "queue lengths", err);
            if (status != NB_OK)
                return status;
            work->pi[0] = nb_scaled(work->idle);
        }
        if (n == found) {
            slotted_next(work, n);
            found += SLOTTED_BLOCK;
        }
        const bool is_tiny = (double)(n - 1) * work->rate.high > enough;
        if (n < check && !is_tiny)
            continue;
        work->last = n;
        slotted_bracket(work);
        const bool is_still =
            work->spread < slotted_nearly && work->spread > before / 2;
        if (work->spread < slotted_settled || is_still || is_tiny)
            return NB_OK;
        before = work->spread;
        check = n + n / 4;
    }
}

/* The relative error of one step due to the weights left out: they multiply
 * earlier u, so the greatest u is compared to the least. pi_n needs only those
 * of m < n. */
static double slotted_lack(const struct nb_slotted *work)
{
    double least = 0, greatest = 0;
    if (isinf(work->log_left_out) || work->last <= work->reach + 1)
        return 0;
    for (size_t i = 0; i < work->last; i++) {
        const double u = slotted_level(work, i);
        least = u < least ? u : least;
        greatest = u > greatest ? u : greatest;
    }
    return exp(work->log_left_out + greatest - least) * 1.001;
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
    if (!(inputs->load.idle.high > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "at load %.15g the queue grows forever (permitted: "
                       "below 1)",
                       inputs->load.rho.high));
    NB_TRY(slotted_start(inputs, &work, err));
    NB_TRY(slotted_run(&work, err));
    NB_TRY(nb_distribution_reserve(out, work.last, err));
    memcpy(out->mass, work.pi, (work.last + 1) * sizeof *work.pi);
    struct nb_twofold *last = &out->mass[work.last];
    *last = nb_twofold_multiply(*last, work.middle);
    out->tail[work.last] = nb_twofold_divide(
        nb_twofold_multiply(*last, nb_twofold_more(work.step, 1)), work.step);
    nb_distribution_add_up(out);
    const double lack = slotted_lack(&work);
    const double count = (double)work.last, reach = (double)work.reach;
    /* a tail adds one rounding per term */
    out->error = count * (slotted_error(&work) + lack + NB_TWOFOLD_ERROR) +
                 10 * NB_TWOFOLD_ERROR;
    /* The levels compared were multiplied by powers of z up to the reach. */
    const double raised =
        reach * (work.rate.high * work.rate_error + 2 * NB_TWOFOLD_ERROR);
    out->far_error =
        work.spread + 2 * raised + work.rate_error + 8 * NB_TWOFOLD_ERROR;
    out->rate = work.rate;
    /* the error of each further step acts like a different rate */
    out->rate_error = work.rate_error + lack / work.rate.high;
done:
    slotted_release(&work);
    return status;
}

/* P(X <= depth), from positive terms only, and its relative error. */
static struct nb_twofold loss_within(const struct nb_distribution *distribution,
                                     double depth, double *error)
{
    const double length = (double)distribution->length;
    const size_t listed = (size_t)(depth + 1 < length ? depth + 1 : length);
    struct nb_twofold sum = { 0, 0 };
    *error = distribution->error + ((double)listed + 8) * NB_TWOFOLD_ERROR;
    if (depth + 1 > length && !isinf(distribution->rate.high)) {
        const struct nb_twofold rest = nb_twofold_expm1(
            nb_twofold_times(distribution->rate, length - (depth + 1)));
        sum = nb_twofold_multiply(distribution->tail[distribution->length],
                                  nb_twofold_negate(rest));
        *error += distribution->far_error + distribution->rate_error +
                  2 * NB_TWOFOLD_MATH_ERROR;
    }
    for (size_t n = listed; n-- > 0;)
        sum = nb_twofold_add(sum, distribution->mass[n]);
    return sum;
}

/* (1 - rho) tail / below */
static struct nb_bracket loss_bracket(struct nb_queue_load load, double tail,
                                      struct nb_twofold below, double error)
{
    const struct nb_twofold lost = nb_twofold_times(nb_scaled(load.idle), tail);
    return nb_scaled_bracket_of(nb_twofold_divide(lost, below), error);
}

struct nb_bracket nb_slotted_loss(const struct nb_distribution *queue,
                                  struct nb_queue_load load, double depth)
{
    double error;
    if (nb_distribution_check(queue, 1, NULL) != NB_OK || queue->is_cut ||
        nb_load_check(load, 1, NULL) != NB_OK || !(load.idle.high > 0) ||
        nb_depth_check(depth, NULL) != NB_OK)
        return (struct nb_bracket){ 0, 1 };
    if (load.rho.high == 0)
        return (struct nb_bracket){ 0, 0 };
    const struct nb_twofold within = loss_within(queue, depth, &error);
    const struct nb_bracket more =
        nb_distribution_tail_bracket(queue, depth + 1);
    const struct nb_twofold below = nb_twofold_multiply(
        load.rho, nb_twofold_shift(within, 1 / NB_DISTRIBUTION_SCALE));
    error += 8 * NB_TWOFOLD_ERROR;
    return (struct nb_bracket){
        loss_bracket(load, more.lower, below, error).lower,
        loss_bracket(load, more.upper, below, error).upper,
    };
}

/* The recursion's weights: P(A>m) for m <= reach, and the rest beyond. */
static enum nb_status loss_start(const struct nb_inputs *inputs,
                                 double log_none, size_t depth,
                                 struct nb_slotted *work, struct nb_error *err)
{
    double reached;
    enum nb_status status = NB_OK;
    work->reach = slotted_reach(inputs, 0, 90 - log_none, &reached);
    if (work->reach > depth) {
        work->reach = depth;
        reached = INFINITY;
    }
    /* From twice the mean of A on, each P(A>m) is below half of the one
     * before. */
    work->log_left_out = log(2) - reached - log_none;
    NB_TRY(nb_new(&work->pi, depth + 1 + SLOTTED_BLOCK, sizeof *work->pi,
                  "queue", err));
    NB_TRY(slotted_arrivals(inputs, work, err));
    work->pi[0] = nb_twofold_from(1);
done:
    return status;
}

/* Brackets P(Q = 0) = pi_0 / sum pi; its lower end is 0 if the sum was cut
 * short. */
static void loss_empty(struct nb_slotted *work, size_t depth, bool is_whole,
                       struct nb_twofold empty[2])
{
    const double enough = 1e40, left_out = exp(work->log_left_out);
    struct nb_twofold sum = { 1, 0 };
    double greatest = 1, lack = 0;
    size_t n = 1, found = 1;
    for (; n <= depth && sum.high < enough; n++) {
        if (n == found) {
            slotted_next(work, n);
            found += SLOTTED_BLOCK;
        }
        const double own = work->pi[n].high;
        sum = nb_twofold_add(sum, work->pi[n]);
        greatest = own > greatest ? own : greatest;
        const double missed = left_out * greatest / own;
        lack = missed > lack ? missed : lack;
    }
    const double error =
        1.001 * (double)n * (slotted_error(work) + lack + NB_TWOFOLD_ERROR);
    const struct nb_twofold over = nb_twofold_divide(nb_twofold_from(1), sum);
    const struct nb_twofold off = nb_twofold_times(over, error);
    empty[0] = is_whole && n > depth ? nb_twofold_subtract(over, off)
                                     : nb_twofold_from(0);
    empty[1] = nb_twofold_add(over, off);
}

/* (empty - idle) / rho, idle <= 0 */
static struct nb_bracket loss_of(struct nb_twofold empty,
                                 struct nb_queue_load load)
{
    const struct nb_twofold lost = nb_twofold_subtract(empty, load.idle);
    return nb_bracket_of(nb_twofold_divide(lost, load.rho),
                         4 * NB_TWOFOLD_ERROR);
}

enum nb_status nb_slotted_loss_saturated(const struct nb_inputs *inputs,
                                         int64_t depth, struct nb_bracket *out,
                                         struct nb_error *err)
{
    struct nb_slotted work = { 0 };
    const double log_none = nb_inputs_log_none(inputs).high;
    const bool is_whole = depth <= NB_SLOTTED_LOSS_DEPTH;
    const size_t levels = is_whole ? (size_t)depth : NB_SLOTTED_LOSS_DEPTH;
    /* It is at most the probability of a slot without packets. */
    struct nb_twofold empty[2] = { { 0, 0 }, { exp(log_none) * 1.001, 0 } };
    enum nb_status status = NB_OK;
    *out = (struct nb_bracket){ 0, 1 };
    NB_TRY(nb_depth_check((double)depth, err));
    NB_TRY(nb_load_check(inputs->load, DBL_MAX, err));
    if (inputs->load.idle.high > 0)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "load %.15g is not saturated (permitted: 1 and more)",
                       inputs->load.rho.high));
    if (nb_inputs_are_single(inputs)) /* one packet in every slot */
        empty[0] = empty[1] = nb_twofold_from(0);
    else if (log_none > -90) {
        NB_TRY(loss_start(inputs, log_none, levels, &work, err));
        loss_empty(&work, levels, is_whole, empty);
    }
    out->lower = loss_of(empty[0], inputs->load).lower;
    out->upper = loss_of(empty[1], inputs->load).upper;
done:
    slotted_release(&work);
    return status;
}
