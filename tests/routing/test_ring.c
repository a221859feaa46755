/* The distribution of a ring's directions compared with the linear program over
 * all distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/problem.h"
#include "../support/ratio_checks.h"
#include "../support/topology_checks.h"
#include "../support/worst_case_checks.h"

#include "bounds/cuts/capacity.h"
#include "core/memory.h"
#include "load/channel_loads.h"
#include "routing/ring_law.h"

#include <glpk.h>
#include <math.h>
#include <stdio.h>

enum { RING_MOST = 17 };

/* Half of capacity on a ring of k routers, as a load times 4 k. */
static int ring_best_load(int k)
{
    return k % 2 == 0 ? k * k : k * k - 1;
}

/* One row of the program. */
static void ring_add_row(glp_prob *lp, int length, const int *column,
                         const double *value, int type, double bound)
{
    const int row = glp_add_rows(lp, 1);
    glp_set_row_bnds(lp, row, type, bound, bound);
    glp_set_mat_row(lp, row, length, column, value);
}

/*
 * Minimise sum_a a f(a), a = 1 .. k - 1 hops ahead, with
 *
 *     f(a) + f(k - a) = 1,   0 <= f <= 1
 *     r(i) + c(j) >= 4 k f(a) where the path from i to j = i + a crosses the
 *                    channel 0 -> 1, >= 0 elsewhere
 *     sum r + sum c <= 4 k times the best worst load
 *
 * in exact arithmetic: all numbers are whole. Columns: f, r, c.
 *
 * probability  out, [k]: the best f(a)
 *
 * Returns the mean hops (2/k) sum_a a f(a).
 */
static double ring_solve(int k, double *probability)
{
    int column[2 * RING_MOST + 1];
    double one[2 * RING_MOST + 1];
    glp_prob *lp = glp_create_prob();
    glp_add_cols(lp, 3 * k - 1);
    for (int a = 1; a < k; a++) {
        glp_set_col_bnds(lp, a, GLP_DB, 0, 1);
        glp_set_obj_coef(lp, a, a);
    }
    for (int s = 0; s < 2 * k; s++) {
        glp_set_col_bnds(lp, k + s, GLP_FR, 0, 0);
        column[1 + s] = k + s;
        one[1 + s] = 1;
    }
    ring_add_row(lp, 2 * k, column, one, GLP_UP, ring_best_load(k));
    for (int a = 1; 2 * a <= k; a++) {
        const int both[] = { 0, a, k - a };
        const double value[] = { 0, 2 * a == k ? 2 : 1, 1 };
        ring_add_row(lp, 2 * a == k ? 1 : 2, both, value, GLP_FX, 1);
    }
    for (int i = 0; i < k; i++)
        for (int a = 0; a < k; a++) {
            const bool is_crossed = (k - i) % k < a;
            const int own[] = { 0, k + i, 2 * k + (i + a) % k, a };
            const double value[] = { 0, 1, 1, -4 * k };
            ring_add_row(lp, is_crossed ? 3 : 2, own, value, GLP_LO, 0);
        }
    glp_smcp control;
    glp_init_smcp(&control);
    control.msg_lev = GLP_MSG_OFF;
    glp_term_out(GLP_OFF);
    assert_int_equal(glp_simplex(lp, &control), 0);
    assert_int_equal(glp_exact(lp, &control), 0);
    glp_term_out(GLP_ON);
    assert_int_equal(glp_get_status(lp), GLP_OPT);
    const double mean = 2 * glp_get_obj_val(lp) / k;
    for (int a = 1; a < k; a++)
        probability[a] = glp_get_col_prim(lp, a);
    glp_delete_prob(lp);
    return mean;
}

/* Mean hops under uniform traffic. */
static struct nb_ratio ring_mean_hops(const struct problem *problem)
{
    struct nb_traffic traffic = { 0 };
    struct nb_channel_loads loads = { 0 };
    assert_int_equal(
        nb_traffic_build("uniform", &problem->topology, false, &traffic, NULL),
        NB_OK);
    assert_int_equal(
        nb_channel_loads_find(&problem->routing, &traffic, NULL, &loads, NULL),
        NB_OK);
    const struct nb_ratio mean = loads.mean_hops.exact;
    nb_channel_loads_release(&loads);
    nb_traffic_release(&traffic);
    return mean;
}

static void ring_open(struct problem *problem, int k)
{
    char name[64];
    snprintf(name, sizeof name, "ring@ring:%d", k);
    problem_open_example(problem, name);
}

/* The probability that a packet from router 0 goes plus. */
static struct nb_ratio ring_plus(const struct problem *problem, uint32_t target)
{
    struct nb_start starts[2];
    const size_t count = nb_route_starts(&problem->routing, 0, target, starts);
    uint64_t plus = 0;
    for (size_t i = 0; i < count; i++)
        plus += starts[i].state == 1 ? starts[i].weight : 0;
    return nb_ratio_make(plus, problem->routing.start_total);
}

/* The simplex method returns doubles, each rounded once or twice. */
static void test_is_the_best_law(void **state)
{
    (void)state;
    for (int k = 3; k <= RING_MOST; k++) {
        struct problem problem;
        double best[RING_MOST];
        const double mean = ring_solve(k, best);
        ring_open(&problem, k);
        const double found = nb_ratio_value(ring_mean_hops(&problem));
        TOPOLOGY_CHECK(fabs(found - mean) <= 1e-14 * mean,
                       "ring:%d: %.17g hops, not %.17g", k, found, mean);
        for (int a = 1; a < k; a++) {
            const double plus =
                nb_ratio_value(ring_plus(&problem, (uint32_t)a));
            TOPOLOGY_CHECK(fabs(plus - best[a]) <= 1e-14,
                           "ring:%d: %d ahead %.17g, not %.17g", k, a, plus,
                           best[a]);
        }
        problem_close(&problem);
    }
}

static void test_mean_hops(void **state)
{
    (void)state;
    for (int k = 3; k <= 40; k++) {
        struct problem problem;
        ring_open(&problem, k);
        ratio_must_equal(ring_mean_hops(&problem),
                         k % 2 == 0 ? nb_ratio_make(k - 1, 3)
                                    : nb_ratio_make(k * k - 1, 3 * k),
                         "ring");
        problem_close(&problem);
    }
}

static void ring_check_worst_case(int k, const char *routing)
{
    char name[64];
    struct problem problem;
    struct nb_worst_case found = { 0 };
    struct nb_capacity capacity = { 0 };
    snprintf(name, sizeof name, "%s@ring:%d", routing, k);
    problem_open_example(&problem, name);
    worst_case_must_find(&problem, name, 0, &found);
    worst_case_must_pass(&problem, name, &found);
    assert_int_equal(nb_capacity_find(&problem.topology, NULL, &capacity, NULL),
                     NB_OK);
    ratio_must_equal(
        nb_ratio_divide(found.throughput.exact, capacity.rate.exact),
        nb_ratio_make(1, 2), name);
    ratio_must_equal(found.load.exact, nb_ratio_make(ring_best_load(k), 4 * k),
                     name);
    nb_worst_case_release(&found);
    problem_close(&problem);
}

/* NB_RING_EVEN, the distribution of rdr, has the same load. */
static void test_worst_case_is_half_of_capacity(void **state)
{
    (void)state;
    for (int k = 3; k <= 40; k++) {
        ring_check_worst_case(k, "ring");
        ring_check_worst_case(k, "rdr");
    }
}

/* Weights add up, and a direction without weight is left out. */
static void test_weights(void **state)
{
    (void)state;
    for (uint32_t k = 2; k <= 40; k++)
        for (int distribution = NB_RING_EVEN; distribution <= NB_RING_BEST;
             distribution++)
            for (uint32_t ahead = 0; ahead < k; ahead++) {
                struct nb_ring_way way[2], back[2];
                uint64_t sum = 0;
                const size_t count =
                    nb_ring_ways((enum nb_ring_law)distribution, k, ahead, way);
                assert_in_range(count, 1, 2);
                for (size_t i = 0; i < count; i++) {
                    assert_true(way[i].weight > 0);
                    sum += way[i].weight;
                }
                assert_int_equal(
                    sum, nb_ring_total((enum nb_ring_law)distribution, k));
                if (ahead == 0 || k == 2) {
                    assert_int_equal(count, 1);
                    continue;
                }
                /* The same seen from the other side. */
                assert_int_equal(nb_ring_ways((enum nb_ring_law)distribution, k,
                                              k - ahead, back),
                                 count);
                assert_true(back[count - 1].is_plus != way[0].is_plus);
                assert_int_equal(back[count - 1].weight, way[0].weight);
            }
}

static void test_other_names(void **state)
{
    (void)state;
    struct problem problem;
    problem_open(&problem, "torus:6", "wrd");
    assert_string_equal(problem.routing.kind->kind.name, "ring");
    assert_false(problem.routing.is_minimal);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_the_best_law),
        cmocka_unit_test(test_mean_hops),
        cmocka_unit_test(test_worst_case_is_half_of_capacity),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
