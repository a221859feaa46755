#include "split_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct nb_split split_make(uint32_t m1, uint32_t m2, uint32_t s1, uint32_t s2,
                           bool is_singh, const char *rule)
{
    struct nb_split split = { .hops = { m1, m2 },
                              .shared = { s1, s2 },
                              .delay = is_singh
                                           ? nb_delay_singh
                                           : nb_delay_pollaczek_khinchine };
    assert_int_equal(nb_split_rule_read(rule, &split, NULL), NB_OK);
    return split;
}

struct nb_split_result split_at(const struct nb_split *split, int64_t top,
                                int64_t bottom)
{
    struct nb_split_result answer;
    const struct nb_enclosure rate =
        nb_enclosure_of_ratio(nb_ratio_make(top, bottom));
    assert_int_equal(nb_split_find(split, rate, &answer, NULL), NB_OK);
    return answer;
}
