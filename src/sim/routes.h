/*
 * Routes: the step function of a scheme as a network in motion asks it. Lists
 * of hops are kept once they were asked for, since a network asks for the same
 * ones repeatedly; if there are too many to keep, each is computed anew.
 */
#ifndef NB_SIM_ROUTES_H
#define NB_SIM_ROUTES_H

#include "core/delete.h"
#include "core/random.h"
#include "routing/two_phase.h"

struct nb_routes_hop {
    uint32_t next; /* state of one phase */
    uint32_t channel;
    uint32_t weight; /* a hop is chosen if the number drawn (below total) is
                      * less than this */
};

/* Owns its arrays; borrows the routing. */
struct nb_routes {
    const struct nb_routing *routing;
    const struct nb_routing *phase; /* the scheme of one phase */
    bool is_adaptive;
    bool has_phases;
    size_t router_count;
    uint32_t port;      /* of the packet that is about to begin: its terminal's
                         * index */
    size_t state_count; /* of one phase */
    struct nb_start *starts; /* [most_starts] scratch */
    struct nb_hop *hops;     /* [most_hops] scratch */
    struct nb_route_table table;
    uint32_t *queue; /* [router_count + 1] scratch */

    /* Kept lists: entry [(target n + router) states + state] is the place of
     * the list in kept, 0 if it was not asked for. The hops of a list follow a
     * header whose channel is their number and whose next is the place of
     * another list of the router. NULL: none are kept. */
    uint32_t *entry;
    size_t entry_count;
    struct nb_routes_hop *kept;
    size_t kept_count, kept_capacity;
    uint32_t *first;            /* [router] place of its last list, or 0 */
    struct nb_routes_hop *list; /* [1 + most_hops] one that is not kept */
    struct nb_pool pool;        /* all but the kept lists */
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_routes_init(const struct nb_routing *routing,
                              struct nb_routes *out, struct nb_error *err);
void nb_routes_release(struct nb_routes *routes);

/*
 * How a packet begins: a start by its weight or, for adaptive schemes that have
 * costs, the cheapest one; one of its intermediate routers, evenly.
 *
 * view    NULL: for schemes that have costs the first start, to be chosen anew
 * blocked  as in set of struct nb_routing_kind
 * chosen  out: index of the start
 */
nb_route_state nb_routes_begin(struct nb_routes *routes,
                               const struct nb_view *view, uint32_t source,
                               uint32_t destination, uint32_t blocked,
                               struct nb_random *random, size_t *chosen);

/* As the member way of struct nb_view, by its queue. */
struct nb_way nb_routes_shortest(struct nb_routes *routes,
                                 const struct nb_view *view,
                                 nb_route_state state, uint32_t router,
                                 uint32_t destination);

/* The slower cases of nb_routes_list. */
const struct nb_routes_hop *nb_routes_find(struct nb_routes *routes,
                                           nb_route_state state,
                                           uint32_t router, uint32_t target);

/*
 * The hops from a router. Returns their number, 0 where a packet has arrived.
 * Choose by nb_routes_draw or by queues, then call nb_routes_next.
 *
 * list  out: valid until the next call
 */
static inline size_t nb_routes_list(struct nb_routes *routes,
                                    nb_route_state state, uint32_t router,
                                    uint32_t destination,
                                    const struct nb_routes_hop **list)
{
    if (routes->has_phases)
        state = nb_two_phase_own(routes->routing, &state, router, &destination);
    const size_t entry =
        (destination * routes->router_count + router) * routes->state_count +
        state;
    const uint32_t place = routes->entry != NULL ? routes->entry[entry] : 0;
    const struct nb_routes_hop *found =
        place != 0 ? routes->kept + place
                   : nb_routes_find(routes, state, router, destination);
    *list = found + 1;
    return found[0].channel;
}

/* The index of a hop of the list, by weight. */
static inline size_t nb_routes_draw(const struct nb_routes_hop *list,
                                    size_t count, struct nb_random *random)
{
    size_t i = 0;
    if (count > 1) {
        const uint64_t drawn = nb_random_below(random, list[count - 1].weight);
        while (drawn >= list[i].weight)
            i++;
    }
    return i;
}

/* The state after a hop of the list that was requested for this state. */
static inline nb_route_state nb_routes_next(const struct nb_routes *routes,
                                            nb_route_state state,
                                            uint32_t router,
                                            uint32_t destination,
                                            const struct nb_routes_hop *hop)
{
    if (!routes->has_phases)
        return hop->next;
    nb_two_phase_own(routes->routing, &state, router, &destination);
    return state | hop->next;
}

#endif
