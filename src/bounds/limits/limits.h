/* Limits: throughputs known in closed form. */
#ifndef NB_BOUNDS_LIMITS_H
#define NB_BOUNDS_LIMITS_H

#include "topology/topology.h"

NB_PUBLIC_BEGIN

enum { NB_LIMIT_TEXT = 56 };

/* The channels that a limit refers to. */
enum nb_limit_link {
    NB_LIMIT_WORST, /* the most loaded one: the throughput itself */
    NB_LIMIT_BULK,  /* most channels of a kind: nb_bulk_load */
};

/* One closed form. */
struct nb_limit {
    char routing[NB_LIMIT_TEXT];
    char traffic[NB_LIMIT_TEXT]; /* "": the worst of all admissible traffic */
    enum nb_limit_link link;
    bool is_bound;         /* an upper bound; else the exact value */
    struct nb_ratio value; /* [packets/cycle/terminal] at most 1 where the
                            * terminals' channels carry that much */
    const char *formula;
    const char *source;
};

/* Owns its rows; zero-initialised is valid and empty. */
struct nb_limits {
    size_t count, capacity;
    struct nb_limit *rows;
};

/*
 * The closed forms that hold for this network, by its parameters: for a
 * Dragonfly p terminals per router, a routers per group, h global channels per
 * router and G groups; for a HyperX p terminals per router and k routers along
 * a dimension; and so on.
 *
 * first_offset  first offset of the rows of adversarial traffic; may be
 *               negative, not 0
 * last_offset   last offset; offsets beyond half of the groups are those
 *               from the other side
 * with_worst    include rows of worst cases
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_limits_find(const struct nb_topology *topology,
                              int64_t first_offset, int64_t last_offset,
                              bool with_worst, struct nb_limits *out,
                              struct nb_error *err);
void nb_limits_release(struct nb_limits *limits);

/*
 * The parameters of a regular Dragonfly: G groups of a routers, each joined to
 * all others of its group; p terminals and h global channels per router; the
 * same number of channels between any two groups.
 */
struct nb_dragonfly {
    int64_t p, a, h, groups;
    int64_t trunking; /* channels from one group to another */
    bool is_palmtree; /* its arrangement */
};

NB_PUBLIC_END

NB_INTERNAL_BEGIN

bool nb_dragonfly_find(const struct nb_topology *topology,
                       struct nb_dragonfly *out);

NB_INTERNAL_END

#endif
