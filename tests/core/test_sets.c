/* Disjoint sets, compared with labels that are rewritten one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "core/sets.h"

enum { NUMBERS = 60, ROUNDS = 200, JOINS = 40 };

static void sets_check(uint32_t *parent, const uint32_t *label, uint64_t round)
{
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (nb_sets_find(parent, i) != label[i])
            fail_msg("round %llu: %u is with %u, not %u",
                     (unsigned long long)round, i, nb_sets_find(parent, i),
                     label[i]);
}

static void test_against_labels(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint32_t parent[NUMBERS], label[NUMBERS];
        struct nb_random random;
        nb_random_init(&random, 11, round);
        nb_sets_init(parent, NUMBERS);
        for (uint32_t i = 0; i < NUMBERS; i++)
            label[i] = i;
        for (int join = 0; join < JOINS; join++) {
            const uint32_t a = (uint32_t)nb_random_below(&random, NUMBERS);
            const uint32_t b = (uint32_t)nb_random_below(&random, NUMBERS);
            const uint32_t least = label[a] < label[b] ? label[a] : label[b];
            const uint32_t most = label[a] < label[b] ? label[b] : label[a];
            nb_sets_join(parent, a, b);
            for (uint32_t i = 0; i < NUMBERS; i++)
                label[i] = label[i] == most ? least : label[i];
            sets_check(parent, label, round);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
