/* Losses of a finite buffer (declared in slotted.h). */
#include "core/memory.h"
#include "queueing/slotted.h"
#include "queueing/slotted_work.h"

#include <float.h>
#include <math.h>

/* P(X <= depth), positive terms alone, and its relative error. */
static long double loss_within(const struct nb_law *law, double depth,
                               long double *error)
{
    const double length = (double)law->length;
    const size_t listed = (size_t)(depth + 1 < length ? depth + 1 : length);
    long double sum = 0;
    *error = law->error + ((long double)listed + 8) * LDBL_EPSILON;
    if (depth + 1 > length) {
        const long double steps = (long double)(depth + 1 - length);
        sum = -law->tail[law->length] * expm1l(-law->rate * steps);
        *error += law->far_error + law->rate_error;
    }
    for (size_t n = listed; n-- > 0;)
        sum += law->mass[n];
    return sum;
}

struct nb_bracket nb_slotted_loss(const struct nb_law *queue,
                                  struct nb_queue_load load, double depth)
{
    long double error;
    if (nb_law_check(queue, 1, NULL) != NB_OK || queue->is_cut ||
        nb_load_check(load, 1, NULL) != NB_OK || !(load.idle > 0) ||
        nb_depth_check(depth, NULL) != NB_OK)
        return (struct nb_bracket){ 0, 1 };
    if (load.rho == 0)
        return (struct nb_bracket){ 0, 0 };
    const long double within = loss_within(queue, depth, &error);
    const struct nb_bracket more = nb_law_tail_bracket(queue, depth + 1);
    const long double factor = load.idle / (load.rho * within);
    error += 8 * LDBL_EPSILON;
    return (struct nb_bracket){
        nb_bracket_of(factor * more.lower, error).lower,
        nb_bracket_of(factor * more.upper, error).upper,
    };
}

/* The recursion's weights: P(A>m) for m <= reach, and what lies beyond. */
static enum nb_status loss_start(const struct nb_inputs *inputs,
                                 long double log_none, size_t depth,
                                 struct nb_slotted *work, struct nb_error *err)
{
    long double reached;
    enum nb_status status = NB_OK;
    work->reach = nb_slotted_reach(inputs, 0, 90 - log_none, &reached);
    if (work->reach > depth) {
        work->reach = depth;
        reached = INFINITY;
    }
    /* At twice the mean of A and beyond, each P(A>m) is below half of the one
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

/* Brackets P(Q = 0) = pi_0 / sum pi; its lower end is 0 where the sum broke
 * off. */
static void loss_empty(struct nb_slotted *work, size_t depth, bool is_whole,
                       long double empty[2])
{
    static const long double enough = 1e40L;
    long double sum = 1, greatest = 1, lack = 0;
    size_t n = 1;
    for (; n <= depth && sum < enough; n++) {
        work->pi[n] = nb_slotted_next(work, n);
        sum += work->pi[n];
        greatest = work->pi[n] > greatest ? work->pi[n] : greatest;
        const long double missed = work->left_out * greatest / work->pi[n];
        lack = missed > lack ? missed : lack;
    }
    const long double error = 1.001L * (long double)n *
                              (nb_slotted_error(work) + lack + LDBL_EPSILON);
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
    /* It is not emptier than a slot is without packets. */
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
    nb_slotted_release(&work);
    return status;
}
