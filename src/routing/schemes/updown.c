/*
 * updown: Up*Down* on any network of links. A spanning tree ranks the routers,
 * channels to a lesser rank lead up, and no path goes up after it went down;
 * so that nothing waits in a circle.
 * Source: [SchroederEtAl1991, section 6.6.4].
 */
#include "core/try.h"
#include "routing/tree_order.h"

static enum nb_status updown_build(struct nb_routing *out, struct nb_error *err)
{
    const bool tree_alone =
        nb_specification_is(&out->specification, "links", "tree");
    struct nb_tree_order order = { 0 };
    struct nb_turns turns = { 0 };
    enum nb_status status;
    NB_TRY(nb_turns_require_links(out, err));
    NB_TRY(nb_tree_order_build(out, tree_alone, &order, err));
    NB_TRY(nb_turns_init(out->topology, &turns, err));
    nb_tree_order_prohibit(&order, tree_alone, &turns);
    NB_TRY(nb_turn_ways_build(out, &turns, err));
done:
    nb_tree_order_release(&order);
    nb_turns_release(&turns);
    return status;
}

static const struct nb_parameter updown_parameters[] = {
    NB_PARAMETER_ROOT,
    NB_PARAMETER_TREE,
    { .name = "links",
      .help = "those that paths use: all, or the tree's alone",
      .type = NB_CHOICE,
      .initial = "all",
      .choices = "all|tree" },
    { 0 },
};

const struct nb_routing_kind nb_routing_updown = {
    .kind = { .name = "updown",
              .aliases = "updn",
              .summary = "Up*/Down*: shortest paths that go up a spanning "
                         "tree's order and then down, on any network of links",
              .parameters = updown_parameters },
    .examples =
        "updown@ring:5 updown:root=4@mesh:3x3 updown:tree=dfs@torus:3x3 "
        "updown:links=tree@torus:3x3 "
        "updown:tree=dfs,links=tree@mesh:3x3 updown@fattree:k=2,n=3 "
        "updown@dragonfly:h=2,p=1 "
        "updown:root=1@torus:4x3,fail=0-1+router:5",
    .build = updown_build,
    .start = nb_table_ways_start,
    .step = nb_table_ways_step,
};
