#include "questions/limits/limits_cases.h"

#include "bounds/limits/bulk.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"

#include <string.h>

static void limits_case_release(struct nb_limits_case *at)
{
    if (at == NULL)
        return;
    nb_delete(at->routing);
    nb_delete(at->traffic);
    nb_channel_loads_release(&at->loads);
    nb_delete(at);
}

void nb_limits_cases_release(struct nb_limits_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++)
        limits_case_release(cases->cases[i]);
    nb_delete(cases->cases);
    *cases = (struct nb_limits_cases){ 0 };
}

/* A specification without its aliases and defaults. */
static enum nb_status limits_spell(const char *specification, const char *what,
                                   nb_kind_at *kinds, struct nb_text *out,
                                   struct nb_error *err)
{
    struct nb_specification read = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    NB_TRY(nb_specification_read(specification, what, kinds, NULL, &read,
                                 &index, err));
    nb_specification_print(&read, out);
    NB_TRY(nb_text_check(out, err));
done:
    nb_specification_release(&read);
    return status;
}

enum nb_status nb_limits_is_same(const char *a, const char *b, const char *what,
                                 nb_kind_at *kinds, bool *is_same,
                                 struct nb_error *err)
{
    struct nb_text one = { 0 }, other = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(limits_spell(a, what, kinds, &one, err));
    NB_TRY(limits_spell(b, what, kinds, &other, err));
    *is_same = strcmp(one.bytes, other.bytes) == 0;
done:
    nb_text_release(&one);
    nb_text_release(&other);
    return status;
}

/* What the terminals' channels let through of a traffic. */
static enum nb_status limits_cap(const struct nb_topology *topology,
                                 const struct nb_traffic *traffic,
                                 struct nb_enclosure *limit,
                                 struct nb_error *err)
{
    struct nb_traffic_sums sums;
    const enum nb_status status =
        nb_traffic_sums_find(traffic, topology, &sums, err);
    if (status == NB_OK)
        *limit = nb_enclosure_of_ratio(nb_terminal_limit(
            topology, nb_ratio_compare(sums.row, sums.column) > 0
                          ? sums.row
                          : sums.column));
    return status;
}

static enum nb_status limits_fill_worst(const struct nb_limits_cases *cases,
                                        const struct nb_routing *routing,
                                        struct nb_limits_case *at,
                                        struct nb_error *err)
{
    struct nb_worst_case worst = { 0 };
    enum nb_status status;
    NB_TRY(nb_worst_case_find(routing, cases->run, &worst, err));
    at->throughput = nb_enclosure_least(worst.throughput,
                                        nb_enclosure_of_ratio(nb_terminal_limit(
                                            cases->topology, nb_ratio_one)));
done:
    nb_worst_case_release(&worst);
    return status;
}

static enum nb_status limits_fill_loads(const struct nb_limits_cases *cases,
                                        const struct nb_routing *routing,
                                        struct nb_limits_case *at,
                                        struct nb_error *err)
{
    const struct nb_topology *topology = cases->topology;
    struct nb_traffic traffic = { 0 };
    struct nb_enclosure limit;
    struct nb_ratio load;
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_build(at->traffic, topology, false, &traffic, err));
    NB_TRY(limits_cap(topology, &traffic, &limit, err));
    NB_TRY(
        nb_channel_loads_find(routing, &traffic, cases->run, &at->loads, err));
    at->throughput = nb_enclosure_least(at->loads.throughput, limit);
    NB_TRY(nb_bulk_load(topology, &at->loads, &load, err));
    at->bulk = nb_ratio_divide(nb_ratio_one, load);
    if (nb_ratio_is_known(at->bulk) && nb_ratio_is_known(limit.exact) &&
        nb_ratio_compare(limit.exact, at->bulk) < 0)
        at->bulk = limit.exact;
    nb_hop_classes_find(topology, &at->loads, &at->hops);
done:
    nb_traffic_release(&traffic);
    return status;
}

static enum nb_status limits_case_add(struct nb_limits_cases *cases,
                                      const char *routing, const char *traffic,
                                      struct nb_error *err)
{
    struct nb_limits_case *at = NULL;
    struct nb_routing scheme = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&at, 1, sizeof *at, "limits", err));
    NB_TRY(nb_new_copy(&at->routing, routing, "limits", err));
    NB_TRY(nb_new_copy(&at->traffic, traffic, "limits", err));
    NB_TRY(nb_routing_build(routing, cases->topology, &scheme, err));
    NB_TRY(nb_routing_refuse_adaptive(&scheme, err));
    NB_TRY(*traffic == '\0' ? limits_fill_worst(cases, &scheme, at, err)
                            : limits_fill_loads(cases, &scheme, at, err));
    NB_TRY(nb_grow_one(&cases->cases, cases->count, sizeof *cases->cases,
                       "limits", err));
    cases->cases[cases->count++] = at;
    at = NULL;
done:
    nb_routing_release(&scheme);
    limits_case_release(at);
    return status;
}

enum nb_status nb_limits_case_find(struct nb_limits_cases *cases,
                                   const char *routing, const char *traffic,
                                   const struct nb_limits_case **out,
                                   struct nb_error *err)
{
    struct nb_text scheme = { 0 }, pattern = { 0 };
    size_t i = 0;
    enum nb_status status = NB_OK;
    NB_TRY(limits_spell(routing, "routing", nb_routing_kind_at, &scheme, err));
    if (*traffic == '\0')
        nb_text_add(&pattern, "", 0);
    else
        NB_TRY(limits_spell(traffic, "traffic", nb_traffic_kind_at, &pattern,
                            err));
    NB_TRY(nb_text_check(&pattern, err));
    while (i < cases->count &&
           (strcmp(cases->cases[i]->routing, scheme.bytes) != 0 ||
            strcmp(cases->cases[i]->traffic, pattern.bytes) != 0))
        i++;
    if (i == cases->count)
        NB_TRY(limits_case_add(cases, scheme.bytes, pattern.bytes, err));
    *out = cases->cases[i];
done:
    nb_text_release(&scheme);
    nb_text_release(&pattern);
    return status;
}

struct nb_enclosure nb_limits_latency(const struct nb_limits_case *at,
                                      const struct nb_limits_delays *delays)
{
    const struct nb_enclosure routers =
        nb_enclosure_add(nb_enclosure_add(at->hops.local, at->hops.global),
                         nb_enclosure_of_whole(1));
    struct nb_enclosure sum = nb_enclosure_multiply(routers, delays->router);
    sum = nb_enclosure_add(
        sum, nb_enclosure_multiply(at->hops.local, delays->local));
    sum = nb_enclosure_add(
        sum, nb_enclosure_multiply(at->hops.global, delays->global));
    return nb_enclosure_add(sum, delays->serial);
}
