/* Ports, tables and buffers, and what groups of way-points carry (declared in
 * limits_question.h). */
#include "bounds/limits/bulk.h"
#include "bounds/limits/limits.h"
#include "questions/limits/limits_question.h"
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
    const int64_t most = groups - 1 + switches - 1 + terminals;
    const int64_t least = resources_ports(topology) + switches - 1;
    if (switches == 0 || !topology->kind->has_own_terminals)
        return;
    resources_add(out, "routing_table_entries", most, "1",
                  "groups and own switches and own terminals", source);
    resources_add(out, "routing_table_entries_by_switch",
                  groups * switches - 1 + terminals, "1",
                  "other switches and own terminals", source);
    resources_add(out, "routing_table_entries_flat",
                  (nb_int128)topology->terminal_count, "1", "terminals",
                  source);
    if (strcmp(topology->kind->kind.name, "dragonfly") != 0)
        return;
    /* With few groups a router has more ports than entries. */
    const char *how = "at least ports and own switches, at most as without "
                      "compaction";
    if (least < most)
        nb_point_add_bracket(out, "routing_table_entries_compact",
                             (double)least, (double)most, "1", how,
                             "Benito2020, section 4.3.2");
    else
        resources_add(out, "routing_table_entries_compact", most, "1", how,
                      "Benito2020, section 4.3.2");
}

/* The least whole number that is no less. */
static struct nb_enclosure resources_round_up(struct nb_enclosure value)
{
    const nb_int128 p = value.exact.numerator, q = value.exact.denominator;
    if (nb_ratio_is_known(value.exact))
        return nb_enclosure_of_ratio(nb_ratio_make((p + q - 1) / q, 1));
    return nb_enclosure_of_bracket(
        (struct nb_bracket){ ceil(value.lower), ceil(value.upper) });
}

/* Flits that arrive within some round trips over a channel, a packet at
 * least. */
static void resources_add_buffer(const struct nb_limits_question *question,
                                 const char *flow, const char *where,
                                 struct nb_enclosure delay, uint32_t trips,
                                 struct nb_point *out)
{
    static const char source[] = "Benito2020, section 2.4";
    char name[64];
    const struct nb_enclosure flits = nb_enclosure_divide(
        nb_enclosure_multiply(delay, nb_enclosure_of_whole(2 * trips)),
        nb_enclosure_of_ratio(question->flit_time));
    const struct nb_enclosure depth =
        nb_enclosure_most(resources_round_up(flits),
                          nb_enclosure_of_whole((uint32_t)question->packet));
    const char *how = trips == 1 ? "round trip, a packet at least"
                                 : "two round trips, a packet at least";
    snprintf(name, sizeof name, "%s_buffer%s", flow, where);
    nb_point_add_enclosure(out, name, depth, "flits", how, source);
    if (!nb_ratio_is_known(question->flit_size))
        return;
    snprintf(name, sizeof name, "%s_buffer_size%s", flow, where);
    nb_point_add_enclosure(
        out, name,
        nb_enclosure_divide(
            nb_enclosure_multiply(depth,
                                  nb_enclosure_of_ratio(question->flit_size)),
            nb_enclosure_of_whole(1000)),
        "KB", how, source);
}

void nb_limits_add_resources(const struct nb_limits_question *question,
                             struct nb_point *out)
{
    const struct nb_topology *topology = &question->topology;
    const bool has_groups = topology->groups.count > 0;
    static const char *const flows[] = { "credit", "on_off" };
    nb_point_add_note(out, "buffers",
                      "of each virtual channel: the flits of a round trip over "
                      "the channel, 2 delay / flit-time, with credits, of two "
                      "with on/off, and a packet at least; time within routers "
                      "comes on top");
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

/* What a router sends to a whole group if to each of its routers as much. */
static struct nb_ratio intermediate_share(const struct nb_traffic *traffic,
                                          const struct nb_dragonfly *fly,
                                          const struct nb_demand *demand)
{
    return nb_ratio_make((nb_int128)demand->weight * fly->a,
                         (nb_int128)traffic->denominator);
}

/* What every router sends to the group at each offset, at rate 1; false if
 * routers differ, if a group's routers do, or if groups send to themselves,
 * which takes local hops, too. */
static bool intermediate_weights(const struct nb_topology *topology,
                                 const struct nb_traffic *traffic,
                                 const struct nb_dragonfly *fly,
                                 struct nb_ratio *weight)
{
    const uint32_t *of = topology->groups.of;
    size_t own = 0; /* demands of a router */
    for (int64_t g = 0; g < fly->groups; g++)
        weight[g] = nb_ratio_zero;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        if (demand->source != 0)
            continue;
        weight[of[demand->target]] = intermediate_share(traffic, fly, demand);
        own++;
    }
    if (traffic->background > 0 || weight[0].numerator > 0 ||
        traffic->demand_count != own * topology->router_count)
        return false;
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        const int64_t offset =
            of[demand->target] + fly->groups - of[demand->source];
        if (nb_ratio_compare(intermediate_share(traffic, fly, demand),
                             weight[offset % fly->groups]) != 0)
            return false;
    }
    return true;
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

/* The rows of one traffic, by displacement from -h to h - 1. */
static enum nb_status intermediate_add(struct nb_limits_question *question,
                                       const struct nb_dragonfly *fly,
                                       const char *routing, const char *traffic,
                                       const struct nb_ratio *weight,
                                       size_t table, struct nb_point *out,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = &question->topology;
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    const struct nb_limits_case *at;
    const struct nb_ratio ends =
        nb_ratio_make(strstr(routing, "lg-") != NULL ? 2 : 1, 2);
    enum nb_status status = NB_OK;
    NB_TRY(nb_limits_case_find(&question->cases, routing, traffic, &at, err));
    for (int64_t k = fly->h; k > -fly->h; k--) {
        struct nb_ratio bulk, most, load = intermediate_load(fly, weight, k);
        /* h back is h ahead: half of these channels have the one load, half
         * the other. */
        const struct nb_ratio ahead = intermediate_load(fly, weight, -k);
        if (k == fly->h && nb_ratio_compare(ahead, load) > 0)
            load = ahead;
        if (k == 0 || load.numerator == 0)
            continue;
        NB_TRY(nb_bulk_of_displacement(topology, &at->loads,
                                       (uint32_t)((fly->a - k) % fly->a), &bulk,
                                       &most, err));
        nb_table_add_text(out, table, traffic);
        nb_table_add_text(out, table, routing);
        nb_table_add_whole(out, table, -k);
        nb_table_add_ratio(out, table, load);
        nb_table_add_ratio(out, table, nb_ratio_add(load, ends));
        nb_table_add_ratio(out, table, nb_ratio_multiply(bulk, bandwidth));
        nb_table_add_ratio(out, table, nb_ratio_multiply(most, bandwidth));
    }
done:
    return status;
}

/* A traffic under the schemes asked for. */
static enum nb_status
intermediate_add_traffic(struct nb_limits_question *question,
                         const struct nb_dragonfly *fly, const char *traffic,
                         struct nb_ratio *weight, size_t table,
                         struct nb_point *out, struct nb_error *err)
{
    static const char *const routings[] = { "vlb:policy=-g-",
                                            "vlb:policy=lg-" };
    struct nb_traffic built = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_build(traffic, &question->topology, false, &built, err));
    if (!intermediate_weights(&question->topology, &built, fly, weight))
        goto done;
    for (size_t r = 0; r < 2; r++) {
        bool is_asked = true;
        if (question->routing != NULL)
            NB_TRY(nb_limits_is_same_routing(question->routing, routings[r],
                                             &is_asked, err));
        if (is_asked)
            NB_TRY(intermediate_add(question, fly, routings[r], traffic, weight,
                                    table, out, err));
    }
done:
    nb_traffic_release(&built);
    return status;
}

enum nb_status nb_limits_add_intermediate(struct nb_limits_question *question,
                                          struct nb_point *out,
                                          struct nb_error *err)
{
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
    for (size_t t = 0; t < question->traffic_count; t++)
        NB_TRY(intermediate_add_traffic(question, &fly, question->traffics[t],
                                        weight, table, out, err));
done:
    nb_delete(weight);
    return status;
}
