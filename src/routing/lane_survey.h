/* Lane survey: what classes of virtual channels need to know of shortest
 * routes. */
#ifndef NB_ROUTING_LANE_SURVEY_H
#define NB_ROUTING_LANE_SURVEY_H

#include "topology/topology.h"

/* Of all shortest routes, as route tables count them, between routers with
 * terminals. */
struct nb_lane_survey {
    uint32_t hops;   /* most in all */
    uint32_t global; /* most global ones */
    uint32_t before; /* most local ones in a row before a global one */
    uint32_t after;  /* most local ones after the last global one */
    uint32_t alone;  /* most local ones without a global one */
    /* Channels lead away from the routers with terminals or towards them, and
     * no route goes away again once it went towards them. */
    bool is_up_down;
};

/* Errors: NB_NO_MEMORY. */
enum nb_status nb_lane_survey_find(const struct nb_topology *topology,
                                   struct nb_lane_survey *out,
                                   struct nb_error *err);

#endif
