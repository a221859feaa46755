/* Claims of worst cases: which the check accepts and which it refutes. */
#include "bounds/worst_case/worst_case.h"

#include "support/problem.h"
#include "support/walk.h"
#include "support/worst_case_checks.h"
#include "bounds/matching/matching.h"
#include "core/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void must_refute(const struct problem *problem,
                        struct nb_worst_case *claimed, const char *what,
                        const char *word)
{
    struct nb_error err = { 0 };
    bool all_channels;
    const enum nb_status status = nb_worst_case_check(
        &problem->routing, NULL, claimed, &all_channels, &err);
    if (status != NB_REFUTED || err.message[0] == '\0')
        fail_msg("%s was not refuted: status %d, %s", what, (int)status,
                 err.message);
    if (strstr(err.message, word) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", what, err.message, word);
}

/* Each dual of an optimum is tight somewhere, so none may be lower; a higher
 * one is wrong where the permutation must reach the sum. */
static void tamper_with_duals(const struct problem *problem,
                              struct nb_worst_case *claimed)
{
    const size_t worst = claimed->worst;
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        for (size_t i = 0; i < 2 * claimed->sides.count; i++) {
            int64_t *dual =
                i % 2 == 0 ? &bound->row[i / 2] : &bound->column[i / 2];
            --*dual;
            must_refute(problem, claimed, "lower dual", "");
            *dual += 2;
            claimed->worst = worst;
            if (b == worst)
                must_refute(problem, claimed, "higher dual", "");
            --*dual;
            claimed->worst = worst;
        }
        bound->denominator++;
        must_refute(problem, claimed, "denominator", "");
        bound->denominator--;
        claimed->worst = worst;
        bound->channel++;
        must_refute(problem, claimed, "channel", "");
        bound->channel--;
        bound->orbit_size++;
        must_refute(problem, claimed, "orbit size", "");
        bound->orbit_size--;
    }
}

static void tamper_with_permutation(const struct problem *problem,
                                    struct nb_worst_case *claimed)
{
    const size_t n = claimed->sides.count;
    struct nb_ratio *all = walk_all_pairs(&problem->routing, "claim");
    const struct nb_ratio load = worst_case_claim_load(problem, all, claimed);
    for (size_t i = 0; i < n; i++) {
        uint32_t *here = &claimed->permutation[i];
        uint32_t *next = &claimed->permutation[(i + 1) % n];
        const uint32_t kept = *here, other = *next;
        *here = (uint32_t)n;
        must_refute(problem, claimed, "column out of range", "");
        *here = other;
        must_refute(problem, claimed, "column taken twice", "");
        *next = kept;
        if (nb_ratio_compare(worst_case_claim_load(problem, all, claimed),
                             load) != 0)
            must_refute(problem, claimed, "exchanged columns", "");
        *here = kept;
        *next = other;
    }
    nb_delete(all);
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
        struct nb_worst_case claimed = { 0 };
        problem_open_example(&problem, cases[c]);
        worst_case_must_find(&problem, cases[c], 0, &claimed);
        tamper_with_duals(&problem, &claimed);
        tamper_with_permutation(&problem, &claimed);
        worst_case_must_pass(&problem, cases[c], &claimed);
        nb_worst_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Moves the same amount from the columns' duals of all bounds to the rows', or
 * back: every sum and every cell stays as it is. */
static void shift_duals(struct nb_worst_case *claimed, bool to_rows)
{
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        for (size_t i = 0; i < claimed->sides.count; i++) {
            if (bound->is_exact) {
                bound->row[i] += to_rows ? 1 << 20 : -(1 << 20);
                bound->column[i] -= to_rows ? 1 << 20 : -(1 << 20);
            } else {
                bound->row_value[i] += to_rows ? 1024 : -1024;
                bound->column_value[i] -= to_rows ? 1024 : -1024;
            }
        }
    }
}

/* Traffic need not fill every row and column, so that a negative dual proves
 * nothing, even if sums and cells are right. */
static void refutes_negative_duals(void **state)
{
    (void)state;
    static const char *const cases[] = { "min@mesh:3x3", "min@mesh:40x3" };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case claimed = { 0 };
        problem_open_example(&problem, cases[c]);
        worst_case_must_find(&problem, cases[c], 0, &claimed);
        assert_int_equal(claimed.bounds[0].is_exact, c == 0);
        shift_duals(&claimed, true);
        must_refute(&problem, &claimed, "columns below 0",
                    "a dual is negative");
        shift_duals(&claimed, false);
        shift_duals(&claimed, false);
        must_refute(&problem, &claimed, "rows below 0", "a dual is negative");
        nb_worst_case_release(&claimed);
        problem_close(&problem);
    }
}

/* The bound from the maxima of a bound's channel. */
static struct nb_channel_bound find_maxima(const struct problem *problem,
                                           const struct nb_worst_case *claimed,
                                           const struct nb_channel_bound *bound)
{
    struct nb_channel_bound maxima = { 0 };
    struct nb_pair_loads loads = { 0 };
    assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &bound->channel,
                                        NULL, &loads, NULL),
                     NB_OK);
    assert_int_equal(nb_sides_expand(&claimed->sides, &loads, NULL), NB_OK);
    const struct nb_pair_loads wide = nb_pair_loads_widen(&loads);
    assert_int_equal(nb_bound_by_maxima(&wide, claimed->sides.multiplicity,
                                        &maxima.load.exact, &maxima.load.upper,
                                        NULL),
                     NB_OK);
    nb_pair_loads_release(&loads);
    return maxima;
}

/* Removes the duals of a bound and leaves it those maxima. */
static void strip_duals(struct nb_channel_bound *bound,
                        const struct nb_channel_bound *maxima)
{
    nb_delete(bound->row);
    nb_delete(bound->column);
    nb_delete(bound->row_value);
    nb_delete(bound->column_value);
    bound->row = bound->column = NULL;
    bound->row_value = bound->column_value = NULL;
    bound->has_duals = false;
    bound->load = maxima->load;
}

/* Removes the duals of the inexact bounds that are below the worst channel's,
 * as in the answer to a large problem; returns their number. */
static size_t strip_lesser(const struct problem *problem,
                           struct nb_worst_case *claimed)
{
    size_t stripped = 0;
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_channel_bound *bound = &claimed->bounds[b];
        if (b == claimed->worst || bound->is_exact)
            continue;
        const struct nb_channel_bound maxima =
            find_maxima(problem, claimed, bound);
        if (maxima.load.upper >= claimed->load.lower)
            continue;
        strip_duals(bound, &maxima);
        stripped++;
    }
    return stripped;
}

/* Loads in doubles differ among the channels of an orbit by their roundings:
 * the bounds of a focus channel allow for those of the rest. */
static void accepts_inexact_answers(void **state)
{
    (void)state;
    const char *const cases[] = { "min@mesh:40x2x2", "min@mesh:40x3" };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct problem problem;
        struct nb_worst_case claimed = { 0 };
        problem_open_example(&problem, cases[c]);
        worst_case_must_find(&problem, cases[c], 0, &claimed);
        assert_false(nb_ratio_is_known(claimed.throughput.exact));
        assert_true(claimed.bound_count < problem.topology.channel_count);
        worst_case_must_pass(&problem, cases[c], &claimed);
        assert_true(strip_lesser(&problem, &claimed) > 0);
        worst_case_must_pass(&problem, cases[c], &claimed);
        nb_worst_case_release(&claimed);
        problem_close(&problem);
    }
}

/* The permutation that loads the bound's channel most. */
static void solve_again(const struct problem *problem,
                        const struct nb_worst_case *claimed,
                        struct nb_channel_bound *bound, uint32_t *permutation)
{
    struct nb_pair_loads loads = { 0 };
    int64_t total;
    assert_int_equal(nb_pair_loads_find(&problem->routing, 1, &bound->channel,
                                        NULL, &loads, NULL),
                     NB_OK);
    assert_int_equal(nb_sides_expand(&claimed->sides, &loads, NULL), NB_OK);
    assert_int_equal(nb_matching_integer(loads.n, loads.weight, NULL,
                                         permutation, bound->row, bound->column,
                                         &total, NULL),
                     NB_OK);
    bound->denominator = loads.denominator;
    nb_pair_loads_release(&loads);
}

/* Everything about the marked channel is correct, but the worse channel has
 * only its maxima. */
static void refutes_a_worse_channel_without_duals(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_worst_case claimed = { 0 };
    problem_open(&problem, "mesh:3x3", "min");
    worst_case_must_find(&problem, "mesh:3x3", 0, &claimed);
    const size_t worst = claimed.worst;
    const struct nb_ratio load = claimed.load.exact;
    size_t named = SIZE_MAX;
    for (size_t b = 0; b < claimed.bound_count; b++)
        if (nb_ratio_compare(claimed.bounds[b].load.exact, load) < 0 &&
            (named == SIZE_MAX ||
             nb_ratio_compare(claimed.bounds[named].load.exact,
                              claimed.bounds[b].load.exact) < 0))
            named = b;
    assert_true(named != SIZE_MAX);
    const struct nb_channel_bound maxima =
        find_maxima(&problem, &claimed, &claimed.bounds[worst]);
    strip_duals(&claimed.bounds[worst], &maxima);
    claimed.worst = named;
    solve_again(&problem, &claimed, &claimed.bounds[named],
                claimed.permutation);
    must_refute(&problem, &claimed, "worse channel without duals",
                "has a bound above the worst channel's load");
    nb_worst_case_release(&claimed);
    problem_close(&problem);
}

/* A bound without content, exactly or not, must not hide the worst. */
static void refutes_an_empty_bound(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_worst_case claimed = { 0 };
    const struct nb_channel_bound empty = { .load = { .upper = 1e300 } };
    problem_open(&problem, "mesh:3x3", "dor");
    worst_case_must_find(&problem, "mesh:3x3", 0, &claimed);
    const size_t worst = claimed.worst;
    claimed.worst = worst == 0 ? 1 : 0;
    strip_duals(&claimed.bounds[worst], &empty);
    solve_again(&problem, &claimed, &claimed.bounds[claimed.worst],
                claimed.permutation);
    must_refute(&problem, &claimed, "empty bound",
                "the bound is not that of its maxima");
    nb_worst_case_release(&claimed);
    problem_close(&problem);
}

/* Duals that are valid but far from the permutation's load prove little. */
static void refutes_loose_inexact_duals(void **state)
{
    (void)state;
    const double factors[] = { 1.000001, 3, INFINITY };
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        struct problem problem;
        struct nb_worst_case claimed = { 0 };
        problem_open_example(&problem, "min@mesh:40x3");
        worst_case_must_find(&problem, "mesh:40x3", 0, &claimed);
        struct nb_channel_bound *worst = &claimed.bounds[claimed.worst];
        for (size_t i = 0; i < claimed.sides.count; i++) {
            if (worst->row_value[i] > 0)
                worst->row_value[i] *= factors[f];
            if (worst->column_value[i] > 0)
                worst->column_value[i] *= factors[f];
        }
        must_refute(&problem, &claimed, "loose duals",
                    "has a bound above the worst channel's load");
        nb_worst_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Not exact: only a channel that no other exceeds may be marked. */
static void refutes_another_inexact_channel(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_worst_case claimed = { 0 };
    problem_open_example(&problem, "min@mesh:40x3");
    worst_case_must_find(&problem, "mesh:40x3", 0, &claimed);
    const double most = claimed.load.upper;
    for (size_t b = 0; b < claimed.bound_count; b++)
        if (claimed.bounds[b].load.upper < most * 0.999 &&
            claimed.bounds[b].has_duals)
            claimed.worst = b;
    must_refute(&problem, &claimed, "another channel",
                "has a bound above the worst channel's load");
    nb_worst_case_release(&claimed);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refutes_what_was_changed),
        cmocka_unit_test(refutes_negative_duals),
        cmocka_unit_test(accepts_inexact_answers),
        cmocka_unit_test(refutes_a_worse_channel_without_duals),
        cmocka_unit_test(refutes_an_empty_bound),
        cmocka_unit_test(refutes_loose_inexact_duals),
        cmocka_unit_test(refutes_another_inexact_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
