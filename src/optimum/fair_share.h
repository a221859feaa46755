/* Fair share: the max-min fair rates of routers over the paths of a scheme,
 * with proof. */
#ifndef NB_OPTIMUM_FAIR_SHARE_H
#define NB_OPTIMUM_FAIR_SHARE_H

#include "core/enclosure.h"
#include "core/parallel.h"
#include "routing/routing.h"
#include "traffic/traffic.h"

/*
 * A limit on the rates x_r of the terminals of routers,
 *
 *     sum_r each_r x_r <= capacity.
 *
 * For lengths l >= 0 of the channels, capacity is sum_c b_c l_c, and each_r the
 * least total length that the packets of router r cross: under an oblivious
 * scheme (one channel of length 1) its load, under an adaptive one the least
 * over the mixtures of paths that the scheme permits (scheme_paths.h).
 */
struct nb_fair_row {
    struct nb_enclosure capacity; /* [packets/cycle] times length */
    struct nb_enclosure *each;    /* [class_count] sum over all its routers */
    uint32_t channel;             /* the channel of length 1; NB_NONE: not of
                                   * one channel */
    uint32_t terminals; /* router whose terminals' channels are limited;
                         * NB_NONE */
    bool is_from;       /* those from its terminals; else those to them */
    int64_t *length;    /* [channel_count]; NULL: a single channel */
};

/* A level: routers whose rates cannot rise without lowering a rate at or below
 * it. */
struct nb_fair_level {
    struct nb_enclosure rate; /* [packets/cycle/terminal] */
    size_t row;               /* the row that is full; SIZE_MAX: their demand is
                               * met */
    size_t routers;
};

/*
 * The max-min fair rates. Each router sends in the proportions of its row of
 * the traffic, at no more than it demands, and all it sends arrives; no rate
 * can rise without lowering one that is no larger. There is only one such
 * allocation, so that routers that automorphisms map to each other have equal
 * rates. Method: progressive filling. All rates grow together until a row is
 * full; the routers in that row keep their rates, and the rest grow on.
 *
 * The rows prove that no allocation gives the router with the lowest rate more
 * than the first level, that among allocations that attain it none gives the
 * next router more than the second level, and so on; paths that carry all the
 * traffic prove that the rates are feasible. Owns its arrays; zero-initialised
 * is valid and empty.
 */
struct nb_fair_share {
    size_t router_count;
    size_t class_count;        /* number of orbits of routers that send */
    uint32_t *of;              /* [router] its class; NB_NONE: sends nothing */
    struct nb_enclosure *rate; /* [class] rate of each terminal */
    size_t *level;             /* [class] */
    size_t level_count;
    struct nb_fair_level *levels;
    struct nb_enclosure least; /* the lowest rate of all that send; +inf: no
                                * router sends */
    size_t row_count;
    struct nb_fair_row *rows;
};

NB_INTERNAL_BEGIN

/*
 * rate  [packets/cycle] demand of a terminal whose row sums to 1; finite
 *
 * For an adaptive scheme rows are found one by one: a best flow
 * (optimum/best_flow.h) finds a row that the present rates violate.
 *
 * Errors: those of nb_channel_loads_find and nb_path_class_init_scheme;
 * NB_INVALID if the rate is infinite; NB_OVERFLOW; NB_NO_MEMORY.
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

/* [packets/cycle] Rate of each terminal of a router; 0 if it sends nothing. */
struct nb_enclosure nb_fair_share_of(const struct nb_fair_share *share,
                                     uint32_t router);

NB_INTERNAL_END

#endif
