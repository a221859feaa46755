/* Worst case: the traffic that hurts a routing most, with proof. */
#ifndef NB_QUESTIONS_WORST_CASE_WORST_CASE_QUESTION_H
#define NB_QUESTIONS_WORST_CASE_WORST_CASE_QUESTION_H

#include "core/public.h"
#include "bounds/worst_case/necessary_case.h"
#include "bounds/worst_case/sampled_case.h"
#include "bounds/worst_case/unbalanced_case.h"
#include "bounds/worst_case/worst_case.h"
#include "questions/optimum/optimum_question.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound worst-case; see its option rows. */
struct nb_worst_case_question {
    const char *topology, *routing;
    struct nb_ratio clock;
    bool unbalanced;
    enum nb_overload saturated;
    int64_t sample_paths, seed; /* 0 paths: nothing is sampled */
};

/* How a worst case is found. */
enum nb_worst_case_way {
    NB_WORST_MATCHED,
    NB_WORST_UNBALANCED,
    NB_WORST_NECESSARY, /* minimal adaptive schemes: a bound for every minimal
                         * routing */
    NB_WORST_SAMPLED,
    NB_WORST_BOUNDED, /* other adaptive schemes: an upper bound, from a
                       * permutation with low throughput on their paths */
};

/* Owns all; only one of the cases is set. */
struct nb_worst_case_answer {
    struct nb_problem problem;
    struct nb_path_sample sample;
    enum nb_worst_case_way way;
    struct nb_worst_case matched;
    struct nb_unbalanced_case unbalanced;
    struct nb_necessary_case necessary;
    struct nb_sampled_case sampled;
    struct nb_optimum_answer bound; /* as optimum --adversary --routing */
};

/*
 * Errors: those of the builders; NB_INVALID for sampling an adaptive scheme;
 * NB_USAGE for unbalanced traffic with an adaptive scheme; those of the four
 * cases' functions and of nb_optimum_ask.
 */
NB_DECLARE_QUESTION(worst_case);

void nb_worst_case_answer_release(struct nb_worst_case_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

NB_DECLARE_RECHECK(worst_case);

NB_INTERNAL_END

#endif
