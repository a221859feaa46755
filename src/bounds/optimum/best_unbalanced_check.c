#include "bounds/optimum/best_unbalanced.h"
#include "bounds/optimum/oblivious_work.h"

/* A case, its question being for the least worst load at a rate of unbalanced
 * traffic; lends its parts. */
struct check_case {
    struct nb_oblivious_question question;
    struct nb_oblivious_case here;
};

static void check_set(struct check_case *work,
                      const struct nb_oblivious_case *here,
                      struct nb_ratio rate)
{
    work->here = *here;
    work->question = *here->question;
    work->question.rate = rate;
    work->here.question = &work->question;
}

bool nb_unbalanced_is_overload(enum nb_overload overload,
                               struct nb_enclosure load)
{
    const int order = nb_ratio_is_known(load.exact)
                          ? nb_ratio_compare(load.exact, nb_ratio_one)
                          : (load.lower > 1) - (load.lower < 1);
    return order > 0 || (order == 0 && overload == NB_OVERLOAD_MEETS);
}

/* Whether duals bound the load at a rate by 1, or by less where overload says
 * that 1 is too much. */
static enum nb_status check_keeps(const struct nb_oblivious_case *here,
                                  const struct nb_best_oblivious *best,
                                  struct nb_ratio rate,
                                  enum nb_overload overload, bool *keeps,
                                  struct nb_error *err)
{
    struct check_case at;
    struct nb_enclosure load, mean_hops;
    check_set(&at, here, rate);
    const enum nb_status status =
        nb_oblivious_check_routing(&at.here, best, &load, &mean_hops, err);
    if (!nb_ratio_is_known(load.exact)) /* the end that is proved for sure */
        load.lower = load.upper;
    *keeps = status == NB_OK && !nb_unbalanced_is_overload(overload, load);
    return status;
}

/* Whether duals prove that the routing takes the rate. */
static enum nb_status check_rate(const struct nb_oblivious_case *here,
                                 const struct nb_best_unbalanced *claimed,
                                 struct nb_error *err)
{
    const struct nb_ratio rate = claimed->rate;
    const bool is_infinite = nb_ratio_is_infinite(rate);
    bool is_taken, has_room;
    enum nb_status status = NB_OK;
    NB_TRY(check_keeps(here, &claimed->best, is_infinite ? nb_ratio_one : rate,
                       NB_OVERLOAD_EXCEEDS, &is_taken, err));
    /* A channel that destinations alone do not fill is full at the rate at the
     * earliest: what proves its load grows up to there. */
    NB_TRY(check_keeps(here, &claimed->best, nb_ratio_zero,
                       here->question->overload, &has_room, err));
    is_taken = is_taken && has_room;
    for (size_t d = 0; is_infinite && d < claimed->best.dual_count; d++)
        for (size_t r = 0; r < here->topology->router_count; r++)
            is_taken = is_taken && claimed->best.duals[d].row[r] == 0;
    if (!is_taken)
        status = nb_fail(err, NB_REFUTED,
                         "the duals do not prove that the routing takes the "
                         "rate %.9g",
                         nb_ratio_value(rate));
done:
    return status;
}

/* The least load that weights prove at a rate; 0 at 0. */
static enum nb_status check_load(const struct nb_oblivious_case *here,
                                 const struct nb_best_oblivious *best,
                                 struct nb_ratio rate, struct nb_enclosure *out,
                                 struct nb_error *err)
{
    struct check_case at;
    *out = nb_enclosure_of_ratio(nb_ratio_zero);
    if (rate.numerator == 0)
        return NB_OK;
    check_set(&at, here, rate);
    const enum nb_status status =
        nb_oblivious_check_weights(&at.here, best, out, err);
    if (!nb_ratio_is_known(out->exact)) /* the end that is proved for sure */
        *out =
            (struct nb_enclosure){ .lower = out->lower, .upper = out->lower };
    return status;
}

/* Whether the weights of the lower rate lie on every channel that those of the
 * greater one lie on. */
static bool check_covers(const struct nb_oblivious_case *here,
                         const struct nb_best_unbalanced *claimed)
{
    const uint32_t *orbit = here->orbits.channel;
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

/* Where the line through two loads reaches 1. */
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

/* What the two sets of weights prove together (best_unbalanced.h). */
static enum nb_status check_bound(const struct nb_oblivious_case *here,
                                  const struct nb_best_unbalanced *claimed,
                                  struct nb_enclosure *out,
                                  struct nb_error *err)
{
    const struct nb_enclosure from = nb_enclosure_of_ratio(claimed->below);
    const struct nb_enclosure to = nb_enclosure_of_ratio(claimed->above_rate);
    struct nb_enclosure low, high, any;
    enum nb_status status = NB_OK;
    *out = to;
    if (nb_ratio_is_infinite(claimed->above_rate))
        return NB_OK;
    NB_TRY(check_load(here, &claimed->best, claimed->below, &low, err));
    NB_TRY(check_load(here, &claimed->above, claimed->above_rate, &high, err));
    NB_TRY(nb_oblivious_weights_rate(here, &claimed->above, &any, err));
    if (nb_ratio_compare(claimed->below, claimed->above_rate) >= 0 ||
        !nb_unbalanced_is_overload(here->question->overload, high))
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

/* The rates that a claim names; below may be 0, and not infinite. */
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
    struct nb_oblivious_question at = *question;
    struct nb_oblivious_case here = { 0 };
    struct nb_enclosure upper;
    enum nb_status status = NB_OK;
    at.goal = NB_LEAST_WORST_LOAD;
    at.is_unbalanced = true;
    NB_TRY(check_rates(claimed, err));
    NB_TRY(nb_oblivious_case_init(&at, &here, err));
    NB_TRY(check_rate(&here, claimed, err));
    NB_TRY(check_bound(&here, claimed, &upper, err));
    if (nb_enclosure_compare(lower, upper) > 0)
        NB_TRY(
            nb_fail(err, NB_REFUTED,
                    "the rate %.9g that the duals prove is above %.9g, which "
                    "the weights do not let pass",
                    lower.lower, upper.upper));
    claimed->best.pair_orbits = here.pair_count;
    claimed->throughput =
        nb_ratio_is_known(upper.exact) &&
                nb_ratio_compare(upper.exact, claimed->rate) == 0
            ? lower
            : (struct nb_enclosure){ .lower = lower.lower,
                                     .upper = upper.upper };
done:
    nb_oblivious_case_release(&here);
    return status;
}
