#include "load/single_paths.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/try.h"
#include "routing/table_ways.h"

#include <math.h>

struct single_work {
    const struct nb_routing *routing;
    struct nb_start *starts;
    struct nb_hop *hops;
    struct nb_single_paths *out;
    size_t room; /* entries allocated in out->channel */
};

static enum nb_status single_add(struct single_work *work, size_t at,
                                 uint32_t channel, struct nb_error *err)
{
    struct nb_single_paths *out = work->out;
    enum nb_status status = NB_OK;
    if (at == work->room) {
        work->room = 2 * work->room + 1024;
        NB_TRY(nb_memory_require((double)work->room * sizeof *out->channel,
                                 "paths", err));
        NB_TRY(nb_grow(&out->channel, work->room, sizeof *out->channel, "paths",
                       err));
    }
    out->channel[at] = channel;
done:
    return status;
}

static enum nb_status single_refuse(const struct single_work *work,
                                    uint32_t source, uint32_t destination,
                                    struct nb_error *err)
{
    return nb_fail(err, NB_INVALID,
                   "routing %s has several paths from router %u to router %u "
                   "(permitted: schemes with one, such as minhop)",
                   work->routing->kind->kind.name, source, destination);
}

/* Follows packets that begin in a state, from entry `at` on; length: out, 0 if
 * they do not arrive. */
static enum nb_status single_follow(struct single_work *work, uint32_t source,
                                    uint32_t destination, nb_route_state state,
                                    size_t first, size_t *length,
                                    struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    const struct nb_topology *topology = routing->topology;
    enum nb_status status = NB_OK;
    uint32_t at = source;
    size_t steps = 0;
    *length = 0;
    while (at != destination && steps < topology->channel_count) {
        const size_t count =
            nb_route_step(routing, NULL, state, at, destination, work->hops);
        if (count > 1)
            NB_TRY(single_refuse(work, source, destination, err));
        if (count == 0 || work->hops[0].channel == NB_NONE)
            goto done;
        NB_TRY(single_add(work, first + steps++, work->hops[0].channel, err));
        at = topology->channels[work->hops[0].channel].target;
        state = work->hops[0].next;
    }
    *length = at == destination ? steps : 0;
done:
    return status;
}

/* Adds a pair's paths from an entry on, each as often as its share of the ways
 * is; length: out, 0 if one is missing. */
static enum nb_status single_follow_all(struct single_work *work,
                                        uint32_t source, uint32_t destination,
                                        size_t first, size_t *length,
                                        struct nb_error *err)
{
    const struct nb_routing *routing = work->routing;
    enum nb_status status = NB_OK;
    const size_t starts =
        nb_route_starts(routing, source, destination, work->starts);
    const bool has_addresses = nb_is_table_ways(routing);
    *length = 0;
    if (starts > 1 && !has_addresses)
        NB_TRY(single_refuse(work, source, destination, err));
    for (size_t i = 0; i < starts; i++) {
        const struct nb_start *start = &work->starts[i];
        size_t hops = 0;
        if (nb_start_ways(start) > 1)
            NB_TRY(single_refuse(work, source, destination, err));
        const uint64_t times = has_addresses ? start->weight : 1;
        for (uint64_t k = 0; k < times; k++) {
            NB_TRY(single_follow(
                work, source, destination,
                nb_route_begin(routing, start, 0, source, destination),
                first + *length, &hops, err));
            if (hops == 0) {
                *length = 0;
                return NB_OK;
            }
            *length += hops;
        }
    }
done:
    return status;
}

/* Finds the first unrouted pair by source, then destination. */
static void single_miss(struct nb_single_paths *out, size_t i, size_t j)
{
    if (out->unrouted++ > 0 && out->first[0] <= out->endpoint[i])
        return;
    out->first[0] = out->endpoint[i];
    out->first[1] = out->endpoint[j];
}

/* By destination, to read tables in their order. */
static enum nb_status single_go(struct single_work *work, struct nb_error *err)
{
    struct nb_single_paths *out = work->out;
    enum nb_status status = NB_OK;
    for (size_t j = 0; j < out->count; j++)
        for (size_t i = 0; i < out->count; i++) {
            const size_t pair = j * out->count + i;
            size_t length = 0;
            if (i != j)
                NB_TRY(single_follow_all(work, out->endpoint[i],
                                         out->endpoint[j], out->start[pair],
                                         &length, err));
            out->start[pair + 1] = out->start[pair] + length;
            if (i != j && length == 0)
                single_miss(out, i, j);
        }
done:
    return status;
}

enum nb_status nb_single_paths_find(const struct nb_routing *routing,
                                    const struct nb_topology *ends,
                                    struct nb_single_paths *out,
                                    struct nb_error *err)
{
    const size_t n = ends->router_count;
    struct single_work work = { .routing = routing, .out = out };
    enum nb_status status = nb_routing_check(routing, err);
    *out = (struct nb_single_paths){ .topology = ends, .ways = 1 };
    if (status != NB_OK)
        return status;
    if (routing->needs_table || routing->kind->is_adaptive)
        NB_TRY(nb_fail(err, NB_INVALID,
                       "routing %s has several paths for a pair (permitted: "
                       "schemes with one, such as minhop)",
                       routing->kind->kind.name));
    if (nb_is_table_ways(routing))
        out->ways = (uint32_t)routing->start_total;
    NB_TRY(nb_new(&out->endpoint, n, sizeof *out->endpoint, "paths", err));
    for (uint32_t r = 0; r < n; r++)
        if (ends->terminals[r] > 0)
            out->endpoint[out->count++] = r;
    NB_TRY(nb_memory_require((double)out->count * (double)out->count *
                                 sizeof *out->start,
                             "paths", err));
    NB_TRY(nb_new(&out->start, out->count * out->count + 1, sizeof *out->start,
                  "paths", err));
    NB_TRY(nb_new(&work.starts, routing->most_starts, sizeof *work.starts,
                  "starts", err));
    NB_TRY(
        nb_new(&work.hops, routing->most_hops, sizeof *work.hops, "hops", err));
    NB_TRY(single_go(&work, err));
done:
    nb_delete(work.starts);
    nb_delete(work.hops);
    if (status != NB_OK)
        nb_single_paths_release(out);
    return status;
}

void nb_single_paths_release(struct nb_single_paths *paths)
{
    nb_delete(paths->endpoint);
    nb_delete(paths->start);
    nb_delete(paths->channel);
    *paths = (struct nb_single_paths){ 0 };
}

void nb_single_paths_load(const struct nb_single_paths *paths, uint64_t *load)
{
    const uint32_t *terminals = paths->topology->terminals;
    for (size_t c = 0; c < paths->topology->channel_count; c++)
        load[c] = 0;
    for (size_t i = 0; i < paths->count; i++)
        for (size_t j = 0; j < paths->count; j++) {
            const size_t pair = i * paths->count + j;
            const uint64_t pairs = (uint64_t)terminals[paths->endpoint[i]] *
                                   terminals[paths->endpoint[j]];
            for (size_t k = paths->start[pair]; k < paths->start[pair + 1]; k++)
                load[paths->channel[k]] += pairs;
        }
}

/* Scratch, used for every matching. */
struct bisection_work {
    const struct nb_single_paths *paths;
    size_t terminals;
    uint32_t *place;   /* [terminals] endpoint index of its router */
    uint32_t *partner; /* [terminals] in random order; neighbours are matched */
    uint32_t *used;    /* [channel] number of paths over it, times ways */
};

/* Adds the path between two terminals to the channels' counts, or removes
 * it. */
static void bisection_mark(struct bisection_work *work, uint32_t from,
                           uint32_t to, bool is_on)
{
    const struct nb_single_paths *paths = work->paths;
    const size_t pair =
        (size_t)work->place[to] * paths->count + work->place[from];
    for (size_t k = paths->start[pair]; k < paths->start[pair + 1]; k++)
        work->used[paths->channel[k]] += is_on ? 1 : UINT32_MAX;
}

static double bisection_rate(const struct bisection_work *work, uint32_t from,
                             uint32_t to)
{
    const struct nb_single_paths *paths = work->paths;
    const size_t pair =
        (size_t)work->place[to] * paths->count + work->place[from];
    double rate = 1;
    if (paths->start[pair] == paths->start[pair + 1])
        return work->place[from] == work->place[to] ? 1 : 0;
    for (size_t k = paths->start[pair]; k < paths->start[pair + 1]; k++) {
        const uint32_t c = paths->channel[k];
        rate =
            fmin(rate, nb_ratio_value(paths->topology->channels[c].bandwidth) *
                           paths->ways / work->used[c]);
    }
    return rate;
}

/* The mean rate of the pairs of one matching. */
static double bisection_draw(struct bisection_work *work,
                             struct nb_random *random)
{
    const size_t pairs = work->terminals / 2;
    const uint32_t *partner = work->partner;
    double sum = 0;
    nb_random_permutation(random, (uint32_t)work->terminals, work->partner);
    for (size_t i = 0; i < 2 * pairs; i++)
        bisection_mark(work, partner[i], partner[i ^ 1], true);
    for (size_t i = 0; i < 2 * pairs; i++)
        sum += bisection_rate(work, partner[i], partner[i ^ 1]);
    for (size_t i = 0; i < 2 * pairs; i++)
        bisection_mark(work, partner[i], partner[i ^ 1], false);
    return pairs > 0 ? sum / (double)(2 * pairs) : 1;
}

enum nb_status nb_single_paths_bisection(const struct nb_single_paths *paths,
                                         uint64_t seed, size_t count,
                                         double *rate, struct nb_error *err)
{
    const struct nb_topology *topology = paths->topology;
    struct bisection_work work = { .paths = paths };
    enum nb_status status = NB_OK;
    for (size_t i = 0; i < paths->count; i++)
        work.terminals += topology->terminals[paths->endpoint[i]];
    NB_TRY(nb_new(&work.place, work.terminals, sizeof *work.place, "matching",
                  err));
    NB_TRY(nb_new(&work.partner, work.terminals, sizeof *work.partner,
                  "matching", err));
    NB_TRY(nb_new(&work.used, topology->channel_count, sizeof *work.used,
                  "matching", err));
    size_t t = 0;
    for (size_t i = 0; i < paths->count; i++)
        for (uint32_t k = 0; k < topology->terminals[paths->endpoint[i]]; k++)
            work.place[t++] = (uint32_t)i;
    for (size_t m = 0; m < count; m++) {
        struct nb_random random;
        nb_random_init(&random, seed, m);
        rate[m] = bisection_draw(&work, &random);
    }
done:
    nb_delete(work.place);
    nb_delete(work.partner);
    nb_delete(work.used);
    return status;
}
