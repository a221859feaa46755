/* Random linear programs, checked by their duals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "support/dense_program.h"

#include <math.h>

/* Small whole numbers; feasible, since right-hand sides are those of a point,
 * and bounded, since a column without an upper end has cost >= 0 and only
 * coefficients >= 0. */
static void draw_dense(struct nb_random *random, struct dense *dense)
{
    double point[DENSE_LARGEST];
    dense->rows = 1 + nb_random_below(random, DENSE_LARGEST - 1);
    dense->columns = 1 + nb_random_below(random, DENSE_LARGEST - 1);
    for (size_t j = 0; j < dense->columns; j++) {
        const bool is_free = nb_random_below(random, 2) == 0;
        point[j] = (double)nb_random_below(random, 4);
        dense->most[j] =
            is_free ? INFINITY : point[j] + (double)nb_random_below(random, 3);
        dense->cost[j] = (double)nb_random_below(random, 9) - (is_free ? 0 : 4);
    }
    for (size_t i = 0; i < dense->rows; i++) {
        const bool is_equal = nb_random_below(random, 3) == 0;
        dense->sense[i] = is_equal ? NB_EQUAL : NB_AT_MOST;
        dense->right[i] = is_equal ? 0 : (double)nb_random_below(random, 3);
        for (size_t j = 0; j < dense->columns; j++) {
            const bool is_zero = nb_random_below(random, 2) == 0;
            dense->entry[i][j] =
                is_zero ? 0 : (double)nb_random_below(random, 9) - 4;
            dense->right[i] += dense->entry[i][j] * point[j];
        }
    }
}

static void proves_random_programs(void **state)
{
    (void)state;
    static struct dense dense;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct nb_random random;
        nb_random_init(&random, 71, trial);
        draw_dense(&random, &dense);
        double objective[3];
        for (int method = 0; method < 3; method++) {
            struct nb_linear *linear = dense_make(&dense);
            dense_require(dense_solve(linear, (enum nb_linear_method)method) ==
                              NB_LINEAR_OPTIMAL,
                          "no optimum", &dense);
            dense_must_be_optimal(linear, &dense);
            objective[method] = nb_linear_objective(linear);
            nb_linear_release(&linear);
        }
        dense_require(fabs(objective[0] - objective[1]) <= dense_tolerance &&
                          fabs(objective[0] - objective[2]) <= dense_tolerance,
                      "methods differ", &dense);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Rows, columns, costs and ends added later give the same as those present from
 * the start. */
static void goes_on_after_changes(void **state)
{
    (void)state;
    static struct dense dense;
    for (uint64_t trial = 0; trial < 300; trial++) {
        struct nb_random random;
        nb_random_init(&random, 72, trial);
        draw_dense(&random, &dense);
        const enum nb_linear_method method =
            (enum nb_linear_method)nb_random_below(&random, 3);
        struct nb_linear *linear = NULL;
        assert_int_equal(nb_linear_new(&linear, NULL), NB_OK);
        size_t rows = 0, columns = 0;
        while (rows + columns < dense.rows + dense.columns) {
            const bool takes_row =
                columns == dense.columns ||
                (rows < dense.rows && nb_random_below(&random, 2) == 0);
            if (takes_row)
                dense_add_row(linear, &dense, rows++);
            else
                dense_add_column(linear, &dense, columns++);
            if (nb_random_below(&random, 4) == 0)
                dense_solve(linear, method);
        }
        dense_solve(linear, method);
        for (size_t j = 0; j < columns; j++) {
            dense.cost[j] += (double)nb_random_below(&random, 3);
            if (nb_random_below(&random, 4) == 0)
                dense.most[j] += (double)nb_random_below(&random, 3);
            nb_linear_set_cost(linear, j, dense.cost[j]);
            nb_linear_set_most(linear, j, dense.most[j]);
        }
        dense_require(dense_solve(linear, method) == NB_LINEAR_OPTIMAL,
                      "no optimum", &dense);
        dense_must_be_optimal(linear, &dense);
        nb_linear_release(&linear);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proves_random_programs),
        cmocka_unit_test(goes_on_after_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
