#include "unbalanced_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

void unbalanced_must_find(const struct problem *problem, const char *name,
                          struct nb_unbalanced_case *out)
{
    struct nb_error err = { 0 };
    if (nb_unbalanced_case_find(&problem->routing, NULL, out, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
}

void unbalanced_must_pass(const struct problem *problem, const char *name,
                          struct nb_unbalanced_case *claimed)
{
    struct nb_error err = { 0 };
    bool all_channels = false;
    if (nb_unbalanced_case_check(&problem->routing, NULL, claimed,
                                 &all_channels, &err) != NB_OK)
        fail_msg("%s: %s", name, err.message);
    assert_true(all_channels);
}
