/* InfiniBand networks: correct files, and those refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"

#include "topology/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIPPED "file:data/fabrics/two-spines.ibnetdiscover"

static uint32_t fabric_router(const struct nb_topology *topology,
                              const char *name)
{
    const uint32_t router = nb_router_find(topology, name, strlen(name));
    TOPOLOGY_CHECK(router != NB_NONE, "there is no \"%s\"", name);
    return router;
}

static uint32_t fabric_channel(const struct nb_topology *topology,
                               const char *from, uint32_t port)
{
    const struct nb_fabric_port *at =
        nb_fabric_find(topology->fabric, fabric_router(topology, from), port);
    TOPOLOGY_CHECK(at != NULL, "\"%s\" has no port %u", from, port);
    return nb_fabric_channel(topology, at);
}

/* Trunks, hosts on spines, cables from a switch to itself, hosts of the same
 * name. */
static void test_shipped(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(SHIPPED, &topology);
    assert_int_equal(topology.router_count, 9);
    assert_int_equal(topology.terminal_count, 5);
    /* 11 cables, one of them back to the same switch. */
    assert_int_equal(topology.channel_count, 20);
    const uint32_t leaf = fabric_router(&topology, "leaf 0");
    const uint32_t spine = fabric_router(&topology, "spine 0");
    assert_int_equal(topology.terminals[leaf], 0);
    assert_int_equal(
        topology.terminals[fabric_router(&topology, "storage HCA-1")], 1);
    (void)fabric_router(&topology, "c HCA-1 H-0000000000000a30");
    (void)fabric_router(&topology, "c HCA-1 H-0000000000000a40");
    for (uint32_t port = 5; port <= 6; port++) {
        const uint32_t channel = fabric_channel(&topology, "leaf 0", port);
        assert_int_equal(topology.channels[channel].target, spine);
        assert_int_equal(nb_fabric_port_of(&topology, channel)->port, port);
        assert_int_equal(nb_channel_rank(&topology, channel), port - 5);
    }
    assert_int_equal(fabric_channel(&topology, "spine 0", 7), NB_NONE);
    nb_topology_release(&topology);
}

/* Bandwidth 1 is that of most hosts: 4xQDR, 32 Gbit/s; FDR10 has 40, EDR 100
 * [IBTA, volume 2]. */
static void test_speeds(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(SHIPPED, &topology);
    const struct nb_channel *channels = topology.channels;
    const struct nb_ratio host =
        channels[fabric_channel(&topology, "a HCA-1", 1)].bandwidth;
    const struct nb_ratio trunk =
        channels[fabric_channel(&topology, "leaf 0", 6)].bandwidth;
    const struct nb_ratio storage =
        channels[fabric_channel(&topology, "storage HCA-1", 1)].bandwidth;
    assert_true(host.numerator == 1 && host.denominator == 1);
    assert_true(trunk.numerator == 5 && trunk.denominator == 4);
    assert_true(storage.numerator == 25 && storage.denominator == 8);
    nb_topology_release(&topology);
    topology_must_build(SHIPPED ",speeds=alike", &topology);
    for (size_t c = 0; c < topology.channel_count; c++)
        assert_int_equal(topology.channels[c].bandwidth.numerator, 1);
    nb_topology_release(&topology);
}

/* Every channel has a port and every port its channel, also with failed
 * links. */
static void check_ports(const char *specification)
{
    struct nb_topology topology;
    topology_must_build(specification, &topology);
    const struct nb_fabric *fabric = topology.fabric;
    for (uint32_t c = 0; c < topology.channel_count; c++) {
        const struct nb_fabric_port *port = nb_fabric_port_of(&topology, c);
        assert_non_null(port);
        assert_int_equal(nb_fabric_channel(&topology, port), c);
        const struct nb_fabric_port *other =
            nb_fabric_find(fabric, port->target, port->target_port);
        assert_int_equal(other->target_port, port->port);
        assert_int_equal(other->target, port->router);
    }
    nb_topology_release(&topology);
}

/* A host's port without a GUID is found by the sum of the node's GUID and its
 * number, unless another node has that GUID. */
static void test_derived_guids(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(
        "switchguid=0x1\nSwitch 3 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n"
        "[3] \"c\"[1]\ncaguid=0x10\nCa 1 \"a\"\n\n"
        "caguid=0x11\nCa 1 \"b\"\n\ncaguid=0x20\nCa 1 \"c\"\n",
        ".net", "", &topology);
    const struct nb_fabric *fabric = topology.fabric;
    assert_int_equal(nb_fabric_find_guid(fabric, 0x11),
                     fabric_router(&topology, "b"));
    assert_int_equal(nb_fabric_find_guid(fabric, 0x12),
                     fabric_router(&topology, "b"));
    assert_int_equal(nb_fabric_find_guid(fabric, 0x21),
                     fabric_router(&topology, "c"));
    assert_int_equal(nb_fabric_find_guid(fabric, 2), NB_NONE);
    nb_topology_release(&topology);
}

/* A speed that is not known is noted. */
static void test_unknown_speeds(void **state)
{
    (void)state;
    static const char text[] =
        "switchguid=0x50\nSwitch 2 \"s\"\n[1] \"a\"[1](11) # \"a\" lid 1 "
        "12xFOO\n[2] \"b\"[1](12) # \"b\" lid 2 4xEDR\ncaguid=0x10\n"
        "Ca 1 \"a\"\n[1](11) \"s\"[1] # lid 1 lmc 0 \"s\" lid 3 12xFOO\n\n"
        "caguid=0x20\nCa 1 \"b\"\n[1](12) \"s\"[2] # lid 2 lmc 0 \"s\" lid 3 "
        "4xEDR\n";
    struct nb_topology topology;
    topology_must_build_file(text, ".net", "", &topology);
    topology_must_note(&topology, "unknown_speeds", "\"12xFOO\"");
    topology_must_note(&topology, "unknown_speeds", ": 2");
    nb_topology_release(&topology);
    topology_must_build_file(text, ".net", ",speeds=alike", &topology);
    topology_must_note(&topology, "unknown_speeds", NULL);
    nb_topology_release(&topology);
    topology_must_build(SHIPPED, &topology);
    topology_must_note(&topology, "unknown_speeds", NULL);
    nb_topology_release(&topology);
}

/* Flags of ibnetdiscover -f come after the speed. */
static void test_flags(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(
        "switchguid=0x50\nSwitch 2 \"s\"\n"
        "[1] \"a\"[1](11) # \"a\" lid 1 4xEDR s=32 w=2 v=4\n"
        "[2] \"b\"[1](12) # \"b\" lid 2 4xHDR s=64 w=2 v=4\n"
        "caguid=0x10\nCa 1 \"a\"\n[1](11) \"s\"[1] # lid 1 \"s\" lid 3 4xEDR "
        "s=32 w=2 v=4\n\n"
        "caguid=0x20\nCa 1 \"b\"\n[1](12) \"s\"[2] # lid 2 \"s\" lid 3 4xHDR "
        "s=64 w=2 v=4\n",
        ".net", "", &topology);
    for (size_t p = 0; p < topology.fabric->port_count; p++) {
        const char *speed = topology.fabric->port[p].speed;
        assert_true(strcmp(speed, "4xEDR") == 0 || strcmp(speed, "4xHDR") == 0);
    }
    const uint32_t fast =
        nb_channel_find(&topology, fabric_router(&topology, "s"),
                        fabric_router(&topology, "b"), 0);
    ratio_must_equal(topology.channels[fast].bandwidth, nb_ratio_make(2, 1),
                     "4xHDR beside 4xEDR");
    nb_topology_release(&topology);
}

/* ibsim numbers ports from the node's GUID on, so that the port of one adapter
 * has the GUID of the next one. */
static void test_clashing_guids(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(
        "switchguid=0x50\nSwitch 2 \"s\"\n[1] \"a\"[1](11)\n"
        "[2] \"b\"[1](12)\ncaguid=0x10\nCa 1 \"a\"\n[1](11) \"s\"[1]\n\n"
        "caguid=0x11\nCa 1 \"b\"\n[1](12) \"s\"[2]\n",
        ".net", "", &topology);
    const struct nb_fabric *fabric = topology.fabric;
    const uint32_t a = fabric_router(&topology, "a");
    const uint32_t b = fabric_router(&topology, "b");
    assert_int_equal(nb_fabric_find_guid(fabric, 0x11), b);
    assert_int_equal(nb_fabric_find_port_guid(fabric, 0x11), a);
    assert_int_equal(nb_fabric_find_port_guid(fabric, 0x12), b);
    assert_int_equal(nb_fabric_find_port_guid(fabric, 0x50),
                     fabric_router(&topology, "s"));
    assert_int_equal(nb_fabric_find_port_guid(fabric, 0x13), NB_NONE);
    nb_topology_release(&topology);
}

static void test_ports(void **state)
{
    (void)state;
    check_ports(SHIPPED);
    check_ports(SHIPPED ",fail=leaf 0-spine 1");
    check_ports(SHIPPED ",fail=leaf 0-spine 0");
    check_ports(SHIPPED ",fail=leaf 0[5]-spine 0[1]");
    check_ports(SHIPPED ",fail=spine 0[2]-leaf 0[6]+leaf 1[7]-spine 1[2]");
    check_ports(SHIPPED ",fail=router:leaf 1");
    for (int seed = 0; seed < 20; seed++) {
        char text[120];
        snprintf(text, sizeof text, SHIPPED ",fail=random:1,fail-seed=%d",
                 seed);
        check_ports(text);
    }
    check_ports("file:data/fabrics/ring.net");
}

/* One cable of a trunk: the other one keeps its ports. */
static void test_cable_fails(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(SHIPPED ",fail=spine 0[1]-leaf 0[5]", &topology);
    assert_int_equal(topology.channel_count, 18);
    assert_int_equal(topology.failures.link_count, 1);
    assert_int_equal(topology.failures.link[0].cable, 5);
    assert_int_equal(fabric_channel(&topology, "leaf 0", 5), NB_NONE);
    assert_int_equal(fabric_channel(&topology, "spine 0", 1), NB_NONE);
    const uint32_t left = fabric_channel(&topology, "leaf 0", 6);
    assert_int_equal(nb_channel_rank(&topology, left), 0);
    assert_int_equal(nb_fabric_port_of(&topology, left)->target_port, 2);
    nb_topology_release(&topology);
    /* Both cables, as the link between the switches. */
    topology_must_build(SHIPPED ",fail=spine 0-leaf 0", &topology);
    assert_int_equal(topology.channel_count, 16);
    assert_int_equal(topology.failures.link_count, 2);
    nb_topology_release(&topology);
}

/* A switch takes its hosts with it; of a host with several ports, those at the
 * switch. */
static void test_switch_fails(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(SHIPPED ",fail=router:leaf 1", &topology);
    assert_int_equal(topology.terminal_count, 3);
    assert_int_equal(topology.failures.router_count, 3);
    assert_int_equal(topology.failures.host_count, 2);
    nb_topology_release(&topology);
    topology_must_build_file("Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"t\"[2]\n"
                             "[4] \"b\"[1]\nSwitch 4 \"t\"\n[1] \"a\"[2]\n"
                             "Ca 2 \"a\"\nCa 3 \"b\"\n",
                             ".net", ",fail=router:t", &topology);
    assert_int_equal(topology.terminal_count, 2);
    assert_int_equal(topology.failures.host_count, 1);
    assert_int_equal(topology.terminals[fabric_router(&topology, "a port 2")],
                     0);
    nb_topology_release(&topology);
}

static void test_guids(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(SHIPPED, &topology);
    const struct nb_fabric *fabric = topology.fabric;
    const uint32_t b = fabric_router(&topology, "b HCA-1");
    assert_int_equal(nb_fabric_find_guid(fabric, 0x200),
                     fabric_router(&topology, "leaf 1"));
    assert_int_equal(nb_fabric_find_guid(fabric, 0xa20), b);
    assert_int_equal(nb_fabric_find_guid(fabric, 0xa22), b);
    assert_int_equal(nb_fabric_find_guid(fabric, 0xfff), NB_NONE);
    assert_int_equal(nb_fabric_lid(fabric, b), 6);
    assert_int_equal(nb_fabric_lid(fabric, fabric_router(&topology, "spine 1")),
                     4);
    nb_topology_release(&topology);
}

/* Networks in a few words, and their channels in order. */
static const struct {
    const char *text;
    const char *channels;
} networks[] = {
    /* Only one end lists a cable; port numbers determine the order. */
    { "Switch 4 \"s\"\n[3] \"b\"[1]\n[1](0xabc) \"a\" [2] w=12\n"
      "Ca 2 \"a\"\nHca 1 \"b\"\n",
      "s>a s>b a>s b>s " },
    /* An adapter with two cables is two hosts, and no path from switch to
     * switch. */
    { "Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"t\"[2]\n[4] \"b\"[3]\n"
      "Switch 4 \"t\"\n[1] \"a\"[2]\nCa 2 \"a\"\nCa 3 \"b\"\n",
      "s>a port 1 s>t s>b t>a port 2 t>s a port 1>s a port 2>t b>s " },
    /* Chassis, ports of chassis, GUIDs in both spellings, no blank lines. */
    { "Chassis 1 (guid 0x8f10400411f56)\n"
      "vendid=0x8f1\nswitchguid=0x8f10400410015(8f10400410015)\n"
      "Switch\t24 \"S-0008f10400410015\"\t\t# \"say \"hi\" # 1\" base port 0 "
      "lid 6 lmc 0\n[8][ext 3]\t\"H-0008f10403960984\"[1](8f10403960985) \t\t#"
      " \"b1\" lid 16 4xDDR\n[1]\t\"H-2\"[1]\n"
      "caguid=0x8f10403960984\nCa\t2 \"H-0008f10403960984\"\t\t# \"b1\"\n"
      "[1](8f10403960985) \t\"S-0008f10400410015\"[8][ext 3]\t\t# lid 16 lmc 0 "
      "\"say \"hi\" # 1\" lid 6 4xDDR\nNon-Chassis Nodes\nCa 1 \"H-2\"",
      "say \"hi\" # 1>H-2 say \"hi\" # 1>b1 H-2>say \"hi\" # 1 "
      "b1>say \"hi\" # 1 " },
    /* Switches, then hosts, each by GUID, or by the number in their ids; those
     * without a GUID first. */
    { "Ca 1 \"a\"\n[1] \"S-10\"[1]\n"
      "switchguid=0x9\nSwitch 2 \"S-11\"\n[1] \"S-10\"[2]\n[2] \"s10\"[1]\n"
      "Switch 2 \"S-10\"\nSwitch 2 \"s10\"\n[2] \"s9\"[1]\n"
      "Switch 1 \"s9\"\n",
      "s9>s10 s10>S-11 s10>s9 S-11>S-10 S-11>s10 S-10>a S-10>S-11 a>S-10 " },
};

static void test_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct nb_topology topology;
        struct nb_text found = { 0 };
        topology_must_build_file(networks[i].text, ".net", "", &topology);
        for (size_t c = 0; c < topology.channel_count; c++) {
            nb_router_print(&topology, topology.channels[c].source, &found);
            nb_text_print(&found, ">");
            nb_router_print(&topology, topology.channels[c].target, &found);
            nb_text_print(&found, " ");
        }
        assert_string_equal(found.bytes, networks[i].channels);
        nb_text_release(&found);
        nb_topology_release(&topology);
    }
}

/* Aggregation nodes are parts of switches. */
static void test_aggregation(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(
        "Switch 3 \"S-1\" # \"sw\"\n[1] \"H-1\"[1]\n[2] \"H-2\"[1]\n"
        "[3] \"H-3\"[1]\nCa 1 \"H-1\"\nCa 1 \"H-2\"\n"
        "Ca 1 \"H-3\" # \"Mellanox Technologies Aggregation Node\"\n",
        ".net", ",terminals=3", &topology);
    assert_int_equal(topology.terminal_count, 6);
    assert_int_equal(topology.terminals[3], 0);
    nb_topology_release(&topology);
}

static const struct topology_refusal refused[] = {
    /* a LID of two hosts, of two switches, and within the range of a host */
    { "Switch 2 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n"
      "Ca 1 \"a\"\n[1] \"s\"[1] # lid 7 lmc 0\n\n"
      "Ca 1 \"b\"\n[1] \"s\"[2] # lid 7 lmc 0\n",
      ".net",
      "",
      NB_INVALID,
      { "\"a\" and \"b\" have LID 7" } },
    { "Switch 2 \"s\" # \"s\" base port 0 lid 3 lmc 0\n[1] \"t\"[1]\n"
      "[2] \"a\"[1]\nSwitch 2 \"t\" # \"t\" base port 0 lid 3 lmc 0\n"
      "[2] \"b\"[1]\nCa 1 \"a\"\nCa 1 \"b\"\n",
      ".net",
      "",
      NB_INVALID,
      { "have LID 3" } },
    { "Switch 2 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n"
      "Ca 1 \"a\"\n[1] \"s\"[1] # lid 4 lmc 2\n\n"
      "Ca 1 \"b\"\n[1] \"s\"[2] # lid 6 lmc 0\n",
      ".net",
      "",
      NB_INVALID,
      { "have LID 6" } },
    { "Switch 4 \"s\"\n[5] \"a\"[1]\nCa 1 \"a\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "\"5\"", "[1] to [4]" } },
    { "Switch 4 \"s\"\n[1] \"a\"[2]\nCa 1 \"a\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "port 2 of \"a\"", "1 to 1" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\nCa 1 \"a\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":3: ", "\"b\" has no record" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1]\n[1] \"a\"[2]\nCa 2 \"a\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":3: ", "port 1 of \"s\"", "on line 2" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1]\nCa 2 \"a\"\n[1] \"s\"[2]\n",
      ".net",
      "",
      NB_INVALID,
      { ":4: ", "port 1 of \"a\"", "on line 2" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1]\nCa 2 \"a\"\nSwitch 4 \"s\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":4: ", "\"s\" is also on line 1" } },
    { "Switch 0 \"s\"\n", ".net", "", NB_INVALID, { ":1: ", "1 to 254" } },
    { "Switch 4 \"s\"\nSwitch\n", ".net", "", NB_INVALID, { ":2: " } },
    { "Switch 4 \"s\"\n[x] \"a\"[1]\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "\"x\"" } },
    { "Switch 4 \"s\"\n[1] a[1]\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "a[1]" } },
    { "Switch 4 \"s\"\n[1](0xg) \"a\"[1]\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "\"0xg\"", "hexadecimal" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1] slow\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "\"slow\"" } },
    { "Switch 4 \"s\"\ninclude other.net\n",
      ".net",
      "",
      NB_INVALID,
      { ":2: ", "include" } },
    { "switchguid=12345678901234567\nSwitch 4 \"s\"\n",
      ".net",
      "",
      NB_INVALID,
      { ":1: ", "12345678901234567" } },
    { "[1] \"a\"[1]\n",
      ".net",
      ",format=ibnetdiscover",
      NB_INVALID,
      { ":1: ", "before any Switch" } },
    { "Switch 4 \"s\"\n[1] \"t\"[1]\nSwitch 2 \"t\"\n",
      ".net",
      "",
      NB_INVALID,
      { "0 terminals at every router" } },
    { "Switch 4 \"s\"\n[1] \"a\"[1]\nCa 2 \"a\"\nCa 1 \"b\"\n",
      ".net",
      "",
      NB_INVALID,
      { "2 parts", "2 routers with \"s\", 1 with \"b\"" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

/* Real fabrics from other sites, in the directory NETBOUND_FABRICS. Counts by
 * grep: records, and ports of switches. */
static const struct {
    const char *file;
    size_t routers, terminals, channels;
} others[] = {
    { "real/tartu-rocket-2014.ibnetdiscover", 153, 145, 384 },
    { "nets/torus4x4.net", 32, 16, 96 },
    { "nets/knt4x3.net", 112, 64, 384 },
    { "nets/dragonfly_a4h2p2.net", 108, 72, 324 },
    { "nets/random64d8.net", 128, 64, 640 },
};

static void test_others(void **state)
{
    (void)state;
    const char *folder = getenv("NETBOUND_FABRICS");
    if (folder == NULL) {
        print_message("fabrics of other sites are skipped: NETBOUND_FABRICS "
                      "is not set\n");
        skip();
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char specification[512];
        struct nb_topology topology;
        snprintf(specification, sizeof specification, "file:%s/%s", folder,
                 others[i].file);
        topology_must_build(specification, &topology);
        assert_int_equal(topology.router_count, others[i].routers);
        assert_int_equal(topology.terminal_count, others[i].terminals);
        assert_int_equal(topology.channel_count, others[i].channels);
        nb_topology_release(&topology);
        check_ports(specification);
    }
}

/* A router of InfiniBand is no host. */
static void test_gateway(void **state)
{
    (void)state;
    struct nb_topology topology = { 0 };
    topology_must_build_file(
        "Switch 4 \"S-1\" # \"s\"\n[1] \"H-1\"[1] # \"a\" lid 1 4xHDR\n"
        "[2] \"H-2\"[1] # \"b\" lid 2 4xHDR\n"
        "[3] \"R-3\"[1] # \"r\" lid 3 4xEDR\n"
        "Ca 1 \"H-1\" # \"a\"\n[1] \"S-1\"[1] # lid 1 lmc 0 \"s\" lid 4 4xHDR\n"
        "Ca 1 \"H-2\" # \"b\"\n[1] \"S-1\"[2] # lid 2 lmc 0 \"s\" lid 4 4xHDR\n"
        "Rt 1 \"R-3\" # \"r\"\n[1] \"S-1\"[3] # lid 3 lmc 0 \"s\" lid 4 "
        "4xEDR\n",
        ".net", "", &topology);
    assert_int_equal(topology.terminal_count, 2);
    const uint32_t r = nb_router_find(&topology, "r", 1);
    assert_int_equal(topology.terminals[r], 0);
    assert_true(topology.fabric->node[r].is_gateway);
    assert_false(nb_is_switch(&topology, r));
    /* the speed of most hosts, 4xHDR, is bandwidth 1 */
    assert_int_equal(topology.fabric->unit.numerator, 200);
    nb_topology_release(&topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gateway),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_cable_fails),
        cmocka_unit_test(test_switch_fails),
        cmocka_unit_test(test_guids),
        cmocka_unit_test(test_derived_guids),
        cmocka_unit_test(test_clashing_guids),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_unknown_speeds),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_aggregation),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
