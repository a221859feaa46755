#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "path_cases.h"

#include "scratch.h"
#include "topology_checks.h"
#include "walk.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CASES_HOPS = 64 }; /* the longest path */

static void cases_add(struct nb_path_table *table, uint32_t source,
                      uint32_t destination, uint64_t weight,
                      const uint32_t *channel, size_t length)
{
    assert_true(length <= CASES_HOPS);
    assert_int_equal(nb_path_table_add(table, source, destination, weight,
                                       channel, length, NULL),
                     NB_OK);
}

/* The place of a path, table->path_count if it is not there. */
static size_t cases_find(const struct nb_path_table *table, uint32_t source,
                         uint32_t destination, const uint32_t *channel,
                         size_t length)
{
    size_t p = 0;
    for (; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        if (path->source == source && path->destination == destination &&
            path->length == length &&
            (length == 0 || memcmp(table->channel + path->first, channel,
                                   length * sizeof *channel) == 0))
            break;
    }
    return p;
}

/* Depth first from router on, the channels in random order; returns the number
 * of channels, 0 if the destination is not reached. */
static size_t cases_search(const struct nb_topology *topology,
                           struct nb_random *random, uint32_t router,
                           uint32_t destination, bool *met, uint32_t *channel,
                           size_t length)
{
    const uint32_t first = topology->out_start[router];
    const uint32_t degree = topology->out_start[router + 1] - first;
    uint32_t order[CASES_HOPS];
    assert_true(degree <= CASES_HOPS && length < CASES_HOPS);
    nb_random_permutation(random, degree, order);
    met[router] = true;
    for (uint32_t i = 0; i < degree; i++) {
        const uint32_t next = topology->channels[first + order[i]].target;
        channel[length] = first + order[i];
        if (next == destination)
            return length + 1;
        const size_t found =
            met[next] ? 0
                      : cases_search(topology, random, next, destination, met,
                                     channel, length + 1);
        if (found > 0)
            return found;
    }
    return 0;
}

void path_cases_draw(const struct nb_topology *topology,
                     struct nb_random *random, uint64_t most, uint64_t heaviest,
                     struct nb_path_table *out)
{
    const size_t n = topology->router_count;
    uint32_t channel[CASES_HOPS];
    bool *met = nb_new_array(n, sizeof *met);
    assert_non_null(met);
    *out = (struct nb_path_table){ 0 };
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t d = 0; d < n; d++) {
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            for (uint64_t left = 1 + nb_random_below(random, most); left > 0;
                 left--) {
                memset(met, 0, n * sizeof *met);
                const size_t length =
                    cases_search(topology, random, s, d, met, channel, 0);
                if (cases_find(out, s, d, channel, length) == out->path_count)
                    cases_add(out, s, d, 1 + nb_random_below(random, heaviest),
                              channel, length);
            }
        }
    }
    nb_delete(met);
    nb_path_table_sort(out);
}

/* Adds the images of one path that are not there. */
static void cases_add_images(const struct nb_topology *topology,
                             unsigned classes, struct nb_table_path path,
                             uint32_t *map, struct nb_path_table *table)
{
    uint32_t image[CASES_HOPS];
    unsigned class;
    for (size_t g = 0;
         (class = topology->kind->symmetry(topology, g, map)) != 0; g++) {
        if ((class & classes) == 0)
            continue;
        for (size_t i = 0; i < path.length; i++) {
            const struct nb_channel *at =
                &topology->channels[table->channel[path.first + i]];
            image[i] = topology_find_channel(topology, map[at->source],
                                             map[at->target]);
        }
        const uint32_t source = map[path.source];
        const uint32_t destination = map[path.destination];
        if (cases_find(table, source, destination, image, path.length) ==
            table->path_count)
            cases_add(table, source, destination, path.weight, image,
                      path.length);
    }
}

void path_cases_close(const struct nb_topology *topology, unsigned classes,
                      struct nb_path_table *table)
{
    struct nb_path_table closed = { 0 };
    uint32_t *map = nb_new_array(topology->router_count, sizeof *map);
    assert_non_null(map);
    for (size_t p = 0, done = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const uint32_t *channel = table->channel + path->first;
        if (cases_find(&closed, path->source, path->destination, channel,
                       path->length) < closed.path_count)
            continue;
        cases_add(&closed, path->source, path->destination, path->weight,
                  channel, path->length);
        for (; done < closed.path_count; done++)
            cases_add_images(topology, classes, closed.path[done], map,
                             &closed);
    }
    nb_delete(map);
    nb_path_table_release(table);
    *table = closed;
    nb_path_table_sort(table);
}

/* A packet under way. */
struct cases_packet {
    uint32_t source;
    uint32_t router;
    uint32_t destination;
    nb_route_state state;
    uint64_t weight;
    size_t length;
    uint32_t channel[CASES_HOPS];
};

static void cases_go_on(struct walk *walk, const struct cases_packet *packet,
                        struct nb_path_table *out)
{
    struct nb_hop hops[16];
    const size_t count =
        walk_step(walk, packet->state, packet->router, packet->destination);
    uint64_t total = 0;
    assert_true(count <= sizeof hops / sizeof *hops);
    memcpy(hops, walk->hops, count * sizeof *hops);
    for (size_t h = 0; h < count; h++)
        total += hops[h].weight;
    for (size_t h = 0; h < count; h++) {
        struct cases_packet next = *packet;
        assert_true(packet->length < CASES_HOPS);
        assert_true(packet->weight * hops[h].weight % total == 0);
        next.weight = packet->weight * hops[h].weight / total;
        next.channel[next.length++] = hops[h].channel;
        next.router = walk->routing->topology->channels[hops[h].channel].target;
        next.state = hops[h].next;
        cases_go_on(walk, &next, out);
    }
    if (count > 0 || packet->source == packet->destination)
        return;
    const size_t p = cases_find(out, packet->source, packet->destination,
                                packet->channel, packet->length);
    if (p < out->path_count)
        out->path[p].weight += packet->weight;
    else
        cases_add(out, packet->source, packet->destination, packet->weight,
                  packet->channel, packet->length);
}

void path_cases_follow(const struct nb_routing *routing, uint64_t scale,
                       struct nb_path_table *out)
{
    const uint32_t n = (uint32_t)routing->topology->router_count;
    struct walk walk;
    walk_open(&walk, routing, "paths of a scheme");
    *out = (struct nb_path_table){ 0 };
    assert_true(scale % routing->start_total == 0);
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t d = 0; d < n; d++) {
            if (!walk_has_pair(routing, s, d))
                continue;
            const size_t starts = nb_route_starts(routing, s, d, walk.starts);
            for (size_t i = 0; i < starts; i++) {
                const struct cases_packet packet = {
                    .source = s,
                    .router = s,
                    .destination = d,
                    .state = walk.starts[i].state,
                    .weight =
                        scale / routing->start_total * walk.starts[i].weight,
                };
                cases_go_on(&walk, &packet, out);
            }
        }
    }
    walk_close(&walk);
    nb_path_table_sort(out);
}

bool path_cases_same(const struct nb_path_table *a,
                     const struct nb_path_table *b)
{
    bool is_same = a->path_count == b->path_count;
    for (size_t p = 0; p < a->path_count && is_same; p++) {
        const struct nb_table_path *one = &a->path[p], *other = &b->path[p];
        is_same = one->source == other->source &&
                  one->destination == other->destination &&
                  one->weight == other->weight && one->length == other->length;
        for (size_t i = 0; i < one->length && is_same; i++)
            is_same =
                a->channel[one->first + i] == b->channel[other->first + i];
    }
    return is_same;
}

struct nb_ratio *path_cases_crossings(const struct nb_topology *topology,
                                      const struct nb_path_table *table)
{
    const size_t n = topology->router_count, m = topology->channel_count;
    struct nb_ratio *all = nb_new_array(n * n * m, sizeof *all);
    uint64_t *sum = nb_new_array(n * n, sizeof *sum);
    assert_true(all != NULL && sum != NULL);
    for (size_t i = 0; i < n * n * m; i++)
        all[i] = nb_ratio_zero;
    for (size_t p = 0; p < table->path_count; p++)
        sum[table->path[p].source * n + table->path[p].destination] +=
            table->path[p].weight;
    for (size_t p = 0; p < table->path_count; p++) {
        const struct nb_table_path *path = &table->path[p];
        const size_t pair = path->source * n + path->destination;
        for (size_t i = 0; i < path->length; i++) {
            struct nb_ratio *at =
                &all[pair * m + table->channel[path->first + i]];
            *at = nb_ratio_add(*at, nb_ratio_make(path->weight, sum[pair]));
        }
    }
    nb_delete(sum);
    return all;
}

enum nb_status path_cases_build_routing(struct problem *problem,
                                        const struct nb_path_table *table,
                                        struct nb_error *err)
{
    char path[NB_SCRATCH_FILE], specification[NB_SCRATCH_FILE + 8];
    nb_scratch_file(path, ".csv", "");
    TOPOLOGY_CHECK(nb_path_table_write(table, &problem->topology, path, err) ==
                       NB_OK,
                   "%s", err->message);
    snprintf(specification, sizeof specification, "file:%s", path);
    const enum nb_status status = nb_routing_build(
        specification, &problem->topology, &problem->routing, err);
    unlink(path);
    return status;
}

void path_cases_add_routing(struct problem *problem,
                            const struct nb_path_table *table)
{
    struct nb_error error = { 0 };
    TOPOLOGY_CHECK(path_cases_build_routing(problem, table, &error) == NB_OK,
                   "%s", error.message);
}
