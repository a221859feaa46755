/* Claims of unbalanced worst cases: which the check accepts and which it
 * refutes. */
#include "bounds/worst_case/unbalanced_case.h"

#include "support/graphs.h"
#include "support/problem.h"
#include "support/unbalanced_checks.h"
#include "core/memory.h"
#include "load/pair_loads.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Changes a number by 1 in either direction and expects a rejection. */
static void tamper(const struct problem *problem,
                   struct nb_unbalanced_case *claimed, int64_t *number,
                   const char *what)
{
    for (int64_t change = -1; change <= 1; change += 2) {
        *number += change;
        unbalanced_must_refute(problem, claimed, what, "");
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
        unbalanced_must_refute(problem, claimed, "channel", "focus channel");
        bound->channel--;
        bound->orbit_size++;
        unbalanced_must_refute(problem, claimed, "orbit size", "focus channel");
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
        unbalanced_must_refute(problem, claimed, "row of a flow", "malformed");
        *flow = kept;
        flow->column = n;
        unbalanced_must_refute(problem, claimed, "column of a flow",
                               "malformed");
        *flow = kept;
    }
    claimed->flow_count--;
    unbalanced_must_refute(problem, claimed, "missing flow", "bandwidth");
    claimed->flow_count++;
}

static void refutes_what_was_changed(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "dor:ties=parity@torus:4x4",
        "min@mesh:3x3",
        "val@ring:5,terminals=2",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        problem_open_example(&problem, cases[c]);
        unbalanced_must_find(&problem, cases[c], &claimed);
        tamper(&problem, &claimed, &claimed.rate.exact.numerator, "rate");
        tamper(&problem, &claimed, &claimed.rate.exact.denominator, "rate");
        tamper(&problem, &claimed, &claimed.flow_rate.numerator, "flow rate");
        tamper(&problem, &claimed, &claimed.flow_rate.denominator, "flow rate");
        tamper_with_bounds(&problem, &claimed);
        tamper_with_flows(&problem, &claimed);
        claimed.worst++;
        unbalanced_must_refute(&problem, &claimed, "worst", "marked");
        claimed.worst--;
        claimed.bounds[claimed.worst].is_exact = false;
        unbalanced_must_refute(&problem, &claimed, "exactness", "channel");
        claimed.bounds[claimed.worst].is_exact = true;
        claimed.sides.router[0]++;
        unbalanced_must_refute(&problem, &claimed, "side", "sides");
        claimed.sides.router[0]--;
        unbalanced_must_pass(&problem, cases[c], &claimed);
        nb_unbalanced_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Removes the duals of a bound if the row maxima of its channel prove that it
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
    if (nb_ratio_compare(rate, claimed->rate.exact) < 0)
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
    static const char *const cases[] = {
        "dor@mesh:5x4,terminals=2",
        "min@mesh:4x4",
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        size_t stripped = 0;
        problem_open_example(&problem, cases[c]);
        unbalanced_must_find(&problem, cases[c], &claimed);
        for (size_t b = 0; b < claimed.bound_count; b++)
            if (b != claimed.worst)
                stripped += strip_duals(&problem, &claimed, &claimed.bounds[b]);
        assert_true(stripped > 0);
        unbalanced_must_pass(&problem, cases[c], &claimed);
        tamper_with_bounds(&problem, &claimed);
        unbalanced_must_pass(&problem, cases[c], &claimed);
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
    unbalanced_must_find(&problem, "torus:8x8", &claimed);
    struct nb_unbalanced_bound *worst = &claimed.bounds[claimed.worst];
    size_t low = 0, high = 0;
    for (size_t i = 0; i < claimed.sides.count; i++) {
        low = worst->row[i] < worst->row[low] ? i : low;
        high = worst->row[i] > worst->row[high] ? i : high;
    }
    worst->row[high]--;
    worst->row[low]++;
    unbalanced_must_refute(&problem, &claimed, "moved duals",
                           "the duals lie below");
    nb_unbalanced_case_release(&claimed);
    problem_close(&problem);
}

static void refutes_changed_inexact_claims(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_unbalanced_case claimed = { 0 };
    graph_open_layers(16, 4, &problem);
    unbalanced_must_find(&problem, "layers", &claimed);
    unbalanced_must_pass(&problem, "layers", &claimed);
    assert_false(nb_ratio_is_known(claimed.rate.exact));
    struct nb_unbalanced_bound *worst = &claimed.bounds[claimed.worst];
    tamper(&problem, &claimed, &worst->denominator, "denominator");
    tamper(&problem, &claimed, &worst->row[0], "row dual");
    tamper(&problem, &claimed, &worst->column[0], "column dual");
    claimed.flow_count--;
    unbalanced_must_refute(&problem, &claimed, "missing flow", "bandwidth");
    claimed.flow_count++;
    claimed.flows[0].amount.numerator += claimed.flow_rate.denominator;
    unbalanced_must_refute(&problem, &claimed, "larger flow", "inadmissible");
    nb_unbalanced_case_release(&claimed);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refutes_what_was_changed),
        cmocka_unit_test(accepts_bounds_without_duals),
        cmocka_unit_test(refutes_moved_duals),
        cmocka_unit_test(refutes_changed_inexact_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
