/* Channel check: shared by all checkers of a claim over all channels. */
#ifndef NB_BOUNDS_CHANNEL_CHECK_H
#define NB_BOUNDS_CHANNEL_CHECK_H

#include "core/parallel.h"
#include "load/focus.h"
#include "load/sides.h"

/* Above this number of matrix cells over all channels only the focus channels
 * are checked, and the scheme's symmetry is taken as declared. */
#define NB_CHECKED_CELLS 4e9

struct nb_channel_check {
    const struct nb_routing *routing;
    const struct nb_run *run;
    const struct nb_focus *focus;
    const struct nb_sides *sides;
    /*
     * Checks one channel against the claim for its focus channel.
     *
     * loads     the channel's, over sides
     * side_map  [sides] image of each side under an automorphism that maps
     *           the focus channel to this one
     */
    enum nb_status (*check)(const void *context,
                            const struct nb_pair_loads *loads,
                            const uint32_t *side_map, struct nb_error *err);
    const void *context;
};

/*
 * Recomputes the loads of every channel, or only of the focus channels, and
 * checks each.
 *
 * all_channels  out: whether every channel was checked
 *
 * Errors: those of check; NB_NO_MEMORY.
 */
enum nb_status nb_channel_check_run(const struct nb_channel_check *check,
                                    bool *all_channels, struct nb_error *err);

/* Whether a claim's sides are those of the network; the code that recomputes
 * its loads reads them. Errors: NB_REFUTED; NB_NO_MEMORY. */
enum nb_status nb_channel_check_sides(const struct nb_topology *topology,
                                      const struct nb_sides *claimed,
                                      struct nb_error *err);

/* NB_REFUTED: "channel C: WHAT". */
enum nb_status nb_channel_refute(uint32_t channel, const char *what,
                                 struct nb_error *err);
/* NB_REFUTED: the duals lie below the load of a pair of sides. */
enum nb_status nb_channel_refute_pair(const struct nb_sides *sides,
                                      uint32_t channel, size_t row,
                                      size_t column, struct nb_error *err);

#endif
