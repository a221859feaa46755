#include "cli/optimum_steps.h"

#include "cli/optimum_report.h"
#include "cli/optimum_tables.h"
#include "core/clock.h"

#include <math.h>

void nb_optimum_steps_release(struct nb_optimum_steps *steps)
{
    nb_best_unbalanced_release(&steps->first);
    nb_best_oblivious_release(&steps->least);
}

struct nb_oblivious_question
nb_optimum_steps_ask(const struct nb_optimum *optimum)
{
    return (struct nb_oblivious_question){
        .topology = &optimum->problem.topology,
        .path_class = &optimum->class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .is_unbalanced = nb_question_flag(optimum->question, "unbalanced"),
        .overload = optimum->overload,
        .most_load = nb_ratio_one,
        .seconds = optimum->seconds,
    };
}

/*
 * A ratio of few digits a little above a number: far enough that a routing
 * whose load is that number keeps the load when its paths' weights are
 * rounded to whole numbers, and that multiples of it fit.
 */
static struct nb_ratio steps_above(double value)
{
    return nb_ratio_make((nb_int128)ceil(ldexp(value * (1 + 0x1p-30), 32)) + 1,
                         (nb_int128)1 << 32);
}

/* The load that the second step keeps: the best, or what the terminals'
 * channels let through, over the fraction asked for. */
static struct nb_ratio steps_most_load(const struct nb_optimum_steps *steps,
                                       struct nb_ratio limit,
                                       struct nb_ratio at)
{
    const struct nb_enclosure load = steps->first.best.load;
    const struct nb_ratio least = nb_ratio_divide(nb_ratio_one, limit);
    struct nb_ratio most =
        nb_ratio_is_known(load.exact) ? load.exact : steps_above(load.upper);
    if (nb_ratio_compare(least, most) > 0)
        most = least;
    const struct nb_ratio share = nb_ratio_divide(most, at);
    return nb_ratio_is_known(share)
               ? share
               : steps_above(nb_ratio_value(most) / nb_ratio_value(at));
}

/* The rate of unbalanced traffic that the second step carries. */
static struct nb_ratio steps_rate(const struct nb_optimum_steps *steps,
                                  struct nb_ratio limit, struct nb_ratio at)
{
    const bool is_exact = nb_ratio_is_known(steps->first.throughput.exact);
    const struct nb_ratio rate = nb_ratio_compare(limit, steps->first.rate) < 0
                                     ? limit
                                     : steps->first.rate;
    const struct nb_ratio share = nb_ratio_multiply(rate, at);
    if (is_exact && nb_ratio_is_known(share))
        return share;
    /* The inverse of what is a little above the inverse is a little below. */
    return nb_ratio_divide(nb_ratio_one, steps_above(1 / (nb_ratio_value(rate) *
                                                          nb_ratio_value(at))));
}

/* The second step's question: the routing found in the first keeps it. */
static struct nb_oblivious_question
steps_ask_least(const struct nb_optimum *optimum,
                struct nb_optimum_steps *steps)
{
    const struct nb_topology *topology = &optimum->problem.topology;
    struct nb_oblivious_question question = nb_optimum_steps_ask(optimum);
    const struct nb_ratio given = nb_optimum_number(optimum, "at");
    const struct nb_ratio at = nb_ratio_is_known(given) ? given : nb_ratio_one;
    const struct nb_ratio limit = nb_terminal_limit(topology, nb_ratio_one);
    const struct nb_ratio vacuous = nb_unbalanced_vacuous_rate(topology);
    question.goal = NB_LEAST_MEAN_HOPS;
    if (question.is_unbalanced) {
        steps->required = steps_rate(steps, limit, at);
        question.rate = nb_ratio_compare(steps->required, vacuous) < 0
                            ? steps->required
                            : vacuous;
    } else {
        question.most_load = steps_most_load(steps, limit, at);
        steps->required = nb_ratio_divide(nb_ratio_one, question.most_load);
    }
    return question;
}

static void steps_begin(const struct nb_optimum *optimum,
                        struct nb_optimum_steps *out)
{
    *out = (struct nb_optimum_steps){
        .with_locality = nb_question_flag(optimum->question, "locality") ||
                         nb_ratio_is_known(nb_optimum_number(optimum, "at")),
    };
}

static void steps_take_balanced(struct nb_optimum_steps *steps)
{
    steps->first.throughput = nb_enclosure_divide(
        nb_enclosure_of_ratio(nb_ratio_one), steps->first.best.load);
}

enum nb_status nb_optimum_steps_find(const struct nb_optimum *optimum,
                                     struct nb_optimum_steps *out,
                                     struct nb_error *err)
{
    const double begin = nb_clock_now();
    const struct nb_run *run = &optimum->question->run;
    struct nb_oblivious_question question = nb_optimum_steps_ask(optimum);
    enum nb_status status = NB_OK;
    steps_begin(optimum, out);
    if (question.is_unbalanced) {
        NB_TRY(nb_best_unbalanced_find(&question, run, &out->first, err));
    } else {
        NB_TRY(nb_best_oblivious_find(&question, run, &out->first.best, err));
        steps_take_balanced(out);
    }
    if (out->with_locality) {
        question = steps_ask_least(optimum, out);
        question.seconds -= nb_clock_now() - begin;
        question.known = &out->first.best.paths;
        NB_TRY(nb_best_oblivious_find(&question, run, &out->least, err));
    }
    out->was_stopped = out->first.best.was_stopped || out->least.was_stopped;
done:
    return status;
}

/* The first step, from the given tables. */
static enum nb_status steps_check_best(const struct nb_optimum *optimum,
                                       const struct nb_point *given,
                                       struct nb_optimum_steps *out,
                                       struct nb_error *err)
{
    const struct nb_oblivious_question question = nb_optimum_steps_ask(optimum);
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_read_oblivious(
        question.topology, out->with_locality ? "optimal_" : "", question.goal,
        given, &out->first.best, err));
    if (!question.is_unbalanced) {
        NB_TRY(nb_best_oblivious_check(&question, &out->first.best, err));
        steps_take_balanced(out);
        goto done;
    }
    NB_TRY(nb_optimum_read_rates(question.topology, given, &out->first, err));
    NB_TRY(nb_best_unbalanced_check(&question, &out->first, err));
done:
    return status;
}

enum nb_status nb_optimum_steps_check(const struct nb_optimum *optimum,
                                      const struct nb_point *given,
                                      struct nb_optimum_steps *out,
                                      struct nb_error *err)
{
    struct nb_oblivious_question question;
    enum nb_status status = NB_OK;
    steps_begin(optimum, out);
    NB_TRY(steps_check_best(optimum, given, out, err));
    if (out->with_locality) {
        question = steps_ask_least(optimum, out);
        NB_TRY(nb_optimum_read_oblivious(question.topology, "", question.goal,
                                         given, &out->least, err));
        NB_TRY(nb_best_oblivious_check(&question, &out->least, err));
    }
    out->was_stopped = nb_optimum_was_stopped(optimum, given);
done:
    return status;
}
