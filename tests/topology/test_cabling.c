/* Cabling: levels of trees and odd cables, in networks made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "core/random.h"
#include "core/text.h"
#include "topology/cabling.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An expected oddity: its rule and, where routers have names, its routers. */
struct expected {
    enum nb_odd rule;
    const char *at, *to;
    int64_t found, usual;
};

static void check_odd(const struct nb_topology *topology,
                      const struct nb_cabling *cabling,
                      const struct expected *expected, size_t count)
{
    assert_int_equal(cabling->odd_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct nb_odd_cable *odd = &cabling->odd[i];
        assert_int_equal(odd->rule, expected[i].rule);
        assert_string_equal(nb_router_name(topology, odd->at), expected[i].at);
        if (expected[i].to != NULL)
            assert_string_equal(nb_router_name(topology, odd->to),
                                expected[i].to);
        assert_int_equal(odd->found.numerator, expected[i].found);
        assert_int_equal(odd->usual.numerator, expected[i].usual);
    }
}

/* Three leaves and two spines, two cables between any two of them; one cable is
 * missing between c and t, and t has a host. */
static const char tree[] =
    "<graphml><key id='t' for='node' attr.name='terminals'/>"
    "<graph edgedefault='undirected'>"
    "<node id='a'><data key='t'>4</data></node>"
    "<node id='b'><data key='t'>4</data></node>"
    "<node id='c'><data key='t'>3</data></node>"
    "<node id='s'><data key='t'>0</data></node>"
    "<node id='t'><data key='t'>1</data></node>"
    "<edge source='a' target='s'/><edge source='a' target='s'/>"
    "<edge source='a' target='t'/><edge source='a' target='t'/>"
    "<edge source='b' target='s'/><edge source='b' target='s'/>"
    "<edge source='b' target='t'/><edge source='b' target='t'/>"
    "<edge source='c' target='s'/><edge source='c' target='s'/>"
    "<edge source='c' target='t'/></graph></graphml>";

static void test_tree(void **state)
{
    (void)state;
    static const struct expected expected[] = {
        { NB_ODD_UP, "c", NULL, 3, 4 },
        { NB_ODD_HOSTS, "t", NULL, 1, 0 },
        { NB_ODD_TRUNK, "c", "t", 1, 2 },
    };
    struct nb_topology topology;
    struct nb_cabling cabling;
    topology_must_build_file(tree, ".graphml", "", &topology);
    assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
    assert_int_equal(cabling.levels, 2);
    for (uint32_t r = 0; r < 5; r++)
        assert_int_equal(cabling.level[r], r < 3 ? 0 : 1);
    assert_int_equal(cabling.hosts[2], 3);
    assert_int_equal(nb_cabling_cables(&topology, &cabling, 2, 1), 3);
    assert_int_equal(cabling.missing, 1);
    check_odd(&topology, &cabling, expected,
              sizeof expected / sizeof *expected);
    nb_cabling_release(&cabling);
    nb_topology_release(&topology);
}

/* Hosts are routers here, and one of the two spines has a host: half the number
 * of a leaf, which is not more than half. */
static void test_fabric(void **state)
{
    (void)state;
    static const struct expected expected[] = {
        { NB_ODD_HOSTS, "spine 1", NULL, 1, 0 },
        { NB_ODD_TRUNK, "leaf 0", "spine 0", 2, 1 },
        { NB_ODD_SPEED, "leaf 0", "spine 1", 1, 5 },
        { NB_ODD_SPEED, "leaf 1", "spine 1", 1, 5 },
        { NB_ODD_SELF, "spine 0", "spine 0", 7, 8 },
    };
    struct nb_topology topology;
    struct nb_cabling cabling;
    topology_must_build("file:data/fabrics/two-spines.ibnetdiscover",
                        &topology);
    assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
    assert_int_equal(cabling.levels, 2);
    /* Leaves have 3 and 2 cables up; neither is the usual number. */
    assert_int_equal(cabling.missing, 0);
    check_odd(&topology, &cabling, expected,
              sizeof expected / sizeof *expected);
    nb_cabling_release(&cabling);
    nb_topology_release(&topology);
}

/* One of eleven cables joins two leaves and is odd; if it is one of nine, there
 * is no tree. */
static void test_across(void **state)
{
    (void)state;
    static const struct expected expected[] = {
        { NB_ODD_ACROSS, "a", "b", 0, 0 },
    };
    char text[2000];
    for (size_t spines = 4; spines <= 5; spines++) {
        struct nb_topology topology;
        struct nb_cabling cabling;
        size_t length = (size_t)snprintf(
            text, sizeof text,
            "<graphml><key id='t' for='node' attr.name='terminals'/>"
            "<graph edgedefault='undirected'>"
            "<node id='a'><data key='t'>4</data></node>"
            "<node id='b'><data key='t'>4</data></node>");
        for (size_t s = 0; s < spines; s++)
            length +=
                (size_t)snprintf(text + length, sizeof text - length,
                                 "<node id='s%zu'><data key='t'>0</data></node>"
                                 "<edge source='a' target='s%zu'/>"
                                 "<edge source='b' target='s%zu'/>",
                                 s, s, s);
        snprintf(text + length, sizeof text - length,
                 "<edge source='a' target='b'/></graph></graphml>");
        topology_must_build_file(text, ".graphml", "", &topology);
        assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
        assert_int_equal(cabling.levels, spines == 5 ? 2 : 0);
        check_odd(&topology, &cabling, expected, spines == 5 ? 1 : 0);
        nb_cabling_release(&cabling);
        nb_topology_release(&topology);
    }
}

static const struct {
    const char *topology;
    uint32_t levels;
    uint64_t missing;
    bool is_odd;
} networks[] = {
    { "clos:4x8,up=4", 2, 0, false },
    { "clos:4x8,up=4,parallel=2", 2, 0, false },
    { "clos:4x8,up=4,fail=0-8", 2, 1, true },
    { "clos:4x8,up=4,parallel=2,fail=0-8", 2, 2, true },
    { "fattree:k=4,n=3", 3, 0, false },
    { "fattree:k=4,n=3,fail=random:1", 3, 1, true },
    { "torus:4x4", 0, 0, false },
    { "mesh:4x4", 0, 0, false },
    { "ring:8,fail=0-1", 0, 0, false },
    { "dragonfly:h=2", 0, 0, false },
    { "complete:5", 0, 0, false },
};

static void test_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct nb_topology topology;
        struct nb_cabling cabling;
        topology_must_build(networks[i].topology, &topology);
        assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
        TOPOLOGY_CHECK(cabling.levels == networks[i].levels &&
                           cabling.missing == networks[i].missing &&
                           (cabling.odd_count > 0) == networks[i].is_odd,
                       "%s: %u levels, %u missing, %zu odd",
                       networks[i].topology, cabling.levels,
                       (unsigned)cabling.missing, cabling.odd_count);
        nb_cabling_release(&cabling);
        nb_topology_release(&topology);
    }
}

/* Pods of leaves and spines, each spine with its own cores, which every pod has
 * one cable to. Leaves have any number of hosts, some none; a few spines have
 * storage. Some cables are missing. Without cores, a single pod is a tree of
 * two levels. */
struct pods {
    unsigned pods, leaves, spines, cores, missing;
};

static void add_node(struct nb_text *text, char kind, unsigned number,
                     uint64_t terminals)
{
    nb_text_print(text,
                  "<node id='%c%u'><data key='t'>%" PRIu64 "</data></node>",
                  kind, number, terminals);
}

/* Adds a cable unless it is one of the missing ones. */
static void add_cable(struct nb_text *text, const uint32_t *missing,
                      size_t missing_count, size_t *cable, char from,
                      unsigned source, char to, unsigned target)
{
    bool is_missing = false;
    for (size_t i = 0; i < missing_count; i++)
        is_missing |= missing[i] == *cable;
    (*cable)++;
    if (!is_missing)
        nb_text_print(text, "<edge source='%c%u' target='%c%u'/>", from, source,
                      to, target);
}

static void print_pods(const struct pods *pods, struct nb_random *random,
                       struct nb_text *text)
{
    const unsigned leaves = pods->pods * pods->leaves;
    const unsigned spines = pods->pods * pods->spines;
    const uint32_t cables =
        leaves * pods->spines + spines * (pods->cores > 0 ? pods->cores : 0);
    uint32_t order[2000];
    size_t cable = 0;
    assert_in_range(cables, 1, sizeof order / sizeof *order);
    nb_random_permutation(random, cables, order);
    nb_text_print(text, "<graphml><key id='t' for='node' "
                        "attr.name='terminals'/>"
                        "<graph edgedefault='undirected'>");
    for (unsigned i = 0; i < leaves; i++)
        add_node(text, 'l', i,
                 i % pods->leaves == 0 ? 20 : nb_random_below(random, 25));
    for (unsigned i = 0; i < spines; i++)
        add_node(text, 's', i, nb_random_below(random, 16) == 0);
    for (unsigned i = 0; i < pods->spines * pods->cores; i++)
        add_node(text, 'c', i, 0);
    for (unsigned i = 0; i < leaves; i++)
        for (unsigned j = 0; j < pods->spines; j++)
            add_cable(text, order, pods->missing, &cable, 'l', i, 's',
                      i / pods->leaves * pods->spines + j);
    for (unsigned i = 0; i < spines; i++)
        for (unsigned j = 0; j < pods->cores; j++)
            add_cable(text, order, pods->missing, &cable, 's', i, 'c',
                      i % pods->spines * pods->cores + j);
    nb_text_print(text, "</graph></graphml>");
}

static const struct pods drawn[] = {
    { 1, 12, 4, 0, 0 }, { 1, 12, 4, 0, 3 }, { 1, 20, 6, 0, 5 },
    { 4, 6, 4, 3, 0 },  { 4, 6, 4, 3, 4 },  { 8, 8, 8, 4, 9 },
    { 10, 5, 6, 3, 6 },
};

static void check_pods(const struct pods *pods, uint64_t seed)
{
    struct nb_random random;
    struct nb_text text = { 0 };
    struct nb_topology topology;
    struct nb_cabling cabling;
    nb_random_init(&random, seed, 0);
    print_pods(pods, &random, &text);
    topology_must_build_file(text.bytes, ".graphml", "", &topology);
    assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
    const uint32_t levels = pods->cores > 0 ? 3 : 2;
    TOPOLOGY_CHECK(cabling.levels == levels, "seed %d: %u levels", (int)seed,
                   cabling.levels);
    for (uint32_t r = 0; r < topology.router_count; r++) {
        const char kind = *nb_router_name(&topology, r);
        TOPOLOGY_CHECK(cabling.level[r] == (kind == 'l'   ? 0
                                            : kind == 's' ? 1
                                                          : 2),
                       "seed %d: %s is in level %u", (int)seed,
                       nb_router_name(&topology, r), cabling.level[r]);
    }
    TOPOLOGY_CHECK(cabling.missing == pods->missing,
                   "seed %d: %u of %u cables missing", (int)seed,
                   (unsigned)cabling.missing, pods->missing);
    nb_cabling_release(&cabling);
    nb_topology_release(&topology);
    nb_text_release(&text);
}

static void test_uneven_hosts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            check_pods(&drawn[i], seed);
}

/* Nodes of topology.conf are no switches; without hosts, a leaf is known by the
 * switches above it. */
static void test_slurm(void **state)
{
    (void)state;
    struct nb_topology topology;
    struct nb_cabling cabling;
    topology_must_build_file("SwitchName=s0 Nodes=n[0-3]\n"
                             "SwitchName=s1 Nodes=n[4-5]\n"
                             "SwitchName=empty\n"
                             "SwitchName=t0 Switches=s[0-1],empty\n"
                             "SwitchName=t1 Switches=s[0-1],empty\n",
                             ".conf", "", &topology);
    assert_int_equal(topology.first_node, 5);
    assert_int_equal(topology.router_count, 11);
    assert_int_equal(nb_cabling_find(&topology, &cabling, NULL), NB_OK);
    assert_int_equal(cabling.levels, 2);
    static const char *const names[] = { "s0", "s1", "empty", "t0", "t1" };
    for (uint32_t r = 0; r < 5; r++) {
        assert_string_equal(nb_router_name(&topology, r), names[r]);
        assert_int_equal(cabling.level[r], r > 2);
    }
    assert_int_equal(cabling.level[5], NB_NONE);
    assert_int_equal(cabling.hosts[0], 4);
    nb_cabling_release(&cabling);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),         cmocka_unit_test(test_fabric),
        cmocka_unit_test(test_across),       cmocka_unit_test(test_networks),
        cmocka_unit_test(test_uneven_hosts), cmocka_unit_test(test_slurm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
