#include "questions/problem.h"

#include "core/locale.h"
#include "core/try.h"
#include "routing/formats/forwarding.h"
#include "routing/unrouted.h"
#include "topology/fabric.h"
#include "topology/failures.h"
#include "topology/hosts.h"

#include <math.h>
#include <inttypes.h>
#include <string.h>

enum { PROBLEM_LINKS_SAID = 12 }; /* failed links listed in a note */

enum nb_status nb_problem_rate(const struct nb_problem *problem,
                               struct nb_ratio rate, struct nb_ratio load,
                               struct nb_enclosure *out, struct nb_error *err)
{
    const bool is_load = nb_ratio_is_known(load);
    char text[NB_RATIO_TEXT];
    *out = nb_enclosure_of_ratio(is_load                   ? load
                                 : nb_ratio_is_known(rate) ? rate
                                                           : nb_ratio_one);
    if (!is_load)
        return NB_OK;
    nb_ratio_print(load, text);
    if (isinf(problem->capacity.rate.upper))
        return nb_fail(err, NB_INVALID,
                       "--load %s is a fraction of the capacity, which is "
                       "infinite here (permitted: --rate)",
                       text);
    *out = nb_enclosure_multiply(*out, problem->capacity.rate);
    return NB_OK;
}

enum nb_status nb_problem_build_traffic(const char *traffic,
                                        bool allow_inadmissible,
                                        const struct nb_run *run,
                                        struct nb_problem *problem,
                                        struct nb_error *err)
{
    struct nb_worst_search *search = &problem->worst;
    const struct nb_worst_traffic worst = { nb_worst_search_run, search };
    const bool is_routed = problem->routing.kind != NULL;
    /* Patterns know the places of routers, a worst traffic those of hosts. */
    const bool is_worst = strcmp(traffic, "worst") == 0;
    const bool is_expanded = problem->topology.first_host > 0 && !is_worst;
    *search =
        (struct nb_worst_search){ .routing = &problem->routing, .run = run };
    enum nb_status status = nb_traffic_build_for(
        traffic, is_expanded ? &problem->routers : &problem->topology,
        allow_inadmissible, is_routed && !is_expanded ? &worst : NULL,
        &problem->traffic, err);
    if (status == NB_OK && is_expanded)
        status = nb_traffic_expand(&problem->traffic, &problem->routers, err);
    search->routing = NULL; /* the problem may be moved */
    search->run = NULL;
    return status;
}

/* Whether the capacity may be computed from the loads of the question. */
static bool problem_is_even(const struct nb_network_names *names)
{
    return names->routing != NULL && strcmp(names->routing, "min") == 0 &&
           names->traffic != NULL && strcmp(names->traffic, "uniform") == 0;
}

enum nb_status nb_problem_build_network(const char *topology,
                                        const char *routing,
                                        struct nb_problem *out,
                                        struct nb_error *err)
{
    bool needs_hosts = false;
    enum nb_status status;
    NB_TRY(nb_topology_build(topology, &out->topology, err));
    if (routing != NULL)
        NB_TRY(
            nb_routing_needs_hosts(routing, &out->topology, &needs_hosts, err));
    if (!needs_hosts)
        goto done;
    NB_TRY(nb_topology_build(topology, &out->routers, err));
    NB_TRY(nb_hosts_expand(&out->topology, err));
done:
    return status;
}

enum nb_status nb_problem_open(const struct nb_network_names *names,
                               const struct nb_run *run, struct nb_problem *out,
                               struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_problem){ 0 };
    if (names->topology == NULL)
        return nb_fail(err, NB_INVALID,
                       "no topology is given (permitted: one such as "
                       "torus:8x8)");
    NB_TRY(nb_problem_build_network(
        names->topology,
        names->routing != NULL ? names->routing : names->later_routing, out,
        err));
    if (names->routing != NULL)
        NB_TRY(nb_routing_build(names->routing, &out->topology, &out->routing,
                                err));
    if (names->refuses_adaptive && names->routing != NULL)
        NB_TRY(nb_routing_refuse_adaptive(&out->routing, err));
    if (names->traffic != NULL)
        NB_TRY(nb_problem_build_traffic(
            names->traffic, names->allows_inadmissible, run, out, err));
    if (names->routing != NULL)
        NB_TRY(nb_routes_require(
            &out->routing, names->traffic != NULL ? &out->traffic : NULL, err));
    const bool has_hosts = out->topology.first_host > 0;
    NB_TRY(nb_capacity_find_loads(has_hosts ? &out->routers : &out->topology,
                                  run, &out->capacity, &out->loads, err));
    if (has_hosts || !problem_is_even(names))
        nb_channel_loads_release(&out->loads);
done:
    if (status != NB_OK)
        nb_problem_release(out);
    return status;
}

enum nb_status nb_problem_find_loads(struct nb_problem *problem,
                                     const struct nb_run *run,
                                     struct nb_channel_loads *out,
                                     struct nb_error *err)
{
    *out = problem->loads;
    problem->loads = (struct nb_channel_loads){ 0 };
    return out->load != NULL
               ? NB_OK
               : nb_channel_loads_find(&problem->routing, &problem->traffic,
                                       run, out, err);
}

void nb_problem_release(struct nb_problem *problem)
{
    nb_channel_loads_release(&problem->loads);
    nb_traffic_release(&problem->traffic);
    nb_routing_release(&problem->routing);
    nb_topology_release(&problem->topology);
    nb_topology_release(&problem->routers);
    *problem = (struct nb_problem){ 0 };
}

void nb_point_note_overload(struct nb_point *point, enum nb_overload overload)
{
    nb_point_add_note(
        point, "saturated",
        overload == NB_OVERLOAD_MEETS
            ? "a channel whose load meets its bandwidth, as in "
              "TowlesDally2002, section 2.1; for the other reading: "
              "--saturated exceeds"
            : "a channel whose load exceeds its bandwidth; TowlesDally2002, "
              "section 2.1, calls it saturated when its load meets it");
}

struct nb_enclosure nb_problem_terminal_limit(const struct nb_problem *problem,
                                              struct nb_ratio most)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_ratio limit = nb_terminal_limit(topology, most);
    return nb_ratio_is_known(limit)
               ? nb_enclosure_of_ratio(limit)
               : nb_enclosure_divide(
                     nb_enclosure_of_ratio(topology->terminal_bandwidth),
                     nb_enclosure_of_ratio(most));
}

void nb_point_rely_on_upper(struct nb_point *point, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < point->quantity_count; i++) {
        struct nb_quantity *quantity = &point->quantities[i];
        if (!nb_ratio_is_known(quantity->exact) &&
            strncmp(quantity->name, name, length) == 0 &&
            (quantity->name[length] == '\0' ||
             strcmp(quantity->name + length, "_absolute") == 0))
            quantity->value = quantity->upper;
    }
}

/* Prints the ratio or, if it is unknown, the middle of the bracket. */
static void problem_print_value(struct nb_enclosure value,
                                char out[NB_RATIO_TEXT])
{
    nb_ratio_print(value.exact, out);
    if (!nb_ratio_is_known(value.exact))
        nb_snprintf(out, NB_RATIO_TEXT, "about %.6g",
                    value.lower / 2 + value.upper / 2);
}

/* Notes where the terminals' channels limit a throughput, or may do so. */
static void problem_note_limit(const struct nb_problem *problem,
                               struct nb_point *point,
                               struct nb_enclosure channels,
                               struct nb_enclosure limit)
{
    char bandwidth[NB_RATIO_TEXT], allowed[NB_RATIO_TEXT];
    const bool is_known =
        nb_ratio_is_known(channels.exact) && nb_ratio_is_known(limit.exact);
    if (is_known ? nb_ratio_compare(limit.exact, channels.exact) >= 0
                 : limit.lower >= channels.upper)
        return;
    nb_ratio_print(problem->topology.terminal_bandwidth, bandwidth);
    if (!is_known)
        channels.exact = (struct nb_ratio){ 0, 0 };
    problem_print_value(channels, allowed);
    nb_point_note(
        point, "terminal_limit",
        "the terminals' channels, of bandwidth %s %s/cycle, %s the throughput; "
        "the channels between routers would allow %s %s",
        bandwidth, problem->counts_flits ? "flits" : "packets",
        is_known || limit.upper <= channels.lower ? "limit" : "may limit",
        allowed, nb_problem_rate_unit(problem));
}

/* Whether failed links were drawn by fail-seed and seed means something
 * else. */
static bool problem_has_two_seeds(const struct nb_topology *topology)
{
    const struct nb_failures *failures = &topology->failures;
    const struct nb_parameter *row = topology->kind->kind.parameters;
    bool is_drawn = false;
    for (size_t l = 0; l < failures->link_count; l++)
        is_drawn = is_drawn || failures->link[l].cause == NB_FAILED_RANDOM;
    while (row != NULL && row->name != NULL && strcmp(row->name, "seed") != 0)
        row++;
    return is_drawn && row != NULL && row->name != NULL;
}

void nb_note_bandwidths(const struct nb_topology *topology,
                        struct nb_point *point)
{
    char speed[NB_FABRIC_SPEED], number[NB_RATIO_TEXT];
    if (topology->fabric != NULL && nb_ratio_is_known(topology->fabric->unit)) {
        /* In the name of a cable if one has this speed. */
        const bool has_name = nb_fabric_speed(topology->fabric->unit, speed);
        nb_ratio_print(topology->fabric->unit, number);
        nb_point_note(point, "speeds", "bandwidth 1 is %s%s%s Gbit/s of data",
                      has_name ? speed : "", has_name ? ", " : "", number);
    }
    if (topology->bare_links > 0)
        nb_point_note(
            point, "bandwidths",
            "%zu of %zu links of the file %s no bandwidth and got %s "
            "(parameter bandwidth)",
            topology->bare_links, topology->listed_links,
            topology->bare_links == 1 ? "has" : "have",
            nb_specification_text(&topology->specification, "bandwidth"));
}

void nb_note_file(const struct nb_topology *topology, struct nb_point *point)
{
    const struct nb_file_part *part = &topology->part;
    const char *line = topology->notes;
    if (part->count > 0)
        nb_point_note(point, "component",
                      "part %zu of %zu, by size, with %zu of the file's %zu "
                      "routers; no link joins the parts (parameter component)",
                      part->index, part->count, part->routers, part->all);
    while (line != NULL && *line != '\0') { /* a reader's: NAME\tTEXT\n */
        const size_t name = strcspn(line, "\t");
        const char *text = line + name + 1;
        const size_t length = strcspn(text, "\n");
        struct nb_text its_name = { 0 };
        nb_text_add(&its_name, line, name);
        if (its_name.has_failed)
            point->has_failed = true;
        else
            nb_point_note(point, its_name.bytes, "%.*s", (int)length, text);
        nb_text_release(&its_name);
        line = text + length + 1;
    }
}

void nb_problem_note_failures(const struct nb_problem *problem,
                              struct nb_point *point)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_failures *failures = &topology->failures;
    const char *request =
        nb_specification_text(&topology->specification, "fail");
    struct nb_text text = { 0 };
    if (*request == '\0' || strcmp(request, "none") == 0)
        return;
    nb_text_print(&text, "failed %s: %zu",
                  topology->fabric != NULL ? "cables" : "links",
                  failures->link_count);
    if (!nb_has_failures(topology))
        nb_text_print(&text, ", because fail=%s removes none", request);
    if (failures->link_count > 0) {
        nb_text_print(&text, " (");
        nb_failures_print(topology, PROBLEM_LINKS_SAID, &text);
        nb_text_print(&text, ")");
    }
    if (problem_has_two_seeds(topology))
        nb_text_print(
            &text,
            "; drawn by fail-seed %" PRId64 " (seed sets the arrangement)",
            nb_specification_whole(&topology->specification, "fail-seed"));
    if (failures->router_count > 0)
        nb_text_print(&text, "; failed routers: %zu", failures->router_count);
    if (failures->host_count > 0)
        nb_text_print(&text, ", %zu of them hosts of a failed switch",
                      failures->host_count);
    if (failures->router_count > 0)
        nb_text_print(&text, ", whose terminals neither send nor receive");
    nb_point_take_note(point, "failures", &text);
}

const char *nb_problem_rate_unit(const struct nb_problem *problem)
{
    return problem->counts_flits ? "flits/cycle/terminal"
                                 : "packets/cycle/terminal";
}

void nb_problem_note_terminals(const struct nb_problem *problem,
                               struct nb_point *point)
{
    const struct nb_topology *topology = &problem->topology;
    if (topology->first_host > 0)
        nb_point_note(
            point, "terminals",
            "paths differ by terminal, so terminals are nodes here: routers "
            "%" PRIu32 " to %zu are terminals 0 to %zu, and their channels "
            "count as hops",
            topology->first_host, topology->router_count - 1,
            topology->terminal_count - 1);
}

void nb_problem_note_lids(const struct nb_routing *routing,
                          struct nb_point *point)
{
    /* Tables that are older than the network's file look like good ones. */
    if (routing->moved_lids > 0)
        nb_point_note(
            point, "moved_lids",
            "LIDs for which tables and network file name different ports: "
            "%zu, such as %" PRIu32 "; the tables' ports are used, but one of "
            "the files may be out of date",
            routing->moved_lids, routing->moved_lid);
    if (routing->kind == NULL || !nb_is_forwarding_tables(routing) ||
        (routing->start_total == 1 &&
         !nb_fabric_has_several_lids(routing->topology->fabric)))
        return;
    nb_point_add_note(
        point, "lids",
        nb_specification_is(&routing->specification, "lid", "base")
            ? "hosts have several LIDs (LMC above 0): packets go to the lowest "
              "LID only; lid=all takes all"
            : "hosts have several LIDs (LMC above 0): packets use all LIDs of "
              "a host equally; lid=base takes the lowest only");
}

/* Whether no two routers have terminals, so that the capacity is infinite. */
static bool problem_has_one_router(const struct nb_problem *problem)
{
    size_t holders = 0;
    for (size_t r = 0; r < problem->topology.router_count; r++)
        holders += problem->topology.terminals[r] > 0;
    return holders == 1 && isinf(problem->capacity.rate.upper);
}

void nb_problem_add_capacity(const struct nb_problem *problem,
                             struct nb_point *point)
{
    const struct nb_topology *topology = &problem->topology;
    const struct nb_capacity *capacity = &problem->capacity;
    nb_point_add_enclosure(point, "capacity", capacity->rate,
                           nb_problem_rate_unit(problem), capacity->method,
                           capacity->source);
    nb_point_note(point, "capacity_basis", "%s%s",
                  nb_has_failures(topology)
                      ? "of the network before anything failed, "
                      : "",
                  capacity->basis);
    if (problem_has_one_router(problem))
        nb_point_add_note(point, "one_router",
                          "only one router has terminals, so their traffic "
                          "crosses no channel and has no limit");
    nb_problem_note_terminals(problem, point);
    nb_problem_note_lids(&problem->routing, point);
    if (topology->groups.counts_global_first && problem->routing.is_minimal)
        nb_point_add_note(point, "shortest_paths",
                          "those with the fewest global channels, then the "
                          "fewest local ones; a path through a third group may "
                          "have fewer hops");
    nb_problem_note_failures(problem, point);
    nb_note_bandwidths(topology, point);
    nb_note_file(topology, point);
}

void nb_problem_add_rate(const struct nb_problem *problem,
                         struct nb_point *point, const char *name,
                         struct nb_enclosure absolute, const char *method,
                         const char *source)
{
    const struct nb_enclosure capacity = problem->capacity.rate;
    char longer[64];
    nb_snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(capacity.upper))
        nb_point_add_enclosure(point, name,
                               nb_enclosure_divide(absolute, capacity),
                               "fraction of capacity", method, source);
    nb_point_add_enclosure(point, longer, absolute,
                           nb_problem_rate_unit(problem), method, source);
}

void nb_problem_add_estimate(const struct nb_problem *problem,
                             struct nb_point *point, const char *name,
                             struct nb_interval absolute,
                             struct nb_interval fraction, const char *method,
                             const char *source)
{
    char longer[64];
    nb_snprintf(longer, sizeof longer, "%s_absolute", name);
    if (!isinf(problem->capacity.rate.upper))
        nb_point_add_interval(point, name, fraction, "fraction of capacity",
                              method, source);
    nb_point_add_interval(point, longer, absolute,
                          nb_problem_rate_unit(problem), method, source);
}

void nb_problem_add_throughput(const struct nb_problem *problem,
                               struct nb_point *point, const char *name,
                               struct nb_enclosure channels,
                               struct nb_ratio most, const char *method,
                               const char *source)
{
    const struct nb_enclosure limit = nb_problem_terminal_limit(problem, most);
    struct nb_enclosure absolute = nb_enclosure_least(channels, limit);
    /* Sampled paths give confidence intervals, which may miss the value;
     * nothing computed from them is exact. */
    if (!nb_ratio_is_known(channels.exact))
        absolute.exact = channels.exact;
    if (isinf(problem->capacity.rate.upper))
        nb_point_add_note(point, name,
                          "not a fraction of capacity: the capacity is "
                          "infinite");
    nb_problem_add_rate(problem, point, name, absolute, method, source);
    nb_problem_add_capacity(problem, point);
    problem_note_limit(problem, point, channels, limit);
}

void nb_problem_note_rate(const struct nb_traffic_sums *sums,
                          struct nb_point *out)
{
    char most[NB_RATIO_TEXT];
    nb_ratio_print(sums->row, most);
    if (nb_ratio_compare(sums->row, nb_ratio_one) != 0)
        nb_point_note(out, "traffic_rate",
                      "throughput is a multiple of this matrix, in which a "
                      "terminal injects up to %s",
                      most);
}

void nb_problem_note_min(const struct nb_problem *problem,
                         struct nb_point *point)
{
    const struct nb_routing_kind *kind = problem->routing.kind;
    if (kind == NULL || strcmp(kind->kind.name, "min") != 0 ||
        nb_coordinates(&problem->topology)->dimensions < 2)
        return;
    for (size_t i = 0; i < point->setting_count; i++)
        if (strcmp(point->settings[i].name, "routing") == 0)
            return; /* compared with other schemes */
    nb_point_add_note(point, "routing",
                      "min splits evenly over all shortest paths; dimension "
                      "order is dor");
}

enum nb_status nb_problem_read_pair(const struct nb_problem *problem,
                                    const char *text, uint32_t pair[2],
                                    struct nb_error *err)
{
    const struct nb_topology *topology = &problem->topology;
    const size_t length = strlen(text);
    const char *comma = text;
    while ((comma = strchr(comma, ',')) != NULL) { /* names may contain one */
        pair[0] = nb_router_find(topology, text, (size_t)(comma - text));
        comma++;
        pair[1] =
            nb_router_find(topology, comma, length - (size_t)(comma - text));
        if (pair[0] != NB_NONE && pair[1] != NB_NONE &&
            topology->terminals[pair[0]] > 0 &&
            topology->terminals[pair[1]] > 0)
            return NB_OK;
    }
    return nb_fail(err, NB_INVALID,
                   "pair \"%.60s\" is not permitted (permitted: A,B, two "
                   "routers from 0 to %zu%s that have terminals)",
                   text, topology->router_count - 1,
                   topology->names != NULL ? ", or their names," : "");
}

void nb_problem_note_hops(struct nb_point *point)
{
    nb_point_add_note(
        point, "hops",
        "mean_hops counts channels between routers; a latency includes one "
        "more hop, the channel to the terminal");
}

void nb_problem_print_router(const struct nb_topology *topology,
                             uint32_t router, struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    nb_text_print(text, "router %u", router);
    if (name != NULL)
        nb_text_print(text, " \"%s\"", name);
}

/* Appends "channel 3, router 0 to router 1". */
static void problem_print_channel(const struct nb_topology *topology,
                                  uint32_t channel, struct nb_text *text)
{
    nb_text_print(text, "channel %u, ", channel);
    nb_problem_print_router(topology, topology->channels[channel].source, text);
    nb_text_print(text, " to ");
    nb_problem_print_router(topology, topology->channels[channel].target, text);
}

void nb_problem_note_channel(const struct nb_problem *problem,
                             struct nb_point *point, const char *name,
                             uint32_t channel)
{
    struct nb_text text = { 0 };
    if (channel >= problem->topology.channel_count)
        return;
    problem_print_channel(&problem->topology, channel, &text);
    nb_point_take_note(point, name, &text);
}

void nb_problem_note_worst(const struct nb_problem *problem,
                           struct nb_point *point)
{
    const struct nb_worst_search *worst = &problem->worst;
    struct nb_text text = { 0 };
    char load[NB_RATIO_TEXT];
    if (worst->is_bounded)
        nb_point_note(
            point, "worst_traffic",
            "a permutation found by search; the scheme's own paths carry at "
            "most %.6g packets/cycle/terminal of it; a worse one may exist",
            worst->bound.upper);
    if (!worst->is_found || worst->channel >= problem->topology.channel_count)
        return;
    problem_print_value(worst->load, load);
    nb_text_print(&text, worst->is_necessary
                             ? "the permutation with the most pairs whose "
                               "shortest paths all cross "
                             : "the permutation that loads a channel of this "
                               "routing the most: ");
    problem_print_channel(&problem->topology, worst->channel, &text);
    nb_text_print(&text,
                  worst->is_necessary
                      ? ", which carries at least %s packets/cycle at "
                        "injection rate 1, however the scheme adapts"
                      : ", with %s packets/cycle at injection rate 1",
                  load);
    nb_point_take_note(point, "worst_traffic", &text);
}
