/* Permutation bounds: for each of many random permutations, the most that an
 * adaptive scheme carries, and the most that any routing carries. */
#ifndef NB_OPTIMUM_PERMUTATION_BOUNDS_H
#define NB_OPTIMUM_PERMUTATION_BOUNDS_H

#include "optimum/path_class.h"
#include "core/enclosure.h"
#include "core/parallel.h"

struct nb_permutation_bounds_question {
    const struct nb_path_class *path_class; /* of the scheme */
    uint64_t seed;
    size_t count; /* >= 1 */
    double gap;   /* for each permutation, as in struct nb_best_flow_question */
};

/* Permutation i = 0 .. count-1 of the terminals is that of
 * nb_permutation_sample. Owns its arrays; zero-initialised is valid and
 * empty. */
struct nb_permutation_bounds {
    size_t count;
    /* [count] From the rate that the paths reach to the bound that lengths
     * prove; +inf: no channel is crossed. */
    struct nb_enclosure *scheme, *any;
    size_t worst; /* the first with the least upper end of scheme */
    size_t terminal_count;
    uint32_t *worst_permutation; /* [terminal_count] */
};

NB_INTERNAL_BEGIN

/* Errors: those of nb_best_flow_find. */
enum nb_status nb_permutation_bounds_find(
    const struct nb_permutation_bounds_question *question,
    const struct nb_run *run, struct nb_permutation_bounds *out,
    struct nb_error *err);
void nb_permutation_bounds_release(struct nb_permutation_bounds *bounds);

/* Summary of the brackets of many permutations. */
struct nb_permutation_summary {
    struct nb_enclosure mean; /* [0, inf] if none is busy */
    struct nb_enclosure least;
    size_t busy;      /* permutations whose throughput is finite */
    double deviation; /* standard error of the mean of the upper ends; +inf for
                       * fewer than two permutations */
};
/* found: [count] scheme or any. limit: no throughput exceeds it */
struct nb_permutation_summary
nb_permutation_summarise(const struct nb_enclosure *found, size_t count,
                         struct nb_enclosure limit);

NB_INTERNAL_END

#endif
