/* Linear programs with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/dense_program.h"

#include <math.h>

/* By hand; each by every method. */
static const struct {
    const char *what;
    struct dense dense;
    enum nb_linear_end end;
    double objective, value[2], dual[2];
} known[] = {
    { "two rows cross at (8/5, 6/5)",
      { .rows = 2,
        .columns = 2,
        .entry = { { 1, 2 }, { 3, 1 } },
        .right = { 4, 6 },
        .cost = { -1, -1 },
        .most = { INFINITY, INFINITY } },
      NB_LINEAR_OPTIMAL,
      -2.8,
      { 1.6, 1.2 },
      { 0.4, 0.2 } },
    { "the cheaper column up to its end",
      { .rows = 1,
        .columns = 2,
        .entry = { { 1, 1 } },
        .right = { 7 },
        .sense = { NB_EQUAL },
        .cost = { 2, 3 },
        .most = { 5, INFINITY } },
      NB_LINEAR_OPTIMAL,
      16,
      { 5, 2 },
      { 3 } },
    { "no rows",
      { .columns = 2, .cost = { -1, 1 }, .most = { 3, 3 } },
      NB_LINEAR_OPTIMAL,
      -3,
      { 3, 0 },
      { 0 } },
    { "an empty program", { .rows = 0 }, NB_LINEAR_OPTIMAL, 0, { 0 }, { 0 } },
    { "an end of 0",
      { .rows = 1,
        .columns = 2,
        .entry = { { 1, 1 } },
        .right = { 2 },
        .cost = { -5, -1 },
        .most = { 0, INFINITY } },
      NB_LINEAR_OPTIMAL,
      -2,
      { 0, 2 },
      { 1 } },
    { "ends too low for the row",
      { .rows = 1,
        .columns = 2,
        .entry = { { 1, 1 } },
        .right = { 3 },
        .sense = { NB_EQUAL },
        .cost = { 1, 1 },
        .most = { 1, 1 } },
      .end = NB_LINEAR_INFEASIBLE },
    { "infeasible, and its dual too",
      { .rows = 2,
        .columns = 2,
        .entry = { { 1, -1 }, { -1, 1 } },
        .right = { -1, -1 },
        .cost = { -1, -1 },
        .most = { INFINITY, INFINITY } },
      .end = NB_LINEAR_INFEASIBLE },
    { "an empty row that does not hold",
      { .rows = 1, .right = { -1 } },
      .end = NB_LINEAR_INFEASIBLE },
    { "unbounded along a ray",
      { .rows = 1,
        .columns = 2,
        .entry = { { 1, -1 } },
        .right = { 1 },
        .cost = { -1, -1 },
        .most = { INFINITY, INFINITY } },
      .end = NB_LINEAR_UNBOUNDED },
    { "unbounded past a point that must be found",
      { .rows = 2,
        .columns = 2,
        .entry = { { 1, -1 }, { -1, -1 } },
        .right = { 1, -3 },
        .cost = { -1, -1 },
        .most = { INFINITY, INFINITY } },
      .end = NB_LINEAR_UNBOUNDED },
};

static void finds_known_answers(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct dense *dense = &known[k].dense;
        for (int method = 0; method < 3; method++) {
            struct nb_linear *linear = dense_make(dense);
            dense_require(dense_solve(linear, (enum nb_linear_method)method) ==
                              known[k].end,
                          known[k].what, dense);
            if (known[k].end == NB_LINEAR_OPTIMAL)
                dense_require(fabs(nb_linear_objective(linear) -
                                   known[k].objective) <= dense_tolerance,
                              known[k].what, dense);
            for (size_t j = 0;
                 known[k].end == NB_LINEAR_OPTIMAL && j < dense->columns; j++)
                dense_require(fabs(nb_linear_value(linear, j) -
                                   known[k].value[j]) <= dense_tolerance,
                              known[k].what, dense);
            for (size_t i = 0;
                 known[k].end == NB_LINEAR_OPTIMAL && i < dense->rows; i++)
                dense_require(fabs(nb_linear_dual(linear, i) -
                                   known[k].dual[i]) <= dense_tolerance,
                              known[k].what, dense);
            nb_linear_release(&linear);
        }
    }
}

/* Every point is equally good: the last one is kept, while a new solution of
 * the program is at 0. */
static void begins_at_the_last_basis(void **state)
{
    (void)state;
    static struct dense dense;
    for (int method = 0; method < 3; method++) {
        dense = known[0].dense;
        struct nb_linear *linear = dense_make(&dense);
        dense_solve(linear, (enum nb_linear_method)method);
        dense.cost[0] = dense.cost[1] = 0;
        nb_linear_set_cost(linear, 0, 0);
        nb_linear_set_cost(linear, 1, 0);
        assert_int_equal(dense_solve(linear, (enum nb_linear_method)method),
                         NB_LINEAR_OPTIMAL);
        dense_must_be_optimal(linear, &dense);
        dense_require(fabs(nb_linear_value(linear, 0) - 1.6) <= dense_tolerance,
                      "starts again", &dense);
        nb_linear_release(&linear);
    }
}

/* 2^40 x >= 2^40 + 1 for x <= 1 is too close for other methods to distinguish
 * it from feasible; then 3 y <= 1, not a floating-point number. */
static void exact_is_exact(void **state)
{
    (void)state;
    static struct dense dense = {
        .rows = 1,
        .columns = 2,
        .entry = { { -0x1p40, 0 }, { 0, 3 } },
        .right = { -0x1p40 - 1, 1 },
        .cost = { 0, -1 },
        .most = { 1, 1 },
    };
    struct nb_linear *linear = dense_make(&dense);
    assert_int_equal(dense_solve(linear, NB_LINEAR_DUAL), NB_LINEAR_OPTIMAL);
    assert_int_equal(dense_solve(linear, NB_LINEAR_EXACT),
                     NB_LINEAR_INFEASIBLE);
    nb_linear_set_most(linear, 0, 2);
    dense_add_row(linear, &dense, 1);
    assert_int_equal(dense_solve(linear, NB_LINEAR_EXACT), NB_LINEAR_OPTIMAL);
    assert_true(nb_linear_objective(linear) == -1.0 / 3);
    nb_linear_release(&linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_answers),
        cmocka_unit_test(begins_at_the_last_basis),
        cmocka_unit_test(exact_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
