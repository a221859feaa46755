/* Quantities: which of a sweep's quantities are drawn, and which share an axis,
 * by tables of rules. */
#ifndef NB_EXPORT_CHARTS_CHART_QUANTITIES_H
#define NB_EXPORT_CHARTS_CHART_QUANTITIES_H

#include "export/charts/chart_sweep.h"

struct nb_drawable {
    const char *name, *unit; /* the report's */
    size_t rank;             /* lower ranks are drawn first */
    bool is_done;            /* drawn or left out */
    double low, high;        /* of its finite values */
};

/* Owns the array. */
struct nb_drawables {
    size_t count;
    struct nb_drawable *quantity;
};

/*
 * Finds the quantities worth drawing: those that vary, except those that show
 * the same as others; if the model shows some, all of these that vary.
 *
 * out  zero-initialised; the caller releases it, after an error as well
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_drawables_find(const struct nb_sweep *sweep,
                                 struct nb_drawables *out,
                                 struct nb_error *err);
void nb_drawables_release(struct nb_drawables *all);

/*
 * Takes the best quantity not yet drawn and those that can share its axis.
 *
 * members  [all->count]  out: the best first
 * Returns their number; 0: none is left.
 */
size_t nb_drawables_take(struct nb_drawables *all,
                         const struct nb_drawable **members);

/* Appends the part that the names of several have in common, in whole words at
 * the end or else at the beginning: "throughput". Appends nothing if there is
 * none. */
void nb_drawables_name(const struct nb_drawable *const *members, size_t count,
                       struct nb_text *text);

#endif
