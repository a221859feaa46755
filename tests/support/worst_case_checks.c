#include "worst_case_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void worst_case_must_find(const struct problem *problem, const char *name,
                          int threads, struct nb_worst_case *out)
{
    const struct nb_run run = { .threads = threads };
    struct nb_error err = { 0 };
    if (nb_worst_case_find(&problem->routing, &run, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
}

void worst_case_must_pass(const struct problem *problem, const char *name,
                          struct nb_worst_case *claimed)
{
    const struct nb_worst_case before = *claimed;
    struct nb_error err = { 0 };
    bool all_channels = false;
    if (nb_worst_case_check(&problem->routing, NULL, claimed, &all_channels,
                            &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    assert_true(all_channels);
    assert_int_equal(claimed->worst, before.worst);
    assert_true(claimed->throughput.lower == before.throughput.lower);
    assert_true(claimed->throughput.upper == before.throughput.upper);
}

struct nb_ratio worst_case_claim_load(const struct problem *problem,
                                      const struct nb_ratio *all,
                                      const struct nb_worst_case *claimed)
{
    const struct nb_sides *sides = &claimed->sides;
    const size_t n = problem->topology.router_count;
    const size_t m = problem->topology.channel_count;
    const uint32_t channel = claimed->bounds[claimed->worst].channel;
    struct nb_ratio sum = nb_ratio_zero;
    for (size_t i = 0; i < sides->count; i++)
        sum = nb_ratio_add(sum, all[(sides->router[i] * n +
                                     sides->router[claimed->permutation[i]]) *
                                        m +
                                    channel]);
    return nb_ratio_multiply(sum, (struct nb_ratio){ sides->multiplicity, 1 });
}
