#include "topology/topology.h"

#include "core/locale.h"
#include "core/memory.h"
#include "topology/index.h"

#include <inttypes.h>
#include <string.h>

/* Peak allocation while a network of this size is built. */
static double topology_bytes(const struct nb_topology *topology,
                             double router_count, double channel_count)
{
    const double per_router =
        sizeof *topology->terminals + sizeof *topology->out_start +
        sizeof *topology->in_start + 3 * sizeof(uint32_t) /* for the search */ +
        (double)topology->grid.dimensions * 2 * sizeof(uint32_t);
    const double per_channel =
        sizeof *topology->channels + sizeof *topology->in_channel +
        sizeof *topology->in_source + sizeof *topology->out_target;
    const double sorting = sizeof *topology->channels + sizeof(uint32_t);
    return router_count * per_router + channel_count * (per_channel + sorting);
}

static _Thread_local double topology_most; /* channels; 0: any number */

double nb_topology_limit(double most)
{
    const double before = topology_most;
    topology_most = most;
    return before;
}

enum nb_status nb_topology_require(const struct nb_topology *topology,
                                   double router_count, double channel_count,
                                   struct nb_error *err)
{
    char what[96];
    nb_snprintf(what, sizeof what,
                "a network of %.10g routers and %.10g channels", router_count,
                channel_count);
    enum nb_status status;
    if (topology_most > 0 && channel_count > topology_most)
        return nb_fail(err, NB_OVERFLOW,
                       "%s is not permitted (permitted here: %.10g channels; "
                       "in a search with a range, any number)",
                       what, topology_most);
    NB_TRY(nb_memory_require(
        topology_bytes(topology, router_count, channel_count), what, err));
    const bool in_range = router_count >= 1 && router_count < NB_NONE &&
                          channel_count >= 0 && channel_count < NB_NONE;
    if (!in_range)
        return nb_fail(err, NB_INVALID,
                       "%s is not permitted (permitted: from 1 router to "
                       "%" PRIu32 " routers and that many channels)",
                       what, NB_NONE - 1);
done:
    return status;
}

enum nb_status nb_topology_reserve(struct nb_topology *out, double router_count,
                                   double channel_count, struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_topology_require(out, router_count, channel_count, err));
    out->router_count = (size_t)router_count;
    out->channel_count = (size_t)channel_count;
    NB_TRY(nb_new(&out->channels, out->channel_count, sizeof *out->channels,
                  "channels", err));
    NB_TRY(nb_new(&out->terminals, out->router_count, sizeof *out->terminals,
                  "terminals", err));
done:
    return status;
}

enum nb_status nb_groups_reserve(struct nb_topology *out, uint32_t count,
                                 struct nb_error *err)
{
    out->groups.count = count;
    return nb_new(&out->groups.of, out->router_count, sizeof *out->groups.of,
                  "groups", err);
}

enum nb_status nb_groups_finish(struct nb_topology *out, struct nb_error *err)
{
    struct nb_groups *groups = &out->groups;
    const size_t router_count = out->router_count;
    enum nb_status status = NB_OK;
    if (groups->count == 0)
        return NB_OK;
    NB_TRY(nb_new(&groups->start, (size_t)groups->count + 1, sizeof(uint32_t),
                  "groups", err));
    NB_TRY(
        nb_new(&groups->member, router_count, sizeof(uint32_t), "groups", err));
    nb_index_by(groups->of, sizeof *groups->of, router_count, groups->count,
                groups->start, groups->member);
done:
    return status;
}

/* The first of a router's channels to a target; out_start[router + 1] if there
 * is none. */
static uint32_t topology_find_target(const struct nb_topology *topology,
                                     uint32_t router, uint32_t target)
{
    uint32_t low = topology->out_start[router];
    const uint32_t last = topology->out_start[router + 1];
    for (uint32_t end = last; topology->targets_ascend && low < end;) {
        const uint32_t middle = low + (end - low) / 2;
        if (topology->channels[middle].target < target)
            low = middle + 1;
        else
            end = middle;
    }
    while (low < last && topology->channels[low].target != target)
        low++;
    return low;
}

uint32_t nb_channel_find(const struct nb_topology *topology, uint32_t source,
                         uint32_t target, uint32_t rank)
{
    if (source >= topology->router_count)
        return NB_NONE;
    const uint32_t last = topology->out_start[source + 1];
    for (uint32_t c = topology_find_target(topology, source, target); c < last;
         c++)
        if (topology->channels[c].target == target && rank-- == 0)
            return c;
    return NB_NONE;
}

uint32_t nb_channel_rank(const struct nb_topology *topology, uint32_t channel)
{
    const struct nb_channel *at = &topology->channels[channel];
    uint32_t rank = 0;
    for (uint32_t c = topology_find_target(topology, at->source, at->target);
         c < channel; c++)
        rank += topology->channels[c].target == at->target;
    return rank;
}

uint32_t nb_channel_alike(const struct nb_topology *topology, uint32_t channel,
                          uint32_t source, uint32_t target)
{
    const uint32_t alike = nb_channel_find(topology, source, target,
                                           nb_channel_rank(topology, channel));
    const bool has_bandwidth =
        alike != NB_NONE &&
        nb_ratio_compare(topology->channels[alike].bandwidth,
                         topology->channels[channel].bandwidth) == 0;
    return has_bandwidth ? alike : NB_NONE;
}

const char *nb_router_name(const struct nb_topology *topology, uint32_t router)
{
    return topology->names != NULL && router < topology->router_count
               ? topology->names + topology->name_start[router]
               : NULL;
}

uint32_t nb_router_find(const struct nb_topology *topology, const char *text,
                        size_t length)
{
    char digits[16] = "";
    int64_t number;
    for (uint32_t r = 0; topology->names != NULL && r < topology->router_count;
         r++) {
        const char *name = nb_router_name(topology, r);
        if (strncmp(name, text, length) == 0 && name[length] == '\0')
            return r;
    }
    if (length < sizeof digits)
        memcpy(digits, text, length);
    return nb_integer_read(digits, "router", 0,
                           (int64_t)topology->router_count - 1, &number,
                           NULL) == NB_OK
               ? (uint32_t)number
               : NB_NONE;
}

void nb_router_print(const struct nb_topology *topology, uint32_t router,
                     struct nb_text *text)
{
    const char *name = nb_router_name(topology, router);
    if (name != NULL)
        nb_text_add(text, name, strlen(name));
    else
        nb_text_print(text, "%" PRIu32, router);
}

enum nb_status nb_topology_check(const struct nb_topology *topology,
                                 struct nb_error *err)
{
    if (topology != NULL && topology->kind != NULL &&
        topology->router_count > 0)
        return NB_OK;
    return nb_fail(err, NB_INVALID,
                   "a network of 0 routers (permitted: one that "
                   "nb_topology_build made)");
}

bool nb_topology_is_regular(const struct nb_topology *topology)
{
    if (topology->channel_count == 0 || nb_has_failures(topology))
        return false;
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    for (size_t r = 1; r < topology->router_count; r++)
        if (!nb_has_own_terminals(topology) &&
            topology->terminals[r] != topology->terminals[0])
            return false;
    for (size_t c = 1; c < topology->channel_count; c++)
        if (nb_ratio_compare(topology->channels[c].bandwidth, bandwidth) != 0)
            return false;
    return true;
}

enum nb_status nb_terminals_list(const struct nb_topology *topology,
                                 uint32_t **router, struct nb_error *err)
{
    uint32_t next = 0;
    const enum nb_status status = nb_new(router, topology->terminal_count,
                                         sizeof **router, "terminals", err);
    for (size_t r = 0; r < topology->router_count && status == NB_OK; r++)
        for (uint32_t t = 0; t < topology->terminals[r]; t++)
            (*router)[next++] = (uint32_t)r;
    return status;
}

struct nb_ratio nb_terminal_limit(const struct nb_topology *topology,
                                  struct nb_ratio most)
{
    return nb_ratio_is_known(topology->terminal_bandwidth)
               ? nb_ratio_divide(topology->terminal_bandwidth, most)
               : nb_ratio_infinity;
}
