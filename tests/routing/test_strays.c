/* Forwarding tables of random fabrics, in which packets circle, are dropped,
 * and reach hosts by several LIDs: loads, unrouted pairs and dependencies
 * against plain definitions, and proofs of either verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "bounds/worst_case/single_worst.h"
#include "core/memory.h"
#include "core/random.h"
#include "deadlock/deadlock.h"
#include "load/single_paths.h"
#include "topology/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCHES = 6, HOSTS = 6, PORTS = 8, ARCS = 2 * (SWITCHES * 4 + HOSTS) };

/* A fabric: switch s has LID 1 + s, host h the LIDs from 16 + 8 h on. Port 1 +
 * h of a switch leads to host h, if it is there; the others to switches. */
struct drawn {
    uint32_t home[HOSTS];               /* the switch of a host */
    uint32_t peer[SWITCHES][PORTS + 1]; /* switch behind a port, or SWITCHES */
    uint32_t peer_port[SWITCHES][PORTS + 1];
    unsigned lids[HOSTS];
    uint32_t port[SWITCHES][HOSTS][4]; /* to a LID of a host; 0: none */
};

/* Lays a cable between the highest free ports of two switches. */
static void join(struct drawn *drawn, uint32_t cables[SWITCHES], uint32_t s,
                 uint32_t t)
{
    const uint32_t a = PORTS - cables[s]++, b = PORTS - cables[t]++;
    drawn->peer[s][a] = t;
    drawn->peer[t][b] = s;
    drawn->peer_port[s][a] = b;
    drawn->peer_port[t][b] = a;
}

static void draw(struct nb_random *random, struct drawn *out)
{
    uint32_t hosts[SWITCHES] = { 0 }, cables[SWITCHES] = { 0 };
    memset(out, 0, sizeof *out);
    for (size_t s = 0; s < SWITCHES; s++)
        for (size_t p = 0; p <= PORTS; p++)
            out->peer[s][p] = SWITCHES;
    for (size_t h = 0; h < HOSTS; h++) {
        out->home[h] = (uint32_t)nb_random_below(random, SWITCHES);
        out->lids[h] = 1U << nb_random_below(random, 3);
        hosts[out->home[h]]++;
    }
    for (uint32_t s = 0; s < SWITCHES; s++)
        join(out, cables, s, (s + 1) % SWITCHES);
    for (uint32_t s = 0; s < SWITCHES; s++)
        for (uint32_t t = s + 2; t < SWITCHES; t++)
            if (hosts[s] + cables[s] < PORTS && hosts[t] + cables[t] < PORTS &&
                nb_random_below(random, 3) == 0)
                join(out, cables, s, t);
}

/* Ports of hosts are the low ones, in order. */
static uint32_t host_port(const struct drawn *drawn, uint32_t host)
{
    uint32_t port = 1;
    for (uint32_t h = 0; h < host; h++)
        port += drawn->home[h] == drawn->home[host];
    return port;
}

/* Mostly along the ring, without its last cable or either way, and sometimes
 * anywhere or nowhere. */
static void draw_tables(struct nb_random *random, unsigned wrong,
                        struct drawn *drawn)
{
    for (uint32_t s = 0; s < SWITCHES; s++)
        for (uint32_t h = 0; h < HOSTS; h++)
            for (unsigned l = 0; l < drawn->lids[h]; l++) {
                const bool is_back = wrong < 2 ? s > drawn->home[h]
                                               : nb_random_below(random, 2) > 0;
                const uint32_t ahead =
                    (s + (is_back ? SWITCHES - 1 : 1)) % SWITCHES;
                uint32_t port = 0;
                for (uint32_t p = 1; p <= PORTS; p++)
                    if (drawn->peer[s][p] == ahead)
                        port = p;
                if (s == drawn->home[h])
                    port = host_port(drawn, h);
                if (nb_random_below(random, 10) < wrong)
                    port = (uint32_t)nb_random_below(random, PORTS + 1);
                drawn->port[s][h][l] = port;
            }
}

static uint32_t base_lid(uint32_t host)
{
    return 16 + 8 * host;
}

static unsigned log2_of(unsigned count)
{
    return count == 1 ? 0 : count == 2 ? 1 : 2;
}

static void print_fabric(const struct drawn *drawn, struct nb_text *text)
{
    for (uint32_t s = 0; s < SWITCHES; s++) {
        nb_text_print(text,
                      "switchguid=0x%x(%x)\nSwitch %d \"S-%x\" # \"s%u\" "
                      "base port 0 lid %u lmc 0\n",
                      0x100 + s, 0x100 + s, PORTS, 0x100 + s, s, 1 + s);
        for (uint32_t h = 0; h < HOSTS; h++)
            if (drawn->home[h] == s)
                nb_text_print(text,
                              "[%u] \"H-%x\"[1](%x) # \"h%u\" lid %u "
                              "4xHDR\n",
                              host_port(drawn, h), 0x200 + 16 * h,
                              0x201 + 16 * h, h, base_lid(h));
        for (uint32_t p = 1; p <= PORTS; p++)
            if (drawn->peer[s][p] < SWITCHES)
                nb_text_print(text, "[%u] \"S-%x\"[%u] # \"x\" lid 1 4xHDR\n",
                              p, 0x100 + drawn->peer[s][p],
                              drawn->peer_port[s][p]);
        nb_text_print(text, "\n");
    }
    for (uint32_t h = 0; h < HOSTS; h++)
        nb_text_print(text,
                      "caguid=0x%x\nCa 1 \"H-%x\" # \"h%u\"\n"
                      "[1](%x) \"S-%x\"[%u] # lid %u lmc %u \"s\" lid 1 "
                      "4xHDR\n\n",
                      0x200 + 16 * h, 0x200 + 16 * h, h, 0x201 + 16 * h,
                      0x100 + drawn->home[h], host_port(drawn, h), base_lid(h),
                      log2_of(drawn->lids[h]));
}

static void print_tables(const struct drawn *drawn, struct nb_text *text)
{
    for (uint32_t s = 0; s < SWITCHES; s++) {
        nb_text_print(text,
                      "Unicast lids [0-99] of switch Lid %u guid 0x%x "
                      "('s'):\n",
                      1 + s, 0x100 + s);
        for (uint32_t h = 0; h < HOSTS; h++)
            for (unsigned l = 0; l < drawn->lids[h]; l++)
                nb_text_print(text, "0x%04x %03u : x\n", base_lid(h) + l,
                              drawn->port[s][h][l] == 0 ? 255
                                                        : drawn->port[s][h][l]);
    }
}

/* What a packet meets: a number for each directed cable. */
static uint32_t arc_number(uint32_t node, uint32_t port)
{
    return node * (PORTS + 1) + port; /* hosts after the switches, port 0 */
}

enum { NUMBERS = (SWITCHES + HOSTS) * (PORTS + 1) };

/* Plain definitions. */
struct plain {
    bool waits[NUMBERS][NUMBERS];
    uint32_t parts[NUMBERS]; /* in twelfths of a pair, only whole pairs */
    unsigned unrouted, circling;
};

/* Follows a packet for longer than any circle. Returns whether it arrives. */
static bool plain_follow(const struct drawn *drawn, uint32_t source,
                         uint32_t host, unsigned lid, uint32_t *number,
                         size_t *length, bool *is_round)
{
    uint32_t at = drawn->home[source];
    *length = 0;
    *is_round = false;
    number[(*length)++] = arc_number(SWITCHES + source, 0);
    for (;;) {
        const uint32_t port = drawn->port[at][host][lid];
        uint32_t there = HOSTS;
        for (uint32_t h = 0; h < HOSTS; h++)
            if (drawn->home[h] == at && host_port(drawn, h) == port)
                there = h;
        if (port == 0 || (there == HOSTS && drawn->peer[at][port] == SWITCHES))
            return false;
        if (*length == 3 * SWITCHES) {
            *is_round = true;
            return false;
        }
        number[(*length)++] = arc_number(at, port);
        if (there < HOSTS)
            return there == host;
        at = drawn->peer[at][port];
    }
}

static void plain_find(const struct drawn *drawn, bool is_base,
                       struct plain *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t s = 0; s < HOSTS; s++)
        for (uint32_t d = 0; d < HOSTS; d++) {
            const unsigned lids = is_base ? 1 : drawn->lids[d];
            uint32_t number[4][3 * SWITCHES + 2];
            size_t length[4];
            bool is_whole = true, is_round;
            for (unsigned l = 0; l < lids && s != d; l++) {
                is_whole &= plain_follow(drawn, s, d, l, number[l], &length[l],
                                         &is_round);
                out->circling += is_round;
                for (size_t i = 1; i < length[l]; i++)
                    out->waits[number[l][i - 1]][number[l][i]] = true;
            }
            out->unrouted += !is_whole;
            for (unsigned l = 0; l < lids && s != d && is_whole; l++)
                for (size_t i = 0; i < length[l]; i++)
                    out->parts[number[l][i]] += 12 / lids;
        }
}

/* Whether the waits close a circle, by deleting what waits for nothing. */
static bool plain_is_free(const struct plain *plain)
{
    bool is_gone[NUMBERS] = { false };
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (size_t i = 0; i < NUMBERS; i++) {
            bool waits = is_gone[i];
            for (size_t j = 0; j < NUMBERS; j++)
                waits |= plain->waits[i][j] && !is_gone[j];
            is_any |= !waits;
            is_gone[i] |= !waits;
        }
    }
    for (size_t i = 0; i < NUMBERS; i++)
        if (!is_gone[i])
            return false;
    return true;
}

/* The number of a channel. */
static uint32_t channel_number(const struct nb_topology *topology,
                               uint32_t channel)
{
    const struct nb_fabric_port *port = nb_fabric_port_of(topology, channel);
    const char *name = nb_router_name(topology, port->router);
    const uint32_t index = (uint32_t)strtoul(name + 1, NULL, 10);
    return name[0] == 's' ? arc_number(index, port->port)
                          : arc_number(SWITCHES + index, 0);
}

static void check_waits(const struct nb_topology *topology,
                        const struct plain *plain,
                        const struct nb_dependencies *found, int seed)
{
    size_t count = 0;
    for (size_t i = 0; i < NUMBERS; i++)
        for (size_t j = 0; j < NUMBERS; j++)
            count += plain->waits[i][j];
    TOPOLOGY_CHECK(found->count == count, "seed %d: %zu waits, not %zu", seed,
                   found->count, count);
    for (uint32_t v = 0; v < found->vertex_count; v++)
        for (size_t i = found->first[v]; i < found->first[v + 1]; i++)
            TOPOLOGY_CHECK(plain->waits[channel_number(topology, v)]
                                       [channel_number(topology, found->to[i])],
                           "seed %d: %u waits for %u", seed, v, found->to[i]);
}

static void check_deadlock(const struct problem *problem,
                           const struct plain *plain, int seed)
{
    struct nb_deadlock found, again;
    struct nb_error err = { 0 };
    assert_int_equal(nb_deadlock_find(&problem->routing, NULL, &found, &err),
                     NB_OK);
    check_waits(&problem->topology, plain, &found.dependencies, seed);
    const bool is_free = plain_is_free(plain);
    TOPOLOGY_CHECK((found.verdict == NB_DEADLOCK_FREE) == is_free, "seed %d",
                   seed);
    assert_int_equal(found.dependencies.unrouted, plain->unrouted);
    assert_int_equal(found.most == NB_NO_CLASSES, plain->circling > 0);
    struct nb_deadlock_proof proof = found.proof, one = { 0 };
    struct nb_dealt dealt = found.dealt;
    found.proof = (struct nb_deadlock_proof){ 0 };
    found.dealt = (struct nb_dealt){ 0 };
    TOPOLOGY_CHECK(nb_deadlock_check(&problem->routing, NULL, &proof, &one,
                                     &dealt, &again, &err) == NB_OK,
                   "seed %d: %s", seed, err.message);
    nb_deadlock_release(&again);
    nb_deadlock_release(&found);
}

/* The greatest weight of a permutation over a channel, trying all. */
static uint32_t plain_worst(uint32_t weight[HOSTS][HOSTS], uint32_t row,
                            unsigned taken)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < HOSTS && row < HOSTS; c++) {
        if ((taken >> c & 1) != 0)
            continue;
        const uint32_t own =
            weight[row][c] + plain_worst(weight, row + 1, taken | 1U << c);
        most = own > most ? own : most;
    }
    return most;
}

static void check_worst(const struct drawn *drawn, bool is_base,
                        const struct nb_single_worst *found, int seed)
{
    uint32_t most = 0;
    for (uint32_t channel = 0; channel < NUMBERS; channel++) {
        uint32_t weight[HOSTS][HOSTS] = { { 0 } };
        for (uint32_t s = 0; s < HOSTS; s++)
            for (uint32_t d = 0; d < HOSTS; d++) {
                const unsigned lids = is_base ? 1 : drawn->lids[d];
                bool is_whole = s != d, is_round;
                for (unsigned l = 0; l < lids && is_whole; l++) {
                    uint32_t number[3 * SWITCHES + 2];
                    size_t length;
                    is_whole = plain_follow(drawn, s, d, l, number, &length,
                                            &is_round);
                    for (size_t i = 0; i < length; i++)
                        weight[s][d] += number[i] == channel ? 12 / lids : 0;
                }
                weight[s][d] = is_whole ? weight[s][d] : 0;
            }
        const uint32_t own = plain_worst(weight, 0, 0);
        most = own > most ? own : most;
    }
    char name[40];
    snprintf(name, sizeof name, "seed %d", seed);
    ratio_must_equal(found->share, nb_ratio_make(most, 12), name);
    ratio_must_equal(found->load, nb_ratio_make(most, 12), name);
}

static void check_paths(const struct problem *problem,
                        const struct drawn *drawn, bool is_base,
                        const struct plain *plain, int seed)
{
    struct nb_single_paths paths = { 0 };
    struct nb_single_worst worst;
    uint64_t load[2 * SWITCHES * PORTS + 2 * HOSTS];
    assert_int_equal(nb_single_paths_find(&problem->routing,
                                          problem->routing.topology, &paths,
                                          NULL),
                     NB_OK);
    assert_int_equal(paths.unrouted, plain->unrouted);
    nb_single_paths_load(&paths, load);
    for (uint32_t c = 0; c < problem->topology.channel_count; c++)
        TOPOLOGY_CHECK(load[c] * 12 ==
                           plain->parts[channel_number(&problem->topology, c)] *
                               (uint64_t)paths.ways,
                       "seed %d: channel %u", seed, c);
    assert_int_equal(nb_single_worst_find(&paths, &worst, NULL), NB_OK);
    check_worst(drawn, is_base, &worst, seed);
    nb_single_paths_release(&paths);
}

static void check(int seed, size_t counts[3])
{
    static struct plain plain;
    struct nb_random random;
    struct drawn drawn;
    struct nb_text text[2] = { { 0 }, { 0 } };
    char path[2][NB_SCRATCH_FILE];
    nb_random_init(&random, (uint64_t)seed, 0);
    draw(&random, &drawn);
    draw_tables(&random, (unsigned)seed % 4, &drawn);
    print_fabric(&drawn, &text[0]);
    print_tables(&drawn, &text[1]);
    nb_scratch_file(path[0], ".ibnetdiscover", text[0].bytes);
    nb_scratch_file(path[1], ".lft", text[1].bytes);
    for (int is_base = 0; is_base < 2; is_base++) {
        struct problem problem;
        char network[NB_SCRATCH_PATH], routing[NB_SCRATCH_PATH];
        snprintf(network, sizeof network, "file:%s", path[0]);
        snprintf(routing, sizeof routing, "file:%s,lid=%s", path[1],
                 is_base ? "base" : "all");
        problem_open(&problem, network, routing);
        plain_find(&drawn, is_base, &plain);
        assert_int_equal(problem.routing.circling, plain.circling);
        check_deadlock(&problem, &plain, seed);
        check_paths(&problem, &drawn, is_base, &plain, seed);
        counts[0] += plain.circling > 0;
        counts[1] += plain.circling == 0 && plain.unrouted > 0;
        counts[2] += plain.circling == 0 && plain_is_free(&plain);
        problem_close(&problem);
    }
    for (size_t i = 0; i < 2; i++) {
        remove(path[i]);
        nb_text_release(&text[i]);
    }
}

static void test_random_tables(void **state)
{
    (void)state;
    size_t counts[3] = { 0 };
    for (int seed = 1; seed <= 60; seed++)
        check(seed, counts);
    for (size_t i = 0; i < 3; i++)
        TOPOLOGY_CHECK(counts[i] > 3, "kind %zu: %zu cases", i, counts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
