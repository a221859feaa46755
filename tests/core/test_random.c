#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Source: the known answers of the Random123 distribution, philox4x32-10. */
static const struct {
    uint32_t counter[4], key[2], block[4];
} known[] = {
    { { 0, 0, 0, 0 },
      { 0, 0 },
      { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

static void test_known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t block[4];
        nb_philox(known[i].counter, known[i].key, block);
        assert_memory_equal(block, known[i].block, sizeof block);
    }
}

/* The stream is Philox with counter (position, task) and the seed as key. */
static void test_stream_layout(void **state)
{
    (void)state;
    const uint64_t seed = 0x299f31d0a4093822, task = 0x0370734413198a2e;
    struct nb_random random;
    nb_random_init(&random, seed, task);
    for (uint32_t position = 0; position < 100; position++) {
        const uint32_t counter[4] = { position, 0, 0x13198a2e, 0x03707344 };
        uint32_t block[4];
        nb_philox(counter, known[2].key, block);
        assert_int_equal(nb_random_next(&random),
                         (uint64_t)block[1] << 32 | block[0]);
        assert_int_equal(nb_random_next(&random),
                         (uint64_t)block[3] << 32 | block[2]);
    }
}

/* Low and high halves of seeds and tasks all matter. */
static void test_streams_differ(void **state)
{
    (void)state;
    enum { NAMES = 4, STREAMS = NAMES * NAMES, WORDS = 16 };
    static const uint64_t name[NAMES] = { 0, 1, (uint64_t)1 << 32, UINT64_MAX };
    uint64_t word[STREAMS][WORDS];
    for (size_t s = 0; s < STREAMS; s++) {
        struct nb_random random;
        nb_random_init(&random, name[s % NAMES], name[s / NAMES]);
        for (size_t i = 0; i < WORDS; i++)
            word[s][i] = nb_random_next(&random);
    }
    for (size_t a = 0; a < STREAMS * WORDS; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(word[a / WORDS][a % WORDS] !=
                        word[b / WORDS][b % WORDS]);
}

static void test_below_is_in_range_and_even(void **state)
{
    (void)state;
    struct nb_random random;
    nb_random_init(&random, 5, 0);
    for (uint64_t bound = 1; bound <= 40; bound++) {
        enum { DRAWS = 20000 };
        double count[40] = { 0 }, chi = 0;
        for (size_t i = 0; i < DRAWS; i++) {
            const uint64_t value = nb_random_below(&random, bound);
            assert_true(value < bound);
            count[value]++;
        }
        const double mean = (double)DRAWS / (double)bound;
        for (uint64_t v = 0; v < bound; v++)
            chi += (count[v] - mean) * (count[v] - mean) / mean;
        /* Chi-square has mean degrees and variance 2 degrees. */
        const double degrees = (double)bound - 1;
        if (chi > degrees + 8 * sqrt(2 * degrees))
            fail_msg("bound %d: chi-square %g", (int)bound, chi);
    }
}

/* At 3 * 2^62 an unrejected product would favour every third value twofold; the
 * three quarters must be equally frequent. */
static void test_below_has_no_bias(void **state)
{
    (void)state;
    enum { DRAWS = 30000 };
    const uint64_t bound = (uint64_t)3 << 62;
    size_t part[3] = { 0 }, rest[3] = { 0 };
    struct nb_random random;
    nb_random_init(&random, 17, 3);
    for (size_t i = 0; i < DRAWS; i++) {
        const uint64_t value = nb_random_below(&random, bound);
        assert_true(value < bound);
        part[value >> 62]++;
        rest[value % 3]++;
    }
    for (size_t i = 0; i < 3; i++) { /* deviation sqrt(n 2/9) = 82 */
        assert_in_range(part[i], DRAWS / 3 - 500, DRAWS / 3 + 500);
        assert_in_range(rest[i], DRAWS / 3 - 500, DRAWS / 3 + 500);
    }
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(nb_random_below(&random, UINT64_MAX) < UINT64_MAX);
}

static void test_unit_interval(void **state)
{
    (void)state;
    enum { DRAWS = 100000 };
    struct nb_random random;
    double sum = 0, squares = 0;
    nb_random_init(&random, 9, 1);
    for (size_t i = 0; i < DRAWS; i++) {
        const double u = nb_random_unit(&random);
        assert_true(u >= 0 && u < 1);
        const double scaled = u * 0x1p53;
        assert_true(scaled == (double)(uint64_t)scaled);
        sum += u;
        squares += u * u;
    }
    /* Deviations 0.00091 and 0.00094. */
    assert_true(sum / DRAWS > 0.495 && sum / DRAWS < 0.505);
    assert_true(squares / DRAWS > 0.328 && squares / DRAWS < 0.339);
}

static void test_permutations(void **state)
{
    (void)state;
    static uint32_t permutation[1000];
    struct nb_random random;
    nb_random_init(&random, 4, 2);
    for (uint32_t count = 0; count <= 1000; count += 1 + count / 3) {
        bool is_hit[1000] = { false };
        nb_random_permutation(&random, count, permutation);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(permutation[i] < count && !is_hit[permutation[i]]);
            is_hit[permutation[i]] = true;
        }
    }
}

/* All six permutations of three, equally often. */
static void test_permutations_are_even(void **state)
{
    (void)state;
    enum { DRAWS = 60000 };
    size_t count[27] = { 0 };
    struct nb_random random;
    nb_random_init(&random, 4, 3);
    for (size_t i = 0; i < DRAWS; i++) {
        uint32_t p[3];
        nb_random_permutation(&random, 3, p);
        count[9 * p[0] + 3 * p[1] + p[2]]++;
    }
    size_t seen = 0;
    for (size_t i = 0; i < 27; i++) {
        if (count[i] == 0)
            continue;
        seen++;
        assert_in_range(count[i], DRAWS / 6 - 550, DRAWS / 6 + 550);
    }
    assert_int_equal(seen, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_stream_layout),
        cmocka_unit_test(test_streams_differ),
        cmocka_unit_test(test_below_is_in_range_and_even),
        cmocka_unit_test(test_below_has_no_bias),
        cmocka_unit_test(test_unit_interval),
        cmocka_unit_test(test_permutations),
        cmocka_unit_test(test_permutations_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
