/* Classes of virtual channels: their number, and which ones hops use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/vc_dependencies.h"
#include "../support/problem.h"
#include "../support/topology_checks.h"

#include "core/memory.h"
#include "routing/route_shape.h"

#include <string.h>

/* Published or counted by hand. */
static void test_numbers_of_classes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned count;
        const char *source;
    } cases[] = {
        { "dor@torus:8x8", 2, "Singh2005, Table 4.1" },
        { "dor@torus:4x4x4", 2, "Singh2005, Table 4.1" },
        { "dor@ring:8", 2, "Singh2005, Table 4.1" },
        { "val@torus:8x8", 4, "Singh2005, Table 4.1" },
        { "romm:fixed@torus:8x8", 4, "two phases of 2" },
        { "romm@torus:8x8", 8, "two phases of two levels of 2" },
        { "rlb@torus:8x8", 8, "as romm" },
        { "rlbth:fixed@torus:8x8", 4, "as romm" },
        { "rdr@torus:8x8", 4, "two levels of 2" },
        { "dor:order=random@torus:4x4x4", 6, "three levels of 2" },
        { "ival@torus:8x8", 4, "x and y, then x" },
        { "ring@ring:8", 2, "one level of 2" },
        { "turns@torus:8x8", 6, "xy, xy, x" },
        { "turns:1@torus:8x8", 2, "dor" },
        { "turns:99@torus:3x8", 2, "one hop along x at most" },
        { "turns:99@torus:8x3", 4, "xy, x: one hop along y at most" },
        { "dor@torus:2x2x2", 1, "no wrap-around channel" },
        { "dor@mesh:8x8", 1, "dimensions ascend" },
        { "val@mesh:8x8", 2, "two phases of 1" },
        { "o1turn@mesh:8x8", 2, "Seo2005" },
        { "dor@hypercube:6", 1, "dimensions ascend" },
        { "romm@hypercube:6", 12, "two phases of six levels" },
        { "dor@hyperx:4x4", 1, "no line twice" },
        { "min@hyperx:4x4", 2, "two levels" },
        { "val@hyperx:4x4x2", 6, "two phases of three levels" },
        { "min@torus:8x8", 1, "no protection" },
        { "min:classes=hop@torus:8x8", 8, "hops" },
        { "min:classes=hop@mesh:4x4", 6, "hops" },
        { "min@complete:64", 1, "Singh2005, section 6.3.1" },
        { "val@complete:64", 2, "Singh2005, section 6.3.1" },
        { "min@ccc:4", 8, "Singh2005, section 6.5.1" },
        { "val@ccc:4", 16, "Singh2005, section 6.5.1" },
        { "min@slimfly:5", 2, "diameter" },
        { "rcar@fattree:k=4,n=3", 1, "up and down" },
        { "rrr@fattree:k=4,n=3", 1, "up and down" },
        { "min@fattree:k=4,n=3", 1, "up and down" },
        { "val@fattree:k=2,n=3", 2, "up and down twice" },
        { "rvlb@fattree:k=2,n=3", 2, "up and down twice" },
        { "min@clos:4x4,up=2", 1, "up and down" },
        { "min@clos:2x2x4,up=2x2", 1, "up and down" },
        { "rvlb@clos:down=2x2x2,up=1x2", 2, "up and down twice" },
        { "min:lanes=hop@fattree:k=2,n=3", 4, "hops" },
        { "min@dragonfly:h=2", 2, "Benito2020, section 2.3.1" },
        { "val@dragonfly:h=2", 4, "Benito2020, section 2.3.2" },
        { "min@dragonfly:h=1,a=2x2,p=1", 4, "two hops, a global, two more" },
        { "min@megafly:2", 2, "a hop, a global, another" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_vc_classes classes;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                         NB_OK);
        TOPOLOGY_CHECK(classes.count == cases[i].count, "%s: %u, not %u (%s)",
                       cases[i].name, classes.count, cases[i].count,
                       cases[i].source);
        nb_vc_classes_release(&classes);
        problem_close(&problem);
    }
}

/* No class is unused. */
static void test_all_classes_are_used(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor@torus:4x4",          "romm@torus:5x5",
        "turns:4@torus:9x4",      "turns:9@mesh:4x3",
        "ival@torus:4x4",         "o1turn@mesh:3x3",
        "val@complete:4",         "min:classes=hop@torus:4x4",
        "min@dragonfly:h=2",      "val@dragonfly:h=1",
        "rvlb@fattree:k=2,n=3",   "val@hyperx:3x2x2,p=1",
        "min@megafly:2,groups=3",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct vc_dependencies found;
        problem_open_example(&problem, cases[i]);
        vc_dependencies_open(&found, &problem.routing, cases[i]);
        TOPOLOGY_CHECK(found.used == UINT64_MAX >> (64 - found.classes.count),
                       "%s: %llx of %u", cases[i],
                       (unsigned long long)found.used, found.classes.count);
        vc_dependencies_close(&found);
        problem_close(&problem);
    }
}

/* The classes of a hop in state 0; memory becomes that after the hop. */
static uint64_t find_classes(const struct nb_vc_classes *classes,
                             uint32_t *memory, uint32_t router,
                             uint32_t destination, uint32_t channel)
{
    const struct nb_vc_hop hop = {
        .memory = *memory,
        .router = router,
        .destination = destination,
        .channel = channel,
    };
    return nb_vc_classes_find(classes, &hop, memory);
}

/* A route that turns back begins a level, one that goes straight on does not;
 * dimension 0, then 1, then 0 again and back. */
static void test_turns_begin_levels(void **state)
{
    (void)state;
    static const struct {
        uint32_t from, to;
        unsigned class;
    } hops[] = { { 3, 0, 0 },   { 0, 1, 1 },   { 1, 2, 1 },  { 2, 14, 0 },
                 { 14, 15, 2 }, { 15, 12, 2 }, { 12, 13, 3 } };
    struct problem problem;
    struct nb_vc_classes classes;
    uint32_t memory = 0;
    problem_open(&problem, "torus:4x4x4", "dor:order=random");
    assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                     NB_OK);
    for (size_t h = 0; h < sizeof hops / sizeof *hops; h++)
        assert_int_equal(
            find_classes(&classes, &memory, hops[h].from, 5,
                         topology_find_channel(&problem.topology, hops[h].from,
                                               hops[h].to)),
            UINT64_C(1) << hops[h].class);
    assert_int_equal(
        find_classes(&classes, &memory, 13, 5,
                     topology_find_channel(&problem.topology, 13, 12)),
        UINT64_C(1) << 4);
    nb_vc_classes_release(&classes);
    problem_close(&problem);
}

/* Any class up to the number of hops made; packets with fewer hops cannot use
 * the highest one. */
static void test_hops_open_classes(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_vc_classes classes;
    uint32_t memory = 0;
    problem_open(&problem, "ccc:3", "min");
    assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                     NB_OK);
    assert_string_equal(classes.rule->name, "hop");
    for (unsigned hops = 0; hops < classes.count; hops++)
        assert_int_equal(find_classes(&classes, &memory, 0, 1, 0),
                         (2u << hops) - 1);
    nb_vc_classes_release(&classes);
    problem_close(&problem);
}

/* Also counted by places of local and of global hops. For a two-phase scheme
 * that count knows which intermediate routers a policy leaves to the first
 * phase, so it may be lower; without a policy the two agree. */
static void test_places_are_those_of_hops(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "min@dragonfly:h=2",
        "val@dragonfly:h=2,p=1",
        "min@dragonfly:h=1,a=2x2,p=1",
        "val@dragonfly:h=1,a=3x2,p=1,groups=4",
        "min@megafly:2",
        "val@megafly:2,p=1,groups=4",
        "vlb:policy=lg-@dragonfly:h=2,p=1",
        "vlb:policy=-g-@dragonfly:h=2,p=1",
        "vlb:policy=-gl@dragonfly:h=2,p=1",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_vc_classes classes;
        struct nb_virtual_channels other;
        problem_open_example(&problem, cases[i]);
        const bool is_policy = strstr(cases[i], "policy") != NULL;
        assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                         NB_OK);
        assert_int_equal(
            nb_virtual_channels_find(&problem.routing, &other, NULL), NB_OK);
        assert_true(other.is_by_place);
        assert_string_equal(classes.rule->name, "place");
        const uint32_t most =
            other.local > other.global ? other.local : other.global;
        TOPOLOGY_CHECK(is_policy ? classes.count >= most
                                 : classes.count == most,
                       "%s: %u classes, %u local, %u global", cases[i],
                       classes.count, other.local, other.global);
        nb_vc_classes_release(&classes);
        problem_close(&problem);
    }
}

/* The virtual channels of Benito2020, section 3.2.3: l1 g1 l2 - l3 g2 l4. Every
 * hop takes the next of its kind, whatever was skipped before. L, G: a local
 * and a global hop; the digits: their classes. */
static void test_hops_ascend(void **state)
{
    (void)state;
    static const struct {
        const char *hops, *classes;
    } cases[] = {
        { "LGLLGL", "001213" }, { "LGL", "001" },   { "GLG", "011" },
        { "GG", "01" },         { "LLGL", "0113" }, { "L", "0" },
    };
    struct problem problem;
    struct nb_vc_classes classes;
    uint32_t channel[2] = { 0 }; /* a local one, a global one */
    problem_open_example(&problem, "vlb:policy=lgl@dragonfly:h=2");
    assert_int_equal(nb_vc_classes_choose("ascending", &problem.routing, NULL),
                     NB_OK);
    assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                     NB_OK);
    assert_int_equal(classes.count, 4);
    for (uint32_t c = 0; c < problem.topology.channel_count; c++)
        channel[nb_channel_is_global(&problem.topology, c)] = c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_vc_hop hop = { 0 };
        for (size_t h = 0; cases[i].hops[h] != '\0'; h++) {
            hop.channel = channel[cases[i].hops[h] == 'G'];
            assert_int_equal(nb_vc_classes_find(&classes, &hop, &hop.memory),
                             UINT64_C(1) << (cases[i].classes[h] - '0'));
        }
    }
    nb_vc_classes_release(&classes);
    problem_close(&problem);
}

/* The need of the network's own routing: by hand, and as the number of classes
 * of a rule that the walker finds used, with no cycle of waiting packets. */
static void test_needs(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t local, global;
        const char *rule;
    } cases[] = {
        { "min@clos:4x4,up=4", 1, 0, "phase" },
        { "min@clos:2x2x4,up=2x2", 1, 1, "phase" },
        { "val@clos:2x2x4,up=2x2", 2, 2, "phase" },
        { "rvlb@clos:2x2x2,up=1x2", 2, 2, "phase" },
        { "min@fattree:k=2,n=3", 1, 1, "phase" },
        { "min@slimfly:5,p=1", 2, 0, "hop" },
        { "val@slimfly:3,p=1", 4, 0, "hop" },
        { "dor@torus:4x4", 2, 0, "dimension" },
        { "val@torus:4x4", 4, 0, "dimension" },
        { "min@torus:4x4", 4, 0, "hop" },
        { "dor@mesh:4x3", 1, 0, "dimension" },
        { "min@hypercube:3", 3, 0, "hop" },
        { "min@complete:5", 1, 0, "hop" },
        { "min@hyperx:3x3", 2, 1, "place" },
        { "dor@hyperx:3x3x3", 1, 1, "dimension" },
        { "min@dragonfly:h=2,p=1", 2, 1, "place" },
        { "val@dragonfly:h=1,p=1", 4, 2, "place" },
        /* Table 3-1 and its schemes; par also from the second router of the
         * source's group, so one local hop more. */
        { "min@dragonfly:h=2", 2, 1, "place" },
        { "vlb:policy=lgl@dragonfly:h=2", 4, 2, "place" },
        { "rvlb@dragonfly:h=2", 4, 2, "place" },
        { "ugal@dragonfly:h=2", 4, 2, "place" },
        { "pb@dragonfly:h=2", 4, 2, "place" },
        { "par@dragonfly:h=2", 5, 2, "place" },
        { "vlb-recomp@dragonfly:h=2", 4, 2, "place" },
        { "acor@dragonfly:h=2", 4, 2, "place" },
        { "pb-acor@dragonfly:h=2", 4, 2, "place" },
        { "pb-recomp@dragonfly:h=2", 4, 2, "place" },
        { "tpr@dragonfly:h=2", 4, 2, "place" },
        { "lian@dragonfly:h=2", 4, 2, "place" },
        { "min@megafly:2", 2, 1, "place" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        struct nb_vc_need need;
        struct vc_dependencies found;
        problem_open_example(&problem, cases[i].name);
        assert_int_equal(nb_vc_need_find(&problem.routing, &need, NULL), NB_OK);
        TOPOLOGY_CHECK(need.local == cases[i].local &&
                           need.global == cases[i].global &&
                           strcmp(need.rule, cases[i].rule) == 0,
                       "%s: %u local and %u global by %s", cases[i].name,
                       need.local, need.global, need.rule);
        vc_dependencies_open(&found, &problem.routing, cases[i].name);
        if (strcmp(found.classes.rule->name, need.rule) == 0 &&
            need.global != 1)
            TOPOLOGY_CHECK((unsigned)__builtin_popcountll(found.used) ==
                               need.local,
                           "%s: %llx are used", cases[i].name,
                           (unsigned long long)found.used);
        vc_dependencies_close(&found);
        problem_close(&problem);
    }
}

static void test_refuses_too_many(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_vc_classes classes;
    struct nb_error error = { 0 };
    problem_open(&problem, "mesh:66", "min:classes=hop");
    assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, &error),
                     NB_INVALID);
    assert_string_equal(error.message,
                        "routing min on topology mesh needs 65 virtual-channel "
                        "classes (permitted: at most 64)");
    problem_close(&problem);
    problem_open(&problem, "mesh:65", "min:classes=hop");
    assert_int_equal(nb_vc_classes_build(&problem.routing, &classes, NULL),
                     NB_OK);
    assert_int_equal(classes.count, 64);
    uint32_t memory = 63;
    assert_true(find_classes(&classes, &memory, 63, 64, 0) == UINT64_MAX);
    nb_vc_classes_release(&classes);
    problem_close(&problem);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const cases[] = { "val@torus:4x4", "min@dragonfly:h=1",
                                         "any-minimal@torus:4x4" };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem problem;
        enum nb_status status = NB_NO_MEMORY;
        long allowed = 0;
        problem_open_example(&problem, cases[i]);
        if (problem.routing.kind->is_adaptive)
            problem.routing.vc_rule = "star";
        const long before = nb_memory_live_blocks();
        for (; status == NB_NO_MEMORY && allowed < 100; allowed++) {
            struct nb_vc_classes classes;
            nb_memory_allow(allowed);
            status = nb_vc_classes_build(&problem.routing, &classes, NULL);
            nb_memory_allow(-1);
            nb_vc_classes_release(&classes);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        assert_true(allowed > 1);
        problem_close(&problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_classes),
        cmocka_unit_test(test_all_classes_are_used),
        cmocka_unit_test(test_turns_begin_levels),
        cmocka_unit_test(test_hops_open_classes),
        cmocka_unit_test(test_places_are_those_of_hops),
        cmocka_unit_test(test_hops_ascend),
        cmocka_unit_test(test_needs),
        cmocka_unit_test(test_refuses_too_many),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
