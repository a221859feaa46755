/*
 * par: progressive adaptive routing. As ugal, but a packet that went straight
 * decides again at every router of its source's group, where it may see the
 * queue of the global channel: it goes on, or begins its detour there.
 * Source: [Jiang2009].
 */
#include "routing/ugal_ways.h"

#include "core/memory.h"
#include "core/try.h"

/* Whether all routers have terminals, so that packets may begin there, and
 * shortest paths have at most one global channel, so that they pass only the
 * groups of source and destination. */
static enum nb_status par_suits(const struct nb_topology *topology, bool *suits,
                                struct nb_error *err)
{
    const size_t n = topology->router_count;
    struct nb_pool pool = { 0 };
    struct nb_route_table table = { 0 };
    uint32_t *queue = nb_pool_array(&pool, n, sizeof *queue);
    enum nb_status status = NB_OK;
    *suits = topology->groups.count > 1;
    NB_TRY(nb_pool_check(&pool, "distances", err));
    NB_TRY(nb_route_table_init(topology, &table, err));
    for (uint32_t r = 0; r < n && *suits; r++) {
        *suits = topology->terminals[r] > 0;
        nb_ways_to(topology, r, table.distance, queue);
        for (uint32_t c = 0; c < topology->channel_count && *suits; c++) {
            const struct nb_channel *at = &topology->channels[c];
            table.target = r;
            *suits =
                !nb_channel_is_global(topology, c) ||
                topology->groups.of[at->target] == topology->groups.of[r] ||
                !nb_is_on_the_way(topology, &table, c);
        }
    }
done:
    nb_route_table_release(&table);
    nb_pool_release(&pool);
    return status;
}

static enum nb_status par_build(struct nb_routing *out, struct nb_error *err)
{
    bool suits;
    enum nb_status status = NB_OK;
    NB_TRY(par_suits(out->topology, &suits, err));
    if (!suits)
        NB_TRY(nb_routing_refuse(
            out,
            "a network of groups, every two joined, with terminals at every "
            "router "
            "(permitted: such as dragonfly:h=2)",
            err));
    NB_TRY(nb_ugal_ways_build(out, sizeof(struct nb_ugal_plan), err));
    out->is_progressive = true;
    out->vc_rule = "place";
done:
    return status;
}

static const struct nb_parameter par_parameters[] = {
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

const struct nb_routing_kind nb_routing_par = {
    .kind = { .name = "par",
              .summary = "ugal, decided again within the source's group",
              .detail = "Progressive adaptive routing. Dragonflies.",
              .family = NB_FAMILY_GROUPS,
              .parameters = par_parameters },
    .examples = "par@dragonfly:h=1 par:policy=-g-@dragonfly:h=2,a=2,p=1 "
                "par:candidates=2@dragonfly:h=1,groups=2,trunking=2 "
                "par:policy=-g-,destination-group=no@dragonfly:h=2,a=2,p=1 "
                "par:threshold=2,policy=-gl@dragonfly:h=1 "
                "par@dragonfly:h=1,a=2x2,p=1",
    .is_adaptive = true,
    .build = par_build,
    .cost = nb_ugal_ways_cost,
};
