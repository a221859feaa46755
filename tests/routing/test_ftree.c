/* ftree on a tree whose leaves have different numbers of channels up; for
 * k-ary n-trees see test_universal.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"

#include "routing/table_ways.h"

/* Routers 0 and 1 are roots, 2 and 3 lie below both, 4 and 5 are leaves below 2
 * and 3, and 6 below 3 alone. Destinations are numbered 0, 1, 2. */
static const char uneven[] = "router 0 router 2 router 3\n"
                             "router 1 router 2 router 3\n"
                             "router 4 node 0 router 2 router 3\n"
                             "router 5 node 1 router 2 router 3\n"
                             "router 6 node 2 router 3\n";

/* By hand. A leaf has up to two channels up, so the level above it divides the
 * number by 2: packets for 6, number 2, go up the first channel from a leaf,
 * and the second one from router 2. */
static void test_channels_up_differ(void **state)
{
    (void)state;
    static const struct {
        uint32_t source, destination, length, at[4];
    } cases[] = {
        { 4, 6, 4, { 2, 1, 3, 6 } }, { 5, 6, 4, { 2, 1, 3, 6 } },
        { 6, 4, 2, { 3, 4 } },       { 6, 5, 2, { 3, 5 } },
        { 4, 5, 2, { 3, 5 } },       { 5, 4, 2, { 2, 4 } },
    };
    struct problem problem;
    problem_open_file(&problem, uneven, ".anynet", "", "ftree:root=0+1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t path[7];
        assert_int_equal(nb_table_ways_path(&problem.routing, cases[i].source,
                                            cases[i].destination, path, NULL),
                         cases[i].length);
        for (size_t h = 0; h < cases[i].length; h++)
            assert_int_equal(problem.topology.channels[path[h]].target,
                             cases[i].at[h]);
    }
    problem_close(&problem);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_up_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
