/*
 * Forwarding tables, service levels and lanes of InfiniBand networks: accepted
 * tables are written and read back unchanged.
 * Words: src/routing/formats/forwarding.c
 * src/routing/formats/forwarding_write.c Seeds: data/fabrics/?*.lft
 * data/fabrics/?*.sl
 */
#include "../support/fuzz.h"
#include "../support/scratch.h"

#include "core/memory.h"
#include "routing/formats/forwarding.h"

#include <stdio.h>
#include <string.h>

/* Packets between hosts take the same paths in both tables. */
static void forwarding_compare(const struct nb_forwarding *a,
                               const struct nb_forwarding *b)
{
    const struct nb_topology *topology = a->topology;
    const uint32_t n = (uint32_t)topology->router_count;
    uint32_t channel[2][64];
    uint8_t class[64];
    size_t length[2];
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = 0; d < n; d++) {
            if (s == d || topology->terminals[s] == 0 ||
                topology->terminals[d] == 0)
                continue;
            if (a->first[d] == a->first[d + 1])
                continue;
            const enum nb_forwarding_end end = nb_forwarding_follow(
                a, s, 0, a->first[d], channel[0], class, &length[0]);
            FUZZ_CHECK(
                end != NB_ARRIVES ||
                    (nb_forwarding_follow(b, s, 0, b->first[d], channel[1],
                                          class, &length[1]) == NB_ARRIVES &&
                     length[0] == length[1] &&
                     memcmp(channel[0], channel[1],
                            length[0] * sizeof **channel) == 0),
                "from %u to %u", s, d);
        }
}

static void forwarding_write(const struct nb_forwarding *tables,
                             const char *read_as)
{
    char specification[NB_SCRATCH_PATH + 30];
    struct nb_forwarding again = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_error err = { 0 };
    const char *path = fuzz_path("again.lft");
    snprintf(specification, sizeof specification, "file:%s,format=lft",
             read_as);
    fuzz_check_error(
        nb_routing_build(specification, tables->topology, &routing, &err),
        &err);
    if (err.status == NB_OK &&
        nb_forwarding_write(&routing, path, &err) == NB_OK) {
        nb_forwarding_read(tables->topology, path, false, &again, &err);
        FUZZ_CHECK(err.status == NB_OK, "%s: %s", path, err.message);
        forwarding_compare(tables, &again);
    }
    nb_forwarding_release(&again);
    nb_routing_release(&routing);
}

static void forwarding_read(const char *path,
                            const struct nb_topology *topology)
{
    struct nb_forwarding tables = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(nb_forwarding_read(topology, path, false, &tables, &err),
                     &err);
    if (err.status == NB_OK)
        forwarding_write(&tables, path);
    nb_forwarding_release(&tables);
}

typedef enum nb_status forwarding_reader(struct nb_forwarding *forwarding,
                                         const char *path,
                                         struct nb_error *err);

/* Next to valid tables. */
static void forwarding_read_beside(forwarding_reader *reader, const char *path,
                                   const struct nb_topology *topology,
                                   const char *shipped)
{
    struct nb_forwarding tables = { 0 };
    struct nb_routing routing = { .topology = topology };
    struct nb_error err = { 0 };
    FUZZ_CHECK(nb_forwarding_read(topology, shipped, false, &tables, &err) ==
                   NB_OK,
               "%s", err.message);
    fuzz_check_error(reader(&tables, path, &err), &err);
    if (err.status == NB_OK)
        fuzz_check_error(nb_forwarding_ways(&tables, &routing, &err), &err);
    nb_routing_release(&routing);
    nb_forwarding_release(&tables);
}

static void forwarding_try(const char *network, const char *shipped,
                           const char *path)
{
    const struct nb_topology *topology = fuzz_topology(network);
    forwarding_read(path, topology);
    forwarding_read_beside(nb_forwarding_read_levels, path, topology, shipped);
    forwarding_read_beside(nb_forwarding_read_lanes, path, topology, shipped);
}

static void forwarding(const uint8_t *bytes, size_t length)
{
    const char *path = fuzz_file("tables", bytes, length);
    forwarding_try("file:data/fabrics/ring5.ibnetdiscover",
                   "data/fabrics/ring5-lash.lft", path);
    forwarding_try("file:data/fabrics/two-spines.ibnetdiscover,speeds=alike",
                   "data/fabrics/two-spines.lft", path);
}

FUZZ_TARGET(forwarding)
