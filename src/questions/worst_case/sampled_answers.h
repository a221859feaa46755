/* Answers from sampled paths: what --sample-paths makes of load and
 * worst-case. */
#ifndef NB_QUESTIONS_WORST_CASE_SAMPLED_ANSWERS_H
#define NB_QUESTIONS_WORST_CASE_SAMPLED_ANSWERS_H

#include "questions/problem.h"
#include "load/path_sample.h"

/* Of fewer an interval that holds is half as wide again as chance alone makes
 * it, or more (bench_coverage_drawn). */
#define NB_LEAST_PATHS 30

/* The rows of option tables. */
#define NB_OPTION_SAMPLE_PATHS                                                 \
    {                                                                          \
        .name = "sample-paths",                                                \
        .help = "estimate from this many random paths of each pair of "        \
                "routers, with 95 % confidence intervals, for schemes too "    \
                "large to go through; of fewer than 30 an interval would say " \
                "little",                                                      \
        .type = NB_WHOLE, .initial = "", .least = NB_LEAST_PATHS,              \
        .most = NB_MOST_PATHS,                                                 \
    }
#define NB_OPTION_SEED                                                         \
    {                                                                          \
        .name = "seed", .help = "which paths --sample-paths draws",            \
        .type = NB_WHOLE, .initial = "1", .most = 0x1p53,                      \
        .with = "sample-paths",                                                \
    }

/* Whether the question has --sample-paths or --seed. */
bool nb_question_is_sampled(const struct nb_question *question);

/*
 * The sample it asks for; paths = 0 without --sample-paths.
 *
 * Errors: NB_USAGE for --seed alone.
 */
enum nb_status nb_question_sample(const struct nb_question *question,
                                  struct nb_path_sample *out,
                                  struct nb_error *err);

/*
 * The answer of load: quantities, notes and the table channels.
 *
 * rate  that loads are multiplied by
 * most  the largest sum of a terminal's row or column of the traffic
 *
 * Errors: as nb_sampled_loads_find.
 */
enum nb_status nb_sampled_load(const struct nb_problem *problem,
                               const struct nb_path_sample *sample,
                               struct nb_enclosure rate, struct nb_ratio most,
                               const struct nb_run *run, struct nb_point *out,
                               struct nb_error *err);

/*
 * The whole answer of worst-case: quantities, notes and the permutation.
 *
 * Errors: NB_USAGE together with --unbalanced; NB_INVALID for an adaptive
 * scheme; as nb_sampled_case_find.
 */
enum nb_status nb_sampled_worst_case(const struct nb_question *question,
                                     struct nb_point *out,
                                     struct nb_error *err);

#endif
