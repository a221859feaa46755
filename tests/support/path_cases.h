/* Path cases: tables of paths made for tests, and the loads they cause. */
#ifndef NB_TESTS_SUPPORT_PATH_CASES_H
#define NB_TESTS_SUPPORT_PATH_CASES_H

#include "core/random.h"
#include "problem.h"
#include "routing/path_table.h"

/* For every pair of different routers with terminals one to most paths, found
 * by a random search, with weights 1 .. heaviest; sorted. */
void path_cases_draw(const struct nb_topology *topology,
                     struct nb_random *random, uint64_t most, uint64_t heaviest,
                     struct nb_path_table *out);

/* Adds the images of all paths under the topology's generators of the given
 * classes until none is missing. The first path's weight applies to its whole
 * orbit; sorted. */
void path_cases_close(const struct nb_topology *topology, unsigned classes,
                      struct nb_path_table *table);

/* All paths that a scheme of one phase can use, weighted scale times their
 * probability, which must be whole; sorted. */
void path_cases_follow(const struct nb_routing *routing, uint64_t scale,
                       struct nb_path_table *out);

/* Whether two tables have the same paths and weights in the same order. */
bool path_cases_same(const struct nb_path_table *a,
                     const struct nb_path_table *b);

/* Crossings added up path by path, as in walk_all_pairs; freed with
 * nb_delete. */
struct nb_ratio *path_cases_crossings(const struct nb_topology *topology,
                                      const struct nb_path_table *table);

/* Adds the scheme that reads this table, from a file that is removed
 * afterwards, to a network that the test has built. */
enum nb_status path_cases_build_routing(struct problem *problem,
                                        const struct nb_path_table *table,
                                        struct nb_error *err);
/* The same, or fails the test. */
void path_cases_add_routing(struct problem *problem,
                            const struct nb_path_table *table);

#endif
