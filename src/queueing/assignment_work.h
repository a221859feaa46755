/* The shared work behind the assignment of traffic to paths (used by
 * assignment*.c alone). */
#ifndef NB_QUEUEING_ASSIGNMENT_WORK_H
#define NB_QUEUEING_ASSIGNMENT_WORK_H

#include "queueing/assignment.h"

/* Owns its channels. */
struct nb_assignment_way {
    double flow; /* [packets/cycle] at injection rate 1 */
    size_t length;
    uint32_t *channel; /* [length] from source to target */
};

/* A demand and the paths that carry it. */
struct nb_assignment_pair {
    uint32_t source;
    uint64_t weight; /* over the traffic's denominator */
    double demand;   /* [packets/cycle] at injection rate 1 */
    size_t way_count, way_capacity;
    struct nb_assignment_way *way;
};

struct nb_assignment_work {
    const struct nb_topology *topology;
    struct nb_mean_delay delay;
    struct nb_bracket rate;
    struct nb_ratio exact_rate; /* where it is known */
    struct nb_bracket total;    /* of the traffic at injection rate 1 */
    uint64_t denominator;       /* of the traffic's weights */
    long double weights;        /* of all pairs, self included */
    /* Prices are those of the delay up to this utilisation, and go on
     * linearly: never above the true ones, and finite. */
    double knee;
    double *band;  /* [channel] bandwidth */
    double *load;  /* [channel] at injection rate 1 */
    double *price; /* [channel] marginal latency of load */
    double *slope; /* [channel] its derivative */
    size_t pair_count;
    struct nb_assignment_pair *pair; /* by target, then source */
    size_t *pair_start;              /* [router + 1] by target */
    /* Scratch of the search for shortest ways. */
    double *length;   /* [channel] */
    double *distance; /* [router] to the target */
    uint32_t *next;   /* [router] first channel of the way; NB_NONE: none */
    size_t heap_count;
    struct nb_assignment_entry {
        double distance;
        uint32_t router;
    } * heap; /* [channel + 1] */
    /* Scratch of the balance. */
    uint64_t stamp;
    uint64_t *on_best, *on_other; /* [channel] */
    uint32_t *leave, *enter;      /* [router] */
};

/*
 * Rounds of the method until the bracket is narrow or gets no narrower, from
 * no flow, knee 0 and the latency at no load; sets all else that is found.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_assignment_solve(struct nb_assignment_work *work,
                                   const struct nb_run *run,
                                   struct nb_assignment *out,
                                   struct nb_error *err);

/* Sets price and slope from the load. */
void nb_assignment_price(struct nb_assignment_work *work, uint32_t channel);

/* Distances to a target by work->length, and the way on from every router. */
void nb_assignment_search(struct nb_assignment_work *work, uint32_t target);

/*
 * One round over all pairs: with the ways of least price added, and flow
 * moved.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_assignment_extend(struct nb_assignment_work *work,
                                    struct nb_error *err);
/* A round that moves flow only. */
void nb_assignment_balance(struct nb_assignment_work *work);

/*
 * A step of Newton's method for all pairs at once, by the ways there are;
 * leaves all as it was if that leads nowhere.
 *
 * passes  of nb_assignment_step_solve
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_assignment_newton(struct nb_assignment_work *work, int passes,
                                    struct nb_error *err);

/* Makes flows add up to the demands and loads to the flows, and prices follow.
 * Returns a bound on the relative error of the loads, as those of a routing
 * that carries every demand whole. */
double nb_assignment_settle(struct nb_assignment_work *work);

/* Bound on the relative error of the sums in nb_assignment_bound. */
double nb_assignment_error(const struct nb_assignment_work *work);

/* A lower bound of the mean latency by the prices, +inf if they prove that no
 * routing carries the rate. */
double nb_assignment_bound(struct nb_assignment_work *work);

/* Whether whole lengths in proportion to the prices, as near as small ones can
 * be, prove exactly that no routing carries the rate. */
bool nb_assignment_is_saturated(struct nb_assignment_work *work);

#endif
