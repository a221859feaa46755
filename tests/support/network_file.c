#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "network_file.h"

#include "ratio_checks.h"
#include "topology_checks.h"

#include "core/text.h"
#include "topology/graph_write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void network_file_write(const struct nb_topology *topology, const char *ending,
                        char path[NB_SCRATCH_FILE], struct nb_error *err)
{
    nb_scratch_file(path, ending, "");
    unlink(path);
    if (nb_graph_write(topology, path, err) != NB_OK) {
        assert_int_not_equal(access(path, F_OK), 0);
        path[0] = '\0';
    }
}

void network_file_read(const char *path, const char *parameters,
                       struct nb_topology *out)
{
    char specification[TOPOLOGY_WORD];
    snprintf(specification, sizeof specification, "file:%s%s", path,
             parameters);
    topology_must_build(specification, out);
    unlink(path);
}

void network_file_check_text(const struct nb_topology *topology,
                             const char *ending, const char *expected)
{
    char path[NB_SCRATCH_FILE];
    struct nb_error err = { 0 };
    struct nb_text text = { 0 };
    network_file_write(topology, ending, path, &err);
    TOPOLOGY_CHECK(path[0] != '\0', "%s", err.message);
    assert_int_equal(nb_text_read_file(path, NETWORK_FILE_LIMIT, &text, NULL),
                     NB_OK);
    assert_string_equal(text.bytes, expected);
    nb_text_release(&text);
    unlink(path);
}

bool network_file_same_limit(const struct nb_topology *a,
                             const struct nb_topology *b)
{
    return nb_ratio_is_known(a->terminal_bandwidth)
               ? ratio_same(a->terminal_bandwidth, b->terminal_bandwidth)
               : !nb_ratio_is_known(b->terminal_bandwidth);
}

void network_file_compare(const struct nb_topology *a,
                          const struct nb_topology *b, const char *name)
{
    TOPOLOGY_CHECK(a->router_count == b->router_count &&
                       a->channel_count == b->channel_count,
                   "%s", name);
    TOPOLOGY_CHECK(network_file_same_limit(a, b), "%s", name);
    for (uint32_t r = 0; r < a->router_count; r++) {
        const char *one = nb_router_name(a, r), *other = nb_router_name(b, r);
        TOPOLOGY_CHECK(a->terminals[r] == b->terminals[r], "%s: %u", name, r);
        TOPOLOGY_CHECK(one == NULL ? other == NULL
                                   : other != NULL && strcmp(one, other) == 0,
                       "%s: router %u", name, r);
    }
    for (size_t c = 0; c < a->channel_count; c++)
        TOPOLOGY_CHECK(
            a->channels[c].source == b->channels[c].source &&
                a->channels[c].target == b->channels[c].target &&
                ratio_same(a->channels[c].bandwidth, b->channels[c].bandwidth),
            "%s: channel %zu", name, c);
}

static void compare_grids(const struct nb_grid *a, const struct nb_grid *b,
                          size_t routers, const char *name)
{
    TOPOLOGY_CHECK(a->dimensions == b->dimensions && a->wraps == b->wraps &&
                       memcmp(a->radix, b->radix, sizeof a->radix) == 0 &&
                       (a->channel == NULL) == (b->channel == NULL),
                   "%s: coordinates", name);
    if (a->channel != NULL)
        assert_memory_equal(a->channel, b->channel,
                            routers * a->dimensions * 2 * sizeof *a->channel);
}

static void
compare_forms(struct nb_closed_form (*a)(const struct nb_topology *),
              struct nb_closed_form (*b)(const struct nb_topology *),
              const struct nb_topology *one, const struct nb_topology *other,
              const char *name)
{
    TOPOLOGY_CHECK((a == NULL) == (b == NULL), "%s: closed forms", name);
    if (a == NULL)
        return;
    const struct nb_ratio own = a(one).value, its = b(other).value;
    TOPOLOGY_CHECK(
        own.numerator == its.numerator && own.denominator == its.denominator,
        "%s: closed form %d/%d, not %d/%d", name, (int)its.numerator,
        (int)its.denominator, (int)own.numerator, (int)own.denominator);
}

void network_file_compare_places(const struct nb_topology *topology,
                                 const struct nb_topology *read,
                                 const char *name)
{
    const size_t n = topology->router_count;
    const struct nb_topology_kind *a = topology->kind, *b = read->kind;
    if (nb_has_failures(topology) || strcmp(a->kind.name, "file") == 0)
        return;
    TOPOLOGY_CHECK(topology->groups.count == read->groups.count, "%s: groups",
                   name);
    assert_true(topology->groups.counts_global_first ==
                read->groups.counts_global_first);
    if (topology->groups.count > 0)
        assert_memory_equal(topology->groups.of, read->groups.of,
                            n * sizeof *read->groups.of);
    compare_grids(&topology->grid, &read->grid, n, name);
    compare_grids(&topology->hyperx, &read->hyperx, n, name);
    assert_memory_equal(&topology->tree, &read->tree, sizeof read->tree);
    assert_memory_equal(&topology->nest, &read->nest, sizeof read->nest);
    if (read->like == NULL)
        return;
    compare_forms(a->capacity, b->capacity, topology, read, name);
    compare_forms(a->bisection, b->bisection, topology, read, name);
    compare_forms(a->diameter, b->diameter, topology, read, name);
    compare_forms(a->mean_distance, b->mean_distance, topology, read, name);
    assert_true(nb_topology_is_regular(topology) ==
                nb_topology_is_regular(read));
}

void network_file_check_graphml(const struct nb_topology *topology,
                                const char *name)
{
    static const char *const endings[] = { ".graphml", ".XML" };
    for (size_t i = 0; i < 2; i++) {
        struct nb_topology read = { 0 };
        struct nb_error err = { 0 };
        char path[NB_SCRATCH_FILE];
        network_file_write(topology, endings[i], path, &err);
        TOPOLOGY_CHECK(path[0] != '\0', "%s: %s", name, err.message);
        /* The file is complete, whatever the parameters. */
        network_file_read(path, ",terminals=7,bandwidth=5", &read);
        network_file_compare(topology, &read, name);
        network_file_compare_places(topology, &read, name);
        nb_topology_release(&read);
    }
}
