/* Optimum: the best that any routing can do, with proof. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_QUESTION_H

#include "core/public.h"
#include "bounds/optimum/adversary.h"
#include "bounds/optimum/best_average.h"
#include "bounds/optimum/best_unbalanced.h"
#include "questions/problem.h"

NB_PUBLIC_BEGIN

/* The options of netbound optimum; each is what its row says. */
struct nb_optimum_question {
    const char *topology;
    struct nb_ratio clock;
    const char *traffic;                 /* NULL: for one of the next three */
    bool worst_case, average, adversary; /* just one goal is given */
    const char *routing; /* adaptive, its own paths; NULL: all */
    int paths;           /* 0: any, 1: minimal, 2: two-turn, 3: the routing's,
                          * just where there is one */
    struct nb_ratio stretch;
    bool allow_inadmissible;
    struct nb_ratio gap;
    bool unbalanced;
    int saturated; /* 0: meets, 1: exceeds */
    bool locality;
    struct nb_ratio at;
    bool schemes;
    int64_t count, starts, seed;
    struct nb_ratio time_limit; /* [s] */
};

/* What the best routing is sought for. */
enum nb_optimum_goal {
    NB_OPTIMUM_TRAFFIC,
    NB_OPTIMUM_WORST_CASE,
    NB_OPTIMUM_AVERAGE,
    NB_OPTIMUM_ADVERSARY,
};

/* A registered routing beside the best one. */
struct nb_optimum_scheme {
    const char *name;               /* static */
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure locality;   /* mean hops over those of shortest paths */
};

/* Owns all but the texts of asked; of the answers, only the goal's is there. */
struct nb_optimum_told {
    struct nb_optimum_question asked;
    struct nb_problem problem;
    enum nb_optimum_goal goal;
    enum nb_paths paths;
    bool has_rounded_shares;     /* NB_PATHS_SCHEME: as nb_scheme_paths says */
    double seconds;              /* time limit, +inf: none */
    struct nb_traffic_sums sums; /* of the traffic; else 1 */
    /* [packets/cycle/terminal] What the channels between routers carry under
     * the best routing; of NB_OPTIMUM_ADVERSARY, of the permutation found. */
    struct nb_enclosure throughput;
    struct nb_best_flow flow;
    struct nb_best_average average;
    struct nb_adversary adversary;
    struct nb_enclosure necessary; /* what no minimal routing can promise */
    /* NB_OPTIMUM_WORST_CASE: of balanced traffic best and throughput alone;
     * then the least mean hops that the required throughput leaves. */
    struct nb_best_unbalanced worst;
    enum nb_overload overload;
    bool with_locality;
    struct nb_best_oblivious least;
    struct nb_ratio required;
    struct nb_enclosure minimal_hops; /* of shortest paths */
    bool was_stopped;                 /* by the time limit */
    size_t scheme_count;
    struct nb_optimum_scheme *schemes;
};

/*
 * run  NULL: all cores
 *
 * Errors: NB_USAGE unless there is just one goal and all that is given goes
 * with it; as the builders, nb_path_class_init, nb_best_flow_find,
 * nb_best_average_find, nb_adversary_find and nb_best_unbalanced_find.
 */
enum nb_status nb_optimum_ask(const struct nb_optimum_question *asked,
                              const struct nb_run *run,
                              struct nb_optimum_told *out,
                              struct nb_error *err);

/*
 * The same from the tables of a given answer, which is proved, not solved.
 * Appends what was proved, for the reader.
 *
 * Errors: NB_REFUTED.
 */
enum nb_status nb_optimum_check(const struct nb_optimum_question *asked,
                                const struct nb_run *run,
                                const struct nb_point *given,
                                struct nb_optimum_told *out,
                                struct nb_text *said, struct nb_error *err);
void nb_optimum_told_release(struct nb_optimum_told *told);

/* Adds what was found to a report's point. */
void nb_optimum_tell(const struct nb_optimum_told *told, struct nb_point *out);

NB_PUBLIC_END

#endif
