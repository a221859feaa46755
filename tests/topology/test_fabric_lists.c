/* Lists of ports and links of InfiniBand networks: what several tools print of
 * the same network, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/topology_checks.h"

#include "topology/fabric.h"

#include <string.h>

#define UP         "==( 4X 10.0 Gbps Active/ LinkUp)==>"
#define TWO_LEAVES "file:data/fabrics/two-leaves"

/* The same routers, channels, bandwidths, ports and LIDs. */
static void must_be_same_fabric(const struct nb_topology *a,
                                const struct nb_topology *b, const char *name)
{
    TOPOLOGY_CHECK(a->router_count == b->router_count &&
                       topology_same_channels(a, b, NULL),
                   "%s: other channels", name);
    for (uint32_t r = 0; r < a->router_count; r++)
        TOPOLOGY_CHECK(
            strcmp(nb_router_name(a, r), nb_router_name(b, r)) == 0 &&
                a->terminals[r] == b->terminals[r] &&
                nb_fabric_lid(a->fabric, r) == nb_fabric_lid(b->fabric, r),
            "%s: router %u \"%s\" \"%s\"", name, r, nb_router_name(a, r),
            nb_router_name(b, r));
    assert_int_equal(a->fabric->port_count, b->fabric->port_count);
    for (size_t p = 0; p < a->fabric->port_count; p++) {
        const struct nb_fabric_port *one = &a->fabric->port[p];
        const struct nb_fabric_port *other = &b->fabric->port[p];
        TOPOLOGY_CHECK(one->router == other->router &&
                           one->port == other->port &&
                           one->target == other->target &&
                           one->target_port == other->target_port &&
                           strcmp(one->speed, other->speed) == 0 &&
                           (one->guid == other->guid || other->guid == 0),
                       "%s: port %zu", name, p);
    }
}

/* What ibnetdiscover, ibnetdiscover -p, opensm and iblinkinfo printed of one
 * network in the simulator ibsim. Two leaves and two spines; four adapters, one
 * of them with two ports. */
static void test_same(void **state)
{
    (void)state;
    static const char *const lists[] = { ".ibports", ".lst", ".iblinkinfo",
                                         "-lines.iblinkinfo" };
    struct nb_topology first;
    topology_must_build(TWO_LEAVES ".ibnetdiscover", &first);
    assert_int_equal(first.router_count, 9);
    assert_int_equal(first.terminal_count, 5);
    assert_int_equal(first.channel_count, 18);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct nb_topology other;
        char name[TOPOLOGY_WORD] = TWO_LEAVES;
        strcat(name, lists[i]);
        /* Without headings, a port does not show its adapter. */
        topology_must_build(name, &other);
        if (strcmp(lists[i], "-lines.iblinkinfo") != 0)
            must_be_same_fabric(&first, &other, name);
        else
            assert_true(topology_same_channels(&first, &other, NULL));
        topology_must_note(&other, "unlisted", NULL);
        nb_topology_release(&other);
    }
    nb_topology_release(&first);
}

/* With --switches-only, hosts appear only at the other ends. */
static void test_unlisted(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build(TWO_LEAVES "-switches.iblinkinfo", &topology);
    assert_int_equal(topology.router_count, 9);
    assert_int_equal(topology.terminal_count, 5);
    assert_int_equal(topology.channel_count, 18);
    topology_must_note(&topology, "unlisted", ": 5");
    nb_topology_release(&topology);
    /* No adapter has a port 20. */
    topology_must_build_file(
        "CA: a HCA-1:\n 0xa01 5 1[ ] " UP " 1 19[ ] \"sw1\" ( )\n"
        "Switch: 0xb01 sw1:\n 1 1[ ] ==( Down/ Polling)==> [ ] \"\" ( )\n"
        " 1 3[ ] " UP " 6 2[ ] \"b HCA-1\" ( )\n"
        " 1 19[ ] " UP " 5 1[ ] \"a HCA-1\" ( )\n"
        " 1 20[ ] " UP " 2 20[ ] \"sw2\" ( )\n",
        ".txt", "", &topology);
    assert_int_equal(topology.terminal_count, 2);
    for (uint32_t r = 0; r < topology.router_count; r++) {
        const char *name = nb_router_name(&topology, r);
        assert_int_equal(topology.fabric->node[r].is_switch,
                         strncmp(name, "sw", 2) == 0);
        assert_int_equal(topology.fabric->node[r].guid,
                         strcmp(name, "sw1") == 0 ? 0xb01 : 0);
    }
    topology_must_note(&topology, "unlisted", ": 2");
    nb_topology_release(&topology);
}

/* Warnings before the first record, and between lines. */
static void test_messages(void **state)
{
    (void)state;
    struct nb_topology topology;
    topology_must_build_file(
        "ibwarn: [1] get_abi_version: can't read ABI version\n"
        "Loading\nSwitch 2 \"s\"\n"
        "src/query_smp.c:228; mad (DR path slid 0; dlid 0; 0,1) timed out\n"
        "[1] \"a\"[1]\n[2] \"b\"[1]\nCa 1 \"a\"\nCa 1 \"b\"\n",
        ".txt", "", &topology);
    assert_int_equal(topology.terminal_count, 2);
    topology_must_note(&topology, "messages", ": 3, the first \"ibwarn: [1] ");
    nb_topology_release(&topology);
}

/* Hosts with two ports: in two planes, in two rails, mixed, and adapters of the
 * same name that are not one host. */
#define PORTS(leaf0, leaf1, more)                                              \
    "switchguid=0x1\nSwitch 4 \"s0\"\n" leaf0                                  \
    "switchguid=0x2\nSwitch 4 \"s1\"\n" leaf1 more                             \
    "Ca 2 \"H-10\" # \"n0 HCA-1\"\nCa 2 \"H-20\" # \"n1 HCA-1\"\n"
static const struct {
    const char *text, *parameters, *note, *says;
} rails[] = {
    { PORTS("[1] \"H-10\"[1]\n[2] \"H-20\"[1]\n",
            "[1] \"H-10\"[2]\n[2] \"H-20\"[2]\n", ""),
      ",component=2", "planes", "2 planes of 2 hosts" },
    { PORTS("[1] \"H-10\"[1]\n[2] \"H-20\"[1]\n[3] \"s1\"[3]\n",
            "[1] \"H-10\"[2]\n[2] \"H-20\"[2]\n", ""),
      "", "rails", "2 rails of 2 hosts" },
    { PORTS("[1] \"H-10\"[1]\n[2] \"H-20\"[2]\n[3] \"s1\"[3]\n",
            "[1] \"H-10\"[2]\n[2] \"H-20\"[1]\n", ""),
      "", "rails", "hosts with 2 ports: 2, not in rails" },
    { PORTS("[1] \"H-10\"[1]\n[2] \"H-20\"[1]\n[3] \"s1\"[3]\n", "", ""), "",
      "rails", NULL },
    { "Switch 2 \"s\"\n[1] \"H-1\"[1]\n[2] \"H-2\"[1]\n"
      "Ca 1 \"H-1\" # \"MT4123 ConnectX6\"\n"
      "Ca 1 \"H-2\" # \"MT4123 ConnectX6\"\n",
      "", "rails", NULL },
    /* Several adapters of one host. */
    { "Switch 3 \"s\"\n[1] \"H-1\"[1]\n[2] \"H-2\"[1]\n[3] \"H-3\"[1]\n"
      "Ca 1 \"H-1\" # \"n0 mlx5_0\"\nCa 1 \"H-2\" # \"n0 mlx5_1\"\n"
      "Ca 1 \"H-3\" # \"n1 mlx5_0\"\n",
      "", "rails", "hosts with 2 ports: 1, not in rails" },
};

static void test_rails(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rails / sizeof *rails; i++) {
        struct nb_topology topology;
        topology_must_build_file(rails[i].text, ".net", rails[i].parameters,
                                 &topology);
        topology_must_note(&topology, rails[i].note, rails[i].says);
        nb_topology_release(&topology);
    }
    static const char *const says[] = { "2 parts", "2 planes of 2 hosts",
                                        NULL };
    topology_must_refuse_file(rails[0].text, ".net", "", NB_INVALID, says);
}

#define END(type, guid, name, port)                                            \
    "{ " type " Ports:02 SystemGUID:0 NodeGUID:" guid " PortGUID:" guid        \
    " {" name "} LID:0001 PN:" port " }"

static const struct topology_refusal refused[] = {
    { "[1] nonsense\nloose words\n",
      ".txt",
      ",format=ibnetdiscover",
      NB_INVALID,
      { ":1: ", "before any Switch" } },
    { "loose words\n",
      ".txt",
      ",format=ibnetdiscover",
      NB_INVALID,
      { ":1: ", "\"loose words\"", "Switch or Ca" } },
    { "Switch 2 \"s\"\nloose words\n",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "\"loose words\"" } },
    { "Ca\t : 0x0000000000000a40 ports 2 devid 0x1003 vendid 0x0 \"n4\"\n",
      ".txt",
      "",
      NB_INVALID,
      { "ibnetdiscover -l", "without cables" } },
    { "CA 1 1 0x11 4x SDR - XX 2 1 0x2 ( 'a' - 's' )\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: ", "\"XX\"", "SW, CA or RT" } },
    { "CA 1 1 0x11 4x SDR - SW 2 999 0x2 ( 'a' - 's' )\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: ", "999" } },
    { "CA 1 1 0x11 4x SDR - SW 2 1 0x2 ( 'a' )\n",
      ".txt",
      "",
      NB_INVALID,
      { ":1: ", "names" } },
    { "CA 1 1 0x11 4x SDR - SW 2 1 0x2 ( 'a' - 's' )\n"
      "CA 3 1 0x21 4x SDR - SW 2 1 0x2 ( 'b' - 's' )\n",
      ".txt",
      "",
      NB_INVALID,
      { "leads elsewhere" } },
    { END("CA", "1", "a", "01") "\n", ".lst", "", NB_INVALID, { ":1: " } },
    { END("CA", "1", "a", "03") END("SW", "2", "s", "01") "\n",
      ".lst",
      "",
      NB_INVALID,
      { ":1: ", "port 3", "1 to 2" } },
    { END("CA", "x", "a", "01") END("SW", "2", "s", "01") "\n",
      ".lst",
      "",
      NB_INVALID,
      { ":1: ", "hexadecimal" } },
    { "Switch: zero s:\n", ".txt", "", NB_INVALID, { ":1: ", "\"zero\"" } },
    { "CA: n:\n 0xa01 5 1[ ]\n", ".txt", "", NB_INVALID, { ":2: " } },
    { "CA: n:\n 0xa01 5 1[ ] " UP " garbage\n",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "other end" } },
    { "CA: n:\n 0xa01 5 1[ ] " UP " 0 1[ ] \"s\" ( )\n",
      ".txt",
      "",
      NB_INVALID,
      { ":2: ", "without a LID", "\"s\"" } },
};

static void test_refused(void **state)
{
    (void)state;
    topology_must_refuse_files(refused, sizeof refused / sizeof *refused);
}

static void test_damaged(void **state)
{
    (void)state;
    static const char spare[] = " \n\t012349-{}[]()'\":=x";
    topology_must_survive_damage("data/fabrics/two-leaves.ibnetdiscover",
                                 ".ibnetdiscover", "", spare);
    topology_must_survive_damage("data/fabrics/two-leaves.ibports", ".ibports",
                                 "", spare);
    topology_must_survive_damage("data/fabrics/two-leaves.lst", ".lst", "",
                                 spare);
    topology_must_survive_damage("data/fabrics/two-leaves.iblinkinfo",
                                 ".iblinkinfo", "", spare);
    topology_must_survive_damage("data/fabrics/two-leaves-lines.iblinkinfo",
                                 ".iblinkinfo", "", spare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),     cmocka_unit_test(test_unlisted),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damaged),  cmocka_unit_test(test_rails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
