/* Dependencies of every scheme on its examples: the same as a plain search
 * finds, and a proof that they are free of deadlock. */
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

#include <unistd.h>

/* Called after each task of a loop; it holds up other threads that have ended
 * theirs, so that all threads get tasks. */
static void hold_up(void *context, const char *what, size_t done, size_t total)
{
    (void)context, (void)what;
    if (done < total)
        usleep(100);
}

/* Exactly what the routes of all pairs show, however many threads collect it;
 * is_wider permits more. */
static void compare(const struct nb_dependencies *found,
                    const struct route_waits *plain, const char *name)
{
    const size_t n = plain->graph.count;
    size_t arcs = 0;
    assert_int_equal(found->vertex_count, n);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            const bool is_there = nb_dependencies_have(found, from, to);
            const bool is_plain = plain->graph.arc[from * n + to];
            arcs += is_there;
            TOPOLOGY_CHECK(is_there == is_plain ||
                               (is_there && found->is_wider),
                           "%s: %u to %u: %d", name, from, to, is_there);
        }
    assert_int_equal(arcs, found->count);
    assert_int_equal(found->used, plain->used);
    assert_int_equal(found->unrouted, 0);
    assert_int_equal(found->chooses_class, plain->chooses_class);
    assert_int_equal(found->chooses_hop, plain->chooses_hop);
    assert_int_equal(found->lacks_escape, plain->lacks_escape);
}

static void compare_all(const struct problem *problem, const char *name)
{
    struct route_waits plain;
    struct nb_error err = { 0 };
    if (problem->routing.kind->is_deflecting)
        return; /* it has no virtual channels */
    route_waits_open(&plain, &problem->routing, name);
    for (int i = 0; i < 4; i++) {
        const bool is_exact = i % 2 == 0;
        const struct nb_run run = { .threads = 1 + i / 2 * 2,
                                    .progress = i / 2 > 0 ? hold_up : NULL };
        struct nb_dependencies found;
        TOPOLOGY_CHECK(nb_dependencies_find(&plain.classes, is_exact, &run,
                                            &found, &err) == NB_OK,
                       "%s: %s", name, err.message);
        assert_false(is_exact && found.is_wider);
        compare(&found, &plain, name);
        if (is_exact)
            assert_int_equal(found.longest, plain.longest);
        assert_true(found.longest >= plain.longest);
        nb_dependencies_release(&found);
    }
    route_waits_close(&plain);
}

static void test_as_a_plain_search(void **state)
{
    /* Packets that go straight within a group may take two hops to a router
     * that no others pass. */
    static const char *const more[] = {
        "ugal:source-group=no,destination-group=no@dragonfly:h=1,groups=3,a="
        "2x2,p=1,trunking=1",
    };
    (void)state;
    problem_each_example(compare_all);
    problem_each_of(more, sizeof more / sizeof *more, compare_all);
}

/* On networks large enough that phases through quadrants are walked one by one:
 * still no dependency is missing and there is no cycle. */
static void test_phases_of_quadrants(void **state)
{
    (void)state;
    static const char *const cases[] = { "romm@torus:10x10", "rlb@torus:10x10",
                                         "romm@mesh:10x10", "rlb@ring:100",
                                         "romm@mesh:5x5x4" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_vc_classes classes;
        struct nb_dependencies whole, wider;
        struct nb_order order;
        problem_open_example(&problem, cases[i]);
        assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                         NB_OK);
        assert_int_equal(
            nb_dependencies_find(&classes, true, NULL, &whole, NULL), NB_OK);
        assert_int_equal(
            nb_dependencies_find(&classes, false, NULL, &wider, NULL), NB_OK);
        assert_true(wider.is_wider && !whole.is_wider);
        assert_true(whole.count <= wider.count);
        for (uint32_t v = 0; v < whole.vertex_count; v++)
            for (size_t a = whole.first[v]; a < whole.first[v + 1]; a++)
                TOPOLOGY_CHECK(nb_dependencies_have(&wider, v, whole.to[a]),
                               "%s: no %u to %u", cases[i], v, whole.to[a]);
        assert_int_equal(nb_order_find(&wider, &order, NULL), NB_OK);
        TOPOLOGY_CHECK(order.is_free, "%s", cases[i]);
        nb_order_release(&order);
        nb_dependencies_release(&whole);
        nb_dependencies_release(&wider);
        nb_vc_classes_release(&classes);
        problem_close(&problem);
    }
}

/* Every scheme is free of deadlock on its examples, unless it has no
 * protection. A proof that combines all first and second phases is checked
 * against the same dependencies. */
static void prove(const struct problem *problem, const char *name)
{
    struct nb_deadlock found, again;
    struct nb_error err = { 0 };
    struct nb_deadlock_proof given, one;
    struct nb_dealt dealt;
    if (problem->routing.kind->is_deflecting)
        return;
    TOPOLOGY_CHECK(nb_deadlock_find(&problem->routing, NULL, &found, &err) ==
                       NB_OK,
                   "%s: %s", name, err.message);
    TOPOLOGY_CHECK(found.verdict == NB_DEADLOCK_FREE ||
                       found.classes.rule->is_unprotected,
                   "%s is not free", name);
    assert_true(found.proof.order.is_free == (found.proof.causes.count == 0));
    given = found.proof;
    one = found.one;
    dealt = found.dealt;
    found.proof = found.one = (struct nb_deadlock_proof){ 0 };
    found.dealt = (struct nb_dealt){ 0 };
    TOPOLOGY_CHECK(nb_deadlock_check(&problem->routing, NULL, &given, &one,
                                     &dealt, &again, &err) == NB_OK,
                   "%s: %s", name, err.message);
    assert_int_equal(again.verdict, found.verdict);
    assert_int_equal(again.least, found.least);
    assert_int_equal(again.most, found.most);
    assert_int_equal(again.dependencies.count, found.dependencies.count);
    nb_deadlock_release(&found);
    nb_deadlock_release(&again);
}

static void test_every_scheme_is_free(void **state)
{
    /* large enough that phases through quadrants are walked one by one */
    static const char *const more[] = { "romm@mesh:10x10", "romm@torus:10x10" };
    (void)state;
    problem_each_example(prove);
    problem_each_of(more, sizeof more / sizeof *more, prove);
}

/* By hand. A mesh in dimension order has a dependency for each pair of channels
 * that go straight on or turn from the first dimension to the second: 2 (k - 2)
 * straight ones in a row of k routers, and 4 turns at each inner router. */
static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum nb_deadlock_verdict verdict;
        size_t count, length;
        unsigned least, most;
    } cases[] = {
        /* rows and columns: 2 * 3 * 2 (3 - 2); turns: a b at a router with a
         * channels in x and b in y, which is 2*2 in the middle, 2*1 and 1*2 at
         * the sides, 1 at the corners */
        { "dor@mesh:3x3", NB_DEADLOCK_FREE, 12 + 4 + 4 * 2 + 4, 0, 1, 1 },
        { "dor@hypercube:3", NB_DEADLOCK_FREE, 8 * 3, 0, 1, 1 },
        { "min@ring:4", NB_DEADLOCK_POSSIBLE, 8, 4, 2, 2 },
        { "min@ring:7", NB_DEADLOCK_POSSIBLE, 14, 7, 2, 2 },
        { "min@ring:3", NB_DEADLOCK_FREE, 0, 0, 1, 1 },
        { "min@complete:6", NB_DEADLOCK_FREE, 0, 0, 1, 1 },
        /* all turns of a square except those back */
        { "min@mesh:3x3", NB_DEADLOCK_POSSIBLE, 44, 4, 2, 2 },
        { "min@mesh:8x8", NB_DEADLOCK_POSSIBLE, 584, 4, 2, 2 },
        { "min@torus:8x8", NB_DEADLOCK_POSSIBLE, 768, 4, 2, 8 },
        { "dor@ring:5", NB_DEADLOCK_FREE, 0, 0, 2, 2 },
        { "dor@torus:8x8", NB_DEADLOCK_FREE, 0, 0, 2, 2 },
        { "val@mesh:3x3", NB_DEADLOCK_FREE, 0, 0, 2, 2 },
        { "min@fattree:k=2,n=3", NB_DEADLOCK_FREE, 0, 0, 1, 1 },
        { "min:classes=hop@fattree:k=2,n=3", NB_DEADLOCK_FREE, 0, 0, 1, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_deadlock found;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_deadlock_find(&problem.routing, NULL, &found, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(
            found.verdict == cases[i].verdict &&
                found.proof.order.length == cases[i].length &&
                found.least == cases[i].least && found.most == cases[i].most,
            "%s: %d, %zu, %u to %u", cases[i].name, (int)found.verdict,
            found.proof.order.length, found.least, found.most);
        if (cases[i].count > 0)
            TOPOLOGY_CHECK(found.dependencies.count == cases[i].count,
                           "%s: %zu dependencies", cases[i].name,
                           found.dependencies.count);
        nb_deadlock_release(&found);
        problem_close(&problem);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const cases[] = { "val@ring:4", "min@ring:4",
                                         "goal@torus:3x3" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_run run = { .threads = 1 };
        struct problem problem;
        struct nb_deadlock found;
        enum nb_status status = NB_NO_MEMORY;
        problem_open_example(&problem, cases[i]);
        const long before = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_deadlock_find(&problem.routing, &run, &found, NULL);
            nb_memory_allow(-1);
            if (status != NB_OK)
                assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        nb_deadlock_release(&found);
        problem_close(&problem);
    }
}

/* By hand. Without the link between routers 0 and 1 of the first row, packets
 * in dimension order lack a path from router 0 to the twelve routers of other
 * columns, and from the three others of its row to the four of its column. */
static void test_unrouted(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t pairs;
    } cases[] = { { "dor@mesh:4x4", 0 },
                  { "dor@mesh:4x4,fail=0-1", 12 + 3 * 4 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_deadlock found;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_deadlock_find(&problem.routing, NULL, &found, NULL),
                         NB_OK);
        assert_int_equal(found.dependencies.unrouted, cases[i].pairs);
        nb_deadlock_release(&found);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_plain_search),
        cmocka_unit_test(test_phases_of_quadrants),
        cmocka_unit_test(test_every_scheme_is_free),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_unrouted),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
