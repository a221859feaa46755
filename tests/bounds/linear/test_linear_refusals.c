/* Linear programs: GLPK's errors, its memory, time limits, and its silence. */
#include "bounds/linear/linear.h"

#include "core/memory.h"
#include "core/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <glpk.h>
#include <math.h>

/* Transport of a unit from each of n sources to each of n sinks, at costs
 * that make the least total n: the diagonal costs 1, all else more. */
static enum nb_status make_transport(size_t n, struct nb_linear **linear,
                                     struct nb_error *err)
{
    enum nb_status status;
    NB_TRY(nb_linear_new(linear, err));
    for (size_t i = 0; i < 2 * n; i++)
        NB_TRY(
            nb_linear_add_row(*linear, NB_EQUAL, 1, 0, NULL, NULL, NULL, err));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            const size_t place[] = { i, n + j };
            const double value[] = { 1, 1 };
            const double cost =
                i == j ? 1 : (double)(2 + (7 * i + 11 * j) % 13);
            NB_TRY(nb_linear_add_column(*linear, cost, INFINITY, 2, place,
                                        value, NULL, err));
        }
    }
done:
    return status;
}

static enum nb_status solve_transport(size_t n, double *objective,
                                      struct nb_error *err)
{
    enum nb_status status;
    enum nb_linear_end end = NB_LINEAR_STOPPED;
    struct nb_linear *linear = NULL;
    NB_TRY(make_transport(n, &linear, err));
    NB_TRY(nb_linear_solve(linear, NB_LINEAR_DUAL, INFINITY, &end, err));
    *objective = end == NB_LINEAR_OPTIMAL ? nb_linear_objective(linear) : NAN;
done:
    nb_linear_release(&linear);
    return status;
}

static void require_transport(size_t n)
{
    double objective = 0;
    assert_int_equal(solve_transport(n, &objective, NULL), NB_OK);
    assert_true(fabs(objective - (double)n) < 1e-9);
}

/* An entry given twice, which the header forbids, is a fatal error of GLPK. */
static enum nb_status solve_forbidden(struct nb_error *err)
{
    enum nb_linear_end end;
    struct nb_linear *linear = NULL;
    enum nb_status status;
    const size_t place[] = { 0, 0 };
    const double value[] = { 1, 1 };
    NB_TRY(make_transport(2, &linear, err));
    NB_TRY(
        nb_linear_add_row(linear, NB_AT_MOST, 1, 2, place, value, NULL, err));
    NB_TRY(nb_linear_solve(linear, NB_LINEAR_DUAL, INFINITY, &end, err));
done:
    nb_linear_release(&linear);
    return status;
}

static void survives_errors(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        struct nb_error err = { 0 };
        assert_int_equal(solve_forbidden(&err), NB_NO_CONVERGENCE);
        assert_non_null(strstr(err.message, "duplicate"));
        require_transport(3);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* GLPK's memory, too: an environment with a limit, in MB, that existed
 * before. */
static void reports_memory(void **state)
{
    (void)state;
    assert_int_equal(glp_init_env(), 0);
    glp_mem_limit(1);
    struct nb_error err = { 0 };
    double objective = 0;
    assert_int_equal(solve_transport(60, &objective, &err), NB_NO_MEMORY);
    assert_non_null(strstr(err.message, "120 rows and 3600 columns"));
    assert_int_equal(glp_free_env(), 0);
    require_transport(60);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* No environment is left where none existed, and none is removed. */
static void leaves_the_environment(void **state)
{
    (void)state;
    require_transport(3);
    assert_int_equal(glp_init_env(), 0);
    glp_prob *other = glp_create_prob();
    glp_add_cols(other, 3);
    require_transport(3);
    assert_int_equal(solve_forbidden(NULL), NB_NO_CONVERGENCE);
    assert_int_equal(glp_get_num_cols(other), 3);
    assert_int_equal(glp_term_out(GLP_ON), GLP_ON);
    glp_delete_prob(other);
    assert_int_equal(glp_free_env(), 0);
}

static void solves_all(void)
{
    double objective = 0;
    (void)solve_transport(4, &objective, NULL);
    (void)solve_forbidden(NULL);
    for (int kind = 0; kind < 2; kind++) {
        for (int method = 0; method < 3; method++) {
            enum nb_linear_end end;
            struct nb_linear *linear = NULL;
            (void)nb_linear_new(&linear, NULL);
            const size_t place = 0;
            const double value = 1;
            (void)nb_linear_add_row(linear, NB_AT_MOST, -1, 0, NULL, NULL, NULL,
                                    NULL);
            (void)nb_linear_add_column(linear, -1, INFINITY, kind == 0, &place,
                                       &value, NULL, NULL);
            (void)nb_linear_solve(linear, (enum nb_linear_method)method,
                                  INFINITY, &end, NULL);
            nb_linear_release(&linear);
        }
    }
}

static void is_silent(void **state)
{
    (void)state;
    char path[] = "/tmp/netbound-output-XXXXXX";
    const int file = mkstemp(path);
    const int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
    assert_true(file >= 0 && out >= 0 && error >= 0);
    fflush(NULL);
    assert_true(dup2(file, STDOUT_FILENO) >= 0 &&
                dup2(file, STDERR_FILENO) >= 0);
    solves_all();
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    const off_t written = lseek(file, 0, SEEK_END);
    close(out);
    close(error);
    close(file);
    unlink(path);
    assert_int_equal(written, 0);
}

/* Without time nothing moves; stopped again and again, the method reaches the
 * same end. */
static void stops_in_time(void **state)
{
    (void)state;
    struct nb_linear *linear = NULL;
    enum nb_linear_end end = NB_LINEAR_OPTIMAL;
    assert_int_equal(make_transport(100, &linear, NULL), NB_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(
            nb_linear_solve(linear, NB_LINEAR_DUAL, -k, &end, NULL), NB_OK);
        assert_int_equal(end, NB_LINEAR_STOPPED);
    }
    assert_int_equal(
        nb_linear_solve(linear, NB_LINEAR_PRIMAL, 1e-3, &end, NULL), NB_OK);
    assert_int_equal(end, NB_LINEAR_STOPPED);
    for (double seconds = 2e-3; end == NB_LINEAR_STOPPED; seconds *= 2)
        assert_int_equal(
            nb_linear_solve(linear, NB_LINEAR_PRIMAL, seconds, &end, NULL),
            NB_OK);
    assert_int_equal(end, NB_LINEAR_OPTIMAL);
    assert_true(fabs(nb_linear_objective(linear) - 100) < 1e-9);
    nb_linear_release(&linear);
}

static enum nb_status solve_task(void *context, int thread, size_t index,
                                 struct nb_error *err)
{
    (void)thread;
    if (index % 4 == 3)
        return solve_forbidden(NULL) == NB_NO_CONVERGENCE ? NB_OK : NB_INVALID;
    return solve_transport(1 + index, (double *)context + index, err);
}

static void works_in_threads(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    double objective[COUNT] = { 0 };
    const struct nb_run run = { .threads = 4 };
    assert_int_equal(
        nb_run_tasks(&run, "programs", COUNT, solve_task, objective, NULL),
        NB_OK);
    for (size_t k = 0; k < COUNT; k++)
        assert_true(k % 4 == 3 || fabs(objective[k] - (double)(1 + k)) < 1e-9);
}

static void test_failing_memory(void **state)
{
    (void)state;
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        double objective = 0;
        struct nb_error err = { 0 };
        nb_memory_allow(allowed);
        status = solve_transport(8, &objective, &err);
        nb_memory_allow(-1);
        assert_int_equal(nb_memory_live_blocks(), 0);
        assert_true(status == NB_NO_MEMORY ? err.status == NB_NO_MEMORY
                                           : fabs(objective - 8) < 1e-9);
    }
    assert_int_equal(status, NB_OK);
    nb_linear_release(NULL);
    struct nb_linear *none = NULL;
    nb_linear_release(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_errors),
        cmocka_unit_test(reports_memory),
        cmocka_unit_test(leaves_the_environment),
        cmocka_unit_test(is_silent),
        cmocka_unit_test(stops_in_time),
        cmocka_unit_test(works_in_threads),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
