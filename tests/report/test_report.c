/* Reports: the tree, reading back what was written, and the digest. */
#include "report/report.h"

#include "core/memory.h"

#include "../support/example_report.h"
#include "../support/random_report.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads bytes as the file report.xml of the scratch folder. */
static enum nb_status read_bytes(const char *bytes, size_t length,
                                 struct nb_report *out, bool *is_right,
                                 struct nb_error *err)
{
    char path[NB_SCRATCH_PATH];
    nb_scratch_name("report.xml", path);
    nb_scratch_write(path, bytes, length);
    return nb_report_read_file(path, out, is_right, err);
}

static void quantities_enclose_their_value(void **state)
{
    struct nb_report report = { 0 };
    (void)state;
    struct nb_point *point = nb_report_add_point(&report);
    nb_point_add_exact(point, "negative", nb_ratio_make(-1, 3), "", "", "");
    nb_point_add_bracket(point, "open", 2, INFINITY, "", "", "");
    nb_point_add_bracket(point, "wide", -0x1p1023, 0x1.8p1023, "", "", "");
    nb_point_add_bracket(point, "tiny", 5e-324, 1e-323, "", "", "");
    nb_point_add_bracket(point, "infinite", INFINITY, INFINITY, "", "", "");
    nb_point_add_bracket(point, "carried", 0.4, 3e8, "fraction of capacity", "",
                         "");
    nb_point_add_bracket(point, "rate", 0.2, 0.5, "flits/cycle/terminal", "",
                         "");
    nb_point_add_bracket(point, "load", 2, 3, "packets/cycle", "", "");
    assert_int_equal(nb_point_check(point, NULL), NB_OK);
    for (size_t i = 0; i < point->quantity_count; i++) {
        const struct nb_quantity *quantity = &point->quantities[i];
        assert_true(quantity->lower <= quantity->value);
        assert_true(quantity->value <= quantity->upper);
    }
    const struct nb_quantity *negative = nb_point_quantity(point, "negative");
    assert_true(negative->upper == nextafter(negative->lower, 0));
    assert_true(nb_point_quantity(point, "open")->value == 2);
    /* The safe end, however far away the other one is. */
    assert_true(nb_point_quantity(point, "carried")->value == 0.4);
    assert_true(nb_point_quantity(point, "rate")->value == 0.2);
    assert_true(nb_point_quantity(point, "load")->value == 3);
    assert_true(isinf(nb_point_quantity(point, "infinite")->value));
    assert_null(nb_point_quantity(point, "none"));
    assert_null(nb_point_table(point, "none"));
    nb_report_release(&report);
    nb_report_release(&report);
}

/* Write, validate, read, write again: the same bytes and a right digest; for
 * texts that XML can hold the same report. Every table prints. */
static void random_reports_survive(void **state)
{
    char schema[NB_SCRATCH_PATH];
    (void)state;
    nb_schema_open("report.xsd", schema);
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 }, again = { 0 };
        struct nb_text first = { 0 }, second = { 0 };
        struct nb_error err = { 0 };
        bool is_right = false;
        char complaint[NB_SCRATCH_COMPLAINT];
        const enum nb_text_kind kind =
            seed % 2 == 0 ? NB_TEXT_PERMITTED : NB_TEXT_HOSTILE;
        nb_random_init(&random, seed, 2);
        nb_random_report(&random, kind, &report);
        nb_report_write(&report, NB_FORMAT_XML, NULL, &first, &err);
        const bool is_valid =
            nb_schema_accepts(schema, first.bytes, first.length, complaint);
        const bool is_read = read_bytes(first.bytes, first.length, &again,
                                        &is_right, &err) == NB_OK;
        if (is_read)
            nb_report_write(&again, NB_FORMAT_XML, NULL, &second, &err);
        const bool is_same =
            is_read && strcmp(first.bytes, second.bytes) == 0 &&
            (kind == NB_TEXT_HOSTILE || nb_reports_are_equal(&report, &again));
        if (!is_valid || !is_same || !is_right)
            fail_msg("seed %llu: valid %d, same %d, digest %d, %s %s\n%s",
                     (unsigned long long)seed, is_valid, is_same, is_right,
                     err.message, complaint, first.bytes);
        for (size_t i = 0; i < report.point_count; i++)
            for (size_t t = 0; t < report.points[i].table_count; t++)
                assert_int_equal(
                    nb_report_write(&report, NB_FORMAT_TEXT,
                                    report.points[i].tables[t].name, &second,
                                    NULL),
                    NB_OK);
        nb_text_release(&first);
        nb_text_release(&second);
        nb_report_release(&report);
        nb_report_release(&again);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Each byte changed in turn: the file is refused, or the digest differs. */
static void any_changed_byte_shows(void **state)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    size_t refused = 0;
    (void)state;
    nb_example_report(&report, true);
    nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL);
    nb_report_release(&report);
    for (size_t i = 0; i < text.length; i++) {
        const char kept = text.bytes[i];
        bool is_right = true;
        const bool is_digit = kept >= '0' && kept <= '9';
        text.bytes[i] =
            is_digit ? (char)('0' + (kept - '0' + 1) % 10) : (char)(kept ^ 1);
        if (read_bytes(text.bytes, text.length, &report, &is_right, NULL) !=
            NB_OK)
            refused++;
        else if (is_right)
            fail_msg("byte %zu: '%c' for '%c' goes unseen", i, text.bytes[i],
                     kept);
        nb_report_release(&report);
        text.bytes[i] = kept;
    }
    assert_in_range(refused, 1, text.length - 100);
    bool is_right = true;
    nb_text_add(&text, "\n", 1); /* a byte too many */
    assert_int_equal(
        read_bytes(text.bytes, text.length, &report, &is_right, NULL), NB_OK);
    assert_false(is_right);
    nb_report_release(&report);
    nb_text_release(&text);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void a_report_is_a_model_as_well(void **state)
{
    struct nb_report report = { 0 };
    struct nb_model model;
    struct nb_text text = { 0 };
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_example_report(&report, false);
    nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL);
    nb_scratch_name("report.xml", path);
    nb_scratch_write(path, text.bytes, text.length);
    assert_int_equal(nb_model_read_file(path, &model, NULL), NB_OK);
    assert_true(nb_models_are_equal(&model, &report.model));
    nb_model_release(&model);
    nb_text_release(&text);
    nb_report_release(&report);
}

static void failing_allocations_leak_nothing(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("report.xml", path);
    for (enum nb_format format = NB_FORMAT_TEXT; format <= NB_FORMAT_XML;
         format++) {
        enum nb_status status = NB_NO_MEMORY;
        struct nb_report report = { 0 };
        struct nb_text text = { 0 };
        nb_example_report(&report, true);
        const long before = nb_memory_live_blocks();
        for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
            nb_memory_allow(allowed);
            status = nb_report_write(&report, format, "channels", &text, NULL);
            nb_memory_allow(-1);
            if (status == NB_OK && format == NB_FORMAT_XML)
                nb_scratch_write(path, text.bytes, text.length);
            nb_text_release(&text);
            assert_int_equal(nb_memory_live_blocks(), before);
        }
        assert_int_equal(status, NB_OK);
        nb_report_release(&report);
    }
    enum nb_status status = NB_NO_MEMORY;
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_report report;
        bool is_right;
        nb_memory_allow(allowed);
        status = nb_report_read_file(path, &report, &is_right, NULL);
        nb_memory_allow(-1);
        nb_report_release(&report);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
    assert_int_equal(status, NB_OK);
}

/* A point whose additions failed reports it, and is not written. */
static void failed_additions_are_remembered(void **state)
{
    (void)state;
    for (long allowed = 0; allowed < 12; allowed++) {
        struct nb_report report = { 0 };
        struct nb_text text = { 0 };
        struct nb_point *point = nb_report_add_point(&report);
        nb_memory_allow(allowed);
        nb_point_add_note(point, "a", "b");
        const size_t table = nb_point_add_table(point, "t", false, "a,b:text");
        nb_table_add_whole(point, table, 1);
        nb_table_add_text(point, table, "x");
        nb_memory_allow(-1);
        assert_int_equal(nb_point_check(point, NULL), NB_NO_MEMORY);
        assert_null(nb_point_table(point, "t"));
        assert_int_equal(
            nb_report_write(&report, NB_FORMAT_CSV, NULL, &text, NULL),
            NB_NO_MEMORY);
        nb_report_release(&report);
        nb_text_release(&text);
        assert_int_equal(nb_memory_live_blocks(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_enclose_their_value),
        cmocka_unit_test(random_reports_survive),
        cmocka_unit_test(any_changed_byte_shows),
        cmocka_unit_test(a_report_is_a_model_as_well),
        cmocka_unit_test(failing_allocations_leak_nothing),
        cmocka_unit_test(failed_additions_are_remembered),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
