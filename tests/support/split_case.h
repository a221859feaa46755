/* Splits for tests. */
#ifndef NB_TESTS_SUPPORT_SPLIT_CASE_H
#define NB_TESTS_SUPPORT_SPLIT_CASE_H

#include "queueing/split.h"

/* Fails the test with the condition and any further values given to print. */
#define SPLIT_CHECK(condition, ...)                                            \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg(#condition ": " __VA_ARGS__);                             \
    } while (0)

/* Paths of m1 and m2 hops shared by s1 and s2 streams, with Singh's wait or
 * otherwise that of Pollaczek and Khinchine. */
struct nb_split split_make(uint32_t m1, uint32_t m2, uint32_t s1, uint32_t s2,
                           bool is_singh, const char *rule);

/* The answer at the rate top/bottom. */
struct nb_split_result split_at(const struct nb_split *split, int64_t top,
                                int64_t bottom);

#endif
