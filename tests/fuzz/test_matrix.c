/*
 * Traffic matrices and permutations: accepted input is written in every format
 * that can hold it, and read back unchanged.
 * Words: src/traffic/matrix.c src/traffic/matrix_json.c src/core/lines.c
 * Seeds: data/traffic/ring4-?* data/traffic/?*rapidchiplet.json
 */
#include "../support/fuzz.h"
#include "../support/scratch.h"

#include "traffic/export.h"

#include <stdio.h>
#include <string.h>

static enum nb_status matrix_build(const char *path,
                                   const struct nb_topology *topology,
                                   struct nb_traffic *out, struct nb_error *err)
{
    char specification[NB_SCRATCH_PATH + 10];
    snprintf(specification, sizeof specification, "file:%s", path);
    return nb_traffic_build(specification, topology, true, out, err);
}

static void matrix_compare(const struct nb_traffic *a,
                           const struct nb_traffic *b, const char *path)
{
    FUZZ_CHECK(
        a->denominator == b->denominator && a->demand_count == b->demand_count,
        "%s: %zu and %zu demands", path, a->demand_count, b->demand_count);
    for (size_t i = 0; i < a->demand_count; i++)
        FUZZ_CHECK(a->demands[i].source == b->demands[i].source &&
                       a->demands[i].target == b->demands[i].target &&
                       a->demands[i].weight == b->demands[i].weight,
                   "%s: demand %zu", path, i);
}

/* A Noxim table may round. */
static void matrix_write(const struct nb_traffic *traffic,
                         const struct nb_topology *topology, const char *name,
                         bool is_exact)
{
    const char *path = fuzz_path(name);
    struct nb_traffic read = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(nb_traffic_write(path, traffic, topology, &err), &err);
    if (err.status != NB_OK)
        return;
    matrix_build(path, topology, &read, &err);
    FUZZ_CHECK(err.status == NB_OK, "%s: %s", path, err.message);
    if (is_exact)
        matrix_compare(traffic, &read, path);
    nb_traffic_release(&read);
}

static void matrix_read(const char *network, const char *name,
                        const uint8_t *bytes, size_t length)
{
    const struct nb_topology *topology = fuzz_topology(network);
    struct nb_traffic traffic = { 0 };
    struct nb_error err = { 0 };
    fuzz_check_error(
        matrix_build(fuzz_file(name, bytes, length), topology, &traffic, &err),
        &err);
    if (err.status == NB_OK) {
        matrix_write(&traffic, topology, "again.csv", true);
        matrix_write(&traffic, topology, "again.json", true);
        matrix_write(&traffic, topology, "again.noxim", false);
    }
    nb_traffic_release(&traffic);
}

static void matrix(const uint8_t *bytes, size_t length)
{
    static const char *const names[] = { "matrix.csv", "matrix.json",
                                         "matrix.noxim" };
    for (size_t i = 0; i < 3; i++) {
        matrix_read("ring:4", names[i], bytes, length);
        matrix_read("fattree:k=2,n=2", names[i], bytes, length);
    }
}

FUZZ_TARGET(matrix)
