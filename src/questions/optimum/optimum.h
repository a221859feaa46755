/* What the goals of netbound optimum share: how they are asked, and what their
 * reports have in common. */
#ifndef NB_QUESTIONS_OPTIMUM_OPTIMUM_H
#define NB_QUESTIONS_OPTIMUM_OPTIMUM_H

#include "bounds/optimum/scheme_paths.h"
#include "questions/optimum/optimum_question.h"

/* A question being answered. class borrows the network of told. */
struct nb_optimum {
    const struct nb_run *run;
    struct nb_path_class class;
    struct nb_scheme_paths scheme; /* of a routing asked about; else empty */
    struct nb_optimum_told *told;
};

/* What the best routing may be sought for; by enum nb_optimum_goal. */
struct nb_optimum_way {
    /* Solves it; or, given an answer, proves what its tables claim, and says
     * so. */
    enum nb_status (*find)(const struct nb_optimum *optimum,
                           const struct nb_point *given, struct nb_text *said,
                           struct nb_error *err);
    void (*tell)(const struct nb_optimum_told *told, struct nb_point *out);
    /* The group that the paths of the report's table are spread over; NULL:
     * no routing is found. Errors: NB_NO_MEMORY. */
    enum nb_status (*symmetry)(const struct nb_optimum *optimum,
                               struct nb_symmetry *out, struct nb_error *err);
};
#define NB_OPTIMUM_STOPPED "time_limit" /* the note of a stop */

extern const struct nb_optimum_way nb_optimum_traffic, nb_optimum_worst_case,
    nb_optimum_average, nb_optimum_adversary;

/* The largest sum of a terminal's row or column. */
struct nb_ratio nb_optimum_most(const struct nb_optimum_told *told);

/* Adds the throughput as nb_problem_add_throughput does. */
void nb_optimum_add_best(const struct nb_optimum_told *told,
                         struct nb_point *out, const char *name,
                         const char *method, const char *source);
/* Adds NAME and NAME_absolute for a further throughput of a report: without
 * the capacity and its notes. */
void nb_optimum_add_throughput(const struct nb_problem *problem,
                               struct nb_point *out, const char *name,
                               struct nb_enclosure channels, const char *method,
                               const char *source);

/* Adds duality_gap, upper / lower - 1 of a quantity that the point has. */
void nb_optimum_add_gap(struct nb_point *out, const char *quantity,
                        const char *method, const char *source);

/* Adds the note that the time limit stopped the work. */
void nb_optimum_note_stop(const struct nb_optimum_told *told,
                          struct nb_point *out);

/* Adds the notes of what a bound on an adaptive scheme is. */
void nb_optimum_note_bound(const struct nb_optimum_told *told,
                           struct nb_point *out);

/* Adds the note of how many pairs of routers stand for the others. */
void nb_optimum_note_size(size_t pairs, struct nb_point *out);

/* Mean hops of uniform traffic, self included, along shortest paths. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_optimum_minimal_hops(const struct nb_topology *topology,
                                       struct nb_enclosure *out,
                                       struct nb_error *err);

/* What no minimal routing can promise, by the matching of Singh2005, section
 * A.2. Errors: as nb_necessary_case_find. */
enum nb_status nb_optimum_matching_bound(const struct nb_optimum *optimum,
                                         struct nb_enclosure *out,
                                         struct nb_error *err);

/* Adds the table of paths, as routers joined by "-". prefix: before its name.
 */
void nb_optimum_add_paths(const struct nb_topology *topology,
                          const char *prefix, const struct nb_path_table *paths,
                          struct nb_point *out);
/* Reads it back; the paths are sorted. Errors: NB_REFUTED if the table is
 * missing, a number is out of range or a path is none of the network. */
enum nb_status nb_optimum_read_paths(const struct nb_topology *topology,
                                     const char *prefix,
                                     const struct nb_point *given,
                                     struct nb_path_table *out,
                                     struct nb_error *err);

/* The same of an adaptive scheme's paths: the table scheme_paths. */
void nb_optimum_add_ways(const struct nb_topology *topology,
                         const struct nb_path_table *paths,
                         struct nb_point *out);
enum nb_status nb_optimum_read_ways(const struct nb_topology *topology,
                                    const struct nb_point *given,
                                    struct nb_path_table *out,
                                    struct nb_error *err);

/*
 * Adds the certificate of a best flow: paths (those of the pairs that stand for
 * the others), or scheme_paths, and lengths, of the channels whose length is
 * not 0.
 */
void nb_optimum_add_flow(const struct nb_topology *topology,
                         enum nb_paths paths, const struct nb_best_flow *best,
                         struct nb_point *out);
/* Reads it back, unchecked. Errors: as nb_optimum_read_paths. */
enum nb_status nb_optimum_read_flow(const struct nb_topology *topology,
                                    enum nb_paths paths,
                                    const struct nb_point *given,
                                    struct nb_best_flow *out,
                                    struct nb_error *err);

/* Finds what the registered routings do that are not adaptive and defined on
 * the network, if it is asked for. Errors: as nb_worst_case_find and
 * nb_channel_loads_find. */
enum nb_status nb_optimum_find_schemes(const struct nb_optimum *optimum,
                                       struct nb_error *err);
/* Adds the table schemes. */
void nb_optimum_add_schemes(const struct nb_optimum_told *told,
                            struct nb_point *out);

#endif
