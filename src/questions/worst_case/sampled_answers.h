/* Answers from sampled paths: the --sample-paths form of load and
 * worst-case. */
#ifndef NB_QUESTIONS_WORST_CASE_SAMPLED_ANSWERS_H
#define NB_QUESTIONS_WORST_CASE_SAMPLED_ANSWERS_H

#include "questions/load/load_question.h"
#include "questions/worst_case/worst_case_question.h"

/* With fewer paths, a valid interval is at least half as wide again as the
 * sampling error requires (bench_coverage_drawn). */
#define NB_LEAST_PATHS 30

/* The rows of option tables. */
#define NB_OPTION_SAMPLE_PATHS(place)                                          \
    NB_OPTION(                                                                 \
        "sample-paths", place, RUN, WHOLE, "",                                 \
        "estimate from this many random paths per pair, with 95 % intervals",  \
        .detail = "For schemes with too many states to analyse. An interval "  \
                  "from fewer than 30 paths would mean little.",               \
        .least = NB_LEAST_PATHS, .most = NB_MOST_PATHS)
#define NB_OPTION_SEED(place)                                                  \
    NB_OPTION("seed", place, RUN, WHOLE, "1",                                  \
              "seed of the random paths of --sample-paths", .most = 0x1p53,    \
              .with = "sample-paths")

/* The sample that the two options ask for; paths = 0 if they do not. */
struct nb_path_sample nb_sampled_asked(int64_t paths, int64_t seed);

extern const struct nb_table_kind nb_sampled_channels; /* channels of load */

/*
 * Adds the answer of load from its sampled loads: quantities, notes and the
 * table channels.
 *
 * most  the largest sum of a terminal's row or column of the traffic
 */
void nb_sampled_report_load(const struct nb_load_answer *answer,
                            struct nb_ratio most, struct nb_point *out);

/* Adds the answer of worst-case from its sampled case: quantities, notes and
 * the permutation. */
void nb_sampled_report_worst(const struct nb_worst_case_answer *answer,
                             struct nb_point *out);

#endif
