/* Quantities: which of a sweep's quantities are drawn, and which share an
 * axis, by tables of rules. */
#ifndef NB_EXPORT_CHARTS_CHART_QUANTITIES_H
#define NB_EXPORT_CHARTS_CHART_QUANTITIES_H

#include "export/charts/chart_sweep.h"

struct nb_drawable {
    const char *name, *unit; /* the report's */
    size_t rank;             /* the less, the sooner */
    bool is_done;            /* drawn or left out */
    double low, high;        /* of its finite values */
};

/* Owns the array. */
struct nb_drawables {
    size_t count;
    struct nb_drawable *quantity;
};

/*
 * Finds the quantities worth drawing: those that vary, but not those which say
 * what others do; of a model that shows some, all these that vary.
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
 * Takes the best quantity still to be drawn and those that can share its axis.
 *
 * members  [all->count]  out: the best first
 * Returns how many; 0: all are done.
 */
size_t nb_drawables_take(struct nb_drawables *all,
                         const struct nb_drawable **members);

/* Appends what the names of several have in common, whole words at the end or
 * else at the beginning: "throughput"; nothing if nothing. */
void nb_drawables_name(const struct nb_drawable *const *members, size_t count,
                       struct nb_text *text);

#endif
