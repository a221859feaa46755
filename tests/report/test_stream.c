/* Reports point by point: written and read like reports in memory, with memory
 * that does not grow with the number of points. */
#include "report/reader.h"
#include "report/seal.h"
#include "report/writer.h"

#include "core/memory.h"

#include "../support/example_report.h"
#include "../support/random_report.h"
#include "../support/scratch.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <malloc.h>
#include <string.h>

/* Writes all points of a report one by one to a file. */
static void write_points(const struct nb_report *report, enum nb_format format,
                         const char *path)
{
    struct nb_spool spool = { 0 };
    struct nb_report_writer writer = { .format = format, .out = &spool };
    struct nb_error err = { 0 };
    enum nb_status status =
        nb_writer_begin(&writer, &report->model, report->program, &err);
    for (size_t i = 0; i < report->point_count && status == NB_OK; i++)
        status = nb_writer_add(&writer, &report->points[i], &err);
    if (status == NB_OK)
        status = nb_writer_end(&writer, &report->made, &err);
    if (status == NB_OK)
        status = nb_file_write_spool(path, &spool, &err);
    nb_writer_release(&writer);
    nb_spool_release(&spool);
    if (status != NB_OK)
        fail_msg("%s", err.message);
}

static void expect_file(const char *path, const struct nb_text *expected)
{
    struct nb_text text = { 0 };
    assert_int_equal(nb_text_read_file(path, SIZE_MAX, &text, NULL), NB_OK);
    assert_int_equal(text.length, expected->length);
    assert_memory_equal(text.bytes, expected->bytes, text.length);
    nb_text_release(&text);
}

/* The points of random reports, one by one, equal those of the whole
 * reports. */
static void points_are_the_report(void **state)
{
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("report.xml", path);
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 }, again = { 0 };
        struct nb_report_reader *reader = NULL;
        struct nb_text text = { 0 };
        bool is_right = false;
        nb_random_init(&random, seed, 3);
        nb_random_report(&random, NB_TEXT_PERMITTED, &report);
        const size_t shown = report.model.show_count;
        report.model.show_count = 0; /* names that no point has */
        assert_int_equal(
            nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL), NB_OK);
        write_points(&report, NB_FORMAT_XML, path);
        expect_file(path, &text);
        assert_int_equal(nb_reader_open(path, SIZE_MAX, false, &reader, NULL),
                         NB_OK);
        assert_int_equal(nb_reader_read_all(reader, &again, NULL), NB_OK);
        is_right = nb_reader_is_digest_right(reader, NULL);
        assert_true(is_right);
        assert_true(nb_reports_are_equal(&report, &again));
        nb_reader_close(reader);
        nb_text_release(&text);
        report.model.show_count = shown;
        nb_report_release(&report);
        nb_report_release(&again);
    }
}

enum { FEW = 300, MANY = 6000 };

/* Blocks and bytes in use. The C library counts bytes, but not under a
 * sanitizer, where they are 0; ours counts blocks everywhere. */
struct use {
    long blocks;
    size_t bytes;
};

static struct use used(void)
{
    return (struct use){ nb_memory_live_blocks(), mallinfo2().uordblks };
}

static void expect_no_growth(struct use few, struct use many)
{
    assert_true(many.blocks <= few.blocks + 8);
    assert_true(many.bytes <= few.bytes + (1 << 19));
}

static void memory_does_not_grow(void **state)
{
    struct nb_report report = { 0 };
    struct nb_spool spool = { 0 };
    struct nb_report_writer writer = { .format = NB_FORMAT_XML, .out = &spool };
    struct use few = { 0 };
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_example_report(&report, true);
    assert_int_equal(
        nb_writer_begin(&writer, &report.model, report.program, NULL), NB_OK);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(nb_writer_add(&writer, &report.points[0], NULL),
                         NB_OK);
        if (i == FEW)
            few = used();
    }
    expect_no_growth(few, used());
    assert_non_null(spool.file); /* enough to go to a file */
    assert_int_equal(nb_writer_end(&writer, &report.made, NULL), NB_OK);
    assert_int_equal(
        nb_file_write_spool(nb_scratch_name("many.xml", path), &spool, NULL),
        NB_OK);
    nb_writer_release(&writer);
    nb_spool_release(&spool);
    nb_report_release(&report);

    struct nb_report_reader *reader = NULL;
    char digits[2][NB_DIGEST_TEXT];
    assert_int_equal(nb_reader_open(path, SIZE_MAX, true, &reader, NULL),
                     NB_OK);
    for (int pass = 0; pass < 2; pass++) {
        bool is_there = true;
        size_t count = 0;
        while (is_there) {
            struct nb_point point;
            assert_int_equal(nb_reader_next(reader, &point, &is_there, NULL),
                             NB_OK);
            nb_point_release(&point);
            count += is_there;
            if (count == FEW)
                few = used();
            if (count == MANY)
                expect_no_growth(few, used());
        }
        assert_int_equal(count, MANY);
        assert_true(nb_reader_is_digest_right(reader, digits[pass]));
        if (pass == 0)
            assert_int_equal(nb_reader_rewind(reader, false, NULL), NB_OK);
    }
    assert_string_equal(digits[0], digits[1]);
    nb_reader_close(reader);
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* The digest of a file does not depend on the pieces it is read in. */
static void seals_come_in_pieces(void **state)
{
    struct nb_report report = { 0 };
    struct nb_text text = { 0 };
    char digits[NB_DIGEST_TEXT];
    (void)state;
    nb_example_report(&report, true);
    assert_int_equal(nb_report_write(&report, NB_FORMAT_XML, NULL, &text, NULL),
                     NB_OK);
    for (size_t piece = 1; piece <= text.length; piece++) {
        struct nb_seal seal;
        nb_seal_begin(&seal);
        for (size_t i = 0; i < text.length; i += piece)
            nb_seal_add(&seal, text.bytes + i,
                        text.length - i < piece ? text.length - i : piece);
        assert_true(nb_seal_end(&seal, digits));
    }
    struct nb_seal seal;
    nb_seal_begin(&seal);
    nb_seal_add(&seal, text.bytes, 50);
    assert_false(nb_seal_end(&seal, digits));
    nb_text_release(&text);
    nb_report_release(&report);
}

static void failing_allocations_leak_nothing(void **state)
{
    struct nb_report report = { 0 };
    enum nb_status status = NB_NO_MEMORY;
    char path[NB_SCRATCH_PATH];
    (void)state;
    nb_scratch_name("report.xml", path);
    nb_example_report(&report, true);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status == NB_NO_MEMORY; allowed++) {
        struct nb_spool spool = { 0 };
        struct nb_report_writer writer = { .format = NB_FORMAT_CSV,
                                           .table = "channels",
                                           .out = &spool };
        nb_memory_allow(allowed);
        status = nb_writer_begin(&writer, &report.model, report.program, NULL);
        if (status == NB_OK)
            status = nb_writer_add(&writer, &report.points[0], NULL);
        if (status == NB_OK)
            status = nb_writer_end(&writer, &report.made, NULL);
        nb_memory_allow(-1);
        nb_writer_release(&writer);
        nb_spool_release(&spool);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    assert_int_equal(status, NB_OK);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_the_report),
        cmocka_unit_test(memory_does_not_grow),
        cmocka_unit_test(seals_come_in_pieces),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, nb_scratch_setup, nb_scratch_teardown);
}
