/* Delay paths: the queues that a packet passes. */
#ifndef NB_QUEUEING_DELAY_PATHS_H
#define NB_QUEUEING_DELAY_PATHS_H

#include "core/public.h"
#include "queueing/arrivals.h"
#include "queueing/path_delay.h"

enum { NB_DELAY_HOPS = 1000 };

/* One kind of equal queues, and the delay at each. */
struct nb_delay_queue {
    char name[24]; /* "up 1"; "" if there is only one kind */
    struct nb_queue_load load;
    struct nb_arrivals arrivals;
    struct nb_hop_delay hop;
};

/* Zero-initialised is valid and empty. Owns queues and delay; the paths in
 * delay point into queues. */
struct nb_delay_paths {
    size_t queue_count;
    struct nb_delay_queue *queues;
    struct nb_delay delay;
    bool is_by_level;   /* path a - 1 has its common ancestor at level a */
    bool is_of_traffic; /* of a traffic that is not uniform */
    bool is_saturated;
};

NB_INTERNAL_BEGIN

/*
 * Finds the distribution of every queue's delay: its length, or the wait in it.
 *
 * paths  not saturated
 *
 * Errors: those of nb_arrivals_law.
 */
enum nb_status nb_delay_paths_solve(struct nb_delay_paths *paths, bool is_wait,
                                    struct nb_error *err);

void nb_delay_paths_release(struct nb_delay_paths *paths);

/* A path over count equal queues. Errors: NB_NO_MEMORY. */
enum nb_status nb_delay_paths_alike(size_t count, struct nb_queue_load load,
                                    const struct nb_arrivals *arrivals,
                                    struct nb_delay_paths *paths,
                                    struct nb_error *err);

/* A path over queues with the loads in "0.9,0.8" or "0.9+0.8"; equal neighbours
 * are of one kind. Errors: NB_INVALID; NB_NO_MEMORY. */
enum nb_status nb_delay_paths_loads(const char *text,
                                    const struct nb_arrivals *arrivals,
                                    struct nb_delay_paths *paths,
                                    struct nb_error *err);

/* Queues and paths of packets that go up to a common ancestor and down again in
 * a k-ary n-tree with uniform traffic; load and arrivals are those of the queue
 * down to a terminal. Errors: NB_INVALID for k below 2, n of 0 or above 64, and
 * a load with too many digits; NB_NO_MEMORY. */
enum nb_status nb_delay_paths_tree(uint32_t k, uint32_t n,
                                   struct nb_queue_load load,
                                   const struct nb_arrivals *arrivals,
                                   struct nb_delay_paths *paths,
                                   struct nb_error *err);

/*
 * The same for any traffic, each kind of queue with its own load and inputs.
 * is_by_root: all packets go up to the roots.
 *
 * topology  the specification of a k-ary n-tree
 *
 * Errors: NB_INVALID for a traffic that is not defined on it or sends no
 * packets, or a tree that is too large; NB_OVERFLOW for too many digits;
 * NB_NO_MEMORY; NB_IO.
 */
enum nb_status nb_delay_paths_traffic(const char *topology, const char *traffic,
                                      bool is_by_root,
                                      struct nb_queue_load load,
                                      const struct nb_arrivals *arrivals,
                                      struct nb_delay_paths *paths,
                                      struct nb_error *err);

NB_INTERNAL_END

#endif
