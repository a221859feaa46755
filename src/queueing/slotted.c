#include "queueing/slotted_work.h"

#include "core/memory.h"
#include "queueing/slotted.h"

#include <float.h>
#include <math.h>

void nb_slotted_release(struct nb_slotted *work)
{
    nb_delete(work->mass);
    nb_delete(work->above);
    nb_delete(work->pi);
}

size_t nb_slotted_reach(const struct nb_inputs *inputs, long double step,
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
    /* A start that leaves far less out than a rounding, see slotted_lack. */
    const long double exponent =
        90 + work->rate + fabsl(logl(work->step)) - logl(inputs->load.idle);
    work->reach = nb_slotted_reach(inputs, work->step, exponent, &reached);
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

long double nb_slotted_next(const struct nb_slotted *work, size_t n)
{
    const size_t reach = work->reach;
    long double sum = n - 1 <= reach ? work->pi[0] * work->above[n - 1] : 0;
    for (size_t i = n > reach ? n - reach : 1; i < n; i++)
        sum += work->pi[i] * work->above[n - i];
    return sum / work->mass[0];
}

long double nb_slotted_error(const struct nb_slotted *work)
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
 * Brackets u_n / u_last for all n >= last by the values that they are means
 * of. Fewer than these are known only where pi left the range of numbers;
 * then u_n is at most what ever entered, z u_0 sum_{m>=0} w_m = z u_0 / a_0.
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

/* Extends pi until what follows is geometric to all digits, or but for
 * roundings that no longer fall, or too small for any question to reach. */
static enum nb_status slotted_run(struct nb_slotted *work, struct nb_error *err)
{
    size_t room = 0, check = 2 * work->reach + 8;
    long double before = 1;
    /* P(Q >= n) <= z^(1-n) (u_0 / a_0) z / (z - 1), see slotted_bracket. */
    const long double enough = logl(work->idle / work->mass[0]) +
                               log1pl(1 / work->step) + logl(1e40L) -
                               logl(NB_LAW_LEAST);
    for (size_t n = 1;; n++) {
        if (n >= room) {
            room = room == 0 ? 2 * check : 2 * room;
            const enum nb_status status = nb_grow(
                &work->pi, room, sizeof *work->pi, "queue lengths", err);
            if (status != NB_OK)
                return status;
            work->pi[0] = work->idle;
        }
        work->pi[n] = nb_slotted_next(work, n);
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

/* What one step may lack, relatively, by the weights left out: they are
 * multiplied by earlier u, the greatest of which is compared to the least. */
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
                              struct nb_law *out, struct nb_error *err)
{
    struct nb_slotted work = { .idle = inputs->load.idle };
    enum nb_status status = NB_OK;
    *out = (struct nb_law){ 0 };
    if (nb_inputs_are_single(inputs))
        return nb_law_single(inputs->load, out, err);
    NB_TRY(nb_load_check(inputs->load, 1, err));
    if (!(inputs->load.idle > 0))
        NB_TRY(nb_fail(err, NB_INVALID,
                       "at load %.18Lg the queue grows for ever (permitted: "
                       "below 1)",
                       inputs->load.rho));
    NB_TRY(slotted_start(inputs, &work, err));
    NB_TRY(slotted_run(&work, err));
    NB_TRY(nb_law_reserve(out, work.last, err));
    for (size_t n = 0; n <= work.last; n++)
        out->mass[n] = work.pi[n];
    out->mass[work.last] *= work.middle;
    out->tail[work.last] = out->mass[work.last] * (1 + work.step) / work.step;
    nb_law_add_up(out);
    const long double lack = slotted_lack(&work);
    const long double count = (long double)work.last;
    /* a tail adds one rounding a term */
    out->error = count * (nb_slotted_error(&work) + lack + LDBL_EPSILON) +
                 10 * LDBL_EPSILON;
    /* The levels compared were raised by powers of z up to the reach. */
    const long double raised = (long double)work.reach * work.rate *
                               (work.rate_error + 2 * LDBL_EPSILON);
    out->far_error =
        work.spread + 2 * raised + work.rate_error + 4 * LDBL_EPSILON;
    out->rate = work.rate;
    /* what each further step may lack is as good as another rate */
    out->rate_error = work.rate_error + lack / work.rate;
done:
    nb_slotted_release(&work);
    return status;
}
