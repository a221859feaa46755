/* Sorting in place, compared with the C library's sort. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/random.h"
#include "core/sort_falling.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a < *b) - (*a > *b);
}

static void check(int64_t *value, size_t count, const char *what)
{
    int64_t *expected = nb_new_array(count, sizeof *expected);
    assert_non_null(expected);
    memcpy(expected, value, count * sizeof *expected);
    qsort(expected, count, sizeof *expected, compare);
    nb_sort_falling(value, count);
    if (memcmp(value, expected, count * sizeof *expected) != 0)
        fail_msg("%zu values, %s", count, what);
    nb_delete(expected);
}

/* Of all widths, from a few distinct values to all 63 bits, and every small
 * length. */
static void any_whole_numbers(void **state)
{
    enum { MOST = 3000 };
    static int64_t value[MOST];
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 24, 0);
    for (size_t trial = 0; trial < 700; trial++) {
        const size_t count = trial < 100 ? trial : 1 + trial * 17 % MOST;
        const unsigned drop = 1 + (unsigned)(trial % 63);
        const unsigned keep = (unsigned)(trial % 3) * 20;
        for (size_t i = 0; i < count; i++)
            value[i] =
                (int64_t)(nb_random_next(&random) >> drop >> keep << keep);
        check(value, count, "drawn");
        check(value, count, "sorted");
        for (size_t i = 0; i < count / 2; i++) {
            const int64_t moved = value[i];
            value[i] = value[count - 1 - i];
            value[count - 1 - i] = moved;
        }
        check(value, count, "rising");
    }
}

static void bytes_of_doubles(void **state)
{
    enum { COUNT = 5000 };
    static double value[COUNT];
    static int64_t bytes[COUNT];
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 25, 0);
    for (size_t i = 0; i < COUNT; i++)
        value[i] = i % 7 == 0 ? 0
                              : (double)(nb_random_next(&random) >> 20) /
                                    (double)(1 + nb_random_next(&random) % 99);
    memcpy(bytes, value, sizeof bytes);
    nb_sort_falling(bytes, COUNT);
    memcpy(value, bytes, sizeof bytes);
    for (size_t i = 1; i < COUNT; i++)
        assert_true(value[i - 1] >= value[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_whole_numbers),
        cmocka_unit_test(bytes_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
