#include "dense_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

static void dense_print(const struct dense *dense)
{
    print_message("cost, maximum by columns:");
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

void dense_require(bool holds, const char *claim, const struct dense *dense)
{
    if (!holds) {
        dense_print(dense);
        fail_msg("%s", claim);
    }
}

void dense_add_column(struct nb_linear *linear, const struct dense *dense,
                      size_t column)
{
    const size_t rows = nb_linear_row_count(linear);
    size_t place[DENSE_LARGEST], count = 0, index;
    double value[DENSE_LARGEST];
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

void dense_add_row(struct nb_linear *linear, const struct dense *dense,
                   size_t row)
{
    const size_t columns = nb_linear_column_count(linear);
    size_t place[DENSE_LARGEST], index;
    for (size_t j = 0; j < columns; j++)
        place[j] = j;
    assert_int_equal(nb_linear_add_row(linear, dense->sense[row],
                                       dense->right[row], columns, place,
                                       dense->entry[row], &index, NULL),
                     NB_OK);
    assert_int_equal(index, row);
}

struct nb_linear *dense_make(const struct dense *dense)
{
    struct nb_linear *linear = NULL;
    assert_int_equal(nb_linear_new(&linear, NULL), NB_OK);
    for (size_t j = 0; j < dense->columns; j++)
        dense_add_column(linear, dense, j);
    for (size_t i = 0; i < dense->rows; i++)
        dense_add_row(linear, dense, i);
    return linear;
}

enum nb_linear_end dense_solve(struct nb_linear *linear,
                               enum nb_linear_method method)
{
    enum nb_linear_end end;
    struct nb_error err = { 0 };
    if (nb_linear_solve(linear, method, INFINITY, &end, &err) != NB_OK)
        fail_msg("%s", err.message);
    return end;
}

void dense_must_be_optimal(const struct nb_linear *linear,
                           const struct dense *dense)
{
    double cost = 0, proved = 0, reduced[DENSE_LARGEST];
    for (size_t j = 0; j < dense->columns; j++) {
        const double x = nb_linear_value(linear, j);
        dense_require(x >= -dense_tolerance &&
                          x <= dense->most[j] + dense_tolerance,
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
        dense_require(
            left <= dense->right[i] + dense_tolerance &&
                (!is_equal || left >= dense->right[i] - dense_tolerance),
            "a row does not hold", dense);
        dense_require(is_equal || dual >= -dense_tolerance,
                      "a dual is negative", dense);
        proved += rise * dense->right[i];
    }
    for (size_t j = 0; j < dense->columns; j++) {
        const bool is_free = isinf(dense->most[j]);
        dense_require(!is_free || reduced[j] >= -dense_tolerance,
                      "the dual solution is not feasible", dense);
        if (!is_free && reduced[j] < 0)
            proved += reduced[j] * dense->most[j];
    }
    dense_require(fabs(cost - proved) <= dense_tolerance,
                  "the duals prove too little", dense);
    dense_require(fabs(cost - nb_linear_objective(linear)) <= dense_tolerance,
                  "the objective differs", dense);
}
