/*
 * Tables of paths: accepted tables are written and read back unchanged, and
 * are a routing.
 * Words: src/routing/path_table.c src/core/lines.c
 * Seeds: data/routing/?*.csv
 */
#include "../support/fuzz.h"
#include "../support/scratch.h"

#include "routing/path_table.h"
#include "routing/routing.h"

#include <stdio.h>
#include <string.h>

static void paths_compare(const struct nb_path_table *a,
                          const struct nb_path_table *b)
{
    FUZZ_CHECK(a->path_count == b->path_count, "%zu paths, %zu read",
               a->path_count, b->path_count);
    for (size_t i = 0; i < a->path_count; i++) {
        const struct nb_table_path *one = &a->path[i], *other = &b->path[i];
        FUZZ_CHECK(
            one->source == other->source &&
                one->destination == other->destination &&
                one->weight == other->weight && one->length == other->length &&
                memcmp(a->channel + one->first, b->channel + other->first,
                       one->length * sizeof *a->channel) == 0,
            "path %zu", i);
    }
}

static void paths_write(const struct nb_path_table *table,
                        const struct nb_topology *topology, const char *read_as)
{
    char specification[NB_SCRATCH_PATH + 30];
    struct nb_path_table again = { 0 };
    struct nb_routing routing = { 0 };
    struct nb_error err = { 0 };
    const char *path = fuzz_path("again.csv");
    nb_path_table_write(table, topology, path, &err);
    nb_path_table_read(topology, path, &again, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s", err.message);
    paths_compare(table, &again);
    snprintf(specification, sizeof specification, "file:%s,format=paths",
             read_as);
    fuzz_check_error(nb_routing_build(specification, topology, &routing, &err),
                     &err);
    nb_routing_release(&routing);
    nb_path_table_release(&again);
}

static void paths_read(const char *network, const char *path)
{
    const struct nb_topology *topology = fuzz_topology(network);
    struct nb_path_table table = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(nb_path_table_read(topology, path, &table, &err), &err);
    if (err.status == NB_OK)
        paths_write(&table, topology, path);
    nb_path_table_release(&table);
}

static void paths(const uint8_t *bytes, size_t length)
{
    const char *path = fuzz_file("paths.csv", bytes, length);
    paths_read("ring:5", path);
    paths_read("mesh:2x3", path);
    paths_read("file:data/fabrics/two-spines.ibnetdiscover,speeds=alike", path);
}

FUZZ_TARGET(paths)
