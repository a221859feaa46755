#include "unbalanced_checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

void unbalanced_must_find(const struct problem *problem, const char *name,
                          struct nb_unbalanced_case *out)
{
    struct nb_error err = { 0 };
    if (nb_unbalanced_case_find(&problem->routing, NB_OVERLOAD_EXCEEDS, NULL,
                                out, &err) != NB_OK)
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

void unbalanced_must_refute(const struct problem *problem,
                            struct nb_unbalanced_case *claimed,
                            const char *what, const char *word)
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
