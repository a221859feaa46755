/* Builds the network that a specification names (declared in topology.h). */
#include "topology/topology.h"

#include "core/memory.h"
#include "topology/bandwidths.h"
#include "topology/fabric.h"
#include "topology/failures.h"
#include "topology/index.h"
#include "topology/metrics.h"

#include <string.h>

enum { BUILD_LINKS_SAID = 20 }; /* failed links listed in a message */

const struct nb_parameter nb_topology_parameters[] = {
    NB_PARAMETER("terminals", WHOLE, "1", "terminals per router",
                 .detail = "Some kinds set the terminals themselves "
                           "(dragonfly, fattree, megafly, slimfly): see "
                           "netbound help KIND. A file may list its own.",
                 .least = 1, .most = 1e6),
    NB_PARAMETER("bandwidth", NUMBER, "1",
                 "bandwidth of each channel, in packets per cycle; A+B+...: "
                 "per dimension or level",
                 .detail = "One value applies to all channels. If several are "
                           "given, the first applies to dimension 0 of a grid "
                           "or HyperX, or to the channels at the leaves of a "
                           "tree. Units, as in 200Gbps/250B, need --clock.",
                 .is_list = true, .unit = "packets/cycle", .least = 1e-9,
                 .most = 1e9),
    NB_PARAMETER(
        "terminal-bandwidth", WORD, "",
        "bandwidth of the channels between a terminal and its router, or "
        "unlimited",
        .detail = "In packets per cycle. Default: 1; unlimited where no router "
                  "has several terminals, if the network takes the parameter "
                  "terminals or is from a file. A file may set it.",
        .unit = "packets/cycle"),
    NB_PARAMETER(
        "fail", WORD, "none", "failed links and routers, joined by +",
        .detail =
            "0-1: all links between routers 0 and 1, both ways.\n0-1[2]: the "
            "second of them.\nA[1]-B[2]: a cable of a fabric, by its "
            "ports.\nrouter:5: a router.\nrandom:3%, random:4: a share or "
            "number of links, drawn at random.\nglobal:3%, local:3%: the same "
            "among links between groups, or within groups.\nconnected:3%: "
            "links that leave the network connected.\nFor example "
            "torus:8x8,fail=0-1+router:5. fail-seed selects the random links.",
        .accepts = nb_failures_accepts),
    NB_PARAMETER("fail-seed", WHOLE, "1",
                 "seed of random failures; seed means the same if the topology "
                 "has no other seed",
                 .also = "seed", .least = 0, .most = 0x1p53),
    { 0 },
};

const struct nb_kind *nb_topology_kind_at(size_t index)
{
    for (size_t i = 0; nb_topology_kinds[i] != NULL; i++)
        if (i == index)
            return &nb_topology_kinds[i]->kind;
    return NULL;
}

/* Sets the number of terminals from the common parameters, if the kind did
 * not. */
static void build_set_terminals(struct nb_topology *topology)
{
    const uint32_t terminals = topology->kind->has_own_terminals
                                   ? 0
                                   : (uint32_t)nb_specification_whole(
                                         &topology->specification, "terminals");
    bool is_set = false;
    for (size_t r = 0; r < topology->router_count; r++)
        is_set = is_set || topology->terminals[r] > 0;
    topology->terminal_count = 0;
    for (size_t r = 0; r < topology->router_count; r++) {
        if (!is_set)
            topology->terminals[r] = terminals;
        topology->terminal_count += topology->terminals[r];
    }
}

/* The message names the router that is not reached, and the failed links. */
static enum nb_status build_refuse_cut(const struct nb_topology *topology,
                                       uint32_t from, uint32_t to,
                                       struct nb_error *err)
{
    struct nb_text text = { 0 };
    nb_text_print(&text, "router ");
    nb_router_print(topology, to, &text);
    nb_text_print(&text, " is not reached from router ");
    nb_router_print(topology, from, &text);
    if (nb_has_failures(topology)) {
        nb_text_print(&text, " without the failed links ");
        nb_failures_print(topology, BUILD_LINKS_SAID, &text);
    }
    enum nb_status status = nb_text_check(&text, err);
    if (status == NB_OK)
        status =
            nb_fail(err, NB_INVALID,
                    "the network is not strongly connected: %s", text.bytes);
    nb_text_release(&text);
    return status;
}

/* Where packets cross one way, a pair that lost its path might be joined by
 * others through further terminals: its distance is too great. */
static enum nb_status build_find_detour(const struct nb_topology *topology,
                                        uint32_t *from, uint32_t *to,
                                        struct nb_error *err)
{
    const size_t n = topology->router_count;
    const struct nb_ratio most = topology->kind->diameter(topology).value;
    struct nb_pool pool = { 0 };
    uint32_t *distance = nb_pool_array(&pool, n, sizeof *distance);
    uint32_t *queue = nb_pool_array(&pool, n, sizeof *queue);
    const enum nb_status status = nb_pool_check(&pool, "distances", err);
    for (uint32_t d = 0; d < n && status == NB_OK && *from == NB_NONE; d++) {
        if (topology->terminals[d] == 0)
            continue;
        nb_distances_to(topology, d, distance, queue);
        for (uint32_t r = 0; r < n && *from == NB_NONE; r++) {
            if (topology->terminals[r] == 0 || distance[r] <= most.numerator)
                continue;
            *from = r;
            *to = d;
        }
    }
    nb_pool_release(&pool);
    return status;
}

static enum nb_status build_check(const struct nb_topology *topology,
                                  struct nb_error *err)
{
    uint32_t from = NB_NONE, to = NB_NONE;
    enum nb_status status =
        nb_topology_find_unreached(topology, &from, &to, err);
    if (status == NB_OK && from == NB_NONE && topology->kind->is_one_way &&
        nb_has_failures(topology))
        status = build_find_detour(topology, &from, &to, err);
    if (status != NB_OK || from == NB_NONE)
        return status;
    return build_refuse_cut(topology, from, to, err);
}

/* The common parameters of the kind that a specification names. */
static const struct nb_parameter *build_common(const char *specification)
{
    const size_t length = strcspn(specification, ":");
    for (size_t i = 0; nb_topology_kinds[i] != NULL; i++) {
        const struct nb_kind *kind = &nb_topology_kinds[i]->kind;
        if (nb_topology_kinds[i]->has_own_terminals &&
            (nb_word_is_in(kind->name, ' ', specification, length) ||
             nb_word_is_in(kind->aliases, ' ', specification, length)))
            return nb_topology_parameters + 1;
    }
    return nb_topology_parameters;
}

enum nb_status nb_topology_build(const char *specification,
                                 struct nb_topology *out, struct nb_error *err)
{
    size_t index = 0;
    enum nb_status status;
    *out = (struct nb_topology){ 0 };
    NB_TRY(nb_specification_read(specification, "topology", nb_topology_kind_at,
                                 build_common(specification),
                                 &out->specification, &index, err));
    out->kind = nb_topology_kinds[index];
    NB_TRY(out->kind->build(&out->specification, out, err));
    build_set_terminals(out);
    NB_TRY(nb_bandwidths_set(out, err));
    NB_TRY(nb_groups_finish(out, err));
    NB_TRY(nb_topology_index(out, err));
    NB_TRY(nb_failures_apply(out, err));
    NB_TRY(build_check(out, err));
done:
    if (status != NB_OK)
        nb_topology_release(out);
    return nb_fail_in(status, err, "topology");
}

enum nb_status nb_topology_build_intact(const struct nb_topology *topology,
                                        struct nb_topology *out,
                                        struct nb_error *err)
{
    struct nb_specification intact = topology->specification; /* borrows */
    struct nb_text text = { 0 };
    enum nb_status status;
    for (size_t i = 0; i < intact.count; i++) {
        struct nb_setting *setting = &intact.setting[i];
        if (strncmp(setting->parameter->name, "fail", 4) == 0)
            setting->value = (char *)setting->parameter->initial;
    }
    nb_specification_print(&intact, &text);
    NB_TRY(nb_text_check(&text, err));
    NB_TRY(nb_topology_build(text.bytes, out, err));
done:
    nb_text_release(&text);
    return status;
}

void nb_topology_release(struct nb_topology *topology)
{
    nb_specification_release(&topology->specification);
    nb_delete(topology->own_kind);
    nb_delete(topology->channels);
    nb_delete(topology->notes);
    nb_delete(topology->level);
    nb_delete(topology->terminals);
    nb_delete(topology->out_start);
    nb_delete(topology->in_start);
    nb_delete(topology->in_channel);
    nb_delete(topology->in_source);
    nb_delete(topology->out_target);
    nb_delete(topology->grid.channel);
    nb_delete(topology->groups.of);
    nb_delete(topology->groups.start);
    nb_delete(topology->groups.member);
    nb_delete(topology->names);
    nb_delete(topology->name_start);
    nb_fabric_release(topology->fabric);
    if (topology->like != NULL)
        nb_topology_release(topology->like);
    nb_delete(topology->like);
    nb_failures_release(&topology->failures);
    *topology = (struct nb_topology){ 0 };
}
