/* Proofs with one thing changed are refuted, and what a proof concludes is what
 * a plain search concludes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/route_waits.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "deadlock/deadlock.h"

#include <stdio.h>
#include <string.h>

/* A proof taken from an answer, to be changed and checked. */
struct forged {
    const struct problem *problem;
    struct nb_deadlock_proof proof, one;
    struct nb_dealt dealt;
    size_t vertices;
};

static void forged_open(const struct problem *problem, struct forged *out)
{
    struct nb_deadlock found;
    assert_int_equal(nb_deadlock_find(&problem->routing, NULL, &found, NULL),
                     NB_OK);
    *out = (struct forged){ problem, found.proof, found.one, found.dealt,
                            found.dependencies.vertex_count };
    found.proof = found.one = (struct nb_deadlock_proof){ 0 };
    found.dealt = (struct nb_dealt){ 0 };
    nb_deadlock_release(&found);
}

/* Checks the proof, which is released. err: zeroed; out, why it is refuted */
static enum nb_status forged_check(struct forged *forged, struct nb_error *err)
{
    struct nb_deadlock again;
    const enum nb_status status =
        nb_deadlock_check(&forged->problem->routing, NULL, &forged->proof,
                          &forged->one, &forged->dealt, &again, err);
    assert_true(status == NB_OK ||
                (status == NB_REFUTED && err->message[0] != '\0'));
    nb_deadlock_release(&again);
    return status;
}

/* Whether a vertex is the one whose number was changed, or one that it waits
 * for; with is_one both are channels, of all classes. */
static bool is_near(const struct route_waits *waits, size_t changed,
                    size_t vertex, bool is_one)
{
    const size_t n = waits->graph.count;
    const size_t classes = is_one ? waits->classes.count : 1;
    bool is_near = changed == vertex;
    for (size_t a = 0; a < classes * classes; a++)
        is_near |= waits->graph.arc[(changed * classes + a / classes) * n +
                                    vertex * classes + a % classes];
    return is_near;
}

/* Each number, of either proof, one more or one less. */
static void forge_numbers(const struct problem *problem, const char *name)
{
    struct route_waits waits;
    route_waits_open(&waits, &problem->routing, name);
    for (size_t i = 0; i < 200; i++) {
        struct forged forged;
        struct nb_error err = { 0 };
        uint32_t channel, class;
        forged_open(problem, &forged);
        const bool is_one = i % 2 == 1;
        uint32_t *number =
            is_one ? forged.one.order.number : forged.proof.order.number;
        const size_t count =
            is_one ? problem->topology.channel_count : forged.vertices;
        const size_t changed = i / 4 % count;
        if (number != NULL)
            number[changed] += i / 2 % 2 == 0 ? 1 : UINT32_MAX;
        TOPOLOGY_CHECK(forged_check(&forged, &err) ==
                           (number != NULL ? NB_REFUTED : NB_OK),
                       "%s: number %zu", name, i);
        if (number == NULL)
            continue;
        assert_int_equal(sscanf(err.message,
                                "the number of channel %u in class %u",
                                &channel, &class),
                         2);
        const unsigned classes = is_one ? 1 : waits.classes.count;
        TOPOLOGY_CHECK(
            class < classes &&
                is_near(&waits, changed, channel * classes + class, is_one),
            "%s: number %zu: %s", name, i, err.message);
    }
    route_waits_close(&waits);
}

static void test_numbers(void **state)
{
    static const char *const cases[] = { "dor@mesh:2x3", "updown@ring:4",
                                         "val@ring:4", "goal@ring:4" };
    (void)state;
    problem_each_of(cases, sizeof cases / sizeof *cases, forge_numbers);
}

/* A cycle given as causes: of the channels between consecutive routers. */
static void give_cycle(struct forged *forged, const uint32_t *router,
                       size_t count)
{
    const struct nb_routing *routing = &forged->problem->routing;
    struct nb_vc_classes classes;
    bool is_whole;
    nb_deadlock_proof_release(&forged->proof);
    struct nb_order *order = &forged->proof.order;
    order->length = count;
    order->cycle = nb_new_array(count, sizeof *order->cycle);
    assert_non_null(order->cycle);
    assert_int_equal(nb_vc_classes_build(routing, &classes, NULL), NB_OK);
    assert_int_equal(classes.count, 1);
    for (size_t i = 0; i < count; i++)
        order->cycle[i] = topology_find_channel(routing->topology, router[i],
                                                router[(i + 1) % count]);
    assert_int_equal(
        nb_causes_find(&classes, order, &forged->proof.causes, &is_whole, NULL),
        NB_OK);
    assert_true(is_whole);
    nb_vc_classes_release(&classes);
}

/* In a mesh packets also wait for each other along all its sides, but no
 * certificate says so: a square has only four. */
static void test_longer_cycle(void **state)
{
    static const uint32_t square[] = { 0, 1, 4, 3 },
                          sides[] = { 0, 1, 2, 5, 8, 7, 6, 3 };
    struct problem problem;
    struct forged forged;
    struct nb_error err = { 0 };
    (void)state;
    problem_open_example(&problem, "min@mesh:3x3");
    forged_open(&problem, &forged);
    give_cycle(&forged, square, 4);
    assert_int_equal(forged_check(&forged, &err), NB_OK);
    forged_open(&problem, &forged);
    give_cycle(&forged, sides, 8);
    assert_int_equal(forged_check(&forged, &err), NB_REFUTED);
    problem_close(&problem);
}

/* Changes of a cycle of five channels. */
static void test_cycle(void **state)
{
    enum { CHANGES = 8 };
    struct problem problem;
    (void)state;
    problem_open_example(&problem, "min@ring:5");
    for (int change = 0; change < CHANGES; change++) {
        struct forged forged;
        struct nb_error err = { 0 };
        forged_open(&problem, &forged);
        struct nb_order *order = &forged.proof.order;
        struct nb_cause *cause = forged.proof.causes.cause;
        const uint32_t first = order->cycle[0];
        assert_int_equal(order->length, 5);
        switch (change) {
        case 0: /* nothing */
            break;
        case 1: /* the causes begin elsewhere */
            memmove(order->cycle, order->cycle + 1, 4 * sizeof first);
            order->cycle[4] = first;
            break;
        case 2: /* a cause of another dependency */
            cause[4].channel[cause[4].held] = cause[3].channel[cause[3].held];
            break;
        case 3:
            cause[4].from = cause[3].from;
            break;
        case 4:
            cause[4].to = cause[3].to;
            break;
        case 5: /* longer than its causes */
            order->length = 6;
            break;
        case 6: /* no cycle, with numbers */
            nb_deadlock_proof_release(&forged.proof);
            order->is_free = true;
            order->number =
                nb_new_array(problem.topology.channel_count, sizeof first);
            assert_non_null(order->number);
            break;
        default: /* a packet that goes the other direction round the ring */
            cause[0].destination = cause[0].source;
        }
        TOPOLOGY_CHECK((forged_check(&forged, &err) == NB_OK) == (change == 0),
                       "change %d", change);
    }
    problem_close(&problem);
}

/* Proofs for one class where none is asked for, and layers that save nothing or
 * have a cycle. */
static void test_superfluous(void **state)
{
    static const struct {
        const char *name;
        bool one, layers;
    } cases[] = {
        { "dor@mesh:2x3", true, false }, { "dor@mesh:2x3", false, true },
        { "goal@ring:4", true, false },  { "goal@ring:4", false, true },
        { "val@ring:4", false, true },   { "min@ring:4", false, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct forged forged;
        struct nb_error err = { 0 };
        problem_open_example(&problem, cases[i].name);
        forged_open(&problem, &forged);
        const size_t n = problem.topology.router_count;
        if (cases[i].one) {
            assert_true(forged.one.order.number == NULL);
            forged.one.order.is_free = true;
            forged.one.order.number =
                nb_new_array(problem.topology.channel_count, sizeof(uint32_t));
            assert_non_null(forged.one.order.number);
        }
        if (cases[i].layers) {
            nb_dealt_release(&forged.dealt);
            forged.dealt.count = 1;
            forged.dealt.layer =
                nb_new_array(n * n, sizeof *forged.dealt.layer);
            assert_non_null(forged.dealt.layer);
        }
        TOPOLOGY_CHECK(forged_check(&forged, &err) == NB_REFUTED, "%zu: %s", i,
                       cases[i].name);
        problem_close(&problem);
    }
}

/* The dependencies with all classes merged into one. */
static bool is_free_in_one(const struct route_waits *waits)
{
    const size_t n = waits->graph.count, classes = waits->classes.count;
    struct dependencies merged;
    dependencies_open(&merged, n / classes);
    for (size_t a = 0; a < n * n; a++)
        if (waits->graph.arc[a])
            dependencies_add(&merged, a / n / classes, a % n / classes);
    const bool is_free = dependencies_are_acyclic(&merged, NULL);
    dependencies_close(&merged);
    return is_free;
}

/* Verdict and bounds on the classes needed: one class if a single one has no
 * cycle; at least two if a scheme without choice has one; at most what suffices
 * now, one class for each hop, or layers. */
static void conclude(const struct problem *problem, const char *name)
{
    struct route_waits waits;
    struct nb_deadlock found;
    if (problem->routing.kind->is_deflecting)
        return;
    route_waits_open(&waits, &problem->routing, name);
    assert_int_equal(nb_deadlock_find(&problem->routing, NULL, &found, NULL),
                     NB_OK);
    const bool is_free =
        dependencies_are_acyclic(&waits.graph, NULL) && !waits.lacks_escape;
    const bool chooses = waits.chooses_class || waits.chooses_hop;
    const unsigned used = (unsigned)__builtin_popcountll(waits.used);
    const bool has_one = used > 1 && !waits.chooses_hop;
    const bool is_one = has_one ? is_free_in_one(&waits) : used <= 1 && is_free;
    unsigned most = is_free && used < found.dependencies.longest
                        ? used
                        : found.dependencies.longest;
    most = is_one || most == 0 ? 1 : most;
    TOPOLOGY_CHECK(found.verdict == (is_free   ? NB_DEADLOCK_FREE
                                     : chooses ? NB_DEADLOCK_UNKNOWN
                                               : NB_DEADLOCK_POSSIBLE),
                   "%s: %d", name, (int)found.verdict);
    assert_int_equal(found.used, used);
    if (found.has_one)
        assert_int_equal(found.one.order.is_free, is_one);
    assert_true(found.has_one == has_one ||
                (has_one && found.dependencies.is_wider));
    if (found.has_one || found.used <= 1)
        assert_int_equal(found.least,
                         is_one || waits.chooses_hop || most == 1 ? 1 : 2);
    TOPOLOGY_CHECK(found.most ==
                       (found.dealt.count > 0 ? found.dealt.count : most),
                   "%s: %u, not %u", name, found.most, most);
    assert_true(found.dealt.count == 0 ||
                (found.dealt.count < most && !is_one));
    nb_deadlock_release(&found);
    route_waits_close(&waits);
}

static void test_conclusions(void **state)
{
    static const char *const more[] = { "min@mesh:3x3", "min@torus:4x3",
                                        "minhop@ring:6", "min@ring:4" };
    (void)state;
    problem_each_of(more, sizeof more / sizeof *more, conclude);
    problem_each_example(conclude);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),     cmocka_unit_test(test_longer_cycle),
        cmocka_unit_test(test_cycle),       cmocka_unit_test(test_superfluous),
        cmocka_unit_test(test_conclusions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
