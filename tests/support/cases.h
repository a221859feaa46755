/* Cases of slow tests: make check tries a drawn share of them, make check-all
 * (CASES=most) every one but those that take minutes, make check-weekly
 * (CASES=all) these, too. */
#ifndef NB_TESTS_SUPPORT_CASES_H
#define NB_TESTS_SUPPORT_CASES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether every case is tried: CASES=most or all in the environment. */
bool nb_cases_are_all(void);

/*
 * Whether a case is tried: with CASES=most or all every one, otherwise one of
 * each `share` consecutive cases, drawn by CASES_SEED in the environment
 * (default: 1).
 *
 * index  from 0
 * share  at least 1
 */
bool nb_cases_have(size_t index, size_t share);

/* The same for tests that take minutes: CASES=most tries one of each `most`. */
bool nb_cases_have_most(size_t index, size_t share, size_t most);

/* The number of trials of a test that repeats one case with other seeds: with
 * CASES=most or all, all `trials`, otherwise one in `share`, at least one. */
size_t nb_cases_trials(size_t trials, size_t share);

/*
 * The next number of allocations after which memory runs out: with CASES=most
 * or all, allowed + 1. Otherwise the first ten are tried one by one, then steps
 * are drawn, `share` on average, that grow with the number.
 */
long nb_cases_allowed(long allowed, size_t share);

#endif
