/* Answers that were released, or never asked for: nothing is answer of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "questions/optimum/optimum_question.h"
#include "questions/permutations/permutations_question.h"
#include "questions/split/split_question.h"
#include "questions/topology/topology_question.h"
#include "questions/worst_case/worst_case_question.h"

/* A test that tells of an empty answer. */
#define NOTHING_IS_TOLD(kind)                                                  \
    static void nothing_is_reported_of_##kind(void **state)                    \
    {                                                                          \
        (void)state;                                                           \
        static const struct nb_##kind##_answer answer;                         \
        struct nb_point point = { 0 };                                         \
        nb_##kind##_report(&answer, &point);                                   \
        assert_int_equal(point.quantity_count, 0);                             \
        assert_int_equal(point.note_count, 0);                                 \
        assert_int_equal(point.table_count, 0);                                \
        assert_int_equal(nb_point_check(&point, NULL), NB_OK);                 \
        nb_point_release(&point);                                              \
    }

NOTHING_IS_TOLD(optimum)
NOTHING_IS_TOLD(permutations)
NOTHING_IS_TOLD(split)
NOTHING_IS_TOLD(topology)
NOTHING_IS_TOLD(worst_case)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_reported_of_optimum),
        cmocka_unit_test(nothing_is_reported_of_permutations),
        cmocka_unit_test(nothing_is_reported_of_split),
        cmocka_unit_test(nothing_is_reported_of_topology),
        cmocka_unit_test(nothing_is_reported_of_worst_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
