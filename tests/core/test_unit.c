/* Units: golden values worked out by hand, round trips, and refusals. */
#include "core/unit.h"

#include "core/memory.h"
#include "core/random.h"

#include "../support/ratio_checks.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct nb_ratio no_clock = { 0, 0 };

/* Each worked out by hand; the clock is in nanoseconds. */
static const struct {
    const char *text, *base;
    struct nb_ratio clock;
    struct nb_ratio value;
    bool uses_clock;
} golden[] = {
    { "15ns", "ns", { 1, 1 }, { 15, 1 }, false },
    { "15 ns", "ns", { 1, 1 }, { 15, 1 }, false },
    { "500ps", "ns", { 1, 1 }, { 1, 2 }, false },
    { "0.1us", "ns", { 1, 1 }, { 100, 1 }, false },
    { "0.1\xc2\xb5s", "ns", { 1, 1 }, { 100, 1 }, false },
    { "0.1\xce\xbcs", "ns", { 1, 1 }, { 100, 1 }, false },
    { "2.5ms", "ns", { 1, 1 }, { 2500000, 1 }, false },
    { "1e-9s", "ns", { 1, 1 }, { 1, 1 }, false },
    { "1E3ns", "ns", { 1, 1 }, { 1000, 1 }, false },
    { "-5ns", "ns", { 1, 1 }, { -5, 1 }, false },
    { "15cycles", "ns", { 4, 5 }, { 12, 1 }, true },
    { "1cycle", "ns", { 4, 5 }, { 4, 5 }, true },
    { "500ms", "s", { 0, 0 }, { 1, 2 }, false },
    { "15ns", "cycles", { 1, 1 }, { 15, 1 }, true },
    { "15ns", "cycles", { 4, 5 }, { 75, 4 }, true },
    { "7cycles", "cycles", { 4, 5 }, { 7, 1 }, false },
    /* 2e11 bit/s over 2000 bit: 1e8 packets/s, at 1 GHz every tenth cycle */
    { "200Gbps/250B", "packets/cycle", { 1, 1 }, { 1, 10 }, true },
    { "200Gb/s/250B", "packets/cycle", { 1, 1 }, { 1, 10 }, true },
    { "25GB/s/250B", "packets/cycle", { 1, 1 }, { 1, 10 }, true },
    { "200Gbps/250B", "packets/cycle", { 5, 1 }, { 1, 2 }, true },
    { "100Mpps", "packets/cycle", { 2, 1 }, { 1, 5 }, true },
    { "1kbps/1KiB", "packets/cycle", { 1000000, 1 }, { 1, 8192 }, true },
    { "1TB/s/1MiB", "packets/cycle", { 1, 1 }, { 125, 131072 }, true },
    { "0.3packets/cycle", "packets/cycle", { 5, 1 }, { 3, 10 }, false },
    { "60%", "fraction", { 0, 0 }, { 3, 5 }, false },
    { "120Gbps/200Gbps", "fraction", { 0, 0 }, { 3, 5 }, false },
    { "1MB/1MiB", "fraction", { 0, 0 }, { 15625, 16384 }, false },
    { "0.8ns", "ns/cycle", { 0, 0 }, { 4, 5 }, false },
    { "1GHz", "ns/cycle", { 0, 0 }, { 1, 1 }, false },
    { "1.25GHz", "ns/cycle", { 0, 0 }, { 4, 5 }, false },
    { "3GHz", "ns/cycle", { 0, 0 }, { 1, 3 }, false },
    { "100kHz", "ns/cycle", { 0, 0 }, { 10000, 1 }, false },
    { "250B/400Gbps", "ns/cycle", { 0, 0 }, { 5, 1 }, false },
    /* parts that overflow separately and fit together */
    { "123456789.123456789ns",
      "ns",
      { 0, 0 },
      { 123456789123456789, 1000000000 },
      false },
    { "123456789012345.678s",
      "s",
      { 0, 0 },
      { 61728394506172839, 500 },
      false },
};

static void golden_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct nb_ratio value = { 0, 0 };
        struct nb_error err = { 0 };
        bool uses_clock = false;
        assert_true(nb_unit_is_written(golden[i].text));
        if (nb_unit_read(golden[i].text, golden[i].base, golden[i].clock,
                         &value, &uses_clock, &err) != NB_OK)
            fail_msg("%s: %s", golden[i].text, err.message);
        ratio_must_equal(value, golden[i].value, golden[i].text);
        assert_int_equal(uses_clock, golden[i].uses_clock);
    }
}

static const struct {
    const char *text, *base, *complaint;
} refused[] = {
    { "15GB", "ns",
      "\"15GB\" is not permitted (permitted: a number of nanoseconds, or a "
      "time such as 15ns)" },
    { "1GHz", "ns",
      "\"1GHz\" is not permitted (permitted: a number of nanoseconds, or a "
      "time such as 15ns)" },
    { "15cycles", "s",
      "\"15cycles\" is not permitted (permitted: a number of seconds, or a "
      "time such as 500ms)" },
    { "15ns", "fraction",
      "\"15ns\" is not permitted (permitted: a number, or a percentage such "
      "as 60%)" },
    { "200Gbps", "packets/cycle",
      "\"200Gbps\" needs /PACKET-SIZE, such as 200Gbps/250B" },
    { "250B/200Gbps", "packets/cycle",
      "\"250B/200Gbps\" is not permitted (permitted: a number of packets per "
      "cycle, or a rate such as 200Gbps/250B)" },
    { "100MHz", "packets/cycle",
      "\"100MHz\" is not permitted (permitted: a number of packets per cycle, "
      "or a rate such as 200Gbps/250B)" },
    { "200Gbps/0B", "packets/cycle",
      "\"200Gbps/0B\" is not permitted (permitted: a number of packets per "
      "cycle, or a rate such as 200Gbps/250B)" },
    { "200Gbps/250B/2B", "packets/cycle",
      "\"200Gbps/250B/2B\" is not permitted (permitted: a number of packets "
      "per cycle, or a rate such as 200Gbps/250B)" },
    { "200Gbps/B", "packets/cycle",
      "\"200Gbps/B\" is not permitted: \"B\" does not begin with a number of "
      "at most 18 digits" },
    { "200Gbps/250", "packets/cycle",
      "\"200Gbps/250\" is not permitted (permitted: a number of packets per "
      "cycle, or a rate such as 200Gbps/250B)" },
    { "0Hz", "ns/cycle",
      "\"0Hz\" is not permitted (permitted: a number of nanoseconds, or a "
      "time or frequency such as 0.8ns, 1GHz or 250B/200Gbps)" },
    { "15parsec", "ns",
      "\"15parsec\" is not permitted: unknown unit \"parsec\" (see: netbound "
      "list units)" },
    { "15NS", "ns",
      "\"15NS\" is not permitted: unknown unit \"NS\": did you mean \"ns\"? "
      "(see: netbound list "
      "units)" },
    { "15nsx/2ns", "fraction",
      "\"15nsx/2ns\" is not permitted: unknown unit \"nsx\": did you mean "
      "\"ns\"? (see: netbound "
      "list units)" },
    { "15ns", "cycles",
      "\"15ns\" needs one clock for all answers, not a sweep of it" },
    { "9e18s", "ns",
      "\"9e18s\" does not fit a ratio of 64-bit integers in its unit, ns" },
    { "99999999999999999999ns", "ns",
      "\"99999999999999999999\" is not a number (permitted: p/q, p or a "
      "decimal of at most 18 digits)" },
};

static void wrong_units_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct nb_ratio value;
        struct nb_error err = { 0 };
        bool uses_clock = false;
        const enum nb_status status =
            nb_unit_read(refused[i].text, refused[i].base, no_clock, &value,
                         &uses_clock, &err);
        if (status == NB_OK)
            fail_msg("accepted: %s", refused[i].text);
        assert_string_equal(err.message, refused[i].complaint);
        assert_false(uses_clock);
    }
}

/* Plain numbers, and texts that are no numbers, are not handled here. */
static void only_words_behind_numbers_are_units(void **state)
{
    static const char *const plain[] = {
        "",    "1",  "0.5",   "1/3", "1e-3", "abc",   "nan", "auto",  "0x10",
        "1,5", " 1", "1e400", "--1", "ns",   "1.2.3", "1 ",  "1/3ns", "15:3"
    };
    static const char *const written[] = { "1ns", "1 ns", "1e3ns", "1e",
                                           "-1x", ".5%",  "1GB/2" };
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (nb_unit_is_written(plain[i]))
            fail_msg("taken for a number with a unit: \"%s\"", plain[i]);
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (!nb_unit_is_written(written[i]))
            fail_msg("not taken for a number with a unit: \"%s\"", written[i]);
}

/* A unit of every base, and one that it can be converted to and from. */
static const struct {
    enum nb_dimension dimension;
    const char *base;
} homes[] = {
    { NB_UNIT_TIME, "ns" },          { NB_UNIT_TIME, "cycles" },
    { NB_UNIT_TIME, "s" },           { NB_UNIT_CYCLES, "ns" },
    { NB_UNIT_CYCLES, "cycles" },    { NB_UNIT_RATE, "packets/cycle" },
    { NB_UNIT_FRACTION, "fraction" }
};

/* value * 10^places of the unit, as text */
static void write_value(uint64_t value, int places, const char *unit,
                        char text[64])
{
    snprintf(text, 64, "%" PRIu64 "e%d%s", value, places, unit);
}

/* Twice the number is twice the value; the same number of two units differs by
 * their factors; printing the value and reading it gives it back. */
static void random_values_keep_their_ratios(void **state)
{
    struct nb_random random;
    size_t checked = 0, unit_count = 0;
    (void)state;
    while (nb_units[unit_count].name != NULL)
        unit_count++;
    nb_random_init(&random, 8, 1);
    for (int trial = 0; trial < 20000; trial++) {
        const size_t h = nb_random_below(&random, sizeof homes / sizeof *homes);
        const struct nb_ratio clock =
            nb_ratio_make(1 + (nb_int128)nb_random_below(&random, 99),
                          1 + (nb_int128)nb_random_below(&random, 99));
        const uint64_t number = 1 + nb_random_below(&random, 99999);
        const int places = (int)nb_random_below(&random, 7) - 3;
        struct nb_ratio value[3] = { 0 };
        const struct nb_unit *unit[2] = { NULL, NULL };
        char text[3][64], printed[NB_RATIO_TEXT];
        bool uses_clock = false;
        for (int i = 0; i < 2; i++)
            do
                unit[i] = &nb_units[nb_random_below(&random, unit_count)];
            while (unit[i]->dimension != homes[h].dimension);
        write_value(number, places, unit[0]->name, text[0]);
        write_value(number, places, unit[1]->name, text[1]);
        write_value(2 * number, places, unit[0]->name, text[2]);
        bool is_known = true;
        for (int i = 0; i < 3; i++)
            is_known = nb_unit_read(text[i], homes[h].base, clock, &value[i],
                                    &uses_clock, NULL) == NB_OK &&
                       is_known;
        if (!is_known)
            continue;
        checked++;
        const struct nb_ratio two = { 2, 1 };
        ratio_must_equal(value[2], nb_ratio_multiply(two, value[0]), text[2]);
        ratio_must_equal(nb_ratio_divide(value[0], value[1]),
                         nb_ratio_divide(unit[0]->factor, unit[1]->factor),
                         text[0]);
        nb_unit_print_number(value[0], printed);
        assert_int_equal(nb_ratio_read(printed, &value[1], NULL), NB_OK);
        ratio_must_equal(value[1], value[0], printed);
    }
    assert_true(checked > 15000);
}

/* There and back: cycles as time as cycles; a bandwidth over a size, the time
 * of that size at the bandwidth. */
static void conversions_undo_each_other(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 8, 2);
    for (int trial = 0; trial < 5000; trial++) {
        const uint64_t gbps = 1 + nb_random_below(&random, 800);
        const uint64_t bytes = 1 + nb_random_below(&random, 9000);
        struct nb_ratio rate, cycle, time, cycles;
        bool uses_clock = false;
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 "B/%" PRIu64 "Gbps", bytes,
                 gbps);
        assert_int_equal(
            nb_unit_read(text, "ns/cycle", no_clock, &cycle, &uses_clock, NULL),
            NB_OK);
        /* With that clock the whole bandwidth is one packet per cycle. */
        snprintf(text, sizeof text, "%" PRIu64 "Gbps/%" PRIu64 "B", gbps,
                 bytes);
        assert_int_equal(nb_unit_read(text, "packets/cycle", cycle, &rate,
                                      &uses_clock, NULL),
                         NB_OK);
        ratio_must_equal(rate, nb_ratio_one, text);
        snprintf(text, sizeof text, "%" PRIu64 "cycles", bytes);
        assert_int_equal(
            nb_unit_read(text, "ns", cycle, &time, &uses_clock, NULL), NB_OK);
        ratio_must_equal(nb_ratio_divide(time, cycle), nb_ratio_make(bytes, 1),
                         text);
        char number[NB_RATIO_TEXT];
        nb_unit_print_number(time, number);
        if (strchr(number, '/') != NULL) /* not a decimal before a unit */
            continue;
        snprintf(text, sizeof text, "%.48sns", number);
        assert_int_equal(
            nb_unit_read(text, "cycles", cycle, &cycles, &uses_clock, NULL),
            NB_OK);
        ratio_must_equal(cycles, nb_ratio_make(bytes, 1), text);
    }
}

static void numbers_print_as_people_write_them(void **state)
{
    static const struct {
        struct nb_ratio value;
        const char *text;
    } cases[] = {
        { { 1, 10 }, "0.1" },
        { { 15, 1 }, "15" },
        { { 1, 3 }, "1/3" },
        { { -1, 2 }, "-1/2" },
        { { 0, 1 }, "0" },
        { { 75, 4 }, "18.75" },
        { { 1, 8192 }, "0.0001220703125" },
        { { INT64_MAX, 2 }, "9223372036854775807/2" },
        { { INT64_MAX, 1 }, "9223372036854775807" },
    };
    char text[NB_RATIO_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nb_unit_print_number(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

/* The list has every unit of the table. */
static void the_list_is_complete(void **state)
{
    struct nb_text text = { 0 };
    (void)state;
    nb_unit_print_list(&text);
    for (const struct nb_unit *unit = nb_units; unit->name != NULL; unit++) {
        char line[40];
        snprintf(line, sizeof line, "\n    %s ", unit->name);
        if (strstr(text.bytes, line) == NULL)
            fail_msg("the list lacks %s", unit->name);
        for (const struct nb_unit *other = nb_units; other < unit; other++)
            assert_string_not_equal(other->name, unit->name);
    }
    nb_text_release(&text);
    assert_null(nb_unit_base_find("furlong"));
    assert_string_equal(nb_unit_base_find("cycles")->shown, "cycles");
    assert_int_equal(nb_memory_live_blocks(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values),
        cmocka_unit_test(wrong_units_are_refused),
        cmocka_unit_test(only_words_behind_numbers_are_units),
        cmocka_unit_test(random_values_keep_their_ratios),
        cmocka_unit_test(conversions_undo_each_other),
        cmocka_unit_test(numbers_print_as_people_write_them),
        cmocka_unit_test(the_list_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
