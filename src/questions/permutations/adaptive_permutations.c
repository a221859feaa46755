#include "questions/permutations/adaptive_permutations.h"

#include "optimum/scheme_paths.h"
#include "core/locale.h"
#include "core/memory.h"
#include "report/tree.h"

#include <math.h>
#include <stdio.h>

static const char adaptive_source[] = "GargKonemann2007";

/* The scheme's paths are among any paths, so neither bracket needs to go beyond
 * the other's end. */
static void adaptive_cut(struct nb_permutation_bounds *bounds)
{
    for (size_t i = 0; i < bounds->count; i++) {
        struct nb_enclosure *own = &bounds->scheme[i], *all = &bounds->any[i];
        if (!nb_ratio_is_known(own->exact))
            own->upper = fmin(own->upper, all->upper);
        if (!nb_ratio_is_known(all->exact))
            all->lower = fmax(all->lower, own->lower);
    }
}

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
    adaptive_cut(&answer->bounds);
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

/* Summary of the brackets of many permutations. */
struct adaptive_sums {
    struct nb_enclosure mean; /* [0, inf] if none is busy */
    struct nb_enclosure least;
    size_t busy;      /* permutations whose throughput is finite */
    double deviation; /* standard error of the mean of the upper ends; +inf for
                       * fewer than two permutations */
};

static struct adaptive_sums
adaptive_sum(const struct nb_permutations_answer *answer,
             const struct nb_enclosure *found)
{
    struct adaptive_sums out = {
        .mean = nb_enclosure_of_whole(0),
        .least = nb_enclosure_of_ratio(nb_ratio_infinity),
        .deviation = INFINITY,
    };
    double squares = 0;
    for (size_t i = 0; i < answer->bounds.count; i++) {
        const struct nb_enclosure value = adaptive_value(answer, found[i]);
        if (isinf(value.upper))
            continue;
        out.mean = nb_enclosure_add(out.mean, value);
        out.least = nb_enclosure_least(out.least, value);
        out.busy++;
    }
    if (out.busy == 0) {
        out.mean = (struct nb_enclosure){ { 0, 0 }, 0, INFINITY };
        return out;
    }
    out.mean = nb_enclosure_divide(out.mean,
                                   nb_enclosure_of_whole((uint32_t)out.busy));
    for (size_t i = 0; i < answer->bounds.count; i++) {
        const double upper = adaptive_value(answer, found[i]).upper;
        if (!isinf(upper))
            squares += (upper - out.mean.upper) * (upper - out.mean.upper);
    }
    if (out.busy > 1)
        out.deviation =
            sqrt(squares / ((double)out.busy * (double)(out.busy - 1)));
    return out;
}

static void adaptive_add(const struct nb_permutations_answer *answer,
                         struct nb_point *out, const char *name,
                         const char *method, struct nb_enclosure absolute)
{
    const struct nb_capacity *capacity = &answer->problem.capacity;
    char longer[64];
    snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(capacity->rate.upper))
        nb_point_add_enclosure(out, name,
                               nb_enclosure_divide(absolute, capacity->rate),
                               "fraction of capacity", method, adaptive_source);
    nb_point_add_enclosure(out, longer, absolute, "packets/cycle/terminal",
                           method, adaptive_source);
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
                                    const struct adaptive_sums *scheme,
                                    const struct adaptive_sums *any,
                                    struct nb_point *out)
{
    static const char own[] = "maximum concurrent flow over the scheme's paths";
    static const char all[] = "maximum concurrent flow over any paths";
    adaptive_add(answer, out, "mean_bound", own, scheme->mean);
    adaptive_add(answer, out, "min_bound", own, scheme->least);
    nb_point_rely_on_upper(out, "mean_bound");
    nb_point_rely_on_upper(out, "min_bound");
    adaptive_add(answer, out, "mean_optimum", all, any->mean);
    adaptive_add(answer, out, "min_optimum", all, any->least);
    nb_point_add_enclosure(out, "mean_share",
                           adaptive_share(scheme->mean, any->mean), "1", own,
                           "");
    nb_point_add_enclosure(out, "min_share",
                           adaptive_share(scheme->least, any->least), "1", own,
                           "");
    nb_point_add_exact(out, "count",
                       nb_ratio_make((nb_int128)answer->bounds.count, 1),
                       "permutations", "counting", "");
    nb_problem_add_capacity(&answer->problem, out);
}

static void adaptive_add_notes(const struct nb_permutations_answer *answer,
                               const struct adaptive_sums *scheme,
                               struct nb_point *out)
{
    char text[200];
    nb_point_add_note(out, "bound",
                      "upper bounds on the scheme's throughput: the most that "
                      "its own paths can carry, in shares that it can give "
                      "them; optimum: the most that any paths can carry");
    nb_snprintf(text, sizeof text,
                "means are over the sample; the standard error of "
                "mean_bound_absolute is %.2g%s",
                scheme->deviation,
                isinf(scheme->deviation) ? ", with at most one permutation"
                                         : "");
    nb_point_add_note(out, "sample", text);
    snprintf(text, sizeof text,
             "permutation %zu of 0 .. %zu, listed in the table "
             "worst_permutation",
             answer->bounds.worst, answer->bounds.count - 1);
    nb_point_add_note(out, "worst_permutation", text);
    if (scheme->busy == answer->bounds.count)
        return;
    snprintf(text, sizeof text,
             "%zu of the permutations load no channel: their throughput is "
             "infinite, and the mean is over the others",
             answer->bounds.count - scheme->busy);
    nb_point_add_note(out, "idle_permutations", text);
}

/* The histogram of upper ends; only bins with permutations. bin: [count]
 * scratch. */
static void adaptive_add_histogram(const struct nb_permutations_answer *answer,
                                   double *bin, struct nb_point *out)
{
    const size_t count = answer->bounds.count;
    const double bins = (double)answer->bins;
    const size_t table = nb_point_add_table(
        out, "histogram", false,
        "lower:number [fraction of capacity],"
        "upper:number [fraction of capacity],count,fraction:number");
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
        nb_table_add_number(out, table, least / bins);
        nb_table_add_number(out, table, (least + 1) / bins);
        nb_table_add_whole(out, table, (int64_t)met);
        nb_table_add_number(out, table, (double)met / (double)count);
        left -= met;
    }
}

static void adaptive_add_tables(const struct nb_permutations_answer *answer,
                                struct nb_point *out)
{
    static const char *const simulated[] = { "simulated", "simulated_lower",
                                             "simulated_upper" };
    const struct nb_permutation_bounds *bounds = &answer->bounds;
    const size_t worst = nb_point_add_table(out, "worst_permutation", false,
                                            "source,destination");
    for (size_t t = 0; t < bounds->terminal_count; t++) {
        nb_table_add_whole(out, worst, (int64_t)t);
        nb_table_add_whole(out, worst, bounds->worst_permutation[t]);
    }
    const size_t table =
        nb_point_add_table(out, "permutations", false,
                           "number,bound_lower:number [packets/cycle/terminal],"
                           "bound_upper:number [packets/cycle/terminal],"
                           "optimum_lower:number [packets/cycle/terminal],"
                           "optimum_upper:number [packets/cycle/terminal]");
    for (int i = 0; i < 3 && answer->simulated_count > 0; i++)
        nb_table_add_column(out, table, simulated[i], NB_CELL_NUMBER,
                            "packets/cycle/terminal");
    for (size_t i = 0; i < bounds->count; i++) {
        const struct nb_enclosure own =
            adaptive_value(answer, bounds->scheme[i]);
        const struct nb_enclosure all = adaptive_value(answer, bounds->any[i]);
        nb_table_add_whole(out, table, (int64_t)i);
        nb_table_add_number(out, table, own.lower);
        nb_table_add_number(out, table, own.upper);
        nb_table_add_number(out, table, all.lower);
        nb_table_add_number(out, table, all.upper);
        nb_simulated_permutations_add_cells(answer, i, table, out);
    }
}

void nb_adaptive_permutations_report(
    const struct nb_permutations_answer *answer, struct nb_point *out)
{
    const struct adaptive_sums scheme =
        adaptive_sum(answer, answer->bounds.scheme);
    const struct adaptive_sums any = adaptive_sum(answer, answer->bounds.any);
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
