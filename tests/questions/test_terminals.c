/* A network with several terminals per router answers as its fabric form does,
 * in which every terminal is a host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "questions/latency/latency_question.h"
#include "questions/load/load_question.h"
#include "questions/worst_case/worst_case_question.h"
#include "support/cases.h"
#include "support/scratch.h"
#include "topology/graph_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* P: terminals per router. Networks without groups, whose shortest paths are
 * those of the fabric. */
static const char *const networks[] = {
    "ring:5,terminals=P,terminal-bandwidth=1",
    "mesh:3x2,terminals=P,terminal-bandwidth=1",
    "torus:3x3,terminals=P,terminal-bandwidth=1",
    "hypercube:3,terminals=P,terminal-bandwidth=1",
    "complete:4,terminals=P,terminal-bandwidth=1",
    "ccc:3,terminals=P,terminal-bandwidth=1",
    "regular:8,degree=3,terminals=P,terminal-bandwidth=1",
    "fattree:k=2,n=2",
    "fattree:k=3,n=2",
    "clos:Px3,up=2",
};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* One that chooses by routers and, on trees, one that chooses by terminal.
 * Others (updown, minhop, dfsssp, lash, nue) break ties by the numbers of nodes
 * and channels, which differ in both forms. */
static const char *const schemes[] = { "min", "ftree" };
enum { SCHEMES = sizeof schemes / sizeof *schemes, TRAFFICS = 8 };

static void name_network(size_t which, unsigned terminals, char name[120])
{
    const char *p = strchr(networks[which], 'P');
    if (p == NULL)
        snprintf(name, 120, "%s", networks[which]);
    else
        snprintf(name, 120, "%.*s%u%s", (int)(p - networks[which]),
                 networks[which], terminals, p + 1);
}

/* Traffic between n terminals that none sends to itself: permutations, incast
 * to one terminal, few or many random flows. */
static void write_traffic(uint32_t n, size_t kind, struct nb_random *random,
                          char path[NB_SCRATCH_FILE])
{
    struct nb_text text = { 0 };
    uint32_t *map = calloc(n, sizeof *map);
    assert_non_null(map);
    nb_text_print(&text, "source,destination,rate\n");
    nb_random_permutation(random, n, map);
    const uint32_t hot = (uint32_t)nb_random_below(random, n);
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t u = 0; u < n; u++) {
            const uint64_t drawn = nb_random_below(random, 4);
            const bool sends = kind < 3    ? map[t] == u
                               : kind == 3 ? u == (t + 1) % n
                               : kind == 4 ? u == hot
                               : kind == 5 ? u == hot && drawn == 0
                                           : drawn == 0;
            if (sends && t != u)
                nb_text_print(&text, "%u,%u,%u/12\n", t, u,
                              1 + (unsigned)nb_random_below(random, 12));
        }
    nb_scratch_file(path, ".csv", text.bytes);
    nb_text_release(&text);
    free(map);
}

/* What both forms must agree on; unknown: the scheme is not defined there. */
struct found {
    struct nb_ratio throughput, worst;
};

static struct nb_ratio least(struct nb_ratio a, struct nb_ratio b)
{
    return nb_ratio_compare(a, b) < 0 ? a : b;
}

static bool ask_load(const char *topology, const char *traffic,
                     const char *routing, struct found *out)
{
    const struct nb_load_question asked = { .topology = topology,
                                            .traffic = traffic,
                                            .routing = routing,
                                            .allow_inadmissible = true };
    struct nb_load_told told;
    if (nb_load_ask(&asked, NULL, &told, NULL) != NB_OK)
        return false;
    const struct nb_ratio most =
        nb_ratio_compare(told.sums.row, told.sums.column) > 0
            ? told.sums.row
            : told.sums.column;
    out->throughput = least(told.loads.throughput.exact,
                            nb_terminal_limit(&told.problem.topology, most));
    nb_load_told_release(&told);
    return true;
}

static bool ask_worst(const char *topology, const char *routing,
                      struct found *out)
{
    const struct nb_worst_case_question asked = { .topology = topology,
                                                  .routing = routing };
    struct nb_worst_case_told told;
    if (nb_worst_case_ask(&asked, NULL, &told, NULL) != NB_OK)
        return false;
    out->worst = least(told.matched.throughput.exact,
                       nb_terminal_limit(&told.problem.topology, nb_ratio_one));
    nb_worst_case_told_release(&told);
    return true;
}

static void check_same(const char *name, const char *what, struct nb_ratio a,
                       struct nb_ratio b)
{
    char one[NB_RATIO_TEXT], other[NB_RATIO_TEXT];
    if (nb_ratio_compare(a, b) == 0)
        return;
    nb_ratio_print(a, one);
    nb_ratio_print(b, other);
    fail_msg("%s: %s is %s, in the fabric form %s", name, what, one, other);
}

static size_t compared;

static void check_scheme(const char *name, const char *fabric,
                         const char *routing, uint32_t terminals, uint64_t seed)
{
    struct nb_random random;
    struct found own, other;
    char label[200];
    nb_random_init(&random, seed, 0);
    for (size_t kind = 0; kind < TRAFFICS; kind++) {
        char path[NB_SCRATCH_FILE], traffic[NB_SCRATCH_FILE + 8];
        write_traffic(terminals, kind, &random, path);
        snprintf(traffic, sizeof traffic, "file:%s", path);
        snprintf(label, sizeof label, "%s %s, traffic %zu", name, routing,
                 kind);
        const bool is_defined = ask_load(name, traffic, routing, &own);
        assert_int_equal(ask_load(fabric, traffic, routing, &other),
                         is_defined);
        if (is_defined)
            check_same(label, "throughput", own.throughput, other.throughput);
        compared += is_defined;
        unlink(path);
    }
    if (ask_worst(name, routing, &own) && ask_worst(fabric, routing, &other))
        check_same(label, "worst case", own.worst, other.worst);
}

static void both_forms_agree(void **state)
{
    (void)state;
    static const unsigned terminals[] = { 1, 2, 5 };
    size_t index = 0;
    for (size_t n = 0; n < NETWORKS; n++)
        for (size_t p = 0; p < 3; p++) {
            char name[120], path[NB_SCRATCH_FILE], fabric[NB_SCRATCH_FILE + 8];
            struct nb_topology topology;
            if (p > 0 && strchr(networks[n], 'P') == NULL)
                continue; /* its terminals are its own */
            name_network(n, terminals[p], name);
            struct nb_error err = { 0 };
            if (nb_topology_build(name, &topology, &err) != NB_OK)
                fail_msg("%s: %s", name, err.message);
            nb_scratch_file(path, ".ibnetdiscover", "");
            if (nb_graph_write(&topology, path, &err) != NB_OK)
                fail_msg("%s: %s", name, err.message);
            snprintf(fabric, sizeof fabric, "file:%s", path);
            for (size_t s = 0; s < SCHEMES; s++)
                if (nb_cases_have(index++, 2) &&
                    (s == 0 || topology.kind->has_levels))
                    check_scheme(name, fabric, schemes[s],
                                 (uint32_t)topology.terminal_count, index);
            unlink(path);
            nb_topology_release(&topology);
        }
    assert_true(compared > 50);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
