/* Checks of exact ratios. */
#ifndef NB_TESTS_SUPPORT_RATIO_CHECKS_H
#define NB_TESTS_SUPPORT_RATIO_CHECKS_H

#include "core/random.h"
#include "core/ratio.h"

/* Fails the test with both ratios if a condition is false. */
#define RATIO_CHECK(condition, a, b)                                           \
    do {                                                                       \
        if (!(condition))                                                      \
            fail_msg("%s: a = %lld/%lld, b = %lld/%lld", #condition,           \
                     (long long)(a).numerator, (long long)(a).denominator,     \
                     (long long)(b).numerator, (long long)(b).denominator);    \
    } while (0)

/* Whether two ratios are known and equal. */
bool ratio_same(struct nb_ratio a, struct nb_ratio b);

/* Fails the test with the name and both ratios unless they are the same. */
void ratio_must_equal(struct nb_ratio found, struct nb_ratio expected,
                      const char *name);

/* A ratio whose parts have at most bits bits, of either sign. */
struct nb_ratio ratio_draw(struct nb_random *random, unsigned bits);

#endif
