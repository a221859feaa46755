/* Claims of unbalanced worst cases in rounded numbers: only where necessary,
 * and as tight as rounding permits. */
#include "bounds/worst_case/unbalanced_case.h"

#include "support/problem.h"
#include "support/unbalanced_checks.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Loads are exact, but rates found from them do not fit. */
static const char inexact_rates[] =
    "torus:8x8,bandwidth=1234567890123456789/1234567890123456787";

/* Claims the rate that a bound's duals, rounded up to another unit, prove. */
static void restate(const struct problem *problem,
                    const struct nb_unbalanced_case *claimed,
                    struct nb_unbalanced_bound *bound, int64_t denominator)
{
    int64_t sums[2] = { 0, 0 };
    for (size_t i = 0; i < claimed->sides.count; i++) {
        int64_t *duals[2] = { &bound->row[i], &bound->column[i] };
        for (int k = 0; k < 2; k++) {
            const nb_int128 scaled = (nb_int128)*duals[k] * denominator;
            *duals[k] = (int64_t)((scaled + bound->denominator - 1) /
                                  bound->denominator);
            sums[k] += *duals[k];
        }
    }
    bound->is_exact = false;
    bound->denominator = denominator;
    bound->rate = nb_case_rate(
        problem->topology.channels[bound->channel].bandwidth, denominator,
        claimed->sides.multiplicity, sums[0], sums[1], claimed->overload);
}

static void take_flows(struct nb_unbalanced_case *claimed)
{
    claimed->flow_rate = nb_ratio_infinity;
    claimed->flow_count = 0;
}

/* An exact answer cannot be replaced by a rounded one, however fine, with its
 * flows or without. */
static void refutes_rounding_of_exact_loads(void **state)
{
    (void)state;
    const int64_t denominators[] = { 1, 2, 1 << 10, (int64_t)1 << 50 };
    for (size_t d = 0; d < 2 * sizeof denominators / sizeof *denominators;
         d++) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        problem_open(&problem, "torus:8x8", "dor");
        unbalanced_must_find(&problem, "torus:8x8", &claimed);
        assert_true(claimed.bounds[claimed.worst].is_exact);
        for (size_t b = 0; b < claimed.bound_count; b++)
            restate(&problem, &claimed, &claimed.bounds[b],
                    denominators[d / 2]);
        claimed.rate.exact = (struct nb_ratio){ 0, 0 };
        if (d % 2 == 0)
            take_flows(&claimed);
        unbalanced_must_refute(&problem, &claimed, "rounded exact loads",
                               "its loads are exact");
        nb_unbalanced_case_release(&claimed);
        problem_close(&problem);
    }
}

static void refutes_coarse_rounding(void **state)
{
    (void)state;
    for (int shift = 2; shift < 60; shift += 8) {
        struct problem problem;
        struct nb_unbalanced_case claimed = { 0 };
        problem_open(&problem, inexact_rates, "dor");
        unbalanced_must_find(&problem, inexact_rates, &claimed);
        struct nb_unbalanced_bound *worst = &claimed.bounds[claimed.worst];
        const int64_t coarse = worst->denominator >> shift;
        assert_false(worst->is_exact);
        restate(&problem, &claimed, worst, coarse > 1 ? coarse : 1);
        unbalanced_must_refute(&problem, &claimed, "coarse unit",
                               "permitted for rounded loads");
        take_flows(&claimed);
        unbalanced_must_refute(&problem, &claimed, "coarse unit, no flows",
                               "permitted for rounded loads");
        nb_unbalanced_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Rounded bounds that are true, but weaker than necessary. */
static void refutes_wide_brackets(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_unbalanced_case claimed = { 0 };
    problem_open(&problem, inexact_rates, "dor");
    unbalanced_must_find(&problem, inexact_rates, &claimed);
    unbalanced_must_pass(&problem, inexact_rates, &claimed);
    struct nb_unbalanced_bound *worst = &claimed.bounds[claimed.worst];
    const struct nb_ratio flow_rate = claimed.flow_rate;
    const size_t flow_count = claimed.flow_count;
    take_flows(&claimed);
    unbalanced_must_refute(&problem, &claimed, "no flows", "none is given");
    claimed.flow_rate = flow_rate;
    claimed.flow_count = flow_count;
    for (int shift = 1; shift < 36; shift += 7) {
        claimed.flow_rate.numerator =
            flow_rate.numerator + (flow_rate.numerator >> shift);
        unbalanced_must_refute(&problem, &claimed, "higher flow rate",
                               "further apart");
    }
    claimed.flow_rate = flow_rate;
    const int64_t denominator = worst->denominator;
    for (int shift = 4; shift < 32; shift += 7) {
        worst->row[0] += denominator >> shift;
        restate(&problem, &claimed, worst, denominator);
        unbalanced_must_refute(&problem, &claimed, "loose duals",
                               "further apart");
        worst->row[0] -= denominator >> shift;
    }
    restate(&problem, &claimed, worst, denominator);
    unbalanced_must_pass(&problem, inexact_rates, &claimed);
    worst->is_exact = true;
    claimed.rate.exact = claimed.flow_rate = worst->rate;
    unbalanced_must_refute(&problem, &claimed, "exactness", "must be rounded");
    nb_unbalanced_case_release(&claimed);
    problem_close(&problem);
}

/* Bandwidths of many digits around those at which the rate jumps to infinity,
 * or traffic must be rearranged: the bracket is only as wide as necessary. */
static void accepts_ill_conditioned_rates(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t first;   /* number of channels of this bandwidth out of
                           * router */
        int64_t greatest; /* number of them; no channel's load is above it */
    } cases[] = { { "dor@torus:4x4", 0, 31 },
                  { "val@ring:5", 0, 31 },
                  { "min@mesh:3x3", 0, 31 },
                  { "min@mesh:3x3", 8, 7 } };
    size_t rounded = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t many = INT64_MAX / (cases[c].greatest + 1) - 26;
        for (int64_t part = 1; part <= 8 * cases[c].greatest; part++) {
            for (int64_t off = -1; off <= 1; off++) {
                struct problem problem;
                struct nb_unbalanced_case claimed = { 0 };
                problem_open_example(&problem, cases[c].name);
                const struct nb_ratio bandwidth =
                    nb_ratio_make((nb_int128)part * many / 8 + off, many);
                struct nb_channel *channels = problem.topology.channels;
                for (size_t k = 0; k < problem.topology.channel_count; k++)
                    channels[k].bandwidth = channels[k].source < cases[c].first
                                                ? nb_ratio_make(1000, 1)
                                                : bandwidth;
                unbalanced_must_find(&problem, cases[c].name, &claimed);
                unbalanced_must_pass(&problem, cases[c].name, &claimed);
                rounded += !claimed.bounds[claimed.worst].is_exact;
                nb_unbalanced_case_release(&claimed);
                problem_close(&problem);
            }
        }
    }
    assert_true(rounded > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refutes_rounding_of_exact_loads),
        cmocka_unit_test(refutes_coarse_rounding),
        cmocka_unit_test(refutes_wide_brackets),
        cmocka_unit_test(accepts_ill_conditioned_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
