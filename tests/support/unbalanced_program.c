#include "unbalanced_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glpk.h>
#include <math.h>

enum { MOST_ROWS = 64 };

double unbalanced_program_solve(size_t n, const double *load, double bound)
{
    const int size = (int)n, last = 2 * size + 1;
    int index[MOST_ROWS + 1];
    double value[MOST_ROWS + 1];
    double most = 0; /* each column receives 1 from the row that loads most */
    assert_true(n > 0 && n <= MOST_ROWS);
    for (size_t j = 0; j < n; j++) {
        double column = 0;
        for (size_t i = 0; i < n; i++)
            column = fmax(column, load[i * n + j]);
        most += column;
    }
    if (most <= bound * (1 + 1e-12))
        return INFINITY;
    glp_prob *lp = glp_create_prob();
    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, last);
    glp_add_cols(lp, size * size + 1);
    for (int i = 0; i < size; i++) {
        glp_set_row_bnds(lp, 1 + i, GLP_UP, 0, 0);
        glp_set_row_bnds(lp, 1 + size + i, GLP_UP, 0, 1);
        index[1 + i] = 1 + i;
        value[1 + i] = -1;
        for (int j = 0; j < size; j++) {
            const int at[] = { 0, 1 + i, 1 + size + j, last };
            const double of[] = { 0, 1, 1, load[i * size + j] };
            glp_set_mat_col(lp, 1 + i * size + j,
                            load[i * size + j] > 0 ? 3 : 2, at, of);
            glp_set_col_bnds(lp, 1 + i * size + j, GLP_LO, 0, 0);
        }
    }
    glp_set_mat_col(lp, size * size + 1, size, index, value);
    glp_set_col_bnds(lp, size * size + 1, GLP_LO, 0, 0);
    glp_set_obj_coef(lp, size * size + 1, 1);
    glp_set_row_bnds(lp, last, GLP_LO, bound, 0);
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    assert_int_equal(glp_simplex(lp, &control), 0);
    const double alpha =
        glp_get_status(lp) == GLP_OPT ? glp_get_obj_val(lp) : INFINITY;
    glp_delete_prob(lp);
    return alpha;
}
