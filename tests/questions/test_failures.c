/* Networks with failures, compared with the whole network without the links,
 * found by other means, and with the same network written to a file and read
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/cases.h"
#include "../support/scratch.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/sets.h"
#include "ask/ask.h"
#include "routing/unrouted.h"
#include "topology/fabric.h"
#include "topology/graph_write.h"

#include <gsl/gsl_errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Limits on the routers of a network for costly questions. */
enum { FAILED_WORST_CASE = 30, FAILED_OPTIMUM = 12 };

/* Whether a channel of the whole network belongs to a failed cable. */
static bool failed_has_link(const struct nb_topology *topology,
                            const struct nb_topology *whole, uint32_t channel)
{
    const uint32_t a = whole->channels[channel].source;
    const uint32_t b = whole->channels[channel].target;
    const struct nb_fabric_port *port = nb_fabric_port_of(whole, channel);
    uint32_t number = 1;
    for (uint32_t c = whole->out_start[a]; c < channel; c++)
        number += whole->channels[c].target == b;
    for (size_t l = 0; l < topology->failures.link_count; l++) {
        const struct nb_failed_link *link = &topology->failures.link[l];
        if (link->low == a && link->high == b &&
            link->cable == (port == NULL ? number : port->port))
            return true;
        if (link->low == b && link->high == a &&
            link->cable == (port == NULL ? number : port->target_port))
            return true;
    }
    return false;
}

/* Checks where each slot of a grid's router leads, from coordinates only. */
static void failed_check_grid(const struct nb_topology *whole,
                              const struct nb_topology *left, const char *name)
{
    const size_t slots = whole->router_count * whole->grid.dimensions * 2;
    TOPOLOGY_CHECK(left->grid.dimensions == whole->grid.dimensions, "%s", name);
    for (size_t s = 0; s < slots && whole->grid.channel != NULL; s++) {
        const uint32_t was = whole->grid.channel[s];
        const uint32_t now = left->grid.channel[s];
        if (was == NB_NONE) {
            TOPOLOGY_CHECK(now == NB_NONE, "%s: slot %zu", name, s);
            continue;
        }
        const struct nb_channel *channel = &whole->channels[was];
        if (failed_has_link(left, whole, was))
            TOPOLOGY_CHECK(now == NB_NONE, "%s: slot %zu", name, s);
        else
            TOPOLOGY_CHECK(now < left->channel_count &&
                               left->channels[now].source == channel->source &&
                               left->channels[now].target == channel->target,
                           "%s: slot %zu", name, s);
    }
}

/* Checks that the rest is the whole network without the failed links. */
static void failed_check_removal(const struct nb_topology *whole,
                                 const struct nb_topology *left,
                                 const char *name)
{
    size_t next = 0;
    TOPOLOGY_CHECK(left->router_count == whole->router_count, "%s", name);
    for (size_t c = 0; c < whole->channel_count; c++) {
        const struct nb_channel *channel = &whole->channels[c];
        if (failed_has_link(left, whole, (uint32_t)c))
            continue;
        TOPOLOGY_CHECK(next < left->channel_count, "%s", name);
        const struct nb_channel *kept = &left->channels[next++];
        TOPOLOGY_CHECK(
            kept->source == channel->source &&
                kept->target == channel->target &&
                nb_ratio_compare(kept->bandwidth, channel->bandwidth) == 0,
            "%s: channel %zu", name, c);
    }
    TOPOLOGY_CHECK(next == left->channel_count, "%s", name);
    for (uint32_t r = 0; r < whole->router_count; r++) {
        const bool has_failed = nb_router_has_failed(left, r);
        TOPOLOGY_CHECK(left->terminals[r] ==
                           (has_failed ? 0 : whole->terminals[r]),
                       "%s: router %" PRIu32, name, r);
        TOPOLOGY_CHECK(!has_failed ||
                           (left->out_start[r] == left->out_start[r + 1] &&
                            left->in_start[r] == left->in_start[r + 1]),
                       "%s: router %" PRIu32, name, r);
        TOPOLOGY_CHECK(whole->groups.count == 0 ||
                           left->groups.of[r] == whole->groups.of[r],
                       "%s: router %" PRIu32, name, r);
    }
    failed_check_grid(whole, left, name);
}

/* Asks a question with its further options. */
static enum nb_status failed_ask(const char *const *question,
                                 const char *topology, struct nb_report *out,
                                 struct nb_error *err)
{
    struct nb_model model = { .command = nb_new_string(question[0]) };
    enum nb_status status = nb_model_set(&model, "topology", topology, err);
    for (size_t i = 1; status == NB_OK && question[i] != NULL; i += 2)
        status = nb_model_set(&model, question[i], question[i + 1], err);
    if (status == NB_OK)
        status = nb_ask(&model, NULL, out, err);
    nb_model_release(&model);
    return status;
}

static const struct nb_quantity *failed_find(const struct nb_report *report,
                                             const char *name)
{
    const struct nb_point *point = report->points;
    for (size_t q = 0; q < point->quantity_count; q++)
        if (strcmp(point->quantities[q].name, name) == 0)
            return &point->quantities[q];
    return NULL;
}

/* Both must answer, with the same values within their brackets. */
static void failed_compare(const char *const *question, const char *topology,
                           const char *file)
{
    /* Skipped: numbers that differ for a file, and numbers of one of several
     * best routings. */
    const bool is_optimum = strcmp(question[0], "optimum") == 0;
    static const char *const skipped[] = {
        "routers",  "failed_links", "failed_routers",
        "capacity", "duality_gap",  "mean_hops",
    };
    const size_t skips = is_optimum ? 6 : 4;
    struct nb_report one = { 0 }, other = { 0 };
    struct nb_error err = { 0 };
    const enum nb_status status = failed_ask(question, topology, &one, &err);
    if (failed_ask(question, file, &other, &err) != status)
        fail_msg("%s of %s: %s", question[0], topology, err.message);
    if (status != NB_OK) /* neighbour traffic without neighbours */
        goto done;
    for (size_t q = 0; q < one.points->quantity_count; q++) {
        const struct nb_quantity *a = &one.points->quantities[q];
        const struct nb_quantity *b = failed_find(&other, a->name);
        /* The capacity is unknown for a network from a file. */
        bool is_skipped = strcmp(a->unit, "fraction of capacity") == 0;
        for (size_t s = 0; s < skips; s++)
            is_skipped = is_skipped || strcmp(a->name, skipped[s]) == 0;
        if (is_skipped)
            continue;
        if (b == NULL)
            fail_msg("%s of %s: no %s", question[0], topology, a->name);
        /* Sums of doubles, in another order of the routers. */
        const double low = fmax(a->lower, b->lower);
        const double high = fmin(a->upper, b->upper);
        if (low > high * (1 + 1e-12) + 1e-15)
            fail_msg("%s of %s: %s is %.17g or %.17g", question[0], topology,
                     a->name, a->value, b->value);
    }
done:
    nb_report_release(&one);
    nb_report_release(&other);
}

static void failed_ask_all(const struct nb_topology *left, const char *name,
                           const char *file)
{
    static const char *const by_groups[][9] = {
        { "optimum", "traffic", "uniform", NULL },
        { "optimum", "worst-case", "yes", NULL },
    };
    static const char *const measures[] = { "topology", NULL };
    static const char *const by_graph[][9] = {
        { "load", "routing", "min", NULL },
        { "load", "routing", "min", "traffic", "nearest-neighbour", NULL },
        { "latency", "routing", "min", "rate", "1/50", NULL },
        { "worst-case", "routing", "min", NULL },
        { "worst-case", "routing", "any-minimal", NULL },
    };
    /* A file has no groups. */
    if (left->groups.counts_global_first)
        return;
    failed_compare(measures, name, file);
    const size_t request = left->router_count <= FAILED_WORST_CASE ? 5 : 3;
    for (size_t q = 0; q < request; q++)
        failed_compare(by_graph[q], name, file);
    for (size_t q = 0; q < 2 && left->router_count <= FAILED_OPTIMUM; q++)
        failed_compare(by_groups[q], name, file);
}

/* Draws a failure for a network, as a parameter. */
static void failed_draw(const struct nb_topology *whole,
                        struct nb_random *random, char out[80])
{
    const unsigned router =
        (unsigned)nb_random_below(random, whole->router_count);
    const struct nb_channel *channel =
        &whole->channels[nb_random_below(random, whole->channel_count)];
    const unsigned seed = (unsigned)nb_random_below(random, 1000);
    unsigned cables = 0;
    for (size_t c = 0; c < whole->channel_count; c++)
        cables += whole->channels[c].source == channel->source &&
                  whole->channels[c].target == channel->target;
    switch (nb_random_below(random, 5)) {
    case 0:
        snprintf(out, 80, "fail=random:2,fail-seed=%u", seed);
        break;
    case 1:
        snprintf(out, 80, "fail=router:%u", router);
        break;
    case 2:
        snprintf(out, 80, "fail=%u-%u", channel->source, channel->target);
        break;
    case 3:
        snprintf(out, 80, "fail=%u-%u[%u]", channel->source, channel->target,
                 1 + seed % cables);
        break;
    default:
        snprintf(out, 80, "fail=random:4%%+router:%u,fail-seed=%u", router,
                 seed);
        break;
    }
}

/* Networks drawn, and networks with an answer: shows if the test does
 * nothing. */
static size_t failed_drawn, failed_count;

static void failed_check_example(const struct nb_topology *whole,
                                 const char *name)
{
    struct nb_random random;
    nb_random_init(&random, 20, strlen(name) + whole->router_count);
    for (int trial = 0; trial < 3; trial++) {
        struct nb_topology left = { 0 };
        struct nb_error err = { 0 };
        char failure[80], path[NB_SCRATCH_PATH];
        char specification[200], file[NB_SCRATCH_PATH + 8];
        failed_draw(whole, &random, failure);
        if (!nb_cases_have_most(failed_drawn++, 6, 2))
            continue;
        snprintf(specification, sizeof specification, "%s%s%s", name,
                 strchr(name, ':') != NULL ? "," : ":", failure);
        const enum nb_status status =
            nb_topology_build(specification, &left, &err);
        if (status != NB_OK) { /* disconnected or empty, with an error that says
                                * so */
            TOPOLOGY_CHECK(status == NB_INVALID &&
                               (strstr(err.message, "is not reached") ||
                                strstr(err.message, "fail")),
                           "%s: %s", specification, err.message);
            continue;
        }
        failed_check_removal(whole, &left, specification);
        /* A file does not say that packets cross one way. */
        if (whole->router_count - left.failures.router_count > 1 &&
            !whole->kind->is_one_way) {
            nb_scratch_name("left.graphml", path);
            assert_int_equal(nb_graph_write(&left, path, NULL), NB_OK);
            snprintf(file, sizeof file, "file:%s", path);
            failed_ask_all(&left, specification, file);
            failed_count++;
        }
        nb_topology_release(&left);
    }
}

static void failures_are_the_network_without_links(void **state)
{
    (void)state;
    failed_drawn = failed_count = 0;
    topology_each_example(failed_check_example);
    assert_true(failed_count > (nb_cases_are_all() ? 100 : 15));
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Every scheme on every example with a failure: it must have loads or, if it is
 * adaptive, carry packets, or say what it cannot route. */
static void failed_check_scheme(const char *scheme, bool is_adaptive,
                                const char *topology, struct nb_random *random)
{
    struct nb_topology whole = { 0 }, left = { 0 };
    struct nb_report report = { 0 };
    struct nb_error err = { 0 };
    char failure[80], specification[200];
    const char *const load[] = { "load", "routing", scheme, NULL };
    const char *const simulate[] = { "simulate",     "routing", scheme,
                                     "rate",         "1/10",    "cycles",
                                     "100",          "router",  "credit",
                                     "replications", "1",       NULL };
    topology_must_build(topology, &whole);
    failed_draw(&whole, random, failure);
    snprintf(specification, sizeof specification, "%s%s%s", topology,
             strchr(topology, ':') != NULL ? "," : ":", failure);
    if (nb_topology_build(specification, &left, NULL) == NB_OK &&
        failed_ask(is_adaptive ? simulate : load, specification, &report,
                   &err) != NB_OK)
        TOPOLOGY_CHECK(strstr(err.message, "permitted") != NULL, "%s on %s: %s",
                       scheme, specification, err.message);
    nb_report_release(&report);
    nb_topology_release(&left);
    nb_topology_release(&whole);
}

static void schemes_answer_or_refuse(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 21, 0);
    for (size_t k = 0; nb_routing_kinds[k] != NULL; k++) {
        const char *examples = nb_routing_kinds[k]->examples;
        char word[TOPOLOGY_WORD];
        while (topology_next_word(&examples, word)) {
            char *at = strchr(word, '@');
            *at = '\0';
            if (strcmp(nb_routing_kinds[k]->kind.name, "file") == 0)
                continue; /* its tables name the channels they use */
            for (int trial = 0; trial < 2; trial++)
                failed_check_scheme(word, nb_routing_kinds[k]->is_adaptive,
                                    at + 1, &random);
        }
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Pairs that dimension order cannot route, counted by following it. */
static size_t failed_count_pairs(uint32_t k, uint32_t low, uint32_t high)
{
    size_t count = 0;
    for (uint32_t s = 0; s < k * k; s++)
        for (uint32_t d = 0; d < k * k; d++) {
            uint32_t x = s % k, y = s / k;
            bool needs = false;
            while (x != d % k || y != d / k) {
                const uint32_t from = y * k + x;
                if (x != d % k)
                    x += d % k > x ? 1 : UINT32_MAX;
                else
                    y += d / k > y ? 1 : UINT32_MAX;
                const uint32_t to = y * k + x;
                needs = needs || (from == low && to == high) ||
                        (from == high && to == low);
            }
            count += needs;
        }
    return count;
}

static void unrouted_pairs_are_counted(void **state)
{
    static const uint32_t links[][2] = { { 0, 1 }, { 5, 6 }, { 6, 11 } };
    (void)state;
    for (size_t l = 0; l < sizeof links / sizeof *links; l++) {
        struct nb_topology topology = { 0 };
        struct nb_routing routing = { 0 };
        struct nb_error err = { 0 };
        char specification[40], said[80];
        snprintf(specification, sizeof specification, "mesh:5x5,fail=%u-%u",
                 links[l][0], links[l][1]);
        topology_must_build(specification, &topology);
        assert_int_equal(nb_routing_build("dor", &topology, &routing, NULL),
                         NB_OK);
        assert_int_equal(nb_routes_require(&routing, NULL, &err), NB_INVALID);
        snprintf(said, sizeof said, "cannot route %zu of 600 pairs",
                 failed_count_pairs(5, links[l][0], links[l][1]));
        assert_non_null(strstr(err.message, said));
        nb_routing_release(&routing);
        nb_topology_release(&topology);
    }
}

static bool draws_have(const struct nb_topology *topology,
                       const struct nb_failed_link *link)
{
    for (size_t l = 0; l < topology->failures.link_count; l++)
        if (topology->failures.link[l].low == link->low &&
            topology->failures.link[l].high == link->high &&
            topology->failures.link[l].cable == link->cable)
            return true;
    return false;
}

/* With the same seed, more failures include the fewer; another seed gives other
 * links. */
static void draws_are_nested(void **state)
{
    struct nb_topology few = { 0 }, many = { 0 }, share = { 0 };
    (void)state;
    topology_must_build("torus:8x8,fail=random:3,seed=5", &few);
    topology_must_build("torus:8x8,fail=random:6,seed=5", &many);
    topology_must_build("torus:8x8,fail=random:2.4%,fail-seed=5", &share);
    assert_int_equal(few.failures.link_count, 3);
    assert_int_equal(many.failures.link_count, 6);
    assert_int_equal(share.failures.link_count, 3); /* 3.07 of 128 */
    for (size_t l = 0; l < 3; l++) {
        const struct nb_failed_link *link = &few.failures.link[l];
        assert_true(draws_have(&many, link));
        assert_true(draws_have(&share, link));
    }
    nb_topology_release(&few);
    nb_topology_release(&many);
    nb_topology_release(&share);
}

/* Parts of a network: sets of routers that channels join. */
static size_t parts_of(const struct nb_topology *topology, uint32_t without)
{
    uint32_t parent[64];
    size_t parts = topology->router_count;
    nb_sets_init(parent, topology->router_count);
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const struct nb_channel *channel = &topology->channels[c];
        if (c == without ||
            (without < NB_NONE &&
             channel->source == topology->channels[without].target &&
             channel->target == topology->channels[without].source))
            continue;
        parts -= nb_sets_find(parent, channel->source) !=
                 nb_sets_find(parent, channel->target);
        nb_sets_join(parent, channel->source, channel->target);
    }
    return parts;
}

/* Links that leave a network connected: which ones is nested, a spanning tree
 * remains at the end, and their bridges are as many as those of
 * tests/oracles/universal.py on average, which cuts link after link. */
static void draws_keep_networks_connected(void **state)
{
    enum { SEEDS = 200, ORACLE_SEEDS = 500 };
    static const struct {
        const char *name;
        size_t links, failures;
        double mean, deviation;
    } cases[] = { { "mesh:8x8", 112, 33, 17.52, 4.52 },
                  { "torus:8x8", 128, 50, 16.79, 3.86 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double error =
            cases[i].deviation * sqrt(1.0 / SEEDS + 1.0 / ORACLE_SEEDS);
        double bridges = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            struct nb_topology some = { 0 }, most = { 0 };
            char name[80];
            snprintf(name, sizeof name, "%s,fail=connected:%zu,fail-seed=%d",
                     cases[i].name, cases[i].failures, seed);
            topology_must_build(name, &some);
            snprintf(name, sizeof name, "%s,fail=connected:%zu,fail-seed=%d",
                     cases[i].name, cases[i].links - 63, seed);
            topology_must_build(name, &most);
            assert_int_equal(some.failures.link_count, cases[i].failures);
            assert_int_equal(most.channel_count, 2 * 63);
            assert_int_equal(parts_of(&most, NB_NONE), 1);
            for (size_t l = 0; l < some.failures.link_count; l++)
                assert_true(draws_have(&most, &some.failures.link[l]));
            for (uint32_t c = 0; c < some.channel_count; c++)
                bridges += (double)(parts_of(&some, c) - 1) / 2 / SEEDS;
            nb_topology_release(&some);
            nb_topology_release(&most);
        }
        TOPOLOGY_CHECK(fabs(bridges - cases[i].mean) <= 0.005 + 4.5 * error,
                       "%s: %g, not %g", cases[i].name, bridges, cases[i].mean);
    }
    static const char *const more[] = { "connected:50", "router is cut off",
                                        NULL };
    topology_must_refuse("mesh:8x8,fail=connected:50", NB_INVALID, more);
}

/* Links that others make fail are not there: those of named routers, and what
 * is drawn earlier. */
static void draws_keep_the_rest_connected(void **state)
{
    (void)state;
    for (int seed = 0; seed < 50; seed++) {
        struct nb_topology topology = { 0 };
        char name[80];
        snprintf(name, sizeof name,
                 "mesh:4x4,fail=router:5+random:1+connected:5,fail-seed=%d",
                 seed);
        struct nb_error err = { 0 };
        const enum nb_status status = nb_topology_build(name, &topology, &err);
        /* 24 links, 4 of router 5, one at random, 14 that join 15 routers. */
        if (status == NB_OK) {
            assert_int_equal(topology.channel_count, 2 * (24 - 10));
            assert_int_equal(parts_of(&topology, NB_NONE), 2);
        } else {
            fail_msg("%s: %s", name, err.message);
        }
        nb_topology_release(&topology);
    }
}

/* Draws take single cables of a bundle, each of them at times, and are nested
 * there, too. */
static void draws_take_cables(void **state)
{
    static const char network[] = "clos:2x2,up=2,parallel=3";
    size_t drawn[4] = { 0 };
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        struct nb_topology one = { 0 }, two = { 0 };
        char name[80];
        snprintf(name, sizeof name, "%s,fail=random:1,fail-seed=%d", network,
                 seed);
        topology_must_build(name, &one);
        snprintf(name, sizeof name, "%s,fail=random:25%%,fail-seed=%d", network,
                 seed); /* 3 of 12 */
        topology_must_build(name, &two);
        assert_int_equal(one.failures.link_count, 1);
        assert_int_equal(one.channel_count, 22);
        assert_int_equal(one.failures.link[0].cables, 3);
        assert_in_range(one.failures.link[0].cable, 1, 3);
        drawn[one.failures.link[0].cable]++;
        assert_int_equal(two.failures.link_count, 3);
        assert_int_equal(two.channel_count, 18);
        assert_true(draws_have(&two, &one.failures.link[0]));
        nb_topology_release(&one);
        nb_topology_release(&two);
    }
    for (int cable = 1; cable <= 3; cable++)
        assert_in_range(drawn[cable], 40, 95); /* 67 each, within 4 sigma */
}

static void failures_survive_lack_of_memory(void **state)
{
    enum nb_status status = NB_NO_MEMORY;
    (void)state;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_topology topology = { 0 };
        struct nb_routing routing = { 0 };
        nb_memory_allow(allowed);
        status = nb_topology_build("mesh:3x3,fail=0-1+random:1+router:8",
                                   &topology, NULL);
        if (status == NB_OK)
            status = nb_routing_build("dor", &topology, &routing, NULL);
        if (status == NB_OK)
            status = nb_routes_require(&routing, NULL, NULL);
        nb_memory_allow(-1);
        nb_routing_release(&routing);
        nb_topology_release(&topology);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_are_the_network_without_links),
        cmocka_unit_test(schemes_answer_or_refuse),
        cmocka_unit_test(unrouted_pairs_are_counted),
        cmocka_unit_test(draws_are_nested),
        cmocka_unit_test(draws_keep_networks_connected),
        cmocka_unit_test(draws_keep_the_rest_connected),
        cmocka_unit_test(draws_take_cables),
        cmocka_unit_test(failures_survive_lack_of_memory),
    };
    gsl_set_error_handler_off();
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
