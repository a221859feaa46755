/* The ledger: the reader of published numbers, and the verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../support/ratio_checks.h"
#include "../support/scratch.h"

#include "questions/ledger/ledger.h"
#include "core/memory.h"
#include "core/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER                                                                 \
    "id,source,table,cell,topology,routing,traffic,quantity,printed,exact,"    \
    "unit,verdict,note,check\n"

/* Reads a folder with this one file. */
static enum nb_status ledger_read(const char *text, struct nb_published *out,
                                  struct nb_error *err)
{
    char path[NB_SCRATCH_PATH];
    nb_scratch_write(nb_scratch_name("data.csv", path), text, strlen(text));
    return nb_published_read(nb_scratch_folder(), out, err);
}

static void fields_are_read(void **state)
{
    struct nb_published read;
    (void)state;
    assert_int_equal(
        ledger_read(HEADER "a,S,\"T, 1\",\"r \"\"x\"\" / c\",t,r,u,q,-0.50,1/3,"
                           "\"1\",pending,\"\"\"\",\r\n"
                           "b,S,reference: T,r / c,,,,q,,-7,u,agrees,"
                           "\"why, then\",\n"
                           "c,S,reference: T,r / d,,,,q,,0.250...,u,agrees,,\n"
                           "d,S,reference: T,r / e,,,,q,,inf,u,agrees,,\n"
                           "e,S,T,r / f,,,,q,2/6,,u,agrees,,\n"
                           "f,S,T,r / g,,,,q,Yes,,u,explained,why,"
                           "as 0.5; routing=val; within 3%\n",
                    &read, NULL),
        NB_OK);
    assert_int_equal(read.count, 6);
    const struct nb_published_row *row = read.rows;
    const char *const found[] = { row->id,        row->source,   row->table,
                                  row->cell,      row->topology, row->routing,
                                  row->traffic,   row->quantity, row->printed,
                                  row->unit,      row->note,     row[1].id,
                                  row[1].printed, row[1].note };
    const char *const wanted[] = { "a",  "S", "T, 1", "r \"x\" / c", "t",
                                   "r",  "u", "q",    "-0.50",       "1",
                                   "\"", "b", "",     "why, then" };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_string_equal(found[i], wanted[i]);
    assert_string_equal(row->exact, "1/3");
    ratio_must_equal(row->reference.value, nb_ratio_make(1, 3), "exact");
    ratio_must_equal(row->rounded.value, nb_ratio_make(-1, 2), "printed");
    ratio_must_equal(row->rounded.lower, nb_ratio_make(-505, 1000), "lower");
    ratio_must_equal(row->rounded.upper, nb_ratio_make(-495, 1000), "upper");
    assert_int_equal(row->rounded.places, 2);
    assert_int_equal(row->expected, NB_VERDICT_PENDING);
    assert_int_equal(row->line, 2);
    ratio_must_equal(row[1].reference.lower, nb_ratio_make(-7, 1), "exact");
    ratio_must_equal(row[1].reference.upper, nb_ratio_make(-7, 1), "exact");
    assert_false(nb_ratio_is_known(row[1].rounded.value));
    assert_int_equal(row[1].expected, NB_VERDICT_AGREES);
    assert_int_equal(row[1].line, 3);
    ratio_must_equal(row[2].reference.lower, nb_ratio_make(250, 1000), "lower");
    ratio_must_equal(row[2].reference.upper, nb_ratio_make(251, 1000), "upper");
    ratio_must_equal(row[3].reference.value, nb_ratio_infinity, "infinite");
    ratio_must_equal(row[4].rounded.lower, nb_ratio_make(1, 3), "ratio");
    ratio_must_equal(row[4].rounded.upper, nb_ratio_make(1, 3), "ratio");
    ratio_must_equal(row[5].rounded.lower, nb_ratio_make(45, 100), "word");
    assert_int_equal(row[5].reading_count, 1);
    const struct nb_reading *reading = row[5].readings;
    ratio_must_equal(reading->within, nb_ratio_make(3, 100), "within");
    assert_true(reading->is_share && reading->has_columns);
    assert_int_equal(reading->test, NB_READING_WITHIN);
    assert_true(reading->same == NULL && !reading->is_of_printed);
    assert_true(nb_row_is_reference(&row[1]) && !nb_row_is_reference(&row[5]));
    nb_published_release(&read);
    nb_published_release(&read);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The offered load is unknown, or does not limit the quantity. */
static const struct nb_ratio ledger_anything = { 0, 0 };

/* The verdict on a computed value for a row of printed digits. */
static enum nb_verdict ledger_verdict(const char *printed,
                                      const struct nb_quantity *computed,
                                      struct nb_ratio offered)
{
    struct nb_published read;
    struct nb_error err = { 0 };
    char text[400];
    snprintf(text, sizeof text, HEADER "a,S,T,r / c,,,,q,%s,,1,agrees,,\n",
             printed);
    if (ledger_read(text, &read, &err) != NB_OK)
        fail_msg("%s", err.message);
    struct nb_entry entry = { .row = read.rows };
    nb_entry_judge(&entry, computed, offered);
    assert_int_equal(nb_entry_settle(&entry, NULL), NB_OK);
    assert_int_equal(entry.surprise != NULL,
                     entry.verdict != NB_VERDICT_AGREES);
    nb_delete(entry.surprise);
    nb_published_release(&read);
    return entry.verdict;
}

static enum nb_verdict ledger_verdict_exact(const char *printed,
                                            struct nb_ratio exact)
{
    struct nb_quantity computed = { .exact = exact };
    computed.value = computed.lower = computed.upper = nb_ratio_value(exact);
    return ledger_verdict(printed, &computed, ledger_anything);
}

/* Half a unit of the last digit; both ends are included. */
static void printed_digits_agree(void **state)
{
    static const struct {
        const char *printed;
        int64_t top, bottom;
        bool agrees;
    } cases[] = {
        { "0.28", 5, 18, true },
        { "0.27", 5, 18, false },
        { "0.278", 5, 18, true },
        { "0.2780", 5, 18, false },
        { "0.12", 1, 8, true },
        { "0.13", 1, 8, true },
        { "0.11", 1, 8, false },
        { "0.14", 1, 8, false },
        { "0.173", 25, 144, false },
        { "0.174", 25, 144, true },
        { "4", 9, 2, true },
        { "4", 4500001, 1000000, false },
        { "4.0", 9, 2, false },
        { "5", 9, 2, true },
        { "0", 1, 2, true },
        { "0", -1, 2, true },
        { "0", -51, 100, false },
        { "-0.3", -1, 4, true },
        { "-0.3", 3, 10, false },
        { "-0.3", -351, 1000, false },
        { "90000000000000000", 90000000000000000, 1, true },
        { "0.33333333333333333", 1, 3, true },
        { "0.33333333333333334", 1, 3, false },
        { "7", 1, 0, false }, /* infinite */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_ratio exact =
            nb_ratio_make(cases[i].top, cases[i].bottom);
        const enum nb_verdict found =
            ledger_verdict_exact(cases[i].printed, exact);
        if ((found == NB_VERDICT_AGREES) != cases[i].agrees)
            fail_msg("%s against %" PRId64 "/%" PRId64 ": %s", cases[i].printed,
                     cases[i].top, cases[i].bottom, nb_verdict_names[found]);
    }
}

/* The rounding of a ratio, by long division, agrees with it. Neither neighbour
 * does, except one if the ratio is half-way. */
static void rounded_ratios_agree(void **state)
{
    struct nb_random random;
    (void)state;
    nb_random_init(&random, 20260101, 0);
    for (int trial = 0; trial < 2000; trial++) {
        const int places = (int)nb_random_below(&random, 10);
        const int64_t bottom = 1 + (int64_t)nb_random_below(&random, 4000);
        const int64_t top = (int64_t)nb_random_below(&random, 100000);
        int64_t scale = 1;
        for (int i = 0; i < places; i++)
            scale *= 10;
        const int64_t twice = 2 * top * scale / bottom; /* rounded down */
        const bool is_half = twice % 2 == 1 && 2 * top * scale % bottom == 0;
        const int64_t nearest = (twice + 1) / 2;
        for (int64_t step = -1; step <= 1; step++) {
            const int64_t digits = nearest + step;
            const bool agrees = step == 0 || (step == -1 && is_half);
            struct nb_text printed = { 0 };
            if (digits < 0)
                continue;
            nb_text_print(&printed, "%" PRId64, digits / scale);
            if (places > 0)
                nb_text_print(&printed, ".%0*" PRId64, places, digits % scale);
            const enum nb_verdict found =
                ledger_verdict_exact(printed.bytes, nb_ratio_make(top, bottom));
            if ((found == NB_VERDICT_AGREES) != agrees)
                fail_msg("trial %d: %" PRId64 "/%" PRId64 " against %s", trial,
                         top, bottom, printed.bytes);
            nb_text_release(&printed);
        }
    }
}

/* The double nearest to 0.05 is above it, that to 0.15 below: brackets that
 * reach these doubles agree with 0.1, and the next ones are only consistent. */
static void brackets_agree_as_a_whole(void **state)
{
    static const struct {
        const char *printed;
        double value, lower, upper;
        enum nb_verdict verdict;
    } cases[] = {
        { "0.1", 0.1, 0.05, 0.15, NB_VERDICT_AGREES },
        { "0.1", 0.1, 0.04999999999999999, 0.15, NB_VERDICT_CONSISTENT },
        { "0.1", 0.1, 0.05, 0.15000000000000002, NB_VERDICT_CONSISTENT },
        { "0.1", 0.1, 0.1, 0.1, NB_VERDICT_AGREES },
        { "0.1", 0.2, 0.2, 0.2, NB_VERDICT_DISAGREES },
        { "0.1", 0.16, 0, 1, NB_VERDICT_CONSISTENT },
        { "0.0", -0.01, -0.02, 0.01, NB_VERDICT_AGREES },
        { "0.00", -0.01, -0.02, 0.01, NB_VERDICT_CONSISTENT },
        { "0.53", 0.54, 0.534, 0.546, NB_VERDICT_CONSISTENT },
        { "0.53", 0.54, 0.536, 0.546, NB_VERDICT_DISAGREES },
        { "0.53", 0.52, 0.514, 0.524, NB_VERDICT_DISAGREES },
        { "0.53", 0.52, 0.514, 0.526, NB_VERDICT_CONSISTENT },
        { "0.53", 0.53, 0.1, 0.9, NB_VERDICT_CONSISTENT },
        { "0.53", 0.53, 0.1, INFINITY, NB_VERDICT_CONSISTENT },
        { "0.53", 0.53, -INFINITY, 0.9, NB_VERDICT_CONSISTENT },
        { "0.53", 0.6, 0.6, INFINITY, NB_VERDICT_DISAGREES },
        { "0.53", NAN, NAN, NAN, NB_VERDICT_DISAGREES },
        { "0.53", INFINITY, 0.5, INFINITY, NB_VERDICT_DISAGREES },
        { "inf", INFINITY, 0.5, INFINITY, NB_VERDICT_AGREES },
        { "inf", 0.53, 0.5, INFINITY, NB_VERDICT_DISAGREES },
        { "inf", 0.53, 0.5, 0.6, NB_VERDICT_DISAGREES },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_quantity computed = { .value = cases[i].value,
                                              .lower = cases[i].lower,
                                              .upper = cases[i].upper };
        const enum nb_verdict found =
            ledger_verdict(cases[i].printed, &computed, ledger_anything);
        if (found != cases[i].verdict)
            fail_msg("%s against %g [%.17g, %.17g]: %s", cases[i].printed,
                     cases[i].value, cases[i].lower, cases[i].upper,
                     nb_verdict_names[found]);
    }
}

/* A load below part of the interval of the printed digits cannot confirm them:
 * GAL's 1.0 at a load of 0.97. */
static void loads_below_the_claim_do_not_agree(void **state)
{
    static const struct {
        int64_t offered; /* in hundredths */
        double lower, upper;
        enum nb_verdict verdict;
    } cases[] = {
        { 97, 0.969, 0.971, NB_VERDICT_CONSISTENT },
        { 104, 0.969, 0.971, NB_VERDICT_CONSISTENT },
        { 105, 0.969, 0.971, NB_VERDICT_AGREES },
        { 110, 0.94, 0.96, NB_VERDICT_CONSISTENT },
        { 97, 0.90, 0.94, NB_VERDICT_DISAGREES },
        { 105, 0, 1.05, NB_VERDICT_PENDING }, /* proves nothing */
        { 105, 0.01, 1.05, NB_VERDICT_CONSISTENT },
        { 105, 0, 1.04, NB_VERDICT_CONSISTENT },
        { 105, 0, 0.9, NB_VERDICT_DISAGREES },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_quantity computed = { .value = cases[i].lower,
                                              .lower = cases[i].lower,
                                              .upper = cases[i].upper };
        const enum nb_verdict found = ledger_verdict(
            "1.0", &computed, nb_ratio_make(cases[i].offered, 100));
        if (found != cases[i].verdict)
            fail_msg("%g .. %g of %g: %s", cases[i].lower, cases[i].upper,
                     (double)cases[i].offered / 100, nb_verdict_names[found]);
    }
}

/* Whether a check explains the quantity that it asks for. */
static void checks_explain(void **state)
{
    static const struct {
        const char *printed, *check;
        int64_t top, bottom; /* exact; 0/0: lower .. upper */
        double lower, upper;
        bool explains;
    } cases[] = {
        { "0.173", "cut", 25, 144, 0, 0, true },
        { "0.172", "cut", 25, 144, 0, 0, false },
        { "0.174", "cut", 25, 144, 0, 0, false },
        { "0.17", "cut", 17, 100, 0, 0, true },
        { "0.17", "cut", 18, 100, 0, 0, false },
        { "0.17", "cut", 0, 0, 0.171, 0.179, true },
        { "0.17", "cut", 0, 0, 0.169, 0.179, false },
        { "0.17", "cut", 0, 0, 0.171, 0.181, false },
        { "2.33", "within 3%", 16, 7, 0, 0, true },
        { "2.33", "within 1%", 16, 7, 0, 0, false },
        { "2.33", "within 3%", 0, 0, 2.27, 2.39, true },
        { "2.33", "within 3%", 0, 0, 2.26, 2.39, false },
        { "160", "within 5", 158, 1, 0, 0, true },
        { "160", "within 1.5", 158, 1, 0, 0, false },
        { "0.255", "range", 0, 0, 0.2554, 0.285, true },
        { "0.255", "range", 0, 0, 0.2556, 0.285, false },
        /* Every value that 0.47 covers is above 0.4649, none below 0.475. */
        { "0.47", "above maximum", 4649, 10000, 0, 0, true },
        { "0.47", "above maximum", 465, 1000, 0, 0, false },
        { "0.47", "above maximum", 0, 0, 0.4, 0.4649, true },
        { "0.47", "above maximum", 0, 0, 0.4, 0.4651, false },
        { "0.47", "above maximum", 48, 100, 0, 0, false },
        { "0.47", "below minimum", 4751, 10000, 0, 0, true },
        { "0.47", "below minimum", 475, 1000, 0, 0, false },
        { "0.47", "below minimum", 0, 0, 0.4751, 0.5, true },
        { "0.47", "below minimum", 0, 0, 0.4749, 0.5, false },
        { "0.47", "below minimum", 46, 100, 0, 0, false },
        { "366", "printed operands", 366, 1, 0, 0, true },
        { "366", "printed operands", 36651, 100, 0, 0, false },
        { "2.5e-9", "above maximum", 1, 1000000000, 0, 0, true },
        { "2.5e-9", "above maximum", 1, 100000000, 0, 0, false },
        { "0.5", "routing=val", 1, 2, 0, 0, true },
        { "0.5", "routing=val", 0, 0, 0.44, 0.51, false },
        { "yes", "as 0.5; routing=val", 1, 2, 0, 0, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_published read;
        struct nb_error err = { 0 };
        char text[400];
        snprintf(text, sizeof text,
                 HEADER "a,S,T,r / c,,,,q,%s,,1,explained,why,%s\n",
                 cases[i].printed, cases[i].check);
        if (ledger_read(text, &read, &err) != NB_OK)
            fail_msg("%s", err.message);
        struct nb_entry entry = { .row = read.rows,
                                  .verdict = NB_VERDICT_DISAGREES };
        struct nb_quantity request = { .value = cases[i].lower,
                                       .lower = cases[i].lower,
                                       .upper = cases[i].upper };
        if (cases[i].bottom > 0) {
            request.exact = nb_ratio_make(cases[i].top, cases[i].bottom);
            request.value = request.lower = request.upper =
                nb_ratio_value(request.exact);
        }
        assert_int_equal(
            nb_entry_explain(&entry, read.rows->readings, &request, NULL),
            NB_OK);
        if ((entry.verdict == NB_VERDICT_EXPLAINED) != cases[i].explains)
            fail_msg("%s %s: %s", cases[i].printed, cases[i].check,
                     entry.shown);
        nb_delete(entry.shown);
        nb_published_release(&read);
    }
}

/* Readings are tried in the order of the check, items in any order. */
static void readings_are_read(void **state)
{
    static const char check[] =
        "as 7; cut | routing=val; traffic=a..b; range | same as x-1 | "
        "printed operands; within 3";
    struct nb_lines line = { .path = "data.csv" };
    struct nb_reading found[NB_READINGS];
    struct nb_text texts[NB_READING_COLUMNS] = { { 0 } };
    const char *word;
    size_t count;
    (void)state;
    assert_int_equal(nb_readings_read(&line, check, found, &count, &word, NULL),
                     NB_OK);
    assert_int_equal(count, 4);
    assert_true(word == check + 3);
    assert_int_equal(found[0].test, NB_READING_CUT);
    assert_int_equal(found[1].test, NB_READING_RANGE);
    assert_true(found[1].has_columns && !found[0].has_columns);
    assert_int_equal(nb_reading_columns(&found[1], texts, NULL), NB_OK);
    assert_null(texts[0].bytes);
    assert_string_equal(texts[1].bytes, "val");
    assert_string_equal(texts[2].bytes, "a..b");
    assert_null(texts[3].bytes);
    nb_text_release(&texts[1]);
    nb_text_release(&texts[2]);
    assert_int_equal(strncmp(found[2].same, "x-1 | ", 6), 0);
    assert_int_equal(found[2].length, strlen("same as x-1"));
    assert_true(found[3].is_of_printed && !found[3].is_share);
    ratio_must_equal(found[3].within, nb_ratio_make(3, 1), "within");
    assert_int_equal(
        nb_readings_read(&line, "as 7", found, &count, &word, NULL), NB_OK);
    assert_int_equal(count, 0);
}

static void readings_are_refused(void **state)
{
    static const char *const checks[] = {
        "cut; range",
        "cut; within 3",
        "above maximum; cut",
        "above",
        "maximum",
        "printed",
        "within",
        "within x",
        "within -1%",
        "routing",
        "same as ",
        "same as a; cut",
        "cut; same as a",
        "routing=val; same as a",
        "same as a; same as b",
        "as 1; as 2",
        "cut |cut",
        "cut | as 1 | as 2",
    };
    struct nb_lines line = { .path = "data.csv" };
    struct nb_reading found[NB_READINGS];
    struct nb_text many = { 0 };
    const char *word;
    size_t count;
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (nb_readings_read(&line, checks[i], found, &count, &word, NULL) !=
            NB_INVALID)
            fail_msg("%s", checks[i]);
    for (size_t i = 0; i <= NB_READINGS; i++)
        nb_text_print(&many, "%scut", i > 0 ? " | " : "");
    assert_int_equal(
        nb_readings_read(&line, many.bytes, found, &count, &word, NULL),
        NB_INVALID);
    assert_int_equal(nb_readings_read(&line, many.bytes + strlen("cut | "),
                                      found, &count, &word, NULL),
                     NB_OK);
    assert_int_equal(count, NB_READINGS);
    nb_text_release(&many);
}

/* How often a further value lies in the range of n others: counted over all
 * ranks that it can have among the n + 1, which are equally likely. */
static void ranges_do_not_grow(void **state)
{
    (void)state;
    for (size_t n = 1; n < 400; n++) {
        const size_t trim = nb_reading_trim(n);
        size_t inside = 0, inside_less = 0;
        assert_true(2 * trim < n);
        for (size_t rank = 0; rank <= n; rank++) {
            inside += rank > trim && rank < n - trim;
            inside_less += rank > trim + 1 && rank < n - trim - 1;
        }
        /* At least 95 %, if the whole range has so much; and no less would. */
        assert_true(trim == 0 || 20 * inside >= 19 * (n + 1));
        assert_true(20 * inside_less < 19 * (n + 1));
    }
}

/* A number repeats another row's if it is that, rounded, and that is
 * understood. */
static void repeated_numbers_explain(void **state)
{
    static const struct {
        const char *here, *there;
        enum nb_verdict verdict;
        bool explains;
    } cases[] = {
        { "6.5", "6.48", NB_VERDICT_AGREES, true },
        { "6.5", "6.48", NB_VERDICT_EXPLAINED, true },
        { "6.5", "6.48", NB_VERDICT_CONSISTENT, false },
        { "6.5", "6.48", NB_VERDICT_DISAGREES, false },
        { "6.5", "6.48", NB_VERDICT_PENDING, false },
        { "6.5", "6.44", NB_VERDICT_AGREES, false },
        { "6.5", "6.56", NB_VERDICT_AGREES, false },
        { "6.48", "6.5", NB_VERDICT_AGREES, false },
        { "6.5", "6.5e-1", NB_VERDICT_AGREES, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nb_published read;
        struct nb_error err = { 0 };
        char text[400];
        snprintf(text, sizeof text,
                 HEADER "a,S,T,r / c,,,,q,%s,,1,explained,why,same as b\n"
                        "b,S,T,r / d,,,,q,%s,,1,agrees,,\n",
                 cases[i].here, cases[i].there);
        if (ledger_read(text, &read, &err) != NB_OK)
            fail_msg("%s", err.message);
        struct nb_entry entry = { .row = read.rows,
                                  .verdict = NB_VERDICT_DISAGREES };
        const struct nb_entry other = { .row = read.rows + 1,
                                        .verdict = cases[i].verdict };
        assert_int_equal(
            nb_entry_repeat(&entry, read.rows->readings, &other, NULL), NB_OK);
        if ((entry.verdict == NB_VERDICT_EXPLAINED) != cases[i].explains)
            fail_msg("%s %s: %s", cases[i].here, cases[i].there, entry.shown);
        nb_delete(entry.shown);
        nb_published_release(&read);
    }
}

/* Whether the quantity agrees with the column exact. */
static bool ledger_fits(const char *exact, const struct nb_quantity *computed)
{
    struct nb_published read;
    struct nb_error err = { 0 };
    char text[400];
    snprintf(text, sizeof text,
             HEADER "a,S,reference: T,r / c,,,,q,,%s,1,agrees,,\n", exact);
    if (ledger_read(text, &read, &err) != NB_OK)
        fail_msg("%s", err.message);
    struct nb_entry entry = { .row = read.rows };
    nb_entry_judge(&entry, computed, ledger_anything);
    nb_published_release(&read);
    return entry.verdict == NB_VERDICT_AGREES;
}

/* A bracket contains an exact reference, and lies within the first digits of a
 * longer one; so does an exact quantity. */
static void references_agree(void **state)
{
    static const struct {
        const char *exact;
        double lower, upper;
        struct nb_ratio ratio;
        bool fits;
    } cases[] = {
        { "1/3", 0.3, 0.4, { 0, 0 }, true },
        { "1/3", 0.3, 0.33, { 0, 0 }, false },
        { "1/3", 0.34, 0.4, { 0, 0 }, false },
        { "1/3", 0.3, 0.4, { 333, 1000 }, false },
        { "1/3", 0.3, 0.4, { 1, 3 }, true },
        { "0.14...", 0.1401, 0.1499, { 0, 0 }, true },
        { "0.14...", 0.1399, 0.1401, { 0, 0 }, false },
        { "0.14...", 0.149, 0.1501, { 0, 0 }, false },
        { "0.14...", 0.14, 0.14, { 7, 50 }, true },
        { "0.14...", 0.15, 0.15, { 13999, 100000 }, false },
        { "0.14...", 0.15, 0.15, { 15001, 100000 }, false },
        { "12...", 12.25, 12.5, { 0, 0 }, true },
        { "inf", INFINITY, INFINITY, { 1, 0 }, true },
        { "inf", INFINITY, INFINITY, { 0, 0 }, true },
        { "inf", 7, 7, { 7, 1 }, false },
        { "7", INFINITY, INFINITY, { 1, 0 }, false },
        { "0.7...", INFINITY, INFINITY, { 1, 0 }, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct nb_quantity computed = { .exact = cases[i].ratio,
                                              .value = cases[i].lower,
                                              .lower = cases[i].lower,
                                              .upper = cases[i].upper };
        if (ledger_fits(cases[i].exact, &computed) != cases[i].fits)
            fail_msg("%s: %.17g .. %.17g", cases[i].exact, cases[i].lower,
                     cases[i].upper);
    }
}

/* Answers a ledger with every kind of row, with a limited number of
 * allocations. */
static enum nb_status ledger_answer(struct nb_model *model, long allowed)
{
    const struct nb_question_kind *command = nb_question_find("ledger");
    const struct nb_question question = { .model = model,
                                          .run = { .threads = 1 },
                                          .is_checked = true };
    struct nb_point point = { 0 };
    struct nb_text text = { 0 };
    nb_memory_allow(allowed);
    enum nb_status status =
        nb_question_answer(command, &question, &point, NULL);
    if (status == NB_OK)
        status = nb_point_check(&point, NULL);
    if (status == NB_OK)
        status = command->print(&point, &nb_look_plain, &text, NULL);
    if (status == NB_OK)
        status = nb_text_check(&text, NULL);
    nb_memory_allow(-1);
    nb_text_release(&text);
    nb_point_release(&point);
    return status;
}

static void failing_memory_is_survived(void **state)
{
    static const char rows[] = HEADER
        "a,S,T,MIN / TOR,ring:8,min,tornado,throughput,0.3,,"
        "fraction of capacity,agrees,,\n"
        "b,S,T,MIN / WC,ring:4,min,worst,worst_case_throughput,7,,"
        "fraction of capacity,agrees,,\n"
        "c,S,T,MIN / x,ring:8,min,tornado,mean_hops,7,7,hops,disagrees,"
        "no,routing=val\n"
        "d,S,T,MIN / y,ring:8,min,tornado,none,1,,1,agrees,,\n"
        "e,S,reference: T,split / D,ring:8,,\"split:load=0.4,"
        "rule=gal:threshold=2,delay-model=singh\",switch_point,,"
        "0.239741...,packets/cycle/terminal,agrees,,\n"
        "f,S,T,MIN / mean,ring:4,min,load:traffic=random-permutation:"
        "seed=1..2,mean_hops,70,,hops,disagrees,no,"
        "range | same as b | cut\n"
        "g,S,T,MIN / ratio,,,\"ratio:of=c,to=c\",percent,99,,%,explained,"
        "no,\"printed operands; within 2 | traffic=ratio:of=f,to=c\"\n";
    const char *const sets[] = { "of", "verdict" };
    const char *const values[] = { "T", "disagrees" };
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_write(nb_scratch_name("data.csv", path), rows, strlen(rows));
    for (size_t i = 0; i < 2; i++) {
        struct nb_model model = { 0 };
        enum nb_status status = NB_NO_MEMORY;
        nb_model_set(&model, "data", nb_scratch_folder(), NULL);
        nb_model_set(&model, sets[i], values[i], NULL);
        const long before = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            status = ledger_answer(&model, allowed);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        nb_model_release(&model);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The bibliography has the source of every row of data/published. */
static void sources_are_in_the_bibliography(void **state)
{
    (void)state;
    struct nb_published published;
    struct nb_text references = { 0 };
    assert_int_equal(nb_published_read("data/published", &published, NULL),
                     NB_OK);
    assert_int_equal(
        nb_text_read_file("data/references.bib", 1 << 20, &references, NULL),
        NB_OK);
    assert_true(published.count > 300);
    for (size_t i = 0; i < published.count; i++) {
        const struct nb_published_row *row = &published.rows[i];
        char key[128];
        snprintf(key, sizeof key, "{%s,", row->source);
        if (strstr(references.bytes, key) == NULL)
            fail_msg("%s: no reference %s", row->id, row->source);
    }
    nb_text_release(&references);
    nb_published_release(&published);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_read),
        cmocka_unit_test(printed_digits_agree),
        cmocka_unit_test(rounded_ratios_agree),
        cmocka_unit_test(brackets_agree_as_a_whole),
        cmocka_unit_test(loads_below_the_claim_do_not_agree),
        cmocka_unit_test(checks_explain),
        cmocka_unit_test(readings_are_read),
        cmocka_unit_test(readings_are_refused),
        cmocka_unit_test(ranges_do_not_grow),
        cmocka_unit_test(repeated_numbers_explain),
        cmocka_unit_test(references_agree),
        cmocka_unit_test(failing_memory_is_survived),
        cmocka_unit_test(sources_are_in_the_bibliography),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
