/* Optimum: the best that any routing can do, with proof. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H

#include "core/public.h"
#include "optimum/adversary.h"
#include "optimum/best_average.h"
#include "optimum/best_unbalanced.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound optimum; see its option rows. */
struct nb_optimum_question {
    const char *topology;
    struct nb_ratio clock;
    const char *traffic;                 /* NULL: one of the next three is
                                          * set */
    bool worst_case, average, adversary; /* exactly one goal is given */
    const char *routing; /* adaptive, uses its own paths; NULL: all */
    enum nb_paths paths; /* NB_PATHS_SCHEME exactly if routing is given */
    struct nb_ratio stretch;
    bool allow_inadmissible;
    struct nb_ratio gap;
    bool unbalanced;
    enum nb_overload saturated;
    bool locality;
    struct nb_ratio at;
    bool schemes;
    int64_t count, starts, seed;
    struct nb_ratio time_limit; /* [s] */
};

/* Goal of the search for the best routing. */
enum nb_optimum_goal {
    NB_OPTIMUM_TRAFFIC,
    NB_OPTIMUM_WORST_CASE,
    NB_OPTIMUM_AVERAGE,
    NB_OPTIMUM_ADVERSARY,
};

/* A registered routing, compared with the best one. */
struct nb_optimum_scheme {
    const char *name;               /* static */
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure locality;   /* mean hops over mean hops of shortest
                                     * paths */
};

/* Owns everything except the texts of the request; of the answers, only that of
 * the goal is set. */
struct nb_optimum_answer {
    struct nb_optimum_question request;
    struct nb_problem problem;
    enum nb_optimum_goal goal;
    enum nb_paths paths;
    bool has_rounded_shares;     /* NB_PATHS_SCHEME: as in nb_scheme_paths */
    double seconds;              /* time limit, +inf: none */
    struct nb_traffic_sums sums; /* of the traffic; else 1 */
    /* [packets/cycle/terminal] Throughput of the channels between routers under
     * the best routing; for NB_OPTIMUM_ADVERSARY, of the permutation found. */
    struct nb_enclosure throughput;
    struct nb_best_flow flow;
    struct nb_best_average average;
    struct nb_adversary adversary;
    struct nb_enclosure necessary; /* bound on every minimal routing */
    /* NB_OPTIMUM_WORST_CASE: for balanced traffic only best and throughput are
     * set; then the least mean hops at the required throughput. */
    struct nb_best_unbalanced worst;
    bool with_locality;
    struct nb_best_oblivious least;
    struct nb_ratio required;
    struct nb_enclosure minimal_hops; /* of shortest paths */
    bool was_stopped;                 /* by the time limit */
    size_t scheme_count;
    struct nb_optimum_scheme *schemes;
};

/*
 * Errors: NB_USAGE unless exactly one goal is given and every other option goes
 * with it; those of the builders, nb_path_class_init, nb_best_flow_find,
 * nb_best_average_find, nb_adversary_find and nb_best_unbalanced_find.
 */
NB_DECLARE_QUESTION(optimum);

void nb_optimum_answer_release(struct nb_optimum_answer *answer);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* Bounds an adaptive scheme from above on the traffic or, if there is none,
 * with an adversary; or proves the bound of a given answer (NULL: none). */
enum nb_status nb_optimum_bound(const struct nb_network_names *names,
                                struct nb_ratio clock, const struct nb_run *run,
                                const struct nb_point *given,
                                struct nb_optimum_answer *out,
                                struct nb_text *said, struct nb_error *err);

NB_DECLARE_RECHECK(optimum);

NB_INTERNAL_END

#endif
