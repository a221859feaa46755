/* SNDlib: networks and demands in both forms, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "traffic/traffic.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CITIES "file:data/topologies/five-cities-sndlib.xml"
#define HEAD   "?SNDlib native format; type: network; version: 1.0\n"

/* The same network as in CITIES. */
static const char native[] = HEAD
    "# network five\nMETA (\n unit = MBITPERSEC\n)\n# NODES\nNODES (\n"
    " Bonn ( 7.1 50.7 )\n Graz (15.4 47.1)\n Linz ( 14.3 48.3 )\n"
    " Prag ( 14.4 50.1 )\n Wien ( 16.4 48.2 )\n)\nLINKS (\n"
    " L1 ( Bonn Prag ) 40.00 0.00 0.00 0.00 ( )\n"
    " L2 ( Prag Wien ) 0.00 0.00 0.00 0.00 ( 40.00 9.50 10.00 3.00 )\n"
    " L3 ( Wien Graz ) 2.50 0 0 0 ( 1 0 )\n L4 ( Graz Linz ) 10 0 0 0 ( )\n"
    " L5 ( Linz Bonn ) 10 0 0 0 ( UNLIMITED 7 )\n)\nDEMANDS (\n"
    " D1 ( Bonn Wien ) 1 4.00 UNLIMITED\n D2 ( Graz Bonn ) 1 2.50 3\n"
    " D3 ( Linz Graz ) 2 1.25 UNLIMITED\n)\nADMISSIBLE_PATHS (\n"
    " D1 (\n  P_0 ( L1 L2 )\n )\n)\n";

static void check_cities(const struct nb_topology *topology)
{
    static const struct {
        const char *a, *b;
        int64_t top, bottom;
    } links[] = { { "Bonn", "Prag", 40, 1 },
                  { "Prag", "Wien", 10, 1 },
                  { "Wien", "Graz", 5, 2 },
                  { "Graz", "Linz", 10, 1 },
                  { "Linz", "Bonn", 10, 1 } };
    assert_int_equal(topology->router_count, 5);
    assert_int_equal(topology->channel_count, 10);
    for (size_t i = 0; i < 5; i++) {
        const uint32_t a = nb_router_find(topology, links[i].a, 4);
        const uint32_t b = nb_router_find(topology, links[i].b, 4);
        const struct nb_channel *there =
            &topology->channels[topology_find_channel(topology, a, b)];
        const struct nb_channel *back =
            &topology->channels[topology_find_channel(topology, b, a)];
        assert_int_equal(there->bandwidth.numerator, links[i].top);
        assert_int_equal(there->bandwidth.denominator, links[i].bottom);
        assert_int_equal(back->bandwidth.numerator, links[i].top);
    }
    topology_must_note(topology, "capacities", "installed capacity: 4,");
    topology_must_note(topology, "capacities", "may be: 1");
}

/* The demands add up to what the file says, in its unit. */
static void check_demands(const struct nb_topology *topology, const char *path)
{
    static const struct {
        const char *source, *target;
        double rate;
    } demands[] = { { "Bonn", "Wien", 4 },
                    { "Graz", "Bonn", 2.5 },
                    { "Linz", "Graz", 2.5 } };
    char specification[TOPOLOGY_WORD];
    struct nb_traffic traffic = { 0 };
    struct nb_error error = { 0 };
    snprintf(specification, sizeof specification, "file:%s", path);
    TOPOLOGY_CHECK(nb_traffic_build(specification, topology, false, &traffic,
                                    &error) == NB_OK,
                   "%s", error.message);
    assert_int_equal(traffic.demand_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const uint32_t a = nb_router_find(topology, demands[i].source, 4);
        const uint32_t b = nb_router_find(topology, demands[i].target, 4);
        double found = 0;
        for (size_t d = 0; d < traffic.demand_count; d++)
            if (traffic.demands[d].source == a &&
                traffic.demands[d].target == b)
                found += (double)traffic.demands[d].weight /
                         (double)traffic.denominator;
        TOPOLOGY_CHECK(found == demands[i].rate, "demand %zu: %g", i, found);
    }
    nb_traffic_release(&traffic);
}

static void test_xml(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build(CITIES, &topology);
    check_cities(&topology);
    check_demands(&topology, "data/topologies/five-cities-sndlib.xml");
    nb_topology_release(&topology);
}

static void test_native(void **state)
{
    (void)state;
    char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
    struct nb_topology topology = { 0 };
    nb_scratch_file(path, ".txt", native);
    snprintf(specification, sizeof specification, "file:%s", path);
    topology_must_build(specification, &topology);
    check_cities(&topology);
    check_demands(&topology, path);
    nb_topology_release(&topology);
    unlink(path);
}

static const struct topology_network networks[] = {
    { ".xml",
      "<?xml version='1.0'?><!-- a > b --><network><networkStructure><nodes>"
      "<node id=' a '/><node id='b'/></nodes><links><link><source> a\n</source>"
      "<target>b</target></link></links></networkStructure></network>",
      "a1: b. b1: a. " },
    { ".txt",
      "\n" HEAD "NODES(a b(1 2)c)LINKS(l(a b)0 0 0 0()m(b a)0 0 0 0()k(b c)"
      "UNLIMITED 0 0 0())",
      "a1: b b. b1: a a c. c1: b. " },
};

static void test_networks(void **state)
{
    (void)state;
    topology_must_be_networks(networks, sizeof networks / sizeof *networks);
}

#define XML(nodes, links)                                                      \
    "<network><networkStructure><nodes>" nodes "</nodes>\n<links>" links       \
    "</links></networkStructure></network>"
#define AB "<node id='a'/><node id='b'/>"

static const struct topology_refusal refused[] = {
    { "<network/>", ".xml", "", NB_INVALID, { "<networkStructure>" } },
    { XML("<node/>", ""), ".xml", "", NB_INVALID, { ":1: <node> has no" } },
    { XML(AB, ""), ".xml", "", NB_INVALID, { "it has no links" } },
    { XML(AB, "<link><source>a</source></link>"),
      ".xml",
      "",
      NB_INVALID,
      { ":2: <link> has no <target>" } },
    { XML(AB, "<link><source><a/></source></link>"),
      ".xml",
      "",
      NB_INVALID,
      { ":2: <source> is empty or has elements" } },
    { XML(AB, "<link><source>a</source><target>c</target></link>"),
      ".xml",
      "",
      NB_INVALID,
      { ":2: no router \"c\"" } },
    { XML(AB, "<link><source>a</source><target>b</target>"
              "<preInstalledModule><capacity>x</capacity>"
              "</preInstalledModule></link>"),
      ".xml",
      "",
      NB_INVALID,
      { ":2: capacity \"x\"" } },
    { "<solution/>", ".xml", "", NB_INVALID, { "not GraphML", "<solution>" } },
    { "<solution/>",
      ".xml",
      ",format=sndlib",
      NB_INVALID,
      { "no network of SNDlib" } },
    { "?SNDlib native format; type: solution; version: 1.0\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: \"?SNDlib", "type: network" } },
    { HEAD "NODES (\n a (\n", ".txt", "", NB_INVALID, { ":4: the file ends" } },
    { HEAD "NODES (\n ( a )\n)", ".txt", "", NB_INVALID, { ":3: \"(\"" } },
    { HEAD "LINKS (\n a ( b c ) 1 ( )\n)",
      ".txt",
      "",
      NB_INVALID,
      { ":3: \"(\" is not permitted here (permitted: a cost" } },
    { HEAD "NODES ( a b )\nLINKS ( l ( a b ) -1 0 0 0 ( ) )",
      ".txt",
      "",
      NB_INVALID,
      { ":3: capacity \"-1\"" } },
    { HEAD "NODES a", ".txt", "", NB_INVALID, { ":2: \"a\"", "permitted: (" } },
    { HEAD "META ( ( )", ".txt", "", NB_INVALID, { "the file ends here" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

static const struct {
    const char *text, *message;
} faults[] = {
    { HEAD "NODES ( )", "it has no demands" },
    { HEAD "DEMANDS (\n d ( Bonn Rom ) 1 2 3\n)", ":3: node \"Rom\"" },
    { HEAD "DEMANDS (\n d ( Bonn Graz ) 1 -2 3\n)", ":3: demand \"-2\"" },
    { HEAD "DEMANDS ( d ( Bonn Graz ) x 2 3 )", "unit \"x\"" },
    { HEAD "DEMANDS ( d ( Bonn Graz ) 1e18 2e18 3 )", "demand \"2e18\"" },
    { HEAD "DEMANDS ( d ( Bonn Graz ) 1 )", "permitted: a value" },
};

static void test_faults(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build(CITIES, &topology);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char path[NB_SCRATCH_FILE], specification[TOPOLOGY_WORD];
        struct nb_traffic traffic = { 0 };
        struct nb_error error = { 0 };
        nb_scratch_file(path, ".txt", faults[i].text);
        snprintf(specification, sizeof specification, "file:%s", path);
        TOPOLOGY_CHECK(nb_traffic_build(specification, &topology, false,
                                        &traffic, &error) == NB_INVALID &&
                           strstr(error.message, faults[i].message) != NULL,
                       "%s: %s", faults[i].text, error.message);
        unlink(path);
    }
    nb_topology_release(&topology);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void test_damaged(void **state)
{
    (void)state;
    topology_must_survive_text(native, ".txt", "", "() \n#0aL?;");
    topology_must_survive_damage("data/topologies/five-cities-sndlib.xml",
                                 ".xml", "", "<>/ a\"0&\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xml),      cmocka_unit_test(test_native),
        cmocka_unit_test(test_networks), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
