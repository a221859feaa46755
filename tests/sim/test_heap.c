/* The heap of packets by age, against sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"
#include "sim/heap.h"
#include "support/simulation.h"

#include <stdlib.h>

enum { PACKETS = 3000, ROUNDS = 40 };

static int compare_ages(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Everything in, everything out: the ages come sorted. */
static void test_all_out_in_order(void **state)
{
    (void)state;
    struct nb_packets packets;
    static uint64_t sorted[PACKETS];
    assert_int_equal(nb_packets_init(PACKETS, &packets, NULL), NB_OK);
    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct nb_random random;
        uint32_t root = NB_NONE;
        nb_random_init(&random, seed, 0);
        const uint32_t count = (uint32_t)nb_random_below(&random, PACKETS) + 1;
        /* Few different ages in some rounds: ties. */
        const uint64_t ages = seed % 3 == 0 ? 10 : UINT64_MAX;
        for (uint32_t p = 0; p < count; p++) {
            sorted[p] = packets.age[p] = nb_random_below(&random, ages);
            root = nb_heap_push(&packets, root, p);
        }
        qsort(sorted, count, sizeof *sorted, compare_ages);
        for (uint32_t p = 0; p < count; p++) {
            SIMULATION_CHECK(root != NB_NONE && packets.age[root] == sorted[p],
                             "seed %ju, %u of %u", (uintmax_t)seed, p, count);
            root = nb_heap_pop(&packets, root);
        }
        assert_int_equal(root, NB_NONE);
    }
    nb_packets_release(&packets);
}

/* The least age of those present, by a search of all of them. */
static uint64_t least_age(const struct nb_packets *packets, const bool *is_in)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t p = 0; p < packets->capacity; p++)
        if (is_in[p] && packets->age[p] < least)
            least = packets->age[p];
    return least;
}

/* Packets go in and out at random, in two heaps at once. */
static void test_mixed(void **state)
{
    (void)state;
    enum { FEW = 100, STEPS = 4000, HEAPS = 2 };
    struct nb_packets packets;
    assert_int_equal(nb_packets_init(FEW, &packets, NULL), NB_OK);
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct nb_random random;
        bool is_in[HEAPS][FEW] = { 0 };
        uint32_t root[HEAPS] = { NB_NONE, NB_NONE };
        nb_random_init(&random, seed, 1);
        for (int step = 0; step < STEPS; step++) {
            const uint32_t p = (uint32_t)nb_random_below(&random, FEW);
            const size_t h = (size_t)nb_random_below(&random, HEAPS);
            if (!is_in[0][p] && !is_in[1][p]) {
                packets.age[p] = nb_random_below(&random, 1000);
                root[h] = nb_heap_push(&packets, root[h], p);
                is_in[h][p] = true;
            } else if (root[h] != NB_NONE) {
                SIMULATION_CHECK(is_in[h][root[h]] &&
                                     packets.age[root[h]] ==
                                         least_age(&packets, is_in[h]),
                                 "seed %ju, step %d", (uintmax_t)seed, step);
                is_in[h][root[h]] = false;
                root[h] = nb_heap_pop(&packets, root[h]);
            }
            SIMULATION_CHECK((root[h] == NB_NONE) ==
                                 (least_age(&packets, is_in[h]) == UINT64_MAX),
                             "seed %ju, step %d", (uintmax_t)seed, step);
        }
    }
    nb_packets_release(&packets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_out_in_order),
        cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
