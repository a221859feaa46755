/* Peaks of permutations against the loads of the same traffic. */
#ifndef NB_TESTS_SUPPORT_PERMUTATION_CHECKS_H
#define NB_TESTS_SUPPORT_PERMUTATION_CHECKS_H

#include "problem.h"

#include "load/permutation_loads.h"

enum { PEAK_PERMUTATIONS = 6, PEAK_KERNELS = 3 };

/* The permutations to check. */
extern const enum nb_permutation_kernel peak_kernels[PEAK_KERNELS];

/* Finds the loads and checks their kernel, or fails the test. */
void peak_find(const struct problem *problem, const char *name,
               enum nb_permutation_kernel kernel,
               struct nb_permutation_loads *out);

/* The peaks of the identity and random permutations, in one batch. */
void peak_run(const struct nb_permutation_loads *loads,
              union nb_load_cell peak[PEAK_PERMUTATIONS]);

/* Checks that these peaks, with every kernel, fit the loads that the same
 * traffic puts on the channels: exactly, if they are exact. */
void peak_check(const struct problem *problem, const char *name);

#endif
