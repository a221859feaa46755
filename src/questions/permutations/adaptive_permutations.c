#include "questions/permutations/adaptive_permutations.h"

#include "optimum/scheme_paths.h"
#include "core/memory.h"

#include <math.h>

static const char adaptive_source[] = "GargKonemann2007";

enum nb_status nb_adaptive_permutations_find(
    const struct nb_permutations_question *request, const struct nb_run *run,
    struct nb_permutations_answer *answer, struct nb_error *err)
{
    struct nb_scheme_paths paths = { 0 };
    struct nb_path_class class;
    const struct nb_permutation_bounds_question question = {
        .path_class = &class,
        .seed = (uint64_t)request->seed,
        .count = (size_t)request->count,
        .gap =
            nb_ratio_is_known(request->gap) ? nb_ratio_value(request->gap) : 0,
    };
    enum nb_status status;
    NB_TRY(nb_simulated_permutations_find(request, run, answer, err));
    NB_TRY(nb_path_class_init_scheme(&answer->problem.routing, &paths, &class,
                                     err));
    NB_TRY(nb_permutation_bounds_find(&question, run, &answer->bounds, err));
done:
    nb_scheme_paths_release(&paths);
    return status;
}

/* The smaller of a permutation's throughput and the limit of the terminals'
 * channels. */
static struct nb_enclosure
adaptive_value(const struct nb_permutations_answer *answer,
               struct nb_enclosure found)
{
    return nb_enclosure_least(
        found, nb_problem_terminal_limit(&answer->problem, nb_ratio_one));
}

/* The share of the optimum, at most 1; unknown if the optimum is infinite. */
static struct nb_enclosure adaptive_share(struct nb_enclosure own,
                                          struct nb_enclosure all)
{
    return isinf(all.upper) ? (struct nb_enclosure){ { 0, 0 }, 0, 1 }
                            : nb_enclosure_least(nb_enclosure_divide(own, all),
                                                 nb_enclosure_of_whole(1));
}

static void adaptive_add_quantities(const struct nb_permutations_answer *answer,
                                    const struct nb_permutation_summary *scheme,
                                    const struct nb_permutation_summary *any,
                                    struct nb_point *out)
{
    static const char own[] = "maximum concurrent flow over the scheme's paths";
    const struct {
        const char *name, *method;
        struct nb_enclosure rate;
    } rates[] = {
        { "mean_bound", own, scheme->mean },
        { "min_bound", own, scheme->least },
        { "mean_optimum", "maximum concurrent flow over any paths", any->mean },
        { "min_optimum", "maximum concurrent flow over any paths", any->least },
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        nb_problem_add_rate(&answer->problem, out, rates[i].name, rates[i].rate,
                            rates[i].method, adaptive_source);
    nb_point_rely_on_upper(out, "mean_bound");
    nb_point_rely_on_upper(out, "min_bound");
    nb_point_add_enclosure(out, "mean_share",
                           adaptive_share(scheme->mean, any->mean), "1", own,
                           "");
    nb_point_add_enclosure(out, "min_share",
                           adaptive_share(scheme->least, any->least), "1", own,
                           "");
    nb_permutations_add_count(answer, answer->bounds.count, out);
}

static void adaptive_add_notes(const struct nb_permutations_answer *answer,
                               const struct nb_permutation_summary *scheme,
                               struct nb_point *out)
{
    nb_point_add_note(out, "bound",
                      "upper bounds on the scheme's throughput: the most that "
                      "its own paths can carry, in shares that it can give "
                      "them; optimum: the most that any paths can carry");
    nb_point_note(out, "sample",
                  "means are over the sample; the standard error of "
                  "mean_bound_absolute is %.2g%s",
                  scheme->deviation,
                  isinf(scheme->deviation) ? ", with at most one permutation"
                                           : "");
    nb_permutations_note_worst(answer->bounds.worst, answer->bounds.count, out);
    nb_permutations_note_idle(answer->bounds.count - scheme->busy, out);
}

/* The histogram of upper ends; only bins with permutations. bin: [count]
 * scratch. */
static void adaptive_add_histogram(const struct nb_permutations_answer *answer,
                                   double *bin, struct nb_point *out)
{
    const size_t count = answer->bounds.count;
    const double bins = (double)answer->bins;
    const size_t table = nb_table_start(out, &nb_permutations_histogram);
    size_t left = count;
    for (size_t i = 0; i < count; i++)
        bin[i] = floor(nb_enclosure_divide(
                           adaptive_value(answer, answer->bounds.scheme[i]),
                           answer->problem.capacity.rate)
                           .upper *
                       bins * (1 - 1e-12)); /* so that an exact end does not
                                             * fall into the bin above */
    while (left > 0) {
        double least = NAN;
        size_t met = 0;
        for (size_t i = 0; i < count; i++)
            least = fmin(least, bin[i]);
        for (size_t i = 0; i < count; i++) {
            met += bin[i] == least;
            bin[i] = bin[i] == least ? NAN : bin[i];
        }
        nb_permutations_add_bin(answer, least, met, count, table, out);
        left -= met;
    }
}

#define ADAPTIVE_RATE ":number [packets/cycle/terminal]"
const struct nb_table_kind nb_adaptive_permutations = {
    .name = "permutations",
    .columns = NB_SPELLED(
        "number,bound_lower" ADAPTIVE_RATE ",bound_upper" ADAPTIVE_RATE
        ",optimum_lower" ADAPTIVE_RATE ",optimum_upper" ADAPTIVE_RATE
        ",simulated?" ADAPTIVE_RATE ",simulated_lower?" ADAPTIVE_RATE
        ",simulated_upper?" ADAPTIVE_RATE)
};

static void adaptive_add_tables(const struct nb_permutations_answer *answer,
                                struct nb_point *out)
{
    const struct nb_permutation_bounds *bounds = &answer->bounds;
    const size_t simulated = answer->simulated_count;
    nb_permutations_add_worst(bounds->worst_permutation, bounds->terminal_count,
                              out);
    const size_t table = nb_table_start_as(
        out, &nb_adaptive_permutations,
        (struct nb_table_variant){
            .without = simulated > 0
                           ? NULL
                           : "simulated simulated_lower simulated_upper" });
    for (size_t i = 0; i < bounds->count; i++) {
        const struct nb_enclosure own =
            adaptive_value(answer, bounds->scheme[i]);
        const struct nb_enclosure all = adaptive_value(answer, bounds->any[i]);
        const struct nb_interval each =
            i < simulated ? answer->simulated[i]
                          : (struct nb_interval){ NAN, NAN, NAN };
        NB_ROW(out, table, i, own.lower, own.upper, all.lower, all.upper);
        if (simulated > 0)
            NB_ROW(out, table, each.value, each.lower, each.upper);
    }
}

void nb_adaptive_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out)
{
    const struct nb_enclosure limit =
        nb_problem_terminal_limit(&answer->problem, nb_ratio_one);
    const struct nb_permutation_summary scheme = nb_permutation_summarise(
        answer->bounds.scheme, answer->bounds.count, limit);
    const struct nb_permutation_summary any = nb_permutation_summarise(
        answer->bounds.any, answer->bounds.count, limit);
    double *bin = NULL;
    adaptive_add_quantities(answer, &scheme, &any, out);
    nb_simulated_permutations_report(answer, out);
    adaptive_add_notes(answer, &scheme, out);
    if (nb_new(&bin, answer->bounds.count, sizeof *bin, "bins", NULL) == NB_OK)
        adaptive_add_histogram(answer, bin, out);
    else
        out->has_failed = true;
    nb_delete(bin);
    adaptive_add_tables(answer, out);
}
