#include "support/cases.h"

#include "core/random.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool cases_is(const char *wanted)
{
    const char *cases = getenv("CASES");
    return cases != NULL && strcmp(cases, wanted) == 0;
}

bool nb_cases_are_all(void)
{
    return cases_is("all") || cases_is("most");
}

/* A number below a bound for a task, drawn by CASES_SEED. */
static size_t cases_draw(uint64_t task, size_t bound)
{
    const char *seed = getenv("CASES_SEED");
    struct nb_random random;
    nb_random_init(&random, seed != NULL ? strtoul(seed, NULL, 10) : 1, task);
    return (size_t)nb_random_below(&random, bound);
}

bool nb_cases_have(size_t index, size_t share)
{
    return nb_cases_have_most(index, share, 1);
}

bool nb_cases_have_most(size_t index, size_t share, size_t most)
{
    if (cases_is("most"))
        share = most;
    return cases_is("all") || cases_draw(index / share, share) == index % share;
}

size_t nb_cases_trials(size_t trials, size_t share)
{
    return nb_cases_are_all() ? trials : (trials + share - 1) / share;
}

long nb_cases_allowed(long allowed, size_t share)
{
    if (nb_cases_are_all() || allowed < 10)
        return allowed + 1;
    return allowed + 1 + allowed / 16 +
           (long)cases_draw((uint64_t)allowed, 2 * share - 1);
}
