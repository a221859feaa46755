/* The rational simplex method, on the same programs, confirms the result that
 * rounding and certificates give for the solution in doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "optimum/oblivious_program.h"

#include <math.h>

/* Programs of whole numbers, except for the load limit, which GLPK reads as the
 * simple fraction that it is. */
static const char *const networks[] = {
    "ring:3",    "ring:4",     "ring:5",      "ring:8",    "torus:3x3",
    "torus:4x3", "torus:4x4",  "mesh:2x3",    "mesh:3x3",  "complete:5",
    "ccc:3",     "complete:8", "hypercube:3", "torus:2x3",
};

/* Result of the rational simplex method, as a load or as mean hops. */
static double exact_solve(const struct nb_oblivious_question *question)
{
    struct nb_oblivious_case here;
    struct nb_oblivious_program program;
    enum nb_linear_end end;
    double unit = 0;
    assert_int_equal(nb_oblivious_case_init(question, &here, NULL), NB_OK);
    assert_int_equal(nb_oblivious_program_build(&here, 0, &program, NULL),
                     NB_OK);
    assert_int_equal(
        nb_linear_solve(program.linear, NB_LINEAR_EXACT, INFINITY, &end, NULL),
        NB_OK);
    assert_int_equal(end, NB_LINEAR_OPTIMAL);
    const double objective = nb_linear_objective(program.linear);
    for (size_t c = 0; c < question->topology->channel_count; c++)
        unit += nb_ratio_value(question->topology->channels[c].bandwidth);
    if (question->goal == NB_LEAST_MEAN_HOPS)
        unit = pow((double)here.terminal_count, 2);
    nb_oblivious_program_release(&program);
    nb_oblivious_case_release(&here);
    return objective / unit;
}

static void check_answer(const char *network, enum nb_paths paths,
                         const struct nb_topology *topology)
{
    struct nb_path_class class;
    struct nb_best_oblivious best;
    assert_int_equal(
        nb_path_class_init(topology, paths, nb_ratio_one, &class, NULL), NB_OK);
    struct nb_oblivious_question question = {
        .topology = topology,
        .path_class = &class,
        .goal = NB_LEAST_WORST_LOAD,
        .rate = nb_ratio_one,
        .seconds = INFINITY,
    };
    assert_int_equal(nb_best_oblivious_find(&question, NULL, &best, NULL),
                     NB_OK);
    const struct nb_ratio load = best.load.exact;
    if (!nb_ratio_is_known(load) ||
        fabs(exact_solve(&question) - nb_ratio_value(load)) > 1e-12)
        fail_msg("%s: the least load is not confirmed", network);
    nb_best_oblivious_release(&best);
    question.goal = NB_LEAST_MEAN_HOPS;
    question.most_load = load;
    assert_int_equal(nb_best_oblivious_find(&question, NULL, &best, NULL),
                     NB_OK);
    if (!nb_ratio_is_known(best.mean_hops.exact) ||
        fabs(exact_solve(&question) - nb_ratio_value(best.mean_hops.exact)) >
            1e-12)
        fail_msg("%s: the least mean hops are not confirmed", network);
    nb_best_oblivious_release(&best);
}

static void test_confirmed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct nb_topology topology;
        assert_int_equal(nb_topology_build(networks[i], &topology, NULL),
                         NB_OK);
        check_answer(networks[i], NB_PATHS_ANY, &topology);
        check_answer(networks[i], NB_PATHS_MINIMAL, &topology);
        nb_topology_release(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_confirmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
