/* Classes of virtual channels: no cycle of dependencies, by following every
 * route of small networks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/vc_dependencies.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include <stdio.h>
#include <string.h>

static void circles_check(const struct problem *problem, const char *name)
{
    struct vc_dependencies found;
    size_t node = 0;
    if (problem->routing.kind->is_deflecting)
        return; /* it has no virtual channels */
    vc_dependencies_open(&found, &problem->routing, name);
    TOPOLOGY_CHECK(found.classes.rule->is_unprotected ||
                       dependencies_are_acyclic(&found.graph, &node),
                   "%s: channel %zu in class %zu waits for itself", name,
                   node / found.classes.count, node % found.classes.count);
    vc_dependencies_close(&found);
}

static void test_nothing_waits_in_a_circle(void **state)
{
    (void)state;
    problem_each_example(circles_check);
    static const char *const more[] = {
        "dor@torus:5x4",
        "dor:order=random@torus:3x3x3",
        "rdr:order=random@torus:4x4",
        "romm:order=random@torus:4x4",
        "turns:6@torus:5x5",
        "turns:9@torus:7x5",
        "turns:6@mesh:4x4",
        "ival@torus:5x5",
        "min@clos:2x2x2,up=2x2",
        "val@clos:2x2x2,up=1x2",
        "min@megafly:2,groups=3",
        "val@megafly:2,p=1,leaves=2,groups=3",
        "val@dragonfly:h=1",
        "min@dragonfly:h=1,a=2x2,p=1",
        "val@dragonfly:h=1,a=2x2,p=1,groups=2",
        "rrr@fattree:k=2,n=4",
        "val@hyperx:3x2x2,p=1",
        "min@slimfly:3",
        "min@file:data/topologies/abilene.txt",
        "any-minimal@fattree:k=2,n=3",
        "any-minimal@hyperx:2x3x3,p=1",
    };
    problem_each_of(more, sizeof more / sizeof *more, circles_check);
}

/* Without classes shortest paths close a cycle, and so does dimension order
 * round a torus. */
static void test_unprotected_waits_in_a_circle(void **state)
{
    (void)state;
    static const char *const cases[] = { "min@ring:5", "min@mesh:3x3",
                                         "dor@ring:5" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct vc_dependencies found;
        problem_open_example(&problem, cases[i]);
        problem.routing.vc_rule = "any";
        vc_dependencies_open(&found, &problem.routing, cases[i]);
        assert_false(dependencies_are_acyclic(&found.graph, NULL));
        vc_dependencies_close(&found);
        problem_close(&problem);
    }
}

/* Adaptive schemes on grids, with any choice. */
static void test_star_classes_are_an_escape(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned count;
    } cases[] = {
        { "any-minimal@torus:4x4", 3 },   { "any-minimal@torus:5x3", 3 },
        { "any-minimal@torus:3x2x4", 3 }, { "any-minimal@ring:6", 3 },
        { "any-minimal@mesh:4x4", 2 },    { "any-minimal@hypercube:4", 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        problem_open_example(&problem, cases[i].name);
        problem.routing.vc_rule = "star";
        struct vc_dependencies found;
        vc_dependencies_open(&found, &problem.routing, cases[i].name);
        assert_string_equal(found.classes.rule->name, "star");
        assert_int_equal(found.classes.count, cases[i].count);
        TOPOLOGY_CHECK(dependencies_are_acyclic(&found.graph, NULL), "%s",
                       cases[i].name);
        assert_int_equal(found.used, (1u << cases[i].count) - 1);
        vc_dependencies_close(&found);
        problem_close(&problem);
    }
}

/* A ring of eight routers, every second one with terminals: between opposite
 * routers with terminals, routes go up, down, up and down, which closes the
 * cycle. */
static void test_knows_what_goes_up_and_down(void **state)
{
    (void)state;
    char text[2048] = "<graphml><key id='t' for='node' attr.name='terminals'>"
                      "<default>1</default></key>"
                      "<graph edgedefault='undirected'>";
    struct problem problem;
    struct vc_dependencies found;
    for (int i = 0; i < 8; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "<node id='%d'><data key='t'>%d</data></node>"
                 "<edge source='%d' target='%d'/>",
                 i, 1 - i % 2, i, (i + 1) % 8);
    strcat(text, "</graph></graphml>");
    problem_open_file(&problem, text, ".graphml", "", "min");
    vc_dependencies_open(&found, &problem.routing, "circle of eight");
    assert_string_equal(found.classes.rule->name, "hop");
    assert_int_equal(found.classes.count, 4);
    assert_true(dependencies_are_acyclic(&found.graph, NULL));
    vc_dependencies_close(&found);
    problem_close(&problem);
    problem_open_example(&problem, "min@clos:4x4,up=2");
    vc_dependencies_open(&found, &problem.routing, "clos");
    assert_string_equal(found.classes.rule->name, "phase");
    vc_dependencies_close(&found);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_waits_in_a_circle),
        cmocka_unit_test(test_unprotected_waits_in_a_circle),
        cmocka_unit_test(test_star_classes_are_an_escape),
        cmocka_unit_test(test_knows_what_goes_up_and_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
