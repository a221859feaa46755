/* netbound optimum --worst-case: the oblivious routing whose worst case is
 * best, and the least mean hops at a fraction of it. */
#include "questions/optimum/optimum_report.h"
#include "questions/optimum/optimum_steps.h"
#include "questions/optimum/optimum_tables.h"
#include "core/try.h"

#include <math.h>
#include <stdio.h>

static const char oblivious_source[] = "TowlesDallyBoyd2003";
static const char oblivious_method[] = "linear program over orbits of pairs "
                                       "and channels, with primal and dual";

/* Ends of a rate's bracket closer than this, relatively, say the same. */
#define OBLIVIOUS_WIDE 1e-6

/* Says at which throughput locality was asked for. */
static void oblivious_note_required(const struct nb_optimum *optimum,
                                    const struct nb_optimum_steps *steps,
                                    struct nb_point *out)
{
    const bool meets = nb_question_flag(optimum->question, "unbalanced") &&
                       optimum->overload == NB_OVERLOAD_MEETS;
    const struct nb_enclosure best = steps->first.throughput;
    char required[NB_RATIO_TEXT], text[512];
    nb_ratio_print(steps->required, required);
    int used = snprintf(text, sizeof text,
                        "least mean hops of any routing whose worst-case "
                        "throughput is %s packets/cycle/terminal at least%s",
                        required,
                        meets ? " (should the one found meet a bandwidth "
                                "before, any part of the one in optimal_paths "
                                "mixed in prevents it)"
                              : "");
    if (!nb_ratio_is_known(best.exact))
        snprintf(text + used, sizeof text - (size_t)used,
                 ": the fraction is of that of the routing found, less about "
                 "1e-9 for rounding; the best is at most %.2g of it more, and "
                 "duality_gap is that of the mean hops",
                 best.upper / best.lower - 1);
    nb_point_add_note(out, "required", text);
}

static enum nb_status
oblivious_add_locality(const struct nb_optimum *optimum,
                       const struct nb_optimum_steps *steps,
                       struct nb_point *out, struct nb_error *err)
{
    const struct nb_enclosure least = steps->least.mean_hops;
    struct nb_enclosure minimal;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_minimal_hops(&optimum->problem.topology, &minimal, err));
    nb_optimum_add_throughput(
        &optimum->problem, out, "required_worst_case_throughput",
        nb_enclosure_of_ratio(steps->required),
        "fraction of the throughput of the routing found", "");
    nb_point_add_enclosure(out, "least_mean_hops", least, "hops",
                           oblivious_method, oblivious_source);
    nb_point_add_enclosure(out, "minimal_mean_hops", minimal, "hops",
                           "shortest paths", "");
    if (!nb_enclosure_is_zero(minimal))
        nb_point_add_enclosure(out, "locality",
                               nb_enclosure_divide(least, minimal), "1",
                               oblivious_method, oblivious_source);
    nb_optimum_add_gap(out, "least_mean_hops", oblivious_method,
                       oblivious_source);
    oblivious_note_required(optimum, steps, out);
done:
    return status;
}

/* Says why a bracket of unbalanced traffic's rate is wide though nothing
 * stopped the search. */
static void oblivious_note_open(const struct nb_optimum_steps *steps,
                                struct nb_point *out)
{
    const struct nb_enclosure found = steps->first.throughput;
    if (steps->was_stopped || steps->first.best.is_too_large ||
        found.upper <= found.lower * (1 + OBLIVIOUS_WIDE))
        return;
    nb_point_add_note(
        out, "open_bracket",
        isfinite(found.upper)
            ? "between the ends the least load is 1 as far as rounded shares "
              "tell: no routing was proved to keep it below, nor any to pass it"
            : "at every rate above the lower end the least load is 1 as far as "
              "rounded shares tell, so that none was proved to be too much");
}

static enum nb_status oblivious_add(const struct nb_optimum *optimum,
                                    const struct nb_optimum_steps *steps,
                                    struct nb_point *out, struct nb_error *err)
{
    const struct nb_topology *topology = &optimum->problem.topology;
    const bool with_locality = steps->with_locality;
    const bool is_exact =
        nb_ratio_is_known(steps->first.throughput.exact) &&
        (!with_locality || nb_ratio_is_known(steps->least.mean_hops.exact));
    struct nb_enclosure throughput = steps->first.throughput;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_cut_worst(optimum, &throughput, err));
    nb_problem_add_throughput(&optimum->problem, out,
                              "optimal_worst_case_throughput", throughput,
                              nb_ratio_one, oblivious_method, oblivious_source);
    if (with_locality)
        NB_TRY(oblivious_add_locality(optimum, steps, out, err));
    else
        nb_optimum_add_gap(out, "optimal_worst_case_throughput_absolute",
                           oblivious_method, oblivious_source);
    if (nb_ratio_is_infinite(steps->first.throughput.exact))
        nb_point_add_note(out, "unlimited",
                          "whatever the sources inject, what destinations "
                          "receive overloads no channel");
    nb_optimum_note_size(steps->first.best.pair_orbits, out);
    if (steps->first.best.is_too_large &&
        steps->first.best.load.lower < steps->first.best.load.upper)
        nb_point_add_note(out, "too_large",
                          "the linear program would be too large; the bracket "
                          "is what shortest paths, paths by way of every "
                          "router, and cuts prove");
    if (steps->was_stopped && !is_exact)
        nb_optimum_note_stop(optimum, out);
    NB_TRY(nb_optimum_add_oblivious(topology, with_locality ? "optimal_" : "",
                                    NB_LEAST_WORST_LOAD, &steps->first.best,
                                    out, err));
    if (nb_question_flag(optimum->question, "unbalanced")) {
        oblivious_note_open(steps, out);
        nb_point_note_overload(out, optimum->overload);
        nb_optimum_add_rates(&steps->first, out);
    }
    if (with_locality)
        NB_TRY(nb_optimum_add_oblivious(topology, "", NB_LEAST_MEAN_HOPS,
                                        &steps->least, out, err));
done:
    return status;
}

static enum nb_status oblivious_answer(const struct nb_optimum *optimum,
                                       struct nb_point *out,
                                       struct nb_error *err)
{
    struct nb_optimum_steps steps;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_steps_find(optimum, &steps, err));
    NB_TRY(oblivious_add(optimum, &steps, out, err));
done:
    nb_optimum_steps_release(&steps);
    return status;
}

static enum nb_status oblivious_check(const struct nb_optimum *optimum,
                                      const struct nb_point *given,
                                      struct nb_point *out,
                                      struct nb_text *said,
                                      struct nb_error *err)
{
    struct nb_optimum_steps steps;
    enum nb_status status = NB_OK;
    NB_TRY(nb_optimum_steps_check(optimum, given, &steps, err));
    NB_TRY(oblivious_add(optimum, &steps, out, err));
    nb_text_print(
        said,
        "paths of %zu pairs reach, and weights of channels bound, "
        "the worst-case throughput%s",
        steps.first.best.pair_orbits,
        steps.with_locality ? "; others reach, and bound, the mean hops" : "");
done:
    nb_optimum_steps_release(&steps);
    return status;
}

static enum nb_status oblivious_symmetry(const struct nb_optimum *optimum,
                                         const struct nb_point *given,
                                         struct nb_symmetry *out,
                                         struct nb_error *err)
{
    const struct nb_oblivious_question question = nb_optimum_steps_ask(optimum);
    (void)given;
    return nb_best_oblivious_symmetry(&question, out, err);
}

const struct nb_optimum_goal nb_optimum_worst_case = {
    .option = "worst-case",
    .permitted = "unbalanced saturated locality at schemes routing-table",
    .answer = oblivious_answer,
    .check = oblivious_check,
    .symmetry = oblivious_symmetry,
};
