/* Traffic: the share of each router's packets that goes to each router. */
#ifndef NB_TRAFFIC_TRAFFIC_H
#define NB_TRAFFIC_TRAFFIC_H

#include "core/enclosure.h"
#include "core/specification.h"
#include "topology/topology.h"

NB_PUBLIC_BEGIN

/* One entry of a matrix, numerator over the traffic's denominator. */
struct nb_demand {
    uint32_t source;
    uint32_t target;
    uint64_t weight; /* > 0 */
};

/* Entries of a matrix; zero-initialised is valid and empty. */
struct nb_demands {
    size_t count;
    size_t capacity;
    struct nb_demand *entry; /* [capacity] owned */
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
 * pair. Uniform traffic has only background, a permutation only demands.
 *
 * Paths depend on routers only, so most questions read only the demands. Where
 * terminals of one router differ, `singles` also lists the rates between single
 * terminals, numbered router by router. They are a part of the demands; for the
 * rest of a demand, terminal t of a router sends to terminal t of the target
 * (modulo their number), so that a rest with i = j is traffic of terminals to
 * themselves. Owns its arrays; zero-initialised is valid and empty.
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
    size_t *column_start;      /* [router_count + 1] into demands */
    struct nb_demands singles; /* sorted by source, then target */
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
    /* The routers that have terminals, in order. */
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
    /* Sets denominator, background, demands (nb_traffic_add) and singles
     * (nb_traffic_add_single), the former without the latter; pairs may come in
     * any order and repeat: nb_traffic_build sorts them, adds them up and
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

/* The largest row and column sums of terminals, exactly: <= 1 is admissible.
 * Errors: those of nb_traffic_check; NB_OVERFLOW; NB_NO_MEMORY. */
struct nb_traffic_sums {
    struct nb_ratio row;
    uint32_t row_router; /* of that terminal */
    struct nb_ratio column;
    uint32_t column_router;
};
enum nb_status nb_traffic_sums_find(const struct nb_traffic *traffic,
                                    const struct nb_topology *topology,
                                    struct nb_traffic_sums *out,
                                    struct nb_error *err);

NB_PUBLIC_END

NB_INTERNAL_BEGIN

/* The larger of the two sums. */
struct nb_ratio nb_traffic_sums_most(const struct nb_traffic_sums *sums);

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

/* For patterns: adds a rate from one terminal to another. Errors:
 * NB_NO_MEMORY. */
enum nb_status nb_traffic_add_single(struct nb_traffic *traffic,
                                     uint32_t source, uint32_t target,
                                     uint64_t weight, struct nb_error *err);

/* Adds the singles to the demands, which say everything where terminals of a
 * router do not differ. */
enum nb_status nb_traffic_collect(struct nb_traffic *traffic,
                                  const struct nb_topology *topology,
                                  struct nb_error *err);

/* Sorts demands, adds up those of each pair and sorted singles, and reduces
 * them and the denominator. Errors: NB_OVERFLOW beyond 62 bits; NB_NO_MEMORY.
 */
enum nb_status nb_traffic_finish(struct nb_traffic *traffic,
                                 struct nb_error *err);

/*
 * Changes a traffic to that on the network whose terminals are hosts
 * (topology/hosts.h).
 *
 * topology  of the traffic so far
 *
 * Errors: NB_OVERFLOW if the common denominator does not fit in 62 bits;
 * NB_NO_MEMORY.
 */
enum nb_status nb_traffic_expand(struct nb_traffic *traffic,
                                 const struct nb_topology *topology,
                                 struct nb_error *err);

/*
 * Adds to a traffic between terminals, numbered from `first` on, the singles of
 * another and, terminal by terminal, the rest of its demands.
 *
 * rest  [demand_count] the part of each demand that is from no single terminal
 * out   in: denominator, background and specification of the traffic; its
 *       denominator and background are multiplied as needed
 *
 * Errors: NB_OVERFLOW; NB_NO_MEMORY.
 */
enum nb_status nb_traffic_single_out(const struct nb_traffic *traffic,
                                     const struct nb_topology *topology,
                                     const uint64_t *rest, uint32_t first,
                                     struct nb_traffic *out,
                                     struct nb_error *err);

/* For patterns: *value *= factor. Errors: NB_OVERFLOW beyond 64 bits. */
enum nb_status nb_traffic_scale(const struct nb_traffic *traffic,
                                uint64_t *value, uint64_t factor,
                                struct nb_error *err);

/* For patterns: adds the weights of a built traffic of the same network times
 * scale. Errors: NB_OVERFLOW beyond 64 bits; NB_NO_MEMORY. */
enum nb_status nb_traffic_add_matrix(const struct nb_traffic_request *request,
                                     const struct nb_traffic *part,
                                     uint64_t scale, struct nb_traffic *traffic,
                                     struct nb_error *err);

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

/* For patterns: terminal t sends all to terminal map[t], [terminal_count];
 * denominator 1. Errors: NB_NO_MEMORY. */
enum nb_status
nb_traffic_add_terminal_map(const struct nb_traffic_request *request,
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

/*
 * What each terminal sends or receives at rate 1, as numerators over the
 * denominator times the terminals of its router.
 *
 * row, column  out, [terminal_count]
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_traffic_sum_terminals(const struct nb_traffic *traffic,
                                        const struct nb_topology *topology,
                                        nb_uint128 *row, nb_uint128 *column,
                                        struct nb_error *err);

/*
 * The same as enclosures.
 *
 * row, column  out, [terminal_count]; NULL: not wanted
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_traffic_terminal_rates(const struct nb_traffic *traffic,
                                         const struct nb_topology *topology,
                                         struct nb_enclosure *row,
                                         struct nb_enclosure *column,
                                         struct nb_error *err);

/* The part of each demand that is from no single terminal, as a weight.
 * terminal_router: [terminal]; rest: out, [demand_count] */
void nb_traffic_rest(const struct nb_traffic *traffic,
                     const uint32_t *terminal_router, uint64_t *rest);

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
