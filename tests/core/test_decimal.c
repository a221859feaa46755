/* Decimals: exact where possible, else cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/decimal.h"
#include "core/random.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    struct nb_ratio value;
    const char *text;
    bool is_exact;
} decimals[] = {
    { { 0, 1 }, "0", true },
    { { 7, 1 }, "7", true },
    { { 1, 4 }, "0.25", true },
    { { 1001, 1000 }, "1.001", true },
    { { 1, 3 }, "0.333333333333333333", false },
    { { 200, 3 }, "66.6666666666666666", false },
    { { 1, 1000000000000000000 }, "0.000000000000000001", true },
    { { 1, 4000000000000000000 }, "0.000000000000000000", false },
    /* 2^-18 and 2^-19 end with the 18th and the 19th place. */
    { { 1, 262144 }, "0.000003814697265625", true },
    { { 1, 524288 }, "0.000001907348632812", false },
    { { 1000000000000000001, 2 }, "500000000000000000", false },
    { { 999999999999999999, 1 }, "999999999999999999", true },
};

static void known_decimals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        char text[NB_RATIO_TEXT];
        assert_int_equal(nb_decimal_print(decimals[i].value, text),
                         decimals[i].is_exact);
        assert_string_equal(text, decimals[i].text);
    }
}

/* Rounded by hand; value 0: refused. */
static const struct {
    const char *text;
    int64_t value, unit;
} rounded[] = {
    { "0.0021060533511106927", 2106053351110693, 1000000000000000000 },
    { "2.1060533511106927e-03", 2106053351110693, 1000000000000000000 },
    { "1.5", 3, 2 },
    { "+00120", 120, 1 },
    { "0.00123e5", 123, 1 },
    { ".1234567890123456785", 123456789012345679, 1000000000000000000 },
    { "0.9999999999999999999", 1, 1 },
    { "12.34567890123456789012345", 123456789012345679, 10000000000000000 },
    { "0.000001", 1, 1000000 },
    { "0.0000009999999", 0, 0 },
    { "1e-7", 0, 0 },
    { "0.0000000000000000000001e3", 0, 0 },
    { "1e18", 0, 0 },
    { "1e99999", 0, 0 },
    { "0", 0, 0 },
    { "", 0, 0 },
    { "-1", 0, 0 },
    { "1.2.3", 0, 0 },
    { "1/3", 0, 0 },
    { "1e", 0, 0 },
    { "nan", 0, 0 },
};

static void long_decimals_are_rounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
        const struct nb_ratio wanted =
            nb_ratio_make(rounded[i].value, rounded[i].unit);
        struct nb_ratio read;
        const bool is_read = nb_decimal_round(rounded[i].text, &read);
        assert_int_equal(is_read, rounded[i].value > 0);
        if (is_read)
            assert_int_equal(nb_ratio_compare(read, wanted), 0);
    }
}

/* Reads back: the value itself, or less by less than one unit of the last
 * place. */
static void decimals_are_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        struct nb_random random;
        struct nb_ratio read;
        char text[NB_RATIO_TEXT];
        nb_random_init(&random, seed, 0);
        /* Denominators of all sizes, half of them products of only 2 and 5. */
        int64_t bottom = 1;
        for (uint64_t i = nb_random_below(&random, 20); i > 0; i--)
            bottom *= seed % 2 == 0 ? (int64_t)nb_random_below(&random, 7) + 1
                                    : 2 + 3 * (int64_t)(i % 2);
        const struct nb_ratio value = nb_ratio_make(
            (nb_int128)nb_random_below(&random, 1000000000000000000), bottom);
        if (value.numerator / value.denominator >= 1000000000000000000)
            continue;
        const bool is_exact = nb_decimal_print(value, text);
        if (nb_ratio_read(text, &read, NULL) != NB_OK)
            fail_msg("seed %" PRIu64 ": %s", seed, text);
        const int order = nb_ratio_compare(read, value);
        const char *point = strchr(text, '.');
        nb_int128 unit = 1;
        for (size_t i = point != NULL ? strlen(point + 1) : 0; i > 0; i--)
            unit *= 10;
        /* value - read < 1 / unit, in doubles far from equality or not */
        const double missing =
            (nb_ratio_value(value) - nb_ratio_value(read)) * (double)unit;
        if (is_exact ? order != 0
                     : order >= 0 || missing > 1 + nb_ratio_value(value) *
                                                       (double)unit * 0x1p-50)
            fail_msg("seed %" PRIu64 ": %s of %" PRId64 "/%" PRId64, seed, text,
                     value.numerator, value.denominator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_decimals),
        cmocka_unit_test(long_decimals_are_rounded),
        cmocka_unit_test(decimals_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
