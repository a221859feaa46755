#include "optimum/best_unbalanced.h"

#include "optimum/oblivious_check.h"
#include "optimum/whole.h"
#include "core/clock.h"
#include "core/try.h"

#include <math.h>

/* A claim and its case; the case asks for the least worst load of unbalanced
 * traffic at one rate after another. */
struct check_work {
    const struct nb_best_unbalanced *claimed;
    struct nb_oblivious_question at;
    struct nb_oblivious_case here;
};

/* Whether a load per bandwidth is certainly too much. */
static bool unbalanced_is_overload(enum nb_overload overload,
                                   struct nb_enclosure load)
{
    const int order = nb_ratio_is_known(load.exact)
                          ? nb_ratio_compare(load.exact, nb_ratio_one)
                          : (load.lower > 1) - (load.lower < 1);
    return order > 0 || (order == 0 && overload == NB_OVERLOAD_MEETS);
}

/* Whether duals bound the load at a rate by 1; with NB_OVERLOAD_MEETS, by less
 * than 1. */
static enum nb_status check_keeps(struct check_work *work, struct nb_ratio rate,
                                  enum nb_overload overload, bool *keeps,
                                  struct nb_error *err)
{
    struct nb_enclosure load, mean_hops;
    work->at.rate = rate;
    const enum nb_status status = nb_oblivious_check_routing(
        &work->here, &work->claimed->best, &load, &mean_hops, err);
    if (!nb_ratio_is_known(load.exact)) /* the end that is certain */
        load.lower = load.upper;
    *keeps = status == NB_OK && !unbalanced_is_overload(overload, load);
    return status;
}

/* Checks that duals prove that the routing takes the rate. */
static enum nb_status check_rate(struct check_work *work, struct nb_error *err)
{
    const struct nb_best_oblivious *best = &work->claimed->best;
    const struct nb_ratio rate = work->claimed->rate;
    const bool is_infinite = nb_ratio_is_infinite(rate);
    bool is_taken, has_room;
    enum nb_status status = NB_OK;
    NB_TRY(check_keeps(work, is_infinite ? nb_ratio_one : rate,
                       NB_OVERLOAD_EXCEEDS, &is_taken, err));
    /* At rate 0 destinations must leave room on every channel: each proved load
     * then grows linearly and reaches 1 at this rate or later. */
    NB_TRY(check_keeps(work, nb_ratio_zero, work->at.overload, &has_room, err));
    is_taken = is_taken && has_room;
    for (size_t d = 0; is_infinite && d < best->dual_count; d++)
        for (size_t r = 0; r < work->here.topology->router_count; r++)
            is_taken = is_taken && best->duals[d].row[r] == 0;
    if (!is_taken)
        status = nb_fail(err, NB_REFUTED,
                         "the duals do not prove that the routing takes the "
                         "rate %.9g",
                         nb_ratio_value(rate));
done:
    return status;
}

/* The load that weights prove at a rate; 0 at 0. */
static enum nb_status check_load(struct check_work *work,
                                 const struct nb_best_oblivious *best,
                                 struct nb_ratio rate, struct nb_enclosure *out,
                                 struct nb_error *err)
{
    *out = nb_enclosure_of_ratio(nb_ratio_zero);
    if (rate.numerator == 0)
        return NB_OK;
    work->at.rate = rate;
    const enum nb_status status =
        nb_oblivious_check_weights(&work->here, best, out, err);
    if (!nb_ratio_is_known(out->exact)) /* the end that is certain */
        *out =
            (struct nb_enclosure){ .lower = out->lower, .upper = out->lower };
    return status;
}

/* Whether the weights of the lower rate cover every channel that has weights at
 * the greater rate. */
static bool check_covers(const struct nb_oblivious_case *here,
                         const struct nb_best_unbalanced *claimed)
{
    const uint32_t *orbit = here->channels.of;
    for (size_t i = 0; i < claimed->above.weight_count; i++) {
        bool is_covered = false;
        for (size_t k = 0; k < claimed->best.weight_count && !is_covered; k++)
            is_covered = orbit[claimed->best.weights[k].channel] ==
                         orbit[claimed->above.weights[i].channel];
        if (!is_covered)
            return false;
    }
    return true;
}

/* The rate at which the line through two loads reaches 1. */
static struct nb_enclosure check_line(struct nb_enclosure from,
                                      struct nb_enclosure low,
                                      struct nb_enclosure to,
                                      struct nb_enclosure high)
{
    const struct nb_enclosure one = nb_enclosure_of_ratio(nb_ratio_one);
    return nb_enclosure_add(
        from, nb_enclosure_divide(
                  nb_enclosure_multiply(nb_enclosure_excess(one, low),
                                        nb_enclosure_excess(to, from)),
                  nb_enclosure_excess(high, low)));
}

/* The bound that the two sets of weights prove together (best_unbalanced.h). */
static enum nb_status check_bound(struct check_work *work,
                                  struct nb_enclosure *out,
                                  struct nb_error *err)
{
    const struct nb_oblivious_case *here = &work->here;
    const struct nb_best_unbalanced *claimed = work->claimed;
    const struct nb_enclosure from = nb_enclosure_of_ratio(claimed->below);
    const struct nb_enclosure to = nb_enclosure_of_ratio(claimed->above_rate);
    struct nb_enclosure low, high, any;
    enum nb_status status = NB_OK;
    *out = to;
    if (nb_ratio_is_infinite(claimed->above_rate))
        return NB_OK;
    NB_TRY(check_load(work, &claimed->best, claimed->below, &low, err));
    NB_TRY(check_load(work, &claimed->above, claimed->above_rate, &high, err));
    NB_TRY(nb_oblivious_weights_rate(here, &claimed->above, &any, err));
    if (nb_ratio_compare(claimed->below, claimed->above_rate) >= 0 ||
        !unbalanced_is_overload(work->at.overload, high))
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the weights do not prove that the rate %.9g is too "
                       "much",
                       nb_ratio_value(claimed->above_rate)));
    *out = nb_enclosure_least(to, any);
    if (low.lower >= 1 && check_covers(here, claimed))
        *out = nb_enclosure_least(*out, from);
    else if (claimed->best.dual_count == 1 && low.lower < 1)
        *out = nb_enclosure_least(*out, check_line(from, low, to, high));
done:
    return status;
}

/* Checks the rates of a claim; below may be 0, but not infinite. */
static enum nb_status check_rates(const struct nb_best_unbalanced *claimed,
                                  struct nb_error *err)
{
    const struct nb_ratio rates[] = { claimed->rate, claimed->above_rate,
                                      claimed->below };
    for (size_t i = 0; i < 3; i++)
        if (!nb_ratio_is_known(rates[i]) || rates[i].denominator < 0 ||
            rates[i].numerator < (i < 2) ||
            (i == 2 && nb_ratio_is_infinite(rates[i])))
            return nb_fail(err, NB_REFUTED,
                           "a rate that is proved or has weights is out of "
                           "range (permitted: above 0)");
    return NB_OK;
}

enum nb_status
nb_best_unbalanced_check(const struct nb_oblivious_question *question,
                         struct nb_best_unbalanced *claimed,
                         struct nb_error *err)
{
    const struct nb_enclosure lower = nb_enclosure_of_ratio(claimed->rate);
    struct check_work work = { .claimed = claimed, .at = *question };
    struct nb_enclosure upper;
    enum nb_status status = NB_OK;
    work.at.goal = NB_LEAST_WORST_LOAD;
    work.at.is_unbalanced = true;
    NB_TRY(check_rates(claimed, err));
    NB_TRY(nb_oblivious_case_init(&work.at, &work.here, err));
    NB_TRY(check_rate(&work, err));
    NB_TRY(check_bound(&work, &upper, err));
    if (nb_enclosure_compare(lower, upper) > 0)
        NB_TRY(nb_fail(err, NB_REFUTED,
                       "the rate %.9g that the duals prove is above %.9g, the "
                       "bound of the weights",
                       lower.lower, upper.upper));
    claimed->best.pair_orbits = work.here.pair_count;
    claimed->throughput = nb_oblivious_span(lower, upper);
done:
    nb_oblivious_case_release(&work.here);
    return status;
}

enum { UNBALANCED_ROUNDS = 60 };

/* Relative difference below which the doubles of a linear program do not
 * distinguish rates. */
#define UNBALANCED_CLOSE 1e-9

/* The same where each step solves a program, as closer ones are degenerate. */
#define UNBALANCED_NEAR 1e-7

struct nb_ratio nb_unbalanced_vacuous_rate(const struct nb_topology *topology)
{
    return nb_ratio_make(2 * (nb_int128)topology->terminal_count, 1);
}

/* A ratio slightly below a number >= 0. */
static struct nb_ratio unbalanced_below(double value)
{
    return nb_ratio_make((nb_int128)floor(ldexp(value * (1 - 0x1p-40), 40)),
                         (nb_int128)1 << 40);
}

/* The rate that one channel's duals prove, negative if none; it is positive if
 * all column duals are 0. */
static struct nb_ratio
unbalanced_rate(const struct nb_oblivious_question *question,
                const struct nb_oblivious_dual *dual, int64_t denominator)
{
    const struct nb_topology *topology = question->topology;
    const struct nb_ratio bandwidth =
        topology->channels[dual->channel].bandwidth;
    nb_int128 rows = 0, columns = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        rows += (nb_int128)topology->terminals[r] * dual->row[r];
        columns += (nb_int128)topology->terminals[r] * dual->column[r];
    }
    const nb_int128 left = (nb_int128)bandwidth.numerator * denominator -
                           columns * bandwidth.denominator;
    const nb_int128 right = rows * bandwidth.denominator;
    if (rows == 0)
        return left < 0 ||
                       (left == 0 && question->overload == NB_OVERLOAD_MEETS)
                   ? nb_ratio_make(-1, 1)
                   : nb_ratio_infinity;
    const struct nb_ratio rate = nb_ratio_make(left, right);
    return nb_ratio_is_known(rate)
               ? rate
               : unbalanced_below(left > 0 ? (double)left / (double)right : 0);
}

/* Moves all of a channel's duals to the rows. */
static void unbalanced_shift(const struct nb_topology *topology,
                             struct nb_oblivious_dual *dual)
{
    int64_t most = 0;
    for (size_t r = 0; r < topology->router_count; r++)
        most = dual->column[r] > most ? dual->column[r] : most;
    for (size_t r = 0; r < topology->router_count; r++) {
        dual->row[r] += most;
        dual->column[r] = 0;
    }
}

/* The rate that a routing's duals prove; duals that prove none are replaced by
 * ones that do. */
static struct nb_ratio
unbalanced_prove(const struct nb_oblivious_question *question,
                 struct nb_best_oblivious *best)
{
    const struct nb_path_table *paths = &best->paths;
    struct nb_ratio least = nb_ratio_infinity;
    int64_t denominator = 0;
    for (size_t p = 0; p < paths->path_count; p++)
        if (paths->path[p].source == paths->path[0].source &&
            paths->path[p].destination == paths->path[0].destination)
            denominator += (int64_t)paths->path[p].weight;
    const int64_t unit = denominator > 0 ? denominator : 1;
    for (size_t d = 0; d < best->dual_count; d++) {
        struct nb_oblivious_dual *dual = &best->duals[d];
        struct nb_ratio rate = unbalanced_rate(question, dual, unit);
        if (rate.numerator <= 0) {
            unbalanced_shift(question->topology, dual);
            rate = unbalanced_rate(question, dual, unit);
        }
        if (nb_ratio_compare(rate, least) < 0)
            least = rate;
    }
    return least;
}

/* Exchanges the weights of two certificates. */
static void unbalanced_swap_weights(struct nb_best_oblivious *a,
                                    struct nb_best_oblivious *b)
{
    const struct nb_best_oblivious old = *a;
    a->weights = b->weights;
    a->weight_count = b->weight_count;
    b->weights = old.weights;
    b->weight_count = old.weight_count;
}

/* What is adopted: both ends, or weights only if they bound from above. */
enum unbalanced_part { UNBALANCED_ALL, UNBALANCED_NOT_BELOW };

/* Adopts the parts of the result at a rate that prove more than before. */
static void unbalanced_take(const struct nb_oblivious_question *question,
                            struct nb_best_oblivious *found, struct nb_ratio at,
                            enum unbalanced_part part,
                            struct nb_best_unbalanced *out)
{
    const struct nb_ratio rate = unbalanced_prove(question, found);
    const bool is_below = nb_ratio_compare(at, out->above_rate) < 0;
    const bool is_above = nb_ratio_compare(at, out->below) > 0;
    if (is_below && unbalanced_is_overload(question->overload, found->load)) {
        unbalanced_swap_weights(found, &out->above);
        out->above_rate = at;
        if (!is_above) /* these weights prove too little */
            out->below = nb_ratio_zero;
    } else if (is_below && is_above && part == UNBALANCED_ALL) {
        unbalanced_swap_weights(found, &out->best);
        out->below = at;
    }
    if (nb_ratio_compare(rate, out->rate) >= 0) {
        const struct nb_best_oblivious old = out->best;
        out->best = *found;
        *found = old;
        unbalanced_swap_weights(found, &out->best);
        out->rate = rate;
    }
}

/* Search state. */
struct unbalanced_search {
    struct nb_oblivious_question ask; /* its rate varies */
    const struct nb_run *run;
    double deadline; /* [s] */
    struct nb_best_unbalanced *out;
};

static enum nb_status unbalanced_solve(struct unbalanced_search *search,
                                       struct nb_ratio at,
                                       enum unbalanced_part part,
                                       struct nb_error *err)
{
    struct nb_best_oblivious found = { 0 };
    search->ask.rate = at;
    search->ask.seconds = search->deadline - nb_clock_now();
    const enum nb_status status =
        nb_best_oblivious_find(&search->ask, search->run, &found, err);
    const bool was_stopped = found.was_stopped;
    if (status == NB_OK)
        unbalanced_take(&search->ask, &found, at, part, search->out);
    search->out->best.was_stopped = was_stopped;
    nb_best_oblivious_release(&found);
    return status;
}

/* A rate with a small denominator between two others: the smaller it is, the
 * more of the shares in its solution are simple ratios that doubles resolve. */
static struct nb_ratio unbalanced_between(double low, double high)
{
    const double middle = low + (high - low) / 2;
    int64_t numerator = 0, denominator = 0;
    if (middle < 0x1p20)
        denominator = nb_whole_find(1, &middle, (high - low) / 2,
                                    (int64_t)1 << 40, &numerator);
    return denominator > 0 ? nb_ratio_make(numerator, denominator)
                           : unbalanced_below(middle);
}

/* A rate whose weights bound the best routing's rate from above. For MEETS that
 * rate itself, if it is a simple ratio; else a somewhat greater one. Any
 * greater one suffices for the line, and a near one loses little where the
 * rate's own weights are not exact. */
static struct nb_ratio unbalanced_beside(enum nb_overload overload,
                                         struct nb_ratio rate)
{
    const double value = nb_ratio_value(rate);
    const struct nb_ratio more = nb_ratio_multiply(rate, nb_ratio_make(65, 64));
    return overload == NB_OVERLOAD_EXCEEDS && nb_ratio_is_known(more)
               ? more
               : unbalanced_between(value * (1 - UNBALANCED_CLOSE),
                                    value * (1 + UNBALANCED_CLOSE));
}

static enum nb_status unbalanced_probe(struct unbalanced_search *search,
                                       struct nb_ratio at,
                                       enum unbalanced_part part,
                                       struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (!nb_ratio_is_known(at) || at.numerator == 0)
        return NB_OK;
    NB_TRY(unbalanced_solve(search, at, part, err));
    NB_TRY(nb_best_unbalanced_check(&search->ask, search->out, err));
done:
    return status;
}

/*
 * Lowers the proved upper end to the last rate that some routing seems to take:
 * from one bound by weights to the next, as in Newton's method, and by
 * bisection where this is slow.
 */
static enum nb_status unbalanced_descend(struct unbalanced_search *search,
                                         struct nb_error *err)
{
    const struct nb_best_unbalanced *out = search->out;
    enum nb_status status = NB_OK;
    double seems = out->throughput.lower;
    bool is_slow = false;
    for (int round = 0; round < UNBALANCED_ROUNDS && !out->best.was_stopped &&
                        isfinite(out->throughput.upper) &&
                        out->throughput.upper > seems * (1 + UNBALANCED_NEAR);
         round++) {
        const double before = out->throughput.upper;
        const double third = (before - seems) / 3;
        const struct nb_ratio at =
            is_slow ? unbalanced_between(seems + third, before - third)
                    : unbalanced_below(before);
        NB_TRY(unbalanced_probe(
            search, at, is_slow ? UNBALANCED_NOT_BELOW : UNBALANCED_ALL, err));
        if (out->throughput.upper >= before)
            seems = nb_ratio_value(at);
        seems = fmax(seems, out->throughput.lower);
        is_slow = !is_slow && out->throughput.upper - seems > third;
    }
done:
    return status;
}

/*
 * Where the least load stays 1 over a range of rates, Newton's method from
 * below may end anywhere in it, and the range ends where the upper end was
 * lowered to. Tries rates a little below that, farther and farther, until the
 * routing found is proved to take its rate. Some routings are not: a channel
 * that destinations fill on their own has no room for the rounding of its
 * shares.
 */
static enum nb_status unbalanced_climb(struct unbalanced_search *search,
                                       struct nb_error *err)
{
    const struct nb_best_unbalanced *out = search->out;
    const double most =
        nb_ratio_value(nb_unbalanced_vacuous_rate(search->ask.topology));
    enum nb_status status = NB_OK;
    for (double part = UNBALANCED_CLOSE;
         part < 0.5 && !out->best.was_stopped &&
         out->throughput.upper > out->throughput.lower * (1 + UNBALANCED_NEAR);
         part *= 2) {
        const double upper = fmin(out->throughput.upper, most);
        const double high = upper * (1 - part);
        if (high <= out->throughput.lower)
            break;
        NB_TRY(unbalanced_probe(
            search, unbalanced_between(upper * (1 - 2 * part), high),
            UNBALANCED_NOT_BELOW, err));
    }
done:
    return status;
}

enum nb_status
nb_best_unbalanced_find(const struct nb_oblivious_question *question,
                        const struct nb_run *run,
                        struct nb_best_unbalanced *out, struct nb_error *err)
{
    struct unbalanced_search search = {
        .ask = *question,
        .run = run,
        .deadline = nb_clock_now() + question->seconds,
        .out = out,
    };
    struct nb_ratio at = nb_ratio_one;
    bool has_ended = false;
    enum nb_status status = NB_OK;
    search.ask.goal = NB_LEAST_WORST_LOAD;
    search.ask.is_unbalanced = true;
    *out = (struct nb_best_unbalanced){ .rate = nb_ratio_zero,
                                        .below = nb_ratio_zero,
                                        .above_rate = nb_ratio_infinity };
    NB_TRY(nb_topology_check(question->topology, err));
    const struct nb_ratio most = nb_unbalanced_vacuous_rate(question->topology);
    for (int round = 0; round < UNBALANCED_ROUNDS && !has_ended; round++) {
        NB_TRY(unbalanced_solve(&search, at, UNBALANCED_ALL, err));
        has_ended = out->best.was_stopped || nb_ratio_is_infinite(out->rate) ||
                    fabs(nb_ratio_value(out->rate) / nb_ratio_value(at) - 1) <=
                        UNBALANCED_CLOSE;
        if (!has_ended)
            at = nb_ratio_compare(out->rate, most) < 0 ? out->rate : most;
    }
    if (!out->best.was_stopped && !nb_ratio_is_infinite(out->rate) &&
        nb_ratio_compare(out->rate, out->above_rate) < 0) {
        at = unbalanced_beside(question->overload, out->rate);
        NB_TRY(unbalanced_solve(&search, at, UNBALANCED_ALL, err));
    }
    /* On a plateau that proves nothing; beyond `most` nothing changes. */
    if (!out->best.was_stopped && !nb_ratio_is_infinite(out->rate) &&
        nb_ratio_is_infinite(out->above_rate))
        NB_TRY(unbalanced_solve(&search, most, UNBALANCED_NOT_BELOW, err));
    NB_TRY(nb_best_unbalanced_check(question, out, err));
    NB_TRY(unbalanced_descend(&search, err));
    NB_TRY(unbalanced_climb(&search, err));
done:
    if (status != NB_OK)
        nb_best_unbalanced_release(out);
    return status;
}

void nb_best_unbalanced_release(struct nb_best_unbalanced *best)
{
    nb_best_oblivious_release(&best->best);
    nb_best_oblivious_release(&best->above);
    *best = (struct nb_best_unbalanced){ 0 };
}
