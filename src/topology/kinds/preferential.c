/*
 * Preferential: Barabasi and Albert's growth. It starts with m routers without
 * links and adds routers one by one. Each is joined with m others, drawn one
 * after another in proportion to the links that they have; the first one, when
 * there are no links, with all m. A router that is drawn twice is drawn again,
 * or gets one link.
 * Source: [Hanlon2009, section 2.1.2].
 */
#include "core/try.h"
#include "topology/drawn.h"

static enum nb_status
preferential_draw(const struct nb_specification *specification,
                  struct nb_drawn *drawn, bool *is_whole, struct nb_error *err)
{
    const uint32_t m = (uint32_t)nb_specification_whole(specification, "m");
    const bool merges = nb_specification_is(specification, "repeats", "merge");
    enum nb_status status = NB_OK;
    (void)is_whole;
    for (uint32_t r = 0; r < m; r++)
        NB_TRY(nb_drawn_add(drawn, r, m, err));
    for (uint32_t added = m + 1; added < drawn->router_count; added++) {
        /* An end of a link, drawn evenly, selects a router in proportion to its
         * links. */
        const size_t links = drawn->count;
        for (uint32_t joined = 0; joined < m;) {
            const uint64_t end = nb_random_below(drawn->random, 2 * links);
            const struct nb_drawn_link *link = &drawn->link[end / 2];
            const uint32_t other = end % 2 == 0 ? link->a : link->b;
            bool is_new = true;
            for (size_t l = links; l < drawn->count; l++)
                is_new = is_new && drawn->link[l].a != other;
            if (is_new)
                NB_TRY(nb_drawn_add(drawn, other, added, err));
            joined += is_new || merges;
        }
    }
done:
    return status;
}

static enum nb_status
preferential_build(const struct nb_specification *specification,
                   struct nb_topology *out, struct nb_error *err)
{
    return nb_drawn_build(
        specification,
        (uint32_t)(nb_specification_whole(specification, "m") +
                   nb_specification_whole(specification, "steps")),
        preferential_draw, out, err);
}

static const struct nb_parameter preferential_parameters[] = {
    NB_PARAMETER("m", WHOLE, NULL,
                 "initial routers, and links of each router added",
                 .is_leading = true, .least = 1, .most = 1000),
    NB_PARAMETER("steps", WHOLE, NULL, "routers added", .least = 1,
                 .most = 1e6),
    NB_PARAMETER("repeats", CHOICE, "redraw",
                 "a router drawn twice for a router added: draw another, or "
                 "give it one link",
                 .choices = "merge|redraw"),
    NB_PARAMETER_DRAWN,
    { 0 },
};

const struct nb_topology_kind nb_topology_preferential = {
    .kind = { .name = "preferential",
              .aliases = "barabasi-albert",
              .summary = "preferential attachment",
              .detail = "Routers are added one by one and joined more often to "
                        "those with many links.",
              .family = NB_FAMILY_GRAPHS,
              .parameters = preferential_parameters },
    .examples = "preferential:2,steps=6 preferential:1,steps=9,seed=5 "
                "preferential:4,steps=12,terminals=2 "
                "preferential:3,steps=9,repeats=merge",
    .build = preferential_build,
};
