/* Traffic: the share of each router's packets that goes to each router. */
#ifndef NB_TRAFFIC_TRAFFIC_H
#define NB_TRAFFIC_TRAFFIC_H

#include "core/specification.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* One entry of the matrix, numerator over the traffic's denominator. */
struct nb_demand {
    uint32_t source;
    uint32_t target;
    uint64_t weight; /* > 0 */
};

/*
 * An exact matrix of rates between routers at injection rate 1 per terminal:
 *
 *     rate(i, j) = (background pairs(i, j) + weight(i, j)) / denominator
 *                                                        [packets/cycle]
 *     pairs(i, j) = terminals_i terminals_j, less terminals_i where i = j if
 *                   no terminal sends to itself (nb_traffic_even)
 *
 * with the weights as demands sorted by target, then source, at most one per
 * pair. For a weight, terminal t of a router sends to terminal t of the target,
 * so that a weight with i = j is traffic of terminals to themselves. Uniform
 * traffic has only background, a permutation only demands. Owns its arrays;
 * zero-initialised is valid and empty.
 */
struct nb_traffic {
    struct nb_specification specification;
    size_t router_count;
    uint64_t denominator; /* >= 1, < 2^62 */
    uint64_t background;
    bool omits_self; /* in the background, no terminal sends to itself */
    size_t demand_count;
    size_t demand_capacity;
    struct nb_demand *demands;
    size_t *column_start; /* [router_count + 1] into demands */
};

/* Finds the worst traffic for a routing: sets the denominator and adds demands.
 * Errors: those of the routing's worst case. */
struct nb_worst_traffic {
    enum nb_status (*find)(void *context, struct nb_traffic *out,
                           struct nb_error *err);
    void *context;
};

/* The argument of a pattern's build function. */
struct nb_traffic_request {
    const struct nb_topology *topology;
    const struct nb_specification *specification;
    /* The routers that have terminals, in order; patterns permute these. */
    const uint32_t *endpoint; /* [endpoint_count] */
    size_t endpoint_count;
    bool allow_inadmissible;
    const struct nb_worst_traffic *worst; /* NULL: no routing */
};

struct nb_traffic_kind {
    struct nb_kind kind;
    /* Pairs "traffic@topology" for the conformance tests, separated by
     * spaces. */
    const char *examples;
    /* The pattern depends on places in the network: with failed routers it is
     * that of the whole network, except for traffic from or to their terminals.
     * Otherwise it is a pattern of the remaining terminals. */
    bool is_by_place;
    /* Sets denominator, background and demands (nb_traffic_add); pairs may come
     * in any order and repeat: nb_traffic_build sorts them, adds them up and
     * reduces numerators and denominator by their common factor. */
    enum nb_status (*build)(const struct nb_traffic_request *request,
                            struct nb_traffic *out, struct nb_error *err);
};

extern const struct nb_traffic_kind *const nb_traffic_kinds[];

/*
 * Reads a specification and builds the traffic of a network.
 *
 * allow_inadmissible  accept matrices from files with a row or column that
 *                     sums to more than 1 per terminal
 *
 * Errors: NB_INVALID if it is malformed or not defined on this network
 * (saying why); an inadmissible matrix names the row or column and its sum.
 */
enum nb_status nb_traffic_build(const char *specification,
                                const struct nb_topology *topology,
                                bool allow_inadmissible, struct nb_traffic *out,
                                struct nb_error *err);

void nb_traffic_release(struct nb_traffic *traffic);

/* The weight of a demand, 0 if there is no such demand or router. */
uint64_t nb_traffic_demand(const struct nb_traffic *traffic, uint32_t source,
                           uint32_t target);

/* Largest row and column sum per terminal, exactly: <= 1 is admissible.
 * Errors: those of nb_traffic_check; NB_OVERFLOW; NB_NO_MEMORY. */
struct nb_traffic_sums {
    struct nb_ratio row;
    uint32_t row_router;
    struct nb_ratio column;
    uint32_t column_router;
};
enum nb_status nb_traffic_sums_find(const struct nb_traffic *traffic,
                                    const struct nb_topology *topology,
                                    struct nb_traffic_sums *out,
                                    struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The registry for nb_specification_read. */
const struct nb_kind *nb_traffic_kind_at(size_t index);

/* The parameters of all kinds. */
extern const struct nb_parameter nb_traffic_parameters[];

/* The same where a routing is known, so that its worst traffic may be
 * requested. worst: NULL: none. Errors: also those of worst. */
enum nb_status nb_traffic_build_for(const char *specification,
                                    const struct nb_topology *topology,
                                    bool allow_inadmissible,
                                    const struct nb_worst_traffic *worst,
                                    struct nb_traffic *out,
                                    struct nb_error *err);

/*
 * The first check of every function that takes a traffic.
 *
 * Errors: NB_INVALID if it is NULL, was not built, or belongs to another
 * network: one with a different number of routers, or with traffic at routers
 * that have no terminals here; those of nb_topology_check.
 */
enum nb_status nb_traffic_check(const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct nb_error *err);

/* For patterns: adds a demand. Errors: NB_NO_MEMORY. */
enum nb_status nb_traffic_add(struct nb_traffic *traffic, uint32_t source,
                              uint32_t target, uint64_t weight,
                              struct nb_error *err);

/* For patterns: *value *= factor. Errors: NB_OVERFLOW beyond 64 bits. */
enum nb_status nb_traffic_scale(const struct nb_traffic *traffic,
                                uint64_t *value, uint64_t factor,
                                struct nb_error *err);

/* For patterns: adds the weights of another matrix times scale.
 * Errors: NB_OVERFLOW beyond 64 bits; NB_NO_MEMORY. */
enum nb_status nb_traffic_add_matrix(struct nb_traffic *traffic,
                                     const struct nb_traffic *part,
                                     uint64_t scale, struct nb_error *err);

/*
 * For patterns: terminal t of endpoint[i] sends all to terminal t of
 * endpoint[map[i]]; denominator 1.
 *
 * Errors: NB_INVALID if a router and the one it sends to have different numbers
 * of terminals, naming both.
 */
enum nb_status nb_traffic_add_map(const struct nb_traffic_request *request,
                                  const uint32_t *map, struct nb_traffic *out,
                                  struct nb_error *err);

/*
 * The rates into one router, as numerators over traffic->denominator.
 *
 * rate  out, [router_count]: rate(i, target) * denominator
 *
 * Errors: NB_OVERFLOW if a rate does not fit in 63 bits; NB_INVALID if there is
 * no such router or the network has another number of routers than the traffic.
 */
enum nb_status nb_traffic_column(const struct nb_traffic *traffic,
                                 const struct nb_topology *topology,
                                 uint32_t target, uint64_t *rate,
                                 struct nb_error *err);

/* The number of pairs of terminals of two routers that share the background
 * equally, and of one router's terminals with all. */
static inline uint64_t nb_traffic_even(const struct nb_traffic *traffic,
                                       const struct nb_topology *topology,
                                       size_t source, size_t target)
{
    const uint64_t terminals = topology->terminals[target];
    const bool omits = traffic->omits_self && source == target && terminals > 0;
    return topology->terminals[source] * (terminals - omits);
}
static inline uint64_t nb_traffic_even_row(const struct nb_traffic *traffic,
                                           const struct nb_topology *topology,
                                           size_t source)
{
    const uint64_t omitted = traffic->omits_self;
    return topology->terminals[source] * (topology->terminal_count - omitted);
}

NB_INTERNAL_END

#endif
