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
    for (size_t i = 0; i < cases->worst_count; i++)
        nb_delete(cases->worst[i].routing);
    nb_delete(cases->worst);
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

static enum nb_status limits_is_alike(const char *a, const char *b,
                                      const char *what, nb_kind_at *kinds,
                                      bool *is_alike, struct nb_error *err)
{
    struct nb_text one = { 0 }, other = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(limits_spell(a, what, kinds, &one, err));
    NB_TRY(limits_spell(b, what, kinds, &other, err));
    *is_alike = strcmp(one.bytes, other.bytes) == 0;
done:
    nb_text_release(&one);
    nb_text_release(&other);
    return status;
}

enum nb_status nb_limits_is_same_routing(const char *a, const char *b,
                                         bool *is_same, struct nb_error *err)
{
    return limits_is_alike(a, b, "routing", nb_routing_kind_at, is_same, err);
}

enum nb_status nb_limits_is_same_traffic(const char *a, const char *b,
                                         bool *is_same, struct nb_error *err)
{
    return limits_is_alike(a, b, "traffic", nb_traffic_kind_at, is_same, err);
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

static enum nb_status limits_case_fill(const struct nb_limits_cases *cases,
                                       struct nb_limits_case *at,
                                       struct nb_error *err)
{
    const struct nb_topology *topology = cases->topology;
    struct nb_routing routing = { 0 };
    struct nb_traffic traffic = { 0 };
    struct nb_enclosure limit;
    struct nb_ratio load;
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build(at->routing, topology, &routing, err));
    NB_TRY(nb_routing_refuse_adaptive(&routing, err));
    NB_TRY(nb_traffic_build(at->traffic, topology, false, &traffic, err));
    NB_TRY(limits_cap(topology, &traffic, &limit, err));
    NB_TRY(
        nb_channel_loads_find(&routing, &traffic, cases->run, &at->loads, err));
    at->throughput = nb_enclosure_least(at->loads.throughput, limit);
    NB_TRY(nb_bulk_load(topology, &at->loads, &load, err));
    at->bulk = nb_ratio_divide(nb_ratio_one, load);
    if (nb_ratio_is_known(at->bulk) && nb_ratio_is_known(limit.exact) &&
        nb_ratio_compare(limit.exact, at->bulk) < 0)
        at->bulk = limit.exact;
    nb_hop_classes_find(topology, &at->loads, &at->hops);
done:
    nb_traffic_release(&traffic);
    nb_routing_release(&routing);
    return status;
}

static enum nb_status limits_case_add(struct nb_limits_cases *cases,
                                      const char *routing, const char *traffic,
                                      struct nb_error *err)
{
    struct nb_limits_case *at = NULL;
    enum nb_status status = NB_OK;
    NB_TRY(nb_new(&at, 1, sizeof *at, "limits", err));
    at->routing = nb_new_string(routing);
    at->traffic = nb_new_string(traffic);
    if (at->routing == NULL || at->traffic == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for limits"));
    NB_TRY(limits_case_fill(cases, at, err));
    if (cases->count == cases->capacity) {
        const size_t capacity = 2 * cases->capacity + 16;
        NB_TRY(nb_grow(&cases->cases, capacity, sizeof *cases->cases, "limits",
                       err));
        cases->capacity = capacity;
    }
    cases->cases[cases->count++] = at;
    at = NULL;
done:
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
    NB_TRY(limits_spell(traffic, "traffic", nb_traffic_kind_at, &pattern, err));
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

static enum nb_status limits_worst_find(const struct nb_limits_cases *cases,
                                        const char *routing,
                                        struct nb_enclosure *out,
                                        struct nb_error *err)
{
    struct nb_routing scheme = { 0 };
    struct nb_worst_case worst = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_routing_build(routing, cases->topology, &scheme, err));
    NB_TRY(nb_routing_refuse_adaptive(&scheme, err));
    NB_TRY(nb_worst_case_find(&scheme, cases->run, &worst, err));
    *out = nb_enclosure_least(worst.throughput,
                              nb_enclosure_of_ratio(nb_terminal_limit(
                                  cases->topology, nb_ratio_one)));
done:
    nb_worst_case_release(&worst);
    nb_routing_release(&scheme);
    return status;
}

enum nb_status nb_limits_worst(struct nb_limits_cases *cases,
                               const char *routing, struct nb_enclosure *out,
                               struct nb_error *err)
{
    struct nb_text name = { 0 };
    struct nb_limits_worst *at;
    enum nb_status status = NB_OK;
    NB_TRY(limits_spell(routing, "routing", nb_routing_kind_at, &name, err));
    for (size_t i = 0; i < cases->worst_count; i++)
        if (strcmp(cases->worst[i].routing, name.bytes) == 0) {
            *out = cases->worst[i].throughput;
            goto done;
        }
    NB_TRY(limits_worst_find(cases, routing, out, err));
    NB_TRY(nb_grow(&cases->worst, cases->worst_count + 1, sizeof *cases->worst,
                   "limits", err));
    at = &cases->worst[cases->worst_count];
    *at = (struct nb_limits_worst){ nb_new_string(name.bytes), *out };
    if (at->routing == NULL)
        NB_TRY(nb_fail(err, NB_NO_MEMORY, "no memory for limits"));
    cases->worst_count++;
done:
    nb_text_release(&name);
    return status;
}

struct nb_enclosure nb_limits_latency(const struct nb_hop_classes *hops,
                                      const struct nb_limits_delays *delays)
{
    const struct nb_enclosure routers = nb_enclosure_add(
        nb_enclosure_add(hops->local, hops->global), nb_enclosure_of_whole(1));
    struct nb_enclosure sum = nb_enclosure_multiply(routers, delays->router);
    sum = nb_enclosure_add(sum,
                           nb_enclosure_multiply(hops->local, delays->local));
    sum = nb_enclosure_add(sum,
                           nb_enclosure_multiply(hops->global, delays->global));
    return nb_enclosure_add(sum, delays->serial);
}
