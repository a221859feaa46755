#include "bounds/optimum/oblivious_work.h"

#include "core/clock.h"

#include <math.h>

/* What rounding may do to a load, relatively, and more. */
#define OBLIVIOUS_SLACK 1e-9

/* Solves the program; where rounding made a load that just can be kept look as
 * if it could not, once more with a little room. */
static enum nb_status oblivious_solve(const struct nb_oblivious_case *here,
                                      double deadline,
                                      struct nb_oblivious_program *program,
                                      enum nb_linear_end *end,
                                      struct nb_error *err)
{
    static const double slack[] = { 0, OBLIVIOUS_SLACK };
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < sizeof slack / sizeof slack[0]; s++) {
        nb_oblivious_program_release(program);
        NB_TRY(nb_oblivious_program_build(here, slack[s], program, err));
        NB_TRY(nb_linear_solve(program->linear, NB_LINEAR_DUAL,
                               deadline - nb_clock_now(), end, err));
        if (*end != NB_LINEAR_INFEASIBLE)
            return NB_OK;
    }
    status = nb_fail(err, NB_INVALID,
                     "no routing keeps every load per bandwidth below %.9g",
                     nb_ratio_value(here->question->most_load));
done:
    return status;
}

/* Offers what the solution of a like question, with the same orbits, has to
 * say to this one: its routing and, if it proves anything, its weights. */
static enum nb_status oblivious_try(const struct nb_oblivious_question *like,
                                    double slack, bool has_weights,
                                    double deadline,
                                    struct nb_oblivious_found *found,
                                    struct nb_error *err)
{
    struct nb_oblivious_case same = *found->here; /* lends its parts */
    struct nb_oblivious_program program = { 0 };
    enum nb_linear_end end;
    enum nb_status status = NB_OK;
    same.question = like;
    NB_TRY(nb_oblivious_program_build(&same, slack, &program, err));
    NB_TRY(nb_linear_solve(program.linear, NB_LINEAR_DUAL,
                           deadline - nb_clock_now(), &end, err));
    if (end != NB_LINEAR_OPTIMAL)
        goto done;
    NB_TRY(nb_oblivious_take_flows(&program, found, err));
    if (has_weights)
        NB_TRY(nb_oblivious_take_duals(&program, found, err));
done:
    nb_oblivious_program_release(&program);
    return status;
}

/* Shortest paths alone make a far smaller program, and often are enough. */
static enum nb_status oblivious_try_minimal(double deadline,
                                            struct nb_oblivious_found *found,
                                            struct nb_error *err)
{
    struct nb_oblivious_question minimal = *found->here->question;
    struct nb_path_class class;
    enum nb_status status = NB_OK;
    if (minimal.class->paths != NB_PATHS_ANY)
        return NB_OK;
    NB_TRY(nb_path_class_init(minimal.topology, NB_PATHS_MINIMAL, nb_ratio_one,
                              &class, err));
    minimal.class = &class;
    NB_TRY(oblivious_try(&minimal, 0, true, deadline, found, err));
done:
    return status;
}

/*
 * Many routings have the least load, and that of the program's corner may have
 * shares too odd for whole numbers. Of those that keep the load proved to be
 * least the one of fewest hops is plainer, and better. Of fewest hops, rounding
 * may lift the load over what it must keep: then one a little below is asked.
 */
static enum nb_status oblivious_refine(double deadline,
                                       struct nb_oblivious_found *found,
                                       struct nb_error *err)
{
    struct nb_oblivious_question hops = *found->here->question;
    if (hops.goal == NB_LEAST_MEAN_HOPS)
        return nb_oblivious_keeps(&hops, found->load) &&
                       found->mean_hops.upper <=
                           found->lower.lower * (1 + 100 * OBLIVIOUS_SLACK)
                   ? NB_OK
                   : oblivious_try(&hops, -OBLIVIOUS_SLACK, false, deadline,
                                   found, err);
    if (!nb_ratio_is_known(found->lower.exact))
        return NB_OK;
    hops.goal = NB_LEAST_MEAN_HOPS;
    hops.most_load = found->lower.exact;
    return oblivious_try(&hops, 0, false, deadline, found, err);
}

/* Certificates, from the best solution to what needs none. */
static enum nb_status oblivious_take(const struct nb_oblivious_program *program,
                                     enum nb_linear_end end, double deadline,
                                     struct nb_oblivious_found *found,
                                     struct nb_error *err)
{
    enum nb_status status = NB_OK;
    if (end == NB_LINEAR_OPTIMAL)
        NB_TRY(nb_oblivious_take_flows(program, found, err));
    NB_TRY(nb_oblivious_take_duals(program, found, err));
    if (end == NB_LINEAR_OPTIMAL && !nb_oblivious_is_met(found))
        NB_TRY(oblivious_refine(deadline, found, err));
    if (end != NB_LINEAR_OPTIMAL)
        NB_TRY(nb_oblivious_plain_paths(found, err));
done:
    return status;
}

enum nb_status
nb_best_oblivious_find(const struct nb_oblivious_question *question,
                       const struct nb_run *run, struct nb_best_oblivious *out,
                       struct nb_error *err)
{
    const double deadline = nb_clock_now() + question->seconds;
    struct nb_oblivious_case here = { 0 };
    struct nb_oblivious_program program = { 0 };
    struct nb_oblivious_found found = { .here = &here };
    enum nb_linear_end end;
    enum nb_status status = NB_OK;
    *out = (struct nb_best_oblivious){ 0 };
    NB_TRY(nb_oblivious_case_init(question, &here, err));
    NB_TRY(nb_oblivious_plain_weights(&found, err));
    if (question->known != NULL)
        NB_TRY(nb_oblivious_known_paths(&found, err));
    if (question->goal == NB_LEAST_WORST_LOAD)
        NB_TRY(nb_oblivious_cut_weights(&found, run, err));
    if (here.is_too_large)
        NB_TRY(nb_oblivious_plain_paths(&found, err));
    /* Schemes are made for balanced traffic. */
    if (here.is_too_large ||
        (question->goal == NB_LEAST_WORST_LOAD && !question->is_unbalanced))
        NB_TRY(nb_oblivious_take_schemes(&found, run, deadline, err));
    if (!nb_oblivious_is_met(&found) && !here.is_too_large)
        NB_TRY(oblivious_try_minimal(deadline, &found, err));
    if (!nb_oblivious_is_met(&found) && !here.is_too_large) {
        NB_TRY(oblivious_solve(&here, deadline, &program, &end, err));
        NB_TRY(oblivious_take(&program, end, deadline, &found, err));
        found.best.was_stopped =
            end == NB_LINEAR_STOPPED && nb_clock_now() >= deadline;
    }
    nb_oblivious_conclude(&here, found.load, found.mean_hops, found.lower,
                          &found.best);
    *out = found.best;
    found.best = (struct nb_best_oblivious){ 0 };
done:
    nb_oblivious_program_release(&program);
    nb_oblivious_case_release(&here);
    nb_best_oblivious_release(&found.best);
    return status;
}
