/* Reports the answer of limits as quantities and tables (declared in
 * limits_question.h). */
#include "questions/limits/limits_question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value as one number: the middle if it is a bracket. */
static double limits_middle(struct nb_enclosure value)
{
    return nb_ratio_is_known(value.exact) ? nb_ratio_value(value.exact)
                                          : value.lower / 2 + value.upper / 2;
}

static struct nb_enclosure
limits_latency_of(const struct nb_limits_answer *answer,
                  const struct nb_limits_case *at)
{
    return nb_limits_latency(at, &answer->delays);
}

/* Adds the least closed form that is only an upper bound, if there is one. */
static void limits_add_bound(const struct nb_limits_answer *answer,
                             struct nb_point *out)
{
    const struct nb_limit *least = NULL;
    for (size_t i = 0; i < answer->limits.count; i++) {
        const struct nb_limit *row = &answer->limits.rows[i];
        if (row->is_bound &&
            (least == NULL || nb_ratio_compare(row->value, least->value) < 0))
            least = row;
    }
    if (least != NULL)
        nb_point_add_exact(out, "bound_throughput_absolute", least->value,
                           "packets/cycle/terminal", "closed form",
                           least->source);
}

/* Adds one scheme on one traffic as quantities, for scripts and ledgers. */
static void limits_add_one(const struct nb_limits_answer *answer,
                           struct nb_point *out)
{
    static const char how[] = "propagation of exact probabilities";
    static const char source[] = "TowlesDally2002, section 2.2";
    static const char model[] = "hops of an unloaded network";
    if (answer->is_adaptive)
        nb_point_add_note(
            out, "adaptive",
            "the scheme is adaptive: its loads depend on the state of the "
            "network, so its limits and latencies are left out");
    if (answer->request.routing == NULL || answer->request.traffic == NULL ||
        answer->is_adaptive)
        return;
    const struct nb_limits_case *at = answer->at[0][0];
    const struct nb_enclosure latency = limits_latency_of(answer, at);
    nb_point_add_enclosure(out, "throughput_absolute", at->throughput,
                           "packets/cycle/terminal", how, source);
    if (nb_ratio_is_known(at->bulk))
        nb_point_add_exact(out, "bulk_throughput_absolute", at->bulk,
                           "packets/cycle/terminal", how,
                           "Benito2020, section 6.1.2.2");
    limits_add_bound(answer, out);
    nb_point_add_enclosure(out, "mean_local_hops", at->hops.local, "hops", how,
                           source);
    nb_point_add_enclosure(out, "mean_global_hops", at->hops.global, "hops",
                           how, source);
    nb_point_add_enclosure(out, "zero_load_latency", latency, "ns", model,
                           "Benito2020, section 3.1.2");
    if (answer->longest[0] != NULL)
        nb_point_add_enclosure(
            out, "latency_of_vlb",
            nb_enclosure_divide(latency,
                                limits_latency_of(answer, answer->longest[0])),
            "1", model, "Benito2020, section 3.1.2");
}

static void resources_add(struct nb_point *out, const char *name,
                          nb_int128 value, const char *unit, const char *method,
                          const char *source)
{
    nb_point_add_exact(out, name, nb_ratio_make(value, 1), unit, method,
                       source);
}

/* The largest number of ports of a router, terminals included. */
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

/* Routers with terminals per group, 0 if groups differ. */
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

/* Adds the entries of a routing table: for groups, for the switches of its own
 * group and for its own terminals; with one for each switch instead of groups;
 * with one for each terminal. */
static void resources_add_tables(const struct nb_topology *topology,
                                 struct nb_point *out)
{
    static const char source[] = "Benito2020, equation 4-1";
    const int64_t groups = topology->groups.count;
    const int64_t switches = resources_switches(topology);
    const int64_t terminals = topology->terminals[0];
    const int64_t most = groups - 1 + switches - 1 + terminals;
    const int64_t least = resources_ports(topology) + switches - 1;
    if (switches == 0 || !nb_has_own_terminals(topology) ||
        topology->failures.router_count > 0)
        return;
    resources_add(out, "routing_table_entries", most, "1",
                  "groups and own switches and own terminals", source);
    resources_add(out, "routing_table_entries_by_switch",
                  groups * switches - 1 + terminals, "1",
                  "other switches and own terminals", source);
    resources_add(out, "routing_table_entries_flat",
                  (nb_int128)topology->terminal_count, "1", "terminals",
                  source);
    if (strcmp(nb_topology_like(topology)->kind->kind.name, "dragonfly") != 0)
        return;
    /* With few groups a router has more ports than entries. */
    const char *how = "at least one for each port and each other switch of the "
                      "group, at most as many as without compaction";
    if (least < most)
        nb_point_add_bracket(out, "routing_table_entries_compact",
                             (double)least, (double)most, "1", how,
                             "Benito2020, section 4.3.2");
    else
        resources_add(out, "routing_table_entries_compact", most, "1", how,
                      "Benito2020, section 4.3.2");
}

/* Rounds up to a whole number. */
static struct nb_enclosure resources_round_up(struct nb_enclosure value)
{
    const nb_int128 p = value.exact.numerator, q = value.exact.denominator;
    if (nb_ratio_is_known(value.exact))
        return nb_enclosure_of_ratio(nb_ratio_make((p + q - 1) / q, 1));
    return nb_enclosure_of_bracket(
        (struct nb_bracket){ ceil(value.lower), ceil(value.upper) });
}

/* Flits of a virtual channel's buffer: those that arrive within some round
 * trips over a channel and through the pipeline behind it, at least one
 * packet. */
static struct nb_enclosure
resources_depth(const struct nb_limits_answer *answer,
                struct nb_enclosure delay, uint32_t trips)
{
    const struct nb_enclosure trip =
        nb_enclosure_add(nb_enclosure_multiply(delay, nb_enclosure_of_whole(2)),
                         answer->delays.pipeline);
    const struct nb_enclosure flits = nb_enclosure_divide(
        nb_enclosure_multiply(trip, nb_enclosure_of_whole(trips)),
        nb_enclosure_of_ratio(answer->request.flit_time));
    return nb_enclosure_most(
        resources_round_up(flits),
        nb_enclosure_of_whole((uint32_t)answer->request.packet));
}

/* Adds flits as a quantity, and as KB if the size of a flit is given. */
static void resources_add_flits(const struct nb_limits_answer *answer,
                                const char *flow, const char *what,
                                const char *where, struct nb_enclosure flits,
                                const char *how, struct nb_point *out)
{
    static const char source[] = "Benito2020, section 2.4";
    char name[64];
    snprintf(name, sizeof name, "%s_%s%s", flow, what, where);
    nb_point_add_enclosure(out, name, flits, "flits", how, source);
    if (!nb_ratio_is_known(answer->request.flit_size))
        return;
    snprintf(name, sizeof name, "%s_%s_size%s", flow, what, where);
    nb_point_add_enclosure(
        out, name,
        nb_enclosure_divide(
            nb_enclosure_multiply(
                flits, nb_enclosure_of_ratio(answer->request.flit_size)),
            nb_enclosure_of_whole(1000)),
        "KB", how, source);
}

/* Adds the buffer of a virtual channel, and of all virtual channels of a port
 * under the first scheme. */
static void resources_add_buffer(const struct nb_limits_answer *answer,
                                 const char *flow, const char *where,
                                 struct nb_enclosure delay, uint32_t trips,
                                 uint32_t channels, struct nb_point *out)
{
    const struct nb_enclosure depth = resources_depth(answer, delay, trips);
    resources_add_flits(answer, flow, "buffer", where, depth,
                        trips == 1 ? "round trip, at least a packet"
                                   : "two round trips, at least a packet",
                        out);
    if (channels > 0)
        resources_add_flits(
            answer, flow, "port_buffer", where,
            nb_enclosure_multiply(depth, nb_enclosure_of_whole(channels)),
            "virtual channels times the buffer of one", out);
}

static void limits_add_resources(const struct nb_limits_answer *answer,
                                 struct nb_point *out)
{
    const struct nb_topology *topology = &answer->topology;
    const bool has_groups = topology->groups.count > 0;
    static const char *const flows[] = { "credit", "on_off" };
    nb_point_add_note(
        out, "buffers",
        nb_ratio_is_known(answer->request.pipeline)
            ? "per virtual channel, with the router's pipeline: with credits, "
              "the flits of one round trip ((2 delay + pipeline) / flit-time); "
              "with on/off, those of two; at least one packet"
            : "per virtual channel, without the router's pipeline (--pipeline "
              "adds it): with credits, the flits of one round trip over the "
              "channel (2 delay / flit-time); with on/off, those of two; at "
              "least one packet");
    resources_add(out, "router_ports", resources_ports(topology), "1",
                  "counting", "");
    if (has_groups) {
        resources_add(out, "groups", topology->groups.count, "1", "counting",
                      "");
        resources_add_tables(topology, out);
    }
    for (uint32_t f = 0; f < 2; f++) {
        resources_add_buffer(answer, flows[f], has_groups ? "_local" : "",
                             answer->delays.local, f + 1,
                             answer->channels[0].local, out);
        if (has_groups)
            resources_add_buffer(answer, flows[f], "_global",
                                 answer->delays.global, f + 1,
                                 answer->channels[0].global, out);
    }
}

static void limits_add_classes(const struct nb_limits_answer *answer,
                               struct nb_point *out)
{
    if (answer->class_count > 0)
        resources_add(out, "classes_needed", answer->class_count, "1",
                      answer->class_rule, answer->class_source);
    else if (*answer->no_classes.message != '\0')
        nb_point_add_note(out, "classes", answer->no_classes.message);
}

/* Explains the letters in formulas. */
static void limits_note_symbols(const struct nb_topology *topology,
                                struct nb_point *out)
{
    if (strcmp(nb_topology_like(topology)->kind->kind.name, "dragonfly") == 0)
        nb_point_add_note(
            out, "formulas",
            "at bandwidth 1, and at most 1, the bandwidth of a terminal's "
            "channel; p terminals and h global channels per router, a routers "
            "per group, G groups; an offset is k h + m, 0 <= m < h; x "
            "= max(h-m, m), x' = max(h-m+1, m), but x = x' = m for k = 0 and "
            "x' = h for m = 0 < k");
    else if (topology->hyperx.dimensions > 0)
        nb_point_add_note(out, "formulas",
                          "at bandwidth 1, and at most 1, the bandwidth of a "
                          "terminal's channel; p terminals per router, k the "
                          "least radix, k_0 the first");
}

static void limits_add_row(const struct nb_limit *row, struct nb_ratio exact,
                           size_t table, struct nb_point *out)
{
    NB_ROW(out, table, row->routing,
           *row->traffic != '\0' ? row->traffic : "worst case",
           row->is_bound                ? "bound"
           : row->link == NB_LIMIT_BULK ? "bulk"
                                        : "value",
           row->value, exact,
           nb_ratio_value(nb_ratio_divide(exact, row->value)), row->formula,
           row->source);
}

const struct nb_table_kind nb_limits_limits_table = {
    .name = "limits",
    .columns = NB_SPELLED(
        "routing:text,traffic:text,kind:text,"
        "limit:ratio [packets/cycle/terminal],"
        "exact:ratio [packets/cycle/terminal],tightness:number,formula:text,"
        "source:text")
};

/* Adds closed forms with exact values. */
static void limits_add_forms(const struct nb_limits_answer *answer,
                             struct nb_point *out)
{
    const size_t table = nb_table_start(out, &nb_limits_limits_table);
    for (size_t i = 0; i < answer->limits.count; i++)
        limits_add_row(&answer->limits.rows[i], answer->exact[i], table, out);
    if (answer->limits.count > 0)
        limits_note_symbols(&answer->topology, out);
}

static void limits_add_case(const struct nb_limits_answer *answer, size_t t,
                            size_t s, size_t table, struct nb_point *out)
{
    const struct nb_limits_case *at = answer->at[t][s];
    const double latency = limits_middle(limits_latency_of(answer, at));
    const double longest =
        answer->longest[t] != NULL
            ? limits_middle(limits_latency_of(answer, answer->longest[t]))
            : NAN;
    NB_ROW(out, table, answer->traffic[t], answer->scheme[s],
           limits_middle(at->hops.local), limits_middle(at->hops.global),
           latency, 1 - latency / longest, limits_middle(at->throughput),
           at->throughput.exact, at->bulk);
}

const struct nb_table_kind nb_limits_latency_table = {
    .name = "latency",
    .columns =
        NB_SPELLED("traffic:text,routing:text,local_hops:number [hops],"
                   "global_hops:number [hops],zero_load_latency:number [ns],"
                   "saving:number,throughput:number [packets/cycle/terminal],"
                   "exact:ratio,bulk:ratio")
};

/* Adds hops and latency of every scheme on every traffic. */
static void limits_add_latency(const struct nb_limits_answer *answer,
                               struct nb_point *out)
{
    if (answer->scheme_count == 0 || answer->traffic_count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_limits_latency_table);
    nb_point_add_note(out, "columns",
                      "saving: latency saved compared with " NB_LIMITS_LONGEST
                      "; bulk: "
                      "throughput by the load that most channels of a kind "
                      "have, ? without groups; tightness: exact over limit");
    if (answer->longest[0] == NULL)
        nb_point_add_note(out, "saving",
                          answer->topology.kind->is_one_way ? NB_LIMITS_LONGEST
                              " would pass through other terminals, so there "
                              "is no latency to compare with"
                                                            : NB_LIMITS_LONGEST
                              " needs a failed link, so there is no latency to "
                              "compare with");
    for (size_t t = 0; t < answer->traffic_count; t++)
        for (size_t s = 0; s < answer->scheme_count; s++)
            limits_add_case(answer, t, s, table, out);
}

/* A scheme for the envelope. */
struct envelope_scheme {
    const char *name;
    struct nb_enclosure throughput; /* [packets/cycle/terminal] */
    struct nb_enclosure latency;    /* [ns] without load */
};

/* Lists all schemes on one traffic. */
static void envelope_list(const struct nb_limits_answer *answer, size_t t,
                          struct envelope_scheme *schemes)
{
    for (size_t s = 0; s < answer->scheme_count; s++)
        schemes[s] = (struct envelope_scheme){
            answer->scheme[s], answer->at[t][s]->throughput,
            limits_latency_of(answer, answer->at[t][s])
        };
}

/* Lists them on the worst traffic, each with its greatest latency over the
 * traffics considered. */
static void envelope_list_worst(const struct nb_limits_answer *answer,
                                struct envelope_scheme *schemes)
{
    envelope_list(answer, 0, schemes);
    for (size_t s = 0; s < answer->scheme_count; s++) {
        for (size_t t = 1; t < answer->traffic_count; t++)
            schemes[s].latency =
                nb_enclosure_most(schemes[s].latency,
                                  limits_latency_of(answer, answer->at[t][s]));
        schemes[s].throughput = answer->worst[s];
    }
}

/* The scheme with the least latency among those that carry more than the load;
 * of two with equal latency the one that carries more. NULL if none does. */
static const struct envelope_scheme *
envelope_next(const struct envelope_scheme *schemes, size_t count,
              struct nb_enclosure load)
{
    const struct envelope_scheme *best = NULL;
    for (size_t s = 0; s < count; s++) {
        const struct envelope_scheme *at = &schemes[s];
        if (nb_enclosure_compare(at->throughput, load) <= 0)
            continue;
        const int order =
            best == NULL ? -1
                         : nb_enclosure_compare(at->latency, best->latency);
        if (order < 0 ||
            (order == 0 &&
             nb_enclosure_compare(at->throughput, best->throughput) > 0))
            best = at;
    }
    return best;
}

static void envelope_add(const char *traffic,
                         const struct envelope_scheme *schemes, size_t count,
                         size_t table, struct nb_point *out)
{
    struct nb_enclosure load = nb_enclosure_of_whole(0);
    const struct envelope_scheme *best;
    while ((best = envelope_next(schemes, count, load)) != NULL) {
        NB_ROW(out, table, traffic, limits_middle(load),
               limits_middle(best->throughput), best->name,
               limits_middle(best->latency));
        load = best->throughput;
    }
}

const struct nb_table_kind nb_limits_envelope_table = {
    .name = "envelope",
    .columns =
        NB_SPELLED("traffic:text,load_from:number [packets/cycle/terminal],"
                   "load_to:number [packets/cycle/terminal],routing:text,"
                   "zero_load_latency:number [ns]")
};

/* Adds the scheme of least latency for each load of each traffic, and of the
 * worst case if requested. */
static void limits_add_envelope(const struct nb_limits_answer *answer,
                                struct nb_point *out)
{
    const size_t count = answer->scheme_count;
    struct envelope_scheme schemes[NB_LIMITS_NAMES];
    if (count < 2 || answer->traffic_count == 0)
        return;
    const size_t table = nb_table_start(out, &nb_limits_envelope_table);
    for (size_t t = 0; t < answer->traffic_count; t++) {
        envelope_list(answer, t, schemes);
        envelope_add(answer->traffic[t], schemes, count, table, out);
    }
    if (answer->request.worst_case) {
        envelope_list_worst(answer, schemes);
        envelope_add("worst case", schemes, count, table, out);
    }
}

/* Flits of all virtual channels of a port, with credits. */
static double limits_port_flits(const struct nb_limits_answer *answer,
                                struct nb_enclosure delay, uint32_t channels)
{
    return channels * limits_middle(resources_depth(answer, delay, 1));
}

/* Adds the virtual channels of a scheme, the buffers that they need at a port
 * and, if requested, its worst case. */
static void limits_add_policy(const struct nb_limits_answer *answer, size_t s,
                              size_t table, struct nb_point *out)
{
    const struct nb_vc_need *need = &answer->channels[s];
    const struct nb_enclosure worst = answer->worst[s];
    NB_ROW(out, table, answer->scheme[s], need->local, need->global, need->rule,
           limits_port_flits(answer, answer->delays.local, need->local),
           limits_port_flits(answer, answer->delays.global, need->global));
    if (!answer->request.worst_case)
        return;
    NB_ROW(out, table, limits_middle(worst), worst.exact);
    if (answer->request.routing != NULL)
        nb_point_add_enclosure(out, "worst_case_throughput_absolute", worst,
                               "packets/cycle/terminal",
                               "maximum-weight matching",
                               "TowlesDally2002, Theorem 2");
}

/* Adds virtual channels for the one scheme asked for, adaptive or not, or for
 * the network's own. */
static void limits_add_channels(const struct nb_limits_answer *answer,
                                struct nb_point *out)
{
    static const struct {
        const char *rule, *how;
    } rules[] = {
        { "place", "index by the place of the hop" },
        { "hop", "index by the number of the hop" },
        { "phase", "one for each phase, up and down" },
        { "dimension", "dimension order" },
        { "star", "star channels" },
        { "layer", "one for each layer of pairs" },
    };
    const struct nb_vc_need *need = &answer->channels[0];
    size_t i = 0;
    while (strcmp(rules[i].rule, need->rule) != 0)
        i++;
    resources_add(out, "local_virtual_channels", need->local, "1", rules[i].how,
                  need->source);
    resources_add(out, "global_virtual_channels", need->global, "1",
                  rules[i].how, need->source);
}

const struct nb_table_kind nb_limits_policies_table = {
    .name = "policies",
    .columns = NB_SPELLED(
        "routing:text,local_virtual_channels,global_virtual_channels,"
        "index:text,local_port_buffer:number [flits],"
        "global_port_buffer:number [flits],"
        "worst_case?:number [packets/cycle/terminal],exact?:ratio")
};

static void limits_add_policies(const struct nb_limits_answer *answer,
                                struct nb_point *out)
{
    if (answer->scheme_count == 0)
        return;
    limits_add_channels(answer, out);
    const size_t table = nb_table_start_as(
        out, &nb_limits_policies_table,
        (struct nb_table_variant){ .without = answer->request.worst_case
                                                  ? NULL
                                                  : "worst_case exact" });
    nb_point_add_note(
        out, "virtual_channels",
        "the number that prevents deadlock; column index says which one a hop "
        "takes. place: that of its place in the route (in each phase, the "
        "local hops before the global one, then those after it); hop: that of "
        "its number in the route; phase: one for each phase, up and down a "
        "tree; dimension: in dimension order, one for each level and phase, or "
        "two with wrap-around channels. The quantities are those of the first "
        "scheme");
    if (answer->topology.hyperx.dimensions > 1)
        nb_point_add_note(
            out, "dimension_order",
            "on a hyperx, only dor keeps to dimension order, which needs one "
            "virtual channel per phase; min, and each phase of vlb and rvlb, "
            "takes any shortest path and so needs one for each hop or place");
    nb_point_add_note(out, "port_buffers",
                      "the number of virtual channels times the buffer of "
                      "each; the table assumes credits");
    for (size_t s = 0; s < answer->scheme_count; s++)
        limits_add_policy(answer, s, table, out);
}

const struct nb_table_kind nb_limits_intermediate_local_table = {
    .name = "intermediate_local",
    .columns =
        NB_SPELLED("traffic:text,routing:text,displacement,"
                   "intermediate:ratio [packets/cycle],"
                   "with_ends:ratio [packets/cycle],bulk:ratio [packets/cycle],"
                   "most:ratio [packets/cycle]")
};

static void limits_add_intermediate(const struct nb_limits_answer *answer,
                                    struct nb_point *out)
{
    if (!answer->has_intermediate)
        return;
    const size_t table =
        nb_table_start(out, &nb_limits_intermediate_local_table);
    for (size_t i = 0; i < answer->intermediate_count; i++) {
        const struct nb_limits_intermediate *row = &answer->intermediate[i];
        NB_ROW(out, table, row->traffic, row->routing, row->displacement,
               row->load, row->with_ends, row->bulk, row->most);
    }
}

void nb_limits_add_answer(const struct nb_limits_answer *answer,
                          struct nb_point *out)
{
    if (!answer->is_sized)
        limits_add_one(answer, out);
    limits_add_resources(answer, out);
    if (answer->is_sized)
        return;
    limits_add_classes(answer, out);
    limits_add_forms(answer, out);
    limits_add_latency(answer, out);
    limits_add_envelope(answer, out);
    nb_limits_report_adaptive(answer, out);
    if (answer->is_adaptive)
        limits_add_channels(answer, out);
    limits_add_policies(answer, out);
    limits_add_intermediate(answer, out);
}
