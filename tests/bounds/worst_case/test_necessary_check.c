/* Claimed bounds for every minimal routing: which the check accepts and which
 * it refutes. */
#include "bounds/worst_case/necessary_case.h"

#include "support/necessary_matrix.h"
#include "support/problem.h"
#include "support/topology_checks.h"
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TERMINALS = 32 };

/* Checks a copy of the claim's numbers; changes by the check are undone. */
static enum nb_status check(const struct problem *problem,
                            struct nb_necessary_case *claimed,
                            struct nb_error *err)
{
    const struct nb_run run = { .threads = 1 };
    const struct nb_necessary_case before = *claimed;
    *err = (struct nb_error){ 0 };
    const enum nb_status status =
        nb_necessary_case_check(&problem->routing, &run, claimed, err);
    *claimed = before;
    return status;
}

static void must_refute(const struct problem *problem,
                        struct nb_necessary_case *claimed, const char *what,
                        const char *word)
{
    struct nb_error err;
    if (check(problem, claimed, &err) != NB_REFUTED)
        fail_msg("%s was not refuted: status %d, %s", what, (int)err.status,
                 err.message);
    if (strstr(err.message, word) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", what, err.message, word);
}

static void must_be(const struct problem *problem,
                    struct nb_necessary_case *claimed, bool is_right,
                    const char *what)
{
    struct nb_error err;
    const enum nb_status status = check(problem, claimed, &err);
    if (status != (is_right ? NB_OK : NB_REFUTED))
        fail_msg("%s: %s", what,
                 is_right ? err.message : "a wrong claim passes");
}

static void open_claim(struct problem *problem, const char *topology,
                       struct nb_necessary_case *claimed)
{
    struct nb_error err = { 0 };
    problem_open(problem, topology, "any-minimal");
    assert_true(problem->topology.terminal_count <= TERMINALS);
    if (nb_necessary_case_find(&problem->routing, NULL, claimed, &err) != NB_OK)
        fail_msg("%s: %s", topology, err.message);
    must_be(problem, claimed, true, topology);
}

/* Whether the number of pairs is that claimed, they are one to one, and all
 * need the channel. If all routers have equally many terminals, routers are the
 * sides. */
static bool match_is_right(const struct nb_necessary_case *claimed,
                           const bool *pair)
{
    const size_t n = claimed->sides.count;
    bool is_taken[TERMINALS] = { false };
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t j = claimed->match[i];
        if (j == NB_NONE)
            continue;
        if (j >= n || is_taken[j] || !pair[i * n + j])
            return false;
        is_taken[j] = true;
        count++;
    }
    return count == claimed->bounds[claimed->worst].size;
}

static bool cover_is_right(const struct nb_necessary_bound *bound,
                           const bool *pair, size_t n)
{
    bool is_covered[2 * TERMINALS] = { false };
    for (size_t k = 0; k < bound->size; k++) {
        if (bound->cover[k] >= 2 * n)
            return false;
        is_covered[bound->cover[k]] = true;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (pair[i * n + j] && !is_covered[i] && !is_covered[n + j])
                return false;
    return true;
}

/* Every source's destination is replaced by every other one, and by none. */
static void change_matching(const struct problem *problem,
                            struct nb_necessary_case *claimed)
{
    static bool pair[NECESSARY_ROUTERS * NECESSARY_ROUTERS];
    const uint32_t n = (uint32_t)claimed->sides.count;
    char named[64];
    struct nb_error err;
    necessary_matrix(&problem->topology,
                     claimed->bounds[claimed->worst].channel, pair);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t kept = claimed->match[i];
        for (uint32_t j = 0; j <= n + 1; j++) {
            claimed->match[i] = j <= n ? j : NB_NONE;
            must_be(problem, claimed, match_is_right(claimed, pair),
                    "changed pair");
            if (j >= n)
                continue;
            snprintf(named, sizeof named, "router %u to router %u has",
                     claimed->sides.router[i], claimed->sides.router[j]);
            check(problem, claimed, &err);
            assert_true(strstr(err.message, "without it") == NULL ||
                        strstr(err.message, named) != NULL);
        }
        claimed->match[i] = kept;
    }
}

/* Every side of every cover is replaced by every other one, and by an unknown
 * one. */
static void change_covers(const struct problem *problem,
                          struct nb_necessary_case *claimed)
{
    static bool pair[NECESSARY_ROUTERS * NECESSARY_ROUTERS];
    const uint32_t n = (uint32_t)claimed->sides.count;
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_necessary_bound *bound = &claimed->bounds[b];
        necessary_matrix(&problem->topology, bound->channel, pair);
        for (size_t k = 0; k < bound->size; k++) {
            const uint32_t kept = bound->cover[k];
            for (uint32_t side = 0; side <= 2 * n; side++) {
                bound->cover[k] = side;
                must_be(problem, claimed, cover_is_right(bound, pair, n),
                        "changed cover");
            }
            must_refute(problem, claimed, "changed cover", "an unknown side");
            bound->cover[k] = kept;
        }
    }
}

static void change_numbers(const struct problem *problem,
                           struct nb_necessary_case *claimed)
{
    const size_t worst = claimed->worst;
    for (size_t b = 0; b < claimed->bound_count; b++) {
        struct nb_necessary_bound *bound = &claimed->bounds[b];
        bound->size++;
        must_refute(problem, claimed, "greater size", "sides in the cover");
        bound->size -= 2;
        must_refute(problem, claimed, "lesser size", "sides in the cover");
        bound->size++;
        bound->cover_count--;
        must_refute(problem, claimed, "side left out", "sides in the cover");
        bound->size--;
        must_refute(problem, claimed, "side left out, and size", "");
        bound->cover_count++;
        bound->size++;
        bound->channel++;
        must_refute(problem, claimed, "channel", "not the focus channel");
        bound->channel--;
        bound->orbit_size++;
        must_refute(problem, claimed, "orbit size",
                    "is not the focus channel expected here");
        bound->orbit_size--;
        claimed->worst = b;
        must_be(problem, claimed, b == worst, "another channel");
        claimed->worst = worst;
    }
    claimed->worst = claimed->bound_count;
    must_refute(problem, claimed, "no channel",
                "no bound is marked as the "
                "worst");
    claimed->worst = worst;
    claimed->bound_count--;
    must_refute(problem, claimed, "bound left out", "focus channels");
    claimed->bound_count++;
}

static void refutes_what_was_changed(void **state)
{
    (void)state;
    static const char *const topologies[] = { "mesh:3x3", "ccc:3", "ring:7",
                                              "mesh:4,terminals=2" };
    for (size_t k = 0; k < sizeof topologies / sizeof *topologies; k++) {
        struct problem problem;
        struct nb_necessary_case claimed = { 0 };
        open_claim(&problem, topologies[k], &claimed);
        change_matching(&problem, &claimed);
        change_covers(&problem, &claimed);
        change_numbers(&problem, &claimed);
        must_be(&problem, &claimed, true, topologies[k]);
        nb_necessary_case_release(&claimed);
        problem_close(&problem);
    }
}

/* Gives a bound a cover of the requested size that still covers its pairs. */
static void widen_cover(struct nb_necessary_bound *bound, size_t size)
{
    assert_true(size >= bound->size);
    assert_int_equal(
        nb_grow(&bound->cover, size, sizeof *bound->cover, "cover", NULL),
        NB_OK);
    for (size_t k = bound->size; k < size; k++)
        bound->cover[k] = 0;
    bound->size = bound->cover_count = size;
}

/* A claim must show that no other channel is equally bad. */
static void refutes_covers_that_prove_too_little(void **state)
{
    (void)state;
    struct problem problem;
    struct nb_necessary_case claimed = { 0 };
    open_claim(&problem, "mesh:6", &claimed);
    const size_t most = claimed.bounds[claimed.worst].size;
    size_t other = 0;
    while (claimed.bounds[other].size == most)
        other++;
    assert_true(other < claimed.worst);
    widen_cover(&claimed.bounds[other], most);
    must_refute(&problem, &claimed, "a cover of equal size before it",
                "is the first channel this bad");
    widen_cover(&claimed.bounds[other], most + 1);
    must_refute(&problem, &claimed, "larger cover",
                "is the first channel this bad");
    nb_necessary_case_release(&claimed);
    problem_close(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refutes_what_was_changed),
        cmocka_unit_test(refutes_covers_that_prove_too_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
