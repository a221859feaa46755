/* Permutations: throughput of a routing over random permutations. */
#ifndef NB_QUESTIONS_PERMUTATIONS_PERMUTATIONS_QUESTION_H
#define NB_QUESTIONS_PERMUTATIONS_PERMUTATIONS_QUESTION_H

#include "core/public.h"
#include "optimum/permutation_bounds.h"
#include "load/permutation_sample.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound permutations; see its option rows. */
struct nb_permutations_question {
    const char *topology, *routing;
    struct nb_ratio clock, gap;
    int64_t count, seed, bins;
    const char *simulate; /* "16:router=credit,speedup=4"; NULL: none */
};

/* Owns all. */
struct nb_permutations_answer {
    struct nb_problem problem;
    struct nb_permutation_loads loads;
    struct nb_permutation_sample sample;
    struct nb_permutation_bounds bounds; /* used instead for an adaptive
                                          * scheme */
    /* [packets/cycle/terminal] Saturations by simulation: [simulated_count] */
    struct nb_interval *simulated;
    size_t simulated_count; /* the first permutations */
    int64_t bins;           /* of the histogram */
};

/*
 * Errors: those of the builders; NB_INVALID for a network that is too large and
 * a count that is not permitted; for an adaptive scheme those of
 * nb_scheme_paths_init and nb_permutation_bounds_find.
 */
NB_DECLARE_QUESTION(permutations);
void nb_permutations_answer_release(struct nb_permutations_answer *answer);

NB_PUBLIC_END

#endif
