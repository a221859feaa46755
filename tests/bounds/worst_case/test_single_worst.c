/* The worst permutation of single paths against the worst case of the same
 * scheme, found by another method. */
#include "bounds/worst_case/single_worst.h"

#include "bounds/worst_case/worst_case.h"
#include "core/memory.h"
#include "support/ratio_checks.h"
#include "support/single_cases.h"
#include "support/worst_case_checks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(const struct problem *problem, const char *name)
{
    struct nb_worst_case expected = { 0 };
    struct nb_single_paths paths = { 0 };
    struct nb_single_worst found = { 0 };
    assert_int_equal(nb_single_paths_find(&problem->routing,
                                          problem->routing.topology, &paths,
                                          NULL),
                     NB_OK);
    assert_int_equal(nb_single_worst_find(&paths, &found, NULL), NB_OK);
    worst_case_must_find(problem, name, 0, &expected);
    ratio_must_equal(nb_ratio_divide(nb_ratio_one, found.share),
                     expected.throughput.exact, name);
    if (found.channel != NB_NONE)
        ratio_must_equal(
            nb_ratio_divide(
                found.load,
                problem->topology.channels[found.channel].bandwidth),
            found.share, name);
    nb_single_paths_release(&paths);
    nb_worst_case_release(&expected);
}

static void test_against_worst_case(void **state)
{
    (void)state;
    single_each(check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_worst_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
