/* Load: the load that a traffic pattern puts on every channel. */
#ifndef NB_QUESTIONS_LOAD_LOAD_QUESTION_H
#define NB_QUESTIONS_LOAD_LOAD_QUESTION_H

#include "core/public.h"
#include "optimum/fair_share.h"
#include "load/channel_loads.h"
#include "load/path_lengths.h"
#include "load/path_sample.h"
#include "questions/optimum/optimum_question.h"
#include "questions/permutations/permutations_question.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound load; each is what its row says. */
struct nb_load_question {
    const char *topology, *traffic, *routing;
    struct nb_ratio rate, clock, load;
    bool allow_inadmissible;
    const char *pair; /* NULL: not given */
    int64_t hops;
    int64_t sample_paths, seed; /* sample_paths 0: paths are not sampled */
    bool fair_share;
};

/* Owns all its parts. */
struct nb_load_answer {
    struct nb_problem problem;
    bool has_rate;            /* a rate was given; else it is 1 */
    struct nb_enclosure rate; /* [packets/cycle/terminal] for the loads */
    struct nb_traffic_sums sums;
    /* [terminal] at rate 1; NULL: their channels are unlimited. Owned. */
    struct nb_enclosure *sent, *received;
    struct nb_path_sample sample; /* paths 0: all paths were followed */
    struct nb_channel_loads loads;
    struct nb_sampled_loads sampled; /* instead of loads */
    struct nb_path_lengths lengths;  /* of the pair; empty: no pair */
    int64_t hops;                    /* whose probability is asked */
    /* For an adaptive scheme, instead of loads: optimum --routing. */
    bool is_bound;
    struct nb_optimum_answer bound;
    struct nb_fair_share fair; /* empty: not requested */
    /* For random-permutation:count=N, N > 1, instead of all the above. */
    bool is_many;
    struct nb_permutations_answer permutations;
};

/*
 * Errors: those of the builders; NB_INVALID for the pair or sampled paths of an
 * adaptive scheme, an invalid pair, and a load where the capacity is infinite;
 * those of nb_channel_loads_find, nb_sampled_loads_find, nb_path_lengths_find
 * and nb_optimum_ask.
 */
NB_DECLARE_QUESTION(load);
void nb_load_answer_release(struct nb_load_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

extern const struct nb_table_kind nb_fair_levels, nb_fair_shares;
/* Adds the fair rates; does nothing if they were not asked for. */
void nb_load_report_fair(const struct nb_load_answer *answer,
                         struct nb_point *out);

NB_INTERNAL_END

#endif
