/* netbound power: what the routers of a network consume. */
#include "questions/problem.h"

#include "core/try.h"

#include <stdio.h>
#include <string.h>

static const struct nb_parameter power_options[] = {
    { .name = "topology",
      .help = "the network, such as dragonfly:h=6 (see: netbound list "
              "topologies); or else --routers and --terminals",
      .type = NB_WORD,
      .initial = "" },
    { .name = "routers",
      .help = "routers of a network that no topology describes",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e9 },
    { .name = "terminals",
      .help = "its terminals",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e12 },
    { .name = "ports",
      .help = "ports in use of every router, terminals' among them; those "
              "that the topology has unless given",
      .type = NB_WHOLE,
      .initial = "",
      .least = 1,
      .most = 1e6 },
    { .name = "optical-port",
      .help = "W of a port to another router",
      .type = NB_NUMBER,
      .initial = "0.6",
      .most = 1e6 },
    { .name = "electrical-port",
      .help = "W of a port to a terminal",
      .type = NB_NUMBER,
      .initial = "0.48",
      .most = 1e6 },
    { .name = "logic",
      .help = "W of a router's processor and logic",
      .type = NB_NUMBER,
      .initial = "30",
      .most = 1e6 },
    { .name = "forwarding-table",
      .help = "W of a router's forwarding table",
      .type = NB_NUMBER,
      .initial = "0",
      .most = 1e6 },
    { .name = "port-rate",
      .help = "Gbps that each port receives",
      .type = NB_NUMBER,
      .initial = "40",
      .most = 1e6 },
    { .name = "packet-size",
      .help = "bytes of a packet",
      .type = NB_NUMBER,
      .initial = "64",
      .least = 1,
      .most = 1e9 },
    { .name = "write-energy",
      .help = "nJ to write a packet into a buffer",
      .type = NB_NUMBER,
      .initial = "4.4993",
      .most = 1e6 },
    { .name = "read-energy",
      .help = "nJ to read it again",
      .type = NB_NUMBER,
      .initial = "4.5048",
      .most = 1e6 },
    { 0 },
};

static const char power_source[] = "Benito2020, section 4.7.2";

/* What a network has, in all. */
struct power_counts {
    int64_t routers, terminals, ports;
};

static enum nb_status power_whole(const struct nb_model *model,
                                  const char *name, int64_t *out,
                                  struct nb_error *err)
{
    const char *text = nb_model_get(model, name);
    return text == NULL
               ? NB_OK
               : nb_integer_read(text, name, 1, 1000000000000, out, err);
}

static enum nb_status power_count_topology(const char *name,
                                           struct power_counts *out,
                                           struct nb_error *err)
{
    struct nb_topology topology = { 0 };
    const enum nb_status status = nb_topology_build(name, &topology, err);
    if (status == NB_OK)
        *out = (struct power_counts){
            .routers = (int64_t)topology.router_count,
            .terminals = (int64_t)topology.terminal_count,
            .ports =
                (int64_t)(topology.channel_count + topology.terminal_count),
        };
    nb_topology_release(&topology);
    return status;
}

static enum nb_status power_count(const struct nb_model *model,
                                  struct power_counts *out,
                                  struct nb_error *err)
{
    const char *topology = nb_model_get(model, "topology");
    const char *routers = nb_model_get(model, "routers");
    const char *terminals = nb_model_get(model, "terminals");
    const char *ports = nb_model_get(model, "ports");
    int64_t each = 0;
    enum nb_status status = NB_OK;
    if (topology != NULL && (routers != NULL || terminals != NULL))
        return nb_fail(err, NB_USAGE,
                       "--topology %.60s has routers and terminals of its own "
                       "(permitted: it, or --routers and --terminals)",
                       topology);
    if (topology == NULL &&
        (routers == NULL || terminals == NULL || ports == NULL))
        return nb_fail(err, NB_USAGE,
                       "power needs --topology (such as dragonfly:h=6), or "
                       "--routers, --terminals and --ports");
    if (topology != NULL)
        NB_TRY(power_count_topology(topology, out, err));
    NB_TRY(power_whole(model, "routers", &out->routers, err));
    NB_TRY(power_whole(model, "terminals", &out->terminals, err));
    NB_TRY(power_whole(model, "ports", &each, err));
    const int64_t used = out->ports;
    if (each > 0)
        out->ports = each * out->routers;
    if (out->ports < used || out->ports < out->terminals)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "%s ports are not permitted (permitted: as many as the "
                       "routers use, %.6g each on average)",
                       ports,
                       (double)(used > out->terminals ? used : out->terminals) /
                           (double)out->routers));
done:
    return status;
}

/* An option's number. */
static struct nb_enclosure power_of(const struct nb_model *model,
                                    const char *name)
{
    struct nb_ratio value = nb_ratio_zero;
    nb_ratio_read(nb_model_get(model, name), &value, NULL); /* was checked */
    return nb_enclosure_of_ratio(value);
}

static struct nb_enclosure power_whole_of(int64_t value)
{
    return nb_enclosure_of_ratio(nb_ratio_make(value, 1));
}

static void power_add(struct nb_point *out, const char *name,
                      struct nb_enclosure value, const char *unit)
{
    nb_point_add_enclosure(out, name, value, unit, "counting", power_source);
}

/* The parts of the mean router, and the whole. */
static void power_add_parts(const struct nb_model *model,
                            const struct power_counts *counts,
                            struct nb_point *out)
{
    const struct nb_enclosure routers = power_whole_of(counts->routers);
    const struct nb_enclosure million = nb_enclosure_of_whole(1000000);
    const struct nb_enclosure ports = nb_enclosure_divide(
        nb_enclosure_add(
            nb_enclosure_multiply(power_whole_of(counts->terminals),
                                  power_of(model, "electrical-port")),
            nb_enclosure_multiply(
                power_whole_of(counts->ports - counts->terminals),
                power_of(model, "optical-port"))),
        routers);
    /* Gbps over bits are packets in a nanosecond, and nJ of each of them W. */
    const struct nb_enclosure rate = nb_enclosure_divide(
        nb_enclosure_multiply(
            nb_enclosure_divide(power_whole_of(counts->ports), routers),
            power_of(model, "port-rate")),
        nb_enclosure_multiply(power_of(model, "packet-size"),
                              nb_enclosure_of_whole(8)));
    const struct nb_enclosure buffers = nb_enclosure_multiply(
        rate, nb_enclosure_add(power_of(model, "read-energy"),
                               power_of(model, "write-energy")));
    const struct nb_enclosure table = power_of(model, "forwarding-table");
    const struct nb_enclosure sum =
        nb_enclosure_add(nb_enclosure_add(ports, buffers),
                         nb_enclosure_add(table, power_of(model, "logic")));
    const struct nb_enclosure all = nb_enclosure_multiply(sum, routers);
    power_add(out, "packet_rate", rate, "packets/ns");
    power_add(out, "port_power", ports, "W");
    power_add(out, "buffer_power", buffers, "W");
    power_add(out, "table_power", table, "W");
    power_add(out, "router_power", sum, "W");
    power_add(
        out, "network_table_power",
        nb_enclosure_divide(nb_enclosure_multiply(table, routers), million),
        "MW");
    power_add(out, "network_power", nb_enclosure_divide(all, million), "MW");
    power_add(out, "power_per_terminal",
              nb_enclosure_divide(all, power_whole_of(counts->terminals)), "W");
}

static enum nb_status power_answer(const struct nb_question *question,
                                   struct nb_point *out, struct nb_error *err)
{
    struct power_counts counts = { 0 };
    const enum nb_status status = power_count(question->model, &counts, err);
    if (status != NB_OK)
        return status;
    power_add(out, "routers", power_whole_of(counts.routers), "1");
    power_add(out, "terminals", power_whole_of(counts.terminals), "1");
    power_add(out, "ports", power_whole_of(counts.ports), "1");
    power_add_parts(question->model, &counts, out);
    nb_point_add_note(out, "worst_case",
                      "every port in use receives packets of this size without "
                      "a pause, and each is written into one buffer and read "
                      "from it");
    return NB_OK;
}

const struct nb_question_kind nb_question_kind_power = {
    .form = {
        .name = "power",
        .summary = "what the routers of a network consume: ports, buffers, tables "
                   "and logic",
        .example = "netbound power --topology dragonfly:h=6 --forwarding-table 25",
        .options = power_options,
        .tables = "",
    },
    .answer = power_answer,
};
