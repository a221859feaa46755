/*
 * ugal: universal globally adaptive load-balanced. A packet goes straight or
 * through an intermediate router drawn as by val. It compares the two at its
 * source (ugal_ways.h); in each phase it takes shortest paths by the shortest
 * queue.
 * Source: [Singh2005, section 6.2]; candidates by groups, threshold
 * [Benito2020, section 2.3.3]; one queue against two, [Jiang2009]; queues of
 * virtual channels, [Kim2008].
 */
#include "routing/ugal_ways.h"

static const struct nb_parameter ugal_parameters[] = {
    NB_PARAMETERS_UGAL,
    NB_PARAMETER_POLICY,
    NB_PARAMETER_SOURCE_GROUP,
    NB_PARAMETER_DESTINATION_GROUP,
    { 0 },
};

static enum nb_status ugal_build(struct nb_routing *out, struct nb_error *err)
{
    return nb_ugal_ways_build(out, sizeof(struct nb_ugal_plan), err);
}

const struct nb_routing_kind nb_routing_ugal = {
    .kind = { .name = "ugal",
              .summary = "minimal or Valiant, by hops times queue length",
              .parameters = ugal_parameters },
    .examples = "ugal@ring:5 ugal@torus:4x3 ugal@mesh:3x3 ugal@hypercube:3 "
                "ugal:candidates=3@complete:5 ugal@ccc:3 "
                "ugal:view=global@fattree:k=2,n=2 "
                "ugal:threshold=3@dragonfly:h=1 "
                "ugal:compare=double,policy=-g-@dragonfly:h=2,a=2,p=1 "
                "ugal:queue=hybrid,candidates=2@dragonfly:h=1 "
                "ugal:queue=virtual@torus:3x3 "
                "ugal:policy=-gl@hyperx:3x3,p=1 ugal@torus:3x2x3 "
                "ugal@torus:4x3,fail=0-1+router:5 "
                "ugal@dragonfly:h=1,fail=random:1",
    .is_adaptive = true,
    .build = ugal_build,
    .cost = nb_ugal_ways_cost,
};
