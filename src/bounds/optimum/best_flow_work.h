/* Best flow, in the making: orbits, paths found so far, and both ends. */
#ifndef NB_BOUNDS_BEST_FLOW_WORK_H
#define NB_BOUNDS_BEST_FLOW_WORK_H

#include "bounds/optimum/best_flow.h"

/* One orbit of pairs of different routers with traffic, by its first pair. */
struct nb_flow_pair {
    uint32_t source;
    uint32_t destination;
    uint64_t rate; /* over the traffic's denominator, of each pair */
    uint32_t size; /* pairs */
};

/* One orbit of channels, by its first channel. */
struct nb_flow_line {
    uint32_t channel;
    uint32_t size; /* channels */
};

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_flow_orbits {
    const struct nb_topology *topology; /* borrowed */
    const struct nb_traffic *traffic;   /* borrowed */
    nb_int128 rate_sum;                 /* over the denominator; of all pairs,
                                         * self included */
    /* Pairs with traffic, by destination, then source. */
    size_t *start;    /* [router_count + 1] by destination */
    uint32_t *source; /* [pair] */
    uint32_t *orbit;  /* [pair] */
    /* Orbits of pairs, by destination, then source of the first. */
    size_t pair_count;
    struct nb_flow_pair *pair; /* [pair_count] */
    size_t line_count;
    struct nb_flow_line *line; /* [line_count] */
    uint32_t *line_of;         /* [channel] */
};

/* Errors: NB_NO_MEMORY; NB_OVERFLOW as nb_traffic_column. */
enum nb_status nb_flow_orbits_init(const struct nb_best_flow_question *question,
                                   struct nb_flow_orbits *out,
                                   struct nb_error *err);
void nb_flow_orbits_release(struct nb_flow_orbits *orbits);

/* The orbit of a pair; NB_NONE if it has no traffic or is one router. */
uint32_t nb_flow_orbit_find(const struct nb_flow_orbits *orbits,
                            uint32_t source, uint32_t destination);

/*
 * What a routing carries: the least over lines of bandwidth / load.
 *
 * table      paths of one pair of each orbit
 * orbit      [path] their pairs' orbits
 * sum        of the weights of each pair's paths
 * mean_hops  out; NULL: not wanted
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_flow_carried(const struct nb_flow_orbits *orbits,
                               const struct nb_path_table *table,
                               const uint32_t *orbit, int64_t sum,
                               struct nb_enclosure *throughput,
                               struct nb_enclosure *mean_hops,
                               struct nb_error *err);

/* What no routing passes. length: [channel], the same along a line; distance:
 * [orbit] by these lengths. */
struct nb_enclosure nb_flow_bound(const struct nb_flow_orbits *orbits,
                                  const int64_t *length,
                                  const int64_t *distance);

/*
 * What no routing passes, without any lengths: all channels' bandwidth over the
 * hops of the traffic's packets, and that of each router's channels over what
 * has to leave or reach it. Pairs there must be.
 *
 * search  for shortest paths of the question's class
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_flow_plain_bound(const struct nb_flow_orbits *orbits,
                                   struct nb_path_search *search,
                                   struct nb_enclosure *out,
                                   struct nb_error *err);

/* One path of the first pair of an orbit. */
struct nb_flow_path {
    uint32_t orbit;
    uint32_t length;
    size_t first;  /* of its channels */
    uint32_t next; /* path of the orbit; NB_NONE: the last */
    double share;  /* of the pair's traffic, now */
    double best;   /* the same in the best routing found */
};

/* What the search for paths to one destination found. Owns channel. */
struct nb_flow_group {
    uint32_t destination;
    size_t begin, end; /* orbits */
    size_t count;      /* of words: orbit, length, channels; again and again */
    size_t capacity;
    uint32_t *word;
};

/* Loads and lengths are in units of their own: only quotients matter. Owns its
 * arrays; zero-initialised is valid and empty. */
struct nb_flow_work {
    const struct nb_best_flow_question *question;
    struct nb_run run;
    bool is_large;   /* for the simplex method: weights must do alone */
    double deadline; /* [s] */
    struct nb_flow_orbits orbits;
    double *demand; /* [orbit] of all its pairs */
    double *band;   /* [line] bandwidth of all its channels */

    size_t path_count;
    size_t path_capacity;
    struct nb_flow_path *path;
    size_t channel_count;
    size_t channel_capacity;
    uint32_t *channel;
    uint32_t *newest; /* [orbit] its latest path; NB_NONE: none */

    size_t group_count;
    struct nb_flow_group *group;
    int search_count;
    struct nb_path_search *search; /* [search_count] of a thread each */
    double *price;                 /* [line] lengths to search by */
    int64_t *length;               /* [channel] the same, rounded */
    int64_t *distance;             /* [orbit] by these */
    /* Whether a search adds paths: those shorter than all that are known by
     * more than the margin. */
    bool is_adding;
    int64_t margin;

    double *load; /* [line] */
    /* 1 / Theta lies between them: the greatest load / band of the best
     * routing, and what the best prices prove. */
    double least_load;
    double most_bound;
    double *best_price; /* [line] */
    size_t rounds;
    bool was_stopped;
};

/* Errors: NB_INVALID naming what of the question is not permitted. */
enum nb_status
nb_flow_check_question(const struct nb_best_flow_question *question,
                       struct nb_error *err);

/* Errors: NB_NO_MEMORY; NB_OVERFLOW as nb_traffic_column. */
enum nb_status nb_flow_work_init(const struct nb_best_flow_question *question,
                                 const struct nb_run *run,
                                 struct nb_flow_work *work,
                                 struct nb_error *err);
void nb_flow_work_release(struct nb_flow_work *work);

/* [s] until the time limit; once there is none, was_stopped is set. */
double nb_flow_left(struct nb_flow_work *work);

/*
 * Searches by the prices, adds the paths that are shorter than those known,
 * with no share, and keeps the prices if they prove more than the best.
 *
 * added  out: paths
 *
 * Errors: NB_INVALID if a pair has no permitted path, naming it; NB_NO_MEMORY.
 */
enum nb_status nb_flow_search(struct nb_flow_work *work, size_t *added,
                              struct nb_error *err);

/* The line of the h-th channel of a path. */
static inline uint32_t nb_flow_line_at(const struct nb_flow_work *work,
                                       const struct nb_flow_path *path,
                                       uint32_t h)
{
    return work->orbits.line_of[work->channel[path->first + h]];
}

/* Adds up the loads of the shares; returns the greatest load / band. */
double nb_flow_load(struct nb_flow_work *work);

/* Keeps the shares, whose greatest load / band is top, as the best. */
void nb_flow_keep(struct nb_flow_work *work, double top);

/* Distances by work->length, which the caller has set. Errors: NB_NO_MEMORY. */
enum nb_status nb_flow_measure(struct nb_flow_work *work, struct nb_error *err);

/* Prices in whole numbers, the greatest 2^40. length: out, [channel]. */
void nb_flow_lengths(const struct nb_flow_work *work, const double *price,
                     int64_t *length);

/* Whether the two ends differ by no more than gap. */
bool nb_flow_is_within(const struct nb_flow_work *work, double gap);

/*
 * Multiplicative weights: until the ends are within the gap or so many
 * searches were made, or one found nothing and column generation can go on.
 */
enum nb_status nb_flow_weights_run(struct nb_flow_work *work, double gap,
                                   size_t most_rounds, struct nb_error *err);

/*
 * Column generation: until no path is missing or the ends are within the gap.
 * That the solver fails is no error: what was found before stands.
 *
 * is_solved  out: whether the shares are those of the best vertex, and of such
 *            vertices one of few hops
 */
enum nb_status nb_flow_columns_run(struct nb_flow_work *work, bool *is_solved,
                                   struct nb_error *err);

/*
 * The best shares and prices in whole numbers, by those of several roundings
 * that prove most.
 *
 * is_vertex  whether they come from a vertex of the linear program, so that
 *            they are ratios
 * paths      out
 * length     out, [channel]
 */
enum nb_status nb_flow_round(struct nb_flow_work *work, bool is_vertex,
                             struct nb_path_table *paths, int64_t *length,
                             struct nb_error *err);

#endif
