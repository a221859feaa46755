/* Ports, tables and buffers, and what groups of way-points carry (declared in
 * limits_question.h). */
#include "bounds/bulk.h"
#include "bounds/limits.h"
#include "cli/limits_question.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void resources_add(struct nb_point *out, const char *name,
                          nb_int128 value, const char *unit, const char *method,
                          const char *source)
{
    nb_point_add_exact(out, name, nb_ratio_make(value, 1), unit, method,
                       source);
}

/* Ports of the router that uses most, terminals included. */
static int64_t resources_ports(const struct nb_topology *topology)
{
    int64_t most = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        const int64_t ports = (int64_t)topology->out_start[r + 1] -
                              topology->out_start[r] + topology->terminals[r];
        most = ports > most ? ports : most;
    }
    return most;
}

/* Routers with terminals in every group, 0 if groups differ. */
static int64_t resources_switches(const struct nb_topology *topology)
{
    const struct nb_groups *groups = &topology->groups;
    int64_t all = 0;
    for (uint32_t g = 0; g < groups->count; g++) {
        int64_t own = 0;
        for (size_t m = groups->start[g]; m < groups->start[g + 1]; m++)
            own += topology->terminals[groups->member[m]] > 0;
        if (g > 0 && own != all)
            return 0;
        all = own;
    }
    return all;
}

/* Entries of a routing table: of groups, of the switches of the own group and
 * of the own terminals; with one for each switch instead of groups; with one
 * for each terminal. */
static void resources_add_tables(const struct nb_topology *topology,
                                 struct nb_point *out)
{
    static const char source[] = "Benito2020, equation 4-1";
    const int64_t groups = topology->groups.count;
    const int64_t switches = resources_switches(topology);
    const int64_t terminals = topology->terminals[0];
    if (switches == 0 || !topology->kind->has_own_terminals)
        return;
    resources_add(out, "routing_table_entries",
                  groups - 1 + switches - 1 + terminals, "1",
                  "groups and own switches and own terminals", source);
    resources_add(out, "routing_table_entries_by_switch",
                  groups * switches - 1 + terminals, "1",
                  "other switches and own terminals", source);
    resources_add(out, "routing_table_entries_flat",
                  (nb_int128)topology->terminal_count, "1", "terminals",
                  source);
    if (strcmp(topology->kind->kind.name, "dragonfly") == 0)
        nb_point_add_bracket(
            out, "routing_table_entries_compact",
            (double)(resources_ports(topology) + switches - 1),
            (double)(groups - 1 + switches - 1 + terminals), "1",
            "at least ports and own switches, at most as without compaction",
            "Benito2020, section 4.3.2");
}

/* Flits that arrive within some round trips over a channel, a packet at
 * least. */
static void resources_add_buffer(const struct nb_limits_question *question,
                                 const char *flow, const char *where,
                                 struct nb_enclosure delay, uint32_t trips,
                                 struct nb_point *out)
{
    char name[64];
    const struct nb_enclosure flits = nb_enclosure_divide(
        nb_enclosure_multiply(delay, nb_enclosure_of_whole(2 * trips)),
        nb_enclosure_of_ratio(question->flit_time));
    const double least = fmax(ceil(flits.lower), (double)question->packet);
    snprintf(name, sizeof name, "%s_buffer%s", flow, where);
    resources_add(out, name, (nb_int128)least, "flits",
                  trips == 1 ? "round trip, a packet at least"
                             : "two round trips, a packet at least",
                  "Benito2020, section 2.4");
}

void nb_limits_add_resources(const struct nb_limits_question *question,
                             struct nb_point *out)
{
    const struct nb_topology *topology = &question->topology;
    const bool has_groups = topology->groups.count > 0;
    static const char *const flows[] = { "credit", "on_off" };
    resources_add(out, "router_ports", resources_ports(topology), "1",
                  "counting", "");
    if (has_groups) {
        resources_add(out, "groups", topology->groups.count, "1", "counting",
                      "");
        resources_add_tables(topology, out);
    }
    for (uint32_t f = 0; f < 2; f++) {
        resources_add_buffer(question, flows[f], has_groups ? "_local" : "",
                             question->delays.local, f + 1, out);
        if (has_groups)
            resources_add_buffer(question, flows[f], "_global",
                                 question->delays.global, f + 1, out);
    }
}

/* What one router sends to the group at each offset, at rate 1. */
static enum nb_status intermediate_weights(const struct nb_topology *topology,
                                           const char *specification,
                                           struct nb_ratio *weight,
                                           struct nb_error *err)
{
    struct nb_traffic traffic = { 0 };
    const uint32_t *of = topology->groups.of;
    enum nb_status status = NB_OK;
    for (uint32_t g = 0; g < topology->groups.count; g++)
        weight[g] = nb_ratio_zero;
    NB_TRY(nb_traffic_build(specification, topology, false, &traffic, err));
    if (traffic.background > 0) /* not between groups alone */
        weight[0] = nb_ratio_one;
    for (size_t d = 0; d < traffic.demand_count; d++) {
        const struct nb_demand *demand = &traffic.demands[d];
        if (demand->source == 0)
            weight[of[demand->target]] = nb_ratio_add(
                weight[of[demand->target]],
                nb_ratio_make(demand->weight, (nb_int128)traffic.denominator));
    }
done:
    nb_traffic_release(&traffic);
    return status;
}

/* Equation 6-2: the load of the local channels k back from what is sent to the
 * groups around offset k h. */
static struct nb_ratio intermediate_load(const struct nb_dragonfly *fly,
                                         const struct nb_ratio *weight,
                                         int64_t k)
{
    struct nb_ratio sum = nb_ratio_zero;
    for (int64_t j = -(fly->h - 1); j <= fly->h - 1; j++) {
        const int64_t offset =
            ((k * fly->h + j) % fly->groups + fly->groups) % fly->groups;
        const int64_t share = fly->h - (j < 0 ? -j : j);
        if (offset != 0)
            sum = nb_ratio_add(sum,
                               nb_ratio_multiply(nb_ratio_make(share, fly->h),
                                                 weight[offset]));
    }
    return sum;
}

/* The rows of one traffic, by displacement from -h to h. */
static enum nb_status intermediate_add(struct nb_limits_question *question,
                                       const struct nb_dragonfly *fly,
                                       const char *routing, const char *traffic,
                                       const struct nb_ratio *weight,
                                       size_t table, struct nb_point *out,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = &question->topology;
    const struct nb_limits_case *at;
    const struct nb_ratio ends =
        nb_ratio_make(strstr(routing, "lg-") != NULL ? 2 : 1, 2);
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_case_find(&question->cases, routing, traffic, &at, err));
    for (int64_t k = 1; k < fly->h; k++) {
        struct nb_ratio bulk, most;
        const struct nb_ratio load = intermediate_load(fly, weight, k);
        if (load.numerator == 0)
            continue;
        NB_TRY(nb_bulk_of_displacement(
            topology, &at->loads, (uint32_t)(fly->a - k), &bulk, &most, err));
        nb_table_add_text(out, table, traffic);
        nb_table_add_text(out, table, routing);
        nb_table_add_whole(out, table, -k);
        nb_table_add_ratio(out, table, load);
        nb_table_add_ratio(out, table, nb_ratio_add(load, ends));
        nb_table_add_ratio(out, table, bulk);
        nb_table_add_ratio(out, table, most);
    }
done:
    return status;
}

enum nb_status nb_limits_add_intermediate(struct nb_limits_question *question,
                                          struct nb_point *out,
                                          struct nb_error *err)
{
    static const char *const routings[] = { "vlb:policy=-g-",
                                            "vlb:policy=lg-" };
    struct nb_dragonfly fly;
    struct nb_ratio *weight = NULL;
    enum nb_status status = NB_OK;
    if (!nb_dragonfly_find(&question->topology, &fly) || !fly.is_palmtree ||
        fly.trunking != 1 || fly.p != fly.h || fly.a != 2 * fly.h || fly.h < 2)
        return NB_OK;
    const size_t table = nb_point_add_table(
        out, "intermediate_local", false,
        "traffic:text,routing:text,displacement,"
        "intermediate:ratio [packets/cycle],"
        "with_ends:ratio [packets/cycle],bulk:ratio [packets/cycle],"
        "most:ratio [packets/cycle]");
    NB_TRY(nb_new(&weight, (size_t)fly.groups, sizeof *weight, "weights", err));
    for (size_t t = 0; t < question->traffic_count; t++) {
        NB_TRY(intermediate_weights(&question->topology, question->traffics[t],
                                    weight, err));
        if (weight[0].numerator != 0)
            continue; /* traffic within groups takes local hops, too */
        for (size_t r = 0; r < 2; r++)
            if (question->routing == NULL ||
                strcmp(question->routing, routings[r]) == 0)
                NB_TRY(intermediate_add(question, &fly, routings[r],
                                        question->traffics[t], weight, table,
                                        out, err));
    }
done:
    nb_delete(weight);
    return status;
}
