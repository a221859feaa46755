/* Load: what a traffic pattern puts on every channel. */
#ifndef NB_QUESTIONS_LOAD_LOAD_QUESTION_H
#define NB_QUESTIONS_LOAD_LOAD_QUESTION_H

#include "core/public.h"
#include "bounds/fair/fair_share.h"
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
    int64_t sample_paths, seed; /* of no paths: none are drawn */
    bool fair_share;
};

/* Owns all. */
struct nb_load_told {
    struct nb_problem problem;
    bool has_rate;            /* was asked for; else it is 1 */
    struct nb_enclosure rate; /* [packets/cycle/terminal] of the loads */
    struct nb_traffic_sums sums;
    struct nb_path_sample sample; /* paths: 0: all were gone through */
    struct nb_channel_loads loads;
    struct nb_sampled_loads sampled; /* instead of loads */
    struct nb_path_lengths lengths;  /* of the pair; empty: none */
    int64_t hops;                    /* of which the probability is asked */
    /* Instead of loads, of an adaptive scheme: optimum --routing. */
    bool is_bound;
    struct nb_optimum_told bound;
    struct nb_fair_share fair; /* empty: not asked for */
    /* Instead of all that, of random-permutation:count=N, N > 1. */
    bool is_many;
    struct nb_permutations_told permutations;
};

/*
 * run  NULL: all cores
 *
 * Errors: as the builders; NB_INVALID for the pair or sampled paths of an
 * adaptive scheme, a pair that is none and a load where the capacity is
 * infinite; as nb_channel_loads_find, nb_sampled_loads_find,
 * nb_path_lengths_find and nb_optimum_ask.
 */
enum nb_status nb_load_ask(const struct nb_load_question *asked,
                           const struct nb_run *run, struct nb_load_told *out,
                           struct nb_error *err);
void nb_load_told_release(struct nb_load_told *told);

/* Adds what was found to a report's point. */
void nb_load_tell(const struct nb_load_told *told, struct nb_point *out);

#define NB_FAIR_METHOD "progressive filling"
/* What the option fair asks for; nothing where it is not given. */
void nb_load_tell_fair(const struct nb_load_told *told, struct nb_point *out);

NB_PUBLIC_END

#endif
