/* The lists behind permutation loads (used by permutation_*.c alone). */
#ifndef NB_LOAD_PERMUTATION_WORK_H
#define NB_LOAD_PERMUTATION_WORK_H

#include "load/focus.h"
#include "load/pair_loads.h"
#include "load/permutation_loads.h"
#include "load/vertex_orbits.h"

/* The sums of a permutation's loads stay below this. */
#define NB_PERMUTATION_LIMIT ((int64_t)1 << 62)

/* A cell of a channel's matrix that is not zero. */
struct nb_permutation_entry {
    uint32_t row; /* source index * endpoints + destination */
    uint32_t channel;
    union nb_load_cell load;
};

/* How the cells of a focus channel's matrix become loads. */
struct nb_permutation_scale {
    struct nb_ratio unit;  /* of weights; unknown: the cells are values */
    double relative_error; /* of the values */
    int64_t factor;        /* from weights to numerators of loads per bandwidth,
                            * once a common denominator is found */
};

/*
 * Entries are the cells of all channels, for the sources that represent their
 * orbits; with is_fixed, the peak of each focus channel (row 0).
 */
struct nb_permutation_work {
    const struct nb_routing *routing;
    bool is_fixed;
    size_t n;           /* endpoints */
    uint32_t *router;   /* [n] */
    uint32_t *endpoint; /* [router]; NB_NONE: no terminals */
    struct nb_focus focus;
    struct nb_vertex_orbits orbits;
    size_t source_count;
    uint32_t *source;    /* [source_count] endpoints that rows are kept for */
    uint32_t *source_of; /* [router of a representative] index of source */
    struct nb_permutation_scale *scale; /* [focus_count] */
    size_t entry_count, entry_capacity;
    struct nb_permutation_entry *entry; /* rows of a channel in order */
    /* Scratch, [router]. */
    uint32_t *map, *inverse, *column;
};

/* Endpoints, symmetry and sources; routing and is_fixed are set. Errors: as
 * nb_permutation_loads_find. */
enum nb_status nb_permutation_work_init(struct nb_permutation_work *work,
                                        struct nb_error *err);
void nb_permutation_work_release(struct nb_permutation_work *work);

/* Finds the entries and scales. Errors: as nb_pair_loads_find. */
enum nb_status nb_permutation_entries_find(struct nb_permutation_work *work,
                                           const struct nb_run *run,
                                           struct nb_error *err);

/*
 * Fills in everything of loads but kernel and the dense cells: the lists, or
 * with is_fixed the one peak of separable matrices.
 *
 * most  out: the greatest load of a list, or the peak
 *
 * Errors: as nb_permutation_loads_find.
 */
enum nb_status nb_permutation_lists_find(const struct nb_routing *routing,
                                         bool is_fixed,
                                         const struct nb_run *run,
                                         struct nb_permutation_loads *loads,
                                         union nb_load_cell *most,
                                         struct nb_error *err);

void nb_permutation_lists_release(struct nb_permutation_lists *lists);

#endif
