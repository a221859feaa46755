/* Cache of the route tables of the routers that packets head for, with a given
 * number of tables. */
#ifndef NB_ROUTING_ROUTE_TABLES_H
#define NB_ROUTING_ROUTE_TABLES_H

#include "routing/routing.h"

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
 * Errors: NB_NO_MEMORY; NB_OVERFLOW if the router has more shortest paths than
 * a long double holds.
 */
enum nb_status nb_route_tables_find(struct nb_route_tables *tables,
                                    nb_route_state state, uint32_t router,
                                    uint32_t destination,
                                    const struct nb_route_table **out,
                                    struct nb_error *err);

#endif
