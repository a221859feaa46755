#include "topology/hosts.h"

#include "core/memory.h"
#include "topology/index.h"

#include <string.h>

/* In place of unlimited bandwidth. */
static const struct nb_ratio hosts_unlimited = { 1000000000, 1 };

/* The kind without what it knows of routers alone. */
static enum nb_status hosts_set_kind(const struct nb_topology *from,
                                     struct nb_topology *out,
                                     struct nb_error *err)
{
    const enum nb_status status =
        nb_new(&out->own_kind, 1, sizeof *out->own_kind, "kind", err);
    if (status != NB_OK)
        return status;
    *out->own_kind = (struct nb_topology_kind){ .kind = from->kind->kind,
                                                .has_own_terminals = true };
    out->kind = out->own_kind;
    return NB_OK;
}

static void hosts_set_channels(const struct nb_topology *from,
                               struct nb_topology *out)
{
    const struct nb_ratio bandwidth =
        nb_ratio_is_known(from->terminal_bandwidth) ? from->terminal_bandwidth
                                                    : hosts_unlimited;
    struct nb_channel *next = out->channels + from->channel_count;
    uint32_t host = (uint32_t)from->router_count;
    memcpy(out->channels, from->channels,
           from->channel_count * sizeof *from->channels);
    for (uint32_t r = 0; r < from->router_count; r++)
        for (uint32_t t = 0; t < from->terminals[r]; t++, host++) {
            out->terminals[host] = 1;
            *next++ = (struct nb_channel){ r, host, bandwidth };
            *next++ = (struct nb_channel){ host, r, bandwidth };
        }
}

static enum nb_status hosts_set_groups(const struct nb_topology *from,
                                       struct nb_topology *out,
                                       struct nb_error *err)
{
    uint32_t host = (uint32_t)from->router_count;
    enum nb_status status = NB_OK;
    if (from->groups.count == 0)
        return NB_OK;
    NB_TRY(nb_groups_reserve(out, from->groups.count, err));
    out->groups.counts_global_first = from->groups.counts_global_first;
    memcpy(out->groups.of, from->groups.of,
           from->router_count * sizeof *from->groups.of);
    for (size_t r = 0; r < from->router_count; r++)
        for (uint32_t t = 0; t < from->terminals[r]; t++)
            out->groups.of[host++] = from->groups.of[r];
    status = nb_groups_finish(out, err);
done:
    return status;
}

/* Takes over what failed; hosts of failed routers do not exist. */
static enum nb_status hosts_set_failures(struct nb_topology *from,
                                         struct nb_topology *out,
                                         struct nb_error *err)
{
    struct nb_failures *failures = &out->failures;
    const size_t n = out->router_count;
    enum nb_status status = NB_OK;
    if (!nb_has_failures(from))
        return NB_OK;
    NB_TRY(nb_new(&failures->terminals, n, sizeof *failures->terminals,
                  "failures", err));
    NB_TRY(nb_new(&failures->is_router, n, sizeof *failures->is_router,
                  "failures", err));
    memcpy(failures->terminals, out->terminals,
           n * sizeof *failures->terminals);
    memcpy(failures->is_router, from->failures.is_router,
           from->router_count * sizeof *failures->is_router);
    failures->link_count = from->failures.link_count;
    failures->router_count = from->failures.router_count;
    failures->host_count = from->failures.host_count;
    failures->link = from->failures.link;
    from->failures.link = NULL;
done:
    return status;
}

enum nb_status nb_hosts_expand(struct nb_topology *topology,
                               struct nb_error *err)
{
    struct nb_topology out = { 0 };
    enum nb_status status;
    NB_TRY(nb_topology_reserve(
        &out, (double)topology->router_count + (double)topology->terminal_count,
        (double)topology->channel_count + 2 * (double)topology->terminal_count,
        err));
    out.terminal_count = topology->terminal_count;
    out.terminal_bandwidth = topology->terminal_bandwidth;
    out.bare_links = topology->bare_links;
    out.listed_links = topology->listed_links;
    out.part = topology->part;
    out.notes = topology->notes;
    topology->notes = NULL;
    out.level = topology->level;
    topology->level = NULL;
    out.first_host = (uint32_t)topology->router_count;
    NB_TRY(hosts_set_kind(topology, &out, err));
    hosts_set_channels(topology, &out);
    NB_TRY(hosts_set_groups(topology, &out, err));
    NB_TRY(nb_topology_index(&out, err));
    NB_TRY(hosts_set_failures(topology, &out, err));
    out.specification = topology->specification;
    topology->specification = (struct nb_specification){ 0 };
    nb_topology_release(topology);
    *topology = out;
    return NB_OK;
done:
    nb_topology_release(&out);
    return status;
}
