/* Cache of the route tables of the routers that packets head for, with a given
 * number of tables. */
#ifndef NB_ROUTING_ROUTE_TABLES_H
#define NB_ROUTING_ROUTE_TABLES_H

#include "core/twofold.h"
#include "routing/routing.h"

/* The number value * 2^exponent of shortest paths, rounded in each addition:
 * there are networks with more paths than a double holds. */
struct nb_many_paths {
    struct nb_twofold value; /* below 2^63 */
    int64_t exponent;
};

/* The fraction of a router's shortest paths that continue through a router next
 * to it. */
double nb_route_share(const struct nb_route_table *table, uint32_t router,
                      uint32_t next);

/* Owns its arrays; zero-initialised is valid and empty. */
struct nb_route_tables {
    const struct nb_routing *routing;
    size_t count;                 /* 0: the scheme needs none */
    struct nb_route_table *table; /* [target % count] */
    uint32_t *queue;              /* [router_count + 1] scratch */
};

/* most: maximum number of tables kept, at least 1. Errors: NB_NO_MEMORY. */
enum nb_status nb_route_tables_init(const struct nb_routing *routing,
                                    size_t most, struct nb_route_tables *out,
                                    struct nb_error *err);
void nb_route_tables_release(struct nb_route_tables *tables);

/*
 * The table that nb_route_step needs for a packet at router in this state, NULL
 * if it needs none.
 *
 * Errors: NB_NO_MEMORY.
 */
enum nb_status nb_route_tables_find(struct nb_route_tables *tables,
                                    nb_route_state state, uint32_t router,
                                    uint32_t destination,
                                    const struct nb_route_table **out,
                                    struct nb_error *err);

#endif
