#include "bounds/unbalanced_case.h"

#include "../support/slow_loads.h"
#include "bounds/worst_case.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <glpk.h>
#include <math.h>

static void must_find(const struct problem *problem, const char *name,
                      struct nb_unbalanced_case *out)
{
    struct nb_error err = { 0 };
    if (nb_unbalanced_case_find(&problem->routing, NULL, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
}

static void must_pass(const struct problem *problem, const char *name,
                      struct nb_unbalanced_case *claimed)
{
    struct nb_error err = { 0 };
    bool all_channels = false;
    if (nb_unbalanced_case_check(&problem->routing, NULL, claimed,
                                 &all_channels, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    assert_true(all_channels);
}

/* The exact answer, found and checked. */
static struct nb_ratio solve(const struct problem *problem, const char *name)
{
    struct nb_unbalanced_case found = { 0 };
    must_find(problem, name, &found);
    must_pass(problem, name, &found);
    const struct nb_ratio rate = found.rate;
    if (!nb_ratio_is_known(rate))
        fail_msg("%s: no exact rate", name);
    assert_true(found.rate_lower <= found.rate_upper);
    nb_unbalanced_case_release(&found);
    return rate;
}

static void must_equal(struct nb_ratio a, struct nb_ratio b, const char *name)
{
    char left[NB_RATIO_TEXT], right[NB_RATIO_TEXT];
    nb_ratio_print(a, left);
    nb_ratio_print(b, right);
    if (!nb_ratio_is_known(a) || nb_ratio_compare(a, b) != 0)
        fail_msg("%s: %s, expected %s", name, left, right);
}

/* From loads of the worst channel worked out by hand: see finds_known_rates
 * of the tests of nb_unbalanced_rate. Twice the terminals halve the bandwidth
 * of each; at 1/2, dor's busiest destinations of the 28 share less. */
static void finds_known_rates(void **state)
{
    (void)state;
    const struct {
        const char *topology, *routing;
        struct nb_ratio rate;
    } cases[] = {
        { "torus:8x8", "dor", { 1, 28 } },
        { "torus:8x8", "val", { 1, 20 } },
        { "torus:8x8,bandwidth=2,terminals=2", "dor", { 1, 28 } },
        { "torus:8x8,bandwidth=3,terminals=3", "val", { 1, 20 } },
        { "ring:4,bandwidth=1000", "dor", { 1, 0 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        problem_open(&problem, cases[c].topology, cases[c].routing);
        must_equal(solve(&problem, cases[c].topology), cases[c].rate,
                   cases[c].topology);
        problem_close(&problem);
    }
}

/* The least rate over all channels, each solved for all terminals. */
static struct nb_ratio solve_terminals(const struct problem *problem,
                                       const struct slow_loads *loads)
{
    static int64_t matrix[SLOW_TERMINALS * SLOW_TERMINALS];
    const struct nb_topology *topology = &problem->topology;
    struct nb_ratio least = nb_ratio_infinity;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t denominator = slow_matrix(loads, topology, c, matrix);
        struct nb_unbalanced one = { 0 };
        assert_int_equal(
            nb_unbalanced_rate(
                topology->terminal_count, matrix,
                nb_ratio_multiply(topology->channels[c].bandwidth,
                                  (struct nb_ratio){ denominator, 1 }),
                &one, NULL),
            NB_OK);
        if (nb_ratio_compare(one.rate, least) < 0)
            least = one.rate;
        nb_unbalanced_release(&one);
    }
    return least;
}

/* Independent: the least alpha at which traffic between n terminals makes the
 * bound, as one linear program; +inf if no traffic makes more, each terminal
 * receiving 1 from where it loads most. */
static double solve_by_glpk(size_t n, const double *load, double bound)
{
    const int size = (int)n, last = 2 * size + 1;
    int index[SLOW_TERMINALS + 1];
    double value[SLOW_TERMINALS + 1];
    double most = 0;
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

static double solve_programs(const struct problem *problem,
                             const struct slow_loads *loads)
{
    static int64_t matrix[SLOW_TERMINALS * SLOW_TERMINALS];
    static double load[SLOW_TERMINALS * SLOW_TERMINALS];
    const struct nb_topology *topology = &problem->topology;
    const size_t n = topology->terminal_count;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        const int64_t denominator = slow_matrix(loads, topology, c, matrix);
        for (size_t k = 0; k < n * n; k++)
            load[k] = (double)matrix[k] / (double)denominator;
        least =
            fmin(least,
                 solve_by_glpk(
                     n, load, nb_ratio_value(topology->channels[c].bandwidth)));
    }
    return least;
}

/* Closeness: the simplex method's own tolerance, 1e-7, with some room. */
static void compare_both_ways(const struct problem *problem, const char *name)
{
    struct slow_loads loads = { 0 };
    slow_loads_find(&problem->routing, &loads);
    const struct nb_ratio rate = solve(problem, name);
    must_equal(rate, solve_terminals(problem, &loads), name);
    const double expected = solve_programs(problem, &loads);
    const double value = nb_ratio_value(rate);
    if (isinf(expected) ? !isinf(value)
                        : !(fabs(value - expected) <= 1e-6 * (1 + expected)))
        fail_msg("%s: rate %.17g, linear program %.17g", name, value, expected);
    slow_loads_release(&loads);
}

static void agrees_with_linear_programs(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "ring:4", "dor" },
        { "ring:5", "val" },
        { "ring:6", "dor:ties=parity" },
        { "ring:6", "min" },
        { "mesh:3x3", "dor" },
        { "mesh:3x3", "min" },
        { "mesh:3x3", "val" },
        { "hypercube:3", "dor:order=random" },
        { "complete:5", "val" },
        { "ccc:3", "min" },
        { "ring:5,terminals=2", "dor" },
        { "mesh:3x2,terminals=3,bandwidth=1/2", "val" },
        { "file:data/topologies/abilene.txt", "min" },
        { "file:data/topologies/ring-directed.csv,directed=yes", "min" },
        { "file:data/topologies/ring-directed.csv,directed=yes,terminals=2",
          "val" },
        { "file:data/topologies/petersen-networkx.graphml", "val" },
        { "file:data/topologies/kautz-igraph.graphml", "min" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        problem_open(&problem, cases[c][0], cases[c][1]);
        compare_both_ways(&problem, cases[c][0]);
        problem_close(&problem);
    }
}

static void agrees_on_random_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char text[8000], name[40];
        struct problem problem;
        slow_random_graph(seed, 3 + (uint32_t)seed % 5, 8, text, sizeof text);
        snprintf(name, sizeof name, "random graph of seed %u", (unsigned)seed);
        problem_open_file(&problem, text, ".graphml", "",
                          seed % 2 == 0 ? "min" : "val");
        compare_both_ways(&problem, name);
        problem_close(&problem);
    }
}

/* The scheme taken for one that keeps no automorphism gives the same. */
static void does_not_depend_on_symmetry_or_threads(void **state)
{
    (void)state;
    const char *const cases[][2] = {
        { "torus:4x4", "dor" },         { "torus:4x3", "val" },
        { "mesh:4x3", "min" },          { "torus:4x4", "dor:ties=parity" },
        { "ccc:3,terminals=2", "val" }, { "hypercube:4", "dor" },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case one = { 0 }, two = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        const struct nb_run run = { .threads = 1 }, runs = { .threads = 2 };
        assert_int_equal(
            nb_unbalanced_case_find(&problem.routing, &run, &one, NULL), NB_OK);
        assert_int_equal(
            nb_unbalanced_case_find(&problem.routing, &runs, &two, NULL),
            NB_OK);
        assert_int_equal(one.worst, two.worst);
        assert_int_equal(one.flow_count, two.flow_count);
        for (size_t f = 0; f < one.flow_count; f++) {
            assert_int_equal(one.flows[f].row, two.flows[f].row);
            assert_int_equal(one.flows[f].column, two.flows[f].column);
            must_equal(one.flows[f].amount, two.flows[f].amount, cases[c][0]);
        }
        problem.routing.symmetries = 0;
        must_equal(solve(&problem, cases[c][0]), one.rate, cases[c][0]);
        nb_unbalanced_case_release(&one);
        nb_unbalanced_case_release(&two);
        problem_close(&problem);
    }
}

static void must_refute(const struct problem *problem,
                        struct nb_unbalanced_case *claimed, const char *what,
                        const char *word)
{
    struct nb_error err = { 0 };
    bool all_channels;
    const enum nb_status status = nb_unbalanced_case_check(
        &problem->routing, NULL, claimed, &all_channels, &err);
    if (status != NB_REFUTED)
        fail_msg("%s was not refuted: status %d, %s", what, (int)status,
                 err.message);
    if (strstr(err.message, word) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", what, err.message, word);
}

/* Changes a number by 1 either way and expects a refusal. */
static void tamper(const struct problem *problem,
                   struct nb_unbalanced_case *claimed, int64_t *number,
                   const char *what)
{
    for (int64_t change = -1; change <= 1; change += 2) {
        *number += change;
        must_refute(problem, claimed, what, "");
        *number -= change;
    }
}

static void tamper_with_bounds(const struct problem *problem,
                               struct nb_unbalanced_case *claimed)
{
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_unbalanced_bound *bound = &claimed->bounds[b];
        tamper(problem, claimed, &bound->denominator, "denominator");
        tamper(problem, claimed, &bound->rate.numerator, "rate of a bound");
        tamper(problem, claimed, &bound->rate.denominator, "rate of a bound");
        bound->channel++;
        must_refute(problem, claimed, "channel", "focus channel");
        bound->channel--;
        bound->orbit_size++;
        must_refute(problem, claimed, "orbit size", "focus channel");
        bound->orbit_size--;
        for (size_t i = 0; i < claimed->sides.count && bound->row; i++) {
            tamper(problem, claimed, &bound->row[i], "row dual");
            tamper(problem, claimed, &bound->column[i], "column dual");
        }
    }
}

static void tamper_with_flows(const struct problem *problem,
                              struct nb_unbalanced_case *claimed)
{
    const uint32_t n = (uint32_t)claimed->sides.count;
    for (size_t f = 0; f < claimed->flow_count; f++) {
        struct nb_unbalanced_flow *flow = &claimed->flows[f];
        const struct nb_unbalanced_flow kept = *flow;
        tamper(problem, claimed, &flow->amount.numerator, "flow");
        tamper(problem, claimed, &flow->amount.denominator, "flow");
        flow->row = n;
        must_refute(problem, claimed, "row of a flow", "malformed");
        *flow = kept;
        flow->column = n;
        must_refute(problem, claimed, "column of a flow", "malformed");
        *flow = kept;
    }
    claimed->flow_count--;
    must_refute(problem, claimed, "missing flow", "bandwidth");
    claimed->flow_count++;
}

static void refutes_what_was_changed(void **state)
{
    (void)state;
    const char *const cases[][2] = { { "torus:4x4", "dor:ties=parity" },
                                     { "mesh:3x3", "min" },
                                     { "ring:5,terminals=2", "val" } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        problem_open(&problem, cases[c][0], cases[c][1]);
        must_find(&problem, cases[c][0], &claimed);
        tamper(&problem, &claimed, &claimed.rate.numerator, "rate");
        tamper(&problem, &claimed, &claimed.rate.denominator, "rate");
        tamper(&problem, &claimed, &claimed.flow_rate.numerator, "flow rate");
        tamper(&problem, &claimed, &claimed.flow_rate.denominator, "flow rate");
        tamper_with_bounds(&problem, &claimed);
        tamper_with_flows(&problem, &claimed);
        claimed.worst++;
        must_refute(&problem, &claimed, "worst", "named");
        claimed.worst--;
        claimed.bounds[claimed.worst].is_exact = false;
        must_refute(&problem, &claimed, "exactness", "channel");
        claimed.bounds[claimed.worst].is_exact = true;
        claimed.sides.router[0]++;
        must_refute(&problem, &claimed, "side", "sides");
        claimed.sides.router[0]--;
        must_pass(&problem, cases[c][0], &claimed);
        nb_unbalanced_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Takes the duals off a bound if the row maxima of its channel prove that it
 * is not the worst, as for channels left out of a large problem. */
static bool strip_duals(const struct problem *problem,
                        const struct nb_unbalanced_case *claimed,
                        struct nb_unbalanced_bound *bound)
{
    struct nb_pair_loads loads = { 0 };
    int64_t sum = 0;
    assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &bound->channel,
                                        NULL, &loads, NULL),
                     NB_OK);
    for (size_t i = 0; i < loads.n; i++) {
        int64_t most = 0;
        for (size_t j = 0; j < loads.n; j++)
            if (nb_pair_load_weight(&loads, i, j) > most)
                most = nb_pair_load_weight(&loads, i, j);
        sum += most;
    }
    nb_pair_loads_release(&loads);
    const struct nb_ratio rate = nb_ratio_divide(
        problem->topology.channels[bound->channel].bandwidth,
        nb_ratio_make((nb_int128)sum * claimed->sides.multiplicity,
                      bound->denominator));
    if (nb_ratio_compare(rate, claimed->rate) < 0)
        return false;
    nb_delete(bound->row);
    nb_delete(bound->column);
    bound->row = bound->column = NULL;
    bound->rate = rate;
    return true;
}

static void accepts_bounds_without_duals(void **state)
{
    (void)state;
    const char *const cases[][2] = { { "mesh:5x4,terminals=2", "dor" },
                                     { "mesh:4x4", "min" } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        size_t stripped = 0;
        problem_open(&problem, cases[c][0], cases[c][1]);
        must_find(&problem, cases[c][0], &claimed);
        for (size_t b = 0; b < claimed.bound_count; b++)
            if (b != claimed.worst)
                stripped += strip_duals(&problem, &claimed, &claimed.bounds[b]);
        assert_true(stripped > 0);
        must_pass(&problem, cases[c][0], &claimed);
        tamper_with_bounds(&problem, &claimed);
        must_pass(&problem, cases[c][0], &claimed);
        nb_unbalanced_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Both duals of the worst channel changed so that their sum stays. */
static void refutes_moved_duals(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_unbalanced_case claimed = { 0 };
    problem_open(&problem, "torus:8x8", "dor");
    must_find(&problem, "torus:8x8", &claimed);
    struct nb_unbalanced_bound *worst = &claimed.bounds[claimed.worst];
    size_t low = 0, high = 0;
    for (size_t i = 0; i < claimed.sides.count; i++) {
        low = worst->row[i] < worst->row[low] ? i : low;
        high = worst->row[i] > worst->row[high] ? i : high;
    }
    worst->row[high]--;
    worst->row[low]++;
    must_refute(&problem, &claimed, "moved duals", "the duals lie below");
    nb_unbalanced_case_release(&claimed);
    problem_close(&problem);
}

static bool case_is_rounded(const struct nb_unbalanced_case *found)
{
    for (size_t b = 0; b < found->bound_count; b++)
        if (found->bounds[b].is_exact)
            return false;
    return true;
}

/* The least rate by linear programs over loads in doubles. */
static double solve_values(const struct problem *problem)
{
    static double load[SLOW_TERMINALS * SLOW_TERMINALS];
    const struct nb_topology *topology = &problem->topology;
    double least = INFINITY;
    for (uint32_t c = 0; c < topology->channel_count; c++) {
        struct nb_pair_loads loads = { 0 };
        assert_int_equal(
            nb_pair_loads_find(&problem->routing, 1, &c, NULL, &loads, NULL),
            NB_OK);
        for (size_t k = 0; k < loads.n * loads.n; k++)
            load[k] = nb_pair_load_value(&loads, k / loads.n, k % loads.n);
        least = fmin(
            least,
            solve_by_glpk(loads.n, load,
                          nb_ratio_value(topology->channels[c].bandwidth)));
        nb_pair_loads_release(&loads);
    }
    return least;
}

static void brackets_inexact_loads(void **state)
{
    (void)state;
    static char text[20000];
    struct problem problem;
    struct nb_unbalanced_case found = { 0 };
    slow_layered_graph(16, text, sizeof text);
    problem_open_file(&problem, text, ".graphml", "", "min");
    must_find(&problem, "layers", &found);
    must_pass(&problem, "layers", &found);
    assert_true(case_is_rounded(&found));
    assert_false(nb_ratio_is_known(found.rate));
    const double expected = solve_values(&problem);
    assert_true(found.rate_lower < found.rate_upper);
    assert_true(found.rate_upper < found.rate_lower * (1 + 1e-10));
    assert_true(fabs(found.rate_lower - expected) < 1e-6);
    struct nb_unbalanced_bound *worst = &found.bounds[found.worst];
    tamper(&problem, &found, &worst->denominator, "denominator");
    tamper(&problem, &found, &worst->row[0], "row dual");
    tamper(&problem, &found, &worst->column[0], "column dual");
    found.flow_count--;
    must_refute(&problem, &found, "missing flow", "bandwidth");
    found.flow_count++;
    found.flows[0].amount.numerator += found.flow_rate.denominator;
    must_refute(&problem, &found, "larger flow", "inadmissible");
    nb_unbalanced_case_release(&found);
    problem_close(&problem);
}

/* A bandwidth of so many digits that rates do not fit: 1 + 1.6e-18. The rate
 * is that of bandwidth 1 and less than 1e-17 more. */
static void brackets_inexact_rates(void **state)
{
    (void)state;
    static const char bandwidth[] =
        "bandwidth=1234567890123456789/1234567890123456787";
    const struct {
        const char *topology, *routing;
        double rate;
    } cases[] = {
        { "torus:8x8", "dor", 1.0 / 28 },
        { "torus:8x8", "val", 1.0 / 20 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char name[120];
        struct problem problem;
        struct nb_unbalanced_case found = { 0 };
        snprintf(name, sizeof name, "%s,%s", cases[c].topology, bandwidth);
        problem_open(&problem, name, cases[c].routing);
        must_find(&problem, name, &found);
        must_pass(&problem, name, &found);
        assert_false(nb_ratio_is_known(found.rate));
        assert_true(found.rate_lower <= cases[c].rate);
        assert_true(found.rate_upper >= cases[c].rate + 1e-17);
        assert_true(found.rate_upper < found.rate_lower * (1 + 1e-10));
        nb_unbalanced_case_release(&found);
        problem_close(&problem);
    }
}

static void survives_failed_allocations(void **state)
{
    (void)state;
    const struct nb_run run = { .threads = 1 };
    struct problem problem;
    problem_open(&problem, "ring:5,terminals=2", "val");
    const long before = nb_memory_live_blocks();
    enum nb_status found_status = NB_NO_MEMORY, status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_unbalanced_case found = { 0 };
        bool all_channels;
        nb_memory_allow(allowed);
        status = found_status =
            nb_unbalanced_case_find(&problem.routing, &run, &found, NULL);
        if (found_status == NB_OK)
            status = nb_unbalanced_case_check(&problem.routing, &run, &found,
                                              &all_channels, NULL);
        nb_memory_allow(-1);
        nb_unbalanced_case_release(&found);
        nb_unbalanced_case_release(&found);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_known_rates),
        cmocka_unit_test(agrees_with_linear_programs),
        cmocka_unit_test(agrees_on_random_graphs),
        cmocka_unit_test(does_not_depend_on_symmetry_or_threads),
        cmocka_unit_test(refutes_what_was_changed),
        cmocka_unit_test(accepts_bounds_without_duals),
        cmocka_unit_test(refutes_moved_duals),
        cmocka_unit_test(brackets_inexact_loads),
        cmocka_unit_test(brackets_inexact_rates),
        cmocka_unit_test(survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
