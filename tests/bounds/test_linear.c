/* Linear programs: known answers, and random ones checked by their duals. */
#include "bounds/linear.h"

#include "core/memory.h"
#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>

#include <cmocka.h>
#include <math.h>

enum { LARGEST = 24 };
static const double tolerance = 1e-11; /* of values of some tens */

/* A program as a dense matrix, from which ours are built. */
struct dense {
    size_t rows, columns;
    double entry[LARGEST][LARGEST];
    double right[LARGEST];
    enum nb_linear_sense sense[LARGEST];
    double cost[LARGEST], most[LARGEST];
};

static void print_dense(const struct dense *dense)
{
    print_message("cost, most by columns:");
    for (size_t j = 0; j < dense->columns; j++)
        print_message(" %g, %g;", dense->cost[j], dense->most[j]);
    for (size_t i = 0; i < dense->rows; i++) {
        print_message("\n");
        for (size_t j = 0; j < dense->columns; j++)
            print_message(" %g", dense->entry[i][j]);
        print_message(" %s %g", dense->sense[i] == NB_EQUAL ? "=" : "<=",
                      dense->right[i]);
    }
    print_message("\n");
}

static void require(bool holds, const char *claim, const struct dense *dense)
{
    if (!holds) {
        print_dense(dense);
        fail_msg("%s", claim);
    }
}

/* Adds the column with its entries in the rows there are. */
static void add_column(struct nb_linear *linear, const struct dense *dense,
                       size_t column)
{
    const size_t rows = nb_linear_row_count(linear);
    size_t place[LARGEST], count = 0, index;
    double value[LARGEST];
    for (size_t i = 0; i < rows; i++) {
        place[count] = i;
        value[count] = dense->entry[i][column];
        count += value[count] != 0;
    }
    assert_int_equal(nb_linear_add_column(linear, dense->cost[column],
                                          dense->most[column], count, place,
                                          value, &index, NULL),
                     NB_OK);
    assert_int_equal(index, column);
}

static void add_row(struct nb_linear *linear, const struct dense *dense,
                    size_t row)
{
    const size_t columns = nb_linear_column_count(linear);
    size_t place[LARGEST], index;
    for (size_t j = 0; j < columns; j++)
        place[j] = j;
    assert_int_equal(nb_linear_add_row(linear, dense->sense[row],
                                       dense->right[row], columns, place,
                                       dense->entry[row], &index, NULL),
                     NB_OK);
    assert_int_equal(index, row);
}

static struct nb_linear *make(const struct dense *dense)
{
    struct nb_linear *linear = NULL;
    assert_int_equal(nb_linear_new(&linear, NULL), NB_OK);
    for (size_t j = 0; j < dense->columns; j++)
        add_column(linear, dense, j);
    for (size_t i = 0; i < dense->rows; i++)
        add_row(linear, dense, i);
    return linear;
}

static enum nb_linear_end solve(struct nb_linear *linear,
                                enum nb_linear_method method)
{
    enum nb_linear_end end;
    struct nb_error err = { 0 };
    if (nb_linear_solve(linear, method, INFINITY, &end, &err) != NB_OK)
        fail_msg("%s", err.message);
    return end;
}

/* The solution is feasible, and its duals prove that none costs less. */
static void require_optimal(const struct nb_linear *linear,
                            const struct dense *dense)
{
    double cost = 0, proved = 0, reduced[LARGEST];
    for (size_t j = 0; j < dense->columns; j++) {
        const double x = nb_linear_value(linear, j);
        require(x >= -tolerance && x <= dense->most[j] + tolerance,
                "a value is out of range", dense);
        cost += dense->cost[j] * x;
        reduced[j] = dense->cost[j];
    }
    for (size_t i = 0; i < dense->rows; i++) {
        const double dual = nb_linear_dual(linear, i);
        const bool is_equal = dense->sense[i] == NB_EQUAL;
        const double rise = is_equal ? dual : -dual;
        double left = 0;
        for (size_t j = 0; j < dense->columns; j++) {
            left += dense->entry[i][j] * nb_linear_value(linear, j);
            reduced[j] -= rise * dense->entry[i][j];
        }
        require(left <= dense->right[i] + tolerance &&
                    (!is_equal || left >= dense->right[i] - tolerance),
                "a row does not hold", dense);
        require(is_equal || dual >= -tolerance, "a dual is negative", dense);
        proved += rise * dense->right[i];
    }
    for (size_t j = 0; j < dense->columns; j++) {
        const bool is_free = isinf(dense->most[j]);
        require(!is_free || reduced[j] >= -tolerance,
                "the dual solution is not feasible", dense);
        if (!is_free && reduced[j] < 0)
            proved += reduced[j] * dense->most[j];
    }
    require(fabs(cost - proved) <= tolerance, "the duals prove less", dense);
    require(fabs(cost - nb_linear_objective(linear)) <= tolerance,
            "the objective is another", dense);
}

/* Small whole numbers; feasible, since right-hand sides are those of a point,
 * and bounded, since a free column costs nothing less than 0 and takes
 * nothing from any row. */
static void draw_dense(struct nb_random *random, struct dense *dense)
{
    double point[LARGEST];
    dense->rows = 1 + nb_random_below(random, LARGEST - 1);
    dense->columns = 1 + nb_random_below(random, LARGEST - 1);
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
            struct nb_linear *linear = make(&dense);
            require(solve(linear, (enum nb_linear_method)method) ==
                        NB_LINEAR_OPTIMAL,
                    "no optimum", &dense);
            require_optimal(linear, &dense);
            objective[method] = nb_linear_objective(linear);
            nb_linear_release(&linear);
        }
        require(fabs(objective[0] - objective[1]) <= tolerance &&
                    fabs(objective[0] - objective[2]) <= tolerance,
                "methods differ", &dense);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Rows, columns, costs and ends that come later are as good as those there
 * from the start. */
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
                add_row(linear, &dense, rows++);
            else
                add_column(linear, &dense, columns++);
            if (nb_random_below(&random, 4) == 0)
                solve(linear, method);
        }
        solve(linear, method);
        for (size_t j = 0; j < columns; j++) {
            dense.cost[j] += (double)nb_random_below(&random, 3);
            if (nb_random_below(&random, 4) == 0)
                dense.most[j] += (double)nb_random_below(&random, 3);
            nb_linear_set_cost(linear, j, dense.cost[j]);
            nb_linear_set_most(linear, j, dense.most[j]);
        }
        require(solve(linear, method) == NB_LINEAR_OPTIMAL, "no optimum",
                &dense);
        require_optimal(linear, &dense);
        nb_linear_release(&linear);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

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
    { "the cheaper way up to its end",
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
    { "nothing at all", { .rows = 0 }, NB_LINEAR_OPTIMAL, 0, { 0 }, { 0 } },
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
            struct nb_linear *linear = make(dense);
            require(solve(linear, (enum nb_linear_method)method) ==
                        known[k].end,
                    known[k].what, dense);
            if (known[k].end == NB_LINEAR_OPTIMAL)
                require(fabs(nb_linear_objective(linear) -
                             known[k].objective) <= tolerance,
                        known[k].what, dense);
            for (size_t j = 0;
                 known[k].end == NB_LINEAR_OPTIMAL && j < dense->columns; j++)
                require(fabs(nb_linear_value(linear, j) - known[k].value[j]) <=
                            tolerance,
                        known[k].what, dense);
            for (size_t i = 0;
                 known[k].end == NB_LINEAR_OPTIMAL && i < dense->rows; i++)
                require(fabs(nb_linear_dual(linear, i) - known[k].dual[i]) <=
                            tolerance,
                        known[k].what, dense);
            nb_linear_release(&linear);
        }
    }
}

/* Every point is as good as any other: the last one is kept, where a program
 * solved afresh is at 0. */
static void begins_at_the_last_basis(void **state)
{
    (void)state;
    static struct dense dense;
    for (int method = 0; method < 3; method++) {
        dense = known[0].dense;
        struct nb_linear *linear = make(&dense);
        solve(linear, (enum nb_linear_method)method);
        dense.cost[0] = dense.cost[1] = 0;
        nb_linear_set_cost(linear, 0, 0);
        nb_linear_set_cost(linear, 1, 0);
        assert_int_equal(solve(linear, (enum nb_linear_method)method),
                         NB_LINEAR_OPTIMAL);
        require_optimal(linear, &dense);
        require(fabs(nb_linear_value(linear, 0) - 1.6) <= tolerance,
                "begins afresh", &dense);
        nb_linear_release(&linear);
    }
}

/* 2^40 x >= 2^40 + 1 for x <= 1 is too near to be told from feasible by other
 * methods; then 3 y <= 1, no number of the machine. */
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
    struct nb_linear *linear = make(&dense);
    assert_int_equal(solve(linear, NB_LINEAR_DUAL), NB_LINEAR_OPTIMAL);
    assert_int_equal(solve(linear, NB_LINEAR_EXACT), NB_LINEAR_INFEASIBLE);
    nb_linear_set_most(linear, 0, 2);
    add_row(linear, &dense, 1);
    assert_int_equal(solve(linear, NB_LINEAR_EXACT), NB_LINEAR_OPTIMAL);
    assert_true(nb_linear_objective(linear) == -1.0 / 3);
    nb_linear_release(&linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_answers),
        cmocka_unit_test(proves_random_programs),
        cmocka_unit_test(goes_on_after_changes),
        cmocka_unit_test(begins_at_the_last_basis),
        cmocka_unit_test(exact_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
