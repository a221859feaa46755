/* Networks written and read back, in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/network_file.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "topology/fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void graphml_gives_the_network_back(void **state)
{
    (void)state;
    topology_each_example(network_file_check_graphml);
}

/* For each router of a, the router of b with the same name. */
static void find_routers(const struct nb_topology *a,
                         const struct nb_topology *b, uint32_t *map)
{
    for (uint32_t r = 0; r < a->router_count; r++) {
        map[r] = r;
        for (uint32_t s = 0; nb_router_name(a, r) && s < b->router_count; s++)
            if (strcmp(nb_router_name(a, r), nb_router_name(b, s)) == 0)
                map[r] = s;
    }
}

/* The parameters that the comment on the first line says to read the list
 * with. */
static void read_parameters(const char *path, char out[80])
{
    static const char opening[] = "# read with: ";
    struct nb_text text = { 0 };
    assert_int_equal(nb_text_read_file(path, NETWORK_FILE_LIMIT, &text, NULL),
                     NB_OK);
    assert_memory_equal(text.bytes, opening, sizeof opening - 1);
    text.bytes[strcspn(text.bytes, "\n")] = '\0';
    snprintf(out, 80, ",%s", text.bytes + sizeof opening - 1);
    nb_text_release(&text);
}

static bool has_equal_terminals(const struct nb_topology *topology)
{
    for (size_t r = 1; r < topology->router_count; r++)
        if (topology->terminals[r] != topology->terminals[0])
            return false;
    return true;
}

/* Whether every name is one word; InfiniBand hosts seldom have such names. */
static bool has_words(const struct nb_topology *topology)
{
    for (uint32_t r = 0; r < topology->router_count; r++)
        if (nb_router_name(topology, r) != NULL &&
            strpbrk(nb_router_name(topology, r), " \t\n\r,") != NULL)
            return false;
    return true;
}

static void check_edges(const struct nb_topology *topology, const char *name)
{
    static const char *const endings[] = { ".csv", ".txt" };
    for (size_t i = 0; i < 2; i++) {
        struct nb_topology read = { 0 };
        struct nb_error err = { 0 };
        char path[NB_SCRATCH_FILE], parameters[80];
        uint32_t map[1000];
        network_file_write(topology, endings[i], path, &err);
        if (!has_equal_terminals(topology) || !has_words(topology)) {
            TOPOLOGY_CHECK(path[0] == '\0' &&
                               strstr(err.message, has_words(topology)
                                                       ? "terminals"
                                                       : "the name") != NULL,
                           "%s", name);
            continue;
        }
        TOPOLOGY_CHECK(path[0] != '\0', "%s: %s", name, err.message);
        read_parameters(path, parameters);
        network_file_read(path, parameters, &read);
        assert_in_range(topology->router_count, 0, 1000);
        find_routers(topology, &read, map);
        TOPOLOGY_CHECK(topology_same_channels(topology, &read, map), "%s%s",
                       name, parameters);
        TOPOLOGY_CHECK(topology->terminals[0] == read.terminals[0] &&
                           network_file_same_limit(topology, &read),
                       "%s%s", name, parameters);
        nb_topology_release(&read);
    }
}

static void edge_lists_give_the_channels_back(void **state)
{
    (void)state;
    topology_each_example(check_edges);
}

/* Whether BookSim can read it: every channel has bandwidth 1, there is one from
 * a router to another, and one back. */
static bool is_booksim(const struct nb_topology *topology)
{
    for (size_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *at = &topology->channels[c];
        size_t same = 0, opposite = 0;
        for (size_t d = 0; d < topology->channel_count; d++) {
            const struct nb_channel *other = &topology->channels[d];
            same += other->source == at->source && other->target == at->target;
            opposite +=
                other->source == at->target && other->target == at->source;
        }
        if (same != 1 || opposite != 1 ||
            !ratio_same(at->bandwidth, nb_ratio_one))
            return false;
    }
    return !nb_ratio_is_known(topology->terminal_bandwidth) ||
           ratio_same(topology->terminal_bandwidth, nb_ratio_one);
}

static size_t anynet_written, anynet_refused;

static void check_anynet(const struct nb_topology *topology, const char *name)
{
    struct nb_topology read = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE];
    network_file_write(topology, ".anynet", path, &err);
    TOPOLOGY_CHECK((path[0] != '\0') == is_booksim(topology), "%s: %s", name,
                   err.message);
    if (path[0] == '\0') {
        TOPOLOGY_CHECK(strstr(err.message, "anynet cannot hold") != NULL &&
                           strstr(err.message, "permitted: ") != NULL,
                       "%s: %s", name, err.message);
        anynet_refused++;
        return;
    }
    network_file_read(path, "", &read);
    TOPOLOGY_CHECK(topology_same_channels(topology, &read, NULL), "%s", name);
    for (size_t r = 0; r < topology->router_count; r++)
        TOPOLOGY_CHECK(topology->terminals[r] == read.terminals[r], "%s: %zu",
                       name, r);
    nb_topology_release(&read);
    anynet_written++;
}

static void anynet_gives_the_channels_back(void **state)
{
    (void)state;
    topology_each_example(check_anynet);
    assert_true(anynet_written >= 10);
    assert_true(anynet_refused >= 3);
}

/* The switch for a router. */
static uint32_t switch_of(const struct nb_topology *read, uint32_t router)
{
    const uint64_t guid = 0x10000 + (uint64_t)router * 0x100;
    return nb_fabric_find_guid(read->fabric, guid);
}

/* Channels by their ports. */
static void check_switch(const struct nb_topology *topology,
                         const struct nb_topology *read, uint32_t router,
                         const char *name)
{
    const uint32_t at = switch_of(read, router);
    uint32_t port = 1;
    for (uint32_t c = topology->out_start[router];
         c < topology->out_start[router + 1]; c++, port++) {
        const struct nb_fabric_port *of =
            nb_fabric_find(read->fabric, at, port);
        TOPOLOGY_CHECK(of != NULL &&
                           of->target ==
                               switch_of(read, topology->channels[c].target),
                       "%s: channel %u", name, c);
        const struct nb_channel *channel =
            &read->channels[nb_fabric_channel(read, of)];
        assert_true(
            ratio_same(topology->channels[c].bandwidth, channel->bandwidth));
    }
    for (uint32_t t = 0; t < topology->terminals[router]; t++, port++)
        TOPOLOGY_CHECK(
            read->terminals[nb_fabric_find(read->fabric, at, port)->target] ==
                1,
            "%s: port %u of router %u", name, port, router);
    assert_null(nb_fabric_find(read->fabric, at, port));
}

/* Switches keep their groups, and hosts have those of their switches. */
static void check_fabric_groups(const struct nb_topology *topology,
                                const struct nb_topology *read,
                                const char *name)
{
    if (topology->groups.count == 0 || nb_has_failures(topology) ||
        strcmp(topology->kind->kind.name, "file") == 0)
        return;
    TOPOLOGY_CHECK(read->groups.count == topology->groups.count, "%s: groups",
                   name);
    for (uint32_t r = 0; r < read->router_count; r++) {
        const uint32_t at = r < topology->router_count
                                ? r
                                : read->channels[read->out_start[r]].target;
        TOPOLOGY_CHECK(read->groups.of[r] == topology->groups.of[at],
                       "%s: group of router %u", name, r);
    }
}

/* With hosts as terminals, the network is the same. */
static void check_folded(const struct nb_topology *topology,
                         const struct nb_topology *read, const char *name)
{
    const struct nb_ratio a = topology->terminal_bandwidth;
    const struct nb_ratio b = read->terminal_bandwidth;
    assert_int_equal(read->router_count, topology->router_count);
    assert_int_equal(read->channel_count, topology->channel_count);
    assert_true(nb_ratio_is_known(a) == nb_ratio_is_known(b) &&
                (!nb_ratio_is_known(a) || ratio_same(a, b)));
    assert_memory_equal(read->terminals, topology->terminals,
                        read->router_count * sizeof *read->terminals);
    network_file_compare_places(topology, read, name);
    if (read->like == NULL)
        return;
    for (size_t c = 0; c < read->channel_count; c++)
        TOPOLOGY_CHECK(
            read->channels[c].source == topology->channels[c].source &&
                read->channels[c].target == topology->channels[c].target &&
                ratio_same(read->channels[c].bandwidth,
                           topology->channels[c].bandwidth),
            "%s: channel %zu", name, c);
}

static size_t fabrics_written;

static void check_fabric(const struct nb_topology *topology, const char *name)
{
    struct nb_topology read = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE];
    size_t live = 0;
    network_file_write(topology, ".ibnetdiscover", path, &err);
    if (path[0] == '\0') {
        TOPOLOGY_CHECK(topology->fabric != NULL ||
                           strstr(err.message, "no cable of InfiniBand has "
                                               "bandwidth ") != NULL ||
                           strstr(err.message, "has no opposite") != NULL,
                       "%s: %s", name, err.message);
        assert_non_null(strstr(err.message, "permitted: "));
        return;
    }
    network_file_read(path, "", &read);
    for (uint32_t r = 0; r < topology->router_count; r++) {
        if (nb_router_has_failed(topology, r))
            continue;
        live++;
        check_switch(topology, &read, r, name);
    }
    assert_int_equal(read.terminal_count, topology->terminal_count);
    assert_int_equal(read.router_count, live + topology->terminal_count);
    check_fabric_groups(topology, &read, name);
    nb_topology_release(&read);
    fabrics_written++;
    if (nb_has_failures(topology))
        return;
    network_file_write(topology, ".ibnetdiscover", path, &err);
    network_file_read(path, ",hosts=terminals", &read);
    check_folded(topology, &read, name);
    nb_topology_release(&read);
}

static void fabrics_give_the_cables_back(void **state)
{
    (void)state;
    topology_each_example(check_fabric);
    assert_true(fabrics_written >= 30);
}

/* The edges of a DOT file by their lines; bandwidth 1 is not written. */
static void read_dot(const char *bytes, struct nb_topology *out)
{
    const bool is_directed = strncmp(bytes, "digraph", 7) == 0;
    for (const char *line = bytes; line != NULL;
         line = strchr(line, '\n'), line += line != NULL) {
        unsigned source, target;
        char joint[3], rest[80] = "", bandwidth[40] = "1";
        if (sscanf(line, " %u %2[->] %u%79[^\n]", &source, joint, &target,
                   rest) < 3)
            continue;
        assert_string_equal(joint, is_directed ? "->" : "--");
        (void)sscanf(rest, " [bandwidth=\"%39[^\"]", bandwidth);
        struct nb_channel channel = { source, target, { 0, 0 } };
        assert_int_equal(nb_ratio_read(bandwidth, &channel.bandwidth, NULL),
                         NB_OK);
        out->channels[out->channel_count++] = channel;
        channel.source = target;
        channel.target = source;
        if (!is_directed)
            out->channels[out->channel_count++] = channel;
    }
}

static void check_dot(const struct nb_topology *topology, const char *name)
{
    struct nb_topology read = { .router_count = topology->router_count };
    struct nb_text text = { 0 };
    struct nb_error err = { 0 };
    char path[NB_SCRATCH_FILE];
    network_file_write(topology, ".dot", path, &err);
    TOPOLOGY_CHECK(path[0] != '\0', "%s: %s", name, err.message);
    assert_int_equal(nb_text_read_file(path, NETWORK_FILE_LIMIT, &text, NULL),
                     NB_OK);
    read.channels =
        nb_new_array(2 * topology->channel_count, sizeof *read.channels);
    read_dot(text.bytes, &read);
    TOPOLOGY_CHECK(topology_same_channels(topology, &read, NULL), "%s", name);
    nb_delete(read.channels);
    nb_text_release(&text);
    unlink(path);
}

static void dot_has_the_channels(void **state)
{
    (void)state;
    topology_each_example(check_dot);
}

/* A ring makes it strongly connected; with parallel channels and any bandwidths
 * and terminals: 2^63 - 1 and 1/(2^63 - 1) among them. */
static void make_random(struct nb_text *text, uint64_t seed)
{
    struct nb_random random;
    nb_random_init(&random, seed, 0);
    const uint64_t n = 2 + nb_random_below(&random, 9);
    const uint64_t m = n + nb_random_below(&random, 20);
    nb_text_print(text,
                  "<graphml><key id='t' for='node' attr.name='terminals'/>"
                  "<key id='b' for='edge' attr.name='bandwidth'/>"
                  "<graph edgedefault='directed'>");
    for (uint64_t r = 0; r < n; r++)
        nb_text_print(text,
                      "<node id='%s%" PRIu64 "'><data key='t'>%" PRIu64
                      "</data></node>",
                      seed % 2 == 0 ? "" : "r", r,
                      r > 0 ? nb_random_below(&random, 3) : 1);
    for (uint64_t c = 0; c < m; c++) {
        const uint64_t s = c < n ? c : nb_random_below(&random, n);
        const uint64_t d =
            c < n ? (c + 1) % n : (s + 1 + nb_random_below(&random, n - 1)) % n;
        const uint64_t top = nb_random_next(&random) >> 1;
        nb_text_print(text,
                      "<edge source='%s%" PRIu64 "' target='%s%" PRIu64
                      "'><data key='b'>%" PRIu64 "/%" PRIu64 "</data></edge>",
                      seed % 2 == 0 ? "" : "r", s, seed % 2 == 0 ? "" : "r", d,
                      c == 0   ? INT64_MAX
                      : c == 1 ? 1
                               : top % (1 << c % 40) + 1,
                      c == 1   ? INT64_MAX
                      : c == 0 ? 1
                               : nb_random_below(&random, 64) + 1);
    }
    nb_text_print(text, "</graph></graphml>");
}

static void random_networks_survive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        char name[40];
        struct nb_text text = { 0 };
        struct nb_topology topology = { 0 };
        snprintf(name, sizeof name, "seed %" PRIu64, seed);
        make_random(&text, seed);
        topology_must_build_file(text.bytes, ".graphml", ",directed=yes",
                                 &topology);
        network_file_check_graphml(&topology, name);
        check_edges(&topology, name);
        check_anynet(&topology, name);
        check_dot(&topology, name);
        nb_topology_release(&topology);
        nb_text_release(&text);
    }
}

/* Reads a network of each form with one allocation after another failing. */
static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        { ".graphml", "" },
        { ".ibnetdiscover", "" },
        { ".ibnetdiscover", ",hosts=terminals" },
    };
    struct nb_topology topology = { 0 }, read;
    topology_must_build("dragonfly:1", &topology);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const long before = nb_memory_live_blocks();
        char path[NB_SCRATCH_FILE], text[NB_SCRATCH_FILE + 40];
        enum nb_status status = NB_NO_MEMORY;
        struct nb_error err = { 0 };
        long allowed = 0;
        network_file_write(&topology, forms[i][0], path, &err);
        snprintf(text, sizeof text, "file:%s%s", path, forms[i][1]);
        for (; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_topology_build(text, &read, NULL);
            nb_memory_allow(-1);
            if (status == NB_OK)
                nb_topology_release(&read);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        assert_true(allowed > 50);
        unlink(path);
    }
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphml_gives_the_network_back),
        cmocka_unit_test(edge_lists_give_the_channels_back),
        cmocka_unit_test(anynet_gives_the_channels_back),
        cmocka_unit_test(fabrics_give_the_cables_back),
        cmocka_unit_test(dot_has_the_channels),
        cmocka_unit_test(random_networks_survive),
        cmocka_unit_test(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
