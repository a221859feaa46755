/* Traffic terminal by terminal (declared in traffic/traffic.h). */
#include "traffic/traffic.h"

#include "core/memory.h"

/* Multiplies the denominator by the common multiple of the terminals at the
 * sources of what is divided among them. */
static enum nb_status singles_find_common(const struct nb_traffic *traffic,
                                          const struct nb_topology *topology,
                                          const uint64_t *rest,
                                          struct nb_traffic *out,
                                          uint64_t *common,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *common = 1;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const uint64_t own = topology->terminals[traffic->demands[d].source];
        if (rest[d] > 0)
            NB_TRY(
                nb_traffic_scale(out, common, own / nb_gcd(own, *common), err));
    }
    NB_TRY(nb_traffic_scale(out, &out->denominator, *common, err));
    status = nb_traffic_scale(out, &out->background, *common, err);
done:
    return status;
}

/* Adds one demand, from terminal t of its source to terminal t of its target;
 * start: [router] the number of its first terminal */
static enum nb_status singles_add(const struct nb_topology *topology,
                                  const uint32_t *start,
                                  const struct nb_demand *demand,
                                  uint64_t weight, struct nb_traffic *out,
                                  struct nb_error *err)
{
    const uint32_t *terminals = topology->terminals;
    enum nb_status status = NB_OK;
    for (uint32_t t = 0; t < terminals[demand->source]; t++)
        NB_TRY(nb_traffic_add(out, start[demand->source] + t,
                              start[demand->target] +
                                  t % terminals[demand->target],
                              weight, err));
done:
    return status;
}

enum nb_status nb_traffic_single_out(const struct nb_traffic *traffic,
                                     const struct nb_topology *topology,
                                     const uint64_t *rest, uint32_t first,
                                     struct nb_traffic *out,
                                     struct nb_error *err)
{
    uint32_t *start = NULL, next = first;
    uint64_t common;
    enum nb_status status;
    NB_TRY(nb_new(&start, topology->router_count, sizeof *start, "terminals",
                  err));
    for (size_t r = 0; r < topology->router_count; r++) {
        start[r] = next;
        next += topology->terminals[r];
    }
    NB_TRY(singles_find_common(traffic, topology, rest, out, &common, err));
    for (size_t d = 0; d < traffic->singles.count; d++) {
        struct nb_demand single = traffic->singles.entry[d];
        NB_TRY(nb_traffic_scale(out, &single.weight, common, err));
        NB_TRY(nb_traffic_add(out, first + single.source, first + single.target,
                              single.weight, err));
    }
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        uint64_t weight = rest[d];
        if (weight == 0)
            continue;
        NB_TRY(nb_traffic_scale(
            out, &weight, common / topology->terminals[demand->source], err));
        NB_TRY(singles_add(topology, start, demand, weight, out, err));
    }
done:
    nb_delete(start);
    return status;
}

enum nb_status nb_traffic_expand(struct nb_traffic *traffic,
                                 const struct nb_topology *topology,
                                 struct nb_error *err)
{
    const uint32_t first = (uint32_t)topology->router_count;
    struct nb_traffic out = { .denominator = traffic->denominator,
                              .background = traffic->background,
                              .omits_self = traffic->omits_self,
                              .router_count = topology->router_count +
                                              topology->terminal_count };
    uint32_t *router = NULL;
    uint64_t *rest = NULL;
    enum nb_status status;
    NB_TRY(nb_terminals_list(topology, &router, err));
    NB_TRY(nb_new(&rest, traffic->demand_count, sizeof *rest, "demands", err));
    nb_traffic_rest(traffic, router, rest);
    out.specification = traffic->specification;
    traffic->specification = (struct nb_specification){ 0 };
    NB_TRY(nb_traffic_single_out(traffic, topology, rest, first, &out, err));
    NB_TRY(nb_traffic_finish(&out, err));
    nb_traffic_release(traffic);
    *traffic = out;
    out = (struct nb_traffic){ 0 };
done:
    nb_delete(router);
    nb_delete(rest);
    nb_traffic_release(&out);
    return status;
}
