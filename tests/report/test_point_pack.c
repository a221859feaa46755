/* Points as bytes: unpacking gives back what was packed; truncated or changed
 * bytes are refused or give another point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "report/point_pack.h"

#include "../support/random_report.h"

#include <string.h>

enum { TRIALS = 200 };

/* A report of only the packed points, everything else borrowed. */
static void unpack_all(const struct nb_report *from, struct nb_report *out)
{
    for (size_t i = 0; i < from->point_count; i++) {
        struct nb_text bytes = { 0 };
        struct nb_error error = { 0 };
        nb_point_pack(&from->points[i], &bytes);
        assert_int_equal(nb_text_check(&bytes, NULL), NB_OK);
        struct nb_packed in = nb_packed_of(bytes.bytes, bytes.length);
        struct nb_point *point = nb_report_add_point(out);
        assert_int_equal(nb_point_unpack(&in, point, &error), NB_OK);
        assert_int_equal(nb_packed_check(&in, &error), NB_OK);
        nb_text_release(&bytes);
    }
}

static void points_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 }, again = { 0 };
        nb_random_init(&random, seed, 0);
        nb_random_report(&random, NB_TEXT_HOSTILE, &report);
        again.model = report.model;
        again.program = report.program;
        again.title = report.title;
        again.made = report.made;
        unpack_all(&report, &again);
        if (!nb_reports_are_equal(&report, &again))
            fail_msg("seed %lu: another point", (unsigned long)seed);
        again.model = (struct nb_model){ 0 };
        again.program = again.title = NULL;
        nb_report_release(&again);
        nb_report_release(&report);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

/* Every prefix, and bytes changed at random. */
static void damage_is_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct nb_random random;
        struct nb_report report = { 0 };
        struct nb_text bytes = { 0 };
        nb_random_init(&random, seed, 0);
        nb_random_report(&random, NB_TEXT_HOSTILE, &report);
        if (report.point_count > 0)
            nb_point_pack(&report.points[0], &bytes);
        const size_t step = bytes.length / 50 + 1;
        for (size_t cut = 0; cut < bytes.length; cut += step) {
            struct nb_point point;
            struct nb_packed in = nb_packed_of(bytes.bytes, cut);
            assert_int_equal(nb_point_unpack(&in, &point, NULL), NB_INVALID);
            nb_point_release(&point);
            bytes.bytes[cut] ^= (char)(1 + nb_random_next(&random) % 255);
            in = nb_packed_of(bytes.bytes, bytes.length);
            nb_point_unpack(&in, &point, NULL);
            nb_point_release(&point);
        }
        nb_text_release(&bytes);
        nb_report_release(&report);
    }
    assert_int_equal(nb_memory_live_blocks(), 0);
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct nb_random random;
    struct nb_report report = { 0 };
    struct nb_text bytes = { 0 };
    enum nb_status status = NB_INVALID;
    nb_random_init(&random, 7, 0);
    while (report.point_count == 0 || report.points[0].table_count == 0) {
        nb_report_release(&report);
        nb_random_report(&random, NB_TEXT_PERMITTED, &report);
    }
    nb_point_pack(&report.points[0], &bytes);
    const long before = nb_memory_live_blocks();
    for (long allowed = 0; status != NB_OK; allowed++) {
        struct nb_packed in = nb_packed_of(bytes.bytes, bytes.length);
        struct nb_point point;
        nb_memory_allow(allowed);
        status = nb_point_unpack(&in, &point, NULL);
        nb_memory_allow(-1);
        nb_point_release(&point);
        assert_int_equal(nb_memory_live_blocks(), before);
    }
    nb_text_release(&bytes);
    nb_report_release(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_come_back),
        cmocka_unit_test(damage_is_no_harm),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
