/* Common parts of the goals of netbound optimum: how they are asked, and what
 * their reports share. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_H

#include "ask/table_read.h"
#include "optimum/scheme_paths.h"
#include "questions/optimum/optimum_question.h"

/* A question being answered. class borrows the network of the answer. */
struct nb_optimum {
    const struct nb_run *run;
    struct nb_path_class class;
    struct nb_scheme_paths scheme; /* if a routing was given; else empty */
    struct nb_optimum_answer *answer;
    /* A given answer, whose tables are proved, not solved again, and what is
     * said about that; NULL: none is given. */
    const struct nb_point *given;
    struct nb_text *said;
};

/* One goal of the search; indexed by enum nb_optimum_goal. */
struct nb_optimum_way {
    enum nb_status (*find)(const struct nb_optimum *optimum,
                           struct nb_error *err);
    void (*report)(const struct nb_optimum_answer *answer,
                   struct nb_point *out);
    /* The group that spreads the paths of the report's table over all pairs;
     * NULL: the goal finds no routing. Errors: NB_NO_MEMORY. */
    enum nb_status (*symmetry)(const struct nb_optimum *optimum,
                               struct nb_symmetry *out, struct nb_error *err);
};
#define NB_OPTIMUM_STOPPED "time_limit" /* name of the note */

extern const struct nb_optimum_way nb_optimum_traffic, nb_optimum_worst_case,
    nb_optimum_average, nb_optimum_adversary;

/* For traffic, worst case and average where every pair has one path. */
extern const struct nb_optimum_way nb_optimum_one_way;
/* Refuses what says more about paths. Errors: NB_INVALID. */
enum nb_status
nb_optimum_one_way_accepts(const struct nb_optimum_answer *answer,
                           struct nb_error *err);

/* Adds the throughput as nb_problem_add_throughput does. */
void nb_optimum_add_best(const struct nb_optimum_answer *answer,
                         struct nb_point *out, const char *name,
                         const char *method, const char *source);
/* Adds NAME and NAME_absolute for a further throughput of a report, without the
 * capacity and its notes. */
void nb_optimum_add_throughput(const struct nb_problem *problem,
                               struct nb_point *out, const char *name,
                               struct nb_enclosure channels, const char *method,
                               const char *source);

/* Adds duality_gap, upper / lower - 1 of a quantity of the point. */
void nb_optimum_add_gap(struct nb_point *out, const char *quantity,
                        const char *method, const char *source);

/* Adds the note that the time limit stopped the work. */
void nb_optimum_note_stop(const struct nb_optimum_answer *answer,
                          struct nb_point *out);

/* Adds the notes that explain a bound on an adaptive scheme. */
void nb_optimum_note_bound(const struct nb_optimum_answer *answer,
                           struct nb_point *out);

/* Adds the note of how many pairs of routers represent all pairs. */
void nb_optimum_note_size(size_t pairs, struct nb_point *out);

/* Mean hops of uniform traffic along shortest paths, including traffic of a
 * router to itself. Errors: NB_NO_MEMORY. */
enum nb_status nb_optimum_minimal_hops(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err);

/* Upper bound on the worst case of every minimal routing, by the matching of
 * Singh2005, section A.2. Errors: those of nb_necessary_case_find. */
enum nb_status nb_optimum_matching_bound(const struct nb_optimum *optimum,
                                         struct nb_enclosure *out,
                                         struct nb_error *err);

/* Tables of the goals. */
extern const struct nb_table_kind nb_optimum_paths, nb_optimum_scheme_paths,
    nb_optimum_lengths, nb_optimum_bottleneck, nb_optimum_average_weights,
    nb_optimum_duals, nb_optimum_weights, nb_optimum_weights_above,
    nb_optimum_weight_scale, nb_optimum_rates, nb_optimum_schemes;

/* Adds a table of paths or scheme_paths, as routers joined by "-". prefix:
 * before its name. */
void nb_optimum_add_paths(const struct nb_topology *topology,
                          const struct nb_table_kind *kind, const char *prefix,
                          const struct nb_path_table *paths,
                          struct nb_point *out);
/* Reads it back; the paths are sorted. Fails also if a path does not exist in
 * the network. */
void nb_optimum_read_paths(struct nb_table_reader *in,
                           const struct nb_table_kind *kind,
                           struct nb_path_table *out);

/*
 * Adds the certificate of a best flow: paths (of the representative pairs
 * only), or scheme_paths, and lengths, of the channels whose length is not 0.
 */
void nb_optimum_add_flow(const struct nb_topology *topology,
                         enum nb_paths paths, const struct nb_best_flow *best,
                         struct nb_point *out);
/* Reads it back, unchecked. Errors: NB_REFUTED. */
enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    enum nb_paths paths,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err);

/* The throughput of the channels between routers by a scheme, for the goal
 * asked. Errors: those of nb_worst_case_find and nb_channel_loads_find. */
enum nb_status nb_optimum_scheme(const struct nb_optimum *optimum,
                                 const struct nb_routing *routing,
                                 struct nb_enclosure *out,
                                 struct nb_error *err);

/* If asked for: computes the same numbers for each registered routing that is
 * not adaptive and is defined on the network. Errors: those of
 * nb_worst_case_find and nb_channel_loads_find. */
enum nb_status nb_optimum_find_schemes(const struct nb_optimum *optimum,
                                       struct nb_error *err);
/* Adds the table schemes. */
void nb_optimum_add_schemes(const struct nb_optimum_answer *answer,
                            struct nb_point *out);

#endif
