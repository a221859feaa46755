/* Finds closed forms, and the counted values that they are compared with
 * (declared in limits_question.h). */
#include "questions/limits/limits_question.h"

#include "bounds/limits/bulk.h"
#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "routing/unrouted.h"
#include "routing/vc_classes.h"

#include <stdio.h>
#include <stdlib.h>
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

static void limits_cases_release(struct nb_limits_cases *cases)
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
    NB_TRY(nb_specification_read(
        specification, what, kinds,
        kinds == nb_traffic_kind_at ? nb_traffic_parameters : NULL, &read,
        &index, err));
    nb_specification_print(&read, out);
    NB_TRY(nb_text_check(out, err));
done:
    nb_specification_release(&read);
    return status;
}

/* Whether two specifications of routings (what: "routing") or of traffics mean
 * the same, aliases and defaults aside. Errors: those of
 * nb_specification_read. */
static enum nb_status limits_is_same(const char *a, const char *b,
                                     const char *what, nb_kind_at *kinds,
                                     bool *is_same, struct nb_error *err)
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

/* The rate of a traffic that the terminals' channels permit. */
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

/* The case of two specifications (traffic "": the network's worst case, with
 * the terminals' limit); valid as long as cases. Errors: those of the
 * builders. */
static enum nb_status limits_case_find(struct nb_limits_cases *cases,
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

/* Whether a scheme is defined on the network and does not need a failed
 * link. */
static enum nb_status limits_is_routed(const struct nb_limits_answer *out,
                                       const char *scheme, bool *is_routed,
                                       struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_error why = { 0 };
    enum nb_status status =
        nb_routing_build(scheme, &out->topology, &routing, &why);
    if (status == NB_OK)
        status = nb_routes_require(&routing, NULL, &why);
    *is_routed = status == NB_OK;
    nb_routing_release(&routing);
    return status == NB_NO_MEMORY ? nb_fail(err, status, "%s", why.message)
                                  : NB_OK;
}

/* Lists the schemes that are defined on the network, its own first. */
static enum nb_status limits_list_schemes(struct nb_limits_answer *out,
                                          struct nb_error *err)
{
    enum nb_status status = NB_OK;
    const bool is_grid = out->topology.grid.dimensions > 0;
    const char *const schemes[] = {
        is_grid ? "dor" : "min",
        is_grid ? "min" : "",
        "vlb:policy=-g-",
        "vlb:policy=-gl",
        "vlb:policy=lg-",
        NB_LIMITS_LONGEST,
        "rvlb",
    };
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        bool is_routed = false;
        if (*schemes[i] != '\0')
            NB_TRY(limits_is_routed(out, schemes[i], &is_routed, err));
        if (is_routed)
            out->scheme[out->scheme_count++] = schemes[i];
    }
done:
    return status;
}

/* The largest number of global channels of a router. */
static uint32_t limits_global_channels(const struct nb_topology *topology)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < topology->router_count; r++) {
        uint32_t count = 0;
        for (uint32_t c = topology->out_start[r];
             c < topology->out_start[r + 1]; c++)
            count += nb_channel_is_global(topology, c);
        most = count > most ? count : most;
    }
    return most;
}

/* Whether a pattern is defined on the network. */
static enum nb_status limits_is_defined(const struct nb_limits_answer *out,
                                        const char *pattern, bool *is_defined,
                                        struct nb_error *err)
{
    struct nb_traffic traffic = { 0 };
    struct nb_error why = { 0 };
    const enum nb_status status =
        nb_traffic_build(pattern, &out->topology, false, &traffic, &why);
    *is_defined = status == NB_OK;
    nb_traffic_release(&traffic);
    return status == NB_NO_MEMORY ? nb_fail(err, status, "%s", why.message)
                                  : NB_OK;
}

static enum nb_status limits_list_traffics(struct nb_limits_answer *out,
                                           uint32_t h, struct nb_error *err)
{
    const char *const names[] = { "uniform", "adversarial:offset=1",
                                  h > 1 ? out->by_router : "",
                                  "adversarial-consecutive",
                                  "adversarial-local" };
    snprintf(out->by_router, sizeof out->by_router, "adversarial:offset=%u", h);
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool is_defined = false;
        if (*names[i] != '\0')
            NB_TRY(limits_is_defined(out, names[i], &is_defined, err));
        if (is_defined)
            out->traffic[out->traffic_count++] = names[i];
    }
done:
    return status;
}

/* If one adversarial traffic with a single offset is asked for, that offset is
 * the only one. */
static enum nb_status limits_read_offset(const char *traffic, int64_t *first,
                                         int64_t *last, struct nb_error *err)
{
    struct nb_specification read = { 0 };
    size_t index;
    enum nb_status status = NB_OK;
    if (traffic == NULL)
        return NB_OK;
    NB_TRY(nb_specification_read(traffic, "traffic", nb_traffic_kind_at,
                                 nb_traffic_parameters, &read, &index, err));
    if (strcmp(read.kind->name, "adversarial") == 0) {
        char *end;
        const char *text = nb_specification_text(&read, "offset");
        const int64_t offset = strtoll(text, &end, 10);
        if (*end == '\0' && offset != 0)
            *first = *last = offset;
    }
done:
    nb_specification_release(&read);
    return status;
}

/* Reads the one scheme asked for; for an adaptive one only what does not depend
 * on loads is found. */
static enum nb_status limits_read_scheme(struct nb_limits_answer *out,
                                         struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(
        nb_routing_build(out->request.routing, &out->topology, &routing, err));
    NB_TRY(nb_routes_require(&routing, NULL, err));
    if (routing.kind->stands_for_any || out->request.worst_case)
        NB_TRY(nb_routing_refuse_adaptive(&routing, err));
    out->is_adaptive = routing.kind->is_adaptive;
    if (!out->is_adaptive)
        out->scheme[out->scheme_count++] = out->request.routing;
done:
    nb_routing_release(&routing);
    return status;
}

/* The exact value to compare with a closed form. */
static enum nb_status limits_exact(struct nb_limits_answer *answer,
                                   const struct nb_limit *row,
                                   struct nb_ratio *out, struct nb_error *err)
{
    const struct nb_limits_case *at;
    const enum nb_status status =
        limits_case_find(&answer->cases, row->routing, row->traffic, &at, err);
    if (status == NB_OK)
        *out = row->link == NB_LIMIT_BULK ? at->bulk : at->throughput.exact;
    return status;
}

/* Whether a row is for the scheme and the traffic asked for, if any. */
static enum nb_status limits_is_asked(const struct nb_limits_answer *answer,
                                      const struct nb_limit *row,
                                      bool *is_asked, struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *is_asked = true;
    if (answer->request.routing != NULL)
        NB_TRY(limits_is_same(answer->request.routing, row->routing, "routing",
                              nb_routing_kind_at, is_asked, err));
    if (*is_asked && answer->request.traffic != NULL && *row->traffic != '\0')
        NB_TRY(limits_is_same(answer->request.traffic, row->traffic, "traffic",
                              nb_traffic_kind_at, is_asked, err));
done:
    return status;
}

/* Finds closed forms for the schemes and traffics asked for, and exact values
 * to compare them with. */
static enum nb_status limits_find_forms(struct nb_limits_answer *out,
                                        uint32_t global_channels,
                                        struct nb_error *err)
{
    struct nb_limits *limits = &out->limits;
    int64_t first = 1, last = out->request.offsets;
    size_t count = 0;
    enum nb_status status = NB_OK;
    if (last == 0)
        last = 2 * (int64_t)global_channels;
    NB_TRY(limits_read_offset(out->request.traffic, &first, &last, err));
    NB_TRY(nb_limits_find(&out->topology, first, last, out->request.worst_case,
                          limits, err));
    NB_TRY(
        nb_new(&out->exact, limits->count, sizeof *out->exact, "limits", err));
    for (size_t i = 0; i < limits->count; i++) {
        bool is_asked;
        NB_TRY(limits_is_asked(out, &limits->rows[i], &is_asked, err));
        if (!is_asked)
            continue;
        NB_TRY(limits_exact(out, &limits->rows[i], &out->exact[count], err));
        limits->rows[count++] = limits->rows[i];
    }
    limits->count = count;
done:
    return status;
}

/* Finds every scheme on every traffic, and on the worst if that is asked
 * for. */
static enum nb_status limits_find_cases(struct nb_limits_answer *out,
                                        struct nb_error *err)
{
    struct nb_limits_cases *cases = &out->cases;
    const struct nb_limits_case *worst;
    enum nb_status status = NB_OK;
    if (out->scheme_count == 0)
        return NB_OK;
    bool has_longest = true;
    if (nb_has_failures(&out->topology) || out->topology.kind->is_one_way)
        NB_TRY(limits_is_routed(out, NB_LIMITS_LONGEST, &has_longest, err));
    for (size_t t = 0; t < out->traffic_count; t++) {
        for (size_t s = 0; s < out->scheme_count; s++)
            NB_TRY(limits_case_find(cases, out->scheme[s], out->traffic[t],
                                    &out->at[t][s], err));
        if (has_longest)
            NB_TRY(limits_case_find(cases, NB_LIMITS_LONGEST, out->traffic[t],
                                    &out->longest[t], err));
    }
    for (size_t s = 0; s < out->scheme_count && out->request.worst_case; s++) {
        NB_TRY(limits_case_find(cases, out->scheme[s], "", &worst, err));
        out->worst[s] = worst->throughput;
    }
done:
    return status;
}

static enum nb_status limits_find_channels(struct nb_limits_answer *out,
                                           struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    enum nb_status status = NB_OK;
    for (size_t s = 0; s < out->scheme_count; s++) {
        nb_routing_release(&routing);
        NB_TRY(nb_routing_build(out->scheme[s], &out->topology, &routing, err));
        NB_TRY(nb_vc_need_find(&routing, &out->channels[s], err));
    }
    if (out->is_adaptive) {
        NB_TRY(nb_routing_build(out->request.routing, &out->topology, &routing,
                                err));
        NB_TRY(nb_vc_need_find(&routing, &out->channels[0], err));
    }
done:
    nb_routing_release(&routing);
    return status;
}

static enum nb_status limits_find_classes(struct nb_limits_answer *out,
                                          struct nb_error *err)
{
    struct nb_routing routing = { 0 };
    struct nb_vc_classes classes = { 0 };
    enum nb_status status = NB_OK;
    if (out->request.routing == NULL || out->topology.groups.count > 0)
        return NB_OK; /* with groups, local and global virtual channels are
                       * counted separately */
    NB_TRY(
        nb_routing_build(out->request.routing, &out->topology, &routing, err));
    status = nb_vc_classes_build(&routing, &classes, &out->no_classes);
    if (status == NB_OK) {
        out->class_count = classes.count;
        out->class_rule = classes.rule->summary;
        out->class_source = classes.rule->source;
    } else if (status == NB_INVALID) {
        status = NB_OK;
    } else {
        NB_TRY(nb_fail(err, status, "%s", out->no_classes.message));
    }
done:
    nb_vc_classes_release(&classes);
    nb_routing_release(&routing);
    return status;
}

/* What a router sends to a whole group if it sends equally to each of its
 * routers. */
static struct nb_ratio intermediate_share(const struct nb_traffic *traffic,
                                          const struct nb_dragonfly *fly,
                                          const struct nb_demand *demand)
{
    return nb_ratio_make((nb_int128)demand->weight * fly->a,
                         (nb_int128)traffic->denominator);
}

/* Finds what every router sends to the group at each offset, at rate 1. Returns
 * false if this differs between routers, or if groups send to themselves, which
 * also takes local hops. */
static bool intermediate_weights(const struct nb_topology *topology,
                                 const struct nb_traffic *traffic,
                                 const struct nb_dragonfly *fly,
                                 struct nb_ratio *weight)
{
    const uint32_t *of = topology->groups.of;
    size_t own = 0; /* number of demands of a router */
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

/* Equation 6-2: the load of the local channels to k back, from what is sent to
 * the groups around offset k h. */
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

/* Adds the rows of one traffic, by displacement from -h to h - 1. */
static enum nb_status intermediate_find_rows(struct nb_limits_answer *out,
                                             const struct nb_dragonfly *fly,
                                             const char *routing,
                                             const char *traffic,
                                             const struct nb_ratio *weight,
                                             struct nb_error *err)
{
    const struct nb_topology *topology = &out->topology;
    const struct nb_ratio bandwidth = topology->channels[0].bandwidth;
    const struct nb_ratio ends =
        nb_ratio_make(strstr(routing, "lg-") != NULL ? 2 : 1, 2);
    const struct nb_limits_case *at;
    enum nb_status status = NB_OK;
    NB_TRY(limits_case_find(&out->cases, routing, traffic, &at, err));
    for (int64_t k = fly->h; k > -fly->h; k--) {
        struct nb_ratio bulk, most, load = intermediate_load(fly, weight, k);
        /* h back is also h ahead: half of these channels have one load, half
         * the other. */
        const struct nb_ratio ahead = intermediate_load(fly, weight, -k);
        if (k == fly->h && nb_ratio_compare(ahead, load) > 0)
            load = ahead;
        if (k == 0 || load.numerator == 0)
            continue;
        NB_TRY(nb_bulk_of_displacement(topology, &at->loads,
                                       (uint32_t)((fly->a - k) % fly->a), &bulk,
                                       &most, err));
        NB_TRY(nb_grow(&out->intermediate, out->intermediate_count + 1,
                       sizeof *out->intermediate, "limits", err));
        out->intermediate[out->intermediate_count++] =
            (struct nb_limits_intermediate){
                .traffic = traffic,
                .routing = routing,
                .displacement = -k,
                .load = load,
                .with_ends = nb_ratio_add(load, ends),
                .bulk = nb_ratio_multiply(bulk, bandwidth),
                .most = nb_ratio_multiply(most, bandwidth),
            };
    }
done:
    return status;
}

/* Finds the rows of a traffic under the schemes asked for. */
static enum nb_status intermediate_find_traffic(struct nb_limits_answer *out,
                                                const struct nb_dragonfly *fly,
                                                const char *traffic,
                                                struct nb_ratio *weight,
                                                struct nb_error *err)
{
    static const char *const routings[] = { "vlb:policy=-g-",
                                            "vlb:policy=lg-" };
    struct nb_traffic built = { 0 };
    enum nb_status status = NB_OK;
    NB_TRY(nb_traffic_build(traffic, &out->topology, false, &built, err));
    if (!intermediate_weights(&out->topology, &built, fly, weight))
        goto done;
    for (size_t r = 0; r < 2; r++) {
        bool is_asked = true;
        if (out->request.routing != NULL)
            NB_TRY(limits_is_same(out->request.routing, routings[r], "routing",
                                  nb_routing_kind_at, &is_asked, err));
        if (is_asked)
            NB_TRY(intermediate_find_rows(out, fly, routings[r], traffic,
                                          weight, err));
    }
done:
    nb_traffic_release(&built);
    return status;
}

static enum nb_status limits_find_intermediate(struct nb_limits_answer *out,
                                               struct nb_error *err)
{
    struct nb_dragonfly fly;
    struct nb_ratio *weight = NULL;
    enum nb_status status = NB_OK;
    if (!nb_dragonfly_find(&out->topology, &fly) || !fly.is_palmtree ||
        fly.trunking != 1 || fly.p != fly.h || fly.a != 2 * fly.h || fly.h < 2)
        return NB_OK;
    out->has_intermediate = true;
    NB_TRY(nb_new(&weight, (size_t)fly.groups, sizeof *weight, "weights", err));
    for (size_t t = 0; t < out->traffic_count; t++)
        NB_TRY(
            intermediate_find_traffic(out, &fly, out->traffic[t], weight, err));
done:
    nb_delete(weight);
    return status;
}

void nb_limits_answer_release(struct nb_limits_answer *answer)
{
    nb_delete(answer->adaptive);
    nb_delete(answer->mixture);
    nb_delete(answer->intermediate);
    nb_delete(answer->exact);
    nb_limits_release(&answer->limits);
    limits_cases_release(&answer->cases);
    nb_topology_release(&answer->topology);
    *answer = (struct nb_limits_answer){ 0 };
}

enum nb_status nb_limits_find_all(const struct nb_limits_question *request,
                                  const struct nb_run *run, bool is_sized,
                                  struct nb_limits_answer *out,
                                  struct nb_error *err)
{
    enum nb_status status = NB_OK;
    *out = (struct nb_limits_answer){
        .request = *request,
        .is_sized = is_sized,
        .cases = { .topology = &out->topology, .run = run },
        .delays = { .router = nb_enclosure_of_ratio(request->router_delay),
                    .pipeline = nb_enclosure_of_ratio(
                        nb_ratio_is_known(request->pipeline) ? request->pipeline
                                                             : nb_ratio_zero),
                    .local = nb_enclosure_of_ratio(request->local_delay),
                    .global = nb_enclosure_of_ratio(request->global_delay),
                    .serial = nb_enclosure_multiply(
                        nb_enclosure_of_ratio(
                            nb_ratio_make(request->packet, 1)),
                        nb_enclosure_of_ratio(request->flit_time)) },
    };
    NB_TRY(nb_topology_build(request->topology, &out->topology, err));
    const uint32_t h = limits_global_channels(&out->topology);
    if (request->routing != NULL)
        NB_TRY(limits_read_scheme(out, err));
    if (is_sized)
        return NB_OK;
    if (request->routing == NULL)
        NB_TRY(limits_list_schemes(out, err));
    if (request->traffic != NULL)
        out->traffic[out->traffic_count++] = request->traffic;
    else
        NB_TRY(limits_list_traffics(out, h, err));
    NB_TRY(limits_find_forms(out, h, err));
    NB_TRY(limits_find_cases(out, err));
    NB_TRY(limits_find_classes(out, err));
    NB_TRY(limits_find_channels(out, err));
    NB_TRY(limits_find_intermediate(out, err));
done:
    return status;
}
