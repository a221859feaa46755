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
#include "questions/simulate/simulate_question.h"
#include "questions/worst_case/worst_case_question.h"
#include "support/cases.h"
#include "support/scratch.h"
#include "topology/graph_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* P: terminals per router. Of every kind whose channels lead both ways. */
static const char *const networks[] = {
    "ring:5,terminals=P,terminal-bandwidth=1",
    "mesh:3x2,terminals=P,terminal-bandwidth=1",
    "torus:3x3,terminals=P,terminal-bandwidth=1",
    "hypercube:3,terminals=P,terminal-bandwidth=1",
    "complete:4,terminals=P,terminal-bandwidth=1",
    "ccc:3,terminals=P,terminal-bandwidth=1",
    "regular:8,degree=3,terminals=P,terminal-bandwidth=1",
    "random:8,p=1/2,seed=3,terminals=P,terminal-bandwidth=1",
    "preferential:2,steps=5,terminals=P,terminal-bandwidth=1",
    "slimfly:5,p=P",
    "hyperx:3x3,p=P",
    "dragonfly:h=1,a=3,p=P",
    "megafly:h=1,p=P",
    "fattree:k=2,n=2",
    "fattree:k=3,n=2",
    "clos:Px3,up=2",
};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* Schemes that choose by routers and are defined on any network, and every
 * scheme that chooses by terminal. With one terminal per router the latter do
 * not make hosts, and break ties otherwise. */
static const struct {
    const char *name;
    bool is_by_router;
} schemes[] = {
    { "min", true },       { "val", true },
    { "updown", false },   { "updown:tables=router", false },
    { "sr", false },       { "tor", false },
    { "lash-tor", false }, { "lash", false },
    { "minhop", false },   { "dfsssp", false },
    { "nue", false },      { "ftree", false },
};
static const char *const patterns[] = { "uniform:self=no",
                                        "random-permutation:seed=5,self=no",
                                        "hot-spot:nodes=1,share=1/4,self=no" };
enum {
    SCHEMES = sizeof schemes / sizeof *schemes,
    MATRICES = 9,
    TRAFFICS = MATRICES + sizeof patterns / sizeof *patterns,
};

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

/* What both forms must agree on. */
struct found {
    struct nb_ratio throughput, worst;
    struct nb_ratio most; /* largest sum that a terminal sends, at rate 1 */
    size_t count;
    double *load; /* sorted loads of all channels; owned */
};

static struct nb_ratio least(struct nb_ratio a, struct nb_ratio b)
{
    return nb_ratio_compare(a, b) < 0 ? a : b;
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The loads of all channels, those of terminals included: what a terminal
 * sends or receives where it is no node. */
static void sort_loads(const struct nb_load_answer *answer, struct found *out)
{
    const struct nb_topology *topology = &answer->problem.topology;
    const bool has_own = nb_has_terminal_queues(topology);
    out->count =
        topology->channel_count + (has_own ? 2 * topology->terminal_count : 0);
    out->load = calloc(out->count, sizeof *out->load);
    assert_non_null(out->load);
    double *next = out->load;
    for (size_t c = 0; c < topology->channel_count; c++)
        *next++ = nb_ratio_value(answer->loads.load[c].exact);
    for (size_t t = 0; has_own && t < topology->terminal_count; t++) {
        *next++ = nb_ratio_value(answer->sent[t].exact);
        *next++ = nb_ratio_value(answer->received[t].exact);
    }
    qsort(out->load, out->count, sizeof *out->load, compare_doubles);
}

static bool ask_load(const char *topology, const char *traffic,
                     const char *routing, struct found *out)
{
    const struct nb_load_question request = { .topology = topology,
                                              .traffic = traffic,
                                              .routing = routing,
                                              .allow_inadmissible = true };
    struct nb_load_answer answer;
    if (nb_load_ask(&request, NULL, &answer, NULL) != NB_OK)
        return false;
    const struct nb_ratio most =
        nb_ratio_compare(answer.sums.row, answer.sums.column) > 0
            ? answer.sums.row
            : answer.sums.column;
    out->throughput = least(answer.loads.throughput.exact,
                            nb_terminal_limit(&answer.problem.topology, most));
    out->most = answer.sums.row;
    sort_loads(&answer, out);
    nb_load_answer_release(&answer);
    return true;
}

static bool ask_worst(const char *topology, const char *routing,
                      struct found *out)
{
    const struct nb_worst_case_question request = { .topology = topology,
                                                    .routing = routing };
    struct nb_worst_case_answer answer;
    if (nb_worst_case_ask(&request, NULL, &answer, NULL) != NB_OK)
        return false;
    out->worst =
        least(answer.matched.throughput.exact,
              nb_terminal_limit(&answer.problem.topology, nb_ratio_one));
    nb_worst_case_answer_release(&answer);
    return true;
}

/* The mean wait at the channel from a terminal, an M/D/1 queue, and its cycle,
 * per packet: what a network without hosts leaves out. Source: [Kleinrock1975],
 * rate / (2 (1 - rate)). */
static double first_channel(const struct nb_load_answer *answer, double rate)
{
    double sum = 0, all = 0;
    for (size_t t = 0; t < answer->problem.topology.terminal_count; t++) {
        const double sent = rate * nb_ratio_value(answer->sent[t].exact);
        sum += sent * (1 + sent / (2 * (1 - sent)));
        all += sent;
    }
    return sum / all;
}

static double ask_latency(const char *topology, const char *traffic,
                          const char *routing, struct nb_ratio rate)
{
    const struct nb_latency_question request = {
        .topology = topology,
        .traffic = traffic,
        .routing = routing,
        .rate = rate,
        .flits = 1,
        .channel_latency = { 1, 1 },
        .delay_model = NB_LATENCY_MD1,
        .allow_inadmissible = true,
    };
    struct nb_latency_answer answer;
    struct nb_error err = { 0 };
    if (nb_latency_ask(&request, NULL, &answer, &err) != NB_OK)
        fail_msg("%s, %s: %s", topology, routing, err.message);
    const double found = answer.latency.lower / 2 + answer.latency.upper / 2;
    nb_latency_answer_release(&answer);
    return found;
}

/* Latencies at half of the throughput. */
static void check_latencies(const char *label, const char *name,
                            const char *fabric, const char *traffic,
                            const char *routing, struct nb_ratio throughput)
{
    const struct nb_load_question request = { .topology = name,
                                              .traffic = traffic,
                                              .routing = routing,
                                              .allow_inadmissible = true };
    const struct nb_ratio rate =
        nb_ratio_divide(throughput, nb_ratio_make(2, 1));
    struct nb_load_answer answer;
    assert_int_equal(nb_load_ask(&request, NULL, &answer, NULL), NB_OK);
    double own = ask_latency(name, traffic, routing, rate);
    const double other = ask_latency(fabric, traffic, routing, rate);
    if (answer.problem.topology.first_host == 0)
        own += first_channel(&answer, nb_ratio_value(rate));
    if (fabs(own - other) > 1e-5 * other)
        fail_msg("%s: mean latency is %.9g, in the fabric form %.9g", label,
                 own, other);
    nb_load_answer_release(&answer);
}

static struct nb_simulation_result simulate(const char *topology,
                                            const char *traffic,
                                            const char *routing,
                                            struct nb_ratio rate)
{
    const struct nb_simulate_question request = {
        .topology = topology,
        .traffic = traffic,
        .routing = routing,
        .rate = rate,
        .warm_up = 1000,
        .cycles = 3000,
        .replications = 2,
        .pipeline = NB_NO_WHOLE,
        .allow_inadmissible = true,
    };
    struct nb_simulate_answer answer;
    struct nb_error err = { 0 };
    if (nb_simulate_ask(&request, NULL, &answer, &err) != NB_OK)
        fail_msg("%s, %s: %s", topology, routing, err.message);
    const struct nb_simulation_result found = {
        .accepted = answer.result.accepted,
        .stability = answer.result.stability,
        .packets = answer.result.packets,
    };
    nb_simulate_answer_release(&answer);
    return found;
}

/* Simulated rates at half of the throughput and, saturated, at twice. */
static void check_simulations(const char *label, const char *name,
                              const char *fabric, const char *traffic,
                              const char *routing, const struct found *found)
{
    for (int64_t twice = 1; twice <= 4; twice += 3) {
        const struct nb_ratio rate =
            nb_ratio_multiply(found->throughput, nb_ratio_make(twice, 2));
        if (nb_ratio_compare(nb_ratio_multiply(rate, found->most),
                             nb_ratio_one) > 0)
            continue; /* only the channel of a host limits what it sends */
        const struct nb_simulation_result own =
            simulate(name, traffic, routing, rate);
        const struct nb_simulation_result other =
            simulate(fabric, traffic, routing, rate);
        const double a = own.accepted.mean, b = other.accepted.mean;
        const double noise = 5 * sqrt(2 / (double)own.packets);
        if (fabs(a - b) > (0.01 + noise) * (a + b) / 2)
            fail_msg("%s, rate %g: accepted %g, in the fabric form %g", label,
                     nb_ratio_value(rate), a, b);
        if (own.stability + other.stability == NB_STABLE + NB_SATURATED &&
            own.stability != other.stability)
            fail_msg("%s, rate %g: one is stable", label, nb_ratio_value(rate));
    }
}

/* [packets/cycle/terminal] the best throughput, that of terminals' channels
 * included; a bracket if it is not exact. */
static struct nb_enclosure ask_optimum(const char *topology,
                                       const char *traffic)
{
    const struct nb_optimum_question request = { .topology = topology,
                                                 .traffic = traffic,
                                                 .allow_inadmissible = true };
    struct nb_optimum_answer answer;
    struct nb_error err = { 0 };
    if (nb_optimum_ask(&request, NULL, &answer, &err) != NB_OK)
        fail_msg("%s: %s", topology, err.message);
    const struct nb_ratio most =
        nb_ratio_compare(answer.sums.row, answer.sums.column) > 0
            ? answer.sums.row
            : answer.sums.column;
    const struct nb_enclosure found = nb_enclosure_least(
        answer.throughput, nb_problem_terminal_limit(&answer.problem, most));
    nb_optimum_answer_release(&answer);
    return found;
}

static void check_optima(const char *label, const char *name,
                         const char *fabric, const char *traffic)
{
    const struct nb_enclosure own = ask_optimum(name, traffic);
    const struct nb_enclosure other = ask_optimum(fabric, traffic);
    if (own.lower > other.upper || other.lower > own.upper ||
        own.upper - own.lower > 0.01 * own.upper)
        fail_msg("%s: the best throughput is in [%.9g, %.9g], in the fabric "
                 "form in [%.9g, %.9g]",
                 label, own.lower, own.upper, other.lower, other.upper);
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

static void check_loads(const char *name, const struct found *own,
                        const struct found *other)
{
    if (own->count != other->count)
        fail_msg("%s: %zu channels, in the fabric form %zu", name, own->count,
                 other->count);
    for (size_t c = 0; c < own->count; c++)
        if (own->load[c] != other->load[c])
            fail_msg("%s: load %.17g, in the fabric form %.17g", name,
                     own->load[c], other->load[c]);
}

/* Numbers of comparisons made, which draw the slow ones. */
static size_t compared, simulated;

static void check_traffic(const char *label, const char *name,
                          const char *fabric, const char *traffic,
                          const char *routing)
{
    struct found own = { 0 }, other = { 0 };
    const bool is_defined = ask_load(name, traffic, routing, &own);
    assert_int_equal(ask_load(fabric, traffic, routing, &other), is_defined);
    if (is_defined) {
        check_same(label, "throughput", own.throughput, other.throughput);
        check_loads(label, &own, &other);
        if (!nb_ratio_is_infinite(own.throughput)) {
            check_latencies(label, name, fabric, traffic, routing,
                            own.throughput);
            if (compared % 97 == 0)
                check_simulations(label, name, fabric, traffic, routing, &own);
            simulated += compared % 97 == 0;
        }
        if (strcmp(routing, "min") == 0 && compared % 11 == 0)
            check_optima(label, name, fabric, traffic);
    }
    compared += is_defined;
    free(own.load);
    free(other.load);
}

static void check_scheme(const char *name, const char *fabric,
                         const char *routing, uint32_t terminals, uint64_t seed)
{
    struct nb_random random;
    struct found own, other;
    char label[240];
    nb_random_init(&random, seed, 0);
    for (size_t kind = 0; kind < TRAFFICS; kind++) {
        char path[NB_SCRATCH_FILE], traffic[NB_SCRATCH_FILE + 40];
        if (kind < MATRICES) {
            write_traffic(terminals, kind, &random, path);
            snprintf(traffic, sizeof traffic, "file:%s", path);
        } else {
            snprintf(traffic, sizeof traffic, "%s", patterns[kind - MATRICES]);
        }
        snprintf(label, sizeof label, "%s %s, traffic %zu", name, routing,
                 kind);
        check_traffic(label, name, fabric, traffic, routing);
        if (kind < MATRICES)
            unlink(path);
    }
    if (ask_worst(name, routing, &own) && ask_worst(fabric, routing, &other))
        check_same(label, "worst case", own.worst, other.worst);
}

/* The phases of val are in dimension order where there are coordinates, which a
 * fabric does not have. */
static bool is_comparable(const struct nb_topology *topology, size_t scheme)
{
    bool has_several = false;
    for (size_t r = 0; r < topology->router_count; r++)
        has_several = has_several || topology->terminals[r] > 1;
    if (strcmp(schemes[scheme].name, "val") == 0)
        return topology->grid.dimensions == 0;
    return schemes[scheme].is_by_router || has_several;
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
                if (nb_cases_have_most(index++, 12, 6) &&
                    is_comparable(&topology, s))
                    check_scheme(name, fabric, schemes[s].name,
                                 (uint32_t)topology.terminal_count, index);
            unlink(path);
            nb_topology_release(&topology);
        }
    assert_true(compared > 50 && simulated > 1);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
