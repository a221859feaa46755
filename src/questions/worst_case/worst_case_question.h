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

/* The options of netbound worst-case; each is what its row says. */
struct nb_worst_case_question {
    const char *topology, *routing;
    struct nb_ratio clock;
    bool unbalanced;
    int saturated;              /* 0: meets, 1: exceeds */
    int64_t sample_paths, seed; /* of no paths: none are drawn */
};

/* What a worst case is found by. */
enum nb_worst_case_way {
    NB_WORST_MATCHED,
    NB_WORST_UNBALANCED,
    NB_WORST_NECESSARY, /* of minimal adaptive schemes: for every minimal
                         * routing */
    NB_WORST_SAMPLED,
    NB_WORST_BOUNDED, /* of other adaptive schemes: from above, by a permutation
                       * that leaves their paths little */
};

/* Owns all; only one of the cases is there. */
struct nb_worst_case_told {
    struct nb_problem problem;
    struct nb_path_sample sample;
    enum nb_worst_case_way way;
    struct nb_worst_case matched;
    struct nb_unbalanced_case unbalanced;
    struct nb_necessary_case necessary;
    struct nb_sampled_case sampled;
    struct nb_optimum_told bound; /* optimum --adversary --routing */
};

/*
 * run  NULL: all cores
 *
 * Errors: as the builders; NB_INVALID for adaptive schemes that are to be
 * sampled; NB_USAGE for unbalanced traffic of adaptive ones; as the four cases'
 * functions and nb_optimum_ask.
 */
enum nb_status nb_worst_case_ask(const struct nb_worst_case_question *asked,
                                 const struct nb_run *run,
                                 struct nb_worst_case_told *out,
                                 struct nb_error *err);

/*
 * The same from the tables of a given answer, which is proved, not solved;
 * only samples are drawn again. Appends what was proved, for the reader.
 *
 * Errors: NB_REFUTED.
 */
enum nb_status nb_worst_case_recheck(const struct nb_worst_case_question *asked,
                                     const struct nb_run *run,
                                     const struct nb_point *given,
                                     struct nb_worst_case_told *out,
                                     struct nb_text *said,
                                     struct nb_error *err);
void nb_worst_case_told_release(struct nb_worst_case_told *told);

/* Adds what was found to a report's point. */
void nb_worst_case_tell(const struct nb_worst_case_told *told,
                        struct nb_point *out);

NB_PUBLIC_END

#endif
