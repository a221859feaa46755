/* Notes, quantities and tables that oblivious and adaptive schemes share
 * (declared in adaptive_permutations.h). */
#include "questions/permutations/adaptive_permutations.h"

void nb_permutations_note_worst(size_t worst, size_t count,
                                struct nb_point *out)
{
    nb_point_note(out, "worst_permutation",
                  "permutation %zu of 0 .. %zu, listed in the table "
                  "worst_permutation",
                  worst, count - 1);
}

void nb_permutations_note_idle(size_t count, struct nb_point *out)
{
    if (count > 0)
        nb_point_note(out, "idle_permutations",
                      "%zu of the permutations load no channel: their "
                      "throughput is infinite, and the mean is over the others",
                      count);
}

const struct nb_table_kind nb_permutations_histogram = {
    .name = "histogram",
    .columns = NB_SPELLED(
        "lower:number [fraction of capacity],"
        "upper:number [fraction of capacity],count,fraction:number")
};

void nb_permutations_add_bin(const struct nb_permutations_answer *answer,
                             double bin, size_t met, size_t count, size_t table,
                             struct nb_point *out)
{
    const double bins = (double)answer->bins;
    NB_ROW(out, table, bin / bins, (bin + 1) / bins, met,
           (double)met / (double)count);
}

const struct nb_table_kind nb_permutations_worst = {
    .name = "worst_permutation", .columns = NB_SPELLED("source,destination")
};

void nb_permutations_add_worst(const uint32_t *destination, size_t count,
                               struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_permutations_worst);
    for (size_t t = 0; t < count; t++)
        NB_ROW(out, table, t, destination[t]);
}

void nb_permutations_add_count(const struct nb_permutations_answer *answer,
                               size_t count, struct nb_point *out)
{
    nb_point_add_exact(out, "count", nb_ratio_make((int64_t)count, 1),
                       "permutations", "counting", "");
    nb_problem_add_capacity(&answer->problem, out);
}
