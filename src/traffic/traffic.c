#include "traffic/traffic.h"

#include "core/memory.h"

#include <inttypes.h>

/* Below this, a denominator times the terminals of a router fits 127 bits. */
static const uint64_t traffic_limit = (uint64_t)1 << 62;

enum nb_status nb_traffic_add(struct nb_traffic *traffic, uint32_t source,
                              uint32_t target, uint64_t weight,
                              struct nb_error *err)
{
    if (weight == 0)
        return NB_OK;
    const enum nb_status status = nb_reserve(
        &traffic->demands, &traffic->demand_capacity, traffic->demand_count + 1,
        sizeof *traffic->demands, "demands", err);
    if (status != NB_OK)
        return status;
    traffic->demands[traffic->demand_count++] =
        (struct nb_demand){ source, target, weight };
    return NB_OK;
}

enum nb_status nb_traffic_add_single(struct nb_traffic *traffic,
                                     uint32_t source, uint32_t target,
                                     uint64_t weight, struct nb_error *err)
{
    struct nb_demands *singles = &traffic->singles;
    if (weight == 0)
        return NB_OK;
    const enum nb_status status =
        nb_reserve(&singles->entry, &singles->capacity, singles->count + 1,
                   sizeof *singles->entry, "demands of terminals", err);
    if (status != NB_OK)
        return status;
    singles->entry[singles->count++] =
        (struct nb_demand){ source, target, weight };
    return NB_OK;
}

static enum nb_status traffic_fail_scale(const struct nb_traffic *traffic,
                                         struct nb_error *err)
{
    return nb_fail(
        err, NB_OVERFLOW,
        "traffic %s: the rates' common denominator does not fit in 62 bits; "
        "take shares with smaller denominators",
        traffic->specification.kind->name);
}

enum nb_status nb_traffic_scale(const struct nb_traffic *traffic,
                                uint64_t *value, uint64_t factor,
                                struct nb_error *err)
{
    return __builtin_mul_overflow(*value, factor, value)
               ? traffic_fail_scale(traffic, err)
               : NB_OK;
}

/* The place of a demand of a built traffic; demand_count if it has none. */
static size_t traffic_find(const struct nb_traffic *traffic, uint32_t source,
                           uint32_t target)
{
    if (target >= traffic->router_count)
        return traffic->demand_count;
    size_t low = traffic->column_start[target];
    size_t end = traffic->column_start[target + 1];
    while (low < end) {
        const size_t middle = low + (end - low) / 2;
        const struct nb_demand *demand = &traffic->demands[middle];
        if (demand->source == source)
            return middle;
        if (demand->source < source)
            low = middle + 1;
        else
            end = middle;
    }
    return traffic->demand_count;
}

void nb_traffic_rest(const struct nb_traffic *traffic,
                     const uint32_t *terminal_router, uint64_t *rest)
{
    for (size_t d = 0; d < traffic->demand_count; d++)
        rest[d] = traffic->demands[d].weight;
    for (size_t d = 0; d < traffic->singles.count; d++) {
        const struct nb_demand *single = &traffic->singles.entry[d];
        rest[traffic_find(traffic, terminal_router[single->source],
                          terminal_router[single->target])] -= single->weight;
    }
}

enum nb_status nb_traffic_add_matrix(const struct nb_traffic_request *request,
                                     const struct nb_traffic *part,
                                     uint64_t scale, struct nb_traffic *traffic,
                                     struct nb_error *err)
{
    uint64_t background = part->background, *rest = NULL;
    uint32_t *router = NULL;
    enum nb_status status;
    NB_TRY(nb_traffic_scale(traffic, &background, scale, err));
    traffic->omits_self |= part->omits_self;
    if (__builtin_add_overflow(traffic->background, background,
                               &traffic->background))
        NB_TRY(traffic_fail_scale(traffic, err));
    NB_TRY(nb_new(&rest, part->demand_count, sizeof *rest, "demands", err));
    NB_TRY(nb_terminals_list(request->topology, &router, err));
    nb_traffic_rest(part, router, rest);
    for (size_t d = 0; d < part->demand_count; d++) {
        NB_TRY(nb_traffic_scale(traffic, &rest[d], scale, err));
        NB_TRY(nb_traffic_add(traffic, part->demands[d].source,
                              part->demands[d].target, rest[d], err));
    }
    for (size_t d = 0; d < part->singles.count; d++) {
        struct nb_demand single = part->singles.entry[d];
        NB_TRY(nb_traffic_scale(traffic, &single.weight, scale, err));
        NB_TRY(nb_traffic_add_single(traffic, single.source, single.target,
                                     single.weight, err));
    }
done:
    nb_delete(rest);
    nb_delete(router);
    return status;
}

enum nb_status nb_traffic_add_map(const struct nb_traffic_request *request,
                                  const uint32_t *map, struct nb_traffic *out,
                                  struct nb_error *err)
{
    const uint32_t *terminals = request->topology->terminals;
    enum nb_status status = NB_OK;
    out->denominator = 1;
    for (size_t i = 0; i < request->endpoint_count && status == NB_OK; i++) {
        const uint32_t source = request->endpoint[i];
        const uint32_t target = request->endpoint[map[i]];
        if (terminals[source] != terminals[target])
            return nb_fail(err, NB_INVALID,
                           "traffic %s joins router %" PRIu32 " of %" PRIu32
                           " terminals with router %" PRIu32 " of %" PRIu32
                           " (permitted: equal numbers)",
                           request->specification->kind->name, source,
                           terminals[source], target, terminals[target]);
        status = nb_traffic_add(out, source, target, terminals[source], err);
    }
    return status;
}

enum nb_status
nb_traffic_add_terminal_map(const struct nb_traffic_request *request,
                            const uint32_t *map, struct nb_traffic *out,
                            struct nb_error *err)
{
    enum nb_status status = NB_OK;
    out->denominator = 1;
    for (uint32_t t = 0;
         t < request->topology->terminal_count && status == NB_OK; t++)
        status = nb_traffic_add_single(out, t, map[t], 1, err);
    return status;
}

static uint32_t traffic_key(const struct nb_demand *demand, bool by_target)
{
    return by_target ? demand->target : demand->source;
}

/* A stable counting sort; start [router_count + 1] is scratch. */
static void traffic_distribute(const struct nb_demand *from, size_t count,
                               bool by_target, size_t router_count,
                               size_t *start, struct nb_demand *to)
{
    for (size_t r = 0; r <= router_count; r++)
        start[r] = 0;
    for (size_t i = 0; i < count; i++)
        start[traffic_key(&from[i], by_target) + 1]++;
    for (size_t r = 0; r < router_count; r++)
        start[r + 1] += start[r];
    for (size_t i = 0; i < count; i++)
        to[start[traffic_key(&from[i], by_target)]++] = from[i];
}

/* Sorts by target, then source, or by source, then target. start [count of
 * routers or terminals + 1] is scratch. */
static enum nb_status traffic_sort(struct nb_demand *demands, size_t count,
                                   bool by_target, size_t ends, size_t *start,
                                   struct nb_error *err)
{
    struct nb_demand *scratch = NULL;
    enum nb_status status;
    NB_TRY(nb_new(&scratch, count, sizeof *scratch, "demands", err));
    traffic_distribute(demands, count, !by_target, ends, start, scratch);
    traffic_distribute(scratch, count, by_target, ends, start, demands);
done:
    nb_delete(scratch);
    return status;
}

/* Whether the sorted singles from one terminal are those from another, and all
 * terminals of a router get the same from it. */
static bool traffic_is_even_row(const struct nb_demands *singles,
                                const struct nb_topology *topology,
                                const uint32_t *router, size_t at, size_t end,
                                size_t first)
{
    const struct nb_demand *entry = singles->entry;
    for (size_t d = at; d < end;) {
        const uint32_t target = router[entry[d].target];
        const uint32_t count = topology->terminals[target];
        const uint32_t from = entry[d].target;
        if (d + count > end || (from > 0 && router[from - 1] == target))
            return false;
        for (uint32_t u = 0; u < count; u++, d++)
            if (entry[d].target != from + u ||
                entry[d].weight != entry[d - u].weight ||
                entry[d].target != entry[first + d - at].target ||
                entry[d].weight != entry[first + d - at].weight)
                return false;
    }
    return true;
}

/* Whether terminals of a router do not differ, by the sorted singles. */
static bool traffic_is_even(const struct nb_demands *singles,
                            const struct nb_topology *topology,
                            const uint32_t *router)
{
    const struct nb_demand *entry = singles->entry;
    size_t first = 0, length = 0, terminals = 0;
    for (size_t at = 0, end; at < singles->count; at = end) {
        const uint32_t source = entry[at].source;
        const uint32_t own = router[source];
        const bool begins = at == 0 || router[entry[at - 1].source] != own;
        end = at;
        while (end < singles->count && entry[end].source == source)
            end++;
        if (begins) {
            if (at > 0 &&
                terminals != topology->terminals[router[entry[at - 1].source]])
                return false;
            first = at;
            length = end - at;
            terminals = 0;
        }
        terminals++;
        if (end - at != length ||
            !traffic_is_even_row(singles, topology, router, at, end, first))
            return false;
    }
    return terminals ==
           topology->terminals[router[entry[singles->count - 1].source]];
}

enum nb_status nb_traffic_collect(struct nb_traffic *traffic,
                                  const struct nb_topology *topology,
                                  struct nb_error *err)
{
    struct nb_demands *singles = &traffic->singles;
    uint32_t *router = NULL;
    size_t *start = NULL;
    enum nb_status status = NB_OK;
    if (singles->count == 0)
        return NB_OK;
    NB_TRY(nb_terminals_list(topology, &router, err));
    NB_TRY(nb_new(&start, topology->terminal_count + 1, sizeof *start,
                  "terminals", err));
    NB_TRY(traffic_sort(singles->entry, singles->count, false,
                        topology->terminal_count, start, err));
    for (size_t d = 0; d < singles->count; d++)
        NB_TRY(nb_traffic_add(traffic, router[singles->entry[d].source],
                              router[singles->entry[d].target],
                              singles->entry[d].weight, err));
    if (traffic_is_even(singles, topology, router))
        singles->count = 0;
done:
    nb_delete(router);
    nb_delete(start);
    return status;
}

/* The sum of the demands of one pair, which are consecutive. */
static nb_uint128 traffic_sum(const struct nb_demand *demands, size_t count,
                              size_t *next)
{
    const struct nb_demand *first = &demands[*next];
    nb_uint128 sum = 0;
    for (; *next < count; ++*next) {
        const struct nb_demand *demand = &demands[*next];
        if (demand->source != first->source || demand->target != first->target)
            break;
        sum += demand->weight;
    }
    return sum;
}

/* Adds up the demands of each pair, which are sorted, over the least common
 * denominator. A sum may need more bits than its reduced form. */
static enum nb_status traffic_add_up(const struct nb_traffic *traffic,
                                     uint64_t common, const char *what,
                                     struct nb_demand *demands, size_t *count,
                                     struct nb_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count;) {
        const struct nb_demand pair = demands[i];
        const nb_uint128 weight = traffic_sum(demands, *count, &i) / common;
        if (weight >> 64 != 0)
            return nb_fail(err, NB_OVERFLOW,
                           "traffic %s: the rate from %s %" PRIu32
                           " to %s %" PRIu32
                           " over the common denominator %" PRIu64
                           " does not fit in 64 bits (permitted: below 2^64)",
                           traffic->specification.kind->name, what, pair.source,
                           what, pair.target, traffic->denominator);
        demands[kept++] =
            (struct nb_demand){ pair.source, pair.target, (uint64_t)weight };
    }
    *count = kept;
    return NB_OK;
}

static uint64_t traffic_common(uint64_t common, const struct nb_demand *demands,
                               size_t count)
{
    for (size_t i = 0; i < count && common != 1;)
        common = nb_gcd(common,
                        (uint64_t)(traffic_sum(demands, count, &i) % common));
    return common;
}

static enum nb_status traffic_merge(struct nb_traffic *traffic,
                                    struct nb_error *err)
{
    struct nb_demands *singles = &traffic->singles;
    uint64_t common = nb_gcd(traffic->denominator, traffic->background);
    enum nb_status status;
    common = traffic_common(common, traffic->demands, traffic->demand_count);
    common = traffic_common(common, singles->entry, singles->count);
    traffic->denominator /= common;
    traffic->background /= common;
    if (traffic->denominator >= traffic_limit)
        return nb_fail(err, NB_OVERFLOW,
                       "the traffic's common denominator %" PRIu64
                       " does not fit in 62 bits (permitted: below 2^62)",
                       traffic->denominator);
    NB_TRY(traffic_add_up(traffic, common, "router", traffic->demands,
                          &traffic->demand_count, err));
    status = traffic_add_up(traffic, common, "terminal", singles->entry,
                            &singles->count, err);
done:
    return status;
}

static void traffic_index_columns(struct nb_traffic *traffic)
{
    size_t *start = traffic->column_start;
    size_t next = 0;
    for (size_t r = 0; r <= traffic->router_count; r++) {
        while (next < traffic->demand_count &&
               traffic->demands[next].target < r)
            next++;
        start[r] = next;
    }
}

enum nb_status nb_traffic_finish(struct nb_traffic *traffic,
                                 struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_new(&traffic->column_start, traffic->router_count + 1,
                  sizeof *traffic->column_start, "columns of demands", err));
    NB_TRY(traffic_sort(traffic->demands, traffic->demand_count, true,
                        traffic->router_count, traffic->column_start, err));
    NB_TRY(traffic_merge(traffic, err));
    traffic_index_columns(traffic);
done:
    return status;
}

enum nb_status nb_traffic_check(const struct nb_traffic *traffic,
                                const struct nb_topology *topology,
                                struct nb_error *err)
{
    const enum nb_status status = nb_topology_check(topology, err);
    if (status != NB_OK)
        return status;
    if (traffic == NULL || traffic->denominator == 0 ||
        traffic->column_start == NULL)
        return nb_fail(err, NB_INVALID,
                       "a traffic of 0 routers (permitted: one that "
                       "nb_traffic_build made)");
    if (traffic->router_count != topology->router_count)
        return nb_fail(err, NB_INVALID,
                       "a traffic of %zu routers on a network of %zu "
                       "(permitted: a traffic of this network)",
                       traffic->router_count, topology->router_count);
    for (size_t d = 0; d < traffic->demand_count; d++) {
        const struct nb_demand *demand = &traffic->demands[d];
        if (topology->terminals[demand->source] == 0 ||
            topology->terminals[demand->target] == 0)
            return nb_fail(err, NB_INVALID,
                           "traffic from router %u to router %u, one of them "
                           "without terminals (permitted: a traffic of this "
                           "network)",
                           demand->source, demand->target);
    }
    for (size_t d = 0; d < traffic->singles.count; d++)
        if (traffic->singles.entry[d].source >= topology->terminal_count ||
            traffic->singles.entry[d].target >= topology->terminal_count)
            return nb_fail(err, NB_INVALID,
                           "traffic from terminal %u to terminal %u of %zu "
                           "(permitted: a traffic of this network)",
                           traffic->singles.entry[d].source,
                           traffic->singles.entry[d].target,
                           topology->terminal_count);
    return NB_OK;
}

void nb_traffic_release(struct nb_traffic *traffic)
{
    nb_specification_release(&traffic->specification);
    nb_delete(traffic->demands);
    nb_delete(traffic->column_start);
    nb_delete(traffic->singles.entry);
    *traffic = (struct nb_traffic){ 0 };
}

uint64_t nb_traffic_demand(const struct nb_traffic *traffic, uint32_t source,
                           uint32_t target)
{
    const size_t place = traffic_find(traffic, source, target);
    return place < traffic->demand_count ? traffic->demands[place].weight : 0;
}
