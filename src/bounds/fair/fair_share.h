/* Fair share: the max-min fair rates of routers over the paths of a scheme,
 * with proof. */
#ifndef NB_BOUNDS_FAIR_SHARE_H
#define NB_BOUNDS_FAIR_SHARE_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

NB_PUBLIC_BEGIN

/*
 * What cannot be more: of the rates x_r of the terminals of routers,
 *
 *     sum_r each_r x_r <= capacity.
 *
 * Of lengths l >= 0 of the channels capacity is sum_c b_c l_c, and each_r what
 * the packets of router r go through at the least: under an oblivious scheme
 * (one channel of length 1) its load, under an adaptive one the least total
 * length of the mixtures that the scheme permits (bounds/optimum).
 */
struct nb_fair_row {
    struct nb_enclosure capacity; /* [packets/cycle] times length */
    struct nb_enclosure *each;    /* [class_count] of all its routers */
    uint32_t channel;             /* of length 1; NB_NONE: not of one */
    uint32_t terminals; /* router whose terminals' channels it is of; NB_NONE */
    int64_t *length;    /* [channel_count]; NULL: of one */
};

/* A level: the routers that can have no more without others at or below it
 * having less. */
struct nb_fair_level {
    struct nb_enclosure rate; /* [packets/cycle/terminal] */
    size_t row;               /* that is full; SIZE_MAX: they demand no more */
    size_t routers;
};

/*
 * The max-min fair rates: each router sends in the proportions of its row of
 * the traffic, and what it sends arrives, at no more than it demands; no router
 * can have more without one that has no more than it having less. Rates are
 * equal for routers that automorphisms take to each other, as there is one
 * such allocation. By progressive filling: all rates grow alike until a row is
 * full, which those that it is of leave; and so on.
 *
 * The rows prove that no allocation gives the router that gets least more than
 * the first level, and of those that give so much to it none gives the next
 * more than the second, and so on; paths that carry all of it prove that it can
 * be had. Owns its arrays; zero-initialised is valid and empty.
 */
struct nb_fair_share {
    size_t router_count;
    size_t class_count;        /* routers that are alike */
    uint32_t *of;              /* [router] its class; NB_NONE: sends nothing */
    struct nb_enclosure *rate; /* [class] of each terminal */
    size_t *level;             /* [class] */
    size_t level_count;
    struct nb_fair_level *levels;
    struct nb_enclosure least; /* of all that send; +inf: none does */
    size_t row_count;
    struct nb_fair_row *rows;
};

/*
 * rate  [packets/cycle] that a terminal demands whose row sums to 1; finite
 *
 * Of an adaptive scheme rows are found one by one: those that the rates so far
 * break, which a best flow (bounds/optimum/best_flow.h) finds.
 *
 * Errors: NB_INVALID as nb_channel_loads_find and nb_path_class_init_scheme, or
 * if the rate is infinite; NB_OVERFLOW; NB_NO_MEMORY.
 *
 * Source: [BertsekasGallager1992].
 */
enum nb_status nb_fair_share_find(const struct nb_routing *routing,
                                  const struct nb_traffic *traffic,
                                  struct nb_enclosure rate,
                                  const struct nb_run *run,
                                  struct nb_fair_share *out,
                                  struct nb_error *err);
void nb_fair_share_release(struct nb_fair_share *share);

/* [packets/cycle] Of each terminal of a router; 0 of one that sends nothing. */
struct nb_enclosure nb_fair_share_of(const struct nb_fair_share *share,
                                     uint32_t router);

NB_PUBLIC_END

#endif
